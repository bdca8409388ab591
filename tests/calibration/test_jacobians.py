"""Every derivative that a calibration uses, against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.calibration import ClosedLoops, Distances, PlaneTouches, Poses, Positions, SphereTouches
from armlab.calibration.error_chain import ErrorValues, right_jacobian
from armlab.calibration.least_squares import CalibrationProblem
from armlab.calibration.loads import gravity_loads
from armlab.calibration.measurements import inverse_left_jacobian
from armlab.calibration.parameters import Model, parameters_of
from armlab.dynamics import GRAVITY
from armlab.geometry import pose
from armlab.model.robot import Robot
from oracles.arms import random_arm

ODD = random_arm("odd", ("revolute", "prismatic", "revolute", "revolute"), seed=4)


def all_kinds(robot: Robot, q: Floats, rng: np.random.Generator) -> list[object]:
    T = robot.fk(q)
    T[:, :3, 3] += rng.normal(0, 0.01, (len(q), 3))
    length = np.linalg.norm(T[:, :3, 3] - 2.0, axis=1)
    return [
        Poses(q, T),
        Positions(q, T[:, :3, 3]),
        Distances(q, length),
        Distances(q, length, anchor=np.full(3, 2.0), unknown_zero=True),
        PlaneTouches(q),
        PlaneTouches(q, plane=np.array([1.0, 2.0, 3.0, 0.5])),
        SphereTouches(q, 0.1),
        SphereTouches(q, 0.1, centre=np.full(3, 2.0)),
        ClosedLoops(q),
        ClosedLoops(q, point=np.zeros(3)),
    ]


@pytest.mark.parametrize("model", ["offsets", "geometry", "elastic", "full"])
@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "scara", "odd"])
def test_the_jacobian_of_every_parameter_and_measurement(name: str, model: Model) -> None:
    robot = ODD if name == "odd" else armlab.load(name)
    rng = np.random.default_rng(3)
    q = rng.uniform(robot.lower, robot.upper, (5, robot.dof))
    loads = gravity_loads(robot, robot.tool.inertia, q, np.array(GRAVITY))
    parameters = parameters_of(robot, model, loads)
    start = ErrorValues.none(robot.dof)
    start.frame += rng.normal(0, 0.01, start.frame.shape)
    start.tool += rng.normal(0, 0.01, 6)
    start.base += rng.normal(0, 0.01, 6)
    start.compliance += 1e-6
    start.bending += 1e-6
    for measured in all_kinds(robot, q, rng):
        problem = CalibrationProblem(robot, [measured], parameters, start, loads)  # type: ignore[list-item]
        x = problem.x0 + problem.scale * rng.normal(0, 1.0, len(problem.x0))
        _residuals, J = problem.at(x)
        for k, scale in enumerate(problem.scale):
            h = 1e-3 * scale
            step = np.zeros(len(x))
            step[k] = h
            difference = (problem.residuals(x + step) - problem.residuals(x - step)) / (2.0 * h)
            np.testing.assert_allclose(
                J[:, k] * scale, difference * scale, atol=1e-7 * max(1.0, abs(J[:, k]).max() * scale)
            )


def test_the_jacobians_of_rotation_vectors() -> None:
    rng = np.random.default_rng(1)

    def turn(w: Floats) -> Floats:
        return pose.from_xyz_axis_angle(np.zeros(3), w, float(np.linalg.norm(w)))[:3, :3]

    for w in rng.normal(0, 0.7, (20, 3)):
        d = rng.normal(0, 1e-6, 3)
        np.testing.assert_allclose(turn(w + d), turn(w) @ turn(right_jacobian(w) @ d), atol=1e-11)
        moved = pose.rotation_vector(turn(d) @ turn(w))
        np.testing.assert_allclose(moved - w, inverse_left_jacobian(w[None])[0] @ d, atol=1e-11)
