"""Kinds of sensors: inertial units, encoders, torque, wrist wrench, contact, distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict, Unpack, assert_never

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry.pose import quaternion_of
from armlab.kernels.sensing import imu as columns
from armlab.messages import _
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.noise import IDEAL, ImuModel, ImuStream
from armlab.sensing.sensor import Errors, Kind, Noise, Read, SensorSamples, SensorSpec, gaussian
from armlab.sensing.truth import NORTH, record_of, turned_back
from armlab.sim.probe import FrameMotion, SimProbe
from armlab.units import M_PER_MM

BEAMS = 13
"""Rays of a proximity sensor: one along the axis, and two rings of six in its cone."""
RATE_HZ = 100.0
"""Samples per second, unless said otherwise."""


def imu(
    mount: Mount,
    model: ImuModel = IDEAL,
    rate: float = RATE_HZ,
    *,
    robot: str | None = None,
    delay: float | None = None,
    seed: int = 0,
    field: ArrayLike = NORTH,
) -> SensorSpec:
    """Return an inertial unit on a link of an arm, or on a loose body; `imu_record` makes a record of its samples.

    Args:
        mount: the link or body, and the pose on it.
        model: its errors, as a preset has them.
        rate: samples per second (Hz).
        robot: whose link it is; the first arm if not said.
        delay: s; that of the model if not said.
        seed: of its errors.
        field: the magnetic field of the world (µT).
    """
    north = as_floats(field, (3,), "field")

    def read(probe: SimProbe) -> Floats:
        if mount.is_body:
            return motion_row(probe.body_motion(mount.link, mount.T))
        return motion_row(probe.motion(mount.link, mount.T, robot))

    def begin(rate: float, seed: int) -> Errors:
        stream = ImuStream(model, rate, seed)

        def readings(true: Floats) -> Floats:
            gyro, acc = true[:, : columns.ACC].copy(), true[:, columns.ACC : columns.TURN].copy()
            has_field = model.magnetometer is not None
            mag = turned_back(true[:, columns.TURN : columns.PLACE], north) if has_field else None
            gyro, acc, mag = stream.read(gyro, acc, mag)
            return np.concatenate([gyro, acc, np.full_like(gyro, np.nan) if mag is None else mag], axis=1)

        return readings

    late = model.latency if delay is None else delay
    return SensorSpec(
        f"imu:{mount.link}", read, rate, late, begin, seed, kind="imu", place=mount.link, preset=model.name
    )


def imu_record(spec: SensorSpec, samples: SensorSamples) -> ImuRecord:
    """Return what an inertial unit read, with the truth.

    Raises:
        InvalidInput: if there are not two samples.
    """
    true, read = samples.true.reshape(-1, columns.WIDTH), samples.read.reshape(-1, columns.TURN + 3)
    mag = read[:, columns.TURN :] if len(read) and np.isfinite(read).all() else None
    return ImuRecord(
        samples.t,
        read[:, : columns.ACC],
        read[:, columns.ACC : columns.TURN],
        mag,
        true[:, columns.TURN : columns.PLACE],
        true[:, columns.PLACE : columns.SPEED],
        true[:, columns.SPEED :],
        spec.place,
        {"link": spec.place, "preset": spec.preset, "seed": str(spec.seed)},
    )


def ideal_record(spec: SensorSpec, samples: SensorSamples, field: ArrayLike = NORTH) -> ImuRecord:
    """Return what an ideal inertial unit would have read in its place, with the truth."""
    return record_of(samples.t, samples.true.reshape(-1, columns.WIDTH), spec.place, field)


def motion_row(motion: FrameMotion) -> Floats:
    """Return a motion as a row (16,) of armlab.kernels.sensing.imu."""
    turn = quaternion_of(motion.T_world)
    return np.concatenate([motion.angular_rate, motion.specific_force, turn, motion.T_world[:3, 3], motion.velocity])


class Settings(TypedDict, total=False):
    """What every kind of sensor may have."""

    robot: str | None
    """Whose joints, flange or links they are; the first arm if not said."""
    noise: Noise | None
    delay: float
    """s."""
    seed: int


def encoders(rate: float = 500.0, **more: Unpack[Settings]) -> SensorSpec:
    """Return encoders on the motors of all joints (rad or m); `quantised` gives them a resolution and an offset."""
    robot = more.get("robot")
    return _spec("encoders", "encoders", robot or "", lambda probe: probe.state(robot).motor_q, rate, more)


def joint_torques(rate: float = 500.0, **more: Unpack[Settings]) -> SensorSpec:
    """Return sensors of what the drives give (N m or N)."""
    robot = more.get("robot")
    return _spec("torques", "joint_torques", robot or "", lambda probe: probe.state(robot).tau, rate, more)


def wrist_wrench(rate: float = 500.0, **more: Unpack[Settings]) -> SensorSpec:
    """Return a sensor of force (N) and torque (N m) at the flange, in its frame, (6,)."""
    robot = more.get("robot")
    return _spec("wrench", "wrist_wrench", robot or "", lambda probe: probe.flange_wrench(robot), rate, more)


def contact(names: Sequence[str], rate: float = RATE_HZ, **more: Unpack[Settings]) -> SensorSpec:
    """Return a sensor of the normal force (N) with which anything touches each of the links or bodies `names`, (k,)."""
    robot = more.get("robot")
    owners: list[str] = []

    def read(probe: SimProbe) -> Floats:
        if not owners:
            owners.extend(probe.touching(name, robot) for name in names)
        out = np.zeros(len(names))
        for touch in probe.state(robot).contacts:
            out += [touch.force * (owner in {touch.first, touch.second}) for owner in owners]
        return out

    return _spec("contact", "contact", " ".join(names), read, rate, more)


def laser_distance(mount: Mount, rate: float = RATE_HZ, *, reach: float = 10.0, **more: Unpack[Settings]) -> SensorSpec:
    """Return a sensor of the distance (m) along the z axis of its frame, (1,); inf where nothing is within `reach`."""
    read = _beams(mount, np.array([[0.0, 0.0, 1.0]]), reach, more.get("robot"))
    return _spec("laser", f"laser:{mount.link}", mount.link, read, rate, more)


def proximity(
    mount: Mount,
    rate: float = RATE_HZ,
    *,
    reach: float = 0.3,
    cone: float = math.radians(15.0),
    **more: Unpack[Settings],
) -> SensorSpec:
    """Return a sensor of the least distance (m) in a cone about the z axis of its frame; inf if nothing is there."""
    angles = np.concatenate([[0.0], np.repeat([0.5 * cone, cone], 6)])
    around = np.concatenate([[0.0], np.tile(np.arange(6) * math.pi / 3.0, 2)])
    beams = np.stack([np.sin(angles) * np.cos(around), np.sin(angles) * np.sin(around), np.cos(angles)], axis=1)
    assert len(beams) == BEAMS
    read = _beams(mount, beams, reach, more.get("robot"))
    return _spec("proximity", f"proximity:{mount.link}", mount.link, read, rate, more)


def _beams(mount: Mount, beams: Floats, reach: float, robot: str | None) -> Read:
    def read(probe: SimProbe) -> Floats:
        nearest = float(probe.distance(mount.link, mount.T, beams, robot).min())
        return np.array([nearest if nearest <= reach else math.inf])

    return read


def _spec(kind: Kind, name: str, place: str, read: Read, rate: float, more: Settings) -> SensorSpec:
    delay, noise, seed = more.get("delay", 0.0), more.get("noise"), more.get("seed", 0)
    return SensorSpec(name, read, rate, delay, noise, seed, kind=kind, place=place)


def sensor_of(
    kind: Kind,
    mount: Mount,
    rate: float,
    *,
    robot: str,
    model: ImuModel = IDEAL,
    delay: float | None = None,
    deviation: float | Floats = 0.0,
    seed: int = 0,
) -> SensorSpec:
    """Return a sensor of a kind by its settings, as commands and projects have them.

    Args:
        kind: what it measures.
        mount: where it sits; encoders, torques and the wrench are those of `robot`.
        rate: samples per second (Hz).
        robot: the arm.
        model: the errors of an inertial unit; other kinds have white noise with a standard deviation.
        delay: s; left out, that of the model, or none.
        deviation: rad or m (encoders), N m or N (torques), N and N m (wrench), m (laser, proximity), N (contact);
            one number, or one for each number of a reading.
        seed: of its errors.
    """
    if kind == "imu":
        return imu(mount, model, rate, robot=robot, delay=delay, seed=seed)
    noise = gaussian(deviation) if np.any(np.asarray(deviation) > 0.0) else None
    more = Settings(robot=robot, noise=noise, delay=delay or 0.0, seed=seed)
    if kind in _OF_ARMS:
        return _OF_ARMS[kind](rate, **more)
    if kind in _DISTANCES:
        return _DISTANCES[kind](mount, rate, **more)
    if kind == "contact":
        return contact([mount.link], rate, **more)
    raise InvalidInput("sensor_kind", _("sensor: '{kind}' is of no kind that is made so"), kind=kind)


_OF_ARMS = {"encoders": encoders, "torques": joint_torques, "wrench": wrist_wrench}
_DISTANCES = {"laser": laser_distance, "proximity": proximity}


def deviation_of(kind: Kind, noise: float, robot: Robot) -> float | Floats:
    """Return a standard deviation of readings as `sensor_of` takes it, given as on the screen: °, mm, N, N m."""
    if kind == "encoders":
        return noise * joint_scales(robot.joints)
    return noise * M_PER_MM if kind in _DISTANCES else noise


def quantities(spec: SensorSpec, robot: Robot) -> tuple[str, ...]:
    """Return what the numbers of a reading are, with their units, as files name them; `robot` is the sensor's arm."""
    match spec.kind:
        case "imu":
            return tuple(f"{what}_{axis}_{unit}" for what, unit in _OF_IMU for axis in "xyz")
        case "encoders" | "torques":
            units = ("rad", "m") if spec.kind == "encoders" else ("Nm", "N")
            return tuple(f"{joint.name}_{units[joint.kind == 'prismatic']}" for joint in robot.joints)
        case "wrench":
            return tuple(f"{what}_{axis}_{unit}" for what, unit in (("force", "N"), ("torque", "Nm")) for axis in "xyz")
        case "laser" | "proximity":
            return ("distance_m",)
        case "contact":
            return ("force_N",)
        case "camera" | "other":
            return ()
        case _:
            assert_never(spec.kind)


_OF_IMU = (("gyro", "rad_s"), ("acc", "m_s2"), ("mag", "uT"))
