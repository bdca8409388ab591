"""Collisions between samples: checks of whole intervals of a motion, by a bound on how far anything can get in them.

How far an object gets while joint i moves by at most delta_i: move the joints one after the other, the outermost
first. Each then turns about an axis that stands where it stood at the start, and every point of the object is nearer to
it than the ball round the object was, plus what the joints before have already moved the point.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import (
    NEVER,
    ROUNDING,
    STRANGERS,
    CollisionModel,
    Room,
    between_balls,
    meet,
    move_ball,
    move_frame,
    pose_into,
    room_of,
)
from armlab.kernels.collision.distance import gap_into
from armlab.kernels.collision.gjk import Integers
from armlab.kernels.jit import inlined, kernel

HALVINGS = 60
"""An interval is halved at most so often."""
BOX_HALVINGS = 200


@kernel
def spread_into(model: CollisionModel, delta: Floats, room: Room, out: Floats) -> None:
    """Write how far each object can get to `out` (e, n + 1): by joint i and those farther out, in the end by all.

    The frames are at the middle; every joint moves by at most `delta` (n,) from there.
    """
    n = delta.shape[0]
    for e in range(model.objects.shape[0]):
        out[e, n] = _spread_of(model, e, 0, delta, room, out)


@inlined
def _spread_of(model: CollisionModel, e: int, end: int, delta: Floats, room: Room, out: Floats) -> float:
    """Write the same for one object, by the joints from its own down to frame `end`; return that of all of them."""
    frame, far = model.objects[e, 0], 0.0
    for _ in range(delta.shape[0]):
        if frame <= end:
            break
        joint, T = frame - 1, room.frames[frame]
        if model.revolute[joint] > 0.5:
            # no point of the object is farther from the axis (T's origin and z) than its ball's far side: the arm;
            # what the outer joints have moved it, `far`, comes on top
            x, y, z = room.centres[e, 0] - T[9], room.centres[e, 1] - T[10], room.centres[e, 2] - T[11]
            along = x * T[2] + y * T[5] + z * T[8]
            arm = math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) + model.balls[e, 3]
            far += delta[joint] * (arm + far)
        else:
            far += delta[joint]
        out[e, joint] = far
        frame = model.parent[joint]
    return far


@inlined
def closing(model: CollisionModel, k: int, spread: Floats) -> float:
    """Return how much nearer the two objects of a pair can get."""
    e, o, joint = model.pairs[k, 0], model.pairs[k, 1], model.pairs[k, 2]
    n = spread.shape[1] - 1
    nearer: float = spread[e, joint] if joint >= 0 else spread[e, n] + spread[o, n]
    return nearer


@kernel
def expand(c: Floats, middle: float, half: float, work: Floats, q: Floats, delta: Floats) -> None:
    """Write the value at `middle` of a piece `c` (terms, n) to `q`, and how far it gets from there within ± half."""
    terms, n = c.shape
    for j in range(n):
        for p in range(terms):
            work[p] = c[p, j]
        for first in range(terms):  # Taylor's coefficients about the middle, by Horner's scheme again and again
            for p in range(terms - 2, first - 1, -1):
                work[p] += middle * work[p + 1]
        q[j], delta[j] = work[0], 0.0
        power = 1.0
        for p in range(1, terms):
            power *= half
            delta[j] += abs(work[p]) * power
        delta[j] += 1e-14 * (1.0 + abs(work[0]))


@kernel
def first_contact(
    model: CollisionModel, breaks: Floats, coefficients: Floats, inside: bool, clearance: float, touch: float
) -> tuple[float, int]:
    """Return when a pair first comes within `clearance`, and which; -1.0 and -1 if none ever does.

    A pair that is never farther than clearance + touch in an interval may count as within. `inside` says that the
    whole motion is within the limits of the joints.
    """
    room = room_of(model)
    n, count, terms = model.fixed.shape[0], model.pairs.shape[0], coefficients.shape[1]
    q, delta, work, spread = np.empty(n), np.empty(n), np.empty(terms), np.zeros((model.objects.shape[0], n + 1))
    ends, active = np.empty((HALVINGS + 2, 2)), np.ones((HALVINGS + 2, count), np.int64)
    kept = np.zeros(count, np.int64)
    for piece in range(coefficients.shape[0]):
        ends[0, 0], ends[0, 1] = 0.0, 1.0
        for k in range(count):
            active[0, k] = 1
        top = 0
        while top >= 0:
            low, high = ends[top, 0], ends[top, 1]
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            # the proof: at the middle of the interval everything is farther apart than it can get nearer in it
            expand(coefficients[piece], middle, half, work, q, delta)
            pose_into(model, q, room)
            spread_into(model, delta, room, spread)
            left, here = 0, -1
            for k in range(count):
                kept[k] = 0
                if active[top, k] == 0 or (inside and model.pairs[k, 3] == NEVER):
                    continue
                closer = closing(model, k, spread)
                need = closer + (clearance if model.pairs[k, 3] == STRANGERS else 0.0)
                e, o = model.pairs[k, 0], model.pairs[k, 1]
                if between_balls(model.balls, room.centres, e, o) > need + ROUNDING:
                    continue
                if not meet(model, e, o, need, room):
                    continue
                kept[k] = 1
                left += 1
                if here < 0 and (closer <= touch or top >= HALVINGS):
                    here = k
            if here >= 0:
                return breaks[piece] + low * (breaks[piece + 1] - breaks[piece]), here
            top -= 1
            if left > 0:
                _push(ends, active, kept, top, low, middle, high)
                top += 2
    return -1.0, -1


@kernel
def _push(ends: Floats, active: Integers, kept: Integers, top: int, low: float, middle: float, high: float) -> None:
    """Put both halves of an interval on the stack above `top`, the earlier one uppermost."""
    ends[top + 1, 0], ends[top + 1, 1] = middle, high
    ends[top + 2, 0], ends[top + 2, 1] = low, middle
    for k in range(kept.shape[0]):
        active[top + 1, k] = kept[k]
        active[top + 2, k] = kept[k]


@kernel
def least_distance(
    model: CollisionModel, breaks: Floats, coefficients: Floats, tolerance: float, budget: int, out: Floats
) -> tuple[float, float, int]:
    """Return the least distance of a motion, when it is, and which pair has it; nearest points go to `out` (6,).

    Pairs of one arm do not count: many are close for good. The distance is not more than `tolerance` above the true
    one, unless the budget of intervals was used up. The search ends with the first overlap that it finds.
    """
    room = room_of(model)
    n, count, terms = model.fixed.shape[0], model.pairs.shape[0], coefficients.shape[1]
    q, delta, work, spread = np.empty(n), np.empty(n), np.empty(terms), np.zeros((model.objects.shape[0], n + 1))
    ends, active = np.empty((HALVINGS + 2, 2)), np.ones((HALVINGS + 2, count), np.int64)
    kept, points = np.zeros(count, np.int64), np.zeros(6)
    best, when, which = math.inf, 0.0, -1
    for piece in range(coefficients.shape[0]):
        ends[0, 0], ends[0, 1] = 0.0, 1.0
        for k in range(count):
            active[0, k] = 1
        top = 0
        while top >= 0 and budget > 0 and best > 0.0:
            budget -= 1
            low, high = ends[top, 0], ends[top, 1]
            middle, half = 0.5 * (low + high), 0.5 * (high - low)
            expand(coefficients[piece], middle, half, work, q, delta)
            pose_into(model, q, room)
            spread_into(model, delta, room, spread)
            left = 0
            for k in range(count):
                kept[k] = 0
                if active[top, k] == 0 or model.pairs[k, 3] != STRANGERS:
                    continue
                closer, e, o = closing(model, k, spread), model.pairs[k, 0], model.pairs[k, 1]
                enough = best - tolerance + closer
                if between_balls(model.balls, room.centres, e, o) > enough:
                    continue
                lower, upper = gap_into(model, e, o, enough, room, points)
                if upper < best:
                    best, which = upper, k
                    when = breaks[piece] + middle * (breaks[piece + 1] - breaks[piece])
                    for i in range(6):
                        out[i] = points[i]
                if lower - closer < best - tolerance:
                    kept[k] = 1
                    left += 1
            top -= 1
            if left > 0 and top + 2 < HALVINGS:
                _push(ends, active, kept, top, low, middle, high)
                top += 2
    return best, when, which


@kernel
def never_meet(
    model: CollisionModel, k: int, lower: Floats, upper: Floats, margin: float, smallest: float, budget: int
) -> bool:
    """Tell whether it is certain that pair `k` stays more than `margin` apart while the joints are within limits.

    The pair is of one arm, so that only the joints between its two objects matter; the others stand still. It halves
    boxes of joint values until each is proved, or is so small that the pair gets less than `smallest` nearer in it, or
    the budget of boxes is used up.
    """
    room = room_of(model)
    n = lower.shape[0]
    e, o = model.pairs[k, 0], model.pairs[k, 1]
    low, high = model.objects[o, 0], model.objects[e, 0]  # frames: joints low … high - 1 move e against o
    delta, spread = np.empty(n), np.zeros((model.objects.shape[0], n + 1))
    boxes, q = np.empty((BOX_HALVINGS + 2, 2, n)), np.empty(n)
    for i in range(n):
        boxes[0, 0, i], boxes[0, 1, i] = lower[i], upper[i]
        q[i] = 0.5 * (lower[i] + upper[i])
    pose_into(model, q, room)
    top = 0
    while top >= 0:
        budget -= 1
        for i in range(low, high):
            q[i] = 0.5 * (boxes[top, 0, i] + boxes[top, 1, i])
            delta[i] = 0.5 * (boxes[top, 1, i] - boxes[top, 0, i]) + 1e-9
            move_frame(model, i, q[i], room)
        move_ball(model, e, room)
        # the middle of the box is farther apart than anything gets nearer in it: the whole box is proved
        closer = _spread_of(model, e, low, delta, room, spread)
        if between_balls(model.balls, room.centres, e, o) > closer + margin or not meet(
            model, e, o, closer + margin, room
        ):
            top -= 1
            continue
        if closer < smallest or budget <= 0 or top >= BOX_HALVINGS or meet(model, e, o, margin, room):
            return False
        # halve the box along the joint that moves the object farthest
        widest, most, before = -1, -1.0, 0.0
        for joint in range(high - 1, low - 1, -1):
            share = spread[e, joint] - before
            before = spread[e, joint]
            if share > most:
                widest, most = joint, share
        for i in range(n):
            boxes[top + 1, 0, i], boxes[top + 1, 1, i] = boxes[top, 0, i], boxes[top, 1, i]
        boxes[top, 1, widest] = q[widest]
        boxes[top + 1, 0, widest] = q[widest]
        top += 1
    return True


@kernel
def meetings_into(model: CollisionModel, q: Floats, out: Floats) -> bool:
    """Write how often each pair meets in the rows of `q` (m, n) to `out` (pairs,)."""
    room = room_of(model)
    usable = True
    for k in range(out.shape[0]):
        out[k] = 0.0
    for row in range(q.shape[0]):
        usable = pose_into(model, q[row], room) and usable
        for k in range(model.pairs.shape[0]):
            e, o = model.pairs[k, 0], model.pairs[k, 1]
            if between_balls(model.balls, room.centres, e, o) <= ROUNDING and meet(model, e, o, 0.0, room):
                out[k] += 1.0
    return usable
