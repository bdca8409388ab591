"""A servo that stands is noticed, on a simulated Braccio with soft servos whose values are not quite those believed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sensing.braccio import MOUNT, SoftRun, soft_run, soft_servos, tour

import armlab
from armlab.motion.trajectory import JointState, Trajectory
from armlab.sensing.healthy_arm import healthy_rates
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.noise import with_errors
from armlab.sensing.presets import preset
from armlab.sensing.stall import Stall, find_stall, stall_scores
from armlab.sensing.truth import record_of, sensor_motion
from armlab.sim.drives import Drive

BELIEVED = soft_servos(stiffness=1.15, play=0.85)
STIFF = [Drive(2000.0, 40.0) for _joint in range(5)]
PARALLEL = {"shoulder", "elbow", "wrist_vertical"}
"""One sensor sees the sum of their turns."""


def found(run: SoftRun) -> Stall | None:
    return find_stall(run.robot, [MOUNT], [run.record], run.commands, servos=BELIEVED)


def stalled_at_speed(joint: str, degrees_per_second: float, seed: int) -> tuple[Stall | None, float]:
    """Return what is found when all joints move alike and one stalls, and when it did."""
    robot = armlab.load("braccio")
    which = [joint.name for joint in robot.joints].index(joint)
    start = np.array(robot.home)
    limits = armlab.limits_of(robot).scaled(speed=degrees_per_second / 100.0)
    move = armlab.plan_joint(robot, [start, start + math.radians(35.0)], limits=limits)
    stall_time = 3.0
    trajectory = Trajectory.rest(start, 2.0).then(move)
    return found(soft_run(trajectory, seed, stalled=which, stall_time=stall_time)), stall_time


@pytest.mark.parametrize(("seed", "pause"), [(1, 0.8), (1081, 0.4)])
def test_healthy_servos_raise_no_alarm(seed: int, pause: float) -> None:
    """The second are moves in which three gears with parallel axes change sides together."""
    assert found(soft_run(tour(armlab.load("braccio"), seed, 3, pause=pause), seed)) is None


@pytest.mark.parametrize(("seed", "joint"), [(1, "wrist_vertical"), (40, "elbow"), (47, "wrist_rotation")])
def test_a_stalled_servo_is_noticed_within_half_a_second(seed: int, joint: str) -> None:
    robot = armlab.load("braccio")
    trajectory, stall_time = tour(robot, seed, 1), 2.3
    which = [joint.name for joint in robot.joints].index(joint)
    stall = found(soft_run(trajectory, seed, stalled=which, stall_time=stall_time))
    assert stall is not None
    assert 0.0 < stall.time - stall_time < 0.5
    assert stall.joint == joint or {stall.joint, joint} <= PARALLEL


@pytest.mark.parametrize("joint", sorted(PARALLEL))
def test_a_joint_whose_gear_the_load_holds_is_noticed_in_half_a_second_at_8_degrees_a_second(joint: str) -> None:
    stall, stall_time = stalled_at_speed(joint, 8.0, 11)
    assert stall is not None
    assert stall.joint in PARALLEL
    assert 0.0 < stall.time - stall_time < 0.5


@pytest.mark.parametrize("joint", ["base", "wrist_rotation"])
def test_a_joint_that_no_load_holds_is_noticed_once_it_has_run_through_its_play(joint: str) -> None:
    """Its link goes on by itself for 2°, a third of a second at 6 °/s, and then half a second is enough."""
    stall, stall_time = stalled_at_speed(joint, 6.0, 11)
    assert stall is not None
    assert 0.0 < stall.time - stall_time < 2.0 / 6.0 + 0.5


def test_minutes_of_cheap_sensor_noise_and_lag_raise_no_alarm() -> None:
    """Servos that lag by 60 ms, of which 50 are known, with all errors of an MPU-6050."""
    robot = armlab.load("braccio")
    part = tour(robot, 7, 6, pause=0.3)
    t = np.arange(round(300.0 * 50.0)) / 50.0
    phase = np.abs((t + part.duration) % (2.0 * part.duration) - part.duration)  # there and back again
    late = np.abs((t - 0.06 + part.duration) % (2.0 * part.duration) - part.duration)
    sides = [np.where(np.diff(x, prepend=x[0]) < 0.0, -1.0, 1.0)[:, None] for x in (phase, late)]
    told, done = part.sample(phase), part.sample(late)
    commands = JointState(told.q, told.qd * sides[0], told.qdd)
    motion = sensor_motion(robot, MOUNT, done.q, done.qd * sides[1], done.qdd)
    record = with_errors(record_of(t, motion, "gripper", None), preset("mpu-6050"), seed=8)
    biased = ImuRecord(t, record.gyro - record.gyro[:10].mean(axis=0), record.acc)
    assert stall_scores(robot, [MOUNT], [biased], commands, servos=STIFF, lag=0.05).max() < 1.0


def test_stiff_servos_turn_the_sensors_as_commanded() -> None:
    """At a rate that is no whole number of steps, and for two sensors."""
    robot = armlab.load("braccio")
    trajectory, mounts = tour(robot, 3, 1), [Mount("forearm"), MOUNT]
    t = np.arange(0.0, trajectory.duration, 1.0 / 119.0)
    told = trajectory.sample(t)
    rates = healthy_rates(robot, mounts, t, np.stack(told, axis=1), STIFF)
    exact = np.hstack([sensor_motion(robot, mount, *told)[:, :3] for mount in mounts])
    assert np.abs(rates - exact).max() < 0.02 * np.abs(exact).max()
