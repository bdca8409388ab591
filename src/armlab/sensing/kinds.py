"""Kinds of sensors: inertial units, encoders, torque, wrist wrench, contact, distance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.geometry.pose import quaternion_of
from armlab.kernels.sensing import imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.noise import IDEAL, ImuModel, ImuStream
from armlab.sensing.sensor import Noise, Reading, Sensor, SensorSpec
from armlab.sensing.truth import NORTH, record_of
from armlab.sim.probe import FrameMotion, SimProbe

BEAMS = 13
"""Rays of a proximity sensor: one along the axis, and two rings of six in its cone."""


class Imu(Sensor):
    """An inertial unit on a link of an arm, or on a loose body: its readings make an `ImuRecord`.

    Args:
        mount: the link or body, and the pose on it.
        model: its errors, as a preset has them.
        rate: samples per second (Hz).
        seed: of its errors.
        robot: whose link it is; the first arm if not said.
        field: the magnetic field of the world (µT).
    """

    def __init__(
        self,
        mount: Mount,
        model: ImuModel = IDEAL,
        *,
        rate: float = 100.0,
        seed: int = 0,
        robot: str | None = None,
        field: ArrayLike = NORTH,
    ) -> None:
        def read(probe: SimProbe) -> Floats:
            return motion_row(probe.motion(mount.link, mount.T, robot))

        super().__init__(SensorSpec(f"imu:{mount.link}", read, rate, model.latency), seed=seed)
        self.mount, self.model = mount, model
        self._field = as_floats(field, (3,), "field")
        self._kept: list[Reading] = []

    def ideal(self) -> ImuRecord:
        """Return what an ideal sensor would have read until now, with the truth."""
        self._kept += list(self.readings())
        rows = np.array([reading.value for reading in self._kept]).reshape(-1, imu.WIDTH)
        return record_of(np.array([reading.time for reading in self._kept]), rows, self.mount.link, self._field)

    def record(self) -> ImuRecord:
        """Return what the sensor read until now, with the truth."""
        ideal = self.ideal()
        stream = ImuStream(self.model, self.spec.rate_hz, self.seed)
        gyro, acc, mag = stream.read(ideal.gyro, ideal.acc, ideal.mag)
        notes = {"link": self.mount.link, "preset": self.model.name, "seed": str(self.seed)}
        return ImuRecord(
            ideal.t, gyro, acc, mag, ideal.orientation, ideal.position, ideal.velocity, self.mount.link, notes
        )


def motion_row(motion: FrameMotion) -> Floats:
    """Return a motion as a row (16,) of armlab.kernels.sensing.imu."""
    turn = quaternion_of(motion.T_world)
    return np.concatenate([motion.angular_rate, motion.specific_force, turn, motion.T_world[:3, 3], motion.velocity])


def encoders(
    rate: float = 500.0, *, robot: str | None = None, noise: Noise | None = None, delay: float = 0.0
) -> SensorSpec:
    """Return encoders on the motors of all joints (rad or m); `quantised` gives them a resolution and an offset."""
    return SensorSpec("encoders", lambda probe: probe.state(robot).motor_q, rate, delay, noise)


def joint_torques(
    rate: float = 500.0, *, robot: str | None = None, noise: Noise | None = None, delay: float = 0.0
) -> SensorSpec:
    """Return sensors of what the drives give (N m or N)."""
    return SensorSpec("joint_torques", lambda probe: probe.state(robot).tau, rate, delay, noise)


def wrist_wrench(
    rate: float = 500.0, *, robot: str | None = None, noise: Noise | None = None, delay: float = 0.0
) -> SensorSpec:
    """Return a sensor of force (N) and torque (N m) at the flange, in its frame, (6,)."""
    return SensorSpec("wrist_wrench", lambda probe: probe.flange_wrench(robot), rate, delay, noise)


def contact(names: Sequence[str], rate: float = 100.0, *, robot: str | None = None) -> SensorSpec:
    """Return a sensor of the normal force (N) with which anything touches each of the links or bodies `names`, (k,)."""

    def read(probe: SimProbe) -> Floats:
        out = np.zeros(len(names))
        for touch in probe.state(robot).contacts:
            for i, name in enumerate(names):
                if name in {
                    touch.first,
                    touch.second,
                    *(part.rpartition(": ")[2] for part in (touch.first, touch.second)),
                }:
                    out[i] += touch.force
        return out

    return SensorSpec("contact", read, rate)


def laser_distance(
    mount: Mount, rate: float = 100.0, *, reach: float = 10.0, robot: str | None = None, noise: Noise | None = None
) -> SensorSpec:
    """Return a sensor of the distance (m) along the z axis of its frame, (1,); inf where nothing is within `reach`."""
    return _beams(f"laser:{mount.link}", mount, np.array([[0.0, 0.0, 1.0]]), rate, reach, robot, noise)


def proximity(
    mount: Mount, rate: float = 100.0, *, reach: float = 0.3, cone: float = math.radians(15.0), robot: str | None = None
) -> SensorSpec:
    """Return a sensor of the least distance (m) in a cone about the z axis of its frame; inf if nothing is there."""
    angles = np.concatenate([[0.0], np.repeat([0.5 * cone, cone], 6)])
    around = np.concatenate([[0.0], np.tile(np.arange(6) * math.pi / 3.0, 2)])
    beams = np.stack([np.sin(angles) * np.cos(around), np.sin(angles) * np.sin(around), np.cos(angles)], axis=1)
    assert len(beams) == BEAMS
    return _beams(f"proximity:{mount.link}", mount, beams, rate, reach, robot, None)


def _beams(
    name: str, mount: Mount, beams: Floats, rate: float, reach: float, robot: str | None, noise: Noise | None
) -> SensorSpec:
    def read(probe: SimProbe) -> Floats:
        nearest = float(probe.distance(mount.link, mount.T, beams, robot).min())
        return np.array([nearest if nearest <= reach else math.inf])

    return SensorSpec(name, read, rate, noise=noise)
