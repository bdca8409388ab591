"""User frames: the tool is jogged along their axes, and they belong to the project."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import KUKA, READY, Driven

from armlab.errors import InvalidInput
from armlab.geometry import pose

TILTED = (400.0, 100.0, 300.0, 35.0, -20.0, 10.0)


def bench(**parts: object) -> Driven:
    """Return the KUKA, ready to move, in a project with one tilted frame."""
    driven = Driven(KUKA, frames=[{"id": "f1", "name": "jig", "pose": TILTED}], structure="hierarchy", **parts)
    driven.go(*READY)
    return driven


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_jog_in_a_user_frame_goes_along_its_axis(axis: int) -> None:
    driven = bench()
    before = driven.tool
    for _ in range(30):
        driven.jog_tool(*np.eye(6)[axis] * 0.5, frame="reference", reference="f1")
        driven.wait(1 / 60)
    driven.wait(1.0)
    went = driven.tool[:3] - before[:3]
    direction = pose.from_mm_deg(TILTED)[:3, axis]
    assert went @ direction > 20.0
    np.testing.assert_allclose(went, (went @ direction) * direction, atol=0.02 * float(np.linalg.norm(went)))


def test_a_jog_in_the_world_does_not_turn_with_the_base() -> None:
    driven = bench(base=[0, 0, 0, 90, 0, 0])
    before = driven.tool
    for _ in range(30):
        driven.jog_tool(0, 0.5, 0, 0, 0, 0, frame="reference")
        driven.wait(1 / 60)
    driven.wait(1.0)
    went = driven.tool[:3] - before[:3]
    assert went[1] > 20.0
    np.testing.assert_allclose(went[[0, 2]], 0.0, atol=0.02 * went[1])


def test_a_jog_in_a_frame_that_is_gone_is_refused_and_nothing_moves() -> None:
    driven = bench()
    before = driven.q
    with pytest.raises(InvalidInput) as refused:
        driven.jog_tool(1, 0, 0, 0, 0, 0, frame="reference", reference="other")
    assert refused.value.code == "no_such_frame"
    driven.wait(0.3)
    np.testing.assert_allclose(driven.q, before, atol=1e-9)


def test_another_direction_of_the_same_jog_starts_another_line() -> None:
    """The beat of a jog in a frame is not taken for one along the base."""
    driven = bench()
    for reference in ("f1", None):
        driven.jog_tool(1, 0, 0, 0, 0, 0, frame="reference", reference=reference)
        driven.wait(1 / 60)
    tool_jog = driven.session.arm().jogger.tool_jog
    assert tool_jog is not None
    np.testing.assert_allclose(tool_jog.twist[:3] / np.linalg.norm(tool_jog.twist[:3]), [1, 0, 0], atol=1e-12)


def test_a_frame_is_an_edit_that_leaves_the_arm_alone_and_can_be_undone() -> None:
    driven = Driven("scara")
    setup = driven.session.world
    driven.edit("user frame", frames=[{"id": "f1", "name": "jig", "pose": TILTED}])
    assert driven.session.world is setup
    assert driven.session.project.frames[0].name == "jig"
    driven.ask("undo")
    assert driven.session.project.frames == ()
