"""Small machines and bodies for the tests of simulations."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import Drive

FAR = 1000.0


def rod(length: float = 1.0, mass: float = 1.0) -> Inertia:
    """A thin rod from its frame's origin along x."""
    about_its_middle = mass * length**2 / 12.0
    return Inertia(mass, np.array([length / 2.0, 0.0, 0.0]), np.diag([0.0, about_its_middle, about_its_middle]))


def turning(name: str, x: float, axis: ArrayLike, effort: float = math.inf, velocity: float = math.inf) -> Joint:
    place = pose.from_xyz([x, 0.0, 0.0])
    return Joint(name, "revolute", place, np.asarray(axis), -FAR, FAR, velocity=velocity, effort=effort)


def pendulum(links: int = 2) -> Robot:
    """Thin rods of 1 m and 1 kg, one after the other along x, that swing about y."""
    joints = tuple(turning(f"j{i}", float(i > 0), [0.0, 1.0, 0.0]) for i in range(links))
    bars = tuple(Link(f"l{i}", rod()) for i in range(links))
    return Robot(
        name="pendulum", joints=joints, links=(Link("ground"), *bars), home=np.zeros(links), source="made up for tests"
    )


def turntable(inertia: float = 0.5, effort: float = math.inf, velocity: float = math.inf) -> Robot:
    """One link that turns about the vertical: gravity does nothing to it."""
    weight = Inertia(2.0, np.zeros(3), np.diag([inertia, inertia, inertia]))
    joint = turning("turn", 0.0, [0.0, 0.0, 1.0], effort, velocity)
    return Robot(
        name="turntable",
        joints=(joint,),
        links=(Link("foot"), Link("plate", weight)),
        home=np.zeros(1),
        source="made up for tests",
    )


@lru_cache(maxsize=64)
def drives_of(robot: Robot) -> tuple[Drive, ...]:
    return choose_drives(robot)


def box(
    name: str,
    at: ArrayLike,
    mass: float | None = None,
    size: tuple[float, ...] = (0.1, 0.1, 0.1),
    *,
    rpy: ArrayLike = (0.0, 0.0, 0.0),
    friction: float = 0.6,
    belt: Floats | None = None,
) -> Body:
    T = pose.from_xyz_rpy(at, rpy)
    return Body(name, (Shape("box", size, np.eye(4)),), T, mass, friction=friction, belt=belt)


def with_bodies(*bodies: Body) -> Scene:
    """A scene of bodies, and a turntable far away because a simulation needs an arm."""
    return Scene.of(turntable().with_base(pose.from_xyz([50.0, 50.0, 0.0])), bodies=bodies)


def smooth(start: ArrayLike, end: ArrayLike, duration: float) -> Trajectory:
    """A quintic from rest to rest."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    coefficients = np.zeros((1, 6, len(a)))
    coefficients[0, 0] = a
    for power, factor in ((3, 10.0), (4, -15.0), (5, 6.0)):
        coefficients[0, power] = factor * (b - a)
    return Trajectory(PiecewisePolynomial(np.array([0.0, duration]), coefficients))


def towards_the_middle(robot: Robot, turn: float, shift: float) -> Floats:
    """Joint values `turn` (rad) or `shift` (m) away from home, on the side with more room."""
    room = np.where(robot.upper - robot.home > robot.home - robot.lower, 1.0, -1.0)
    size = np.where([joint.kind == "revolute" for joint in robot.joints], turn, shift)
    return np.asarray(np.clip(robot.home + room * size, robot.lower, robot.upper))
