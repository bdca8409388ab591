"""Gains of position drives for formats that simulators read: an exported arm that holds what it is told to hold.

A drive pulls with stiffness · (target - q) - damping · qd. About its axis everything that hangs on a joint has the
inertia I = Σ (a·J·a + m |a × r|²), and gravity turns it with τ = a · Σ (r × m g). The stiffness is the larger of I ω²,
which makes a drive of that bandwidth, and |τ| / SAG, with which it gives way by no more than that; the damping is
critical, 2 √(stiffness · I).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.hand import Hand
from armlab.model.robot import Robot

BANDWIDTH = 2.0 * math.pi * 8.0
"""rad/s."""
SAG = 0.002
"""rad or m: how far a joint may give way under gravity."""
GRAVITY = np.array([0.0, 0.0, -9.81])
CONFIGURATIONS = 24
"""Besides home: at random, so that an arm that is folded at home is held when it is stretched, too."""
SEED = 11
GRIP = 0.002
"""m from the target at which fingers press with all their force."""
LEAST = 1e-4
"""kg m² or kg: what a joint carries at least."""


class DriveGains(NamedTuple):
    """Of one joint: N m/rad and N m s/rad, or N/m and N s/m; the effort that it may reach, which may be infinite."""

    stiffness: float
    damping: float
    effort: float


def weight_of(inertia: Inertia, shapes: Sequence[Shape]) -> Inertia:
    """Return the mass of a link, or what its solids weigh where it has none."""
    return inertia if inertia.mass > 0.0 or not shapes else solid.inertia(tuple(shapes))


def drive_gains(robot: Robot) -> tuple[DriveGains, ...]:
    """Return the gains of each joint of an arm."""
    low, high = (np.clip(limit, -math.pi, math.pi) for limit in (robot.lower, robot.upper))
    random = np.random.default_rng(SEED).uniform(low, high, (CONFIGURATIONS, robot.dof))
    seen = [_carried(robot, q) for q in (robot.home, *random)]
    inertias, torques = (np.max([one[i] for one in seen], axis=0) for i in (0, 1))
    stiffness = np.maximum(inertias * BANDWIDTH**2, torques / SAG)
    damping = 2.0 * np.sqrt(stiffness * inertias)
    return tuple(
        DriveGains(float(k), float(c), joint.effort)
        for k, c, joint in zip(stiffness, damping, robot.joints, strict=True)
    )


def finger_gains(hand: Hand) -> DriveGains:
    """Return the gains of the drive that closes all fingers of a hand; each of them gives its force at most."""
    mass = max(sum(finger.inertia.mass for finger in hand.jaws.fingers), LEAST)
    force = hand.jaws.force * len(hand.jaws.fingers)
    stiffness = force / GRIP
    return DriveGains(stiffness, 2.0 * math.sqrt(stiffness * mass), force)


def _carried(robot: Robot, q: Floats) -> tuple[Floats, Floats]:
    """Return the inertia about each axis and the torque of gravity, both (n,), of everything behind the joint."""
    chain = robot.uncoupled
    frames = chain.frames(q if robot.coupling is None else robot.coupling.expand(q))
    bodies = [(frames[i], weight_of(link.inertia, link.shapes)) for i, link in enumerate(robot.links)]
    T_world_flange = frames[-1] @ pose.inverse(robot.tool.T_flange_tool)
    bodies.append((T_world_flange, weight_of(robot.tool.inertia, robot.tool.shapes)))
    names = [joint.name for joint in chain.joints]
    inertias, torques = np.full(robot.dof, LEAST), np.zeros(robot.dof)
    for k, joint in enumerate(robot.joints):
        i = names.index(joint.name)
        T = frames[i + 1]
        axis, origin = T[:3, :3] @ joint.axis, T[:3, 3]
        for T_body, weight in bodies[i + 1 :]:
            R = T_body[:3, :3]
            r = pose.transform(T_body, weight.com) - origin
            if joint.kind == "prismatic":
                inertias[k] += weight.mass
                torques[k] += weight.mass * float(axis @ GRAVITY)
                continue
            inertias[k] += axis @ R @ weight.matrix @ R.T @ axis + weight.mass * float(np.sum(np.cross(axis, r) ** 2))
            torques[k] += weight.mass * float(axis @ np.cross(r, GRAVITY))
    return inertias, np.abs(torques)
