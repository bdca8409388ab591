"""Which parts of an arm may touch, and which never can: pairs that need no check."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision.things import Cast, arrays_of, cast_of
from armlab.kernels import collide_sweep
from armlab.kernels.collide import Model
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.model.wrist import wrist_pairs

Reason = Literal["neighbours", "meet in a wrist", "touch at home", "touch nearly always", "never meet"]

SAMPLES = 600
NEARLY_ALWAYS = 0.95
"""A pair that touches in this share of random poses is made to."""
MARGIN = 1e-4
"""Metres that a pair must at least stay apart to count as never meeting."""
SMALLEST_STEP = 5e-4
BOXES = 6000
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
def rules_of(robot: Robot) -> dict[tuple[int, int], Reason]:
    """Return the same by number of link, smaller first; the tool's is one more than the last link's."""
    home = np.clip(robot.home, robot.lower, robot.upper)
    cast = cast_of(Scene(robot.name, (PlacedRobot(robot.name, robot, home),)))
    links = [thing.link for thing in cast.things]
    rules: dict[tuple[int, int], Reason] = {}
    for i, link in enumerate(links):
        for other in links[:i]:
            if cast.things[i].frame != 0 and link - other == 1 and link <= robot.dof:
                rules[other, link] = "neighbours"
    rules |= dict.fromkeys(wrist_pairs(robot), "meet in a wrist")
    open_pairs = [
        (i, j)
        for i in range(len(links))
        for j in range(i)
        if cast.things[i].frame != cast.things[j].frame and (links[j], links[i]) not in rules
    ]
    rules |= _found(robot, cast, open_pairs, home)
    return rules


def _found(robot: Robot, cast: Cast, open_pairs: list[tuple[int, int]], home: Floats) -> dict[tuple[int, int], Reason]:
    model = arrays_of(cast, [(i, j, False) for i, j in open_pairs])
    lower, upper = _span(robot)
    rows = np.random.default_rng(0).uniform(lower, upper, (SAMPLES, robot.dof))
    at_home, at_random = np.empty(len(open_pairs)), np.empty(len(open_pairs))
    collide_sweep.meetings_into(model, home[None].copy(), at_home)
    collide_sweep.meetings_into(model, rows, at_random)
    rules: dict[tuple[int, int], Reason] = {}
    for k, (i, j) in enumerate(open_pairs):
        key = cast.things[j].link, cast.things[i].link
        if at_random[k] >= NEARLY_ALWAYS * SAMPLES:
            rules[key] = "touch nearly always"
        elif at_home[k]:
            rules[key] = "touch at home"
        elif not at_random[k] and _never(model, k, lower, upper):
            rules[key] = "never meet"
    return rules


def _never(model: Model, k: int, lower: Floats, upper: Floats) -> bool:
    return bool(collide_sweep.never_meet(model, k, lower, upper, MARGIN, SMALLEST_STEP, BOXES))


def _span(robot: Robot) -> tuple[Floats, Floats]:
    """Return the limits; a joint that can turn all the way round is asked about one turn."""
    lower, upper = robot.lower.copy(), robot.upper.copy()
    whole = (robot._revolute > 0.5) & (upper - lower > 2.0 * np.pi)
    lower[whole], upper[whole] = -np.pi, np.pi
    return lower, upper
