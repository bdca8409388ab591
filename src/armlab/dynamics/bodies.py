"""An arm as a chain of rigid bodies, and what it carries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.model import pose, solid
from armlab.model.parts import Inertia, Link
from armlab.model.robot import Robot

KEPT_ROBOTS = 256


@dataclass(frozen=True, slots=True, eq=False)
class RigidChain:
    """An arm in the form that armlab.kernels.rigid takes."""

    constants: Floats
    revolute: Floats
    bodies: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """The first arguments of every kernel."""
        return self.constants, self.revolute, self.bodies


@lru_cache(maxsize=KEPT_ROBOTS)
def chain_of(robot: Robot) -> RigidChain:
    """Return the arm's chain of bodies; the tool belongs to the last one."""
    bodies = np.empty((robot.dof, 10))
    for i, link in enumerate(robot.links[1:]):
        T_joint_link = np.eye(4)
        T_joint_link[:3, :3] = robot._to_link[i]
        parts = [(T_joint_link, link.inertia)]
        if i == robot.dof - 1:
            parts.append((T_joint_link @ robot.flange, robot.tool.inertia))
        whole = combined(parts)
        about_origin = whole.matrix + whole.mass * _spread(whole.com)
        bodies[i, 0], bodies[i, 1:4] = whole.mass, whole.mass * whole.com
        bodies[i, 4:] = about_origin[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return RigidChain(robot._constants, robot._revolute, bodies)


def combined(parts: Iterable[tuple[Floats, Inertia]]) -> Inertia:
    """Return the inertia of bodies that are one: each with T_frame_body, all in that frame."""
    placed = [(T[:3, :3], pose.transform(T, inertia.com), inertia) for T, inertia in parts]
    mass = sum(inertia.mass for _, _, inertia in placed)
    if mass == 0.0:
        return Inertia(0.0, np.zeros(3), sum((R @ i.matrix @ R.T for R, _, i in placed), np.zeros((3, 3))))
    com = sum((inertia.mass * c for _, c, inertia in placed), np.zeros(3)) / mass
    matrix = sum((R @ i.matrix @ R.T + i.mass * _spread(c - com) for R, c, i in placed), np.zeros((3, 3)))
    return Inertia(mass, com, 0.5 * (matrix + matrix.T))


def with_payload(robot: Robot, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), matrix: ArrayLike | None = None) -> Robot:
    """Return the same arm whose tool holds a load of `mass` kg.

    Args:
        robot: the arm.
        mass: of the load (kg).
        com: its centre in the tool's frame (m).
        matrix: its inertia about that centre along the tool's axes (kg m²); without one the load is a point.

    Raises:
        InvalidInput: if the mass is negative, or no body has that inertia.
    """
    mass = float(as_floats(mass, (), "mass"))
    load = Inertia(mass, as_floats(com, (3,), "com"), np.zeros((3, 3)) if matrix is None else np.asarray(matrix))
    if mass == 0.0 and load.matrix.any():
        raise InvalidInput("inertia: a load without mass has none")
    parts = [(np.eye(4), robot.tool.inertia), (robot.tool.T_flange_tool, load)]
    return robot.with_tool(replace(robot.tool, inertia=combined(parts)))


def weighed(robot: Robot) -> Robot:
    """Return the arm with a mass for every link: its own or, where a file states none, that of its shapes."""
    if all(link.inertia.mass > 0.0 for link in robot.links[1:]):
        return robot
    links = tuple(replace(link, inertia=weight_of(link)) for link in robot.links)
    return replace(robot, links=links, poses=dict(robot.poses))


def weight_of(link: Link) -> Inertia:
    """Return what a link weighs; one that states nothing is as heavy as its shapes at the density of an arm."""
    return link.inertia if link.inertia.mass > 0.0 else solid.inertia(link.shapes)


def moving_mass(robot: Robot) -> float:
    """Return the mass (kg) of all that moves: every link but the base, and the tool with what it holds."""
    return float(chain_of(robot).bodies[:, 0].sum())


def _spread(c: Floats) -> Floats:
    """Return the inertia about the origin of one kilogram at `c`."""
    return np.asarray(c @ c * np.eye(3) - np.outer(c, c))
