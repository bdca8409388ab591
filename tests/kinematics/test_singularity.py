from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.singularity import Singularity, condition_number, manipulability, singularity
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot

SPHERICAL = (
    "abb-irb120",
    "abb-irb2400",
    "fanuc-lrmate200id",
    "kuka-kr16-2",
    "kuka-kr210-r2700",
    "kuka-kr3-r540",
    "kuka-kr6-r700",
    "kuka-kr6-r900",
    "motoman-motomini",
    "puma560",
    "staubli-tx60",
)
UNIVERSAL = ("ur3e", "ur5e", "ur10e")
SOME = np.array([0.3, -0.7, 0.9, 0.5, 0.8, -0.4])


def _poses(robot: Robot, count: int, seed: int = 0) -> Floats:
    lower, upper = robot.lower, robot.upper
    return np.asarray(lower + (upper - lower) * np.random.default_rng(seed).random((count, robot.dof)))


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return where `f` changes its sign, by halving the first piece of [low, high] in which it does."""
    xs = np.linspace(low, high, 200)
    values = np.array([f(x) for x in xs])
    (first, *_) = np.flatnonzero(values[:-1] * values[1:] < 0)
    a, b = float(xs[first]), float(xs[first + 1])
    for _ in range(80):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if f(a) * f(middle) > 0 else (a, middle)
    return 0.5 * (a + b)


def _axis(robot: Robot, q: Floats, joint: int) -> tuple[Floats, Floats]:
    """Return a point on a joint's axis and its direction, in world coordinates."""
    T = robot.frames(q)[joint + 1]
    return T[:3, 3], T[:3, :3] @ robot.joints[joint].axis


def _with(q: Floats, joint: int, value: float) -> Floats:
    out = q.copy()
    out[joint] = value
    return out


def _beside_first_axis(robot: Robot, q: Floats, point: int) -> float:
    """Return how far an axis' point is in front of axis 1, in the plane that is square to axis 2."""
    p1, z1 = _axis(robot, q, 0)
    _, z2 = _axis(robot, q, 1)
    return float((_axis(robot, q, point)[0] - p1) @ np.cross(z1, z2))


def _bend(robot: Robot, q: Floats) -> float:
    """Return the sine of the angle at the elbow, seen along axis 2, times two lengths."""
    p2, z2 = _axis(robot, q, 1)
    p3, _ = _axis(robot, q, 2)
    wrist, _ = _axis(robot, q, 4)
    return float(np.cross(p3 - p2, wrist - p3) @ z2)


def test_the_root_finder_of_these_tests_finds_roots() -> None:
    assert _root(math.cos, 0.1, 3.0) == pytest.approx(math.pi / 2, abs=1e-12)


@pytest.mark.parametrize("name", armlab.robot_names())
def test_measures_are_those_of_an_independent_singular_value_decomposition(name: str) -> None:
    robot = armlab.load(name)
    scaled = scaled_task(robot)
    q = _poses(robot, 40)
    length = armlab.reach(robot)
    slides = np.array([joint.kind == "prismatic" for joint in robot.joints])
    for pose_q, w, c in zip(q, manipulability(robot, q), condition_number(robot, q), strict=True):
        J = robot.jacobian(pose_q)
        J[:3] /= length
        J[:, slides] *= length
        sigma = np.linalg.svd(J[list(scaled.rows)], compute_uv=False)[: scaled.rank]
        assert w == pytest.approx(np.prod(sigma), abs=1e-8)
        assert c == pytest.approx(sigma[0] / sigma[-1], rel=1e-6)


@pytest.mark.parametrize("name", armlab.robot_names())
def test_slopes_are_the_derivative_of_the_jacobian(name: str) -> None:
    robot = armlab.load(name)
    for task in ("pose", "approach"):
        scaled = scaled_task(robot, task)
        q, h = _poses(robot, 5), 1e-6
        J, slopes = scaled.both(q)
        np.testing.assert_allclose(J, scaled.jacobian(q), atol=1e-14)
        for i in range(robot.dof):
            step = np.eye(robot.dof)[i] * h * scaled.column_scale
            numeric = (scaled.jacobian(q + step) - scaled.jacobian(q - step)) / (2 * h)
            np.testing.assert_allclose(slopes[:, i], numeric, atol=1e-8)


@given(q=st.tuples(st.floats(-2.9, 2.9), st.floats(-2.7, 2.7)))
def test_manipulability_of_two_links_is_the_area_of_their_parallelogram(q: tuple[float, float]) -> None:
    robot = armlab.load("planar2")
    T = robot.frames([0.0, 0.0])
    first, second = T[2][0, 3] - T[1][0, 3], T[3][0, 3] - T[2][0, 3]
    w = manipulability(robot, q, task="planar", length=1.0)
    assert float(w) == pytest.approx(first * second * abs(math.sin(q[1])), abs=1e-15)


def test_the_full_pose_of_two_links_is_judged_by_the_point_alone() -> None:
    robot = armlab.load("planar2")
    assert scaled_task(robot).rows == scaled_task(robot, "planar").rows == (0, 1)
    assert scaled_task(armlab.load("planar3")).rows == (0, 1, 5)
    assert scaled_task(armlab.load("scara")).rows == (0, 1, 2, 5)
    assert scaled_task(armlab.load("scara-s3")).rows == (0, 1, 2)
    assert scaled_task(armlab.load("braccio")).rank == 5
    assert scaled_task(armlab.load("franka-panda")).rank == 6


def test_the_turn_about_the_tool_axis_does_not_count_for_the_approach() -> None:
    robot = armlab.load("kuka-kr6-r900")
    scaled = scaled_task(robot, "approach")
    assert scaled.rank == 5
    np.testing.assert_allclose(scaled.jacobian(SOME[None])[0, :, 5], 0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["planar2", "planar3", "scara", "scara-s3", "epson-ls3"])
def test_a_straight_arm_in_a_plane_is_singular_at_its_elbow(name: str) -> None:
    robot = armlab.load(name)
    q = _with(_poses(robot, 1)[0], 1, 0.0)
    answer = singularity(robot, q)
    assert answer.kind == "elbow"
    assert answer.smallest < 1e-12
    assert answer.manipulability == pytest.approx(0.0, abs=1e-12)
    assert answer.condition == math.inf
    assert answer.distance == 0.0
    np.testing.assert_array_equal(answer.nearest_q, q)


def test_three_links_that_only_place_a_point_are_singular_when_all_are_in_line() -> None:
    robot = armlab.load("planar3")
    assert singularity(robot, [1.0, 0.0, 0.4], task="planar").kind == "none"
    assert singularity(robot, [1.0, 0.0, 0.0], task="planar").kind == "elbow"


@pytest.mark.parametrize("name", [*SPHERICAL, *UNIVERSAL])
def test_the_wrist_is_singular_where_axis_5_is_at_zero(name: str) -> None:
    robot = armlab.load(name)
    _, z4 = _axis(robot, SOME, 1 if name in UNIVERSAL else 3)

    def in_line(angle: float) -> float:
        q = _with(SOME, 4, angle)
        return float(np.cross(_axis(robot, q, 5)[1], z4) @ _axis(robot, q, 4)[1])

    q = _with(SOME, 4, _root(in_line, -1.9, 1.95))
    assert np.linalg.norm(np.cross(_axis(robot, q, 5)[1], z4)) < 1e-9
    assert singularity(robot, q).kinds == ("wrist",)


def test_kuka_and_ur_have_their_singular_wrists_at_zero_of_axis_5() -> None:
    for name in ("kuka-kr6-r900", "kuka-kr16-2", "ur5e", "ur10e"):
        assert singularity(armlab.load(name), _with(SOME, 4, 0.0)).kind == "wrist"


@pytest.mark.parametrize("name", [*SPHERICAL, *UNIVERSAL])
def test_the_elbow_is_singular_where_the_arm_is_stretched(name: str) -> None:
    robot = armlab.load(name)
    if name in UNIVERSAL:
        q = _with(SOME, 2, 0.0)
    else:
        lower, upper = robot.lower[2] - 0.5, robot.upper[2] + 0.5
        q = _with(SOME, 2, _root(lambda angle: _bend(robot, _with(SOME, 2, angle)), lower, upper))
    assert singularity(robot, q).kinds == ("elbow",)


@pytest.mark.parametrize("name", [*SPHERICAL, *UNIVERSAL])
def test_the_shoulder_is_singular_where_the_wrist_centre_is_over_axis_1(name: str) -> None:
    robot = armlab.load(name)
    point = 5 if name in UNIVERSAL else 4
    q = _with(SOME, 1, _root(lambda angle: _beside_first_axis(robot, _with(SOME, 1, angle), point), -3.2, 3.2))
    answer = singularity(robot, q)
    assert answer.kinds == ("shoulder",)
    assert answer.smallest < 1e-9


def test_several_kinds_at_once_are_all_told() -> None:
    robot = armlab.load("kuka-kr6-r900")
    both = _with(SOME, 4, 0.0)
    both[1] = _root(lambda angle: _beside_first_axis(robot, _with(both, 1, angle), 4), -3.2, 3.2)
    assert set(singularity(robot, both).kinds) == {"shoulder", "wrist"}
    three = both.copy()
    three[2] = _root(lambda angle: _bend(robot, _with(three, 2, angle)), -0.5, 0.5)
    three[1] = _root(lambda angle: _beside_first_axis(robot, _with(three, 1, angle), 4), -3.2, 3.2)
    assert set(singularity(robot, three).kinds) == {"shoulder", "elbow", "wrist"}


def test_seven_axes_lose_a_direction_where_theory_says() -> None:
    robot = armlab.load("kuka-iiwa14")
    q = np.array([0.3, 0.6, 0.4, -1.2, 0.5, 0.9, 0.1])
    assert singularity(robot, q).kind == "none"
    assert singularity(robot, _with(q, 3, 0.0)).kind == "elbow"
    assert singularity(robot, _with(_with(q, 1, 0.0), 2, math.pi / 2)).kind == "shoulder"
    assert singularity(robot, _with(_with(q, 5, 0.0), 4, math.pi / 2)).kind == "wrist"
    assert singularity(robot, _with(q, 5, 0.0)).kind == "none"


@pytest.mark.parametrize("name", armlab.robot_names())
def test_the_nearest_pose_is_singular_inside_the_limits_and_as_far_as_told(name: str) -> None:
    robot = armlab.load(name)
    scaled = scaled_task(robot)
    for q in _poses(robot, 6, seed=4):
        answer = singularity(robot, q)
        assert answer.kind == "none"
        assert (answer.nearest_q >= robot.lower).all()
        assert (answer.nearest_q <= robot.upper).all()
        if math.isfinite(answer.distance):
            assert scaled.singular_values(answer.nearest_q[None])[0, -1] < 1e-6
            way = (answer.nearest_q - q) / scaled.column_scale
            assert answer.distance == pytest.approx(np.linalg.norm(way))
            assert singularity(robot, answer.nearest_q).kind == answer.nearest_kind
        else:
            assert name == "s5-rig"  # turn and tilt: two axes that always cross
            assert answer.nearest_kind == "none"


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "staubli-tx60", "ur5e"])
def test_the_distance_is_never_more_than_turning_the_wrist_or_the_elbow_alone(name: str) -> None:
    robot = armlab.load(name)
    for q in _poses(robot, 15, seed=7):
        answer = singularity(robot, q)
        turns = [math.remainder(q[i], math.pi) for i in (2, 4)] if name == "ur5e" else [q[4]]
        assert answer.distance <= min(abs(turn) for turn in turns) + 1e-6


def test_the_search_answers_the_same_every_time() -> None:
    robot = armlab.load("franka-panda")
    first, second = (singularity(robot, robot.home) for _ in range(2))
    np.testing.assert_array_equal(first.nearest_q, second.nearest_q)
    assert isinstance(first, Singularity)


def test_a_tilted_base_changes_nothing() -> None:
    z = np.array([0.0, 0.0, 1.0])
    joints = (
        Joint("a", "revolute", np.eye(4), z, -3.0, 3.0),
        Joint("b", "revolute", pose.from_xyz([0.3, 0, 0]), z, -3.0, 3.0),
    )
    links = tuple(Link(f"link_{i}") for i in range(3))
    tool = Tool("t", "pen", pose.from_xyz([0.2, 0, 0]))
    tilted = pose.from_xyz_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    robot = Robot(name="ends", joints=joints, links=links, home=np.zeros(2), source="made up", base=tilted, tool=tool)
    assert manipulability(robot, [0.4, 0.7], length=1.0) == pytest.approx(0.06 * math.sin(0.7), abs=1e-12)
    answer = singularity(robot, [0.4, 0.7])
    assert answer.distance == pytest.approx(0.7, abs=1e-6)
    assert answer.nearest_kind == "elbow"


def test_wrong_input_gets_a_sentence() -> None:
    robot = armlab.load("planar2")
    with refused("wrong_shape", InvalidInput, who="planar2: q", expected="(2,)", got="(3,)"):
        singularity(robot, [0, 0, 0])
    with refused("not_finite", InvalidInput):
        manipulability(robot, [0, math.nan])
    with refused("task_cannot_move", InvalidInput, robot="planar2", task="mask"):
        singularity(robot, [0, 1], task=[False, False, True, False, False, False])
    with refused("length_not_positive", InvalidInput):
        condition_number(robot, [0, 1], length=-1.0)
