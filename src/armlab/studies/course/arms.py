"""The arms of the variants, made from a few lengths; lengths in mm, masses in kg."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armlab.catalog.write import robot_toml
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.dh import DhRow, DhTable, robot_from_dh
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.studies.course.lab import Values

MM = 1e-3
BAR = 30.0
"""mm: how thick links are drawn."""


def planar(lengths: Sequence[float], limit: float = 170.0) -> Robot:
    """Return a planar arm that turns about z; its joints go to ± `limit` degrees."""
    return _bars(lengths, np.array([0.0, 0.0, 1.0]), [0.2] * len(lengths), limit)


def upright(lengths: Sequence[float], masses: Sequence[float], effort: float) -> Robot:
    """Return an arm in the vertical plane xz: thin rods with their masses; positive angles lift it."""
    return _bars(lengths, np.array([0.0, -1.0, 0.0]), masses, 170.0, effort)


def _bars(
    lengths: Sequence[float], axis: np.ndarray, masses: Sequence[float], limit: float, effort: float = 50.0
) -> Robot:
    joints, links, x = [], [Link("base")], 0.0
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        joints.append(
            Joint(f"q{k}", "revolute", pose.from_xyz([x, 0.0, 0.0]), axis, -np.radians(limit), np.radians(limit),
                  velocity=3.0, effort=effort)
        )  # fmt: skip
        half, square = 0.5 * length * MM, mass * (length * MM) ** 2 / 12.0
        rod = Inertia(mass, np.array([half, 0.0, 0.0]), np.diag([1e-9, square, square]))
        shape = Shape("box", (length * MM, BAR * MM, BAR * MM), pose.from_xyz([half, 0.0, 0.0]))
        links.append(Link(f"link_{k}", inertia=rod, shapes=(shape,)))
        x = length * MM
    return Robot(
        name="course-arm",
        title="Course arm",
        joints=tuple(joints),
        links=tuple(links),
        home=np.zeros(len(joints)),
        source="a variant of the course; not a real product",
        flange=pose.from_xyz([x, 0.0, 0.0]),
    )


def planar_file(values: Values) -> dict[str, str]:
    """Return the file of the planar arm of a variant, by its name."""
    return {"arm.toml": robot_toml(planar(values["lengths"]))}


def from_rows(rows: Sequence[Sequence[float]]) -> Robot:
    """Return an arm of revolute joints from standard DH rows θ °, d mm, a mm, α °."""
    made = tuple(
        DhRow(f"q{k}", "revolute", np.radians(theta), d * MM, a * MM, np.radians(alpha))
        for k, (theta, d, a, alpha) in enumerate(rows, start=1)
    )
    n = len(made)
    return robot_from_dh(
        DhTable("standard", made, np.eye(4), np.eye(4)),
        name="course-arm",
        lower=[-3.0] * n,
        upper=[3.0] * n,
        source="a variant of the course; not a real product",
    )
