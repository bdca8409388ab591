"""URDF files: what is read from them, and which of their chains is the arm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from formats.urdf_files import LIMIT, ONE_AXIS, Read, ask, geometry, inertial, joint, link
from refusals import refused

from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose

# what is read


def test_a_small_file_becomes_the_arm_that_it_describes(read: Read) -> None:
    robot = ask(read, *ONE_AXIS, link("slide"), joint("A2", "arm", "slide", "prismatic", xyz="1 0 0"))
    assert (robot.name, robot.title, robot.source) == ("my-arm-3-5", "My Arm 3.5", "arm.urdf")
    assert [j.name for j in robot.joints] == ["A1", "A2"]
    assert [j.kind for j in robot.joints] == ["revolute", "prismatic"]
    assert robot.frame_names == ("base", "arm", "slide", "tool")
    assert (robot.lower.tolist(), robot.upper.tolist()) == ([-2, -2], [1.5, 1.5])
    assert (robot.velocity.tolist(), robot.effort.tolist()) == ([3, 3], [50, 50])
    expected = pose.from_xyz_rpy([0, 1, 0.5 + 0.25], [0, 0, math.pi / 2])
    np.testing.assert_allclose(robot.fk([math.pi / 2, 0.25]), expected, atol=1e-15)


def test_an_axis_that_is_not_given_is_x_and_need_not_be_of_length_one(read: Read) -> None:
    bare = joint("A1", "base", "arm").replace('<axis xyz="0 0 1"/>', "")
    assert ask(read, *ONE_AXIS[:2], bare).joints[0].axis.tolist() == [1, 0, 0]
    long = joint("A1", "base", "arm").replace("0 0 1", "0 3 4")
    np.testing.assert_allclose(ask(read, *ONE_AXIS[:2], long).joints[0].axis, [0, 0.6, 0.8])


def test_a_continuous_joint_may_turn_once_each_way(read: Read) -> None:
    for inside in ("", '<limit velocity="3" effort="50"/>', LIMIT):
        robot = ask(read, *ONE_AXIS[:2], joint("A1", "base", "arm", "continuous", inside=inside))
        assert (robot.lower[0], robot.upper[0]) == (-2 * math.pi, 2 * math.pi)
    assert robot.velocity[0] == 3.0


@pytest.mark.parametrize("value", ["0", "inf", "1e9", "1e300"])
def test_a_speed_or_effort_that_nobody_filled_in_is_infinite(read: Read, value: str) -> None:
    limit = f'<limit lower="-1" upper="1" velocity="{value}" effort="{value}"/>'
    robot = ask(read, *ONE_AXIS[:2], joint("A1", "base", "arm", inside=limit))
    assert (robot.velocity[0], robot.effort[0]) == (math.inf, math.inf)


def test_home_is_zero_or_the_limit_nearest_to_it(read: Read) -> None:
    limit = '<limit lower="0.5" upper="1"/>'
    robot = ask(read, *ONE_AXIS, link("end"), joint("A2", "arm", "end", inside=limit))
    assert robot.home.tolist() == [0.0, 0.5]


def test_fixed_joints_are_folded_into_the_next_joint_and_the_flange(read: Read) -> None:
    robot = ask(
        read,
        link("base"),
        link("riser"),
        link("arm"),
        link("tip"),
        joint("f1", "base", "riser", "fixed", xyz="0.1 0 0", inside=""),
        joint("A1", "riser", "arm", xyz="0 0.2 0"),
        joint("f2", "arm", "tip", "fixed", xyz="0 0 0.3", inside=""),
    )
    assert robot.frame_names == ("base", "arm", "tool")
    np.testing.assert_allclose(robot.joints[0].T_parent_joint, pose.from_xyz([0.1, 0.2, 0]))
    np.testing.assert_allclose(robot.flange, pose.from_xyz([0, 0, 0.3]))


def test_a_root_that_is_only_the_world_says_where_the_arm_stands(read: Read) -> None:
    stand = joint("stand", "world", "base", "fixed", xyz="1 2 3", inside="")
    robot = ask(read, link("world"), stand, *ONE_AXIS)
    np.testing.assert_allclose(robot.base, pose.from_xyz([1, 2, 3]))
    assert robot.links[0].name == "base"
    from_base = ask(read, link("world"), stand, *ONE_AXIS, base="base")
    np.testing.assert_allclose(from_base.base, np.eye(4))
    heavy = ask(read, link("world", inertial(2.0)), stand, *ONE_AXIS)
    assert (heavy.links[0].name, heavy.links[0].inertia.mass) == ("world", 2.0)


def test_a_moving_link_called_tool_does_not_clash_with_the_tool(read: Read) -> None:
    robot = ask(read, link("base"), link("tool"), joint("A1", "base", "tool"))
    assert robot.frame_names == ("base", "tool_link", "tool")


# which chain


FINGERS = (
    *ONE_AXIS,
    link("left"),
    link("right"),
    joint("L", "arm", "left", "prismatic"),
    joint("R", "arm", "right", "prismatic"),
)


def test_of_equally_long_chains_the_first_is_taken(read: Read) -> None:
    assert [j.name for j in ask(read, *FINGERS).joints] == ["A1", "L"]
    assert [j.name for j in ask(read, *FINGERS, tip="right").joints] == ["A1", "R"]
    assert [j.name for j in ask(read, *FINGERS, tip="arm").joints] == ["A1"]


def test_the_longest_chain_is_the_arm(read: Read) -> None:
    robot = ask(read, *FINGERS, link("nail"), joint("N", "right", "nail"))
    assert [j.name for j in robot.joints] == ["A1", "R", "N"]


def test_a_joint_that_mimics_another_is_no_axis(read: Read) -> None:
    follower = joint("R", "arm", "right", "prismatic", inside=LIMIT + '<mimic joint="L"/>')
    robot = ask(read, *FINGERS[:-1], follower)
    assert [j.name for j in robot.joints] == ["A1", "L"]
    assert [j.name for j in ask(read, *FINGERS[:-1], follower, tip="right").joints] == ["A1"]


def test_the_chain_can_start_anywhere(read: Read) -> None:
    robot = ask(read, *FINGERS, base="arm", tip="left")
    assert [j.name for j in robot.joints] == ["L"]
    np.testing.assert_allclose(robot.fk([0.1]), pose.from_xyz([0, 0, 0.6]))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["camera", "tool0"], "tool0"),
        (["flange", "tool0", "tool"], "tool"),
        (["flange", "camera"], "flange"),
        (["camera", "lamp"], "arm"),
        (["anything"], "anything"),
        ([], "arm"),
    ],
)
def test_the_end_of_the_arm_is_the_best_named_link_after_the_last_axis(
    read: Read, names: list[str], expected: str
) -> None:
    more = [link(name) for name in names]
    more += [joint(f"to_{name}", "arm", name, "fixed", xyz=f"{i} 0 0", inside="") for i, name in enumerate(names, 1)]
    place = names.index(expected) + 1 if expected in names else 0
    assert ask(read, *ONE_AXIS, *more).flange[0, 3] == place


@pytest.mark.parametrize(("end", "name"), [("tip", "arn"), ("base", "bsae")])
def test_an_unknown_end_is_answered_with_near_names(read: Read, end: str, name: str) -> None:
    with pytest.raises(UnknownName, match=f"arm.urdf: no link named '{name}'; did you mean "):
        ask(read, *ONE_AXIS, **{end: name})


def test_ends_that_no_axis_joins_are_refused(read: Read) -> None:
    with refused("urdf_axis_count", InvalidInput, count=0, start="base", end="base", most=64):
        ask(read, link("base"))
    with refused("urdf_tip_not_below_base", InvalidInput, file="arm.urdf", end="left", start="right"):
        ask(read, *FINGERS, base="right", tip="left")


def test_a_chain_with_too_many_axes_is_refused(read: Read) -> None:
    parts = [link(f"l{i}") for i in range(66)] + [joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(65)]
    with refused("urdf_axis_count", InvalidInput, count=65, start="l0", end="l65", most=64):
        ask(read, *parts)


# masses and shapes


def test_links_that_are_fixed_together_weigh_and_turn_as_one(read: Read) -> None:
    """Two equal balls at x = 0 and x = 2: the centre is between them, the parallel axis adds m · 1² each."""
    ball = link("ball", inertial(3.0, "0 0 -0.5"))
    weld = joint("weld", "arm", "ball", "fixed", xyz="2 0 0.5", inside="")
    body = ask(read, link("base"), link("arm", inertial(3.0)), ONE_AXIS[2], ball, weld).links[1].inertia
    assert body.mass == 6.0
    np.testing.assert_allclose(body.com, [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(body.matrix, np.diag([2, 8, 8]), atol=1e-14)


def test_an_inertia_is_turned_with_its_own_frame(read: Read) -> None:
    own = '<inertial><origin rpy="0 0 1.5707963267948966"/><mass value="1"/>'
    own += '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
    matrix = ask(read, link("base"), link("arm", own), ONE_AXIS[2]).links[1].inertia.matrix
    np.testing.assert_allclose(matrix, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15)


def test_what_hangs_on_joints_outside_the_chain_is_still_carried(read: Read) -> None:
    parts = (link("base"), link("arm", inertial(1.0)), ONE_AXIS[2], link("left", inertial(2.0)), *FINGERS[4:])
    assert ask(read, *parts, tip="arm").links[1].inertia.mass == 3.0
    assert [k.inertia.mass for k in ask(read, *parts, tip="left").links] == [0.0, 1.0, 2.0]


def test_primitive_solids_become_shapes_and_meshes_do_not(read: Read) -> None:
    looks = geometry('<box size="0.1 0.2 0.3"/>') + geometry('<cylinder radius="0.1" length="0.5"/>')
    looks += geometry('<sphere radius="0.2"/>', more='<material name="accent"/>')
    looks += geometry('<mesh filename="package://x/y.stl"/>') + geometry('<box size="0 0 0"/>') + "<visual/>"
    shapes = ask(read, link("base"), link("arm", looks), ONE_AXIS[2]).links[1].shapes
    assert [(s.kind, s.size[:3]) for s in shapes] == [
        ("box", (0.1, 0.2, 0.3)),
        ("cylinder", (0.1, 0.5, 0.0)),
        ("sphere", (0.2,)),
    ]
    assert [s.finish for s in shapes] == ["body", "body", "accent"]
    np.testing.assert_allclose(shapes[0].T_link_shape, pose.from_xyz([0, 0, 1]))


def test_where_the_looks_are_meshes_the_solids_for_collision_are_taken(read: Read) -> None:
    both = geometry('<mesh filename="a.stl"/>') + geometry('<sphere radius="0.2"/>', "collision")
    assert [s.kind for s in ask(read, link("base"), link("arm", both), ONE_AXIS[2]).links[1].shapes] == ["sphere"]


def test_an_arm_without_solids_gets_a_skin(read: Read) -> None:
    robot = ask(read, *ONE_AXIS, link("end"), joint("A2", "arm", "end"))
    assert sum(len(k.shapes) for k in robot.links) > 0


def test_shapes_of_links_that_are_fixed_together_are_moved_with_them(read: Read) -> None:
    weld = joint("weld", "arm", "ball", "fixed", xyz="2 0 0", inside="")
    ball = link("ball", geometry('<sphere radius="0.2"/>'))
    shapes = ask(read, *ONE_AXIS, ball, weld).links[1].shapes
    np.testing.assert_allclose(shapes[0].T_link_shape, pose.from_xyz([2, 0, 1]))
