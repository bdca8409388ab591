"""Constraints along a motion: the tool leans no farther than an angle, or its point stays near a plane or a line.

Each is a value that must not exceed a tolerance: an angle (rad) or a distance (m). In an interval of the motion it
exceeds the value in the middle by no more than the tool can turn, or its point can move, in the interval. Where that is
not within the tolerance, the interval is halved; a motion that comes very near to its tolerance may be refused.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.check import CollisionModel, move_frame
from armlab.kernels.collision.edge_room import EdgeRoom
from armlab.kernels.collision.sweep import expand
from armlab.kernels.jit import inlined, kernel

UPRIGHT, PLANE, LINE = 0.0, 1.0, 2.0
"""Kinds of constraints; see `RULE` for the columns of one."""
RULE = 12
"""0 kind, 1 tolerance, 2 … 4 an axis (UPRIGHT) or the point of the tool in its frame, 5 … 7 a point of the plane or the
line in the world, 8 … 10 the direction in the world that the axis has, of the normal, or of the line; 11 the frame."""
HALVINGS = 24


@inlined
def rule_value(rule: Floats, T: Floats) -> float:
    """Return how far off the frame `T` (12,) is: the angle between two directions, or a distance."""
    a, b, c = rule[2], rule[3], rule[4]
    x, y, z = T[0] * a + T[1] * b + T[2] * c, T[3] * a + T[4] * b + T[5] * c, T[6] * a + T[7] * b + T[8] * c
    dx, dy, dz = rule[8], rule[9], rule[10]
    if rule[0] != UPRIGHT:
        x, y, z = x + T[9] - rule[5], y + T[10] - rule[6], z + T[11] - rule[7]
    along: float = x * dx + y * dy + z * dz
    if rule[0] == PLANE:
        return abs(along)
    u, v, w = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    across: float = math.sqrt(u * u + v * v + w * w)
    return math.atan2(across, along) if rule[0] == UPRIGHT else across


@inlined
def rule_spread(model: CollisionModel, rule: Floats, frames: Floats, delta: Floats) -> float:
    """Return by how much the value can change when each joint moves by up to `delta` (n,)."""
    frame, far = int(rule[11]), 0.0
    T = frames[frame]
    a, b, c = rule[2], rule[3], rule[4]
    px = T[0] * a + T[1] * b + T[2] * c + T[9]
    py = T[3] * a + T[4] * b + T[5] * c + T[10]
    pz = T[6] * a + T[7] * b + T[8] * c + T[11]
    while frame > 0:
        joint, J = frame - 1, frames[frame]
        if model.revolute[joint] < 0.5:
            far += delta[joint] if rule[0] != UPRIGHT else 0.0
        elif rule[0] == UPRIGHT:
            far += delta[joint]
        else:
            # the point is so far from the joint's axis, and what the outer joints have moved it comes on top
            x, y, z = px - J[9], py - J[10], pz - J[11]
            along = x * J[2] + y * J[5] + z * J[8]
            far += delta[joint] * (math.sqrt(max(x * x + y * y + z * z - along * along, 0.0)) + far)
        frame = model.parent[joint]
    return far


@kernel
def excess(model: CollisionModel, q: Floats, share: float, s: EdgeRoom) -> float:
    """Return by how much the worst constraint exceeds `share` of its tolerance at `q` (n,): as part of it."""
    for i in range(q.shape[0]):
        move_frame(model, i, q[i], s.room)
    worst = -1.0
    for k in range(s.rules.shape[0]):
        rule = s.rules[k]
        worst = max(worst, rule_value(rule, s.room.frames[int(rule[11])]) / rule[1] - share)
    return worst


@kernel
def keeps_rules(model: CollisionModel, c: Floats, s: EdgeRoom) -> bool:
    """Tell whether a piece of motion `c` (terms, n), over 0 … 1, is proved to keep every constraint."""
    ends, work = np.empty((HALVINGS + 2, 2)), np.empty(c.shape[0])
    ends[0, 0], ends[0, 1] = 0.5, 0.5
    top = 0
    while top >= 0:
        middle, half = ends[top, 0], ends[top, 1]
        top -= 1
        expand(c, middle, half, work, s.q, s.delta)
        for i in range(s.q.shape[0]):
            move_frame(model, i, s.q[i], s.room)
        is_open = False
        for k in range(s.rules.shape[0]):
            rule = s.rules[k]
            value = rule_value(rule, s.room.frames[int(rule[11])])
            if value > rule[1]:
                return False
            is_open = is_open or value + rule_spread(model, rule, s.room.frames, s.delta) > rule[1]
        if is_open:
            if half < 0.5 ** (HALVINGS - 1) or top + 3 > ends.shape[0]:
                return False
            ends[top + 1, 0], ends[top + 1, 1] = middle - 0.5 * half, 0.5 * half
            ends[top + 2, 0], ends[top + 2, 1] = middle + 0.5 * half, 0.5 * half
            top += 2
    return True


@kernel
def straight_keeps(model: CollisionModel, a: Floats, b: Floats, s: EdgeRoom) -> bool:
    """Tell whether the straight motion between `a` and `b` (n,) is proved to keep every constraint."""
    c = np.empty((2, a.shape[0]))
    for j in range(a.shape[0]):
        c[0, j], c[1, j] = a[j], b[j] - a[j]
    return keeps_rules(model, c, s)
