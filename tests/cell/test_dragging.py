"""A tool that is dragged."""

from __future__ import annotations

import numpy as np
import pytest
from cell.driven import READY, TICK, Driven

from armlab.cell.events import Dragged
from armlab.kinematics.all_ik import branch_of
from armlab.motion.limits import limits_of
from armlab.reports.kinematics import fk_report


def drag(driven: Driven, pose: list[float], sequence: int = 1) -> Dragged:
    driven.ask("move_tool", pose=pose, sequence=sequence)
    return driven.of(Dragged)[-1]


def test_the_tool_follows_to_the_pose_and_the_answer_has_the_number_of_the_question() -> None:
    driven = Driven()
    driven.go(*READY)
    goal = list(driven.tool + np.array([-40.0, 60.0, 30.0, 0.0, 0.0, 0.0]))
    answer = drag(driven, goal, 77)
    assert (answer.sequence, answer.reached, answer.code) == (77, True, "reached")
    driven.wait(2.5)
    np.testing.assert_allclose(driven.tool[:3], goal[:3], atol=0.5)


@pytest.mark.parametrize("arm", ["kuka-kr6-r700", "ur5e", "puma560"])
def test_a_drag_stays_on_its_branch_and_within_the_limits(arm: str) -> None:
    driven = Driven(arm)
    robot = driven.session.robot
    rng = np.random.default_rng(6)
    driven.go(*driven.q + 4.0)
    branch = branch_of(robot, driven.commands()[-1])
    centre, before = driven.tool, len(driven.commands())
    for i in range(60):
        swing = 150.0 * np.sin(0.15 * i) * np.array([1.0, 0.7, 0.5])
        drag(driven, [*(centre[:3] + swing + rng.normal(0.0, 3.0, 3)), *centre[3:]], i)
        driven.wait(2 * TICK)
    q, limits = driven.commands()[before:], limits_of(robot)
    assert any(answer.reached for answer in driven.of(Dragged))
    assert {branch_of(robot, row) for row in q} == {branch}
    qd = np.diff(q, axis=0) / TICK
    assert (np.abs(qd) <= limits.velocity * (1 + 1e-6)).all()
    assert (np.abs(np.diff(qd, axis=0)) / TICK <= limits.acceleration * (1 + 1e-6)).all()
    assert ((q >= limits.lower - 1e-9) & (q <= limits.upper + 1e-9)).all()


def test_out_of_reach_the_arm_points_there_and_the_answer_says_why() -> None:
    driven = Driven()
    driven.go(*READY)
    x, y, z, *turn = driven.tool
    answer = drag(driven, [3000.0, y, z, *turn])
    assert not answer.reached
    assert answer.code == "out_of_reach"
    driven.wait(2.0)
    assert driven.tool[0] > x + 50.0


def test_after_a_stretched_arm_the_drag_comes_back_on_the_branch_where_it_began() -> None:
    driven = Driven()
    driven.go(*READY)
    robot, home = driven.session.robot, driven.tool
    branch = branch_of(robot, driven.commands()[-1])
    drag(driven, [3000.0, *home[1:]])
    driven.wait(2.0)
    assert drag(driven, list(home)).reached
    driven.wait(2.0)
    assert branch_of(robot, driven.commands()[-1]) == branch


def test_a_pose_that_only_another_branch_reaches_leaves_the_arm_where_it_is() -> None:
    ranges = [(-170, 170), (-190, 45), (-120, 156), (-5, 5), (-120, 120), (-350, 350)]
    driven = Driven(limits=[{"lower": low, "upper": high} for low, high in ranges])
    driven.go(0.0, -90.0, 90.0, 0.0, 30.0, 0.0)
    robot = driven.session.robot
    q = np.radians([0.0, -90.0, 90.0, 0.0, -30.0, 0.0])
    other = fk_report(robot, q)
    before = driven.q
    answer = drag(driven, [*other.xyz, *other.abc])
    assert (answer.reached, answer.code) == (False, "branch")
    driven.wait(0.5)
    np.testing.assert_allclose(driven.q, before, atol=0.01)
