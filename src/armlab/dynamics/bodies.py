"""An arm as a chain of rigid bodies, and what it carries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry import solid
from armlab.geometry.inertia import Inertia, combined, of_point
from armlab.messages import _
from armlab.model.parts import Link
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
    inertias = [link.inertia for link in robot.links[1:]]
    inertias[-1] = combined([(inertias[-1], np.eye(4)), (robot.tool.inertia, robot.flange)])
    return chain_with(robot, [(i.mass, i.com, i.matrix) for i in inertias])


def chain_with(robot: Robot, inertias: Iterable[tuple[float, Floats, Floats]]) -> RigidChain:
    """Return the arm's chain with other bodies: mass, centre and inertia about it, each in the frame of its link."""
    bodies = np.empty((robot.dof, 10))
    for i, (mass, centre, matrix) in enumerate(inertias):
        R = robot.chain.to_link[i]  # from the link's frame to that of the joint, whose z is its axis
        com = R @ centre
        about_origin = R @ matrix @ R.T + mass * of_point(com)
        bodies[i, 0], bodies[i, 1:4] = mass, mass * com
        bodies[i, 4:] = about_origin[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return RigidChain(robot.chain.constants, robot.chain.revolute, bodies)


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
        raise InvalidInput("inertia_without_mass", _("inertia: a load without mass has none"))
    parts = [(robot.tool.inertia, np.eye(4)), (load, robot.tool.T_flange_tool)]
    return robot.with_tool(replace(robot.tool, inertia=combined(parts)))


def weighed(robot: Robot) -> Robot:
    """Return the arm with a mass for every link: its own or, where a file states none, that of its shapes."""
    if all(link.inertia.mass > 0.0 for link in robot.links[1:]):
        return robot
    links = tuple(replace(link, inertia=weight_of(link)) for link in robot.links)
    return replace(robot, links=links, configurations=dict(robot.configurations))


def weight_of(link: Link) -> Inertia:
    """Return what a link weighs; one that states nothing is as heavy as its shapes at the density of an arm."""
    return link.inertia if link.inertia.mass > 0.0 else solid.inertia(link.shapes)


def moving_mass(robot: Robot) -> float:
    """Return the mass (kg) of all that moves: every link but the base, and the tool with what it holds."""
    return float(chain_of(robot.uncoupled).bodies[:, 0].sum())
