"""A Braccio with soft servos, play in its gears and one cheap sensor on the gripper, for tests."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState, Trajectory
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import imu, imu_record
from armlab.sensing.mount import Mount
from armlab.sensing.presets import preset
from armlab.sensing.sensor import Sensor
from armlab.sim.drives import Drive

RATE = 100.0
MOUNT = Mount("gripper")
PLAY = math.radians(2.0)
STIFFNESS = 9.0
"""N m/rad: a hobby servo of 1.2 N m gives its all at 8° of error."""


class SoftRun(NamedTuple):
    """A run: what was commanded, where the joints were, what the sensor read."""

    robot: Robot
    commands: JointState
    q: Floats
    record: ImuRecord


def tour(robot: Robot, seed: int, moves: int, pause: float = 0.8) -> Trajectory:
    """Return a rest, then moves between random configurations that are clear of the limits, with pauses."""
    rng = np.random.default_rng(seed)
    q = np.array(robot.home)
    whole = Trajectory.rest(q, 2.0)
    for _move in range(moves):
        share = rng.uniform(0.25, 0.75, robot.dof)
        goal = robot.lower + share * (robot.upper - robot.lower)
        whole = whole.then(armlab.plan_joint(robot, [q, goal], limits=armlab.limits_of(robot).scaled(speed=0.5)))
        whole = whole.then(Trajectory.rest(goal, pause))
        q = goal
    return whole


def soft_servos(*, stiffness: float = 1.0, play: float = 1.0) -> list[Drive]:
    """Return the servos of a Braccio, with so many times the usual stiffness and play."""
    return [
        Drive(
            STIFFNESS * size * stiffness,
            0.25 * size,
            1.2 * size + 0.3,
            armature=2e-3,
            friction=0.005,
            backlash=PLAY * play,
            gravity_compensation=False,
        )
        for size in (1.0, 1.0, 0.8, 0.6, 0.4)
    ]


def soft_run(trajectory: Trajectory, seed: int, *, stalled: int | None = None, stall_time: float = math.inf) -> SoftRun:
    """Return what happens when a Braccio with soft servos follows a trajectory; one may stand from some time on."""
    robot = armlab.load("braccio")
    simulation = armlab.Simulation(armlab.Scene.of(robot), drives=soft_servos(), contacts="none")
    simulation.step(1500)  # the arm sags into its play
    sensor = Sensor(imu(MOUNT, preset("mpu-6050"), RATE, seed=seed))
    sensor.attach(simulation)
    settled = simulation.time
    q: list[Floats] = []
    simulation.every(RATE, lambda s: q.append(s.state().q))
    times = trajectory.times(simulation.timestep)[1:]
    told = trajectory.sample(times)
    at, speed = told.q.copy(), told.qd.copy()
    if stalled is not None:
        late = times >= stall_time
        first = int(np.argmax(late))
        at[late, stalled], speed[late, stalled] = at[first, stalled], 0.0
    for start in range(0, len(times), 500):
        simulation.follow(at[start : start + 500], speed[start : start + 500])
    read = imu_record(sensor.spec, sensor.samples())
    record = replace(read, t=read.t - settled)
    return SoftRun(robot, trajectory.sample(record.t), np.array(q), record)
