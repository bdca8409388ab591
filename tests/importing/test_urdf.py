from __future__ import annotations

import contextlib
import math
import re
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.importing import urdf_tree
from armlab.importing.urdf import read_urdf, urdf_text, write_urdf
from armlab.importing.urdf_write import exact_rpy
from armlab.model import pose, solid
from armlab.model.parts import Inertia, Joint, Link, Tool
from armlab.model.robot import Robot
from armlab.model.shape import Shape
from oracles.arms import joint_values, made_up_arms, pose_distance
from strategies import angles, robots_with_q

LIMIT = '<limit lower="-2" upper="1.5" velocity="3" effort="50"/>'
MADE_UP = [pytest.param(robot, id=robot.name) for robot in made_up_arms()]


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", *, xyz: str = "0 0 0.5", inside: str = LIMIT
) -> str:
    """Return a joint about the z axis, half a metre above its parent."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 0 1"/>{inside}</joint>'
    )


def inertial(mass: float, xyz: str = "0 0 0", inside: str = '<inertia ixx="1" iyy="1" izz="1"/>') -> str:
    return f'<inertial><origin xyz="{xyz}"/><mass value="{mass}"/>{inside}</inertial>'


def robot_text(*parts: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="My Arm 3.5">{"".join(parts)}</robot>'


ONE_AXIS = (link("base"), link("arm"), joint("A1", "base", "arm"))


class Read(Protocol):
    """The type of the fixture `read`."""

    def __call__(self, text: str | bytes, **ends: str) -> Robot: ...


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A function that reads text or bytes as the file arm.urdf."""

    def read_text(text: str | bytes, **ends: str) -> Robot:
        path = tmp_path / "arm.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_urdf(path, **ends)

    return read_text


def ask(read: Read, *parts: str, **ends: str) -> Robot:
    return read(robot_text(*parts), **ends)


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


def test_equally_long_chains_must_be_chosen_from(read: Read) -> None:
    sentence = "arm.urdf: 2 chains have 2 axes; choose one with tip=, which may be left, right"
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$") as caught:
        ask(read, *FINGERS)
    assert caught.value.details["tips"] == ["left", "right"]
    assert [j.name for j in ask(read, *FINGERS, tip="right").joints] == ["A1", "R"]
    assert [j.name for j in ask(read, *FINGERS, tip="arm").joints] == ["A1"]


def test_the_longest_chain_is_the_arm(read: Read) -> None:
    robot = ask(read, *FINGERS, link("nail"), joint("N", "right", "nail"))
    assert [j.name for j in robot.joints] == ["A1", "R", "N"]


def test_a_joint_that_mimics_another_is_no_axis(read: Read) -> None:
    follower = joint("R", "arm", "right", "prismatic", inside=LIMIT + '<mimic joint="L"/>')
    robot = ask(read, *FINGERS[:-1], follower)
    assert [j.name for j in robot.joints] == ["A1", "L"]
    with pytest.raises(NotSupported, match="joint 'R' on the way to 'right' mimics another joint"):
        ask(read, *FINGERS[:-1], follower, tip="right")


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
    with pytest.raises(UnknownName, match=f"no link of arm.urdf named '{name}'; near: "):
        ask(read, *ONE_AXIS, **{end: name})


def test_ends_that_no_axis_joins_are_refused(read: Read) -> None:
    with pytest.raises(InvalidInput, match="0 moving joints lead from 'base' to 'base'; 1 to 64 are allowed"):
        ask(read, link("base"))
    with pytest.raises(InvalidInput, match=r"^arm\.urdf: link 'left' does not hang on 'right'"):
        ask(read, *FINGERS, base="right", tip="left")


def test_a_chain_with_too_many_axes_is_refused(read: Read) -> None:
    parts = [link(f"l{i}") for i in range(66)] + [joint(f"j{i}", f"l{i}", f"l{i + 1}") for i in range(65)]
    with pytest.raises(InvalidInput, match="65 moving joints lead from 'l0' to 'l65'; 1 to 64 are allowed"):
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


def geometry(inside: str, kind: str = "visual", more: str = "") -> str:
    return f'<{kind}><origin xyz="0 0 1"/><geometry>{inside}</geometry>{more}</{kind}>'


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


# what is refused


def told(read: Read, text: str | bytes) -> str:
    with pytest.raises((InvalidInput, NotSupported)) as caught:
        read(text)
    message = caught.value.message
    assert "arm.urdf: " in message
    assert "\n" not in message
    assert len(message) < 250
    return message


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "the file is empty"),
        (b" \n\t ", "the file is empty"),
        (b"not xml", "not XML: "),
        (b"<robot name='a'><link name='b'>", "not XML: "),
        (bytes(range(256)) * 40, "not XML: "),
        (b"\x7fELF\x02\x01\x01" + b"\0" * 300, "not XML: "),
        (b"<?xml version='1.0' encoding='no-such'?><robot/>", "not XML: "),
        (b"<mujoco/>", "the outermost element is <mujoco>; URDF has <robot>"),
        (b"<robot xmlns='http://elsewhere'/>", "the outermost element is <{http://elsewhere}robot>"),
        (b"<robot/>", "<robot> has no links"),
        (b"<robot>" * 1000 + b"</robot>" * 1000, "not XML: "),
        (b"<robot><!-- " + b"x" * 100 + b" --></robot>", "<robot> has no links"),
    ],
)
def test_what_is_no_urdf_is_refused(read: Read, data: bytes, part: str) -> None:
    assert part in told(read, data)


def test_a_template_is_refused_with_what_to_do(read: Read) -> None:
    text = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a.xacro"/></robot>'
    assert "write it out with `xacro` first" in told(read, text)


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", ['<robot name="&l9;"/>', "<robot>&l9;</robot>"])
def test_entities_that_would_fill_the_memory_are_refused(read: Read, encoding: str, place: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE robot [<!ENTITY l0 "ha">{LAUGHS}]>{place}'
    told(read, text.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_that_read_other_files_are_refused(read: Read, encoding: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    text = f'<?xml version="1.0" encoding="{encoding}"?>'
    text += f'<!DOCTYPE robot [<!ENTITY e SYSTEM "{secret.as_uri()}">]><robot name="x">&e;</robot>'
    assert "hidden" not in told(read, text.encode(encoding))


def test_a_file_that_is_too_large_is_refused(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urdf_tree, "MAX_BYTES", 1_000_000)
    assert "is larger than the 1 MB allowed" in told(read, b"<robot>" + b" " * 1_000_000 + b"</robot>")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, part in (
        (tmp_path / "none.urdf", "no such file"),
        (tmp_path, "is a folder, not a file"),
        (tmp_path / ("x" * 5000), "no such file|cannot be read"),
    ):
        with pytest.raises(InvalidInput, match=part):
            read_urdf(path)
        with pytest.raises(InvalidInput, match=part):
            read_urdf(str(path))


BASE, ARM, A1 = ONE_AXIS
WRONG = [
    ((BASE, BASE, ARM, A1), "2 links are named 'base'"),
    ((BASE, ARM, A1, A1), "2 joints are named 'A1'"),
    ((BASE, ARM, joint("A1", "base", "arn")), "joint 'A1': there is no link 'arn'"),
    ((BASE, ARM, A1, link("lost")), "2 links have no parent (base, lost); only one may"),
    ((BASE, ARM, A1, joint("A2", "arm", "base")), "the joints form a cycle; one link must have no parent"),
    ((BASE, ARM, A1, joint("A2", "base", "arm")), "link 'arm' is the child of 2 joints; a tree allows one"),
    (
        (*ONE_AXIS, link("x"), link("y"), joint("j", "x", "y"), joint("k", "y", "x")),
        "links x, y hang in a cycle that never reaches the root 'base'",
    ),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 nan 0")), "joint 'A1': origin: xyz=\"0 nan 0\" is not a number"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 inf 0")), "joint 'A1': origin: xyz=\"0 inf 0\" is outside ±1e+09"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 0")), "joint 'A1': origin: xyz=\"0 0\" has 2 values instead of 3"),
    ((BASE, ARM, A1.replace("0 0 0.5", "0 0 ${h}")), "joint 'A1': origin: xyz=\"0 0 ${h}\" is not a number"),
    ((BASE, ARM, A1.replace("0 0 1", "0 0 0")), "joint 'A1': axis [0, 0, 0] has no direction"),
    ((BASE, ARM, A1.replace("1.5", "-2")), "joint 'A1': limit: lower -2 is not below upper -2"),
    ((BASE, ARM, A1.replace("1.5", "nan")), "joint 'A1': limit: upper=\"nan\" is not a number"),
    ((BASE, ARM, A1.replace('velocity="3"', 'velocity="-3"')), "joint 'A1': limit: velocity -3 and effort 50"),
    ((BASE, ARM, joint("A1", "base", "arm", inside="")), "joint 'A1': a revolute joint needs <limit"),
    ((BASE, ARM, A1.replace('type="revolute"', "")), "joint 'A1': attribute 'type' is missing or empty"),
    ((BASE, ARM, A1.replace('"revolute"', '"hinge"')), "joint 'A1': type 'hinge' is not known"),
    ((BASE, ARM, A1.replace('"revolute"', '"planar"')), "joint 'A1': planar joints are not supported"),
    ((BASE, ARM, A1.replace('"revolute"', '"floating"')), "joint 'A1': floating joints are not supported"),
    ((BASE, ARM, A1.replace('name="A1"', "")), "a <joint>: attribute 'name' is missing or empty"),
    ((BASE, ARM, A1.replace('name="A1"', f'name="{"A" * 201}"')), "is not a name of up to 200 letters"),
    ((BASE, ARM, A1.replace('<child link="arm"/>', "")), "joint 'A1': <child link=…> is missing"),
    ((BASE, ARM, A1.replace('link="arm"', "")), "joint 'A1': <child>: attribute 'link' is missing or empty"),
    ((BASE, link("arm", inertial(-1)), A1), "link 'arm': mass: -1 kg is not zero or more"),
    ((BASE, link("arm", inertial(math.nan)), A1), "link 'arm': mass: value=\"nan\" is not a number"),
    ((BASE, link("arm", "<inertial/>"), A1), "link 'arm': <inertial> has no <mass>"),
    ((BASE, link("arm", "<inertial><mass/></inertial>"), A1), "link 'arm': mass: attribute 'value' is missing"),
    (
        (BASE, link("arm", inertial(1, inside='<inertia ixx="9" iyy="1" izz="1"/>')), A1),
        "link 'arm': inertia: no body has the principal moments 1, 1, 9 kg m²",
    ),
    ((BASE, link("arm", geometry('<sphere radius="-1"/>')), A1), "link 'arm': sphere: lengths below zero"),
    ((BASE, link("arm", geometry("<sphere/>")), A1), "link 'arm': sphere: attribute 'radius' is missing"),
    ((BASE, link("arm", geometry('<box size="1 2"/>')), A1), 'box: size="1 2" has 2 values instead of 3'),
]


@pytest.mark.parametrize(("parts", "part"), WRONG, ids=[part for _, part in WRONG])
def test_a_file_that_contradicts_itself_is_refused(read: Read, parts: tuple[str, ...], part: str) -> None:
    assert part in told(read, robot_text(*parts))


@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_but_never_anything_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = bytearray(urdf_text(made_up_arms()[1]).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    path = tmp_path_factory.getbasetemp() / "damaged.urdf"
    path.write_bytes(whole)
    with contextlib.suppress(InvalidInput, NotSupported):
        assert np.isfinite(read_urdf(path).home).all()


def test_a_file_with_more_links_than_any_robot_has_is_refused(read: Read) -> None:
    chain = [link(f"l{i}") for i in range(20_000)]
    assert "20000 links and joints; a robot may have 2000 of each" in told(read, robot_text(*chain))


# what is written


@given(robot_with_q=robots_with_q())
def test_every_arm_comes_back_from_its_own_urdf(
    tmp_path_factory: pytest.TempPathFactory, robot_with_q: tuple[Robot, Floats]
) -> None:
    robot, q = robot_with_q
    path = tmp_path_factory.getbasetemp() / "arm.urdf"
    write_urdf(robot, path)
    again = read_urdf(path)
    np.testing.assert_allclose(again.frames(q), robot.frames(q), atol=1e-12)
    for limit in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_array_equal(getattr(again, limit), getattr(robot, limit))
    assert again.frame_names == robot.frame_names


def whole_inertia(robot: Robot, q: Floats) -> tuple[float, Floats, Floats]:
    """Return mass, its first moment and its inertia about the world's origin, tool included."""
    frames = robot.frames(q)
    parts = [(k.inertia, T) for k, T in zip(robot.links, frames[:-1], strict=True)]
    parts.append((robot.tool.inertia, frames[-2] @ robot.flange))
    mass, moment, matrix = 0.0, np.zeros(3), np.zeros((3, 3))
    for inertia, T in parts:
        R, p = T[:3, :3], pose.transform(T, inertia.com)
        mass, moment = mass + inertia.mass, moment + inertia.mass * p
        matrix += R @ inertia.matrix @ R.T + inertia.mass * (p @ p * np.eye(3) - np.outer(p, p))
    return mass, moment, matrix


@pytest.mark.parametrize("robot", MADE_UP)
def test_mass_and_inertia_come_back(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    for q in joint_values(robot, 10, seed=31):
        ours, theirs = whole_inertia(robot, q), whole_inertia(again, q)
        np.testing.assert_allclose(theirs[0], ours[0], rtol=1e-14)
        np.testing.assert_allclose(theirs[1], ours[1], atol=1e-12)
        np.testing.assert_allclose(theirs[2], ours[2], atol=1e-12)


@pytest.mark.parametrize("robot", MADE_UP[:3])
def test_primitive_shapes_come_back(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    for one, other in zip(robot.links[:-1], again.links[:-1], strict=True):
        assert [(s.kind, s.size, s.finish) for s in other.shapes] == [(s.kind, s.size, s.finish) for s in one.shapes]
        for s, t in zip(one.shapes, other.shapes, strict=True):
            assert pose_distance(s.T_link_shape, t.T_link_shape) < 2e-15
    assert len(again.links[-1].shapes) == len(robot.links[-1].shapes) + len(robot.tool.shapes)


@pytest.mark.parametrize("size", [(0.1, 0.2, 0.05, 0.3, 0.6), (0.1, 0.2, 0.05, 0.1, 0.6, 0.02, 0.03, 0.01, 0.2, -0.3)])
def test_a_loft_is_written_as_a_box_that_just_contains_it(
    robot: Robot, tmp_path: Path, size: tuple[float, ...]
) -> None:
    loft = Shape("loft", size, pose.from_xyz_rpy([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]))
    links = (robot.links[0], Link("link_1", shapes=(loft,)), *robot.links[2:])
    write_urdf(robot._changed(links=links), tmp_path / "arm.urdf")
    (box,) = read_urdf(tmp_path / "arm.urdf").links[1].shapes
    points = pose.transform(pose.inverse(box.T_link_shape), solid.mesh(loft).vertices)
    half = np.array(box.size[:3]) / 2
    assert (np.abs(points) <= half + 1e-9).all()
    np.testing.assert_allclose(np.abs(points).max(axis=0), half, rtol=0.05)


def test_limits_that_nobody_states_come_back_infinite(tmp_path: Path) -> None:
    endless = Joint("A1", "revolute", np.eye(4), np.array([0, 0, 1.0]), -2.0, 2.0)
    robot = Robot(name="endless", joints=(endless,), links=(Link("a"), Link("b")), home=np.zeros(1), source="made up")
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf").joints[0]
    assert (again.velocity, again.effort) == (math.inf, math.inf)
    assert "inf" not in urdf_text(robot)
    text = urdf_text(robot).replace('lower="-2.0"', 'lower="-1e9"').replace('upper="2.0"', 'upper="1e9"')
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    free = read_urdf(tmp_path / "arm.urdf").joints[0]
    assert (free.lower, free.upper) == (-2 * math.pi, 2 * math.pi)


def test_names_that_the_writer_needs_may_be_taken(tmp_path: Path) -> None:
    T = pose.from_xyz([0, 0, 1])
    robot = Robot(
        name="clash",
        joints=(Joint("flange_joint", "revolute", T, np.array([0, 0, 1.0]), -1, 1),),
        links=(Link("base"), Link("flange", Inertia(1.0))),
        home=np.zeros(1),
        source="made up",
        base=T,
        tool=Tool("pen", "pen", T, Inertia(2.0)),
    )
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    np.testing.assert_allclose(again.frames([0.3]), robot.frames([0.3]), atol=1e-15)
    assert again.links[1].inertia.mass == 3.0


def test_names_that_xml_cannot_hold_are_refused(robot: Robot) -> None:
    with pytest.raises(InvalidInput, match="its names cannot be written as XML"):
        urdf_text(robot._changed(name="bell\x07"))


def test_awkward_names_come_back(robot: Robot, tmp_path: Path) -> None:
    links = (Link('<base> & "co"'), *robot.links[1:])
    write_urdf(robot._changed(links=links), tmp_path / "arm.urdf")
    assert read_urdf(tmp_path / "arm.urdf").links[0].name == '<base> & "co"'


def test_a_file_is_written_whole_or_not_at_all(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    before = (tmp_path / "arm.urdf").read_text(encoding="utf-8")
    assert before == urdf_text(robot)
    (tmp_path / "folder.urdf").mkdir()
    for path in (tmp_path / "none" / "arm.urdf", tmp_path / "folder.urdf"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            write_urdf(robot, path)
    with pytest.raises(InvalidInput, match=r"arm.txt: the name of a URDF file ends in .urdf or .xml"):
        write_urdf(robot, tmp_path / "arm.txt")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.urdf", "folder.urdf"]


@given(
    roll=angles,
    yaw=angles,
    pitch=st.one_of(angles, st.sampled_from((-1, 1)).map(lambda s: s * math.pi / 2)),
    off=st.sampled_from((0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-7, 1e-4)),
)
def test_roll_pitch_yaw_give_the_rotation_back_to_the_last_digits(
    roll: float, yaw: float, pitch: float, off: float
) -> None:
    T = pose.from_xyz_rpy([0, 0, 0], [roll, pitch - off, yaw])
    A = pose.from_xyz_axis_angle([0, 0, 0], [1, 2, 3], roll)
    for R in (T[:3, :3], (A @ (pose.inverse(A) @ T))[:3, :3]):  # exact elements, and rounded ones
        again = pose.from_xyz_rpy([0, 0, 0], exact_rpy(R))[:3, :3]
        assert np.abs(again - R).max() < 1.5e-15
