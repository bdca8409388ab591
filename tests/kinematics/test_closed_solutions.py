"""Every solution, none spurious: the closed forms against forward kinematics and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from closed_arms import FAMILIES, apart, conditioning, distinct, found_from_many_starts, hard, residual, uniform

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.closed import Family, recognise
from armlab.model.robot import Robot

MANY = 10_000


def _load(name: str) -> tuple[Robot, Family]:
    robot = armlab.load(name)
    family = recognise(robot)
    assert family is not None
    return robot, family


def _worst(robot: Robot, family: Family, T: Floats, q: Floats, valid: np.ndarray) -> float:
    return float(residual(robot, q[valid], np.repeat(T, family.count, axis=0)[valid.ravel()]).max())


@pytest.mark.parametrize("name", FAMILIES)
def test_every_solution_meets_the_target_and_the_one_that_made_it_is_among_them(name: str) -> None:
    robot, family = _load(name)
    made = uniform(robot, MANY, np.random.default_rng(1))
    T = robot.fk(made)
    q, valid = family.solve(T, robot.dof)
    assert _worst(robot, family, T, q, valid) < 1e-10
    assert np.where(valid, apart(robot, q, made[:, None]), np.inf).min(axis=1).max() < 1e-8
    assert q[valid].min() > -np.pi - 1e-15
    assert q[valid].max() <= np.pi


@pytest.mark.parametrize("name", FAMILIES)
def test_targets_made_on_limits_zeros_and_middles_are_met_too(name: str) -> None:
    robot, family = _load(name)
    made = hard(robot, MANY, np.random.default_rng(2))
    T = robot.fk(made)
    q, valid = family.solve(T, robot.dof)
    assert valid.any(axis=1).all()
    assert _worst(robot, family, T, q, valid) < 1e-10
    regular = conditioning(robot, made) > 1e-6
    assert np.where(valid, apart(robot, q, made[:, None]), np.inf).min(axis=1)[regular].max() < 1e-7


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "puma560", "stanford", "staubli-tx60", "motoman-motomini"])
def test_a_straight_wrist_keeps_every_shoulder_and_elbow(name: str) -> None:
    robot, family = _load(name)
    rng = np.random.default_rng(3)
    straight = {"motoman-motomini": np.pi / 2}.get(name, 0.0)
    for off in (0.0, 1e-15, 1e-13, 1e-12, 3e-12, 1e-10, 1e-8, 1e-6):
        made = uniform(robot, 500, rng)
        near = made.copy()
        near[:, 4], made[:, 4] = straight + off, straight + 0.3
        q, valid = family.solve(robot.fk(near), 6)
        assert (valid == family.solve(robot.fk(made), 6)[1]).all()
        assert _worst(robot, family, robot.fk(near), q, valid) < 1e-10
        there = (q[:, :, :3] - near[:, None, :3] + np.pi) % (2 * np.pi) - np.pi
        assert (np.abs(there).max(axis=2).min(axis=1) < 1e-8).all()


@pytest.mark.parametrize("name", ["abb-irb120", "kuka-kr6-r700", "puma560", "ur5e", "braccio"])
def test_a_wrist_on_or_close_to_axis_1_is_reached(name: str) -> None:
    robot, family = _load(name)
    rng = np.random.default_rng(4)
    first = robot.base @ robot.joints[0].T_parent_joint
    q = uniform(robot, 4000, rng)
    T = robot.fk(q)
    # move the whole tool sideways until its wrist centre is `off` from where joint 1 becomes undetermined
    tool_end = np.eye(4)
    tool_end[:3, 3] = family.parameters[21:24]
    for off in (0.0, 1e-14, 1e-11, 1e-9, 1e-6):
        centre = (T @ tool_end)[:, :3, 3] - first[:3, 3]
        way = centre * [1.0, 1.0, 0.0]
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        offset = abs({"puma560": 0.15005, "ur5e": 0.1333}.get(name, 0.0))
        moved = T.copy()
        moved[:, :3, 3] += way * (offset + off) - centre * [1.0, 1.0, 0.0]
        solved, valid = family.solve(moved, robot.dof)
        assert valid.any(axis=1).mean() > 0.2
        assert _worst(robot, family, moved, solved, valid) < 1e-9


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "braccio", "scara", "planar3", "staubli-tx60"])
def test_the_stretched_arm_is_reached(name: str) -> None:
    robot, family = _load(name)
    rng = np.random.default_rng(5)
    bend = {"scara": 1, "planar3": 1}.get(name, 2)
    sign_and_zero = {"kuka-kr6-r700": -float(np.arctan2(-35.0, 365.0)), "braccio": np.pi / 2}
    made = uniform(robot, 1000, rng)
    made[:, bend] = sign_and_zero.get(name, 0.0)
    T = robot.fk(made)
    q, valid = family.solve(T, robot.dof)
    assert valid.any(axis=1).all()
    assert _worst(robot, family, T, q, valid) < 1e-10
    regular = np.abs(np.sin(made[:, 4])) > 1e-3 if robot.dof == 6 else np.ones(len(made), dtype=bool)
    assert np.where(valid, apart(robot, q, made[:, None]), np.inf).min(axis=1)[regular].max() < 1e-6


@pytest.mark.parametrize("name", ["scara", "epson-ls3", "planar3"])
def test_rounding_beyond_the_stretched_arm_is_forgiven_and_a_micrometre_is_not(name: str) -> None:
    robot, family = _load(name)
    made = robot.home.copy()
    made[:2] = 0.0  # stretched along x
    for beyond, reachable in ((0.0, True), (1e-15, True), (1e-12, True), (1e-6, False)):
        T = robot.fk(made)[None].copy()
        T[0, 0, 3] += beyond
        q, valid = family.solve(T, robot.dof)
        assert valid.all() == valid.any() == reachable
        if reachable:
            assert _worst(robot, family, T, q, valid) < 1e-11


@pytest.mark.parametrize("name", ["ur3e", "ur5e", "ur10e"])
def test_parallel_wrist_axes_of_a_three_parallel_arm_leave_a_solution(name: str) -> None:
    robot, family = _load(name)
    rng = np.random.default_rng(6)
    for value in (0.0, np.pi, -np.pi, 1e-13, 1e-11, 1e-9, 1e-7):
        made = uniform(robot, 1000, rng)
        made[:, 4] = value
        T = robot.fk(made)
        q, valid = family.solve(T, 6)
        assert valid.any(axis=1).all()
        assert _worst(robot, family, T, q, valid) < 1e-10


def test_an_arm_with_equal_links_may_fold_its_wrist_onto_its_shoulder() -> None:
    robot, family = _load("scara")
    T = robot.fk(np.array([[0.4, np.pi, -0.05, 0.2], [0.4, np.pi - 1e-9, -0.05, 0.2], [0.4, 3.14159, -0.1, 1.0]]))
    q, valid = family.solve(T, 4)
    assert valid.all()
    assert _worst(robot, family, T, q, valid) < 1e-12


@pytest.mark.parametrize(
    "name", ["kuka-kr6-r700", "puma560", "abb-irb2400", "stanford", "ur5e", "ur3e", "braccio", "scara", "planar3"]
)
def test_there_are_as_many_solutions_as_brute_force_finds(name: str) -> None:
    robot, family = _load(name)
    rng = np.random.default_rng(7)
    made = uniform(robot, 4, rng)
    q, valid = family.solve(robot.fk(made), robot.dof)
    for row in range(len(made)):
        starts = rng.uniform(-np.pi, np.pi, (1500, robot.dof))
        brute = found_from_many_starts(robot, robot.fk(made[row]), starts)
        ours = distinct(robot, q[row][valid[row]])
        assert len(ours) == len(brute)
        assert apart(robot, ours[:, None], brute[None]).min(axis=1).max() < 1e-6


def test_targets_out_of_reach_or_out_of_the_plane_have_no_solution() -> None:
    for name in set(FAMILIES) - {"stanford"}:  # whose slide goes on for ever: limits play no part here
        robot, family = _load(name)
        far = robot.fk(robot.home)[None].copy()
        far[:, :2, 3] += 10.0
        assert not family.solve(far, robot.dof)[1].any(), name
    for name in ("scara", "planar2", "planar3", "braccio", "scara-s3"):
        robot, family = _load(name)
        T = robot.fk(robot.home)
        tilted = T @ pose.from_xyz_rpy([0, 0, 0], [0.01, 0.013, 0])
        assert not family.solve(tilted[None], robot.dof)[1].any(), name
    for name in ("planar2", "planar3"):
        robot, family = _load(name)
        lifted = robot.fk(robot.home) + pose.from_xyz([0, 0, 0.001]) - np.eye(4)
        assert not family.solve(lifted[None], robot.dof)[1].any()
        assert family.loosened().solve(lifted[None], robot.dof)[1].all()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_target_that_is_not_a_number_has_no_solution(name: str) -> None:
    robot, family = _load(name)
    T = np.repeat(robot.fk(robot.home)[None], 3, axis=0)
    T[1, :3, 3] = np.nan
    assert family.solve(T, robot.dof)[1].any(axis=1).tolist() == [True, False, True]


def test_the_listing_of_s1_both_elbows_and_the_rings_around_and_inside() -> None:
    both = _load("scara")[1].loosened()
    L1 = L2 = 0.25
    for x, y in ((0.3, 0.2), (-0.1, 0.35), (0.0, -0.42)):
        B2 = x * x + y * y
        q1 = np.arctan2(y, x)
        q2 = np.arccos((L1 * L1 + B2 - L2 * L2) / (2 * L1 * np.sqrt(B2)))
        bend = np.pi - np.arccos((L1 * L1 + L2 * L2 - B2) / (2 * L1 * L2))
        q, valid = both.solve(pose.from_xyz([[x, y, 0.3]]), 4)
        assert valid.all()
        np.testing.assert_allclose(q[0, 0, :2], [q1 + q2, -bend], atol=1e-12)  # elbow left
        np.testing.assert_allclose(q[0, 1, :2], [q1 - q2, bend], atol=1e-12)  # elbow right
    epson, epson_family = _load("epson-ls3")  # links of 225 and 175 mm: a ring inside, too
    for radius, reachable in ((0.401, False), (0.399, True), (0.051, True), (0.049, False)):
        T = epson.fk(epson.home)
        T[:2, 3] = [0.0, radius]
        assert epson_family.solve(T[None], 4)[1].all() == reachable


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "kuka-kr3-r540", "kuka-kr16-2", "kuka-kr210-r2700"])
def test_the_rows_of_s2_are_found_to_a_billionth_of_a_degree(name: str) -> None:
    robot, family = _load(name)
    rows = np.radians(
        [
            [102.62830, 26.13572, 60.62126, 89.27655, 77.43777, 93.32265],
            [103.63260, 19.38401, 69.88738, 89.82391, 76.41414, 90.74957],
            [36.76488, 2.746373, 86.17067, -58.77967, 76.41414, 77.74352],
            [18.52892, 39.52016, 44.57952, -25.50002, 102.33090, 125.63870],
        ]
    )
    q, valid = family.solve(robot.fk(rows), 6)
    error = np.degrees(np.where(valid, apart(robot, q, rows[:, None]), np.inf).min(axis=1))
    assert error.max() < 1e-9


def test_a_batch_of_any_size_gives_what_single_targets_give() -> None:
    robot, family = _load("ur5e")
    T = robot.fk(uniform(robot, 101, np.random.default_rng(8)))
    q, valid = family.solve(T, 6)
    for row in (0, 31, 32, 63, 64, 100):
        one, ok = family.solve(T[row : row + 1], 6)
        assert (ok[0] == valid[row]).all()
        np.testing.assert_allclose(one[0][ok[0]], q[row][valid[row]], atol=1e-12)
    assert family.solve(T[:0], 6)[0].shape == (0, 8, 6)
