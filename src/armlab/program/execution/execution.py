"""The one loop over an executor: as fast as it goes, statement by statement, or a bounded time ahead of a clock."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Protocol

import numpy as np

from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.motion.trajectory import JointState, Trajectory
from armlab.program.execution.history import Again, KeptStates
from armlab.program.execution.statements import Place, Statement, Statements, Step, Stops, stops_for
from armlab.program.execution.values import ProgramValues
from armlab.program.executor.executor import Executor
from armlab.program.executor.pieces import Event, Piece
from armlab.program.instructions import MoveUntil, ReadInput, WaitUntil

AHEAD = 2.0
"""s of motion that are planned ahead of a clock."""
KEPT_S, KEPT_PIECES = 10.0, 200
"""What is kept of what was travelled: so many seconds, and not more pieces than this."""
KEPT_EVENTS = 10_000
"""Events, and statements, that are kept of a program that computes for long while its arm stands."""
WORK, PIECE_WORK = 64, 16
"""What may be pulled for one tick: as many events, and a piece of motion counts as so many of them."""
RAMP_S = 0.3
"""How long it takes to come from full rate to a halt: the arm stays on its path."""
NEAR_STOP = 2e-4
"""s: so near to where a program is to hold, it holds."""
SLOWEST = 0.02
"""The rate at which a program creeps to where it holds."""
LATER = 1e-6
"""s: what begins sooner than this behind the present has begun."""


class MotionFollower(Protocol):
    """What follows the motions of an execution: a simulated arm."""

    @property
    def held(self) -> str | None:
        """The body in the gripper."""

    def take(self, item: Piece | Event) -> list[Finding]:
        """Follow a piece of motion, or act; return what cannot be done."""


class Execution:
    """A program under way: pieces and events are pulled from its executor, and what is planned ahead is bounded.

    Iterate over it to take everything as fast as it goes; `go` does so up to a statement; `advance` lets time pass. Use
    it in one of these three ways. However it is pulled, the motions are the same.

    Args:
        executor: yields pieces and events
        follower: follows what is pulled; what it cannot do ends the execution
        listeners: are told of every piece and event when it is pulled and was followed
        again: begins the program once more, so that any time can be gone back to; without it only what is kept
        kept: how much (s) of what was travelled is kept
    """

    def __init__(
        self,
        executor: Iterable[Piece | Event],
        *,
        follower: MotionFollower | None = None,
        listeners: Iterable[Callable[[Piece | Event], object]] = (),
        again: Again | None = None,
        kept: float = KEPT_S,
    ) -> None:
        self.time = executor.time if isinstance(executor, Executor) else 0.0
        """s of the program."""
        self.rate = 1.0
        """How fast time passes in it; 1 is as planned."""
        self.is_paused = False
        self.breakpoints: set[Place] | frozenset[Place] = frozenset()
        self.now: Statement | None = None
        """Where `go` has stopped: the statement that begins now."""
        self.findings: list[Finding] = []
        """What the follower could not do."""
        self._follower, self._listeners, self._again, self._kept = follower, tuple(listeners), again, kept
        self._history = KeptStates()
        self._speed = self._rise = 0.0
        self._stops: Stops | None = None
        self._begin(executor)

    def _begin(self, executor: Iterable[Piece | Event]) -> None:
        self.executor, self._items = executor, iter(executor)
        self.pieces: list[Piece] = []
        """Those that are kept, from what was travelled to what is planned."""
        self.end = self.time
        """How far is planned (s)."""
        self.is_whole = False
        """Whether nothing more comes."""
        self._asks_at: float | None = None
        self._asked: Event | None = None
        self._read_at = -math.inf
        self._events: list[Event] = []
        self._done = 0
        self._before = ProgramValues.of(executor.state) if isinstance(executor, Executor) else ProgramValues()
        self.values = self._before.copy()
        """Outputs and variables where the program is now."""
        self._statements: list[Statement] = []
        self._found = Statements()
        self._cursor = 0
        self._next: tuple[float | None] | None = None

    # -- pulling -----------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Piece | Event]:
        """Take everything as fast as it goes."""
        while (item := self._pulled()) is not None:
            self.time = self.end
            yield item

    def _pulled(self) -> Piece | Event | None:
        item = None if self.is_whole else next(self._items, None)
        self.is_whole = item is None
        if item is None:
            return None
        if isinstance(item, Piece):
            self.end = item.end
        if self._follower is not None:
            self.findings += (found := self._follower.take(item))
            self.is_whole = bool(found)
            if isinstance(item, Event) and isinstance(self.executor, Executor):
                self.executor.hold(self._follower.held)
        for listen in self._listeners:
            listen(item)
        return None if self.is_whole else item

    def _pull(self) -> bool:
        """Pull a piece or an event and keep it; tell whether there was one."""
        item = self._pulled()
        if item is None:
            return False
        if self._asks_at is not None:
            self._read_at, self._asks_at = self._asks_at, None
        self._next = None
        if isinstance(item, Piece):
            self.pieces.append(item)
            self._events += item.events
            if self._again is not None and isinstance(self.executor, Executor):
                self._history.keep(self.executor, is_at_rest=not item.ends_within)
        else:
            self._events.append(item)
            if isinstance(item.instruction, ReadInput | WaitUntil | MoveUntil):
                self._asks_at, self._asked = item.time, item
        self._statements += self._found.of(item)
        self._forget()
        return True

    def _forget(self) -> None:
        """Forget what was travelled long ago."""
        since = self.time - self._kept
        count = max(bisect_left(self.pieces, since, key=lambda one: one.end), len(self.pieces) - KEPT_PIECES)
        count = min(count, bisect_left(self.pieces, self.time, key=lambda one: one.end)) if math.isfinite(since) else 0
        if count > 0:
            del self.pieces[:count]
            first = self.pieces[0].start if self.pieces else self.time
            self._forget_events(bisect_left(self._events, first, key=lambda one: one.time))
            self._forget_statements(bisect_right(self._statements, first, key=lambda one: one.time) - 1)
        if len(self._events) > 2 * KEPT_EVENTS:
            self._forget_events(len(self._events) - KEPT_EVENTS)
        if len(self._statements) > 2 * KEPT_EVENTS:
            self._forget_statements(len(self._statements) - KEPT_EVENTS)

    def _forget_events(self, count: int) -> None:
        count = min(count, self._done)
        for event in self._events[:count]:
            self._before.take(event)
        del self._events[:count]
        self._done -= count

    def _forget_statements(self, count: int) -> None:
        count = max(min(count, self._cursor_or_all()), 0)
        del self._statements[:count]
        self._cursor -= count

    def _cursor_or_all(self) -> int:
        return len(self._statements) if self.now is None and self._cursor == 0 else self._cursor

    # -- statement by statement --------------------------------------------------------------------------------------

    def go(self, step: Step) -> Statement | None:
        """Take what comes up to the next statement, over it, out of its routine, or on to a breakpoint or a pause."""
        depth = 0 if self.now is None else self.now.depth
        return self._go(stops_for(step, depth, self.breakpoints))

    def go_to(self, file: str, line: int) -> Statement | None:
        """Take what comes up to a line, or to a breakpoint before it."""
        places = {*self.breakpoints, (file, line)}
        return self._go(lambda one: one.is_at(places))

    def _go(self, stops: Stops) -> Statement | None:
        here = self.now
        while self._cursor < len(self._statements) or self._pull():
            while self._cursor < len(self._statements):
                self._cursor += 1
                one = self._statements[self._cursor - 1]
                if here is not None and one.goes_on_with(here):
                    continue
                here = None
                if stops(one):
                    self.now, self.time = one, one.time
                    return one
        self.now, self.time = None, self.end
        return None

    def back(self, seconds: float) -> Trajectory:
        """Return the motion back along the last seconds that were travelled and are kept.

        Raises:
            InvalidInput: if nothing was travelled.
        """
        pieces = [piece for piece in self.pieces if piece.start < self.time]
        if not pieces:
            raise InvalidInput("nothing_travelled", _("the arm has not moved yet"))
        motion = reduce(lambda a, b: a.then(b), (piece.trajectory for piece in pieces))
        end = min(self.time - pieces[0].start, motion.duration)
        return motion.between(max(end - seconds, 0.0), end).reversed()

    # -- as time passes ----------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether all of it has been done."""
        return self.is_whole and self.time >= self.end

    @property
    def is_still(self) -> bool:
        """Whether it stands: paused, and no longer slowing down."""
        return self.is_paused and self._speed == 0.0

    @property
    def waits_for(self) -> ReadInput | WaitUntil | None:
        """What the program waits for, where its arm is now."""
        asked = None if self._asked is None or self.is_whole else self._asked.instruction
        if not isinstance(asked, ReadInput | WaitUntil) or not self.pieces or self.pieces[-1].start > self.time:
            return None
        covered = self.pieces[-1].covered
        return asked if covered and covered[-1].instruction is asked else None

    def look_ahead(self, seconds: float = AHEAD, *, is_there: bool = True) -> None:
        """Plan what comes within some seconds, as far as the work of one tick goes.

        An input is only read when the arm is there; with `is_there` False it is still on its way to the present time.
        """
        work = WORK
        while self.end < self.time + seconds and work > 0:
            if self._asks_at is not None and not (is_there and self._asks_at <= self.time):
                return
            pieces, end = len(self.pieces), self.end
            if not self._pull():
                return
            work -= PIECE_WORK if self.end > end or len(self.pieces) > pieces else 1

    def advance(self, seconds: float) -> list[Event]:
        """Let time pass, and return the events whose time has come; it slows down softly to where it is to hold."""
        stop = self._next_stop()
        target = 0.0 if self.is_paused else min(self.rate, self._speed_before(stop))
        step = seconds / RAMP_S * max(1.0, self.rate)
        before = self._speed
        self._speed = min(max(target, before - step), before + step)
        self._rise = (self._speed - before) / seconds if seconds > 0.0 else 0.0
        self.time += seconds * self._speed
        if stop is not None and self.time >= stop - NEAR_STOP:
            self.time = stop
            self.hold()
        self.look_ahead(0.0)
        self.time = min(self.time, self.end)  # at its end the program is over, or computes while the arm stands
        return self._due()

    def hold(self) -> None:
        """Stand still at once."""
        self.is_paused, self._speed, self._rise, self._stops, self._next = True, 0.0, 0.0, None, None

    def resume(self) -> None:
        """Go on, past where a step would have ended."""
        self.is_paused, self._stops, self._next = False, None, None

    def step(self, how: Step = "into") -> None:
        """Go on to where the next statement begins: of all, of this routine, or of the one that called it."""
        here = self.statement_at(self.time)
        depth = 0 if here is None else here.depth
        self.is_paused, self._stops, self._next = False, stops_for(how, depth, frozenset()), None

    def run_to(self, line: int) -> None:
        """Go on to where a line begins next, or to the end."""
        places: set[Place] = {(None, line)}
        self.is_paused, self._stops, self._next = False, lambda one: one.is_at(places), None

    def set_breakpoints(self, places: frozenset[Place]) -> None:
        """Hold at some places from now on."""
        self.breakpoints, self._next = places, None

    def _next_stop(self) -> float | None:
        """Return when (s) to hold next, as far as that is planned."""
        if self._next is None or (self._next[0] is not None and self._next[0] <= self.time):
            on = stops_for("on", 0, self.breakpoints)
            stops = self._stops or on
            first = bisect_right(self._statements, self.time + LATER, key=lambda one: one.time)
            later = self._statements[first:]
            self._next = (next((one.time for one in later if stops(one) or on(one)), None),)
        return self._next[0]

    def _speed_before(self, stop: float | None) -> float:
        """Return how fast to be for a halt at `stop`: a program may hold where the arm is moving."""
        if stop is None:
            return math.inf
        return math.sqrt(2.0 * max(stop - self.time, 0.0) * max(1.0, self.rate) / RAMP_S) + SLOWEST

    def _due(self) -> list[Event]:
        done = self._done
        while self._done < len(self._events) and self._events[self._done].time <= self.time:
            self.values.take(self._events[self._done])
            self._done += 1
        return self._events[done : self._done]

    def state(self) -> JointState:
        """Return where the joints are to be now, with speeds as the rate has it."""
        q, qd, qdd = self.at(self.time)
        return JointState(q, qd * self._speed, qdd * self._speed**2 + qd * self._rise)

    def at(self, time: float) -> JointState:
        """Return where the joints are at a time (s) of what is kept; beyond its ends they stand there."""
        if not self.pieces and isinstance(self.executor, Executor):  # nothing has moved yet
            q = np.array(self.executor.state.q)
            return JointState(q, np.zeros(len(q)), np.zeros(len(q)))
        k = min(bisect_left(self.pieces, time, key=lambda one: one.end), len(self.pieces) - 1)
        return self.pieces[k].trajectory.at(time - self.pieces[k].start)

    def seek(self, time: float) -> None:
        """Be at another time, or at the end, and hold there; events before it are not due any more.

        It goes no further than it was planned where the program waits for an input, or computes for long.

        Raises:
            InvalidInput: if it is long ago, and the program cannot be begun again.
        """
        planned = self.end
        if not self.is_planned(time) and time < planned:
            self._go_back(time)
        self.hold()
        self.time = min(self.time, time)
        idle, end = 0, self.end
        while (
            self.end < time and idle < KEPT_EVENTS and (self.end < planned or self.waits_for is None) and self._pull()
        ):
            idle, end = idle + 1 if self.end <= end else 0, self.end
            self.time = self.end
        self.time = max(min(time, self.end), 0.0)
        self._done = bisect_left(self._events, self.time, key=lambda one: one.time)
        self.values = self._before.copy()
        for event in self._events[: self._done]:
            self.values.take(event)
        self._next = None

    def is_planned(self, time: float) -> bool:
        """Tell whether a time is among what is kept, so that `seek` has nothing to plan.

        What was planned behind an input that was read is not: when time comes there again, it may be another.
        """
        first = self.pieces[0].start if self.pieces else self.time
        has_read = self._again is not None and time < self._read_at
        return first <= time and not has_read and (time <= self.end or self.is_whole)

    def statement_at(self, time: float) -> Statement | None:
        """Return the last statement that has begun at a time (s) of what is kept."""
        begun = bisect_right(self._statements, time + LATER, key=lambda one: one.time)
        return self._statements[begun - 1] if begun else None

    def _go_back(self, time: float) -> None:
        if self._again is None or not isinstance(self.executor, Executor):
            raise InvalidInput("execution_forgotten", _("what was done so long ago is not kept"))
        state = self._history.before(time, self.executor)
        self.time = 0.0 if state is None else state.time
        self._begin(self._again(state))
        self._read_at = -math.inf if state is None else state.time
