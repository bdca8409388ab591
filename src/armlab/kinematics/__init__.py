"""What follows from an arm's geometry: where it can go, how to get there, and the mathematics behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armlab.kinematics.symbolic.derive import derive

__all__ = ["derive"]


def __getattr__(name: str) -> Any:
    """Import `derive`, and SymPy with it, when it is first used."""
    if name != "derive":
        raise AttributeError(f"module 'armlab.kinematics' has no attribute '{name}'")
    from armlab.kinematics.symbolic.derive import derive

    return derive
