"""The arm-aware estimator: joints from sensors on links, in theory and on a simulated Braccio with soft servos."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sensing.braccio import MOUNT, SoftRun, soft_run, tour

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.motion.trajectory import Trajectory
from armlab.sensing.arm_estimator import ServoModel, estimate_arm, observability
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.truth import record_of, sensor_motion

LINKS = ("upper_arm", "forearm", "gripper")


def rms(error: Floats) -> float:
    return float(np.sqrt(np.mean(error**2)))


@pytest.fixture(scope="module")
def healthy() -> SoftRun:
    return soft_run(tour(armlab.load("braccio"), 1, 3), 1)


def test_one_cheap_sensor_on_the_gripper_halves_the_error_of_commanded_angles(healthy: SoftRun) -> None:
    found = estimate_arm(healthy.robot, [MOUNT], [healthy.record], healthy.commands)
    assert math.degrees(rms(healthy.commands.q - healthy.q)) > 1.5
    assert rms(found.q - healthy.q) < 0.5 * rms(healthy.commands.q - healthy.q)


def test_the_sensor_makes_up_for_a_wrong_idea_of_the_servos(healthy: SoftRun) -> None:
    stiff = ServoModel(compliance=0.03, play=0.004)
    blind = ServoModel(compliance=0.03, play=0.004, acc_noise=1e9, gyro_noise=1e9)
    seen, unseen = (
        rms(estimate_arm(healthy.robot, [MOUNT], [healthy.record], healthy.commands, servos=model).q - healthy.q)
        for model in (stiff, blind)
    )
    assert seen < 0.75 * unseen


def test_with_a_sensor_on_each_link_the_joints_are_found_whatever_the_servos_do() -> None:
    robot = armlab.load("braccio")
    trajectory = tour(robot, 4, 2)
    t = np.arange(round(trajectory.duration * 100.0)) / 100.0
    commands = trajectory.sample(t)
    off = np.radians([0.0, 3.0, -2.0, 4.0, 1.0])
    mounts = [Mount(link) for link in LINKS]
    records = [
        record_of(t, sensor_motion(robot, mount, commands.q + off, commands.qd, commands.qdd), mount.link, None)
        for mount in mounts
    ]
    rigid = ServoModel(compliance=0.0, compliance_deviation=1e-6, play=0.0, play_deviation=1e-6, deviation=0.05,
                       deviation_time=100.0, acc_noise=0.1, acc_bias=0.01)  # fmt: skip
    found = estimate_arm(robot, mounts, records, commands, servos=rigid)
    assert math.degrees(rms(found.q[-50:, 1:] - commands.q[-50:, 1:] - off[1:])) < 0.2
    assert (found.deviation[-1, 1:] < 0.05).all()


def test_observability_says_which_joints_cannot_be_seen() -> None:
    robot = armlab.load("braccio")
    one = {view.joint: view for view in observability(robot, [MOUNT], robot.home)}
    assert one["base"].at_rest == 0.0  # it turns about the vertical
    assert one["base"].moving == pytest.approx(1.0)
    for joint in ("shoulder", "elbow", "wrist_vertical"):  # three parallel axes: only their sum is seen
        assert one[joint].at_rest == pytest.approx(1.0 / 3.0)
    three = observability(robot, [Mount(link) for link in LINKS], robot.home)
    assert [round(view.at_rest, 6) for view in three] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert [view.at_rest for view in observability(robot, [Mount("base")], robot.home)] == [0.0] * 5


def test_records_that_do_not_belong_together_are_refused() -> None:
    robot = armlab.load("braccio")
    t = np.arange(20) / 100.0
    record = ImuRecord(t, np.zeros((20, 3)), np.tile([0.0, 0.0, 9.81], (20, 1)))
    later = ImuRecord(t + 0.005, record.gyro, record.acc)
    uneven = ImuRecord(t**1.1, record.gyro, record.acc)
    commands = Trajectory.rest(robot.home, 1.0).sample(t)
    for mounts, records, code in (
        ([], [], "records_and_mounts"),
        ([MOUNT, Mount("forearm")], [record, later], "records_not_together"),
        ([MOUNT], [uneven], "imu_not_even"),
    ):
        with pytest.raises(InvalidInput) as refused:
            estimate_arm(robot, mounts, records, commands)
        assert refused.value.code == code
