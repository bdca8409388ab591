"""What is proved of a path."""

from __future__ import annotations

from dataclasses import dataclass

from armlab.collision import AllowedPair


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is proved of a path, and what the search has cost."""

    clearance: float
    """m that are kept from bodies and other arms; what is of one arm does not touch."""
    seed: int
    samples: int
    """Random configurations that were taken."""
    motions: int
    """Straight motions that were looked at."""
    distances: int
    """Distances of solids that were computed."""
    unchecked: tuple[AllowedPair, ...]
    """Pairs of parts that were not checked, and why."""
