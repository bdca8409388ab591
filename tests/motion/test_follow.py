"""From a tool path to a joint path: exact, smooth, inside the limits, on the best branch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, LimitViolation
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.motion.follow.choice import extrapolate_at_singular_ends
from armlab.motion.follow.follow import FollowResult, ToolPathLike, attempt_follow, follow
from armlab.motion.segments import arc, line
from armlab.motion.toolpath.through import through

rad = np.radians


def on_path(robot: Robot, path: ToolPathLike, followed: FollowResult, rows: tuple[int, ...] = (0, 1, 2)) -> float:
    """How far (m, rad) the tool is from the path at many places between nodes, in these rows of the position."""
    assert followed.path is not None
    s = np.random.default_rng(7).uniform(0.0, path.length, 500)
    off = robot.fk(np.ascontiguousarray(followed.path.values(s)[:, 0])) - path.at(s)
    position = float(np.abs(off[:, list(rows), 3]).max())
    return position if len(rows) < 3 else max(position, float(np.abs(off[:, :3, :3]).max()))


def roughness(path: ToolPathLike, followed: FollowResult) -> float:
    """The largest jump of value, rate or bend at inner breaks where the path is smooth, relative to their size."""
    assert followed.path is not None
    smooth = ~np.isin(followed.path.breaks[1:-1], np.asarray(path.knots))
    sizes = 1.0 + np.abs(followed.path.values(followed.path.breaks, 3)).max(axis=(0, 2))
    jumps = [np.abs(followed.path.jumps(order))[smooth].max(initial=0.0) for order in range(3)]
    return float((np.array(jumps) / sizes).max())


def excess(robot: Robot, followed: FollowResult) -> float:
    """How far the path leaves the limits; negative inside."""
    assert followed.path is not None
    extremes = followed.path.extremes()
    return float(max((robot.lower - extremes.low).max(), (extremes.high - robot.upper).max()))


CASES: dict[str, tuple[str, list[float], list[float]]] = {
    "spherical wrist": ("kuka-kr6-r900", [20, -70, 100, 10, 40, -30], [-20, -60, 80, 20, 60, -10]),
    "three parallel axes": ("ur5e", [20, -70, 100, -40, -90, -30], [-20, -60, 80, -50, -80, -10]),
    "planar": ("planar3", [30, 30, 20], [50, 40, 10]),
    "braccio in its plane": ("braccio", [40, 45, 40, 60, 90], [40, 60, 50, 50, 90]),
    "redundant": ("franka-panda", [0, -45, 0, -135, 0, 90, 45], [20, -30, 10, -120, 10, 100, 50]),
    "redundant iiwa": ("kuka-iiwa14", [10, 30, 0, -80, 0, 60, 10], [-10, 40, 10, -70, 5, 50, 0]),
    "search over one joint": ("xarm6", [5, -20, -30, 10, 40, 5], [15, -15, -35, 10, 50, 5]),
}


def arm_and_line(case: str) -> tuple[Robot, ToolPathLike]:
    """An arm, and the line between its tool's poses at two places."""
    name, a, b = CASES[case]
    robot = armlab.load(name)
    return robot, line(robot.fk(rad(a)), robot.fk(rad(b)))


@pytest.mark.parametrize("case", CASES)
def test_the_joint_path_is_exact_smooth_and_inside_the_limits(case: str) -> None:
    robot, path = arm_and_line(case)
    followed = follow(robot, path)
    assert followed.whole
    assert followed.reached == path.length
    assert on_path(robot, path, followed) < 1e-6
    assert roughness(path, followed) < 1e-8
    assert excess(robot, followed) < 1e-8
    assert followed.max_error <= 1e-6
    assert "→" not in followed.branch


def test_a_scara_follows_a_line_with_its_turn() -> None:
    robot = armlab.load("scara")
    path = line(robot.fk([0.5, -1.0, -0.05, 0.5]), robot.fk([0.9, -0.6, -0.12, 1.0]))
    followed = follow(robot, path)
    assert on_path(robot, path, followed) < 1e-6
    assert followed.branch in {"elbow left", "elbow right"}


def test_a_planar_arm_with_two_joints_follows_a_point() -> None:
    robot = armlab.load("planar2")
    path = line(robot.fk(rad([30, 30])), robot.fk(rad([70, 50])))
    assert on_path(robot, path, follow(robot, path, task="planar"), rows=(0, 1)) < 1e-6


@pytest.mark.parametrize("task", ["position", "approach"])
def test_a_task_with_fewer_conditions_is_followed_in_what_it_asks_for(task: str) -> None:
    robot, path = arm_and_line("spherical wrist")
    followed = follow(robot, path, task=task, start=rad([20, -70, 100, 10, 40, -30]))
    assert followed.path is not None
    assert roughness(path, followed) < 1e-8
    s = np.linspace(0.0, path.length, 201)
    off = robot.fk(np.ascontiguousarray(followed.path.values(s)[:, 0])) - path.at(s)
    assert np.abs(off[:, :3, 3]).max() < 1e-6
    if task == "approach":
        assert np.abs(off[:, :3, 2]).max() < 1e-6


def test_an_arc_is_followed_as_exactly_as_a_line() -> None:
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(rad([0, -70, 100, 0, 60, 0]))
    path = arc(T, T[:3, 3] + [0.05, 0.1, 0.0], pose.from_xyz([0.0, 0.2, 0.0]) @ T)
    followed = follow(robot, path)
    assert on_path(robot, path, followed) < 1e-6
    assert roughness(path, followed) < 1e-8


def test_a_corner_of_the_tool_path_is_a_break_of_the_joint_path() -> None:
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(rad([0, -70, 100, 0, 60, 0]))
    frames = np.stack([T, pose.from_xyz([0, 0.1, 0]) @ T, pose.from_xyz([0.08, 0.1, 0]) @ T])
    path = through(frames)
    followed = follow(robot, path)
    assert followed.path is not None
    corner = float(path.stops[0])
    assert corner in followed.path.breaks
    before, after = followed.path.values([np.nextafter(corner, 0.0), corner], 2)[:, 1]
    assert np.abs(before - after).max() > 0.1
    assert on_path(robot, path, followed) < 1e-6
    assert roughness(path, followed) < 1e-8


@pytest.mark.parametrize("kind", ["spline", "quadratic"])
def test_a_curve_through_frames_is_followed(kind: str) -> None:
    robot = armlab.load("ur5e")
    T = robot.fk(rad([20, -70, 100, -40, -90, -30]))
    shifts = [[0, 0, 0], [0.05, 0.1, 0], [0.1, 0.05, 0.08], [0.02, -0.05, 0.05]]
    path = through(np.stack([pose.from_xyz(shift) @ T for shift in shifts]), kind)  # type: ignore[arg-type]
    followed = follow(robot, path)
    assert on_path(robot, path, followed) < 1e-6
    assert roughness(path, followed) < 1e-8


def test_rates_are_those_of_the_inverse_jacobian() -> None:
    robot, path = arm_and_line("spherical wrist")
    followed = follow(robot, path)
    assert followed.path is not None
    s = np.linspace(0.0, path.length * 0.999, 50)
    values = followed.path.values(s, 2)
    twist = path.derivatives(s)[:, [0, 2]].reshape(-1, 6)
    seen = np.einsum("mij,mj->mi", robot.jacobian(np.ascontiguousarray(values[:, 0])), values[:, 1])
    np.testing.assert_allclose(seen, twist, atol=1e-6)


def test_samples_are_nodes_of_the_joint_path() -> None:
    robot, path = arm_and_line("spherical wrist")
    followed = follow(robot, path, samples=200)
    assert followed.path is not None
    np.testing.assert_allclose(followed.path.breaks, np.linspace(0.0, path.length, 200), atol=1e-12)
    assert on_path(robot, path, followed) < 1e-10


def test_a_given_start_is_where_the_joint_path_starts() -> None:
    robot, path = arm_and_line("three parallel axes")
    for solution in armlab.all_ik(robot, path.at([0.0])[0], turns=True)[:6]:
        followed = attempt_follow(robot, path, start=solution.q)
        if followed.path is not None:
            np.testing.assert_allclose(followed.path.values([0.0])[0, 0], solution.q, atol=1e-9)
            assert followed.branch.split(" → ")[0] == solution.branch


def _greedy_end(robot: Robot, path: ToolPathLike) -> float:
    """How far the solution nearest to home comes when at every sample the nearest next one is taken."""
    s = np.linspace(0.0, path.length, 400)
    q, valid = armlab.all_ik_batch(robot, np.ascontiguousarray(path.at(s)))
    now: Floats = robot.home
    for i in range(len(s)):
        options = q[i][valid[i]]
        gaps = np.abs(options - now).max(axis=1) if len(options) else np.array([math.inf])
        if i and gaps.min() > 0.3:
            return float(s[i])
        now = options[int(np.argmin(gaps))]
    return path.length


def test_the_branch_that_follows_the_whole_path_is_chosen_where_the_nearest_one_dies() -> None:
    robot, rng, saved = armlab.load("kuka-kr6-r900"), np.random.default_rng(3), 0
    for _ in range(60):
        a, b = (robot.lower + (robot.upper - robot.lower) * rng.random(6) for _ in range(2))
        path = line(robot.fk(a), robot.fk(0.5 * (a + b)))
        if _greedy_end(robot, path) < path.length:
            followed = attempt_follow(robot, path, start=None) if saved < 3 else None
            if followed is not None and followed.whole:
                saved += 1
                assert on_path(robot, path, followed) < 1e-6
                assert roughness(path, followed) < 1e-8
    assert saved >= 2


def test_whole_turns_are_chosen_so_that_the_whole_path_is_inside_the_limits() -> None:
    robot = armlab.load("ur5e")
    T = robot.fk(rad([20, -70, 100, -120, -90, 0]))
    frames = np.stack([T @ pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], angle) for angle in rad([0, 120, 240, 350])])
    followed = follow(robot, through(frames))
    assert followed.path is not None
    assert excess(robot, followed) < 1e-8
    assert np.ptp(followed.path.values([followed.path.start, followed.path.end])[:, 0, 5]) > rad(300)


def test_a_path_may_start_and_end_at_a_singular_pose() -> None:
    robot = armlab.load("kuka-kr6-r900")
    home = rad([0, -90, 90, 0, 0, 0])
    T = robot.fk(home)
    down = line(T, pose.from_xyz([0, 0, -0.1]) @ T)
    followed = follow(robot, down, start=home)
    assert on_path(robot, down, followed) < 1e-6
    A = pose.from_xyz([0, -0.15, 0]) @ T
    into = line(A, T)
    start = next(s.q for s in armlab.all_ik(robot, A) if s.branch.startswith("shoulder front, elbow up"))
    ended = follow(robot, into, start=start)
    assert on_path(robot, into, ended) < 1e-6
    assert ended.path is not None
    out = line(T, pose.from_xyz([0, 0.15, 0]) @ T)
    assert on_path(robot, out, follow(robot, out, start=ended.path.values([into.length])[0, 0])) < 1e-6


def test_input_that_cannot_be_used_is_refused_with_a_sentence() -> None:
    robot, path = arm_and_line("spherical wrist")
    with refused("start_off_path", InvalidInput):
        follow(robot, path, start=robot.home)
    with refused("not_finite", InvalidInput):
        follow(robot, path, start=[0, 0, math.nan, 0, 0, 0])
    with refused("wrong_width", InvalidInput, expected=6):
        follow(robot, path, start=[0, 0])
    with refused("joint_outside", LimitViolation, joint="A3"):
        follow(robot, path, start=rad([20, -70, 170, 10, 40, -30]))
    for samples in (0, 1, -5, 30_000, 2.5, True):
        with refused("samples_outside", InvalidInput, most=20_000):
            follow(robot, path, samples=samples)  # type: ignore[arg-type]
    with refused("unknown_task", InvalidInput, task="dance"):
        follow(robot, path, task="dance")


@pytest.mark.parametrize("length", [0.0, -1.0, math.nan, math.inf])
def test_a_path_without_length_is_refused(length: float) -> None:
    robot, path = arm_and_line("spherical wrist")

    class Short:
        stops = knots = nodes = np.empty(0)
        at, derivatives = path.at, path.derivatives

        @property
        def length(self) -> float:
            return length

    with refused("path_length", InvalidInput):
        follow(robot, Short())


def test_at_a_singular_end_joints_and_rates_go_on_as_a_parabola_does() -> None:
    s = np.array([0.0, 1e-5, 0.5, 1.0 - 1e-5, 1.0])
    c = np.random.default_rng(8).normal(size=(3, 4))
    q, rate = c[0] + s[:, None] * (c[1] + s[:, None] * c[2]), c[1] + 2.0 * s[:, None] * c[2]
    bend = np.tile(2.0 * c[2], (5, 1))
    wrong = [values.copy() for values in (q, rate, bend)]
    for values in wrong:
        values[[0, -1]] = 99.0
    sigma = np.array([0.0, 1.0, 1.0, 1.0, 1e-6])
    extrapolate_at_singular_ends(1.0, s, sigma, wrong[1], wrong[2], wrong[0])
    for found, exact in zip(wrong, (q, rate, bend), strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-12)
