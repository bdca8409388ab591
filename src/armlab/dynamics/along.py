"""The joint forces along a motion, against what the drives can give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.dynamics.forces import GRAVITY, inverse_dynamics
from armlab.errors import InvalidInput
from armlab.model.finding import Finding
from armlab.model.robot import Robot

STEP = 0.001
NEARLY = 0.9
"""From this share of its limit on a joint is worth a warning."""


class Timed(Protocol):
    """A motion in time: a Trajectory, or anything else that can be asked where it is."""

    def times(self, step: float, /) -> Floats:
        """Return times (m,) from the start to the end, `step` seconds apart."""
        ...

    def sample(self, t: Floats, /) -> tuple[Floats, Floats, Floats]:
        """Return positions, speeds and accelerations (m, n) at times `t` (m,)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TorqueReport:
    """What a motion asks of the drives."""

    t: Floats
    """Times (m,), s."""
    tau: Floats
    """Joint forces (m, n), N m or N."""
    limit: Floats
    """What each drive can give (n,); infinite where nobody states it."""
    share: Floats
    """The largest force of each joint as a share of its limit (n,); 0 where there is no limit."""
    findings: tuple[Finding, ...]

    @property
    def is_within(self) -> bool:
        """Whether no joint needs more than its drive can give."""
        return bool((self.share <= 1.0).all())


def torques_along(robot: Robot, motion: Timed, *, step: float = STEP, gravity: ArrayLike = GRAVITY) -> TorqueReport:
    """Return the joint forces of a motion every `step` seconds, and which drives they ask too much of.

    Raises:
        InvalidInput: if the step is not above zero, or the motion has another number of joints.
    """
    if not (step > 0.0 and math.isfinite(step)):
        raise InvalidInput(f"step: {step:g} s is not above zero")
    t = motion.times(step)
    q, qd, qdd = motion.sample(t)
    if q.shape[1:] != (robot.dof,):
        raise InvalidInput(f"motion: it has {q.shape[-1]} joints, {robot.name} has {robot.dof}")
    tau = inverse_dynamics(robot, q, qd, qdd, gravity=gravity)
    share = np.abs(tau).max(axis=0) / robot.effort
    return TorqueReport(t, tau, robot.effort, share, tuple(_findings(robot, t, tau, share)))


def _findings(robot: Robot, t: Floats, tau: Floats, share: Floats) -> list[Finding]:
    found = []
    for i, joint in enumerate(robot.joints):
        if share[i] < NEARLY:
            continue
        row = int(np.abs(tau[:, i]).argmax())
        unit = "N m" if joint.kind == "revolute" else "N"
        message = (
            f"joint '{joint.name}': {tau[row, i]:.3g} {unit} at {t[row]:.3f} s is {share[i]:.0%} "
            f"of the {joint.effort:.3g} {unit} that its drive gives"
        )
        where: dict[str, float | str] = {"joint": joint.name, "time": float(t[row]), "torque": float(tau[row, i])}
        if share[i] > 1.0:
            found.append(Finding("error", "torque_limit", message, where))
        else:
            found.append(Finding("warning", "torque_near_limit", message, where))
    unlimited = [joint.name for joint in robot.joints if math.isinf(joint.effort)]
    if unlimited:
        message = f"{robot.name}: nobody states what the drives of {', '.join(unlimited)} give; they are not checked"
        found.append(Finding("note", "torque_unknown", message))
    if "effort" in robot.estimated:
        found.append(Finding("note", "torque_estimated", f"{robot.name}: what its drives give is estimated"))
    return found
