"""A real arm as a plant: commanded and read as a simulated one is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.link.driver import Source
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.sim.plant import (
    ACCEPTED,
    ArmSamples,
    ArmState,
    Outcome,
    Qualities,
    Quality,
    Signal,
    cannot_go_back,
    not_simulated,
)

AHEAD = 2.0
"""Periods that a set-point takes where the next one replaces it: that comes before the arm has come to rest."""
SAME = 1e-6
NOTHING: Mapping[str, Signal] = {}


class LinkPlant:
    """One arm behind a link.

    Args:
        link: connected or not; who moves it arms it
        pass_time: lets so many seconds pass, and returns our time then; whoever runs in real time waits in it
        holder: who moves the arm, for its lease
    """

    def __init__(self, link: ArmLink, pass_time: Callable[[float], float], *, holder: str = "program") -> None:
        self.link, self._pass_time, self.holder = link, pass_time, holder
        self._time, self._now = 0.0, 0.0
        self._rows: tuple[Floats, Floats] | None = None
        self._seen: list[tuple[float, Floats, Floats | None]] = []
        self._n = link.file.robot.dof

    @property
    def arms(self) -> tuple[str, ...]:
        """The name of the arm."""
        return (self.link.file.robot.name,)

    @property
    def time(self) -> float:
        """How much time was let pass (s)."""
        return self._time

    @property
    def now(self) -> float:
        """Our own time (s) at the end of the last step."""
        return self._now

    @property
    def period(self) -> float:
        """The time between two set-points (s)."""
        return 1.0 / self.link.driver.capabilities.rate

    def command(self, arm: str, q: ArrayLike, qd: ArrayLike | None = None) -> Outcome:
        """Tell the arm where to be, see `Plant.command`; it is refused unless the arm is armed."""
        self._check(arm)
        try:
            if qd is None:
                rows, speeds = as_floats(q, (self._n,), f"{arm}: q")[None], np.zeros((1, self._n))
            else:
                rows, _single = as_rows(q, self._n, f"{arm}: q")
                speeds, _single = as_rows(qd, self._n, f"{arm}: qd")
        except InvalidInput as error:
            return Outcome("refused", Finding("error", error.message))
        state = self.link.state
        if state not in {LinkState.ARMED, LinkState.MOVING}:
            was_moving = state in {LinkState.HOLDING, LinkState.LOST, LinkState.FAULT} and self.link.guard.reasons
            text = _("{robot}: not armed")
            why = Finding("error", Message("arm_not_armed", text, robot=arm))
            return Outcome(
                "not_followed" if was_moving else "refused", self.link.guard.reasons[-1] if was_moving else why
            )
        refusal = self._want(rows[0], speeds[0])
        if refusal is not None:
            return Outcome("refused", refusal)
        self._rows = (rows[1:], speeds[1:]) if len(rows) > 1 else None
        return ACCEPTED

    def _want(self, q: Floats, qd: Floats) -> Finding | None:
        if self.link.driver.capabilities.setpoint == "queue":
            return self.link.want(q, qd, self.period, self.holder, self._now)
        return self.link.want(q + qd * self.period, qd, AHEAD * self.period, self.holder, self._now)

    def step(self, seconds: float) -> None:
        """Let time pass, row by row of the last command.

        Raises:
            InvalidInput: if `seconds` is not a number ≥ 0.
        """
        if not (seconds >= 0.0 and math.isfinite(seconds)):
            raise InvalidInput("seconds_negative", _("step: seconds must be ≥ 0, got {seconds:g} s"), seconds=seconds)
        self._seen = []
        for _period in range(round(seconds / self.period)):
            self._now = self._pass_time(self.period)
            self._time += self.period
            if self.link.guard.lease.holder == self.holder:
                self.link.guard.lease.take(self.holder, self._now)
            self.link.tick(self._now)
            self._seen += [(self._stamp(one.received), one.q, one.tau) for one in self.link.new]
            if self._rows is not None:
                rows, speeds = self._rows
                self._rows = (rows[1:], speeds[1:]) if len(rows) > 1 else None
                self._want(rows[0], speeds[0])

    def _stamp(self, received: float) -> float:
        return self._time - (self._now - received)

    def state(self, arm: str) -> ArmState:
        """Return where the arm is as far as that is known; nobody knows where it is before it was heard of."""
        self._check(arm)
        link, robot, none = self.link, self.link.file.robot, np.zeros(self._n)
        sample, can = link.sample, link.driver.capabilities
        q = link.believed
        q = robot.home if q is None else q
        tau = None if sample is None else sample.tau
        quality = Qualities(
            tuple(_quality(one) for one in can.position),
            tuple(_quality(one) if one != "none" else "commanded" for one in can.velocity),
            tuple(_quality(one) for one in can.torque) if tau is not None else (),
        )
        qd = sample.qd if sample is not None and sample.qd is not None else none
        stamp = 0.0 if sample is None else self._stamp(sample.received)
        return ArmState(stamp, q.copy(), qd.copy(), none, tau, robot.frames(q), quality)

    def samples(self, arm: str) -> ArmSamples:
        """Return what was heard in the last `step`."""
        self._check(arm)
        q = np.array([q for _t, q, _tau in self._seen]).reshape(-1, self._n)
        t = np.array([t for t, _q, _tau in self._seen])
        torques = [tau for _t, _q, tau in self._seen if tau is not None]
        tau = np.array(torques).reshape(-1, self._n) if len(torques) == len(t) and torques else None
        return ArmSamples(t, q, np.zeros_like(q), tau, np.zeros(len(q)))

    @property
    def bodies(self) -> Mapping[str, Floats]:
        """None: nobody sees them."""
        return {}

    def grip(self, arm: str, body: str | None = None) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported."""
        self._check(arm)
        raise self._without()

    def release(self, arm: str) -> tuple[str, ...]:
        """Return no names: nothing is held."""
        self._check(arm)
        return ()

    @property
    def inputs(self) -> Mapping[str, Signal]:
        """None."""
        return NOTHING

    @property
    def outputs(self) -> Mapping[str, Signal]:
        """None."""
        return NOTHING

    def set_output(self, name: str, value: Signal) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported."""
        raise self._without()

    def halt(self) -> None:
        """Stop: a software stop."""
        self._rows = None
        self.link.stop(self._now)

    def snapshot(self) -> NoReturn:
        """Raise NotSupported."""
        raise cannot_go_back(self.arms[0])

    def restore(self, snapshot: object) -> NoReturn:  # noqa: ARG002
        """Raise NotSupported."""
        raise cannot_go_back(self.arms[0])

    def measure(self) -> NoReturn:
        """Raise NotSupported: nothing is simulated."""
        raise not_simulated(self.arms[0])

    def _check(self, arm: str) -> None:
        if arm not in self.arms:
            raise UnknownName("simulated_robot", arm, self.arms)

    def _without(self) -> NotSupported:
        return NotSupported("link_without_tool", _("this driver has no gripper and no outputs"))


def _quality(source: Source) -> Quality:
    return "commanded" if source == "none" else source
