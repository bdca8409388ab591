"""Runs of arms with faults: servos, friction and drives in a light simulation, and what encoders, tracker and IMU read.

The servos close on the motors' encoders. What happens behind them (backlash, a slipping belt, a loose tool) moves the
links and the tool, but is taken as too small to change the torques.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.clinic.faults import ArmFault
from armlab.calibration.identification.excitation import HARMONICS, FourierMotion
from armlab.calibration.identification.simulated import TrueArm, true_arm
from armlab.dynamics.bodies import chain_of, with_payload
from armlab.dynamics.forces import GRAVITY, inverse_dynamics, mass_matrix
from armlab.errors import SimulationDiverged
from armlab.geometry import pose
from armlab.kernels import servo
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot
from armlab.motion.limits import limits_of
from armlab.recording.recording import COMMAND_Q, COMMAND_QD, COMMAND_QDD, QUANTITIES, SIGNALS, TAU, Q, Recording
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.truth import record_of, sensor_motion

STEP = 0.005
EVERY = 2
"""One of so many steps is recorded: 100 Hz."""
PERIOD = 12.0
DURATION = 60.0
BANDWIDTH = 40.0
"""rad/s, of the servos."""
SHARE = 0.4
"""Of speeds, accelerations and ranges that the work uses."""
ROTOR, LEAST_ROTOR = 0.3, 0.05
"""Inertia of rotors: shares of what the joint moves, and of the largest such inertia."""
TEETH = 60.0
"""Of a gear, per radian of its joint."""
ENCODER, TRACKER, TILT, TORQUE = 1e-5, 5e-5, 1e-4, 0.01
"""Noise: rad or m; m; rad; share of a joint's largest torque."""
GYRO, ACC = 0.002, 0.02
"""Noise of the IMU, rad/s and m/s²."""
CALIBRATED = 5e-5
"""rad or m: joint offsets that a calibration leaves."""
SWITCH = 0.05
"""s that a joint takes to cross its backlash."""


@dataclass(frozen=True, slots=True, eq=False)
class ClinicRun:
    """A recording, what an IMU on the last link read beside it, and the fault behind it."""

    recording: Recording
    imu: ImuRecord
    fault: ArmFault | None


def work_motion(robot: Robot, seed: int) -> FourierMotion:
    """Return a motion of daily work: within a part of the limits, and with no regard to collisions."""
    rng = np.random.default_rng([seed, 1])
    limits = limits_of(robot)
    n, orders = robot.dof, np.arange(1, HARMONICS + 1)
    sine, cosine = rng.normal(size=(2, n, HARMONICS)) / orders
    shape = FourierMotion(np.zeros(n), sine, cosine, PERIOD)
    q, qd, qdd = shape.sample(np.linspace(0.0, PERIOD, 400))
    low, high = q.min(axis=0), q.max(axis=0)
    room = np.minimum(limits.upper - limits.lower, 2.0 * np.pi)
    fastest = [SHARE * limits.velocity / np.abs(qd).max(axis=0), SHARE * limits.acceleration / np.abs(qdd).max(axis=0)]
    size = np.minimum.reduce([SHARE * room / (high - low), *fastest])
    offset = np.clip(robot.home, limits.lower + 0.25 * room, limits.upper - 0.25 * room) - size * (low + high) / 2.0
    return FourierMotion(offset, size[:, None] * sine, size[:, None] * cosine, PERIOD)


def simulate_run(
    robot: Robot, fault: ArmFault | None, *, seed: int = 0, duration: float = DURATION, day: int = 0
) -> ClinicRun:
    """Return what is recorded of a run of an arm that differs from its drawing, with a fault or without.

    The same seed is the same arm at the same work, on another `day` with other noise.

    Raises:
        SimulationDiverged: if the servos cannot hold the arm.
        NotSupported: if the arm has coupled joints.
    """
    if robot.followers:
        raise not_for_coupled(term(_("the fault clinic")))
    rng = np.random.default_rng([seed, 2, day] if day else [seed, 2])
    arm, motion = true_arm(robot, seed), work_motion(robot, seed)
    same_arm = rng if day == 0 else np.random.default_rng([seed, 2])
    offsets = same_arm.normal(scale=CALIBRATED, size=robot.dof)
    t = np.arange(round(duration / STEP) + 1, dtype=np.float64) * STEP
    command = motion.sample(t)
    fed = inverse_dynamics(robot, *command) + _friction(arm, command[1])
    out = _servo(arm, t, command, fed, fault, rng)
    kept = slice(0, None, EVERY)
    q, qd, qdd, tau = (np.ascontiguousarray(out[kept, row]) for row in range(4))
    moved = _link_positions(arm, t[kept], (q, qd, qdd), offsets, fault, rng)
    return _recorded(arm, t[kept], [each[kept] for each in command], (q, qd, qdd, tau), moved, fault, rng)


def _friction(arm: TrueArm, qd: Floats) -> Floats:
    """Return friction as the servo kernel has it, smooth about rest."""
    joints = arm.real.joints
    coulomb, viscous = np.array([(j.friction.coulomb, j.friction.viscous) for j in joints]).T
    return np.asarray(coulomb * np.tanh(qd / servo.SLOW) + viscous * qd)


def _servo(
    arm: TrueArm,
    t: Floats,
    command: tuple[Floats, Floats, Floats],
    fed: Floats,
    fault: ArmFault | None,
    rng: np.random.Generator,
) -> Floats:
    robot, n = arm.robot, arm.robot.dof
    M = np.diagonal(mass_matrix(robot, command[0][::50]), axis1=1, axis2=2).mean(axis=0)
    rotor = ROTOR * M + LEAST_ROTOR * M.max()
    stiffness, stops = (M + rotor) * BANDWIDTH**2, (robot.lower, robot.upper)
    gains = np.stack([stiffness, 2.0 * stiffness / BANDWIDTH, rotor, np.full(n, TEETH), *stops])
    conditions = np.zeros((len(t), servo.CONDITIONS, n))
    joints = arm.real.joints
    conditions[:, servo.COULOMB] = [j.friction.coulomb for j in joints]
    conditions[:, servo.VISCOUS] = [j.friction.viscous for j in joints]
    conditions[:, servo.LIMIT] = np.where(np.isfinite(robot.effort), robot.effort, 3.0 * np.abs(fed).max(axis=0))
    bodies = np.zeros((2, n + 1, 10))
    bodies[:, :n] = chain_of(robot).bodies
    bodies[0, n, 0] = len(t)
    if fault is not None:
        _apply(fault, robot, t, fed + rotor * command[2], conditions, bodies, rng)
    out = np.empty((len(t), 4, n))
    chain = chain_of(robot)
    fed_forward = fed + rotor * command[2]
    rows = np.ascontiguousarray(np.stack([*command, fed_forward], axis=1))
    if not servo.servo_into(
        chain.constants, chain.revolute, bodies, np.array(GRAVITY), STEP, rows, gains, conditions, out
    ):
        raise SimulationDiverged("servo_diverged", _("{robot}: the simulated servos diverged"), robot=robot.name)
    return out


def _apply(
    fault: ArmFault, robot: Robot, t: Floats, fed: Floats, conditions: Floats, bodies: Floats, rng: np.random.Generator
) -> None:
    """Change what the servo kernel is given, from the fault's onset on."""
    since, j = t >= fault.onset, fault.joint or 0
    grown = np.clip((t - fault.onset) / max(t[-1] - fault.onset, STEP), 0.0, 1.0)
    match fault.kind:
        case "gear_wear":
            conditions[:, servo.RIPPLE, j] = 0.5 * fault.size * grown * conditions[:, servo.COULOMB, j]
            conditions[:, servo.COULOMB, j] *= 1.0 + fault.size * grown
        case "stuck_servo":
            conditions[since, servo.STUCK, j] = 1.0
        case "weak_servo":
            conditions[since, servo.LIMIT, j] = fault.size * np.abs(fed[since, j]).max()
        case "encoder_jump":
            conditions[since, servo.OFFSET, j] = fault.size
        case "wrong_payload":
            mass = fault.size * (robot.payload or 0.1 * bodies[0, : robot.dof, 0].sum())
            loaded = with_payload(robot, mass, rng.uniform(-0.05, 0.05, 3))
            bodies[1, : robot.dof] = chain_of(loaded).bodies
            bodies[0, robot.dof, 0] = int(np.argmax(since)) if since.any() else len(t)
        case "backlash" | "belt_slip" | "loose_tool" | "imu_bias":
            pass


def _link_positions(
    arm: TrueArm,
    t: Floats,
    motion: tuple[Floats, Floats, Floats],
    offsets: Floats,
    fault: ArmFault | None,
    rng: np.random.Generator,
) -> Floats:
    """Return where the links are: the motors' positions, and what lies between motor and link."""
    moved = motion[0] + offsets
    if fault is None or fault.joint is None:
        return moved
    j = fault.joint
    if fault.kind == "backlash":
        load = inverse_dynamics(arm.robot, *motion)[:, j]
        side = np.sign(load)
        blend = np.exp(-(t[1] - t[0]) / SWITCH)
        for k in range(1, len(side)):
            side[k] = blend * side[k - 1] + (1.0 - blend) * side[k]
        grown = np.clip((t - fault.onset) / max(t[-1] - fault.onset, STEP), 0.0, 1.0)
        moved[:, j] -= 0.5 * fault.size * grown * side
    elif fault.kind == "belt_slip":
        times = np.concatenate([[fault.onset], rng.uniform(fault.onset, t[-1], int(rng.integers(1, 4)))])
        moved[:, j] += fault.size * (t[:, None] >= times).sum(axis=1)
    return moved


def _recorded(
    arm: TrueArm,
    t: Floats,
    command: list[Floats],
    states: tuple[Floats, Floats, Floats, Floats],
    moved: Floats,
    fault: ArmFault | None,
    rng: np.random.Generator,
) -> ClinicRun:
    robot, (q, qd, qdd, tau) = arm.robot, states
    since = np.zeros(len(t), dtype=bool) if fault is None else t >= fault.onset
    joints = np.full((len(t), len(QUANTITIES), robot.dof), np.nan)
    measured = q + rng.normal(scale=ENCODER, size=q.shape)
    if fault is not None and fault.kind == "encoder_jump":
        measured[since, fault.joint] += fault.size
    joints[:, Q] = measured
    joints[:, TAU] = tau + rng.normal(size=tau.shape) * TORQUE * np.abs(tau).max(axis=0)
    for row, values in zip((COMMAND_Q, COMMAND_QD, COMMAND_QDD), command, strict=True):
        joints[:, row] = values
    T = robot.fk(np.ascontiguousarray(moved))
    if fault is not None and fault.kind == "loose_tool":
        down = np.einsum("mji,j->mi", T[:, :3, :3], np.array(GRAVITY)) / np.linalg.norm(GRAVITY)
        shift = fault.size * np.tanh(2.0 * down) * np.array([1.0, rng.uniform(0.5, 1.0), 0.0])
        T[:, :3, 3] += since[:, None] * np.einsum("mij,mj->mi", T[:, :3, :3], shift)
    signals = np.full((len(t), len(SIGNALS)), np.nan)
    signals[:, 3:6] = T[:, :3, 3] + rng.normal(scale=TRACKER, size=(len(t), 3))
    signals[:, 6:9] = pose.as_abc(T) + rng.normal(scale=TILT, size=(len(t), 3))
    link = robot.links[-1].name
    imu = record_of(t, sensor_motion(robot, Mount(link), moved, qd, qdd), link, None)
    bias = np.zeros((2, 3))
    if fault is not None and fault.kind == "imu_bias":
        direction = rng.normal(size=(2, 3))
        bias = direction / np.linalg.norm(direction, axis=1, keepdims=True) * fault.size * np.array([[1.0], [10.0]])
    gyro = imu.gyro + rng.normal(scale=GYRO, size=imu.gyro.shape) + since[:, None] * bias[0]
    acc = imu.acc + rng.normal(scale=ACC, size=imu.acc.shape) + since[:, None] * bias[1]
    source = {} if fault is None else {"fault": fault.kind, "onset": fault.onset}
    record = ImuRecord(t, gyro, acc, name=link, notes={"link": link})
    return ClinicRun(Recording.of(robot, t, joints, source, signals), record, fault)
