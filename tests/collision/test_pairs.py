"""Which parts of an arm need no check."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from collision.obstacles import configurations

import armlab
from armlab.collision import Checker, allowed_pairs
from armlab.collision.collision_objects import arrays_of, collision_objects_of
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kernels.collision import distance
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot
from armlab.model.scene import Scene

ARMS = armlab.robot_names()


@pytest.mark.parametrize("name", ARMS)
def test_a_catalog_arm_is_free_at_home(name: str) -> None:
    robot = armlab.load(name)
    assert Checker(Scene.of(robot)).is_free(robot.home) is True


@pytest.mark.parametrize("name", ARMS)
def test_the_allowed_pairs_of_an_arm_make_sense(name: str) -> None:
    robot = armlab.load(name)
    found = allowed_pairs(robot)
    order = robot.frame_names
    neighbours = {(a, b) for a, b, reason in found if reason == "neighbours"}
    assert neighbours == set(pairwise(order[:-1]))
    assert len({frozenset(pair[:2]) for pair in found}) == len(found)
    assert {pair.reason for pair in found} <= {"neighbours", "meet in a wrist", "never meet"}


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "abb-irb120", "franka-panda", "scara", "stanford"])
def test_pairs_that_never_meet_stay_apart_in_random_poses(name: str) -> None:
    robot = armlab.load(name)
    objects = collision_objects_of(Scene.of(robot))
    names = [item.name for item in objects.items]
    never = [(names.index(b), names.index(a), False) for a, b, reason in allowed_pairs(robot) if reason == "never meet"]
    model = arrays_of(objects, never)
    out = np.empty((3000, 8))
    assert distance.nearest_into(model, configurations(robot, 3000, 5), out)
    assert len(never) > 0
    assert out[:, 0].min() > 1e-4


def _folding(touching: float, tool: Tool | None = None) -> Robot:
    """Return an arm of two joints whose last link reaches down to the first one's height by `touching`."""
    bar = Shape("box", (0.05, 0.05, 0.3), pose.from_xyz([0, 0, 0.15]))
    last = Shape("box", (0.02, 0.02, touching), pose.from_xyz([0.1, 0, -touching / 2]))
    up = np.array([0, 0, 1.0])
    joints = (
        Joint("a", "revolute", pose.from_xyz([0, 0, 0.3]), up, -3.0, 3.0),
        Joint("b", "prismatic", pose.from_xyz([0, 0, 0.05]), up, 0.0, 0.2),
    )
    base = Shape("cylinder", (0.2, 0.3), pose.from_xyz([0, 0, 0.15]))
    links = (Link("base", shapes=(base,)), Link("post", shapes=(bar,)), Link("finger", shapes=(last,)))
    return Robot(name="folding", joints=joints, links=links, home=np.zeros(2), source="made up", tool=tool or Tool(
        "t", "pen", np.eye(4)))  # fmt: skip


def test_a_pair_is_judged_by_when_it_touches() -> None:
    reasons = {length: {a + b: why for a, b, why in allowed_pairs(_folding(length))} for length in (0.04, 0.06, 0.3)}
    assert reasons[0.04]["basefinger"] == "never meet"
    assert reasons[0.06]["basefinger"] == "touch at home"
    assert reasons[0.3]["basefinger"] == "touch nearly always"


def test_a_tool_is_no_neighbour_of_the_link_before_the_last() -> None:
    point = Shape("sphere", (0.01,), pose.from_xyz([0.0, 0.0, 0.4]))
    robot = _folding(0.04, Tool("ball", "pen", np.eye(4), shapes=(point,)))
    assert ("post", "tool", "never meet") in allowed_pairs(robot)
    assert not any({pair.first, pair.second} == {"finger", "tool"} for pair in allowed_pairs(robot))


def test_outside_the_limits_pairs_that_never_meet_within_are_checked() -> None:
    robot = _folding(0.04)
    checker = Checker(Scene.of(robot))
    assert checker.pairs == ()
    assert checker.is_free([0.0, 0.0]) is True
    assert checker.is_free([0.0, -0.02]) is False
    assert [(c.first, c.second) for c in checker.contacts([0.0, -0.02])] == [("finger", "base")]
