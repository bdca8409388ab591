"""Overload: drives at their limits, joints that do not follow, and loads above the rating.

One detector for arms that are simulated: what a run reports at its end, and what a session shows while it lasts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

from armlab.arrays import Floats
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.units import joint_scale

AT_LIMIT = 0.99
"""Share of its limit from which on a drive is saturated."""
LASTING = 0.1
"""s: what is shorter is a peak. A drive of 25 Hz settles within 0.04 s, so that this is more than a jolt."""
FOLLOWING = {"revolute": math.radians(1.0), "prismatic": 2e-3}
"""rad or m: how far a joint may be from its command for longer than that. A chosen drive that is not saturated lags by
at most its acceleration over ω²: below 0.6° on nearly every arm of the catalog at full speed, with or without its rated
load, and for light wrists 1.4° while they speed up, which takes less than 0.1 s. At a metre, 1° is 17 mm."""
ROUNDING = 1.0 + 1e-9

Kind = Literal["drive_saturated", "not_followed"]
KINDS: tuple[Kind, ...] = ("drive_saturated", "not_followed")
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Overload:
    """A joint whose drive is saturated, or that does not follow: since when (s), how long, and the largest value."""

    kind: Kind
    joint: int
    start: float
    duration: float
    value: float
    """N m or N that the drive gives; or rad or m from the command."""

    def finding(self, robot: Robot) -> Finding:
        """Return it as a finding."""
        named = "torque" if self.kind == "drive_saturated" else "error"
        facts = {"time": self.start, "duration": self.duration, named: self.value}
        return Finding("error", self.message(robot), {"joint": robot.joints[self.joint].name, **facts})

    def message(self, robot: Robot) -> Message:
        """Return it in words."""
        joint = robot.joints[self.joint]
        turns = joint.kind == "revolute"
        if self.kind == "drive_saturated":
            return Message(
                "drive_saturated",
                _("joint '{joint}': the drive is saturated at {effort:.3g} {unit} and cannot follow"),
                joint=joint.name,
                effort=joint.effort,
                unit=term(_("N m")) if turns else term(_("N")),
            )
        scale = joint_scale(joint.kind)
        return Message(
            "not_followed",
            _("joint '{joint}' is {error:.2f} {unit} away from its command; {allowed:g} {unit} are allowed"),
            joint=joint.name,
            error=self.value / scale,
            allowed=round(FOLLOWING[joint.kind] / scale, 6),
            unit="°" if turns else term(_("mm")),
        )


class OverloadMonitor(Generic[Place]):
    """Follows one arm: rows of errors and efforts in, what lasts out; times and places are those of the caller."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._bounds = np.array([FOLLOWING[joint.kind] for joint in robot.joints])
        self._lasted = np.zeros((len(KINDS), robot.dof))
        """s that each joint has been so, up to now."""
        self._values = np.zeros((len(KINDS), robot.dof))
        self._worst: dict[tuple[int, int], tuple[Overload, Place]] = {}

    def take(self, end: float, step: float, error: Floats, tau: Floats, place: Place) -> None:
        """Take rows (m, n) of position errors and efforts, `step` s apart, the last at the time `end`; at a place."""
        rows = np.arange(float(len(error)))[:, None]
        for k, (value, is_so) in enumerate(
            ((np.abs(tau), np.abs(tau) >= AT_LIMIT * self.robot.effort), (np.abs(error), np.abs(error) > self._bounds))
        ):
            before = self._lasted[k] / step
            last_not = np.maximum.accumulate(np.where(is_so, -1.0 - before, rows), axis=0)
            lasted: Floats = (rows - last_not) * step
            self._lasted[k], self._values[k] = lasted[-1], value[-1]
            for i in np.flatnonzero(((lasted * ROUNDING >= LASTING) & is_so).any(axis=0)).tolist():
                self._note(k, i, end - (len(error) - 1 - rows[:, 0]) * step, lasted[:, i], value[:, i], place)

    def _note(self, k: int, i: int, times: Floats, lasted: Floats, value: Floats, place: Place) -> None:
        """Keep the first time that a joint was so, how long it was so at most, and its largest value."""
        rows = np.flatnonzero(lasted * ROUNDING >= LASTING)
        first = int(rows[0])
        start, longest, worst = float(times[first] - lasted[first]), float(lasted.max()), float(value[rows].max())
        known = self._worst.get((k, i))
        if known is not None:
            start, place = known[0].start, known[1]
            longest, worst = max(longest, known[0].duration), max(worst, known[0].value)
        self._worst[k, i] = Overload(KINDS[k], i, max(start, 0.0), longest, worst), place

    def now(self, time: float) -> list[Overload]:
        """Return what lasts at this moment, `time` (s)."""
        lasting = np.argwhere(self._lasted * ROUNDING >= LASTING).tolist()
        return [
            Overload(
                KINDS[k], i, time - float(self._lasted[k, i]), float(self._lasted[k, i]), float(self._values[k, i])
            )
            for k, i in lasting
        ]

    def lasted(self) -> list[tuple[Overload, Place]]:
        """Return what has lasted at any time, once for each joint and kind, with its first place; by time."""
        return sorted(self._worst.values(), key=lambda one: (one[0].start, one[0].joint))


def payload_finding(robot: Robot, held: float = 0.0) -> Finding | None:
    """Return that an arm carries more than its maker allows: its tool, and `held` kg in it; None where it does not."""
    carried = robot.tool.inertia.mass + held
    if robot.payload is None or carried <= robot.payload * ROUNDING:
        return None
    template = _("{robot}: tool and load weigh {mass:.3g} kg; the arm is rated for {rated:g} kg")
    message = Message("payload_exceeded", template, robot=robot.name, mass=carried, rated=robot.payload)
    return Finding("error", message, {"mass": carried, "rated": robot.payload})
