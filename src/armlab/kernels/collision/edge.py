"""Straight motions of the joints: proved free of contacts, or found to touch, and no more is computed than that takes.

A motion from a to b is cut into even intervals. Their middles are looked at in van der Corput's order (ends first, then
the middle, the quarters …), so that a motion through an obstacle is soon refused. At each of them a pair of objects is
proved for the whole interval where it is farther apart than it can get nearer in it (see `sweep`); what stays open is
looked at again in halves of the interval, down to TOUCH. Nothing that passes between samples is missed.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.collision.check import (
    ROUNDING,
    STRANGERS,
    CollisionModel,
    Room,
    ball_box,
    between_balls,
    between_boxes,
    compose,
    is_inside,
    pose_into,
    relate,
)
from armlab.kernels.collision.edge_room import MOTIONS, SAMPLES, WALKS, EdgeRoom, edge_room
from armlab.kernels.collision.gjk import Integers, walk
from armlab.kernels.collision.rules import straight_keeps
from armlab.kernels.jit import inlined, kernel

FREE, TOUCHES, UNDECIDED = 0, 1, 2
"""What is known of two objects in an interval, or of a motion; a motion is undecided where the workspace is used up."""
STEP = 0.25
"""rad or m: the largest joint motion of the first intervals."""
PROOF = 0.05
"""m: what can get nearer than this in an interval is not worth a proof by GJK; in its halves it is."""
TOUCH = 1e-3
"""m: what may come nearer than this beyond the clearance counts as touching."""
SLACK = 0.5
"""Distances are known within this part of how much nearer the objects can get."""
LEVELS = 40


@kernel
def distances_into(x: float, y: float, z: float, boxes: Floats, out: Floats) -> None:
    """Write the squared distance of a point from each box, a column of `boxes` (15, b), to `out` (b,)."""
    for p in range(boxes.shape[1]):
        dx, dy, dz = x - boxes[9, p], y - boxes[10, p], z - boxes[11, p]
        u = abs(boxes[0, p] * dx + boxes[3, p] * dy + boxes[6, p] * dz) - boxes[12, p]
        v = abs(boxes[1, p] * dx + boxes[4, p] * dy + boxes[7, p] * dz) - boxes[13, p]
        w = abs(boxes[2, p] * dx + boxes[5, p] * dy + boxes[8, p] * dz) - boxes[14, p]
        u = u if u > 0.0 else 0.0
        v = v if v > 0.0 else 0.0
        w = w if w > 0.0 else 0.0
        out[p] = u * u + v * v + w * w


@kernel
def spreads_into(
    moving: Integers, objects: Integers, balls: Floats, centres: Floats, frames: Floats, revolute: Floats,
    parent: Integers, delta: Floats, out: Floats,
) -> None:  # fmt: skip
    """Write how far each object that moves can get to `out` (a, n + 1); see `sweep` for the bound."""
    n = delta.shape[0]
    for i in range(moving.shape[0]):
        e = moving[i]
        frame, far = objects[e, 0], 0.0
        while frame > 0:
            joint = frame - 1
            if revolute[joint] > 0.5:
                x, y, z = (
                    centres[e, 0] - frames[frame, 9],
                    centres[e, 1] - frames[frame, 10],
                    centres[e, 2] - frames[frame, 11],
                )
                along = x * frames[frame, 2] + y * frames[frame, 5] + z * frames[frame, 8]
                arm = math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) + balls[e, 3]
                far += delta[joint] * (arm + far)
            else:
                far += delta[joint]
            out[i, joint] = far
            frame = parent[joint]
        out[i, n] = far


@inlined
def put_parts(objects: Integers, places: Floats, e: int, frames: Floats, placed: Floats, is_placed: Integers) -> None:
    """Put the parts of an object where its frame is, unless they are there."""
    if is_placed[e] == 0:
        is_placed[e] = 1
        for p in range(objects[e, 1], objects[e, 2]):
            compose(frames[objects[e, 0]], places[p], placed[p])


@kernel
def near_state(
    objects: Integers, parts: Integers, places: Floats, sizes: Floats, rows: Floats, balls: Floats, room: Room,
    e: int, first: int, last: int, within: float, closer: float, counts: Integers,
) -> int:  # fmt: skip
    """Tell whether an object is FREE of the placed parts `first` … `last` - 1 in an interval, TOUCHES them, or neither.

    They may come `within` a distance of each other, and get `closer` by so much in the interval.
    """
    frames, placed, is_placed, centres = room.frames, room.placed, room.is_placed, room.centres
    relative, simplex = room.relative, room.simplex
    within += ROUNDING
    far, state = within + closer, FREE
    x, y, z = centres[e, 0], centres[e, 1], centres[e, 2]
    reach = balls[e, 3] + far
    for j in range(first, last):
        there = placed[j]
        if ball_box(x, y, z, there, sizes[j]) > reach * reach:
            continue
        put_parts(objects, places, e, frames, placed, is_placed)
        for i in range(objects[e, 1], objects[e, 2]):
            here, near = placed[i], sizes[i, 3] + far
            if ball_box(here[9], here[10], here[11], there, sizes[j]) > near * near:
                continue
            relate(here, there, relative)
            apart = between_boxes(relative, sizes[i], sizes[j])
            if apart > far:
                continue
            thick = sizes[i, 4] + sizes[j, 4]
            if closer > PROOF:
                if apart <= within:
                    counts[WALKS] += 1
                    lower, _ = walk(rows, parts[i], parts[j], relative, within + thick, within + thick, 0.0, simplex)
                    if not lower > within + thick:
                        return TOUCHES
                state = UNDECIDED
                continue
            counts[WALKS] += 1
            lower, upper = walk(
                rows, parts[i], parts[j], relative, far + thick, within + thick, SLACK * closer, simplex
            )
            if upper <= within + thick:
                return TOUCHES
            if not lower > far + thick:
                if closer <= TOUCH:
                    return TOUCHES
                state = UNDECIDED
    return state


@inlined
def place(model: CollisionModel, a: Floats, b: Floats, t: float, half: float, s: EdgeRoom) -> None:
    """Put the frames at a + t (b - a), the middle of an interval of ± half, and see how far everything gets in it."""
    for i in range(a.shape[0]):
        s.q[i], s.delta[i] = a[i] + t * (b[i] - a[i]), abs(b[i] - a[i]) * half + 1e-14
    s.counts[SAMPLES] += 1
    pose_into(model, s.q, s.room)
    spreads_into(
        s.moving,
        model.objects,
        model.balls,
        s.room.centres,
        s.room.frames,
        model.revolute,
        model.parent,
        s.delta,
        s.spread,
    )


@kernel
def state_of(model: CollisionModel, item: int, clearance: float, s: EdgeRoom) -> int:
    """Return the state of one number of `open` where the frames are."""
    count, n = s.still.shape[0], s.q.shape[0]
    if item < s.moving.shape[0] * count:
        i, j = item // count, item % count
        part, within = s.still[j], clearance if s.checked[i, j] == 1 else 0.0
        return near_state(
            model.objects, model.parts, model.places, model.sizes, model.rows, model.balls, s.room, s.moving[i], part,
            part + 1, within, s.spread[i, n], s.counts,
        )  # fmt: skip
    k = item - s.moving.shape[0] * count
    i, o = s.own[k, 0], s.own[k, 3]
    closer = s.spread[i, s.own[k, 4]] if s.own[k, 4] >= 0 else s.spread[i, n] + s.spread[s.own[k, 1], n]
    put_parts(model.objects, model.places, o, s.room.frames, s.room.placed, s.room.is_placed)
    return near_state(
        model.objects, model.parts, model.places, model.sizes, model.rows, model.balls, s.room, s.own[k, 2],
        model.objects[o, 1], model.objects[o, 2], clearance if s.kinds[k] == STRANGERS else 0.0, closer, s.counts,
    )  # fmt: skip


@kernel
def candidates_into(
    moving: Integers, balls: Floats, centres: Floats, spread: Floats, boxes: Floats, checked: Integers, own: Integers,
    kinds: Integers, clearance: float, apart: Floats, top: int, out: Integers,
) -> int:  # fmt: skip
    """Write the numbers of what the balls do not prove to be free to `out` from `top` on; return where they end."""
    n, count = spread.shape[1] - 1, boxes.shape[1]
    for i in range(moving.shape[0]):
        e = moving[i]
        distances_into(centres[e, 0], centres[e, 1], centres[e, 2], boxes, apart)
        reach = balls[e, 3] + spread[i, n] + clearance + ROUNDING
        for j in range(count):
            if apart[j] <= reach * reach and checked[i, j] > 0:
                out[top] = i * count + j
                top += 1
    for k in range(own.shape[0]):
        i, joint = own[k, 0], own[k, 4]
        closer = spread[i, joint] if joint >= 0 else spread[i, n] + spread[own[k, 1], n]
        within = clearance if kinds[k] == STRANGERS else 0.0
        if between_balls(balls, centres, own[k, 2], own[k, 3]) <= closer + within + ROUNDING:
            out[top] = moving.shape[0] * count + k
            top += 1
    return top


@kernel
def look(model: CollisionModel, clearance: float, top: int, s: EdgeRoom) -> int:
    """Look at all that may come near where the frames are; put what stays open to `open` from `top` on.

    Returns how much stays open, or -1 where something touches.
    """
    lately = s.lately[0]
    if lately >= 0 and state_of(model, lately, clearance, s) == TOUCHES:
        return -1
    end = candidates_into(
        s.moving,
        model.balls,
        s.room.centres,
        s.spread,
        s.boxes,
        s.checked,
        s.own,
        s.kinds,
        clearance,
        s.apart,
        top,
        s.open,
    )
    kept = top
    for at in range(top, end):
        item = s.open[at]
        state = state_of(model, item, clearance, s)
        if state == TOUCHES:
            s.lately[0] = item
            return -1
        if state == UNDECIDED:
            s.open[kept] = item
            kept += 1
    return kept - top


@kernel
def look_again(model: CollisionModel, a: Floats, b: Floats, clearance: float, tail: int, top: int, s: EdgeRoom) -> int:
    """Halve intervals on the queue until nothing is open in any: FREE, TOUCHES or UNDECIDED."""
    head = 0
    while head < tail:
        low, high, first, count = s.span[head, 0], s.span[head, 1], s.kept[head, 0], s.kept[head, 1]
        head += 1
        for part in range(2):
            x, y = (low, 0.5 * (low + high)) if part == 0 else (0.5 * (low + high), high)
            if top + count > s.open.shape[0] or tail >= s.span.shape[0]:
                return UNDECIDED
            place(model, a, b, 0.5 * (x + y), 0.5 * (y - x), s)
            kept = 0
            for i in range(count):
                item = s.open[first + i]
                state = state_of(model, item, clearance, s)
                if state == TOUCHES:
                    s.lately[0] = item
                    return TOUCHES
                if state == UNDECIDED:
                    s.open[top + kept] = item
                    kept += 1
            if kept > 0:
                s.span[tail, 0], s.span[tail, 1], s.kept[tail, 0], s.kept[tail, 1] = x, y, top, kept
                tail += 1
                top += kept
    return FREE


@kernel
def edge_state(model: CollisionModel, a: Floats, b: Floats, clearance: float, s: EdgeRoom) -> int:
    """Tell whether the straight motion from `a` (n,) to `b` is FREE, TOUCHES, or stays UNDECIDED.

    Both ends are within the limits, and `clearance` (m) is kept from bodies and other arms. A motion that comes within
    TOUCH beyond it may count as touching, and so does one that does not keep the constraints.
    """
    s.counts[MOTIONS] += 1
    if s.rules.shape[0] > 0 and not straight_keeps(model, a, b, s):
        return TOUCHES
    widest = 0.0
    for i in range(a.shape[0]):
        widest = max(widest, abs(b[i] - a[i]))
    cells = 1
    while cells * STEP < widest:
        cells *= 2
    half, tail, top = 0.5 / cells, 0, 0
    most = s.moving.shape[0] * s.still.shape[0] + s.own.shape[0]
    for level in range(LEVELS):
        # middles at 1 and 0, then at odd multiples of 1/2, 1/4, … down to 1/cells
        step = cells if level == 0 else cells >> (level - 1)
        if level > 0 and step < 2:
            break
        j = 0 if level == 0 else step // 2
        while j <= cells:
            if top + most > s.open.shape[0] or tail >= s.span.shape[0]:
                return UNDECIDED
            t = 1.0 - j / cells
            place(model, a, b, t, half, s)
            kept = look(model, clearance, top, s)
            if kept < 0:
                return TOUCHES
            if kept > 0:
                s.span[tail, 0], s.span[tail, 1] = max(t - half, 0.0), min(t + half, 1.0)
                s.kept[tail, 0], s.kept[tail, 1] = top, kept
                tail += 1
                top += kept
            j += step
    return look_again(model, a, b, clearance, tail, top, s)


@kernel
def edges_into(model: CollisionModel, a: Floats, b: Floats, clearance: float, out: Floats) -> bool:
    """Write 1.0 to `out` (m,) where the motion from a row of `a` (m, n) to that of `b` is proved free, else 0.0."""
    s = edge_room(model)
    usable = True
    for row in range(a.shape[0]):
        inside = is_inside(model, a[row]) and is_inside(model, b[row])
        usable = usable and inside
        out[row] = 1.0 if inside and edge_state(model, a[row], b[row], clearance, s) == FREE else 0.0
    return usable
