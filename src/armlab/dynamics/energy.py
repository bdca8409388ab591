"""The energy of an arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.dynamics.forces import GRAVITY, mass_matrix, rows_of
from armlab.model.robot import Robot


def kinetic_energy(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Floats:
    """Return the energy of motion (J): a number, or (m,)."""
    (rows, speeds), single = rows_of(robot, q=q, qd=qd)
    energy = 0.5 * np.einsum("mi,mij,mj->m", speeds, mass_matrix(robot, rows), speeds)
    return np.asarray(energy[0] if single else energy)


def potential_energy(robot: Robot, q: ArrayLike, *, gravity: ArrayLike = GRAVITY) -> Floats:
    """Return the energy of height (J) of all that moves, zero at the world's origin: a number, or (m,)."""
    (rows,), single = rows_of(robot, q=q)
    down = as_floats(gravity, (3,), "gravity")
    frames = robot.frames(rows)
    energy = np.zeros(len(rows))
    for i, link in enumerate(robot.links[1:], 1):
        energy -= link.inertia.mass * (_points(frames[:, i], link.inertia.com) @ down)
    tool = robot.tool.inertia
    energy -= tool.mass * (_points(frames[:, -2] @ robot.flange, tool.com) @ down)
    return np.asarray(energy[0] if single else energy)


def _points(T: Floats, point: Floats) -> Floats:
    """Return one point of a moving frame in the world (m, 3)."""
    return np.asarray(T[:, :3, :3] @ point + T[:, :3, 3])
