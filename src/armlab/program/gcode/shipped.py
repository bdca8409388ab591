"""Programs that come with armlab, found by their names."""

from __future__ import annotations

from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "programs"
SUFFIXES = (".ngc", ".src", ".py")
"""G-code, KRL, Python."""


def program_names(suffix: str = ".ngc") -> list[str]:
    """Return the names of the programs in one language that come with armlab."""
    return sorted(path.stem for path in PROGRAMS.glob(f"*{suffix}"))


def program_path(name: str) -> Path:
    """Return the file that `name` means: a file of the user, or else a program that comes with armlab."""
    path = Path(name)
    if not path.exists():
        for suffix in SUFFIXES:
            if name in program_names(suffix):
                return PROGRAMS / f"{name}{suffix}"
    return path
