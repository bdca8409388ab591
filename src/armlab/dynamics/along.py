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
from armlab.messages import Message, _, term
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
        raise InvalidInput("step_not_positive", _("step must be > 0, got {step:g} s"), step=float(step))
    t = motion.times(step)
    q, qd, qdd = motion.sample(t)
    if q.shape[1:] != (robot.dof,):
        raise InvalidInput(
            "joint_count_differs",
            _("{robot}: the trajectory has {given} joints, the robot {needed}"),
            robot=robot.name,
            given=q.shape[-1],
            needed=robot.dof,
        )
    tau = inverse_dynamics(robot, q, qd, qdd, gravity=gravity)
    share = np.abs(tau).max(axis=0) / robot.effort
    return TorqueReport(t, tau, robot.effort, share, tuple(_findings(robot, t, tau, share)))


def _findings(robot: Robot, t: Floats, tau: Floats, share: Floats) -> list[Finding]:
    found = []
    for i, joint in enumerate(robot.joints):
        if share[i] < NEARLY:
            continue
        row = int(np.abs(tau[:, i]).argmax())
        message = Message(
            "torque_limit" if share[i] > 1.0 else "torque_near_limit",
            _("joint '{joint}': {value:.3g} {unit} at {time:.3f} s is {share:.0%} of the drive's {effort:.3g} {unit}"),
            joint=joint.name,
            value=float(tau[row, i]),
            unit=term(_("N m")) if joint.kind == "revolute" else term(_("N")),
            time=float(t[row]),
            share=float(share[i]),
            effort=joint.effort,
        )
        where: dict[str, float | str] = {"joint": joint.name, "time": float(t[row]), "torque": float(tau[row, i])}
        found.append(Finding("error" if share[i] > 1.0 else "warning", message, where))
    unlimited = [joint.name for joint in robot.joints if math.isinf(joint.effort)]
    if unlimited:
        template = _("{robot}: no torque limits stated, not checked: {joints}")
        found.append(Finding("note", Message("torque_unknown", template, robot=robot.name, joints=unlimited)))
    if "effort" in robot.estimated:
        template = _("{robot}: its torque limits are estimated")
        found.append(Finding("note", Message("torque_estimated", template, robot=robot.name)))
    return found
