"""Which parts of an arm are not compared with each other, and the reason of each pair that is left out."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision.collision_objects import CollisionObjects, collision_objects_of
from armlab.collision.object_arrays import arrays_of
from armlab.kernels.collision import sweep as collision_sweep
from armlab.kernels.collision.check import CollisionModel
from armlab.model.coupling import chain_values, repeating
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene

Reason = Literal["adjacent", "excluded", "never meet"]
"""Joined by one joint; by the word of a file or a user; proved for all joint values within the limits."""
PartPair = tuple[str, str]
"""Names of two parts of an arm, the one nearer to the base first."""

SAMPLES = 600
MARGIN = 1e-4
"""Metres that a pair must at least stay apart to count as never meeting."""
SMALLEST_STEP = 5e-4
BOXES, QUICK_BOXES = 6000, 600
"""Boxes of joint values that the proof may look at, for each pair."""
NEAR, NEAR_BOXES = 2, 10
"""Of parts with so few joints between them the proof may look at so many times more: they are near in every pose."""
KEPT_ROBOTS = 64


class AllowedPair(NamedTuple):
    """Two parts of an arm that are not compared, and why.

    "never meet" is proved for all joint values within the limits, not sampled; `said` is the word of a file or a user.
    """

    first: str
    second: str
    reason: Reason
    said: str = ""


Rules = dict[PartPair, AllowedPair]


def allowed_pairs(robot: Robot) -> tuple[AllowedPair, ...]:
    """Return the pairs of parts that are not compared: links, what is fixed to them, and the tool.

    These are adjacent links, what `robot.pair_rules` excludes, and pairs that are proved never to meet.
    """
    return tuple(rules_of(robot).values())


@lru_cache(maxsize=KEPT_ROBOTS)
def excluded_pairs(robot: Robot) -> Rules:
    """Return the pairs that are not compared whatever the joint values are: adjacent links, and what a rule says.

    A part that is fixed to a link, and the tool, are adjacent to nothing: they move against all other links.
    """
    rules: Rules = {}
    for one, other in pairwise(robot.links):
        if all(any(not shape.part for shape in link.shapes) for link in (one, other)):
            rules[one.name, other.name] = AllowedPair(one.name, other.name, "adjacent")
    carrier = _carriers(robot)
    for rule in robot.pair_rules:
        first, second = sorted((rule.first, rule.second), key=carrier.__getitem__)
        if carrier[first] == carrier[second]:
            continue  # they do not move against each other
        known = rules.pop((first, second), None)
        if not rule.is_compared:
            is_adjacent = known is not None and known.reason == "adjacent"
            reason: Reason = "adjacent" if is_adjacent else "excluded"
            rules[first, second] = AllowedPair(first, second, reason, rule.reason)
    return rules


def _carriers(robot: Robot) -> dict[str, int]:
    """Return the number of the link that each part is fixed to; the tool moves with the last one."""
    found = {"tool": len(robot.links) - 1}
    for i, link in enumerate(robot.links):
        found |= dict.fromkeys([link.name, *(shape.part for shape in link.shapes if shape.part)], i)
    return found


@lru_cache(maxsize=KEPT_ROBOTS)
def quick_rules(robot: Robot) -> Rules:
    """Return the same, and which parts are soon proved never to meet within the limits."""
    return _with_proofs(robot, excluded_pairs(robot), QUICK_BOXES)


@lru_cache(maxsize=KEPT_ROBOTS)
def rules_of(robot: Robot) -> Rules:
    """Return the same with all proofs that are worth their time where many configurations are checked."""
    return _with_proofs(robot, quick_rules(robot), BOXES)


def touching_at_home(robot: Robot) -> tuple[PartPair, ...]:
    """Return the pairs of parts that are compared and touch where the arm is at home."""
    objects, pairs, model, _at_random = _meetings(robot)
    met = np.empty(len(pairs))
    home = np.clip(robot.home, robot.lower, robot.upper)
    collision_sweep.meetings_into(model, chain_values(robot.coupling, home[None]), met)
    return tuple(_names(objects, pair) for pair, touches in zip(pairs, met, strict=True) if touches)


def _with_proofs(robot: Robot, known: Rules, boxes: int) -> Rules:
    """Return the rules and the pairs that a search of so many boxes proves never to meet."""
    objects, pairs, model, met = _meetings(robot)
    lower, upper = _span(robot.uncoupled)
    found: Rules = {}
    for k, pair in enumerate(pairs):
        first, second = _names(objects, pair)
        is_open = (first, second) not in known and not met[k]
        is_near = objects.items[pair[0]].frame - objects.items[pair[1]].frame <= NEAR
        most = boxes * NEAR_BOXES if is_near else boxes
        if is_open and collision_sweep.never_meet(model, k, lower, upper, MARGIN, SMALLEST_STEP, most):
            found[first, second] = AllowedPair(first, second, "never meet")
    return known | found


class _Meetings(NamedTuple):
    """Parts of an arm, the pairs that are not excluded, and how often each meets in SAMPLES configurations."""

    objects: CollisionObjects
    pairs: list[tuple[int, int]]
    model: CollisionModel
    at_random: Floats


@lru_cache(maxsize=KEPT_ROBOTS)
def _meetings(robot: Robot) -> _Meetings:
    home = np.clip(robot.home, robot.lower, robot.upper)
    objects = collision_objects_of(Scene(robot.name, (PlacedRobot(robot.name, robot, home),)))
    excluded, items = excluded_pairs(robot), objects.items
    pairs = [
        (i, j)
        for i in range(len(items))
        for j in range(i)
        if items[i].frame != items[j].frame and _names(objects, (i, j)) not in excluded
    ]
    model = arrays_of(objects, [(i, j, False) for i, j in pairs])
    at_random = np.empty(len(pairs))
    collision_sweep.meetings_into(model, _random_rows(robot), at_random)
    return _Meetings(objects, pairs, model, at_random)


def _names(objects: CollisionObjects, pair: tuple[int, int]) -> PartPair:
    i, j = pair
    return objects.items[j].part, objects.items[i].part


def _random_rows(robot: Robot) -> Floats:
    lower, upper = _span(robot)
    return chain_values(robot.coupling, np.random.default_rng(0).uniform(lower, upper, (SAMPLES, robot.dof)))


def _span(robot: Robot) -> tuple[Floats, Floats]:
    """Return the limits; a joint that can turn all the way round is asked about one turn."""
    lower, upper = robot.lower.copy(), robot.upper.copy()
    whole = repeating(robot.joints, robot.followers) & (upper - lower > 2.0 * np.pi)
    lower[whole], upper[whole] = -np.pi, np.pi
    return lower, upper
