"""The player: a planned motion, where in it we are, and what happens at which time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.events import PlayerReport, PlayerSegment, ValueChange
from armlab.cell.scrubbing import acts_before
from armlab.model.finding import Finding
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState, Trajectory
from armlab.program.instructions import Pick, Place
from armlab.program.schedule import Schedule
from armlab.program.signals import InputChange
from armlab.reports.findings import finding_reports
from armlab.units import MM_PER_M

SHOWN_SAMPLES = 400
SAME = 1e-9
"""rad or m: a loop ends this near to where it starts."""
RAMP_S = 0.3
"""How long it takes to come from full rate to a halt: the arm stays on its path."""
NEAR_STOP = 2e-4
"""s: so near to where a program is to hold, it holds."""
SAME_STATE = 1e-6
"""rad or m, and per s: two plans are at the same place."""
SLOWEST = 0.02
"""The rate at which a program creeps to where it holds."""
What = Literal["none", "plan", "poses", "scenario", "recording", "program", "console"]
NO_PLAYER = PlayerReport(what="none", duration=0.0, segments=(), path=(), t=(), q=(), qd=(), qdd=(), findings=())


class StatementTime(NamedTuple):
    """When a line of a program begins, s."""

    time: float
    line: int
    depth: int = 0
    """How many routines are round it."""


@dataclass
class Player:
    """A trajectory with a hand on it: time, rate, pause and loop; `schedule` where steps have names and events."""

    what: What
    trajectory: Trajectory
    findings: tuple[Finding, ...] = ()
    schedule: Schedule | None = None
    texts: tuple[str, ...] = ()
    loop: bool = False
    """Whether it begins again at its end; the trajectory then ends where it starts."""
    time: float = 0.0
    rate: float = 1.0
    """How fast it is played; 1 is as planned."""
    is_paused: bool = False
    hold_at: float | None = None
    """Play to this time, then pause: one step at a time."""
    statements: tuple[StatementTime, ...] = ()
    """When which line of a program begins."""
    changes: tuple[ValueChange, ...] = ()
    """What variables and outputs of a program become."""
    breakpoints: frozenset[int] = frozenset()
    """Lines at which a program holds."""
    planned_with: Callable[[tuple[InputChange, ...]], Player] | None = field(default=None, repr=False)
    """Plans a program again, with inputs that are switched while it runs."""
    switched: tuple[InputChange, ...] = ()
    """The inputs that were switched so far."""
    waits: bool = False
    """Whether the program waits at the end of what is planned until an input is switched."""
    waited: float = 0.0
    """s that it has waited there."""
    planning_s: float = 0.0
    """How long the planning took."""
    rounds: int = 0
    """How often it has begun again."""
    _speed: float = field(default=0.0, repr=False)
    _rise: float = field(default=0.0, repr=False)
    _done: int = field(default=0, repr=False)

    @property
    def is_over(self) -> bool:
        """Whether the end was reached, and it is not played again."""
        return self.time >= self.trajectory.duration and not self.loop and not self.waits

    @property
    def now(self) -> float:
        """The time of the program (s): where the player is, and how long it has waited there for an input."""
        return self.time + self.waited

    @property
    def stands(self) -> bool:
        """Whether no time passes that a switch could be too late for: paused, or waiting for an input."""
        return self.is_still or (self.waits and self.time >= self.trajectory.duration)

    @property
    def is_still(self) -> bool:
        """Whether it stands: paused, and no longer slowing down."""
        return self.is_paused and self._speed == 0.0

    @property
    def events_done(self) -> int:
        """How many picks and places were done, or passed over."""
        return self._done

    def advance(self, seconds: float) -> list[Pick | Place]:
        """Let time pass, and return the picks and places whose time has come."""
        stop = self._next_stop()
        target = 0.0 if self.is_paused else min(self.rate, self._speed_before(stop))
        step = seconds / RAMP_S * max(1.0, self.rate)
        before = self._speed
        self._speed = min(max(target, before - step), before + step)
        self._rise = (self._speed - before) / seconds
        self.time += seconds * self._speed
        if stop is not None and self.time >= stop - (NEAR_STOP if self.statements else 0.0):
            self.time, self.hold_at = stop, None
            self.hold()
        due = self._due()
        if self.time >= self.trajectory.duration:
            if self.waits and not self.is_paused:
                self.waited += self.time - self.trajectory.duration
            self._end()
        return due

    def hold(self) -> None:
        """Stand still at once, where the arm is at rest anyway."""
        self.is_paused, self._speed, self._rise = True, 0.0, 0.0

    def seek(self, time: float) -> None:
        """Go to a time and hold there; picks and places before it are not done."""
        self.hold()
        self.time, self.waited, self.hold_at = min(time, self.trajectory.duration), 0.0, None
        if self.schedule is not None:
            self._done = acts_before(self.schedule, self.time)

    def set_loop(self, *, on: bool) -> None:
        """Begin again at the end or not; a motion that ends elsewhere than it starts cannot."""
        motion = self.trajectory
        self.loop = on and bool(np.abs(motion.end - motion.start).max() <= SAME)

    def single_step(self, how: Literal["into", "over", "out"] = "into") -> None:
        """Play to where the arm stands next: the end of the segment, or the next statement of a program.

        That is the next one of all, the next of this routine, or the next of the one that called it.
        """
        if self.statements:
            now = bisect_right(self.statements, self.time + 1e-6, key=lambda one: one.time) - 1
            depth = self.statements[max(now, 0)].depth
            deepest = {"into": math.inf, "over": depth, "out": depth - 1}[how]
            ends = [one.time for one in self.statements if one.depth <= deepest]
        else:
            ends = [] if self.schedule is None else [segment.end for segment in self.schedule.segments]
        later = [end for end in ends if end > self.time + 1e-6]
        self.hold_at, self.is_paused = (later[0] if later else self.trajectory.duration), False

    def run_to(self, line: int) -> None:
        """Play to where a line of the program begins next, or to the end."""
        later = [one.time for one in self.statements if one.line == line and one.time > self.time + 1e-6]
        self.hold_at, self.is_paused = (later[0] if later else None), False

    def _next_stop(self) -> float | None:
        """Return the time at which to hold next: the end of a single step, or a breakpoint before it."""
        if not self.breakpoints:
            return self.hold_at
        first = bisect_right(self.statements, self.time + 1e-6, key=lambda one: one.time)
        later = (self.statements[i] for i in range(first, len(self.statements)))
        broken = next((one.time for one in later if one.line in self.breakpoints), None)
        return min((time for time in (self.hold_at, broken) if time is not None), default=None)

    def _speed_before(self, stop: float | None) -> float:
        """Return how fast to be for a halt at `stop`: a program may hold where the arm is moving."""
        if stop is None or not self.statements:
            return math.inf
        return math.sqrt(2.0 * max(stop - self.time, 0.0) * max(1.0, self.rate) / RAMP_S) + SLOWEST

    def take_plan(self, made: Player) -> bool:
        """Go on in another plan of the same program, where the arm is now; False where that leads elsewhere."""
        now, line = self.now, None
        if self.stands and made.switched:  # while that was planned no time has passed for the program
            now = min(now, made.switched[-1].at)
        if self.hold_at is not None:
            line = next((one.line for one in self.statements if one.time >= self.hold_at - NEAR_STOP), None)
        before, after = self.trajectory.at(self.time), made.trajectory.at(min(now, made.trajectory.duration))
        if max(np.abs(before.q - after.q).max(), np.abs(before.qd - after.qd).max()) > SAME_STATE:
            return False
        self.trajectory, self.schedule, self.findings = made.trajectory, made.schedule, made.findings
        self.statements, self.changes, self.switched = made.statements, made.changes, made.switched
        self.waits, self.planning_s = made.waits, made.planning_s
        self.time = min(now, made.trajectory.duration)
        self.waited = now - self.time
        if self.hold_at is not None:
            later = [one for one in self.statements if one.time > self.time + NEAR_STOP]
            at = next((one.time for one in later if one.line == line), None)
            self.hold_at = later[0].time if at is None and later else at
        return True

    def state(self) -> JointState:
        """Return where the joints should be now, with speeds as the rate has it."""
        q, qd, qdd = self.trajectory.at(self.time)
        return JointState(q, qd * self._speed, qdd * self._speed**2 + qd * self._rise)

    def step_of(self, event: Pick | Place) -> int | None:
        """Return which step of the scenario a pick or place is."""
        acts = () if self.schedule is None else self.schedule.acts
        return next((act.index for act in acts if act.instruction is event), None)

    def report(self, robot: Robot) -> PlayerReport:
        """Return what is played, sampled for the page."""
        t = np.linspace(0.0, self.trajectory.duration, SHOWN_SAMPLES)
        state = self.trajectory.sample(t)
        scale = joint_scales(robot.joints)
        path = robot.fk(state.q)[:, :3, 3] * MM_PER_M
        return PlayerReport(
            what=self.what,
            duration=round(self.trajectory.duration, 6),
            segments=self._segments(),
            path=tuple((round(x, 3), round(y, 3), round(z, 3)) for x, y, z in path.tolist()),
            t=_rounded(t),
            q=tuple(_rounded(row) for row in state.q / scale),
            qd=tuple(_rounded(row) for row in state.qd / scale),
            qdd=tuple(_rounded(row) for row in state.qdd / scale),
            findings=finding_reports(self.findings),
            changes=self.changes,
            waits=self.waits,
        )

    def _end(self) -> None:
        if self.loop and not self.waits:
            self.time, self._done, self.rounds = 0.0, 0, self.rounds + 1
        else:
            self.time = self.trajectory.duration

    def _segments(self) -> tuple[PlayerSegment, ...]:
        if self.schedule is None:
            return ()
        return tuple(
            PlayerSegment(
                start=round(one.start, 6),
                end=round(one.end, 6),
                step=one.index,
                text=self._text(one.index),
                line=None if one.instruction.span is None else one.instruction.span.line,
            )
            for one in self.schedule.covered
        )

    def _text(self, index: int) -> str:
        return self.texts[index] if index < len(self.texts) else ""

    def _due(self) -> list[Pick | Place]:
        due: list[Pick | Place] = []
        acts = self.schedule.acts if self.schedule is not None else ()
        while self._done < len(acts) and acts[self._done].time <= self.time:
            instruction = acts[self._done].instruction
            if isinstance(instruction, Pick | Place):
                due.append(instruction)
            self._done += 1
        return due


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(value, 6) for value in values.tolist())
