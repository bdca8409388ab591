"""The jaws of a gripper: which shapes they are, and how far they close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armlab.catalog import load_tool, tool_names
from armlab.geometry import pose, solid
from armlab.geometry.shape import Shape
from armlab.model.jaws import held_width, jaws_of

GRIPPER = load_tool("gripper")


def test_palm_and_jaws_are_all_of_the_tool_and_the_jaws_mirror_each_other() -> None:
    jaws = jaws_of(GRIPPER)
    assert jaws is not None
    assert len(jaws.palm) + sum(len(finger.shapes) for finger in jaws.fingers) == len(GRIPPER.shapes)
    right, left = (np.concatenate([solid.mesh(shape).vertices for shape in finger.shapes]) for finger in jaws.fingers)
    np.testing.assert_allclose(right.min(axis=0)[0], -left.max(axis=0)[0], atol=1e-12)


def test_closed_as_far_as_they_can_the_jaws_do_not_pass_each_other() -> None:
    jaws = jaws_of(GRIPPER)
    assert jaws is not None
    right = np.concatenate([solid.mesh(shape).vertices for shape in jaws.fingers[0].shapes])
    assert right[:, 0].min() - jaws.travel_to(0.0) >= -1e-12
    assert jaws.travel_to(jaws.opening) == 0.0
    assert jaws.travel_to(10.0) == 0.0


@pytest.mark.parametrize("turn", [0.0, 0.4, np.pi / 2])
def test_on_a_held_box_the_pads_are_as_far_apart_as_it_is_wide(turn: float) -> None:
    """The width of a turned box is |w cos| + |d sin|."""
    jaws = jaws_of(GRIPPER)
    assert jaws is not None
    box = Shape("box", (0.03, 0.02, 0.05), np.eye(4))
    T_flange_body = pose.from_xyz_abc([0, 0, 0.15], [turn, 0, 0])
    width = held_width(jaws, (box,), T_flange_body)
    assert width == pytest.approx(abs(0.03 * np.cos(turn)) + abs(0.02 * np.sin(turn)), abs=1e-9)
    assert jaws.opening - 2.0 * jaws.travel_to(width) == pytest.approx(width)


def test_a_body_wider_than_the_gripper_leaves_it_open() -> None:
    jaws = jaws_of(GRIPPER)
    assert jaws is not None
    plate = Shape("box", (0.5, 0.5, 0.01), np.eye(4))
    assert jaws.travel_to(held_width(jaws, (plate,), np.eye(4))) == 0.0


def test_a_tool_point_beyond_the_fingers_does_not_change_the_opening() -> None:
    bare = replace(GRIPPER, jaws=None)
    far = replace(bare, T_flange_tool=pose.from_xyz([0, 0, 0.4]))
    ours, theirs = jaws_of(bare), jaws_of(far)
    assert ours is not None
    assert theirs is not None
    assert theirs.opening == pytest.approx(ours.opening)


def test_tools_of_other_kinds_have_none() -> None:
    assert [name for name in tool_names() if jaws_of(load_tool(name)) is not None] == ["braccio-gripper", "gripper"]


def test_the_fingers_of_the_file_are_those_that_the_shapes_show() -> None:
    """The rule that finds fingers where a file names none, against a file that does."""
    named, shown = jaws_of(GRIPPER), jaws_of(replace(GRIPPER, jaws=None))
    assert named is not None
    assert shown is not None
    assert (named.opening, named.travel) == pytest.approx((shown.opening, shown.travel))
    assert set(map(id, named.palm)) == set(map(id, shown.palm))
    for ours, theirs in zip(named.fingers, shown.fingers, strict=True):
        np.testing.assert_array_equal(ours.axis, theirs.axis)
        assert set(map(id, ours.shapes)) == set(map(id, theirs.shapes))
        assert ours.inertia.mass == pytest.approx(theirs.inertia.mass)
