"""Joints of an emulated arm: each follows what it is told with a lag and a top speed; faults begin at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _
from armlab.model.robot import Robot

LAG = 0.04
"""s: the first-order lag of a servo."""
STEP = 0.005
WEAK_SHARE = 0.2
"""Share of its speed that a weak servo has left."""
SLIP = math.radians(8.0)
"""By how much a slipping gear jumps each second."""
NOISE = math.radians(0.05)
"""Standard deviation of feedback."""

PeerFaultKind = Literal["stuck", "weak", "slip"]


@dataclass(frozen=True, slots=True)
class PeerFault:
    """What goes wrong with a joint, from a time (s of the emulated arm) on."""

    kind: PeerFaultKind
    joint: str
    time: float

    @classmethod
    def parse(cls, text: str, robot: Robot) -> PeerFault:
        """Return the fault of a text such as `stuck:elbow@10`.

        Raises:
            InvalidInput: if it is not of that form, or there is no such fault.
            UnknownName: if the arm has no such joint.
        """
        kind, colon, rest = text.partition(":")
        joint, at, time = rest.partition("@")
        kinds = get_args(PeerFaultKind)
        try:
            seconds = float(time)
        except ValueError:
            seconds = math.nan
        if not (colon and at and kind in kinds and 0.0 <= seconds < math.inf):
            form = _("fault: expected KIND:JOINT@SECONDS with KIND one of {kinds}, got {given}")
            raise InvalidInput("fault_form", form, kinds=list(kinds), given=text[:80])
        names = [joint.name for joint in robot.joints]
        if joint not in names:
            raise UnknownName("joint", joint, names, owner=robot.name)
        return cls(next(one for one in kinds if one == kind), joint, seconds)


class EmulatedServos:
    """All joints of an arm."""

    def __init__(self, robot: Robot, *, q: ArrayLike | None = None, faults: tuple[PeerFault, ...] = (), seed: int = 0):
        self.robot, self.time = robot, 0.0
        self.q: Floats = np.array(robot.home if q is None else q, dtype=np.float64)
        self.qd: Floats = np.zeros(robot.dof)
        self.fastest = 0.0
        """The largest speed of any joint so far, rad/s or m/s."""
        self._goal: Floats | None = None
        self._faults, self._rng = faults, np.random.default_rng(seed)
        self._index = {joint.name: i for i, joint in enumerate(robot.joints)}

    @property
    def is_powered(self) -> bool:
        """Whether anything holds the joints; what has no power stays where it is."""
        return self._goal is not None

    def aim(self, q: Floats | None) -> None:
        """Tell the joints where to be; None: no power."""
        self._goal = None if q is None else np.array(q)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        count = max(math.ceil(seconds / STEP - 1e-9), 1)
        for _step in range(count):
            self._step(seconds / count)

    def _step(self, dt: float) -> None:
        self.time += dt
        top = self.robot.velocity.copy()
        slip = np.zeros(self.robot.dof)
        for fault in self._faults:
            if self.time >= fault.time:
                i = self._index[fault.joint]
                if fault.kind == "slip":
                    slip[i] = SLIP * dt
                else:
                    top[i] *= 0.0 if fault.kind == "stuck" else WEAK_SHARE
        wanted = np.zeros(self.robot.dof) if self._goal is None else (self._goal - self.q) * (1.0 - math.exp(-dt / LAG))
        step = np.maximum(np.minimum(wanted, top * dt), -top * dt)
        self.q += step - slip
        self.qd = step / dt
        self.fastest = max(self.fastest, float(np.abs(self.qd).max()))

    def measured(self) -> Floats:
        """Return positions as sensors read them."""
        return np.asarray(self.q + self._rng.normal(scale=NOISE, size=len(self.q)))
