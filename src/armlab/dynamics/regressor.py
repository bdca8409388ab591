"""Joint forces as a matrix times parameters: τ = Y(q, q̇, q̈) π, and the parameters of an arm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.dynamics.bodies import chain_of, chain_with
from armlab.dynamics.forces import GRAVITY, check_size, gravity_row, refuse, rows_of
from armlab.errors import InvalidInput
from armlab.geometry.inertia import Inertia, of_point
from armlab.kernels.regressor import BODY, DRIVE, regressor_into
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot
from armlab.threads import map_slices

BODY_PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Of a body, in the frame of its joint whose z is the axis: mass, mass times centre, inertia about the origin."""
DRIVE_PARAMETERS = ("Fc", "Fv", "Ir")
"""Of a drive, as the joint feels them: Coulomb friction, viscous friction, inertia of the rotor."""


def torque_regressor(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, gravity: ArrayLike = GRAVITY
) -> Floats:
    """Return Y with τ = Y π: (n, 13 n) or (m, n, 13 n).

    The columns are ten `BODY_PARAMETERS` for each body, then three `DRIVE_PARAMETERS` for each joint, as
    `parameter_names` lists them. The tool belongs to the last body.

    Args:
        robot: the arm; its masses do not matter.
        q: positions (n,) or (m, n).
        qd: speeds, of the same shape; one row (n,) stands for all of them.
        qdd: accelerations, likewise.
        gravity: the acceleration of a falling body in the world (m/s²).

    Raises:
        InvalidInput: if an argument has the wrong shape or is not finite.
        NotSupported: if the arm has coupled joints.
    """
    if robot.followers:
        raise not_for_coupled(term(_("identification")))
    (rows, speeds, accelerations), single = rows_of(robot, q=q, qd=qd, qdd=qdd)
    width = (BODY + DRIVE) * robot.dof
    check_size(robot, rows.size * width)
    down, (constants, revolute, _bodies) = gravity_row(gravity), chain_of(robot).arrays
    Y = np.empty((len(rows), robot.dof, width))

    def fill(part: slice) -> bool:
        return regressor_into(constants, revolute, down, rows[part], speeds[part], accelerations[part], Y[part])

    if not all(map_slices(fill, len(rows))):
        refuse(robot, q=rows, qd=speeds, qdd=accelerations)
    return Y[0] if single else Y


def parameter_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the columns of the regressor: m1, mx1, … Izz1, m2, … and then Fc1, Fv1, Ir1, Fc2, … ."""
    joints = range(1, robot.dof + 1)
    bodies = [f"{name}{i}" for i in joints for name in BODY_PARAMETERS]
    return (*bodies, *(f"{name}{i}" for i in joints for name in DRIVE_PARAMETERS))


def inertial_parameters(robot: Robot) -> Floats:
    """Return the `BODY_PARAMETERS` of the arm's bodies, the tool with the last: (10 n,)."""
    return chain_of(robot).bodies.ravel().copy()


def link_parameters(robot: Robot) -> Floats:
    """Return the `BODY_PARAMETERS` of the links alone, without the tool: (10 n,)."""
    links = [link.inertia for link in robot.links[1:]]
    return chain_with(robot, [(i.mass, i.com, i.matrix) for i in links]).bodies.ravel()


def inertias_of(robot: Robot, parameters: ArrayLike) -> tuple[Inertia, ...]:
    """Return the inertia of each link, in the link's frame, from `BODY_PARAMETERS` (10 n,).

    Raises:
        InvalidInput: if no body has such parameters.
    """
    bodies = as_floats(parameters, (BODY * robot.dof,), "parameters").reshape(-1, BODY)
    found = []
    for i, (mass, *rest) in enumerate(bodies):
        if mass < 0.0 or (mass == 0.0 and any(rest)):
            raise InvalidInput("mass_not_positive", _("mass must be > 0, got {mass:g} kg"), mass=float(mass))
        R = robot.chain.to_link[i]  # from the link's frame to that of the joint
        com = np.array(rest[:3]) / mass if mass > 0.0 else np.zeros(3)
        xx, xy, xz, yy, yz, zz = rest[3:]
        about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * of_point(com)
        found.append(Inertia(float(mass), R.T @ com, R.T @ about @ R))
    return tuple(found)
