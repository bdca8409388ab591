"""What hangs on each joint: forces and moments of weight, in the joint's own frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import weighed
from armlab.geometry.inertia import Inertia
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot


class GravityLoads(NamedTuple):
    """What weight does to each joint, in the frame that the joint has in its parent link, (m, n, …)."""

    along: Floats
    """(m, n): moment about the axis of a turning joint (N m), force along that of a sliding one (N)."""
    across: Floats
    """(m, n, 3): moment at the joint's origin without its part about the axis (N m)."""


def gravity_loads(robot: Robot, carried: Inertia, q: Floats, gravity: Floats) -> GravityLoads:
    """Return what the weight of everything beyond each joint does to it, for joint values (m, n)."""
    if robot.followers:
        raise not_for_coupled(term(_("calibration")))
    m, n = q.shape
    frames = robot.frames(q)
    T_world_flange = frames[:, n] @ robot.flange
    parts = [(link.inertia, frames[:, i + 1]) for i, link in enumerate(weighed(robot).links[1:])]
    parts.append((carried, T_world_flange))
    along, across = np.empty((m, n)), np.empty((m, n, 3))
    mass, first = 0.0, np.zeros((m, 3))  # of all that is beyond the joint: Σ m and Σ m c
    for body, T in reversed(parts[n - 1 :]):
        mass, first = _added(mass, first, body, T)
    for i in reversed(range(n)):
        if i < n - 1:
            mass, first = _added(mass, first, *parts[i])
        joint = robot.joints[i]
        T_world_joint = frames[:, i] @ joint.T_parent_joint
        R, origin = T_world_joint[:, :3, :3], T_world_joint[:, :3, 3]
        moment = np.cross(first - mass * origin, gravity)  # Σ (c − o) × m g
        moment = np.einsum("mji,mj->mi", R, moment)
        force = mass * (np.swapaxes(R, 1, 2) @ gravity)
        about = moment @ joint.axis
        along[:, i] = about if joint.kind == "revolute" else force @ joint.axis
        across[:, i] = moment - about[:, None] * joint.axis
    return GravityLoads(along, across)


def _added(mass: float, first: Floats, body: Inertia, T_world_body: Floats) -> tuple[float, Floats]:
    centre = T_world_body[:, :3, :3] @ body.com + T_world_body[:, :3, 3]
    return mass + body.mass, first + body.mass * centre
