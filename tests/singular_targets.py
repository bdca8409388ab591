"""Joint values close to where arms are singular, and on and close to their limits: where solvers lose solutions."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form import five as five_kernel
from armlab.kernels.closed_form import planar as planar_kernel
from armlab.kernels.closed_form import seven as seven_kernel
from armlab.kernels.closed_form import ur as ur_kernel
from armlab.kernels.closed_form import wrist as wrist_kernel
from armlab.kinematics.closed import five, wrist
from armlab.kinematics.closed.family import Family
from armlab.kinematics.solvers import solver_of
from armlab.model.robot import Robot

HALF = 0.5 * math.pi
SPECIAL = 0.35
"""How likely a joint gets a special value."""

_KERNELS = {
    "planar-2r": planar_kernel,
    "planar-3r": planar_kernel,
    "scara": planar_kernel,
    "yaw-and-roll": five_kernel,
    "spherical-wrist": wrist_kernel,
    "spherical-wrist-slide": wrist_kernel,
    "three-parallel": ur_kernel,
}


def near_singular(robot: Robot, m: int, seed: int) -> Floats:
    """Return joint values (m, n) inside the limits, many of them 1e-12 to 1e-2 away from singular ones and limits."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(robot.lower, robot.upper, (m, robot.dof))
    for i, values in enumerate(special_values(robot)):
        chosen = rng.random(m) < SPECIAL
        q[chosen, i] = rng.choice(values, chosen.sum())
    over = rng.random(m) < 0.25
    for k in np.flatnonzero(over):
        q[k] = _over_the_first_axis(robot, q[k])
    offset = rng.choice([-1.0, 1.0], q.shape) * 10.0 ** rng.uniform(-12.0, -2.0, (m, 1))
    q += np.where(rng.random(q.shape) < 0.5, offset, 0.0)
    return np.asarray(np.clip(q, robot.lower, robot.upper))


def special_values(robot: Robot) -> list[list[float]]:
    """Return for each joint its limits, quarter turns, and the values where elbow or wrist are stretched or folded."""
    rows = [
        [
            robot.lower[i],
            robot.upper[i],
            *((0.0, HALF, -HALF, math.pi, -math.pi) if robot.chain.revolute[i] > 0.5 else ()),
        ]
        for i in range(robot.dof)
    ]
    solver = solver_of(robot)
    if solver.family is not None:
        for i, zero in _zeros(solver.family).items():
            rows[i] += [zero, zero + math.pi, zero - math.pi]
    if solver.seven is not None:
        arm = solver.seven.constants
        for i, k, sign in (
            (1, seven_kernel.TILT, -1.0),
            (3, seven_kernel.STRETCHED, 1.0),
            (4, seven_kernel.STRAIGHT, 1.0),
        ):
            rows[i] += [sign * arm[k], sign * arm[k] + math.pi, sign * arm[k] - math.pi]
    return rows


def _zeros(family: Family) -> dict[int, float]:
    """Return where the canonical angles of the joints are zero."""
    kernel = _KERNELS[family.name]
    if kernel is planar_kernel:
        joint = int(family.parameters[planar_kernel.JOINTS + 1])
        places = {joint: 1}
    else:
        places = {i: i for i in range(5 if kernel is five_kernel else 6)}
        if family.name == "spherical-wrist-slide":
            del places[2]
    return {
        i: float(-family.parameters[kernel.ZEROS + k] * family.parameters[kernel.SIGNS + k]) for i, k in places.items()
    }


def _over_the_first_axis(robot: Robot, q: Floats) -> Floats:
    """Return `q` with joint 2 turned so that the wrist is over axis 1, where the arm has such a place."""
    family = solver_of(robot).family
    if family is None or family.name not in {"yaw-and-roll", "spherical-wrist", "spherical-wrist-slide"}:
        return q
    distance = five.wrist_distance if family.name == "yaw-and-roll" else wrist.wrist_distance
    tried = np.repeat(q[None], 61, axis=0)
    tried[:, 1] = np.linspace(robot.lower[1], robot.upper[1], 61)
    x = distance(family.parameters, tried)
    crossings = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    if not len(crossings):
        return q
    low, high = tried[crossings[0]].copy(), tried[crossings[0] + 1].copy()
    for _ in range(45):
        middle = 0.5 * (low + high)
        if distance(family.parameters, middle[None])[0] * x[crossings[0]] > 0.0:
            low = middle
        else:
            high = middle
    return np.asarray(low)
