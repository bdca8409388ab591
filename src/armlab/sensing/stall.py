"""Notice a servo that stands though it is commanded to move, from inertial sensors on the links.

A gear that changes sides gives a short fast turn, but of a few degrees at most; what a standing servo misses grows
without bound. So turns are compared, not rates: those that were measured over the last tenths of a second with those
that are expected, and with what each joint alone should have added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.forces import GRAVITY
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState
from armlab.sensing.arm_estimator import ServoModel, checked_rows, loads_of
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.rest import first_rest
from armlab.sensing.truth import sensor_motion

THRESHOLD = 22.0
"""Evidence at which a stall is reported, that of a missing turn of 13°: where three gears with 2° of play have parallel
axes, a healthy arm swings by 11° when it starts."""
DEVIATION = math.radians(2.0)
"""rad: how far the turn of a healthy arm is from the one expected, by lag, play and vibration."""
WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.48)
"""s: turns over these times are compared; a servo may have stood for a part of the longest only."""


class Stall(NamedTuple):
    """A servo that stands: when it was noticed, and which joint explains the turns best."""

    time: float
    joint: str
    score: float


def stall_scores(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: ServoModel | None = None,
) -> Floats:
    """Return the evidence (m, n) that each joint stands though it should move, over time.

    It is the logarithm of how much more likely the measured turn θ of the sensors is if joint j has stood for a window
    than if all joints moved, (|θ − θ̂|² − |θ − θ̂ + θ_j|²) / 2σ²: θ̂ is the expected turn, θ_j the part of joint j
    in it. `servos` says how far loads are expected to bend and shift the joints.
    """
    t, dt, rows = checked_rows(robot, mounts, records, commands)
    believed = servos or ServoModel()
    loads = loads_of(robot, rows[:, 0], np.array(GRAVITY))
    q = rows[:, 0] + loads[:, 0] * believed.compliance + loads[:, 1] * believed.play
    qd = np.gradient(q, dt, axis=0)
    missing = np.hstack([record.gyro - _bias(record) for record in records]) - _rates(robot, mounts, q, qd)
    out = np.zeros((len(t), robot.dof))
    R = _summed(missing, dt)
    for j in range(robot.dof):
        alone = np.zeros_like(q)
        alone[:, j] = rows[:, 1, j]
        C = _summed(_rates(robot, mounts, q, alone), dt)
        for window in WINDOWS:
            k = min(max(1, round(window / dt)), len(t))
            a, b = R[k:] - R[:-k], C[k:] - C[:-k]
            gain = -(b * (2.0 * a + b)).sum(axis=1) / (2.0 * DEVIATION**2)
            np.maximum(out[k - 1 :, j], gain, out=out[k - 1 :, j])
    return out


def find_stall(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: ServoModel | None = None,
) -> Stall | None:
    """Return the first stall that is noticed, or None.

    Joints with parallel axes that are commanded alike cannot be told apart: the one with the most evidence is named.
    """
    scores = stall_scores(robot, mounts, records, commands, servos=servos)
    over = np.flatnonzero(scores.max(axis=1) > THRESHOLD)
    if not len(over):
        return None
    at = int(over[0])
    joint = int(np.argmax(scores[at]))
    return Stall(float(records[0].t[at]), robot.joints[joint].name, float(scores[at, joint]))


def _rates(robot: Robot, mounts: Sequence[Mount], q: Floats, qd: Floats) -> Floats:
    """Return the angular rates of all sensors (m, 3k), each in its own frame."""
    still = np.zeros_like(q)
    return np.hstack([sensor_motion(robot, mount, q, qd, still)[:, :3] for mount in mounts])


def _summed(rates: Floats, dt: float) -> Floats:
    """Return the integral of rates over time, (m + 1, …): the first row is 0."""
    return np.concatenate([np.zeros((1, rates.shape[1])), np.cumsum(rates, axis=0) * dt])


def _bias(record: ImuRecord) -> Floats:
    rest = first_rest(record)
    return record.gyro[:rest].mean(axis=0) if rest > 1 else np.zeros(3)
