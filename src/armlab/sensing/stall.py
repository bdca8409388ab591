"""Notice a servo that stands though it is commanded to move, from the gyroscopes of sensors on the links.

Turns are compared, not rates: those that were measured over the last tenths of a second with those that are expected,
and with what each joint alone should have added. What a standing servo misses grows without bound; what a healthy arm
may be off is bounded by its mechanics: play whose side is not sure, loads that bend the joints, and sensors' scale. A
stall is noticed when more is missing than that explains, so that slow joints take longer, and are not missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import weighed
from armlab.dynamics.forces import gravity_torque, inverse_dynamics
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState
from armlab.sensing.arm_estimator import SOFT_SIDE, ServoModel, checked_rows
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.rest import first_rest
from armlab.sensing.truth import sensor_motion

THRESHOLD = 1.1
"""How many times the turn that a healthy arm may be off must be missing. 6 h of moves of a simulated Braccio with soft
servos, on which the constants here were chosen, came above it once; docs/sensing.md has what other moves gave."""
WINDOWS = (0.1, 0.2, 0.3, 0.4, 0.48, 0.75, 1.0, 1.5, 2.0)
"""s: turns over these times are compared."""
AFTER = 0.5
"""s: in windows longer than this, only joints that are still commanded to move are looked at."""
MISSING_SHARE = 0.5
"""At least this share of a joint's own turn must be missing."""
SMALLEST = math.radians(0.6)
"""rad: vibration, and what else is not modelled."""
TURN_SHARE = 0.03
"""Scale and axes of the sensors are off by this share of the whole turn."""
RATE_ERROR = math.radians(0.1)
"""rad/s: what is left of a gyroscope's bias."""
FRICTION = 0.06
"""N m: a load below this may leave the play of a gear on either side."""
OVERSHOOT = 1.3
"""What crosses the play of a gear arrives with some speed and goes on: times the play."""
SHAKE_TIME, HOLD_TIME = 0.4, 0.4
"""s: so fades what accelerations shake, and what was not sure of a gear's side: it takes a while to cross the play."""


class Stall(NamedTuple):
    """A servo that stands: when it was noticed, and which joint explains the turns best."""

    time: float
    joint: str
    score: float


class _Deviations(NamedTuple):
    """What is believed of the joints' deviations from the commands, (m, n) each."""

    load: Floats
    """N m, of gravity."""
    shake: Floats
    """N m: what accelerations of the last tenths of a second may add to the load, or take from it."""
    side: Floats
    """−1 … 1: to which side the load pushes the play."""
    unsure: Floats
    """0 … 1: how much of the play may have been crossed."""


def stall_scores(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: ServoModel | None = None,
) -> Floats:
    """Return for each joint, over time, (m, n), how much of its turn is missing, as a multiple of what may be off.

    In a window the sensors turned by θ where θ̂ was expected, θ_j of it by joint j. Along θ_j are missing
    x = (θ̂ − θ)·θ_j/|θ_j|, and a healthy arm may be off by S = Σ_i |a_i·θ_j|/|θ_j| w_i + what the sensors may be off,
    with the axes a_i and the widths w_i of the joints' deviations. The score is the largest x/S over the windows in
    which half of θ_j or more is missing. `servos` says what is believed of compliance and play.
    """
    t, dt, rows = checked_rows(robot, mounts, records, commands)
    believed = servos or ServoModel()
    deviations = _deviations(robot, rows, dt)
    q = rows[:, 0] + deviations.load * believed.compliance + deviations.side * believed.play
    expected = _rates(robot, mounts, q, np.gradient(q, dt, axis=0))
    moves_now = rows[:, 1] != 0.0
    standing = int(np.argmax(moves_now.any(axis=1))) if moves_now.any() else len(t)
    missing = _summed(expected - np.hstack([record.gyro - _bias(record, standing) for record in records]), dt)
    turned = _summed(np.abs(expected), dt)
    axes = [_rates(robot, mounts, q, np.broadcast_to(unit, q.shape).copy()) for unit in np.eye(robot.dof)]
    parts = [_summed(axis * rows[:, 1, j, None], dt) for j, axis in enumerate(axes)]
    out = np.zeros((len(t), robot.dof))
    for window in WINDOWS:
        k = max(1, round(window / dt))
        if k > len(t):
            break
        widths = _widths(deviations, believed, rows[:, 1], k)
        sensors = SMALLEST + RATE_ERROR * window + TURN_SHARE * np.linalg.norm(turned[k:] - turned[:-k], axis=1)
        for j, part in enumerate(parts):
            own = part[k:] - part[:-k]
            size = np.linalg.norm(own, axis=1)
            along = own / np.maximum(size, 1e-9)[:, None]
            x = np.einsum("ij,ij->i", missing[k:] - missing[:-k], along)
            off = sensors + sum(
                np.abs(np.einsum("ij,ij->i", axis[k - 1 :], along)) * widths[:, i] for i, axis in enumerate(axes)
            )
            is_missing = (x > MISSING_SHARE * size) & (moves_now[k - 1 :, j] | (window <= AFTER))
            score = np.where(is_missing, np.minimum(x, 1.5 * size) / off, 0.0)
            np.maximum(out[k - 1 :, j], score, out=out[k - 1 :, j])
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

    Joints with parallel axes that are commanded alike cannot be told apart: the one with the highest score is named.
    """
    scores = stall_scores(robot, mounts, records, commands, servos=servos)
    over = np.flatnonzero(scores.max(axis=1) > THRESHOLD)
    if not len(over):
        return None
    at = int(over[0])
    joint = int(np.argmax(scores[at]))
    return Stall(float(records[0].t[at]), robot.joints[joint].name, float(scores[at, joint]))


def _deviations(robot: Robot, rows: Floats, dt: float) -> _Deviations:
    """Return what commands (m, 3, n) let expect of loads and play."""
    arm = weighed(robot)
    load = -gravity_torque(arm, rows[:, 0])
    moving = -inverse_dynamics(arm, rows[:, 0], rows[:, 1], rows[:, 2])
    shake = _fading(np.abs(moving - load), dt, SHAKE_TIME)
    reach = shake + FRICTION
    unsure = 0.5 * (np.tanh((load + reach) / SOFT_SIDE) - np.tanh((load - reach) / SOFT_SIDE))
    return _Deviations(load, shake, np.tanh(load / SOFT_SIDE), _fading(unsure, dt, HOLD_TIME))


def _widths(deviations: _Deviations, believed: ServoModel, speeds: Floats, k: int) -> Floats:
    """Return by how much (rad or m) each joint's deviation may change over `k` samples otherwise than expected."""
    load, shake, side, unsure = deviations
    end = np.arange(k - 1, len(load))
    start = np.maximum(end - k, 0)
    compliance, play = believed.compliance, believed.play
    return (
        believed.compliance_deviation * np.abs(load[end] - load[start])
        + (compliance + believed.compliance_deviation) * (shake[end] + shake[start])
        + OVERSHOOT * (play + believed.play_deviation) * (unsure[end] + unsure[start])
        + believed.play_deviation * np.abs(side[end] - side[start])
        + believed.lag * np.abs(speeds[end] - speeds[start])
    )


def _fading(values: Floats, dt: float, time: float) -> Floats:
    """Return the largest of all values until then, each of which fades with e^(−t/time)."""
    fade = np.arange(len(values))[:, None] * (dt / time)
    with np.errstate(divide="ignore"):
        peaks: Floats = np.maximum.accumulate(np.log(values) + fade, axis=0)
    return np.exp(peaks - fade)


def _rates(robot: Robot, mounts: Sequence[Mount], q: Floats, qd: Floats) -> Floats:
    """Return the angular rates of all sensors (m, 3k), each in its own frame."""
    still = np.zeros_like(q)
    return np.hstack([sensor_motion(robot, mount, q, qd, still)[:, :3] for mount in mounts])


def _summed(rates: Floats, dt: float) -> Floats:
    """Return the integral of rates over time, (m + 1, …): the first row is 0."""
    return np.concatenate([np.zeros((1, rates.shape[1])), np.cumsum(rates, axis=0) * dt])


def _bias(record: ImuRecord, standing: int) -> Floats:
    """Return the mean rate of the rest at the beginning, of which the arm is told to stand for `standing` samples."""
    rest = min(first_rest(record), standing)
    return record.gyro[:rest].mean(axis=0) if rest > 1 else np.zeros(3)
