"""Made-up arms with masses, shapes, odd axes, a base and a tool: what the oracles are asked about."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.parts import Joint, JointKind, Link, Tool
from armlab.model.robot import Robot


def random_frame(rng: np.random.Generator, reach: float = 0.5) -> Floats:
    return pose.from_xyz_axis_angle(rng.uniform(-reach, reach, 3), rng.normal(size=3), rng.uniform(-math.pi, math.pi))


def random_inertia(rng: np.random.Generator) -> Inertia:
    """Return the inertia of five random point masses, so that such a body exists."""
    points, masses = rng.uniform(-0.2, 0.2, (5, 3)), rng.uniform(0.1, 2.0, 5)
    com = masses @ points / masses.sum()
    arms = points - com
    matrix = sum(
        (m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True)),
        np.zeros((3, 3)),
    )
    return Inertia(float(masses.sum()), com, matrix)


def random_arm(name: str, kinds: Sequence[JointKind], seed: int) -> Robot:
    """Return an arm in which nothing is zero, square or aligned."""
    rng = np.random.default_rng(seed)
    joints = tuple(
        Joint(
            f"j{i}",
            kind,
            random_frame(rng),
            rng.normal(size=3),
            -rng.uniform(0.5, 3.0),
            rng.uniform(0.5, 3.0),
            velocity=rng.uniform(0.5, 4.0),
            effort=rng.uniform(10, 300),
        )
        for i, kind in enumerate(kinds)
    )
    shapes = (
        Shape("box", (0.1, 0.2, 0.3), random_frame(rng), "accent"),
        Shape("cylinder", (0.05, 0.4), random_frame(rng), "joint"),
        Shape("sphere", (0.07,), random_frame(rng), "body"),
    )
    return Robot(
        name=name,
        joints=joints,
        links=tuple(Link(f"l{i}", random_inertia(rng), shapes) for i in range(len(kinds) + 1)),
        home=np.zeros(len(kinds)),
        source="made up for tests",
        base=random_frame(rng, 2.0),
        flange=random_frame(rng),
        tool=Tool("probe", "pen", random_frame(rng), random_inertia(rng), shapes[:1]),
    )


def square_arm() -> Robot:
    """Return an arm of right angles: a spherical wrist, a gimbal-locked flange, nothing on the base."""
    places: list[list[float]] = [
        [0, 0, 0.4],
        [0.025, 0, 0],
        [0, 0, 0.315],
        [0.365, 0, 0.035],
        [0, 0, 0],
        [0, 0, 0],
    ]
    axes = ([0, 0, -1], [0, 1, 0], [0, 1, 0], [-1, 0, 0], [0, 1, 0], [-1, 0, 0])
    joints = tuple(
        Joint(f"A{i}", "revolute", pose.from_xyz(place), np.array(axis, float), -2.0, 2.5)
        for i, (place, axis) in enumerate(zip(places, axes, strict=True), 1)
    )
    return Robot(
        name="square",
        joints=joints,
        links=tuple(Link(f"link_{i}", Inertia(1.0 + i)) for i in range(7)),
        home=np.zeros(6),
        source="made up for tests",
        flange=pose.from_xyz_rpy([0.08, 0, 0], [0, math.pi / 2, 0]),
    )


def made_up_arms() -> tuple[Robot, ...]:
    revolute: JointKind = "revolute"
    prismatic: JointKind = "prismatic"
    return (
        random_arm("six-odd", (revolute,) * 6, seed=1),
        random_arm("sliding", (revolute, prismatic, revolute, prismatic), seed=2),
        random_arm("seven", (revolute,) * 7, seed=3),
        random_arm("one", (prismatic,), seed=4),
        square_arm(),
    )


def joint_values(robot: Robot, count: int, seed: int) -> Floats:
    """Return random rows (count, n) between the limits."""
    lower, upper = np.maximum(robot.lower, -10.0), np.minimum(robot.upper, 10.0)
    return np.random.default_rng(seed).uniform(lower, upper, (count, robot.dof))


def rotation_angle(R_one: Floats, R_other: Floats) -> float:
    """Return the angle between two rotations, exact for small ones: from the chord, not from the trace."""
    chord = float(np.linalg.norm(R_one - R_other)) / math.sqrt(8.0)
    return 2.0 * math.asin(min(1.0, chord))


def pose_distance(T_one: Floats, T_other: Floats) -> float:
    """Return the larger of the distance (m) and the angle (rad) between two poses."""
    return max(float(np.linalg.norm(T_one[:3, 3] - T_other[:3, 3])), rotation_angle(T_one[:3, :3], T_other[:3, :3]))
