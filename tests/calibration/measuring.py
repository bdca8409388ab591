"""Measurements of simulated real arms, with noise from a seed; paths of programs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from armlab.arrays import Floats
from armlab.calibration import Poses, Positions, RealArm, real_fk, simulated_poses
from armlab.calibration.compensate import SAMPLING
from armlab.model.robot import Robot
from armlab.program.executor import Executor, Piece
from armlab.program.instructions import Instruction

POSITION, ROTATION = 5e-5, 2e-4


def configurations(real: RealArm, count: int, seed: int) -> Floats:
    """Return random joint values inside the limits."""
    robot = real.nominal
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof))


def measured_poses(
    real: RealArm, q: Floats, seed: int, position: float = POSITION, rotation: float = ROTATION
) -> Poses:
    """Return what a tracker sees: true poses, and noise in metres and radians."""
    return simulated_poses(real, q, noise=position, rotation_noise=rotation, seed=seed)


def measured_positions(real: RealArm, q: Floats, seed: int, position: float = POSITION) -> Positions:
    """Return what a tracker without a probe sees."""
    points = real_fk(real, q)[:, :3, 3] + np.random.default_rng(seed).normal(0.0, position, (len(q), 3))
    return Positions(q, points)


def mean_distance(a: Floats, b: Floats) -> float:
    """Return the mean distance between the origins of poses."""
    return float(np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1).mean())


def joint_path(robot: Robot, instructions: Iterable[Instruction], start: Floats) -> Floats:
    """Return the joint values (m, n) that a program goes through, every 10 ms; impossible moves are skipped."""
    rows = [np.asarray(start, dtype=np.float64)[None]]
    for item in Executor(robot, instructions, start=start, on_error="skip"):
        if isinstance(item, Piece):
            rows.append(item.trajectory.sample(item.trajectory.times(SAMPLING)).q)
    return np.concatenate(rows)
