"""Scenes in which a straight motion of an arm is blocked."""

from __future__ import annotations

from itertools import product

import numpy as np
from collision.obstacles import box, obstacles

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.model.robot import Robot
from armlab.model.scene import Scene


def walled(robot: Robot) -> Scene:
    """A wall before the arm, higher than the tool at half height; it can go over it."""
    return Scene.of(robot, bodies=[box("wall", (0.5, 0.04, 0.5), (0.6, 0.0, 0.25))])


def crowded(robot: Robot) -> Scene:
    """Ten bodies round the arm."""
    return Scene.of(robot, bodies=obstacles())


def free_places(scene: Scene, count: int, seed: int, clearance: float = 0.002) -> Floats:
    """Return configurations (count, n) that are free."""
    robot = scene.robots[0].robot
    lower, upper = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    rows = np.random.default_rng(seed).uniform(lower, upper, (40 * count, robot.dof))
    free = rows[np.asarray(Checker(scene).is_free(rows, clearance=clearance))]
    assert len(free) >= count
    return np.ascontiguousarray(free[:count])


def sides(robot: Robot) -> tuple[Floats, Floats]:
    """Return joint values with the tool low on both sides of the wall of `walled`, as near to each other as can be."""
    checker = Checker(walled(robot))
    found: list[list[Floats]] = []
    for y in (300.0, -300.0):
        T = armlab.pose.from_mm_deg([500.0, y, 200.0, 0.0, 0.0, 180.0])
        solutions = [one.q for one in armlab.all_ik(robot, T) if np.abs(one.q).max() <= np.pi]
        found.append([q for q in solutions if checker.is_free(q, clearance=0.03)])
    one, other = min(product(*found), key=lambda pair: float(np.linalg.norm(pair[1] - pair[0])))
    return one, other
