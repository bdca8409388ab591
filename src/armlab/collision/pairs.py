"""Which parts of an arm may touch, and which never can: pairs that need no check."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision.collision_objects import CollisionObjects, arrays_of, collision_objects_of
from armlab.kernels.collision import sweep as collision_sweep
from armlab.kernels.collision.check import CollisionModel
from armlab.model.coupling import chain_values, repeating
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.model.wrist import wrist_pairs

Reason = Literal["neighbours", "meet in a wrist", "touch at home", "touch nearly always", "never meet"]
Rules = dict[tuple[int, int], Reason]

SAMPLES = 600
NEARLY_ALWAYS = 0.95
"""A pair that touches in this share of random poses is made to."""
MARGIN = 1e-4
"""Metres that a pair must at least stay apart to count as never meeting."""
SMALLEST_STEP = 5e-4
BOXES, QUICK_BOXES = 6000, 600
"""Boxes of joint values that the proof may look at, for each pair."""
KEPT_ROBOTS = 64


class AllowedPair(NamedTuple):
    """Two parts of an arm that need no check, and why.

    "never meet" is proved for all joint values within the limits, not sampled.
    """

    first: str
    second: str
    reason: Reason


def allowed_pairs(robot: Robot) -> tuple[AllowedPair, ...]:
    """Return the pairs of links, and of links and tool, that need no check.

    These are neighbours; links between which two axes meet, which the maker's limits keep apart; pairs that touch at
    home, or in nearly all poses; and pairs that never meet.
    """
    names = robot.frame_names
    return tuple(AllowedPair(names[i], names[j], reason) for (i, j), reason in rules_of(robot).items())


@lru_cache(maxsize=KEPT_ROBOTS)
def may_touch(robot: Robot) -> Rules:
    """Return which links of an arm may touch, and why: the one rule, for collision checks and for simulations.

    Links go by their number, the smaller first; the tool's is one more than the last link's.
    """
    rules = _by_structure(robot)
    collision_objects, pairs, model, at_random = _meetings(robot)
    at_home = np.empty(len(pairs))
    collision_sweep.meetings_into(model, chain_values(robot.coupling, _home(robot)[None]), at_home)
    for (i, j), once, often in zip(pairs, at_home, at_random, strict=True):
        key = collision_objects.items[j].link, collision_objects.items[i].link
        if often >= NEARLY_ALWAYS * SAMPLES:
            rules[key] = "touch nearly always"
        elif once:
            rules[key] = "touch at home"
    return rules


@lru_cache(maxsize=KEPT_ROBOTS)
def quick_rules(robot: Robot) -> Rules:
    """Return the same, and which links are soon proved never to meet within the limits."""
    return _with_proofs(robot, may_touch(robot), QUICK_BOXES)


@lru_cache(maxsize=KEPT_ROBOTS)
def rules_of(robot: Robot) -> Rules:
    """Return the same with all proofs that are worth their time where many configurations are checked."""
    return _with_proofs(robot, quick_rules(robot), BOXES)


def _with_proofs(robot: Robot, known: Rules, boxes: int) -> Rules:
    """Return the rules and the pairs that a search of so many boxes proves never to meet."""
    collision_objects, pairs, model, met = _meetings(robot)
    lower, upper = _span(robot.uncoupled)
    found: Rules = {}
    for k, (i, j) in enumerate(pairs):
        key = collision_objects.items[j].link, collision_objects.items[i].link
        is_open = key not in known and not met[k]
        if is_open and collision_sweep.never_meet(model, k, lower, upper, MARGIN, SMALLEST_STEP, boxes):
            found[key] = "never meet"
    return known | found


class _Meetings(NamedTuple):
    """Parts of an arm, the pairs that its structure leaves open, and how often each meets in SAMPLES configurations."""

    collision_objects: CollisionObjects
    pairs: list[tuple[int, int]]
    model: CollisionModel
    at_random: Floats


@lru_cache(maxsize=KEPT_ROBOTS)
def _meetings(robot: Robot) -> _Meetings:
    scene = Scene(robot.name, (PlacedRobot(robot.name, robot, _home(robot)),))
    collision_objects = collision_objects_of(scene)
    pairs = _open_pairs(collision_objects, _by_structure(robot))
    model = arrays_of(collision_objects, [(i, j, False) for i, j in pairs])
    at_random = np.empty(len(pairs))
    collision_sweep.meetings_into(model, _random_rows(robot), at_random)
    return _Meetings(collision_objects, pairs, model, at_random)


def _by_structure(robot: Robot) -> Rules:
    """Return the pairs that may touch because of where they are in the chain."""
    shaped = [link for link in range(len(robot.links)) if robot.links[link].shapes]
    rules: Rules = {(link - 1, link): "neighbours" for link in shaped if link - 1 in shaped}
    return rules | dict.fromkeys(wrist_pairs(robot.uncoupled), "meet in a wrist")


def _home(robot: Robot) -> Floats:
    return np.clip(robot.home, robot.lower, robot.upper)


def _open_pairs(collision_objects: CollisionObjects, rules: Rules) -> list[tuple[int, int]]:
    """Return the pairs of parts that move against each other and that no rule is about."""
    items = collision_objects.items
    return [
        (i, j)
        for i in range(len(items))
        for j in range(i)
        if items[i].frame != items[j].frame and (items[j].link, items[i].link) not in rules
    ]


def _random_rows(robot: Robot) -> Floats:
    lower, upper = _span(robot)
    return chain_values(robot.coupling, np.random.default_rng(0).uniform(lower, upper, (SAMPLES, robot.dof)))


def _span(robot: Robot) -> tuple[Floats, Floats]:
    """Return the limits; a joint that can turn all the way round is asked about one turn."""
    lower, upper = robot.lower.copy(), robot.upper.copy()
    whole = repeating(robot.joints, robot.followers) & (upper - lower > 2.0 * np.pi)
    lower[whole], upper[whole] = -np.pi, np.pi
    return lower, upper
