"""Which parts of an arm need no check."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from collision.obstacles import configurations

import armlab
from armlab.collision import AllowedPair, Checker, allowed_pairs
from armlab.collision.collision_objects import collision_objects_of
from armlab.collision.object_arrays import arrays_of
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kernels.collision import distance
from armlab.model.pair_rule import PairRule
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory

ARMS = armlab.robot_names()


@pytest.mark.parametrize("name", ARMS)
def test_a_catalog_arm_is_free_at_home(name: str) -> None:
    robot = armlab.load(name)
    assert Checker(Scene.of(robot)).is_free(robot.home) is True


@pytest.mark.parametrize("name", ARMS)
def test_a_catalog_arm_leaves_out_adjacent_links_and_what_is_proved(name: str) -> None:
    robot = armlab.load(name)
    found = allowed_pairs(robot)
    adjacent = {pair[:2] for pair in found if pair.reason == "adjacent"}
    assert adjacent == set(pairwise(robot.frame_names[:-1]))
    assert len({frozenset(pair[:2]) for pair in found}) == len(found)
    assert {pair.reason for pair in found} <= {"adjacent", "never meet"}


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "abb-irb120", "franka-panda", "scara", "stanford"])
def test_pairs_that_never_meet_stay_apart_in_random_poses(name: str) -> None:
    robot = armlab.load(name)
    objects = collision_objects_of(Scene.of(robot))
    names = [item.name for item in objects.items]
    never = [(names.index(p.second), names.index(p.first), False) for p in _proved(robot)]
    model = arrays_of(objects, never)
    out = np.empty((3000, 8))
    assert distance.nearest_into(model, configurations(robot, 3000, 5), out)
    assert len(never) > 0
    assert out[:, 0].min() > 1e-4


WRISTS = [name for name in ARMS if name.startswith(("abb", "fanuc", "kuka", "motoman", "puma", "staubli", "ur"))]


@pytest.mark.parametrize("name", WRISTS)
def test_a_wrist_is_proved_to_bend_to_its_limits(name: str) -> None:
    robot = armlab.load(name)
    links = [link.name for link in robot.links]
    proved = {pair[:2] for pair in _proved(robot)}
    assert {(links[-4], links[-2]), (links[-3], links[-1])} <= proved


def _proved(robot: Robot) -> list[AllowedPair]:
    return [pair for pair in allowed_pairs(robot) if pair.reason == "never meet"]


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


def test_links_that_touch_at_home_are_compared() -> None:
    apart, touching = _folding(0.04), _folding(0.06)
    assert [pair[:3] for pair in _proved(apart)] == [("base", "finger", "never meet")]
    assert _proved(touching) == []
    assert Checker(Scene.of(touching)).is_free(touching.home) is False


def test_a_pair_that_meets_in_a_corner_of_the_joint_space_only_is_compared() -> None:
    """Balls of 0.2 mm meet for 2 in 10⁷ joint vectors: no sample finds that, and only a proof leaves a pair out."""
    up, ball = np.array([0, 0, 1.0]), (2e-4,)
    joints = (
        Joint("a", "revolute", np.eye(4), up, -3.0, 3.0),
        Joint("b", "revolute", pose.from_xyz([0.3, 0, 0]), up, -2.0, 2.0),
    )
    links = (
        Link("base", shapes=(Shape("sphere", ball, pose.from_xyz([0.4, 0.0, 0.0])),)),
        Link("upper", shapes=(Shape("sphere", ball, pose.from_xyz([0.1, 0.0, 0.0])),)),
        Link("fore", shapes=(Shape("sphere", ball, pose.from_xyz([0.2, 0.0, 0.0])),)),
    )
    robot = Robot(name="two balls", joints=joints, links=links, home=np.zeros(2), source="made up")
    b = math.acos((0.4**2 - 0.3**2 - 0.2**2) / (2.0 * 0.3 * 0.2))
    a = -math.atan2(0.2 * math.sin(b), 0.3 + 0.2 * math.cos(b))
    assert ("base", "fore") not in {pair[:2] for pair in allowed_pairs(robot)}
    checker = Checker(Scene.of(robot))
    assert checker.is_free([a, b]) is False
    assert checker.is_free([a, b + 0.01]) is True


def test_a_pair_is_left_out_by_a_word_and_the_list_says_whose() -> None:
    robot = _folding(0.06).with_pair_rules([PairRule("finger", "base", reason="the maker")])
    checker = Checker(Scene.of(robot))
    assert ("base", "finger", "excluded", "the maker") in allowed_pairs(robot)
    assert ("base", "finger", "excluded", "the maker") in checker.left_out
    assert checker.is_free(robot.home) is True
    asked = robot.with_pair_rules([PairRule("base", "finger", is_compared=True)])
    assert Checker(Scene.of(asked)).is_free(robot.home) is False


def test_a_checker_compares_what_it_is_asked_to_and_lists_what_it_leaves_out() -> None:
    robot = _folding(0.06)
    allowed = Checker(Scene.of(robot), allowed=[("base", "finger")])
    assert allowed.is_free(robot.home) is True
    assert ("base", "finger", "excluded", "allowed") in allowed.left_out
    asked = Checker(Scene.of(robot), allowed=[("base", "finger")], compared=[("finger", "base"), ("base", "post")])
    assert {(c.first, c.second) for c in asked.contacts(robot.home)} == {("finger", "base"), ("post", "base")}
    assert [pair[:3] for pair in asked.left_out] == [("post", "finger", "adjacent")]


def test_every_pair_of_moving_parts_is_checked_or_listed() -> None:
    robot = armlab.load("ur5e").with_tool(armlab.load_tool("gripper"))
    checker = Checker(Scene.of(robot))
    assert np.shape(checker.is_free(configurations(robot, 3000, 1))) == (3000,)  # from so many on all proofs are made
    names = robot.part_names
    parts = {frozenset((a, b)) for i, a in enumerate(names) for b in names[:i]} - {frozenset(("link_6", "tool"))}
    proved = {frozenset(pair[:2]) for pair in checker.left_out if pair.reason == "never meet"}
    listed = {frozenset(pair[:2]) for pair in checker.left_out}
    assert listed | {frozenset(pair) for pair in checker.pairs} == parts
    assert proved


def test_what_is_fixed_to_a_link_does_not_inherit_its_permission() -> None:
    robot = _folding(0.04)
    hand = Shape("box", (0.02, 0.02, 0.06), pose.from_xyz([0.1, 0, -0.03]), part="hand")
    inside = Shape("box", (0.01, 0.01, 0.4), pose.from_xyz([0.0, 0, -0.2]), part="hook")
    last = replace(robot.links[2], shapes=(*robot.links[2].shapes, hand, inside))
    word = [PairRule("base", "finger"), PairRule("base", "hook")]
    held = replace(robot, links=(*robot.links[:2], last), configurations={}).with_pair_rules(word)
    touching = {(c.first, c.second) for c in Checker(Scene.of(held)).contacts(held.home)}
    assert touching == {("hand", "base"), ("hook", "post")}  # "finger" and "post" are adjacent, "hook" is not


def test_a_rule_about_a_part_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName) as caught:
        _folding(0.04).with_pair_rules([PairRule("base", "fingr")])
    assert caught.value.parameters["name"] == "fingr"
    with pytest.raises(InvalidInput) as twice:
        PairRule("base", "base")
    assert twice.value.code == "pair_of_one"


def test_a_tool_is_not_adjacent_to_the_link_before_the_last() -> None:
    point = Shape("sphere", (0.01,), pose.from_xyz([0.0, 0.0, 0.4]))
    robot = _folding(0.04, Tool("ball", "pen", np.eye(4), shapes=(point,)))
    assert ("post", "tool", "never meet", "") in allowed_pairs(robot)
    assert not any({pair.first, pair.second} == {"finger", "tool"} for pair in allowed_pairs(robot))


@pytest.mark.parametrize("depth", [0.011, 0.02, 0.3])
def test_a_sweep_just_outside_the_limits_does_not_trust_its_proofs(depth: float) -> None:
    robot = _folding(0.04)
    knots = np.array([0.0, 1.0])
    down = np.zeros((1, 2, 2))
    down[0, 1, 1] = -depth  # base and finger meet 10 mm below the lower limit
    report = Checker(Scene.of(robot)).sweep(Trajectory(PiecewisePolynomial(knots, down)))
    assert report.first_contact is not None
    assert {report.first_contact.first, report.first_contact.second} == {"base", "finger"}
    assert report.first_contact.time == pytest.approx(0.01 / depth, abs=0.01)


def test_outside_the_limits_pairs_that_never_meet_within_are_checked() -> None:
    robot = _folding(0.04)
    checker = Checker(Scene.of(robot))
    assert checker.pairs == ()
    assert checker.is_free([0.0, 0.0]) is True
    assert checker.is_free([0.0, -0.02]) is False
    assert [(c.first, c.second) for c in checker.contacts([0.0, -0.02])] == [("finger", "base")]
