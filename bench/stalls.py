"""How soon is a stalled servo noticed, and how often is there a false alarm? `python -m bench.stalls 2 100`.

A simulated Braccio with soft servos and play in its gears, an MPU-6050 on its gripper, and moves at speeds from 5 to
100 %, with pauses. Stiffness, damping and play of every servo are drawn within ±20 % for every run; the detector knows
what they are on average. The two numbers are hours without a stall and runs with one; an hour takes two minutes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import armlab
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState, Trajectory
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import Imu
from armlab.sensing.mount import Mount
from armlab.sensing.presets import preset
from armlab.sensing.stall import find_stall
from armlab.sim.drives import Drive

MOUNT, RATE = Mount("gripper"), 100.0
PLAY = math.radians(2.0)
STIFFNESS, DAMPING, FRICTION = 9.0, 0.25, 0.005
"""N m/rad, N m s/rad, N m of the largest servo."""
SIZES = (1.0, 1.0, 0.8, 0.6, 0.4)
"""Of the servos of the joints."""
SPEEDS = (0.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0)
"""°/s: where the rows of the table begin."""


class Run(NamedTuple):
    """What was commanded and what the sensor read; which joint stalled and when (−1 and inf: none did)."""

    commands: JointState
    record: ImuRecord
    stalled: int = -1
    stall_time: float = math.inf

    @property
    def speed(self) -> float:
        """°/s: how fast the stalled joint should have turned in the half second after its stall, on average."""
        t, at = self.record.t, self.commands.q[:, self.stalled]
        ends = np.interp([self.stall_time, self.stall_time + 0.5], t, at)
        return math.degrees(abs(float(ends[1] - ends[0]))) / 0.5


def healthy_run(robot: Robot, seed: int, moves: int = 6) -> Run:
    """Return a run of some moves in which no servo stalls."""
    rng = np.random.default_rng([seed, 1])
    whole = Trajectory.rest(np.array(robot.home), 2.0)
    for _move in range(moves):
        whole = _moved(robot, rng, _paused(rng, whole))
    return _followed(robot, rng, whole, seed)


def stalled_run(robot: Robot, seed: int) -> Run:
    """Return a run of two moves in the second of which a servo stalls: at its start (every fourth) or later."""
    rng = np.random.default_rng([seed, 2])
    first = _paused(rng, _moved(robot, rng, Trajectory.rest(np.array(robot.home), 2.0)))
    whole = _moved(robot, rng, first)
    share = rng.uniform() if rng.uniform() > 0.25 else 0.0
    when = first.duration + share * (whole.duration - first.duration)
    return _followed(robot, rng, whole, seed, int(rng.integers(robot.dof)), round(when, 2))


def _paused(rng: np.random.Generator, whole: Trajectory) -> Trajectory:
    """Return a motion and a pause after it."""
    at = whole.sample(np.array([whole.duration])).q[0]
    return whole.then(Trajectory.rest(at, rng.uniform(0.1, 1.0)))


def _moved(robot: Robot, rng: np.random.Generator, whole: Trajectory) -> Trajectory:
    """Return a motion and a move to a random configuration clear of the limits after it, at a random speed."""
    at = whole.sample(np.array([whole.duration])).q[0]
    goal = robot.lower + rng.uniform(0.1, 0.9, robot.dof) * (robot.upper - robot.lower)
    limits = armlab.limits_of(robot).scaled(speed=math.exp(rng.uniform(math.log(0.05), 0.0)))
    return whole.then(armlab.plan_joint(robot, [at, goal], limits=limits))


def nominal_servos() -> list[Drive]:
    """Return servos as soft as those of a Braccio."""
    return [_servo(size, (1.0, 1.0, 1.0)) for size in SIZES]


def _drawn_servos(rng: np.random.Generator) -> list[Drive]:
    """Return servos whose stiffness, damping and play differ from the nominal ones by up to 20 %."""
    return [_servo(size, rng.uniform(0.8, 1.2, 3)) for size in SIZES]


def _servo(size: float, shares: Sequence[float]) -> Drive:
    stiffness, damping, play = (float(share) for share in shares)
    return Drive(
        STIFFNESS * size * stiffness,
        DAMPING * size * damping,
        1.2 * size + 0.3,
        armature=2e-3,
        friction=FRICTION,
        backlash=PLAY * play,
        gravity_compensation=False,
    )


def _followed(
    robot: Robot, rng: np.random.Generator, motion: Trajectory, seed: int, stalled: int = -1, when: float = math.inf
) -> Run:
    """Return what the sensor reads while the simulated arm follows a motion; one servo may stand from some time on."""
    simulation = armlab.Simulation(armlab.Scene.of(robot), drives=_drawn_servos(rng), contacts="none")
    simulation.step(1500)  # the arm sags into its play
    sensor = Imu(MOUNT, preset("mpu-6050"), rate=RATE, seed=seed)
    sensor.attach(simulation)
    settled = simulation.time
    times = motion.times(simulation.timestep)[1:]
    times = times[times < when + 4.0]
    at, speed, _qdd = (np.array(v) for v in motion.sample(times))
    if stalled >= 0:
        late = times >= when
        at[late, stalled], speed[late, stalled] = at[np.argmax(late), stalled], 0.0
    for start in range(0, len(times), 500):
        simulation.follow(at[start : start + 500], speed[start : start + 500])
    read = sensor.record()
    record = replace(read, t=read.t - settled)
    return Run(motion.sample(record.t), record, stalled, when)


def first_alarm(robot: Robot, run: Run) -> float:
    """Return when the detector first says that a servo stands; inf: never."""
    found = find_stall(robot, [MOUNT], [run.record], run.commands, servos=nominal_servos())
    return math.inf if found is None else found.time


def main(hours: float, stalls: int, first_seed: int = 1) -> None:
    """Print false alarms in so many hours, and for each speed the share of stalls that are noticed in time."""
    robot, seed = armlab.load("braccio"), first_seed
    alarms, seconds = 0, 0.0
    while seconds < 3600.0 * hours:
        run = healthy_run(robot, seed)
        alarms, seconds, seed = alarms + math.isfinite(first_alarm(robot, run)), seconds + run.record.t[-1], seed + 1
    print(f"{alarms} alarms in {seconds / 3600.0:.2f} h without a stall")
    found: list[list[float]] = [[] for _bin in SPEEDS]
    for number in range(stalls):
        run = stalled_run(robot, first_seed + number)
        late = first_alarm(robot, run) - run.stall_time
        found[int(np.searchsorted(SPEEDS, run.speed, side="right")) - 1].append(late if late > 0.0 else math.inf)
    for lowest, late_by in zip(SPEEDS, found, strict=True):
        shares = [f"{np.mean(np.array(late_by) <= limit):.0%} in {limit:g} s" for limit in (0.5, 1.0, 2.0) if late_by]
        print(f"from {lowest:g} °/s: {len(late_by)} stalls,", ", ".join(shares))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
