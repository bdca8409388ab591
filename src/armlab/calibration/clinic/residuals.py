"""Residuals: what a recording shows beyond the model of a healthy arm, in units of its own noise.

The model is fitted to the first part of the recording, the baseline: base parameters and friction with the drawing as a
prior, joint offsets and the tool's place from the tracker. What is wrong from the start is therefore not seen, unless
a healthy recording of the same arm is given as the reference: then that is the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from armlab.arrays import Floats
from armlab.calibration.identification.base import base_parameters
from armlab.calibration.identification.samples import JointSamples, check_sizes, joint_samples
from armlab.dynamics.forces import inverse_dynamics
from armlab.dynamics.regressor import inertial_parameters, torque_regressor
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kernels.sensing import imu as imu_rows
from armlab.messages import _, term
from armlab.model.robot import Robot
from armlab.recording.recording import Recording
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.truth import sensor_motion

BASELINE = 0.3
"""Share of a recording that is taken as healthy."""
SHORTEST = 10.0
"""s that a recording must last."""
PRIOR = 0.2
"""How much an arm's base parameters are expected to differ from the drawing, as a share."""
TOOL = slice(3, 9)
"""Where the tool's pose is among the signals."""
ELSEWHERE = 0.1
"""Share of a joint's range by which the work of a reference may differ."""
FLOOR = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class FaultResiduals:
    """Whitened residuals and what signatures of faults need; rows are samples."""

    samples: JointSamples
    healthy: int
    """How many rows are the baseline."""
    error: Floats
    """(m, n): measured minus commanded position; NaN where no command was recorded."""
    torque: Floats
    """(m, n)."""
    torque_noise: Floats
    """(n,), N m or N."""
    Y: Floats
    """(m, n, 13 n): the regressor."""
    coulomb: Floats
    """(n,): Coulomb friction of the baseline."""
    load: Floats
    """(m, n): torque of weight and motion, without friction."""
    tool: Floats | None
    """(m, 6): place and turn of the tool in the world; None without a tracker."""
    tool_noise: Floats
    """(6,), m and rad."""
    J: Floats
    """(m, 6, n)."""
    T: Floats
    """(m, 4, 4): the tool by the joints."""
    imu: Floats | None
    """(m, 6): gyroscope and accelerometer; None without an IMU."""
    imu_noise: Floats
    has_reference: bool = False
    """Whether the baseline is a recording of its own: then a fault may be there from the start."""


def residuals_of(
    robot: Robot,
    recording: Recording,
    imu: ImuRecord | None = None,
    *,
    reference: Recording | None = None,
    reference_imu: ImuRecord | None = None,
) -> FaultResiduals:
    """Return what a recording shows beyond a healthy arm.

    With a `reference`, its rows come first, at times before those of the recording, and are the baseline.

    Raises:
        InvalidInput: if the recording is not usable (see `joint_samples`), or too short.
    """
    run = _run_of(robot, recording, imu)
    if reference is None:
        healthy = int(np.searchsorted(run.samples.t, run.samples.t[0] + BASELINE * run.duration))
    else:
        try:
            before = _run_of(robot, reference, reference_imu)
        except InvalidInput as error:
            raise error.within(term(_("reference"))) from None
        _check_work(robot, before, run)
        healthy = len(before.samples)
        run = _joined(before, run)
    samples = run.samples
    Y = torque_regressor(robot, samples.q, samples.qd, samples.qdd)
    torque, torque_noise, coulomb = _torque(robot, samples, Y, healthy)
    T, J = robot.fk(samples.q), robot.jacobian(samples.q)
    tool, tool_noise = _tool(run.signals, T, J, healthy)
    read, read_noise = _imu(robot, samples, run.imu, run.link, healthy)
    return FaultResiduals(
        samples,
        healthy,
        samples.q - run.command_q,
        torque,
        torque_noise,
        Y,
        coulomb,
        inverse_dynamics(robot, samples.q, samples.qd, samples.qdd),
        tool,
        tool_noise,
        J,
        T,
        read,
        read_noise,
        has_reference=reference is not None,
    )


class _Run(NamedTuple):
    """One recording, ready to be compared: rows are samples."""

    samples: JointSamples
    command_q: Floats
    signals: Floats | None
    imu: Floats | None
    """(m, 6): gyroscope and accelerometer at the times of the samples."""
    link: str

    @property
    def duration(self) -> float:
        return float(self.samples.t[-1] - self.samples.t[0])


def _run_of(robot: Robot, recording: Recording, imu: ImuRecord | None) -> _Run:
    samples = joint_samples(robot, recording)
    duration = float(samples.t[-1] - samples.t[0])
    if duration < SHORTEST:
        raise InvalidInput(
            "recording_short_of_time",
            _("recording: it lasts {duration:.3g} s; at least {shortest:g} s are needed"),
            duration=duration,
            shortest=SHORTEST,
        )
    first = int(np.searchsorted(recording.t, samples.t[0] - 1e-9))
    rows = slice(first, first + len(samples))
    by_name = [recording.names.index(name) for name in _names(robot, recording)]
    check_sizes(recording.command_q, "command_q")
    check_sizes(np.zeros((0, 1)) if recording.signals is None else recording.signals, term(_("the tool or energy")))
    signals = None if recording.signals is None else recording.signals[rows]
    link = "" if imu is None else imu.notes.get("link", imu.name)
    read = None if imu is None else _read_at(samples.t, imu)
    return _Run(samples, recording.command_q[rows][:, by_name], signals, read, link)


def _check_work(robot: Robot, before: _Run, run: _Run) -> None:
    """Check that a recording is of the same work as its reference: another motion shows other errors of the model."""
    first, second = (np.where(np.isnan(each.command_q), each.samples.q, each.command_q) for each in (before, run))
    low, high = first.min(axis=0), first.max(axis=0)
    room = ELSEWHERE * np.maximum(high - low, 0.1)
    outside = np.abs(np.stack([second.min(axis=0) - low, second.max(axis=0) - high])).max(axis=0) > room
    if outside.any():
        raise InvalidInput(
            "reference_other_work",
            _("the reference is of other work: joint '{joint}' has another range"),
            joint=robot.joints[int(np.argmax(outside))].name,
        )


def _joined(before: _Run, run: _Run) -> _Run:
    """Return both as one run: the reference ends a step before the recording begins; what one lacks, both do."""
    a, b = before.samples, run.samples
    t = np.concatenate([a.t - a.t[-1] + b.t[0] - (b.t[1] - b.t[0]), b.t])
    q, qd, qdd, tau = (np.concatenate([getattr(a, what), getattr(b, what)]) for what in ("q", "qd", "qdd", "tau"))
    samples = JointSamples(t, q, qd, qdd, tau, b.findings)
    return _Run(
        samples,
        np.concatenate([before.command_q, run.command_q]),
        None if before.signals is None or run.signals is None else np.concatenate([before.signals, run.signals]),
        None if before.imu is None or run.imu is None else np.concatenate([before.imu, run.imu]),
        run.link,
    )


def _names(robot: Robot, recording: Recording) -> list[str]:
    from armlab.recording.exports import column_names

    ours = column_names(tuple(joint.name for joint in robot.joints))
    theirs = dict(zip(column_names(recording.names), recording.names, strict=True))
    return [theirs[name] for name in ours]


def _torque(robot: Robot, samples: JointSamples, Y: Floats, healthy: int) -> tuple[Floats, Floats, Floats]:
    """Return residual torques over their noise, that noise, and Coulomb friction, by a fit to the baseline."""
    base = base_parameters(robot)
    expected = base.of(np.concatenate([inertial_parameters(robot), np.zeros(3 * robot.dof)]))
    W, tau = Y[..., base.leading], samples.tau
    sizes = np.maximum(np.abs(tau[:healthy]).max(axis=0), FLOOR)
    is_drive = base.leading >= 10 * robot.dof
    scale = np.maximum(np.abs(W[:healthy]).max(axis=(0, 1)), FLOOR)
    widths = np.where(is_drive, sizes.max() / scale, PRIOR * np.abs(expected) + 0.01 * sizes.max() / scale)
    values = expected
    noise = 0.02 * sizes
    for _sweep in range(2):
        A = (W[:healthy] / noise[:, None]).reshape(-1, len(base)) * widths
        b = ((tau[:healthy] - W[:healthy] @ expected) / noise).ravel()
        x = np.linalg.solve(A.T @ A + np.eye(len(base)), A.T @ b)
        values = expected + widths * x
        left = tau - W @ values
        noise = np.maximum(left[:healthy].std(axis=0), 1e-9 * sizes)
    parameters = dict(zip(base.names, values, strict=True))
    coulomb = np.array([parameters.get(f"Fc{i}", 0.0) for i in range(1, robot.dof + 1)])
    return left / noise, noise, np.maximum(coulomb, 0.01 * sizes)


def _tool(signals: Floats | None, T: Floats, J: Floats, healthy: int) -> tuple[Floats | None, Floats]:
    """Return where the tool is beyond what the joints say, over its noise; zero where an angle was not measured."""
    if signals is None or np.isnan(signals[:, TOOL][:, :3]).any():
        return None, np.ones(6)
    seen = signals[:, TOOL]
    off = np.zeros((len(seen), 6))
    off[:, :3] = seen[:, :3] - T[:, :3, 3]
    has_angles = not np.isnan(seen[:, 3:]).any()
    if has_angles:
        measured = pose.from_xyz_abc(np.zeros((len(seen), 3)), seen[:, 3:])[:, :3, :3]
        off[:, 3:] = Rotation.from_matrix(measured @ T[:, :3, :3].transpose(0, 2, 1)).as_rotvec()
    # what stays of a calibration: joint offsets, and the tool's own shift and turn, fitted to the baseline
    R = T[:, :3, :3]
    own = np.zeros((len(off), 6, 6))
    own[:, :3, :3], own[:, 3:, 3:] = R, R
    columns = np.concatenate([J, own], axis=2)
    unknown = np.array([0.0] * 3 + [0.0 if has_angles else np.inf] * 3)  # what was not measured does not count
    noise = np.maximum(off[:healthy].std(axis=0), FLOOR) + unknown
    for _sweep in range(2):
        A = (columns[:healthy] / noise[:, None]).reshape(-1, columns.shape[2])
        fitted = np.linalg.lstsq(A, (off[:healthy] / noise).ravel(), rcond=1e-9)[0]
        left = off - columns @ fitted
        noise = np.maximum(left[:healthy].std(axis=0), 1e-9) + unknown
    return left / noise, noise


def _imu(
    robot: Robot, samples: JointSamples, read: Floats | None, link: str, healthy: int
) -> tuple[Floats | None, Floats]:
    """Return what an IMU reads beyond what the joints say, over its noise."""
    if read is None:
        return None, np.ones(6)
    motion = sensor_motion(robot, Mount(link), samples.q, samples.qd, samples.qdd)
    left = read - motion[:, imu_rows.GYRO : imu_rows.TURN]
    left -= left[:healthy].mean(axis=0)
    noise = np.maximum(left[:healthy].std(axis=0), FLOOR)
    return left / noise, noise


def _read_at(t: Floats, imu: ImuRecord) -> Floats:
    """Return what an IMU read at the times of a recording, (m, 6)."""
    if imu.t[0] > t[0] + 0.05 or imu.t[-1] < t[-1] - 0.05:
        raise InvalidInput(
            "imu_times",
            _("IMU: its times {first:.3g} … {last:.3g} s do not cover those of the recording"),
            first=float(imu.t[0]),
            last=float(imu.t[-1]),
        )
    read = np.concatenate([imu.gyro, imu.acc], axis=1)
    return np.stack([np.interp(t, imu.t, read[:, k]) for k in range(6)], axis=1)
