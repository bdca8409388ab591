"""Contacts of plans: what a motion would touch is told before it is played."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import CUBE, KUKA, READY, Driven

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.cell.plan_contacts import plan_contacts
from armlab.cell.wire import Flag
from armlab.cell.world import build_world
from armlab.errors import PlanningFailed
from armlab.geometry import pose
from armlab.kinematics.ik import solve_ik
from armlab.motion.joint import plan_joint

LEFT, RIGHT = ([a1, *READY[1:]] for a1 in (-60.0, 60.0))
POST = {"name": "post", "kind": "box", "size": [40.0, 40.0, 1000.0], "xyz": [450.0, 0.0, 500.0]}


def test_a_plan_through_a_post_is_played_only_anyway() -> None:
    driven = Driven(bodies=[POST], plan={"kind": "joint", "points": [LEFT, RIGHT]})
    driven.session.install(build_world(driven.session.project, {"arm": np.radians(LEFT)}))
    with pytest.raises(PlanningFailed) as caught:
        driven.ask("play", what="plan")
    assert caught.value.code == "motion_touches"
    contact = caught.value.parameters["contact"].parameters
    assert "post" in {contact["first"], contact["second"]}
    assert 430.0 - 1.0 <= contact["x"] <= 470.0 + 1.0
    assert abs(contact["y"]) <= 21.0
    assert not driven.flags & Flag.PLAYING
    driven.ask("play", what="plan", anyway=True)
    assert driven.flags & Flag.PLAYING


def test_a_held_body_may_leave_what_it_lies_on_but_not_touch_what_comes_later() -> None:
    x, y, z = (load(KUKA).fk(np.radians(READY))[:3, 3] * 1000.0).tolist()
    cube = CUBE | {"xyz": [x + 60.0, y, z]}
    shelf = {"name": "shelf", "kind": "box", "size": [60.0, 60.0, 10.0], "xyz": [x + 70.0, y, z - 35.0]}
    wall = {"name": "wall", "kind": "box", "size": [10.0, 400.0, 400.0], "xyz": [x + 150.0, y, z]}
    driven = Driven(bodies=[cube, shelf, wall], structure="hierarchy")
    driven.go(*READY)
    driven.ask("pick", body="cube")
    session = driven.session
    assert session.arm().held == "cube"

    def moved(offset: list[float]) -> Floats:
        T_world_tool = pose.from_xyz(offset) @ session.robot.fk(session.q)
        return solve_ik(session.robot, T_world_tool, start=session.q)

    lift = plan_joint(session.robot, [session.q, moved([0.0, 0.0, 0.05])])
    push = plan_joint(session.robot, [session.q, moved([0.06, 0.0, 0.0])])
    assert plan_contacts(session.scene, session.state, lift) == ()
    (found,) = plan_contacts(session.scene, session.state, push)
    assert {found.where["first"], found.where["second"]} == {"cube", "wall"}
