"""Sensing: exact inertial sensors, their noise, filters and the arm estimator; ahrs and imufusion beside them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import armlab
from armlab.sensing.arm_estimator import estimate_arm
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.navigate import FILTERS, navigate
from armlab.sensing.noise import NoiseStream
from armlab.sensing.presets import preset
from armlab.sensing.truth import imu_along, record_of, sensor_motion
from bench.timing import Line, best_of

ARM = "kuka-kr6-r700"
SAMPLES, PEER_SAMPLES = 100_000, 2_000


def lines() -> Iterator[Line]:
    """Yield one line per measure and peer; a peer that is not installed is left out."""
    robot = armlab.load(ARM)
    move = armlab.plan_joint(robot, [robot.home, robot.home + 0.5]).stretched(100.0)
    count = round(move.duration * 1000.0)
    yield Line("IMU along a trajectory, per sample", ARM, best_of(lambda: imu_along(robot, move, Mount("tool")), count))
    stream = NoiseStream(preset("mpu-6050").gyroscope, 1000.0, np.random.SeedSequence(1))
    yield Line("noise, per value", "mpu-6050", best_of(lambda: stream.noise(SAMPLES), 3 * SAMPLES))
    record = _record()
    peers = {"madgwick": (("ahrs", _ahrs_seconds), ("imufusion", _imufusion_seconds))}
    for how in FILTERS:
        ours = best_of(partial(navigate, record, how), SAMPLES)
        yield Line(f"filter {how}, per update", "", ours)
        for name, seconds in peers.get(how, ()):
            try:
                peer: Any = importlib.import_module(name)
            except ImportError:
                continue
            yield Line(f"filter {how}, per update", "", ours, name, seconds(peer, record))
    yield _estimator_line(robot)


def _record() -> ImuRecord:
    rng = np.random.default_rng(0)
    gyro, acc = rng.normal(size=(2, SAMPLES, 3))
    return ImuRecord(np.arange(SAMPLES) / 1000.0, gyro, acc + np.array([0.0, 0.0, 9.81]))


def _ahrs_seconds(ahrs: Any, record: ImuRecord) -> float:
    peer = ahrs.filters.Madgwick(frequency=1000.0)

    def loop() -> None:
        q = np.array([1.0, 0.0, 0.0, 0.0])
        for i in range(PEER_SAMPLES):
            q = peer.updateIMU(q, gyr=record.gyro[i], acc=record.acc[i])

    return best_of(loop, PEER_SAMPLES)


def _imufusion_seconds(imufusion: Any, record: ImuRecord) -> float:
    peer = imufusion.Ahrs()
    peer.set_sample_period(0.001)

    def loop() -> None:
        for i in range(PEER_SAMPLES):
            peer.update_no_magnetometer(record.gyro[i], record.acc[i])

    return best_of(loop, PEER_SAMPLES)


def _estimator_line(robot: armlab.Robot) -> Line:
    t = np.arange(2000) / 100.0
    told = armlab.plan_joint(robot, [robot.home, robot.home + 0.5]).stretched(10.0).sample(t)
    mounts = [Mount(link) for link in ("link_2", "link_4", "link_6")]
    records = [record_of(t, sensor_motion(robot, mount, *told), mount.link, None) for mount in mounts]
    return Line(
        "arm estimator, three IMUs, per update",
        ARM,
        best_of(lambda: estimate_arm(robot, mounts, records, told), len(t)),
    )
