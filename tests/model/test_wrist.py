from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.collision import Checker
from armlab.model.scene import Scene
from armlab.model.wrist import wrist_pairs


@pytest.mark.parametrize(
    ("arm", "pairs"),
    [
        ("kuka-kr6-r700", ((3, 5), (4, 6))),  # axes 4, 5 and 6 meet in one point
        ("ur5e", ((3, 5), (4, 6))),  # its axes meet two by two
        ("scara", ()),
        ("planar3", ()),
    ],
)
def test_a_wrist_is_where_two_turning_axes_meet(arm: str, pairs: tuple[tuple[int, int], ...]) -> None:
    found = wrist_pairs(armlab.load(arm))
    assert found == pairs


def test_a_wrist_may_bend_to_its_limit() -> None:
    robot = armlab.load("kuka-kr6-r700")
    q = robot.home.copy()
    for end in (robot.lower[4], robot.upper[4]):
        q[4] = end
        assert Checker(Scene.of(robot)).is_free(np.array(q))
