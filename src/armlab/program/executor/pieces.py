"""What an executor yields: pieces of motion, and events between them and along them."""

from __future__ import annotations

from dataclasses import dataclass

from armlab.model.finding import Finding
from armlab.motion.trajectory import Trajectory
from armlab.program.instructions import Instruction


@dataclass(slots=True, eq=False)  # not frozen: one is made for every line, and freezing takes longer than the rest
class Numbered:
    """An instruction and its number in the program, from 0."""

    index: int
    instruction: Instruction


@dataclass(slots=True, eq=False)
class CoveredTime:
    """Which instruction a piece of motion carries out from `start` to `end`, seconds from the start of the piece."""

    index: int
    instruction: Instruction
    start: float
    end: float


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """An instruction that is not a motion, at its time (s): the client does it."""

    time: float
    index: int
    instruction: Instruction


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A motion from `start` (s) on; the next piece goes on where it ends, at its speed."""

    start: float
    trajectory: Trajectory
    covered: tuple[CoveredTime, ...]
    events: tuple[Event, ...] = ()
    """Events along it, in their order."""
    findings: tuple[Finding, ...] = ()
    ends_within: bool = False
    """Whether the last instruction is not over at its end: the next piece goes on with it."""

    @property
    def end(self) -> float:
        """When it is over (s)."""
        return self.start + self.trajectory.duration

    @property
    def index(self) -> int:
        """The number of its first instruction."""
        return self.covered[0].index

    @property
    def instruction(self) -> Instruction:
        """Its first instruction."""
        return self.covered[0].instruction

    def covering(self, time: float) -> CoveredTime:
        """Return which instruction is carried out at `time` (s of the program); beyond the ends, the nearest."""
        return next((one for one in self.covered if time - self.start <= one.end), self.covered[-1])
