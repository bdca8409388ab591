"""How far the objects of a scene are from each other, and where they are nearest."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import (
    GAP,
    NEVER,
    ROUNDING,
    CollisionModel,
    Room,
    between_balls,
    between_boxes,
    is_inside,
    meet,
    place_parts,
    pose_into,
    relate,
    room_of,
)
from armlab.kernels.collision.gjk import NEAREST, walk
from armlab.kernels.jit import kernel


@kernel
def _points_into(T: Floats, answer: Floats, distance: float, one: float, other: float, out: Floats) -> None:
    """Write the nearest points of two parts in the world to `out` (6,): those of the cores, moved out by the radii."""
    if distance > 0.0:
        one, other = one / distance, -other / distance
    else:
        one, other = 0.0, 0.0
    x, y, z = answer[3] - answer[0], answer[4] - answer[1], answer[5] - answer[2]
    for side in range(2):
        share, k = (one, 0) if side == 0 else (other, 3)
        px, py, pz = answer[k] + share * x, answer[k + 1] + share * y, answer[k + 2] + share * z
        for row in range(3):
            out[k + row] = T[3 * row] * px + T[3 * row + 1] * py + T[3 * row + 2] * pz + T[9 + row]


@kernel
def gap_into(model: CollisionModel, e: int, o: int, enough: float, room: Room, points: Floats) -> tuple[float, float]:
    """Return bounds (lower, upper) on the distance of two objects, and write their nearest points to `points` (6,).

    Beyond `enough` only the lower bound means something, and the upper may be infinite. Solids that overlap have an
    upper bound of zero, or of minus the depth as far as it is within the balls that thicken them.
    """
    place_parts(model, o, room)
    place_parts(model, e, room)
    relative, S = room.relative, room.simplex
    lower, upper = math.inf, math.inf
    for j in range(model.objects[o, 1], model.objects[o, 2]):
        there = room.placed[j]
        for i in range(model.objects[e, 1], model.objects[e, 2]):
            here = room.placed[i]
            relate(here, there, relative)
            # lower bounds that cost little: balls round the parts, then their boxes
            away = math.sqrt(relative[9] * relative[9] + relative[10] * relative[10] + relative[11] * relative[11])
            bound = away - model.sizes[i, 3] - model.sizes[j, 3]
            bound = max(bound, between_boxes(relative, model.sizes[i], model.sizes[j]))
            if bound > min(enough, upper):
                lower = min(lower, bound)
                continue
            # GJK between the cores; the balls that thicken them are subtracted
            thick = model.sizes[i, 4] + model.sizes[j, 4]
            far = min(enough, upper) + thick
            low, high = walk(model.rows, model.parts[i], model.parts[j], relative, far, -1.0, GAP, S)
            lower = min(lower, max(low - thick, bound))
            if high - thick < upper and high < math.inf:
                upper = high - thick
                _points_into(here, S[NEAREST], high, model.sizes[i, 4], model.sizes[j, 4], points)
    return min(lower, upper), upper


@kernel
def nearest_into(model: CollisionModel, q: Floats, out: Floats) -> bool:
    """Write the least distance at each row of `q` (m, n) to `out` (m, 8): value, pair, nearest points.

    A pair that never meets within the limits does not count there. The pair is -1 where there is none.
    """
    room = room_of(model)
    points = np.zeros(6)
    usable = True
    for row in range(q.shape[0]):
        usable = pose_into(model, q[row], room) and usable
        inside = is_inside(model, q[row])
        # the pair whose balls are nearest comes first: its distance rules out most others
        first, least = -1, math.inf
        for k in range(model.pairs.shape[0]):
            if model.pairs[k, 3] != NEVER or not inside:
                bound = between_balls(model.balls, room.centres, model.pairs[k, 0], model.pairs[k, 1])
                if bound < least:
                    first, least = k, bound
        out[row, 0], out[row, 1] = math.inf, -1.0
        for turn in range(model.pairs.shape[0] + 1 if first >= 0 else 0):
            k = first if turn == 0 else turn - 1
            e, o = model.pairs[k, 0], model.pairs[k, 1]
            if (turn > 0 and k == first) or (model.pairs[k, 3] == NEVER and inside):
                continue
            if between_balls(model.balls, room.centres, e, o) > out[row, 0]:
                continue
            _, upper = gap_into(model, e, o, out[row, 0], room, points)
            if upper < out[row, 0]:
                out[row, 0], out[row, 1] = upper, k
                for i in range(6):
                    out[row, 2 + i] = points[i]
    return usable


@kernel
def near_into(model: CollisionModel, q: Floats, within: float, out: Floats) -> bool:
    """Write the distance of each pair at `q` (n,) and its nearest points to `out` (m, 7); infinity beyond `within`.

    With `within` zero these are exactly the pairs that are_free_into finds not free.
    """
    room = room_of(model)
    points = np.zeros(6)
    usable = pose_into(model, q, room)
    inside = is_inside(model, q)
    for k in range(model.pairs.shape[0]):
        e, o = model.pairs[k, 0], model.pairs[k, 1]
        out[k, 0] = math.inf
        if model.pairs[k, 3] == NEVER and inside:
            continue
        if between_balls(model.balls, room.centres, e, o) <= within + ROUNDING and meet(model, e, o, within, room):
            _, upper = gap_into(model, e, o, math.inf, room, points)
            out[k, 0] = min(upper, within)
            for i in range(6):
                out[k, 1 + i] = points[i]
    return usable
