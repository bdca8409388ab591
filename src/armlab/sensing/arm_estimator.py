"""Where are the joints really? Estimated from inertial sensors on the links; gravity and the chain are the reference.

Made for arms whose servos report nothing: commanded angles are known, play and sag are not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.dynamics.bodies import weighed
from armlab.dynamics.forces import GRAVITY, gravity_torque
from armlab.errors import InvalidInput
from armlab.kernels.sensing import arm_filter, imu
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount, on_chain

ROUNDS = 2
"""Gauss–Newton rounds per sample."""
LEARNED, LEARNED_PLAY = 600.0, 80.0
"""√s: after the square of this a servo's compliance and play may have become anything again."""
SOFT_SIDE = 0.02
"""N m: loads much smaller than this push a gear's play to neither side."""


@dataclass(frozen=True, slots=True)
class ServoModel:
    """What is believed of servos and sensors before anything is measured, the same for all joints."""

    compliance: float = 0.1
    """rad per N m by which a load bends a joint."""
    compliance_deviation: float = 0.06
    play: float = 0.012
    """rad, half of a gear's play."""
    play_deviation: float = 0.008
    deviation: float = 0.015
    """rad that neither load nor play explain."""
    deviation_time: float = 2.0
    """s over which such a deviation fades."""
    speed: float = 0.05
    """rad/s by which a joint runs ahead or behind."""
    speed_time: float = 0.05
    """s."""
    gyro_bias: float = 0.15
    """rad/s."""
    acc_bias: float = 0.2
    """m/s²."""
    gyro_noise: float = 0.05
    """rad/s of one reading."""
    acc_noise: float = 1.0
    """m/s² of one reading."""
    gyro_moving: float = 0.2
    """More per rad/s of the fastest commanded joint."""
    acc_moving: float = 2.0
    acc_off: float = 3.0
    """More per m/s² by which the size of the force is off."""


STIFF = ServoModel(compliance=0.0, compliance_deviation=0.0, play=0.0, play_deviation=0.0)
"""Drives that loads do not bend, and gears without play: only what nothing explains is left."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmEstimate:
    """Joint values over time with their standard deviations, and what was found about servos and sensors at the end."""

    t: Floats
    q: Floats
    """(m, n) rad or m."""
    qd: Floats
    """(m, n)."""
    deviation: Floats
    """(m, n): how sure each value is, as a standard deviation."""
    compliance: Floats
    """(n,) rad per N m."""
    play: Floats
    """(n,) rad: half of each gear's play."""
    gyro_bias: Floats
    """(k, 3) rad/s."""
    acc_bias: Floats
    """(k, 3) m/s²."""


class JointView(NamedTuple):
    """What sensors can tell of a joint: `at_rest` its angle from gravity, `moving` its speed from the gyroscopes.

    1: fully, whatever the others do; 0: not at all; between: only together with other joints.
    """

    joint: str
    at_rest: float
    moving: float


def estimate_arm(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: ServoModel | None = None,
    gravity: ArrayLike = GRAVITY,
) -> ArmEstimate:
    """Return where the joints were, from one record per sensor and what was commanded at its times (m, n).

    Raises:
        InvalidInput: if records and commands have different lengths or are not even in time.
    """
    t, dt, rows = checked_rows(robot, mounts, records, commands)
    running = ArmFilter(robot, mounts, servos=servos, gravity=gravity)
    readings = np.stack([np.hstack([record.gyro, record.acc]) for record in records], axis=1)
    q, qd, deviation = running.take(dt, rows, readings)
    n, k = robot.dof, len(mounts)
    x = running.state
    biases = x[4 * n :].reshape(k, 2, 3)
    return ArmEstimate(
        t,
        q,
        qd,
        deviation,
        x[2 * n : 3 * n].copy(),
        x[3 * n : 4 * n].copy(),
        biases[:, 0].copy(),
        biases[:, 1].copy(),
    )


class ArmFilter:
    """The same for samples that come one after the other: `take` continues where the last one ended."""

    def __init__(
        self,
        robot: Robot,
        mounts: Sequence[Mount],
        *,
        servos: ServoModel | None = None,
        gravity: ArrayLike = GRAVITY,
    ) -> None:
        given, n, k = servos or ServoModel(), robot.dof, len(mounts)
        self._robot, self._given, self._gravity = robot, given, as_floats(gravity, (3,), "gravity")
        self._arm = chain_with_sensors(robot, mounts, self._gravity)
        self.state = np.concatenate([np.zeros(2 * n), np.repeat([given.compliance, given.play], n), np.zeros(6 * k)])
        """(4n + 6k,), see armlab.kernels.sensing.arm_filter."""
        per_sensor = np.repeat([given.gyro_bias, given.acc_bias], 3)
        deviations = np.repeat([given.deviation, given.speed, given.compliance_deviation, given.play_deviation], n)
        self._P = np.diag(np.concatenate([deviations, np.tile(per_sensor, k)]) ** 2)

    def take(self, dt: float, rows: Floats, readings: Floats) -> tuple[Floats, Floats, Floats]:
        """Return joints, speeds and deviations (m, n) for the next commands (m, 3, n) and readings (m, k, 6)."""
        n, m = self._robot.dof, len(rows)
        loads = loads_of(self._robot, rows[:, 0], self._gravity)
        out, spread = np.empty((m, len(self.state))), np.empty((m, n))
        noise = _noise(self._given, dt)
        arm_filter.filter_into(self._arm, dt, rows, loads, readings, noise, ROUNDS, self.state, self._P, out, spread)
        r, s, c, h = (out[:, i * n : (i + 1) * n] for i in range(4))
        q = rows[:, 0] + r + loads[:, 0] * c + loads[:, 1] * h
        return q, rows[:, 1] + s, np.sqrt(np.maximum(spread, 0.0))


def observability(robot: Robot, mounts: Sequence[Mount], q: ArrayLike) -> list[JointView]:
    """Return for each joint what sensors on `mounts` can tell of it at `q` (n,).

    The share is 1 − |the part of the joint's axis in the null space|²: of the derivatives of the specific forces at
    rest by the angles, and of the rates by the speeds.
    """
    n = robot.dof
    place = as_floats(q, (n,), "q")[None].copy()
    D, S = np.empty((n, len(mounts), 6)), np.empty((n, len(mounts), 6))
    still, row = np.zeros((1, n)), np.empty((1, imu.WIDTH))
    arm = chain_with_sensors(robot, mounts, np.array(GRAVITY))
    arm_filter.derivatives_into(arm, place, still.copy(), still.copy(), row, D, S)
    rest = _seen(D[:, :, 3:].reshape(n, -1).T / abs(GRAVITY[2]))
    moving = _seen(S[:, :, :3].reshape(n, -1).T)
    return [JointView(joint.name, *pair) for joint, *pair in zip(robot.joints, rest, moving, strict=True)]


def _seen(H: Floats) -> list[float]:
    """Return for each column how much of it the rows of H determine."""
    _u, sizes, Vt = np.linalg.svd(H)
    rank = int((sizes > 1e-6).sum())
    return [round(float(v), 9) + 0.0 for v in (Vt[:rank] ** 2).sum(axis=0)]


def loads_of(robot: Robot, q: Floats, gravity: Floats) -> Floats:
    """Return (m, 2, n): the load that bends each joint (N m), and the side (−1 … 1) to which it pushes the play."""
    load = -gravity_torque(weighed(robot), q, gravity=gravity)
    return np.ascontiguousarray(np.stack([load, np.tanh(load / SOFT_SIDE)], axis=1))


def chain_with_sensors(robot: Robot, mounts: Sequence[Mount], gravity: Floats) -> arm_filter.ArmChain:
    """Return the arm and its sensors as the kernels take them."""
    placed = [on_chain(robot, mount) for mount in mounts]
    moved_by = np.array([float(count) for count, _frame in placed])
    frames = np.array([frame for _count, frame in placed]).reshape(-1, 12)
    return arm_filter.ArmChain(robot.chain.constants, robot.chain.revolute, frames, moved_by, gravity)


def _noise(given: ServoModel, dt: float) -> arm_filter.ArmNoise:
    """Return the noise of a step: deviation and speed are such that their spread stays what it is at the start."""
    return arm_filter.ArmNoise(
        keep_deviation=math.exp(-dt / given.deviation_time),
        keep_speed=math.exp(-dt / given.speed_time),
        deviation=given.deviation * math.sqrt(2.0 / given.deviation_time),
        speed=given.speed * math.sqrt(2.0 / given.speed_time),
        compliance=given.compliance_deviation / LEARNED,
        play=given.play_deviation / LEARNED_PLAY,
        gyro_bias=1e-4,
        acc_bias=1e-3,
        gyro=given.gyro_noise,
        acc=given.acc_noise,
        acc_moving=given.acc_moving,
        gyro_moving=given.gyro_moving,
        acc_off=given.acc_off,
    )


def checked_rows(
    robot: Robot, mounts: Sequence[Mount], records: Sequence[ImuRecord], commands: JointState
) -> tuple[Floats, float, Floats]:
    """Return times, the step and the commands as rows (m, 3, n)."""
    if not records or len(records) != len(mounts):
        raise InvalidInput(
            "records_and_mounts",
            _("{records} records for {mounts} sensors; each sensor needs its record"),
            records=len(records),
            mounts=len(mounts),
        )
    t = records[0].t
    for record in records[1:]:
        if len(record) != len(t) or np.abs(record.t - t).max() > 1e-9:
            raise InvalidInput(
                "records_not_together", _("{name}: its times are not those of the first sensor"), name=record.name
            )
    steps = np.diff(t)
    dt = float(np.median(steps))
    if np.abs(steps - dt).max() > 1e-3 * dt:
        raise InvalidInput("imu_not_even", _("{name}: the samples are not evenly spaced in time"), name=records[0].name)
    rows = [as_floats(v, (len(t), robot.dof), who) for v, who in zip(commands, ("q", "qd", "qdd"), strict=True)]
    return t, dt, np.ascontiguousarray(np.stack(rows, axis=1))
