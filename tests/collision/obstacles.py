"""Ten objects round an arm, random motions, and random solids: what collision tests are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.collision.parts import part_of
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kernels.collision import gjk
from armlab.model.robot import Robot
from armlab.model.scene import Body
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory

_OBSTACLES: tuple[tuple[Any, tuple[float, ...], tuple[float, float, float]], ...] = (
    ("box", (0.4, 0.7, 0.04), (0.6, 0.0, 0.1)),
    ("box", (0.4, 0.04, 0.6), (0.6, 0.35, 0.4)),
    ("box", (0.1, 0.3, 1.0), (-0.5, 0.3, 0.5)),
    ("box", (0.6, 0.1, 0.6), (0.0, -0.6, 0.3)),
    ("cylinder", (0.05, 0.7), (0.45, -0.35, 0.35)),
    ("cylinder", (0.06, 0.8), (-0.4, -0.4, 0.4)),
    ("cylinder", (0.05, 1.0), (0.0, 0.65, 0.5)),
    ("sphere", (0.1,), (0.4, 0.2, 0.75)),
    ("sphere", (0.12,), (-0.35, 0.0, 0.9)),
    ("sphere", (0.1,), (0.2, -0.25, 1.0)),
)


def box(name: str, size: tuple[float, float, float], xyz: tuple[float, float, float]) -> Body:
    return Body(name, (Shape("box", size, np.eye(4)),), pose.from_xyz(xyz))


def obstacles() -> list[Body]:
    return [
        Body(f"obstacle_{i}", (Shape(kind, size, np.eye(4)),), pose.from_xyz(xyz))
        for i, (kind, size, xyz) in enumerate(_OBSTACLES)
    ]


def configurations(robot: Robot, count: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof))


def motion(start: Floats, end: Floats, duration: float = 2.0) -> Trajectory:
    """Return a straight way in joint space that starts and ends at rest."""
    way, none = end - start, np.zeros_like(start)
    return Trajectory(
        PiecewisePolynomial(np.array([0.0, duration]), np.array([[start, none, none, 10 * way, -15 * way, 6 * way]]))
    )


def random_shape(rng: np.random.Generator, T: Floats | None = None) -> Shape:
    """Return a solid of any kind, with and without edge radii, at `T`."""
    kind = rng.choice(["box", "round box", "cylinder", "bevelled cylinder", "sphere", "loft", "hull"])
    T_link_shape = np.eye(4) if T is None else T
    s = rng.uniform(0.05, 0.4, 10)
    if kind == "hull":
        return Shape("hull", (), T_link_shape, points=rng.uniform(-0.3, 0.3, (12, 3)))
    if kind == "loft":
        shift = rng.uniform(-0.1, 0.1, 2)
        return Shape("loft", (*s[:5], *(0.3 * s[5:7]), 0.02, *shift), T_link_shape)
    if kind == "sphere":
        return Shape("sphere", (s[0],), T_link_shape)
    if "cylinder" in kind:
        return Shape("cylinder", (s[0], s[1], 0.01 if "bevelled" in kind else 0.0), T_link_shape)
    return Shape("box", (*s[:3], 0.01 if "round" in kind else 0.0), T_link_shape)


def distance_of(one: Shape, other: Shape, gap: float = 1e-9) -> tuple[float, float, Floats]:
    """Return bounds on the distance of two solids, and the nearest points (2, 3) of their cores, by the kernel."""
    a, b = part_of(one), part_of(other)
    rows = np.concatenate([a.rows, b.rows])
    spans = [(0, len(a.rows), a.is_pointed), (len(a.rows), len(rows), b.is_pointed)]
    T = pose.inverse(a.T_object_part) @ b.T_object_part
    place = np.concatenate([T[:3, :3].ravel(), T[:3, 3]])
    S = np.zeros((gjk.SIMPLEX_ROWS, gjk.CORNER))
    first, second = (np.array(span, dtype=np.int64) for span in spans)
    lower, upper = gjk.walk(rows, first, second, place, np.inf, -1.0, gap, S)
    thick = a.radius + b.radius
    return lower - thick, upper - thick, pose.transform(a.T_object_part, S[5, :6].reshape(2, 3))
