from __future__ import annotations

import copy
import dataclasses
import pickle
import re

import numpy as np
import pytest
from refusals import refused

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot, turn_z_to


def test_a_robot_is_frozen_and_its_arrays_cannot_be_written(robot: Robot) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        robot.name = "other"  # type: ignore[misc]
    for array in (robot.lower, robot.upper, robot.home, robot.base, robot.configurations["out"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(TypeError):
        robot.configurations["new"] = robot.home  # type: ignore[index]


def test_what_fk_returns_is_the_callers_own(robot: Robot) -> None:
    first = robot.fk(robot.home)
    first[:] = 0.0
    assert robot.fk(robot.home)[3, 3] == 1.0


@pytest.mark.parametrize("q", [[0.1, 0.2, 0.3], (0.1, 0.2, 0.3), np.array([0.1, 0.2, 0.3], np.float32)])
def test_joint_values_may_come_as_any_sequence(robot: Robot, q: object) -> None:
    expected = robot.fk(np.array([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(robot.fk(q), expected, atol=1e-7)  # type: ignore[arg-type]


def test_strided_and_read_only_joint_values_are_taken(robot: Robot) -> None:
    expected = robot.fk(robot.home.copy())
    np.testing.assert_array_equal(robot.fk(read_only(robot.home)), expected)
    wide = np.zeros((4, 6))
    wide[:, ::2] = robot.home
    np.testing.assert_allclose(robot.fk(wide[:, ::2]), [expected] * 4)
    np.testing.assert_allclose(robot.fk(wide[0, ::2]), expected)


@pytest.mark.parametrize(
    ("q", "sentence"),
    [
        ([0.0, 0.0], "made-up: q: expected 3 values or rows of 3, got shape (2,)"),
        ([0.0, np.nan, 0.0], "made-up: q[1]: nan is not a finite number"),
        ([[0.0, 0.0, np.inf]], "made-up: q[0, 2]: inf is not a finite number"),
        ("home", "made-up: q: 'home' is not an array of numbers"),
        ([0.0, 5e5, 0.0], "joint 'slide': 500000 m is outside ±100000 m; is it in another unit?"),
    ],
)
def test_wrong_joint_values_get_one_sentence_from_each_question(robot: Robot, q: object, sentence: str) -> None:
    for question in (robot.fk, robot.frames, robot.jacobian):
        with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}$"):
            question(q)  # type: ignore[arg-type]


def test_nan_in_an_array_that_needs_no_conversion_is_refused_too(robot: Robot) -> None:
    for q in (np.array([0.0, np.nan, 0.0]), np.array([[0.0, 0.0, 0.0], [0.0, np.inf, 0.0]])):
        with refused("not_finite", InvalidInput):
            robot.fk(q)


def test_an_empty_batch_gives_an_empty_answer(robot: Robot) -> None:
    assert robot.fk(np.zeros((0, 3))).shape == (0, 4, 4)
    assert robot.jacobian(np.zeros((0, 3))).shape == (0, 6, 3)


def test_tool_and_base_move_the_tool_and_nothing_else(robot: Robot) -> None:
    q = robot.home
    T_flange_tool = pose.from_xyz_rpy([0.01, 0.02, 0.1], [0.1, 0.2, 0.3])
    T_world_base = pose.from_xyz_rpy([1, 2, 3], [0, 0, 1])
    tooled = robot.with_tool(Tool("pen", "pen", T_flange_tool))
    np.testing.assert_allclose(tooled.fk(q), robot.fk(q) @ T_flange_tool, atol=1e-15)
    np.testing.assert_allclose(tooled.frames(q)[:-1], robot.frames(q)[:-1], atol=0)
    moved = robot.with_base(T_world_base)
    np.testing.assert_allclose(moved.frames(q), T_world_base @ robot.frames(q), atol=1e-14)
    assert robot.tool.name == "none"


def test_a_robot_can_be_copied_and_sent_to_another_process(robot: Robot) -> None:
    for twin in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        np.testing.assert_array_equal(twin.fk(robot.home), robot.fk(robot.home))
        np.testing.assert_array_equal(twin.configuration("out"), robot.configuration("out"))


def test_only_a_tool_can_be_put_on_a_robot(robot: Robot) -> None:
    with refused("not_a_tool", InvalidInput, given="'gripper'"):
        robot.with_tool("gripper")  # type: ignore[arg-type]
    with refused("not_finite", InvalidInput):
        Tool("t", "pen", np.full((4, 4), np.nan))
    with refused("tool_kind", InvalidInput, tool="t", kind="sword"):
        Tool("t", "sword", np.eye(4))  # type: ignore[arg-type]
    with refused("wrong_shape", InvalidInput, expected="(4, 4)"):
        robot.with_base(np.stack([np.eye(4)] * 2))


def test_a_base_that_is_a_little_off_is_made_an_exact_rotation(robot: Robot) -> None:
    rough = np.eye(4)
    rough[0, 0] += 4e-7
    R = robot.with_base(rough).fk(robot.home)[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)


def test_named_poses_are_found_and_unknown_ones_offered(robot: Robot) -> None:
    np.testing.assert_array_equal(robot.configuration("out"), [0.0, 0.4, 0.0])
    np.testing.assert_array_equal(robot.configuration("home"), robot.home)
    with refused("unknown_configuration", UnknownName, name="hom", owner="made-up"):
        robot.configuration("hom")


def test_frames_have_names(robot: Robot) -> None:
    assert robot.frame_names == ("link_0", "link_1", "link_2", "link_3", "tool")
    assert len(robot.frames(robot.home)) == len(robot.frame_names)
    assert "made-up" in repr(robot)


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [1e-9, 0, -1], [0.3, -0.5, -0.8], [1e-7, 1e-7, 1]])
def test_turning_z_to_an_axis_is_an_exact_rotation(axis: list[float]) -> None:
    unit = np.array(axis) / np.linalg.norm(axis)
    R = turn_z_to(unit)
    np.testing.assert_allclose(R[:, 2], unit, atol=1e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)


def _joint(**changes: object) -> Joint:
    values: dict[str, object] = {
        "name": "elbow", "kind": "revolute", "T_parent_joint": np.eye(4), "axis": np.array([0, 0, 1.0]),
        "lower": -1.0, "upper": 1.0,
    }  # fmt: skip
    return Joint(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"lower": 1.0, "upper": -1.0}, "joint 'elbow': lower limit 1 is not below upper limit -1"),
        ({"lower": np.nan}, "joint 'elbow': lower limit nan is not below"),
        ({"velocity": 0.0}, "joint 'elbow': velocity limit must be > 0, got 0"),
        ({"effort": np.nan}, "joint 'elbow': effort limit must be > 0, got nan"),
        ({"axis": np.zeros(3)}, "joint 'elbow': axis .* has no direction"),
        ({"axis": np.array([0, 1.0])}, "joint 'elbow': axis: expected shape"),
        ({"kind": "bendy"}, "joint 'elbow': kind 'bendy' is not one of revolute, prismatic"),
        ({"T_parent_joint": np.zeros((4, 4))}, "joint 'elbow': T_parent_joint: the last row"),
        ({"upper": np.inf}, "joint 'elbow': limits -1 and inf are not within"),
    ],
)
def test_a_joint_that_cannot_be_is_refused(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        _joint(**changes)


def test_an_axis_of_any_length_becomes_a_unit_vector() -> None:
    np.testing.assert_allclose(_joint(axis=np.array([0, 3.0, 4.0])).axis, [0, 0.6, 0.8])
    np.testing.assert_allclose(_joint(axis=[1e200, 0, 1e200]).axis, [np.sqrt(0.5), 0, np.sqrt(0.5)])


@pytest.mark.parametrize(
    ("mass", "matrix", "sentence"),
    [
        (-1.0, np.eye(3), "mass must be ≥ 0, got -1 kg"),
        (np.inf, np.eye(3), "mass must be ≥ 0, got inf kg"),
        (1.0, np.diag([1.0, 1.0, 3.0]), "principal moments"),
        (1.0, np.diag([-1.0, 1.0, 1.0]), "principal moments"),
        (1.0, np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (1.0, np.full((3, 3), np.nan), "not a finite number"),
    ],
)
def test_an_inertia_that_no_body_has_is_refused(mass: float, matrix: Floats, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Inertia(mass, np.zeros(3), matrix)


def _robot(joints: tuple[Joint, ...], links: tuple[Link, ...]) -> Robot:
    return Robot(name="r", joints=joints, links=links, home=np.zeros(len(joints)), source="made up")


def test_parts_that_do_not_make_a_chain_are_refused() -> None:
    with refused("joint_count_range", InvalidInput, who="r", count=0, most=64):
        _robot((), (Link("a"),))
    with refused("link_count", InvalidInput, who="r", joints=1, expected=2, links=1):
        _robot((_joint(),), (Link("a"),))
    with refused("name_twice", InvalidInput, who="r", name="a"):
        _robot((_joint(),), (Link("a"), Link("a")))
    with refused("name_twice", InvalidInput, who="r", name="elbow"):
        _robot((_joint(), _joint()), (Link("a"), Link("b"), Link("c")))
