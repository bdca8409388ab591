from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab import catalog
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.numeric import search_batch, search_one
from armlab.kinematics.task import TASKS, Task, as_task
from armlab.model.robot import Robot
from strategies import poses, robots_with_q

ARMS = ["franka-panda", "ur5e", "kuka-kr6-r700", "stanford", "braccio", "scara", "planar3", "planar2"]
POSE = TASKS["pose"]


def uniform(robot: Robot, m: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (m, robot.dof))


def hard(robot: Robot, m: int, seed: int) -> Floats:
    """Joint values of which every third or so is on a limit, at zero or in the middle."""
    rng = np.random.default_rng(seed)
    middle = (robot.lower + robot.upper) / 2
    special = np.stack([robot.lower, robot.upper, np.clip(0.0, robot.lower, robot.upper), middle])
    chosen = special[rng.integers(0, 4, (m, robot.dof)), np.arange(robot.dof)]
    return np.where(rng.random((m, robot.dof)) < 0.3, chosen, uniform(robot, m, seed + 1))


def errors(robot: Robot, q: Floats, T: Floats) -> tuple[Floats, Floats]:
    """Position errors (m) and rotation errors (rad) of the tool at the rows of `q`."""
    at = robot.fk(q)
    turn = pose.rotation_vector(T[:, :3, :3] @ np.swapaxes(at[:, :3, :3], 1, 2))
    return np.linalg.norm(at[:, :3, 3] - T[:, :3, 3], axis=1), np.linalg.norm(turn, axis=1)


def inside(robot: Robot, q: Floats) -> bool:
    return bool((q >= robot.lower).all() and (q <= robot.upper).all())


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("draw", [uniform, hard])
def test_every_reachable_pose_is_reached_inside_the_limits(name: str, draw: type) -> None:
    robot = catalog.load(name)
    T, start = robot.fk(draw(robot, 200, 7)), uniform(robot, 200, 8)
    one = [search_one(robot, T[i], start[i], POSE) for i in range(len(T))]
    every = search_batch(robot, T, start, POSE)
    for q, converged in (
        (np.array([a.q for a in one]), np.array([a.converged for a in one])),
        (every.q, every.converged),
    ):
        assert converged.all()
        assert inside(robot, q)
        position, rotation = errors(robot, q, T)
        assert position.max() < 1e-6
        assert rotation.max() < 1e-6
        assert np.median(np.maximum(position, rotation)) < 1e-9


@given(robots_with_q(), st.integers(0, 1000))
def test_what_is_called_converged_is_there(drawn: tuple[Robot, Floats], seed: int) -> None:
    robot, q = drawn
    T = robot.fk(q)
    answer = search_one(robot, T, uniform(robot, 1, seed)[0], POSE, searches=200)
    position, rotation = (float(e[0]) for e in errors(robot, answer.q[None], T[None]))
    assert inside(robot, answer.q)
    assert answer.converged == (position <= 1e-6 and rotation <= 1e-6)
    assert answer.position_error == pytest.approx(position, abs=1e-12)
    assert answer.rotation_error == pytest.approx(rotation, abs=1e-12)


@given(robots_with_q(), poses())
def test_the_errors_of_a_failed_search_are_true(drawn: tuple[Robot, Floats], T: Floats) -> None:
    robot, start = drawn
    answer = search_one(robot, T, start, POSE, searches=3)
    position, rotation = (float(e[0]) for e in errors(robot, answer.q[None], T[None]))
    assert answer.position_error == pytest.approx(position, abs=1e-9)
    assert answer.rotation_error == pytest.approx(rotation, abs=1e-9)
    assert inside(robot, answer.q)


@pytest.mark.parametrize("name", ARMS)
def test_a_target_close_by_is_met_close_by(name: str) -> None:
    robot = catalog.load(name)
    rng = np.random.default_rng(2)
    start = robot.lower + (robot.upper - robot.lower) * rng.uniform(0.1, 0.9, (100, robot.dof))
    away = rng.standard_normal(start.shape)
    away *= math.radians(0.5) / np.linalg.norm(away, axis=1, keepdims=True)
    away[:, robot.chain.revolute < 0.5] *= 0.3
    T = robot.fk(start + away)
    for i in range(len(T)):
        answer = search_one(robot, T[i], start[i], POSE)
        assert answer.converged
        assert answer.restarts == 0
        assert np.abs(answer.q - start[i]).max() < math.radians(8)


def test_the_same_call_gives_the_same_answer_and_another_seed_searches_elsewhere() -> None:
    robot = catalog.load("kuka-kr6-r700")
    T, start = robot.fk(uniform(robot, 60, 1)), uniform(robot, 60, 2)
    first, second = search_batch(robot, T, start, POSE), search_batch(robot, T, start, POSE)
    np.testing.assert_array_equal(first.q, second.q)
    np.testing.assert_array_equal(first.restarts, second.restarts)
    other = search_batch(robot, T, start, POSE, seed=5)
    again = first.restarts > 0
    assert again.any()
    assert other.converged.all()
    assert not np.array_equal(first.q[again], other.q[again])
    np.testing.assert_allclose(first.q[~again], other.q[~again], atol=1e-12)


def test_the_answer_for_a_target_does_not_depend_on_its_neighbours() -> None:
    robot = catalog.load("franka-panda")
    T, start = robot.fk(uniform(robot, 150, 3)), uniform(robot, 150, 4)
    order = np.random.default_rng(5).permutation(150)
    straight = search_batch(robot, T, start, POSE)
    mixed = search_batch(robot, T[order].copy(), start[order].copy(), POSE)
    alone = np.array([search_one(robot, T[i], start[i], POSE).q for i in range(150)])
    np.testing.assert_allclose(straight.q[order], mixed.q, atol=1e-5)
    np.testing.assert_allclose(straight.q, alone, atol=1e-5)


@pytest.mark.parametrize("m", [0, 1, 4, 5, 16, 17, 40])
def test_a_batch_may_have_any_size(m: int) -> None:
    robot = catalog.load("scara")
    answers = search_batch(robot, robot.fk(uniform(robot, m, 1)), uniform(robot, m, 2), POSE)
    assert answers.q.shape == (m, 4)
    assert answers.converged.all()


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, -1]])
def test_a_target_half_a_turn_away_is_met(axis: list[float]) -> None:
    robot = catalog.load("franka-panda")
    q = np.array([0.2, 0.3, -0.1, -1.8, 0.2, 2.0, 0.4])
    T = robot.fk(q)
    T[:3, :3] = pose.from_xyz_axis_angle([0, 0, 0], axis, math.pi)[:3, :3] @ T[:3, :3]
    T[:3, 3] = [0.35, 0.1, 0.45]
    one = search_one(robot, T, q, POSE)
    many = search_batch(robot, np.repeat(T[None], 30, axis=0), np.repeat(q[None], 30, axis=0), POSE)
    assert one.converged
    assert many.converged.all()
    assert max(e.max() for e in errors(robot, many.q, np.repeat(T[None], 30, axis=0))) < 1e-6


MASKS = [
    TASKS["position"],
    TASKS["planar"],
    TASKS["planar-pose"],
    TASKS["scara"],
    as_task([True, False, True, False, True, False]),
    as_task([False, False, False, True, True, True]),
    as_task([False, True, False, False, True, True]),
]


@pytest.mark.parametrize("task", MASKS, ids=lambda task: "".join("01"[row] for row in task.mask))
@pytest.mark.parametrize("name", ["ur5e", "franka-panda", "stanford"])
def test_a_mask_meets_its_rows_and_no_others(name: str, task: Task) -> None:
    robot = catalog.load(name)
    T, start = robot.fk(uniform(robot, 40, 3)), uniform(robot, 40, 4)
    answers = search_batch(robot, T, start, task)
    assert answers.converged.all()
    at = robot.fk(answers.q)
    turn = pose.rotation_vector(T[:, :3, :3] @ np.swapaxes(at[:, :3, :3], 1, 2))
    rows = np.abs(np.concatenate([T[:, :3, 3] - at[:, :3, 3], turn], axis=1))
    asked = np.array(task.mask)
    assert rows[:, asked].max() < 1e-6
    assert (rows[:, ~asked].max(axis=0) > 1e-2).all()


@pytest.mark.parametrize("name", ["ur5e", "franka-panda", "braccio"])
def test_an_approach_task_meets_the_point_and_the_axis_and_leaves_the_spin(name: str) -> None:
    robot = catalog.load(name)
    T, start = robot.fk(uniform(robot, 60, 3)), uniform(robot, 60, 4)
    spun = T @ pose.from_xyz_rpy([0, 0, 0], [0, 0, 1.0])
    answers = search_batch(robot, spun, start, TASKS["approach"])
    assert answers.converged.all()
    at = robot.fk(answers.q)
    assert np.abs(at[:, :3, 3] - T[:, :3, 3]).max() < 1e-6
    assert np.linalg.norm(np.cross(at[:, :3, 2], T[:, :3, 2]), axis=1).max() < 1e-6
    assert (np.einsum("mi,mi->m", at[:, :3, 2], T[:, :3, 2]) > 0).all()


def test_an_approach_from_the_opposite_side_is_met() -> None:
    robot = catalog.load("ur5e")
    q = np.array([0.1, -1.2, 1.4, -1.8, -1.5, 0.3])
    T = robot.fk(q) @ pose.from_xyz_rpy([0, 0, 0], [math.pi, 0, 0])
    T[:3, 3] = [0.3, 0.2, 0.4]
    answer = search_one(robot, T, q, TASKS["approach"])
    assert answer.converged
    np.testing.assert_allclose(robot.fk(answer.q)[:3, 2], T[:3, 2], atol=1e-6)


@pytest.mark.parametrize("name", ARMS)
def test_what_is_out_of_reach_never_converges_and_ends_on_the_way_there(name: str) -> None:
    robot = catalog.load(name)
    T = np.repeat(pose.from_xyz([4.0, 3.0, 2.0])[None], 20, axis=0)
    start = uniform(robot, 20, 1)
    answers = search_batch(robot, T, start, TASKS["position"], searches=20)
    assert not answers.converged.any()
    assert inside(robot, answers.q)
    before = np.linalg.norm(robot.fk(start)[:, :3, 3] - T[:, :3, 3], axis=1)
    assert (answers.position_error <= before + 1e-9).all()
    assert np.ptp(answers.position_error) < 0.05 * before.max()


def test_the_nearest_place_to_a_target_out_of_reach_is_the_stretched_arm() -> None:
    robot = catalog.load("planar2")
    answer = search_one(robot, pose.from_xyz([0.6, 0.8, 0.0]), np.array([0.2, 1.0]), TASKS["planar"])
    size = np.linalg.norm(robot.fk(np.zeros(2))[:2, 3])
    assert not answer.converged
    assert answer.position_error == pytest.approx(1.0 - size, abs=1e-3)


def test_a_pose_that_only_a_broken_limit_would_reach_is_refused(robot: Robot) -> None:
    q = np.array([0.2, 0.45, 0.3])  # slide ends at 0.4
    answer = search_one(robot, robot.fk(q), robot.home.copy(), TASKS["position"])
    assert not answer.converged
    assert inside(robot, answer.q)
    assert answer.position_error == pytest.approx(0.05, abs=0.03)


def test_the_start_is_not_changed_and_may_be_read_only() -> None:
    robot = catalog.load("ur5e")
    T = robot.fk(uniform(robot, 1, 1)[0])
    answer = search_one(robot, T, robot.home, POSE)
    assert answer.converged
    assert answer.q.flags.writeable
    assert answer.q is not robot.home
