"""Windows of a run of moves: the path of the joints along some segments, ready to be timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.motion.timing.stream import PathPart
from armlab.program.executor.pieces import Numbered
from armlab.program.instructions import Blend, Instruction, MotionSettings, Move


class MoveSegment(Protocol):
    """A part of a move without corners."""

    @property
    def numbered(self) -> Numbered:
        """The move that it belongs to."""

    @property
    def settings(self) -> MotionSettings:
        """How fast it may be."""

    @property
    def blend(self) -> Blend | None:
        """How the corner at its end may be rounded; none: stop there."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A part of a run: its path, and s where each of its segments ends in it; the last ends where the window does."""

    part: PathPart
    segments: Sequence[MoveSegment]
    ends: Floats
    findings: tuple[Finding, ...] = ()


class WindowEnds(NamedTuple):
    """Whether a window begins and ends at rest; where it does not, it does in the middle of a segment."""

    starts_at_rest: bool
    is_last: bool


class SegmentFailed(Exception):
    """A segment that cannot be moved along: its number in the window, and why."""

    def __init__(self, segment: int, finding: Finding) -> None:
        super().__init__(str(finding.message))
        self.segment, self.finding = segment, finding


class WindowPlanner(Protocol):
    """Plans windows one after the other; each starts where the last one ended."""

    def window(self, segments: Sequence[MoveSegment], ends: WindowEnds) -> Window:
        """Return the window along segments.

        Raises:
            SegmentFailed: if one of them cannot be moved along.
        """

    def explained(self, segment: MoveSegment, finding: Finding) -> Finding:
        """Return what is wrong with a segment that begins where the last window ended, seen by itself."""


SLIVER = 2e-6
"""m: what is shorter is not worth a piece of its own, and second derivatives over it are rounding."""


def apart(places: Floats, *others: Floats) -> Floats:
    """Return growing places that are no nearer than SLIVER to one another or to any of `others`, and between those."""
    taken = np.sort(np.concatenate(others))
    places = places[(places > taken[0] + SLIVER) & (places < taken[-1] - SLIVER)]
    after = np.searchsorted(taken, places)
    places = places[(taken[after] - places >= SLIVER) & (places - taken[after - 1] >= SLIVER)]
    if len(places) > 1 and (np.diff(places) < SLIVER).any():
        kept = [float(places[0])]
        for place in places[1:].tolist():
            if place - kept[-1] >= SLIVER:
                kept.append(place)
        places = np.array(kept)
    return places


def is_move(instruction: Instruction) -> bool:
    """Tell whether an instruction moves the arm."""
    return isinstance(instruction, Move)
