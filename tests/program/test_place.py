from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armlab import attempt_ik, load
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.scene import Body
from armlab.program.place import (
    BodySurface,
    Placement,
    default_placement,
    frame_at,
    placed,
    tool_axes,
    top_of,
    turn_between,
)

PART = np.array([[0.0, 0.0, 0.0], [0.08, 0.095, 0.01]])
_unit = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


@given(_unit, _unit)
def test_the_turn_between_two_directions_takes_one_to_the_other(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    first, second = np.array(a) / np.linalg.norm(a), np.array(b) / np.linalg.norm(b)
    R = turn_between(first, second)
    np.testing.assert_allclose(R @ first, second, atol=1e-7)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-7)
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_a_tool_s_axis_points_where_it_is_told() -> None:
    for direction in ((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), (1.0, 2.0, -2.0)):
        R = tool_axes(direction, 0.3)
        np.testing.assert_allclose(R[:, 2], np.array(direction) / np.linalg.norm(direction), atol=1e-12)
    with pytest.raises(InvalidInput):
        tool_axes((0.0, 0.0, 0.0))


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "scara", "planar2", "braccio"])
def test_the_default_place_is_one_where_the_corners_of_the_part_are_reached(name: str) -> None:
    robot = load(name)
    placement, findings = default_placement(robot, PART)
    assert findings[0].code == "placed_by_default"
    for x in PART[:, 0]:
        for y in PART[:, 1]:
            T = frame_at(placement, np.array([x, y, 0.0]))
            assert attempt_ik(robot, T, task=placement.task).converged


def test_a_part_larger_than_the_arm_is_a_warning() -> None:
    _placement, findings = default_placement(load("kuka-kr6-r700"), PART * 100.0)
    assert [(f.severity, f.code) for f in findings] == [("warning", "placed_out_of_reach")]


def test_an_arm_with_five_axes_leans_where_its_tool_cannot_stay_upright() -> None:
    robot = load("braccio")
    _placement, findings = placed(robot, pose.from_xyz((0.15, -0.0475, 0.0)), PART)
    assert [f.code for f in findings] == ["tool_cannot_stay_upright"]
    upright, findings = placed(robot, pose.from_xyz((0.15, 0.0, 0.0)), np.zeros((1, 3)))
    assert (upright.task.name, findings) == ("approach", ())


def test_the_tool_stands_perpendicular_to_a_surface() -> None:
    ball = Body("ball", (Shape("sphere", (0.1,), np.eye(4)),), pose.from_xyz((0.5, 0.0, 0.1)))
    placement = Placement(pose.from_xyz((0.5, 0.0, 0.1)), tool_axes(), surface=BodySurface(ball))
    for p in ((0.0, 0.0, 0.1), (0.06, 0.0, 0.08), (0.0, -0.08, 0.06)):
        T = frame_at(placement, np.array(p))
        inwards = -np.array(p) / np.linalg.norm(p)
        assert float(T[:3, 2] @ inwards) > np.cos(np.radians(8.0))  # the mesh is made of flat triangles


def test_a_part_lies_on_top_of_a_body_with_its_axes() -> None:
    T = pose.from_xyz_abc((1.0, 2.0, 3.0), (0.4, 0.0, 0.0))
    table = Body("table", (Shape("box", (0.6, 0.4, 0.1), np.eye(4)),), T)
    np.testing.assert_allclose(top_of(table), T @ pose.from_xyz((0.0, 0.0, 0.05)), atol=1e-12)
