"""The order in which pairs are looked at: what meets most often in random configurations comes first."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.collision.collision_objects import KEPT_ARMS, CollisionObject, CollisionObjects
from armlab.collision.object_arrays import arrays_of
from armlab.kernels.collision import sweep
from armlab.kernels.collision.check import CollisionModel, pose_into, room_of
from armlab.model.robot import Robot

SAMPLES, BODY_SHARE = 128, 4
"""Random configurations for pairs of an arm; of so many, one is looked at for bodies."""


class _Usual(NamedTuple):
    """What random configurations of arms show."""

    rates: Floats
    """(e, e) how often two parts of arms meet."""
    centres: Floats
    """(samples, e, 3) of the balls round the parts."""


def ordered(model: CollisionModel, objects: CollisionObjects) -> CollisionModel:
    """Return the model with its pairs in order; of bodies only the balls are looked at, which takes little time."""
    arms = objects.items[: objects.arm_items]
    usual, count = _usual(objects.robots, arms), len(arms)
    rates = np.zeros((len(objects.items), len(objects.items)))
    rates[:count, :count] = usual.rates
    bodies = np.flatnonzero(model.objects[:, 0] == 0)
    bodies = bodies[bodies >= count]
    points, centres = model.balls[bodies, :3], usual.centres
    square = (centres**2).sum(axis=2)[:, :, None] + (points**2).sum(axis=1) - 2.0 * centres @ points.T
    near = model.balls[:count, 3:] + model.balls[bodies, 3]
    rates[:count, bodies] = (square < near**2).mean(axis=0)
    e, o = model.pairs[:, 0], model.pairs[:, 1]
    return model._replace(pairs=np.ascontiguousarray(model.pairs[np.argsort(-rates[e, o], kind="stable")]))


@lru_cache(maxsize=KEPT_ARMS)
def _usual(robots: tuple[Robot, ...], arms: tuple[CollisionObject, ...]) -> _Usual:
    count = len(arms)
    pairs = [(i, j, False) for i in range(count) for j in range(i) if arms[i].frame != arms[j].frame]
    model = arrays_of(CollisionObjects(robots, (), arms, count), pairs)
    lower, upper = np.maximum(model.lower, -math.pi), np.minimum(model.upper, math.pi)
    lower, upper = np.minimum(lower, model.upper), np.maximum(upper, model.lower)
    rows = np.random.default_rng(0).uniform(lower, upper, (SAMPLES, len(lower)))
    met = np.empty(len(pairs))
    sweep.meetings_into(model, rows, met)
    rates = np.zeros((count, count))
    rates[model.pairs[:, 0], model.pairs[:, 1]] = met / SAMPLES
    room, centres = room_of(model), np.empty((SAMPLES, count, 3))
    for row, out in zip(rows, centres, strict=True):
        pose_into(model, row, room)
        out[:] = room.centres
    return _Usual(rates, centres[::BODY_SHARE].copy())
