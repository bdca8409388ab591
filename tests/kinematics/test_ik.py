"""The public calls: what they promise on every arm of the catalog, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, LimitViolation, Unreachable
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik, all_ik_batch, branch_names
from armlab.kinematics.ik import attempt_ik, solve_ik
from armlab.kinematics.task import Task, as_task
from armlab.model.parts import Tool
from armlab.model.robot import Robot

ARMS = armlab.robot_names()


def uniform(robot: Robot, m: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(robot.lower, robot.upper, (m, robot.dof))


def hard(robot: Robot, m: int, seed: int) -> Floats:
    """Each joint with p = 0.3 exactly on a limit, at zero or at mid-range: where solvers fail."""
    rng = np.random.default_rng(seed)
    q = uniform(robot, m, seed + 1)
    special = np.stack(
        [robot.lower, robot.upper, np.clip(0.0, robot.lower, robot.upper), (robot.lower + robot.upper) / 2]
    )
    choice = rng.integers(0, 4, q.shape)
    return np.where(rng.random(q.shape) < 0.3, np.take_along_axis(special, choice, axis=0), q)


def judge(robot: Robot, T: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Position and rotation error by a product of matrices that shares no code with the kernels."""
    got = armlab.dh_table(robot, "modified").fk(q)
    turn = np.linalg.norm((got - T)[..., :3, :3], axis=(-2, -1))
    return np.linalg.norm((got - T)[..., :3, 3], axis=-1), 2 * np.arcsin(np.clip(turn / math.sqrt(8), 0, 1))


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("targets", [uniform, hard])
def test_every_reachable_target_is_reached_from_any_start(name: str, targets: object) -> None:
    robot = armlab.load(name)
    T = robot.fk(targets(robot, 600, 5))  # type: ignore[operator]
    result = attempt_ik(robot, T, start=uniform(robot, 600, 9), task="pose")
    assert result.converged.all()
    position, rotation = judge(robot, T, result.q)
    assert position.max() <= 1e-6
    assert rotation.max() <= 1e-6
    assert ((result.q >= robot.lower) & (result.q <= robot.upper)).all()


@pytest.mark.parametrize("name", ARMS)
def test_one_by_one_promises_the_same_as_a_batch(name: str) -> None:
    robot = armlab.load(name)
    for q in hard(robot, 30, 3):
        T = robot.fk(q)
        found = solve_ik(robot, T, task="pose")
        position, rotation = judge(robot, T, found)
        assert max(position, rotation) <= 1e-6
        assert ((found >= robot.lower) & (found <= robot.upper)).all()


@pytest.mark.parametrize("name", ARMS)
def test_the_solution_near_the_start_is_taken(name: str) -> None:
    """Small steps of the target give small steps of the joints: what a jogged arm needs."""
    robot = armlab.load(name)
    margin = 0.1 * (robot.upper - robot.lower)
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = rng.uniform(robot.lower + margin, robot.upper - margin)
        J = robot.jacobian(q)
        if np.linalg.svd(J, compute_uv=False)[min(J.shape) - 1 if robot.dof >= 6 else robot.dof - 1] < 0.02:
            continue  # near a singular pose small steps of the tool are large steps of the joints
        step = rng.normal(size=robot.dof) * 1e-3
        found = solve_ik(robot, robot.fk(q + step), start=q)
        assert np.abs(found - q).max() < 0.05


@pytest.mark.parametrize("name", ARMS)
def test_every_listed_solution_is_one_and_the_maker_of_the_target_is_among_them(name: str) -> None:
    robot = armlab.load(name)
    for q in uniform(robot, 25, 8):
        T = robot.fk(q)
        solutions = all_ik(robot, T, task="pose", turns=True)
        assert solutions
        listed = np.array([s.q for s in solutions])
        position, rotation = judge(robot, T, listed)
        assert max(position.max(), rotation.max()) <= 2e-9
        assert ((listed >= robot.lower) & (listed <= robot.upper)).all()
        if robot.dof <= 6:
            assert np.abs(listed - q).max(axis=1).min() < 1e-6
        else:
            assert any(f.lower - 1e-9 <= q[-1] <= f.upper + 1e-9 for s in solutions for f in s.free)


@pytest.mark.parametrize("name", [name for name in ARMS if armlab.load(name).dof <= 6])
def test_solutions_are_listed_once(name: str) -> None:
    robot = armlab.load(name)
    for q in hard(robot, 10, 4):
        listed = np.array([s.q for s in all_ik(robot, robot.fk(q), task="pose", turns=True)])
        gaps = [np.abs(listed[:i] - listed[i]).max(axis=1).min() for i in range(1, len(listed))]
        assert min(gaps, default=1.0) > 1e-8


@pytest.mark.parametrize("name", ARMS)
def test_the_batch_of_all_solutions_agrees_with_the_list(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(uniform(robot, 40, 6))
    q, valid = all_ik_batch(robot, T, task="pose")
    assert valid.any(axis=1).all()
    rows = np.argwhere(valid)
    position, rotation = judge(robot, T[rows[:, 0]], q[valid])
    assert max(position.max(), rotation.max()) <= 2e-9
    assert ((q[valid] >= robot.lower) & (q[valid] <= robot.upper)).all()
    if robot.dof <= 6 and branch_names(robot):
        for i in range(5):
            names = {s.branch for s in all_ik(robot, T[i], task="pose")}
            assert valid[i].sum() >= len(names)


def test_two_turns_of_a_joint_are_two_solutions() -> None:
    robot = armlab.load("kuka-kr6-r900")  # A6 may turn ±350°
    q = np.radians([10, -80, 100, 20, 45, 30])
    turned = q - np.radians([0, 0, 0, 0, 0, 360])
    solutions = all_ik(robot, robot.fk(q), turns=True)
    for wanted in (q, turned):
        assert min(np.abs(s.q - wanted).max() for s in solutions) < 1e-9


@pytest.mark.parametrize(
    "row",
    [
        (102.62830, 26.13572, 60.62126, 89.27655, 77.43777, 93.32265),
        (103.63260, 19.38401, 69.88738, 89.82391, 76.41414, 90.74957),
        (36.76488, 2.746373, 86.17067, -58.77967, 76.41414, 77.74352),
        (18.52892, 39.52016, 44.57952, -25.50002, 102.33090, 125.63870),
    ],
)
@pytest.mark.parametrize("name", ["kuka-kr6-r700", "kuka-kr6-r900"])
def test_the_accuracy_table_of_s2_comes_back_to_1e_9_degrees(name: str, row: tuple[float, ...]) -> None:
    robot = armlab.load(name)
    q = np.radians(row)
    found = solve_ik(robot, robot.fk(q), start=q)
    assert np.abs(np.degrees(found) - row).max() <= 1e-9


def test_s1_both_elbows_of_a_scara_and_the_ring_that_it_cannot_reach() -> None:
    robot = armlab.load("scara")
    q = np.array([0.4, 0.9, -0.05, 0.3])
    T = robot.fk(q)
    L1 = L2 = 0.25
    x, y = T[:2, 3]
    B = math.hypot(x, y)
    base, corner = math.atan2(y, x), math.acos((L1**2 + B**2 - L2**2) / (2 * L1 * B))
    bend = math.pi - math.acos((L1**2 + L2**2 - B**2) / (2 * L1 * L2))
    solutions = all_ik(robot, T)
    pairs = {(round(s.q[0], 9), round(s.q[1], 9)) for s in solutions}
    assert pairs == {(round(base - corner, 9), round(bend, 9)), (round(base + corner, 9), round(-bend, 9))}
    outside = T.copy()
    outside[:2, 3] *= (L1 + L2 + 0.01) / B
    result = attempt_ik(robot, outside)
    assert not result.converged
    assert (result.reason.code, str(result.reason)) == ("out_of_reach", "the point is 10.0 mm out of reach")


def test_position_only_and_approach_tasks_leave_the_rest_free() -> None:
    robot = armlab.load("ur5e")
    T = pose.from_xyz_rpy([0.3, 0.2, 0.4], [math.pi, 0, 0])
    q = solve_ik(robot, T, task="position")
    np.testing.assert_allclose(robot.fk(q)[:3, 3], T[:3, 3], atol=1e-6)
    q = solve_ik(robot, T, task="approach")
    np.testing.assert_allclose(robot.fk(q)[:3, 2:], T[:3, 2:], atol=2e-6)
    q = solve_ik(robot, T, task=[True, False, True, False, False, False])
    np.testing.assert_allclose(robot.fk(q)[[0, 2], 3], T[[0, 2], 3], atol=1e-6)


def test_planar_arms_reach_points_and_planar_poses() -> None:
    robot = armlab.load("planar3")
    T = pose.from_xyz_rpy([-0.010, 0.035, 0.0], [0, 0, 0])
    q = solve_ik(robot, T, task="planar", start=np.radians([30, 30, 20]))
    np.testing.assert_allclose(robot.fk(q)[:2, 3], T[:2, 3], atol=1e-6)
    whole = robot.fk(np.radians([60, 40, -30]))
    np.testing.assert_allclose(robot.fk(solve_ik(robot, whole, task="planar-pose")), whole, atol=2e-6)


def test_all_solutions_of_a_point_where_they_can_be_counted() -> None:
    robot = armlab.load("planar2")
    point = robot.fk([0.5, 0.8])
    point[:3, :3] = np.eye(3)
    solutions = all_ik(robot, point, task="position")
    assert len(solutions) == 2
    assert {s.branch for s in solutions} == set(branch_names(robot))


@given(st.floats(0.0, math.pi), st.integers(0, 5))
def test_half_turns_of_the_tool_are_no_trap(angle: float, seed: int) -> None:
    robot = armlab.load("franka-panda")
    q = uniform(robot, 1, seed)[0]
    T = robot.fk(q)
    start = q.copy()
    start[6] = np.clip(q[6] + (angle if q[6] < 0 else -angle), robot.lower[6], robot.upper[6])
    assert attempt_ik(robot, T, start=start).converged


def test_a_tool_and_a_moved_base_are_part_of_the_arm() -> None:
    robot = armlab.load("kuka-kr6-r900").with_base(pose.from_xyz_rpy([1, 2, 0.5], [0.1, 0.2, 0.3]))
    robot = robot.with_tool(Tool("bent", "pen", pose.from_xyz_rpy([0.05, 0.02, 0.2], [0.3, -0.2, 0.4])))
    q = robot.configuration("home")
    found = [s.q for s in all_ik(robot, robot.fk(q))]
    assert min(np.abs(f - q).max() for f in found) < 1e-9


@pytest.mark.parametrize(
    ("T", "sentence"),
    [
        (np.full((4, 4), np.nan), "not a finite number"),
        (np.diag([1.0, 1.0, 2.0, 1.0]), "is not a rotation"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "reflection"),
        (np.zeros((4, 4)), "last row"),
        (np.eye(3), "expected shape"),
        (np.zeros((2, 2, 4, 4)), "expected shape|last row"),
        ("there", "not an array of numbers"),
    ],
)
def test_what_is_not_a_target_is_refused_by_every_call(T: object, sentence: str) -> None:
    robot = armlab.load("ur5e")
    for call in (attempt_ik, solve_ik, all_ik, all_ik_batch, armlab.why_not):
        with pytest.raises(InvalidInput, match=sentence):
            call(robot, T)  # type: ignore[arg-type]


def test_a_rotation_with_rounding_in_it_is_taken_for_the_nearest_one() -> None:
    robot = armlab.load("ur5e")
    T = robot.fk(robot.home)
    rough = T.copy()
    rough[:3, :3] += 1e-8 * np.arange(9).reshape(3, 3)
    result = attempt_ik(robot, rough)
    assert result.converged
    np.testing.assert_allclose(robot.fk(result.q), T, atol=1e-6)


def test_starts_and_tasks_that_do_not_fit_are_refused() -> None:
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(robot.home)
    with refused("joint_outside", LimitViolation, joint="A3"):
        attempt_ik(robot, T, start=np.radians([0, -90, 171, 0, 0, 0]))
    with refused("wrong_width", InvalidInput, expected=6):
        attempt_ik(robot, T, start=[0, 0])
    with refused("start_count", InvalidInput, starts=2, targets=3):
        attempt_ik(robot, np.repeat(T[None], 3, axis=0), start=np.repeat(robot.home[None], 2, axis=0))
    with refused("unknown_task", InvalidInput, task="upside"):
        attempt_ik(robot, T, task="upside")
    with refused("task_mask", InvalidInput):
        as_task([True])
    with refused("task_without_rows", InvalidInput):
        Task("nothing", (False,) * 6)
    with refused("one_pose_only", InvalidInput):
        all_ik(robot, T[None])


def test_solve_ik_raises_with_the_reason_and_the_closest_joints() -> None:
    robot = armlab.load("ur5e")
    far = pose.from_xyz([3.0, 0, 0])
    with pytest.raises(Unreachable, match=r"ur5e cannot reach \(3000\.0, 0\.0, 0\.0\) mm: .*out of reach") as caught:
        solve_ik(robot, far)
    assert len(caught.value.parameters["closest_q"]) == 6
    with refused("unreachable", Unreachable, where="target 1"):
        solve_ik(robot, np.stack([robot.fk(robot.home), far]))


def test_where_two_branches_meet_a_solution_is_listed_once() -> None:
    rng = np.random.default_rng(4)
    for name in ("planar3", "braccio", "planar2"):
        stretched = armlab.load(name)
        for _ in range(20):
            base = pose.from_xyz_rpy(rng.uniform(-3, 3, 3), rng.uniform(-3, 3, 3))
            robot = stretched.with_base(base)
            q = rng.uniform(robot.lower, robot.upper)
            q[2 if name == "braccio" else 1] = math.pi / 2 if name == "braccio" else 0.0
            solutions = all_ik(robot, robot.fk(q), task="pose", turns=True)
            gaps = [np.abs(a.q - b.q).max() for i, a in enumerate(solutions) for b in solutions[:i]]
            assert min(gaps, default=1.0) > 1e-6


def test_a_singular_redundant_arm_lists_each_interval_once() -> None:
    robot = armlab.load("kuka-iiwa14")
    q = [0, 0, 2.480713656278043, 0.8751643965825586, -1.0784492483542527, 0, -2.3640265563697014]
    pieces = [
        (*np.round(s.q, 5), round(free.lower, 5), round(free.upper, 5))
        for s in all_ik(robot, robot.fk(q), turns=True)
        for free in s.free
    ]
    assert len(pieces) == len(set(pieces))


def test_targets_out_of_this_world_and_odd_tasks_are_refused() -> None:
    robot = armlab.load("kuka-kr6-r900")
    with refused("target_outside", InvalidInput):
        attempt_ik(robot, pose.from_xyz([1e300, 0, 0]))
    with pytest.raises(InvalidInput) as caught:
        attempt_ik(robot, np.eye(4), task=7)  # type: ignore[arg-type]
    assert caught.value.code == "task_mask"
    with refused("not_finite", InvalidInput):
        armlab.branch_of(robot, [np.nan] * 6)
    endless = armlab.robot_from_dh(
        armlab.dh_table(armlab.load("planar2"), "standard"), name="endless", lower=[-1000, -1000], upper=[1000, 1000]
    )
    with refused("too_many_turns", InvalidInput, most=4096):
        all_ik(endless, endless.fk([0.3, 0.4]), task="pose", turns=True)


def test_an_empty_batch_has_an_empty_answer() -> None:
    robot = armlab.load("ur5e")
    assert attempt_ik(robot, np.zeros((0, 4, 4))).q.shape == (0, 6)
