from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.rotation import quaternion
from armlab.kernels.search import lm, lm_step
from armlab.kernels.search.problem import SearchBounds, SearchChain, SearchTask
from armlab.kernels.six import solve_six
from armlab.model.robot import Robot
from strategies import axes, poses, robots_with_q

ROTATION_MASKS = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)]


def workspace(robot: Robot) -> Floats:
    return np.zeros(lm_step.work_size(robot.dof))


def error_rows(robot: Robot, q: Floats, target: Floats, weights: Floats, mode: int) -> tuple[Floats, Floats]:
    """The six error rows at `q`, and the workspace they came from."""
    w = workspace(robot)
    turning = lm_step.kind_of_turning(weights, mode)
    lm_step.forward_into(robot.chain.constants, robot.chain.revolute, q, w)
    lm_step.error_into(target, weights, mode, turning, 1.0, w)
    return w[lm_step.ERROR : lm_step.ERROR + 6].copy(), w


def columns(robot: Robot, q: Floats, weights: Floats, mode: int, w: Floats) -> Floats:
    """The columns (6, n) that a step would use, with no limit in the way and metres as they are."""
    wide = np.full(robot.dof, 1e3)
    turning = lm_step.kind_of_turning(weights, mode)
    lm_step.columns_into(robot.chain.revolute, -wide, wide, weights, turning, 1.0, w, q)
    return w[lm_step.COLUMNS : lm_step.COLUMNS + 6 * robot.dof].reshape(robot.dof, 6).T


def slopes(robot: Robot, q: Floats, target: Floats, weights: Floats, mode: int) -> Floats:
    """How the error rows fall with each joint (6, n), by differences."""
    h, eye = 1e-6, np.eye(robot.dof)
    ahead = [error_rows(robot, q + h * row, target, weights, mode)[0] for row in eye]
    behind = [error_rows(robot, q - h * row, target, weights, mode)[0] for row in eye]
    return -(np.array(ahead) - np.array(behind)).T / (2 * h)


def test_six_equations_are_solved_as_numpy_solves_them() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        J = rng.standard_normal((6, 7))
        A, e = J @ J.T, rng.standard_normal(6)
        triangle: Any = tuple(float(A[i, j]) for i in range(6) for j in range(i + 1))
        rows: Any = tuple(e.tolist())
        np.testing.assert_allclose(np.array(solve_six(triangle, rows)), np.linalg.solve(A, e), rtol=1e-6)


@given(axes(), st.floats(0.0, np.pi))
def test_the_quaternion_of_a_matrix_is_right_at_every_angle(axis: Floats, angle: float) -> None:
    R = pose.from_xyz_axis_angle([0, 0, 0], axis, angle)[:3, :3]
    w, *v = quaternion(*(float(value) for value in R.ravel()))
    expected = axis / np.linalg.norm(axis) * np.sin(angle / 2)
    assert w == pytest.approx(np.cos(angle / 2), abs=1e-14)
    sign = -1.0 if np.dot(v, expected) < 0.0 and w < 1e-9 else 1.0  # at a half turn, both directions are right
    np.testing.assert_allclose(sign * np.array(v), expected, atol=1e-14)


def test_the_exact_half_turns_have_an_axis() -> None:
    for i in range(3):
        diagonal = -np.ones(3)
        diagonal[i] = 1.0
        w, *v = quaternion(*(float(value) for value in np.diag(diagonal).ravel()))
        assert w == 0.0
        np.testing.assert_allclose(np.abs(v), np.eye(3)[i])


@given(robots_with_q(), poses(), st.sampled_from(ROTATION_MASKS))
def test_columns_are_the_derivative_of_the_error_for_a_part_of_the_rotation(
    drawn: tuple[Robot, Floats], target: Floats, mask: tuple[int, int, int]
) -> None:
    robot, q = drawn
    weights = np.array([1.0, 0.0, 1.0, *mask], dtype=np.float64)
    _, w = error_rows(robot, q, target, weights, lm_step.WORLD_ROWS)
    if w[lm_step.COSINE] < 0.05:
        return  # the logarithm jumps at a half turn
    expected = slopes(robot, q, target, weights, lm_step.WORLD_ROWS)
    J = columns(robot, q, weights, lm_step.WORLD_ROWS, w)
    np.testing.assert_allclose(J, expected, atol=1e-5 / w[lm_step.COSINE] ** 2)


@given(drawn=robots_with_q())
@pytest.mark.parametrize("mode", [lm_step.WORLD_ROWS, lm_step.TOOL_AXIS])
def test_columns_are_the_derivative_of_the_error_at_the_target(drawn: tuple[Robot, Floats], mode: int) -> None:
    robot, q = drawn
    target, weights = robot.fk(q), np.ones(6)
    _, w = error_rows(robot, q, target, weights, mode)
    expected = slopes(robot, q, target, weights, mode)
    np.testing.assert_allclose(columns(robot, q, weights, mode, w), expected, atol=1e-5)


@given(robots_with_q(), poses())
def test_a_step_solves_the_damped_normal_equations(drawn: tuple[Robot, Floats], target: Floats) -> None:
    robot, q = drawn
    weights, wide, damping = np.ones(6), np.full(robot.dof, 1e6), 0.3
    e, w = error_rows(robot, q, target, weights, lm_step.WORLD_ROWS)
    J = columns(robot, q, weights, lm_step.WORLD_ROWS, w.copy()).copy()
    moved = q.copy()
    lm_step.step_into(robot.chain.revolute, -wide, wide, weights, lm_step.PLAIN, 1.0, damping, 1, w, moved)
    expected = np.linalg.solve(J.T @ J + damping * np.eye(robot.dof), J.T @ e)
    np.testing.assert_allclose(moved - q, expected, atol=1e-9)


@given(robots_with_q(), poses())
def test_a_step_never_leaves_the_limits(drawn: tuple[Robot, Floats], target: Floats) -> None:
    robot, q = drawn
    weights, lower, upper = np.ones(6), robot.lower.copy(), robot.upper.copy()
    for _ in range(5):
        _, w = error_rows(robot, q, target, weights, lm_step.WORLD_ROWS)
        lm_step.step_into(robot.chain.revolute, lower, upper, weights, lm_step.PLAIN, 1.0, 1e-3, 2, w, q)
        assert (q >= lower).all()
        assert (q <= upper).all()


def test_opposite_tool_axes_are_a_half_turn_apart(robot: Robot) -> None:
    q = np.array([0.3, 0.1, 0.4])
    target = robot.fk(q) @ pose.from_xyz_rpy([0, 0, 0], [np.pi, 0, 0])
    rows, w = error_rows(robot, q, target, np.ones(6), lm_step.TOOL_AXIS)
    assert np.linalg.norm(rows[3:]) == pytest.approx(2.0)
    assert rows[3:] @ robot.fk(q)[:3, 2] == pytest.approx(0.0, abs=1e-12)
    assert lm_step.true_angle(lm_step.TOOL_AXIS, lm_step.MIXED, 4.0, w) == pytest.approx(np.pi)


def solved(robot: Robot, target: Floats, q: Floats, searches: int, steps: int) -> tuple[int, Floats]:
    out = np.empty(lm.OUT_SIZE)
    chain = SearchChain(*robot.chain[:4], 0.3)
    task, bounds = SearchTask(np.ones(6), lm_step.WORLD_ROWS), SearchBounds(1, searches, steps, 1e-6, 1e-6)
    status = lm.solve_into(chain, target, task, bounds, q, out)
    return status, out


def test_a_start_that_is_the_answer_takes_no_step(robot: Robot) -> None:
    q = np.array([0.3, 0.1, 0.4])
    status, out = solved(robot, robot.fk(q), q, 10, 100)
    assert status == lm.CONVERGED
    assert out[lm.ITERATIONS] == 0
    np.testing.assert_array_equal(q, [0.3, 0.1, 0.4])


@pytest.mark.parametrize(("searches", "steps"), [(1, 1000), (7, 1000), (1000, 60)])
def test_the_work_on_an_unreachable_target_is_bounded(robot: Robot, searches: int, steps: int) -> None:
    status, out = solved(robot, pose.from_xyz([5.0, 0, 0]), robot.home.copy(), searches, steps)
    assert status == lm.STALLED
    assert out[lm.RESTARTS] < searches
    assert out[lm.ITERATIONS] < steps + lm.LONGEST_SEARCH + lm.LAST_STEPS


def test_random_places_cover_the_unit_interval() -> None:
    state, values = np.uint64(lm.seeded(0)), []
    for _ in range(4000):
        state = np.uint64(lm.shuffled(state))
        values.append(lm.unit_fraction(state))
    assert min(values) >= 0.0
    assert max(values) < 1.0
    counts = np.histogram(values, bins=10, range=(0, 1))[0]
    assert counts.min() > 300
