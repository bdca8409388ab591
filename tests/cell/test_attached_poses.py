"""Saved poses that move with an object."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, Driven

from armlab.cell.attached_poses import resolved_joints, tool_on_body, with_resolved_poses
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry import pose

OTHER = [15.0, -80.0, 85.0, 0.0, 40.0, 0.0]
PLACE = [520.0, 80.0, 30.0]


def bench(place: list[float], yaw: float = 0.0, q: list[float] = READY) -> Driven:
    """Return the KUKA with a cube, and a pose that is attached to it as it was at PLACE, and one that is not."""
    first = Driven(bodies=[CUBE | {"xyz": PLACE}], structure="hierarchy")
    T = tool_on_body(first.session.robot, np.radians(READY), "cube", first.session.state.bodies)
    x, y, z = (T[:3, 3] * 1000.0).tolist()
    a, b, c = np.degrees(pose.as_abc(T)).tolist()
    poses = [
        {"id": "p1", "name": "above", "q": q, "on": {"body": "cube", "pose": [x, y, z, a, b, c]}},
        {"id": "p2", "name": "aside", "q": OTHER},
    ]
    cube = CUBE | {"xyz": place, "rpy": [0.0, 0.0, yaw]}
    return Driven(bodies=[cube], structure="hierarchy", poses=poses)


def test_where_the_object_stood_the_joints_are_the_saved_ones() -> None:
    driven = bench(PLACE)
    session = driven.session
    q = resolved_joints(session.project.arms[0].poses[0], session.robot, session.state.bodies)
    np.testing.assert_allclose(np.degrees(q), READY, atol=1e-6)


@pytest.mark.parametrize(("place", "yaw"), [([480.0, 60.0, 60.0], 0.0), (PLACE, 30.0), ([450.0, -90.0, 30.0], -25.0)])
def test_the_tool_goes_to_the_same_place_on_an_object_that_was_moved(place: list[float], yaw: float) -> None:
    before, after = bench(PLACE), bench(place, yaw)
    session = after.session
    q = resolved_joints(session.project.arms[0].poses[0], session.robot, session.state.bodies)
    seen = tool_on_body(session.robot, q, "cube", session.state.bodies)
    first = tool_on_body(before.session.robot, np.radians(READY), "cube", before.session.state.bodies)
    np.testing.assert_allclose(seen, first, atol=1e-6)


def test_playing_the_poses_goes_through_where_the_object_is_now() -> None:
    driven = bench([480.0, 60.0, 60.0], 20.0)
    session = driven.session
    wanted = resolved_joints(session.project.arms[0].poses[0], session.robot, session.state.bodies)
    driven.ask("play", what="poses", anyway=True)
    player = session.arm().player
    assert player is not None
    np.testing.assert_allclose(player.at(0.0).q, wanted, atol=1e-7)
    np.testing.assert_allclose(np.degrees(player.at(player.duration).q), OTHER, atol=1e-6)


def test_a_pose_on_an_object_that_is_gone_says_so_and_nothing_is_played() -> None:
    driven = bench(PLACE)
    driven.edit("delete", bodies=[])
    with pytest.raises(InvalidInput) as refused:
        driven.ask("play", what="poses")
    assert refused.value.code == "attached_object_gone"
    assert refused.value.parameters["body"] == "cube"
    assert driven.session.arm().player is None


def test_a_pose_on_an_object_out_of_reach_says_why() -> None:
    driven = bench([5000.0, 0.0, 30.0])
    session = driven.session
    with pytest.raises(PlanningFailed) as refused:
        resolved_joints(session.project.arms[0].poses[0], session.robot, session.state.bodies)
    assert refused.value.code == "attached_pose_unreachable"


def test_poses_that_are_not_attached_are_left_as_they_are() -> None:
    driven = Driven(poses=[{"id": "p1", "name": "one", "q": READY}])
    (arm,) = driven.session.project.arms
    assert with_resolved_poses(arm, driven.session.robot, {}) is arm


def test_an_object_that_is_not_there_cannot_be_attached_to() -> None:
    driven = Driven(KUKA)
    bodies: dict[str, Any] = {}
    with pytest.raises(InvalidInput) as refused:
        tool_on_body(driven.session.robot, driven.session.q, "cube", bodies)
    assert refused.value.code == "no_such_object"
