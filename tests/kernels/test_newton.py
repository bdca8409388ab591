"""Newton's method towards a pose: its derivatives are those of what it minimises."""

from __future__ import annotations

import numpy as np
import pytest
from coupled_arms import coupled_arm

import armlab
from armlab.arrays import Floats
from armlab.kernels.search import newton
from armlab.kernels.search.nearest import workspace
from armlab.kernels.search.problem import SearchTask
from armlab.kinematics.nearest import newton_chain_of
from armlab.kinematics.task import TASKS
from armlab.model.robot import Robot

WEIGHT, STEP = 7.0, 1e-6
NAMES = ("kuka-kr6-r700", "stanford", "scara", "palletiser")


class Minimised:
    """F of an arm for one target, with its slopes, in units in which sliding joints count in lengths of the arm."""

    def __init__(self, robot: Robot, T: Floats, task: str) -> None:
        self.arm, self.target = newton_chain_of(robot), T
        self.task = SearchTask(TASKS[task].weights, TASKS[task].mode)
        self.scratch = workspace(len(self.arm.revolute), robot.dof)
        self.units = np.where(self.arm.turning > 0.5, 1.0, self.arm.length)

    def value(self, q: Floats) -> float:
        return float(newton.value_at(self.arm, self.target, self.task, WEIGHT, self.scratch, q)[0])

    def slopes(self, q: Floats) -> tuple[Floats, Floats]:
        self.value(q)
        newton.slopes_into(self.arm, self.target, self.task, WEIGHT, self.scratch)
        newton.fold_into(self.arm, self.scratch)
        return self.scratch.gradient.copy(), self.scratch.hessian.copy()


@pytest.mark.parametrize("task", ["pose", "approach", "position", "scara"])
@pytest.mark.parametrize("name", NAMES)
def test_gradient_and_hessian_are_the_derivatives(name: str, task: str) -> None:
    robot, rng = coupled_arm(name) if name == "palletiser" else armlab.load(name), np.random.default_rng(5)
    for _ in range(5):
        q, T = rng.uniform(robot.lower, robot.upper), robot.fk(rng.uniform(robot.lower, robot.upper))
        f = Minimised(robot, T, task)
        gradient, hessian = f.slopes(q)
        steps = np.diag(STEP * f.units)
        by_values = [(f.value(q + d) - f.value(q - d)) / (2.0 * STEP) for d in steps]
        np.testing.assert_allclose(gradient, by_values, atol=1e-7)
        if task == "scara" and name not in {"scara", "palletiser"}:
            continue  # Gauss–Newton: exact only where the rows that the task leaves out are zero
        by_slopes = [(f.slopes(q + d)[0] - f.slopes(q - d)[0]) / (2.0 * STEP) for d in steps]
        np.testing.assert_allclose(hessian, by_slopes, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_a_descent_never_ends_higher_than_it_began_nor_outside_the_limits(name: str) -> None:
    robot, rng = coupled_arm(name) if name == "palletiser" else armlab.load(name), np.random.default_rng(6)
    for _ in range(20):
        q, T = rng.uniform(robot.lower, robot.upper), robot.fk(rng.uniform(robot.lower, robot.upper))
        f = Minimised(robot, T, "pose")
        before = f.value(q)
        after = newton.descend(f.arm, T, f.task, WEIGHT, 30, f.scratch, q)
        assert after == pytest.approx(f.value(q), abs=1e-12)
        assert after <= before
        assert ((q >= robot.lower) & (q <= robot.upper)).all()
