from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.model.dh import DhConvention, DhRow, DhTable, dh_table, joint_frames, robot_from_dh
from armlab.model.parts import Joint, JointKind, Link, Tool
from armlab.model.robot import Robot
from strategies import robots_with_q

RIGHT = math.pi / 2
CONVENTIONS: tuple[DhConvention, ...] = ("standard", "modified")
each_convention = pytest.mark.parametrize("convention", CONVENTIONS)

Rows = tuple[tuple[float, ...], ...]

# tables as their sources print them: theta, d, a, alpha
UR5E: Rows = (
    (0, 0.1625, 0, RIGHT),
    (0, 0, -0.425, 0),
    (0, 0, -0.3922, 0),
    (0, 0.1333, 0, RIGHT),
    (0, 0.0997, 0, -RIGHT),
    (0, 0.0996, 0, 0),
)
IRB120: Rows = (
    (0, 0.29, 0, -RIGHT),
    (-RIGHT, 0, 0.27, 0),
    (0, 0, 0.07, -RIGHT),
    (0, 0.302, 0, RIGHT),
    (0, 0, 0, -RIGHT),
    (math.pi, 0.072, 0, 0),
)
PANDA: Rows = (
    (0, 0.333, 0, 0),
    (0, 0, 0, -RIGHT),
    (0, 0.316, 0, RIGHT),
    (0, 0, 0.0825, RIGHT),
    (0, 0.384, -0.0825, -RIGHT),
    (0, 0, 0, RIGHT),
    (0, 0.107, 0.088, RIGHT),
)
SCARA: Rows = ((0, 0.2, 0.3, 0), (0, 0, 0.25, math.pi), (0, 0, 0, 0), (0, 0.1, 0, 0))
PUBLISHED = [
    pytest.param("standard", UR5E, "rrrrrr", id="UR5e"),
    pytest.param("standard", IRB120, "rrrrrr", id="IRB 120"),
    pytest.param("modified", PANDA, "rrrrrrr", id="Panda"),
    pytest.param("standard", SCARA, "rrpr", id="SCARA"),
]


def table_of(
    convention: DhConvention,
    values: Rows,
    kinds: str,
    base: Floats | None = None,
    tool: Floats | None = None,
) -> DhTable:
    names: dict[str, JointKind] = {"r": "revolute", "p": "prismatic"}
    rows = tuple(DhRow(f"A{i}", names[kind], *row) for i, (kind, row) in enumerate(zip(kinds, values, strict=True), 1))
    return DhTable(convention, rows, np.eye(4) if base is None else base, np.eye(4) if tool is None else tool)


def robot_of(table: DhTable) -> Robot:
    n = len(table.rows)
    return robot_from_dh(table, name="arm", lower=[-3.0] * n, upper=[3.0] * n)


def numbers(table: DhTable) -> Floats:
    return np.array([(row.theta, row.d, row.a, row.alpha) for row in table.rows])


def size_of(robot: Robot) -> float:
    """Return an upper bound of how far the arm's parts are from the origin, 3 m for every sliding joint."""
    frames = [robot.base, robot.flange, robot.tool.T_flange_tool, *(j.T_parent_joint for j in robot.joints)]
    slides = sum(joint.kind == "prismatic" for joint in robot.joints)
    return 1.0 + 3.0 * slides + sum(float(np.linalg.norm(T[:3, 3])) for T in frames)


def joint_values(n: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (50, n))


def turn(axis: str, angle: float) -> Floats:
    return pose.from_xyz_axis_angle([0, 0, 0], np.eye(3)["xyz".index(axis)], angle)


# from a table to a robot


@given(
    convention=st.sampled_from(CONVENTIONS),
    values=st.lists(st.floats(-2.0, 2.0), min_size=6, max_size=6),
    kind=st.sampled_from("rp"),
)
def test_one_row_is_the_product_that_the_convention_says(
    convention: DhConvention, values: list[float], kind: str
) -> None:
    theta, d, a, alpha, q, _ = values
    table = table_of(convention, ((theta, d, a, alpha),), kind)
    theta, d = (theta + q, d) if kind == "r" else (theta, d + q)
    along_z = turn("z", theta) @ pose.from_xyz([0, 0, d])
    along_x = turn("x", alpha) @ pose.from_xyz([a, 0, 0])
    expected = along_z @ along_x if convention == "standard" else along_x @ along_z
    np.testing.assert_allclose(table.fk([q]), expected, atol=1e-14)


@pytest.mark.parametrize(("convention", "values", "kinds"), PUBLISHED)
def test_a_table_and_the_robot_made_from_it_are_at_the_same_place(
    convention: DhConvention, values: Rows, kinds: str
) -> None:
    base = pose.from_xyz_rpy([0.1, -0.2, 0.3], [0.4, -0.5, 0.6])
    tool = pose.from_xyz_rpy([0.0, 0.1, 0.2], [-0.3, 0.2, 1.1])
    table = table_of(convention, values, kinds, base, tool)
    q = joint_values(len(kinds), seed=1)
    np.testing.assert_allclose(robot_of(table).fk(q), table.fk(q), atol=5e-15)
    np.testing.assert_allclose(table.fk(q[0]), table.fk(q)[0], atol=1e-15)


@pytest.mark.parametrize(("convention", "values", "kinds"), PUBLISHED)
def test_every_row_has_its_frame_where_joint_frames_says(convention: DhConvention, values: Rows, kinds: str) -> None:
    table = table_of(convention, values, kinds)
    robot, frames = robot_of(table), joint_frames(convention, table.rows)
    q = joint_values(len(kinds), seed=2)[0]
    links = robot.frames(q)
    for i in range(len(kinds)):
        until_here = replace(table, rows=table.rows[: i + 1])
        np.testing.assert_allclose(links[i + 1] @ frames.T_link_dh[i], until_here.fk(q[: i + 1]), atol=5e-15)
    np.testing.assert_allclose(links[-2] @ frames.T_link_end, table.fk(q), atol=5e-15)


def test_quarter_turns_in_a_table_leave_no_dust_in_the_robot() -> None:
    frames = joint_frames("standard", table_of("standard", IRB120, "rrrrrr").rows)
    R = np.array(frames.T_parent_joint)[:, :3, :3]
    assert set(np.unique(R).tolist()) == {-1.0, 0.0, 1.0}


def test_limits_and_names_arrive_in_the_robot() -> None:
    table = table_of("standard", SCARA, "rrpr")
    robot = robot_from_dh(
        table,
        name="four",
        lower=[-2, -2, 0.1, -3],
        upper=[2, 2, 0.2, 3],
        velocity=[1, 2, 0.3, 4],
        source="a book",
    )
    assert [joint.name for joint in robot.joints] == ["A1", "A2", "A3", "A4"]
    assert [joint.kind for joint in robot.joints] == ["revolute", "revolute", "prismatic", "revolute"]
    assert [link.name for link in robot.links] == ["link_0", "link_1", "link_2", "link_3", "link_4"]
    assert robot.velocity.tolist() == [1, 2, 0.3, 4]
    assert robot.home.tolist() == [0, 0, 0.1, 0]
    assert robot.source == "a book"


# from a robot to a table


@pytest.mark.parametrize(("convention", "values", "kinds"), PUBLISHED)
def test_a_published_table_comes_back_from_its_robot(convention: DhConvention, values: Rows, kinds: str) -> None:
    base = pose.from_xyz_rpy([0.1, -0.2, 0.3], [0.4, -0.5, 0.6])
    tool = pose.from_xyz_rpy([0.0, 0.1, 0.2], [-0.3, 0.2, 1.1])
    table = table_of(convention, values, kinds, base, tool)
    back = dh_table(robot_of(table), convention)
    np.testing.assert_allclose(numbers(back), numbers(table), atol=1e-15)
    np.testing.assert_allclose(back.base, base, atol=1e-15)
    np.testing.assert_allclose(back.tool, tool, atol=1e-15)
    assert [row.joint for row in back.rows] == [row.joint for row in table.rows]
    assert [row.kind for row in back.rows] == [row.kind for row in table.rows]


@each_convention
@given(data=st.data())
def test_a_table_is_unique_where_no_two_axes_are_parallel(convention: DhConvention, data: st.DataObject) -> None:
    """Skew axes leave a table no choice but the sign of a normal; |theta| < 90° chooses it."""
    turns, lengths = st.floats(-1.5, 1.5), st.floats(-1.0, 1.0)
    tilts = st.one_of(st.floats(0.1, 3.0), st.floats(-3.0, -0.1))
    kinds = data.draw(st.text("rp", min_size=2, max_size=7))
    values = np.array([[data.draw(each) for each in (turns, lengths, lengths, tilts)] for _ in kinds])
    if convention == "modified":
        values[0, 2:] = 0.0  # the first row's a and alpha then stand for nothing
    table = table_of(convention, tuple(map(tuple, values.tolist())), kinds)
    back = dh_table(robot_of(table), convention)
    np.testing.assert_allclose(numbers(back), values, atol=1e-10)


@st.composite
def awkward_robots(draw: st.DrawFn) -> Robot:
    """Arms whose consecutive axes are parallel, antiparallel, coincident, crossing at any angle, or skew."""
    steps = st.sampled_from((-0.4, 0.0, 0.0, 0.25, 0.3))
    turns = st.sampled_from([k * math.pi / 12 for k in (-12, -6, -3, 0, 0, 0, 1, 4, 6, 12)])
    directions = st.sampled_from([(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (1, 1, 0), (1, -2, 3)])

    def frame() -> Floats:
        xyz, rpy = ([draw(kind) for _ in range(3)] for kind in (steps, turns))
        return pose.from_xyz_rpy(xyz, rpy)

    kinds: list[JointKind] = draw(st.lists(st.sampled_from(("revolute", "prismatic")), min_size=1, max_size=8))
    joints = tuple(
        Joint(f"A{i}", kind, frame(), np.array(draw(directions), float), -3.0, 3.0) for i, kind in enumerate(kinds)
    )
    return Robot(
        name="awkward",
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(len(joints) + 1)),
        home=np.zeros(len(joints)),
        source="drawn",
        base=frame(),
        flange=frame(),
        tool=Tool("pen", "pen", frame()),
    )


@each_convention
@given(robot=awkward_robots())
def test_every_arm_has_a_table_that_is_at_the_same_place(convention: DhConvention, robot: Robot) -> None:
    table = dh_table(robot, convention)
    q = joint_values(robot.dof, seed=3)
    np.testing.assert_allclose(table.fk(q), robot.fk(q), atol=1e-12 * size_of(robot))
    assert (np.abs(numbers(table)[:, [0, 3]]) <= math.pi).all()


@each_convention
@given(robot_with_q=robots_with_q())
def test_almost_parallel_axes_cost_at_most_a_fraction_of_a_micrometre(
    convention: DhConvention, robot_with_q: tuple[Robot, Floats]
) -> None:
    robot, q = robot_with_q
    np.testing.assert_allclose(dh_table(robot, convention).fk(q), robot.fk(q), atol=1e-7 * size_of(robot))


@each_convention
@pytest.mark.parametrize("tilt", [1e-15, 1e-13, 1e-11, 1e-9, 1e-8, 1e-7, 3.7e-6, 1e-4, 1e-2])
def test_the_loss_between_almost_parallel_axes_is_the_one_stated(convention: DhConvention, tilt: float) -> None:
    T = pose.from_xyz_rpy([0.3, 0.2, 0.1], [0.6 * tilt, 0.8 * tilt, 0.2])
    joints = tuple(Joint(f"A{i}", "revolute", T, np.array([0, 0, 1.0]), -3.0, 3.0) for i in range(3))
    robot = Robot(
        name="nearly",
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(4)),
        home=np.zeros(3),
        source="made up",
    )
    q = joint_values(3, seed=4)
    off = np.abs(dh_table(robot, convention).fk(q) - robot.fk(q)).max()
    assert off < 1e-14 + 20.0 * min(tilt, 1e-16 / tilt)


@each_convention
@given(robot=awkward_robots())
def test_quarter_turns_and_zeros_in_a_table_are_exact(convention: DhConvention, robot: Robot) -> None:
    theta, d, a, alpha = numbers(dh_table(robot, convention)).T
    for angle in (*theta, *alpha):
        quarters = angle / RIGHT
        assert quarters == round(quarters) or abs(quarters - round(quarters)) > 5e-13
    assert all(length == 0.0 or abs(length) >= 1e-12 for length in (*d, *a))


@each_convention
@given(robot=awkward_robots())
def test_a_table_of_a_table_is_the_same_arm_again(convention: DhConvention, robot: Robot) -> None:
    first = dh_table(robot, convention)
    again = dh_table(robot_of(first), convention)
    q = joint_values(robot.dof, seed=5)
    np.testing.assert_allclose(again.fk(q), robot.fk(q), atol=1e-12 * size_of(robot))


def test_parallel_axes_keep_d_for_the_last_of_them() -> None:
    """As makers print the UR arms: the shoulder's and elbow's sideways steps add up in d4."""
    axis = np.array([0.0, 1.0, 0.0])
    places = ([0, 0.138, 0.1625], [0, -0.131, 0.425], [0, 0.127, 0.392], [0, 0, 0.0])
    joints = [Joint("A1", "revolute", np.eye(4), np.array([0, 0, 1.0]), -3, 3)]
    joints += [Joint(f"A{i}", "revolute", pose.from_xyz(p), axis, -3, 3) for i, p in enumerate(places[:3], 2)]
    joints += [Joint("A5", "revolute", pose.from_xyz(places[3]), np.array([0, 0, 1.0]), -3, 3)]
    robot = Robot(
        name="parallel",
        joints=tuple(joints),
        links=tuple(Link(f"link_{i}") for i in range(6)),
        home=np.zeros(5),
        source="made up",
    )
    d = numbers(dh_table(robot, "standard"))[:, 1]
    np.testing.assert_allclose(d, [0.1625, 0.0, 0.0, 0.134, 0.0], atol=1e-15)


# what is refused


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: DhRow("A1", "revolute", math.nan, 0, 0, 0), "joint 'A1': theta: nan is not a finite number"),
        (lambda: DhRow("A1", "revolute", 0, 0, math.inf, 0), "joint 'A1': a: inf is not a finite number"),
        (
            lambda: DhRow("A1", "screw", 0, 0, 0, 0),  # type: ignore[arg-type]
            "joint 'A1': kind 'screw' is not one of revolute, prismatic",
        ),
        (
            lambda: DhTable("standard", (), np.eye(4), np.eye(4)),
            "DH table: 0 rows given; at least one is needed",
        ),
        (
            lambda: table_of("craig", UR5E, "rrrrrr"),  # type: ignore[arg-type]
            "DH convention 'craig' is not one of standard, modified",
        ),
        (lambda: table_of("standard", UR5E, "rrrrrr", 2 * np.eye(4)), "DH table: base: the last row"),
        (
            lambda: table_of("standard", UR5E, "rrrrrr").fk([0.0]),
            "DH table: q: expected 6 values or rows of 6",
        ),
        (
            lambda: robot_from_dh(table_of("standard", UR5E, "rrrrrr"), name="x", lower=[0], upper=[1]),
            "lower: expected shape (6,), got (1,)",
        ),
        (
            lambda: robot_from_dh(table_of("standard", UR5E, "rrrrrr"), name="x", lower=[1] * 6, upper=[0] * 6),
            "joint 'A1': lower limit 1 is not below upper limit 0",
        ),
    ],
)
def test_what_is_not_a_table_is_refused_with_the_reason(make: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}"):
        make()  # type: ignore[operator]


def test_an_unknown_convention_is_refused_everywhere(robot: Robot) -> None:
    for question in (lambda: dh_table(robot, "both"), lambda: joint_frames("both", ())):  # type: ignore[arg-type]
        with refused("dh_convention", InvalidInput, convention="both"):
            question()
