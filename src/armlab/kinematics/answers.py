"""What inverse kinematics answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armlab.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class IkResult:
    """The answer to one target, or to a batch of m targets: then every field has a leading axis m.

    `converged` is True only after the gate: finite, inside the limits, and the tool where it was asked to be within
    1e-6 m and 1e-6 rad. Where it is False, `q` is the closest that was found, and `reason` says what is in the way.
    """

    q: Floats
    converged: Any
    """bool, or an array of bool (m,)."""
    position_error: Any
    """m"""
    rotation_error: Any
    """rad"""
    iterations: Any
    restarts: Any
    reason: Any
    """A sentence, or a list of m."""


@dataclass(frozen=True, slots=True)
class FreeJoint:
    """A joint that may move without moving the tool: which, and how far while every limit is kept (rad)."""

    joint: str
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class IkSolution:
    """One of all solutions: joint values, the name of their branch, and what is left of an error (m, rad).

    A redundant arm has a continuum of solutions: then `free` tells through which values of a joint the branch goes on,
    and `q` is the member that is farthest from all limits.
    """

    q: Floats
    branch: str
    position_error: float
    rotation_error: float
    free: FreeJoint | None = None
