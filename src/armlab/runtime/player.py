"""The player: a planned motion, where in it we are, and what happens at which time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState, Trajectory
from armlab.program.instructions import Pick, Place
from armlab.program.schedule import Schedule
from armlab.reports.motion import finding_reports
from armlab.runtime.events import Leg, PlayerReport
from armlab.units import MM_PER_M, joint_scale

SHOWN_SAMPLES = 400
SAME = 1e-9
"""rad or m: a loop ends this near to where it starts."""
RAMP_S = 0.3
"""How long it takes to come from full pace to a halt: the arm stays on its way."""
What = Literal["none", "plan", "poses", "scenario", "recording"]
NO_PLAYER = PlayerReport(what="none", duration=0.0, legs=(), path=(), t=(), q=(), qd=(), qdd=(), findings=())


@dataclass
class Player:
    """A trajectory with a hand on it: time, pace, pause and loop; `schedule` where steps have names and events."""

    what: What
    trajectory: Trajectory
    findings: tuple[Finding, ...] = ()
    schedule: Schedule | None = None
    texts: tuple[str, ...] = ()
    loop: bool = False
    """Whether it begins again at its end; the trajectory then ends where it starts."""
    time: float = 0.0
    pace: float = 1.0
    is_paused: bool = False
    hold_at: float | None = None
    """Play to this time, then pause: one step at a time."""
    rounds: int = 0
    """How often it has begun again."""
    _rate: float = field(default=0.0, repr=False)
    _rise: float = field(default=0.0, repr=False)
    _done: int = field(default=0, repr=False)

    @property
    def is_over(self) -> bool:
        """Whether the end was reached, and it is not played again."""
        return self.time >= self.trajectory.duration and not self.loop

    @property
    def is_still(self) -> bool:
        """Whether it stands: paused, and no longer slowing down."""
        return self.is_paused and self._rate == 0.0

    @property
    def events_done(self) -> int:
        """How many picks and places were done, or passed over."""
        legs = self.schedule.legs[: self._done] if self.schedule is not None else ()
        return sum(isinstance(leg.instruction, Pick | Place) for leg in legs)

    def advance(self, seconds: float) -> list[Pick | Place]:
        """Let time pass, and return the picks and places whose time has come."""
        wish = 0.0 if self.is_paused else self.pace
        step = seconds / RAMP_S * max(1.0, self.pace)
        before = self._rate
        self._rate = min(max(wish, before - step), before + step)
        self._rise = (self._rate - before) / seconds
        self.time += seconds * self._rate
        if self.hold_at is not None and self.time >= self.hold_at:
            self.time, self.hold_at = self.hold_at, None
            self.hold()
        due = self._due()
        if self.time >= self.trajectory.duration:
            self._end()
        return due

    def hold(self) -> None:
        """Stand still at once, where the arm is at rest anyway."""
        self.is_paused, self._rate, self._rise = True, 0.0, 0.0

    def seek(self, time: float) -> None:
        """Go to a time and hold there; picks and places before it are not done."""
        self.hold()
        self.time, self.hold_at = min(time, self.trajectory.duration), None
        if self.schedule is not None:
            self._done = sum(leg.start < self.time for leg in self.schedule.legs)

    def set_loop(self, *, on: bool) -> None:
        """Begin again at the end or not; a motion that ends elsewhere than it starts cannot."""
        way = self.trajectory
        self.loop = on and bool(np.abs(way.end - way.start).max() <= SAME)

    def step_on(self) -> None:
        """Play to the end of the leg that we are in."""
        ends = [leg.end for leg in self.schedule.legs] if self.schedule is not None else [self.trajectory.duration]
        later = [end for end in ends if end > self.time + 1e-6]
        self.hold_at, self.is_paused = (later[0] if later else self.trajectory.duration), False

    def state(self) -> JointState:
        """Return where the joints should be now, with speeds as the pace has it."""
        q, qd, qdd = self.trajectory.at(self.time)
        return JointState(q, qd * self._rate, qdd * self._rate**2 + qd * self._rise)

    def step_of(self, event: Pick | Place) -> int | None:
        """Return which step of the scenario a pick or place is."""
        legs = () if self.schedule is None else self.schedule.legs
        return next((leg.index for leg in legs if leg.instruction is event), None)

    def report(self, robot: Robot) -> PlayerReport:
        """Return what is played, sampled for the page."""
        t = np.linspace(0.0, self.trajectory.duration, SHOWN_SAMPLES)
        state = self.trajectory.sample(t)
        scale = np.array([joint_scale(joint.kind) for joint in robot.joints])
        path = robot.fk(state.q)[:, :3, 3] * MM_PER_M
        return PlayerReport(
            what=self.what,
            duration=round(self.trajectory.duration, 6),
            legs=self._legs(),
            path=tuple((round(x, 3), round(y, 3), round(z, 3)) for x, y, z in path.tolist()),
            t=_rounded(t),
            q=tuple(_rounded(row) for row in state.q / scale),
            qd=tuple(_rounded(row) for row in state.qd / scale),
            qdd=tuple(_rounded(row) for row in state.qdd / scale),
            findings=finding_reports(self.findings),
        )

    def _end(self) -> None:
        if self.loop:
            self.time, self._done, self.rounds = 0.0, 0, self.rounds + 1
        else:
            self.time = self.trajectory.duration

    def _legs(self) -> tuple[Leg, ...]:
        if self.schedule is None:
            return ()
        return tuple(
            Leg(start=round(leg.start, 6), end=round(leg.end, 6), step=leg.index, text=self._text(leg.index))
            for leg in self.schedule.legs
        )

    def _text(self, index: int) -> str:
        return self.texts[index] if index < len(self.texts) else ""

    def _due(self) -> list[Pick | Place]:
        due: list[Pick | Place] = []
        legs = self.schedule.legs if self.schedule is not None else ()
        while self._done < len(legs) and legs[self._done].start <= self.time:
            instruction = legs[self._done].instruction
            if isinstance(instruction, Pick | Place):
                due.append(instruction)
            self._done += 1
        return due


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(value, 6) for value in values.tolist())
