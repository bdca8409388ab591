"""The arm-aware estimator: joints from sensors on links, in theory and on a simulated Braccio with soft servos."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sensing.braccio import MOUNT, SoftRun, soft_run, tour

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.motion.trajectory import JointState, Trajectory
from armlab.sensing.arm_estimator import ServoModel, estimate_arm, observability
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.noise import with_errors
from armlab.sensing.presets import preset
from armlab.sensing.stall import THRESHOLD, find_stall, stall_scores
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


def test_healthy_servos_raise_no_alarm(healthy: SoftRun) -> None:
    assert find_stall(healthy.robot, [MOUNT], [healthy.record], healthy.commands) is None


def test_gears_that_change_sides_when_the_arm_starts_raise_no_alarm() -> None:
    """The move of an hour of them (450 tours) in which three gears with parallel axes swing furthest."""
    run = soft_run(tour(armlab.load("braccio"), 1081, 3, pause=0.4), 1081)
    assert find_stall(run.robot, [MOUNT], [run.record], run.commands) is None


@pytest.mark.parametrize(("seed", "joint"), [(1, "wrist_vertical"), (40, "elbow"), (47, "wrist_rotation")])
def test_a_stalled_servo_is_noticed_within_half_a_second(seed: int, joint: str) -> None:
    robot = armlab.load("braccio")
    trajectory, stall_time = tour(robot, seed, 1), 2.3
    which = [joint.name for joint in robot.joints].index(joint)
    assert abs(math.degrees(trajectory.sample(np.array([stall_time])).qd[0, which])) > 30.0
    run = soft_run(trajectory, seed, stalled=which, stall_time=stall_time)
    stall = find_stall(run.robot, [MOUNT], [run.record], run.commands)
    assert stall is not None
    assert 0.0 < stall.time - stall_time < 0.5
    parallel = {"shoulder", "elbow", "wrist_vertical"}  # one sensor sees the sum of their turns
    assert stall.joint == joint or {stall.joint, joint} <= parallel


@pytest.mark.parametrize("joint", ["base", "shoulder", "elbow", "wrist_vertical", "wrist_rotation"])
def test_a_slow_servo_that_stands_is_noticed_before_the_turn_is_10_degrees_off(joint: str) -> None:
    """At 7 °/s, all joints moving alike: play alone may hide 2° about one axis and 6° about three that are parallel."""
    robot = armlab.load("braccio")
    which = [joint.name for joint in robot.joints].index(joint)
    start = np.array(robot.home)
    move = armlab.plan_joint(
        robot, [start, start + math.radians(35.0)], limits=armlab.limits_of(robot).scaled(speed=0.07)
    )
    trajectory = Trajectory.rest(start, 2.0).then(move)
    stall_time = 3.5
    run = soft_run(trajectory, 11, stalled=which, stall_time=stall_time)
    stall = find_stall(run.robot, [MOUNT], [run.record], run.commands)
    assert stall is not None
    assert stall.time > stall_time
    commanded = trajectory.sample(np.array([stall_time, stall.time])).q[:, which]
    assert math.degrees(abs(commanded[1] - commanded[0])) < 10.0


def test_an_hour_of_cheap_sensor_noise_and_lag_raises_no_alarm() -> None:
    """Servos that lag by 60 ms, with all errors of an MPU-6050, for an hour at 50 Hz."""
    robot = armlab.load("braccio")
    part = tour(robot, 7, 12, pause=0.3)
    t = np.arange(round(3600.0 * 50.0)) / 50.0
    phase = np.abs((t + part.duration) % (2.0 * part.duration) - part.duration)  # there and back again
    late = np.abs((t - 0.06 + part.duration) % (2.0 * part.duration) - part.duration)
    sides = [np.where(np.diff(x, prepend=x[0]) < 0.0, -1.0, 1.0)[:, None] for x in (phase, late)]
    told, done = part.sample(phase), part.sample(late)
    commands = JointState(told.q, told.qd * sides[0], told.qdd)
    motion = sensor_motion(robot, MOUNT, done.q, done.qd * sides[1], done.qdd)
    record = with_errors(record_of(t, motion, "gripper", None), preset("mpu-6050"), seed=8)
    biased = ImuRecord(t, record.gyro - record.gyro[:10].mean(axis=0), record.acc)
    late_servos = ServoModel(lag=0.06)
    assert stall_scores(robot, [MOUNT], [biased], commands, servos=late_servos).max() < THRESHOLD


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
