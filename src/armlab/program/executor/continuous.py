"""A run of moves that need no stop between them, planned window by window and timed as one.

Segments are collected; when there are enough, the path along them is planned up to the middle of the last one, which no
blend reaches: the arm could stop there. When the next window is planned it goes on from there, both are timed together
as if nothing were between them, and the earlier one is done. So the first motion of a long program starts at once, and
memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armlab.errors import ArmlabError
from armlab.model.finding import Finding
from armlab.motion.timing.stream import StreamTiming, TimedPart
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.pieces import CoveredTime, Numbered
from armlab.program.executor.windows import MoveSegment, SegmentFailed, Window, WindowEnds, WindowPlanner
from armlab.program.instructions import MotionSettings, SetOutput

GROWTH, MOST = 2, 512
"""Windows grow by this factor while a run lasts, up to so many segments, or to four times the look-ahead."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedWindow:
    """A window with its times, in seconds from its start."""

    trajectory: Trajectory
    covered: tuple[CoveredTime, ...]
    passed: tuple[tuple[float, Numbered], ...]
    """Instructions that happen along it."""
    findings: tuple[tuple[Numbered, Finding], ...]
    ends_within: bool
    """Whether it ends in the middle of its last segment."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFailure:
    """What ended a run: a finding about a segment, and what follows it and was not planned."""

    segment: MoveSegment
    finding: Finding
    rest: tuple[MoveSegment | Numbered, ...]
    """Segments, and the instructions that happen between them."""


class ContinuousRun:
    """Takes segments, yields timed windows; `failure` says what could not be planned."""

    def __init__(self, planner: WindowPlanner, lookahead: int, *, can_continue: bool = True) -> None:
        self.failure: RunFailure | None = None
        self.count = 0
        """How many segments were added."""
        self._planner, self._can_continue = planner, can_continue
        self._size, self._most = max(2, lookahead // 2), max(MOST, 4 * lookahead)
        self._pending: list[MoveSegment] = []
        self._first = 0
        """The number of the first pending segment."""
        self._starts_at_rest = True
        self._timing = StreamTiming()
        self._windows: list[tuple[int, Window, bool]] = []
        self._riders: list[tuple[int, Numbered]] = []

    @property
    def pending(self) -> list[MoveSegment]:
        """The segments that are not planned yet; the first may be planned up to its middle."""
        return self._pending

    @property
    def riders(self) -> list[tuple[int, Numbered]]:
        """Instructions along the run that are still to come: after how many segments, and which."""
        return self._riders

    @property
    def last_settings(self) -> MotionSettings | None:
        """The settings of the segment that was added last."""
        return self._pending[-1].settings if self._pending else None

    @property
    def is_full(self) -> bool:
        """Whether the next segment makes a window."""
        return len(self._pending) >= self._size

    def append(self, segment: MoveSegment) -> None:
        """Add a segment with the same settings as the last to a run that is not full."""
        self._pending.append(segment)
        self.count += 1

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was planned yet."""
        return self._starts_at_rest and not self._windows and self._first == 0

    def add(self, segment: MoveSegment) -> Iterator[TimedWindow]:
        """Add a segment, and yield what is timed for good."""
        if self._pending and not _alike(self._pending[-1], segment) and self._can_continue:
            self._pending.append(segment)
            self.count += 1
            yield from self._advance(is_last=False)
            return
        self._pending.append(segment)
        self.count += 1
        if len(self._pending) > self._size:
            self._size = min(GROWTH * self._size, self._most)
            yield from self._advance(is_last=not self._can_continue)

    def ride(self, numbered: Numbered) -> None:
        """Let an instruction happen when the last segment that was added is over."""
        self._riders.append((self.count, numbered))

    def finish(self) -> Iterator[TimedWindow]:
        """Yield all that is left; the run ends at rest where its last segment ends."""
        if self._pending:
            yield from self._advance(is_last=True)
        yield from self._taken(keep=0)

    def _advance(self, *, is_last: bool) -> Iterator[TimedWindow]:
        segments = list(self._pending)
        try:
            self._plan(segments, is_last=is_last)
        except SegmentFailed as failed:
            yield from self._fail(segments, failed)
            return
        yield from self._taken(keep=0 if is_last else 1)

    def _plan(self, segments: list[MoveSegment], *, is_last: bool) -> None:
        window = self._planner.window(segments, WindowEnds(self._starts_at_rest, is_last))
        try:
            self._timing.add(window.part)
        except ArmlabError as error:
            raise SegmentFailed(0, Finding("error", error.message)) from None
        self._windows.append((self._first, window, is_last))
        self._pending = [] if is_last else segments[-1:]
        self._first += len(segments) - len(self._pending)
        self._starts_at_rest = is_last

    def _fail(self, segments: list[MoveSegment], failed: SegmentFailed) -> Iterator[TimedWindow]:
        """Stop where the last segment ends that can be moved along, and remember why."""
        k, finding = failed.segment, failed.finding
        while k > 0:
            try:
                self._plan(segments[:k], is_last=True)
                break
            except SegmentFailed as earlier:
                k, finding = earlier.segment, earlier.finding
        if self._starts_at_rest:
            finding = self._planner.explained(segments[k], finding)
        self._pending = []
        yield from self._taken(keep=0)
        self.failure = RunFailure(segments[k], finding, tuple(self._rest(segments[k + 1 :])))

    def _rest(self, segments: list[MoveSegment]) -> Iterator[MoveSegment | Numbered]:
        """Yield the segments behind the one that failed, and the instructions along them where they come."""
        riders, self._riders = self._riders, []
        yield from (rider for after, rider in riders if after <= self._first + 1)
        for place, segment in enumerate(segments, start=self._first + 2):
            yield segment
            yield from (rider for after, rider in riders if after == place)

    def _taken(self, keep: int) -> Iterator[TimedWindow]:
        while self._timing.waiting > keep:
            first, window, is_last = self._windows.pop(0)
            yield self._timed(first, window, self._timing.take(), is_last)

    def _timed(self, first: int, window: Window, part: TimedPart, is_last: bool) -> TimedWindow:
        duration = part.trajectory.duration
        times = part.times(window.ends)
        times[-1] = duration
        covered: list[CoveredTime] = []
        start = 0.0
        for segment, end in zip(window.segments, times.tolist(), strict=True):
            number = segment.numbered
            if covered and covered[-1].instruction is number.instruction:
                covered[-1] = CoveredTime(number.index, number.instruction, covered[-1].start, end)
            else:
                covered.append(CoveredTime(number.index, number.instruction, start, end))
            start = end
        passed = self._passed(first, window, part, is_last)
        found = tuple((window.segments[_owner(window, finding)].numbered, finding) for finding in window.findings)
        return TimedWindow(part.trajectory, tuple(covered), passed, found, not is_last)

    def _passed(self, first: int, window: Window, part: TimedPart, is_last: bool) -> tuple[tuple[float, Numbered], ...]:
        """Return the instructions along a window with their times; those behind it wait for the next one."""
        last = first + len(window.segments) - (0 if is_last else 1)
        due = [(after, rider) for after, rider in self._riders if after <= last]
        self._riders = [(after, rider) for after, rider in self._riders if after > last]
        passed = []
        for after, rider in due:
            s = 0.0 if after <= first else float(window.ends[after - first - 1])
            delay = 0.0
            if isinstance(rider.instruction, SetOutput):
                s, delay = s + rider.instruction.distance, rider.instruction.delay
            time = float(part.times(np.array([min(max(s, 0.0), window.ends[-1])]))[0]) + delay
            passed.append((min(max(time, 0.0), part.trajectory.duration), rider))
        return tuple(sorted(passed, key=lambda pair: pair[0]))


def _alike(a: MoveSegment, b: MoveSegment) -> bool:
    return (a.settings.speed, a.settings.acceleration) == (b.settings.speed, b.settings.acceleration)


def _owner(window: Window, finding: Finding) -> int:
    s = finding.where.get("s", 0.0)
    place = float(s) if isinstance(s, int | float) else 0.0
    return min(int(np.searchsorted(window.ends, place)), len(window.segments) - 1)
