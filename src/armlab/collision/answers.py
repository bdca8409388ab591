"""What collision checks answer: contacts, distances, and the report on a whole motion."""

from __future__ import annotations

from dataclasses import dataclass

from armlab.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """Two parts that touch or overlap: their names, and a point of each, in the world (m)."""

    first: str
    second: str
    distance: float
    """Zero, or below it where the depth is known: that of balls."""
    p_first: Floats
    p_second: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """How far two parts are apart (m), and their nearest points in the world; overlapping ones have zero or less.

    Where there is nothing to come near, `value` is infinite and the names are empty.
    """

    value: float
    first: str
    second: str
    p_first: Floats
    p_second: Floats


@dataclass(frozen=True, slots=True, eq=False)
class FirstContact:
    """The moment at which a motion first comes too near to something."""

    time: float
    q: Floats
    """Joint values of the arm that was asked about, (n,)."""
    first: str
    second: str
    distance: float
    p_first: Floats
    p_second: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SweepReport:
    """What a whole motion comes near to, between its samples too."""

    is_free: bool
    """Whether nothing ever touches, and the clearance is kept; it never says so wrongly."""
    clearance: float
    first_contact: FirstContact | None
    nearest: Distance
    """The least distance of the whole motion from bodies and other arms, within 0.1 mm; an overlap ends the search."""
    nearest_time: float

    @property
    def min_distance(self) -> float:
        """The least distance (m)."""
        return self.nearest.value
