"""The pose nearest to one that cannot be reached: first as near in position as possible, then as near in orientation.

Newton descents (armlab.kernels.search.newton) start from seeded random places inside the limits, with a small weight W
of the position: the orientation leads, and the position gives way at first, which leads around many local minima. The
best places, each different from the others, then go on with W growing from stage to stage (a penalty method: Fiacco and
McCormick 1968), until what is left is the smallest angle among the nearest positions.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.search.lm import HUGE, TURN, copy_into, seeded, shuffled, unit_fraction, widest
from armlab.kernels.search.lm_step import FREE, kind_of_turning, true_angle, work_size
from armlab.kernels.search.newton import NewtonChain, Workspace, descend, value_at
from armlab.kernels.search.problem import SearchTask

STARTS = 96
"""Each start finds the nearest orientation with a probability of 20 to 60 % for most poses, 7 % for the hardest: all 96
miss one of those in one case of a thousand."""
CANDIDATES = 4
"""A descent begins at the best of so many random places: four values of F cost as much as one step."""
FIRST_WEIGHTS, SECOND_WEIGHT, FIRST_STEPS = (1.0, 5.0, 30.0), 300.0, 7
"""W² of the descents from random places, in turns, what it grows to, and the steps of each. Arms with few axes need a
larger one: with W² = 1 their descents all end at the few places that have the wanted orientation."""
KEPT, APART = 10, 0.05
"""So many places go on, each this far (rad, or part of `length`) from the others in one joint at least."""
LAST_WEIGHTS, LAST_STEPS = (1e4, 1e6, 1e8, 1e10), 40
"""W² of the stages for these. With the last, a position that can be reached is met to about 1e-9 of the arm's size."""
ENOUGH = 1e6
"""Where the position stays away, W² times its distance (in `length`) need not be more: it is then off by 1e-6 rad."""
POINT_STARTS, POINT_WEIGHT = 32, 1e4
"""Descents that look for the nearest position alone, where no other reached it."""
GAP, ANGLE, OUT_SIZE = 0, 1, 2
"""Places in `out`: m and rad."""
REACHED = 1e-7
"""m and rad: nothing can be nearer than this."""


@inlined
def workspace(k: int, n: int) -> Workspace:
    """Return scratch for a chain of k joints and an arm of n."""
    return Workspace(
        np.empty(work_size(k)), np.empty(k), np.empty(k), np.empty((k, k)), np.empty(n), np.empty((n, n)),
        np.empty((1, n, n)), np.empty(n), np.empty(n),
    )  # fmt: skip


@kernel
def begin_into(
    arm: NewtonChain,
    target: Floats,
    task: SearchTask,
    square: float,
    state: np.uint64,
    s: Workspace,
    place: Floats,
    q: Floats,
) -> np.uint64:
    """Put `q` (n,) on the best of a few random places inside the limits; return the generator's state."""
    best = HUGE
    for _ in range(CANDIDATES):
        for i in range(q.shape[0]):
            state = shuffled(state)
            wide = min(widest(arm.turning[i], arm.length), arm.upper[i] - arm.lower[i])
            middle = min(max(0.0, arm.lower[i] + 0.5 * wide), arm.upper[i] - 0.5 * wide)
            place[i] = middle + wide * (unit_fraction(state) - 0.5)
        value, _, _ = value_at(arm, target, task, square, s, place)
        if value < best:
            best = value
            copy_into(place, q)
    return state


@inlined
def is_near(arm: NewtonChain, one: Floats, other: Floats) -> bool:
    """Return whether two places (n,) are less than APART in every joint, whole turns apart."""
    is_same = True
    for i in range(one.shape[0]):
        gap = one[i] - other[i]
        if arm.turning[i] > 0.5:
            gap -= TURN * np.floor(gap / TURN + 0.5)
        else:
            gap /= arm.length
        is_same = is_same and abs(gap) < APART
    return is_same


@kernel
def keep(arm: NewtonChain, q: Floats, value: float, rows: Floats, values: Floats) -> None:
    """Put `q` (n,) among the best places `rows` (m, n), whose `values` (m,) ascend; of near ones the best stays."""
    m = rows.shape[0]
    last = m - 1  # whose row is given up: the worst, or the one that `q` is near to and better than
    for r in range(m):
        if values[r] < HUGE and is_near(arm, q, rows[r]):
            last = r
            break
    if not value < values[last]:
        return
    while last > 0 and values[last - 1] > value:
        values[last] = values[last - 1]
        copy_into(rows[last - 1], rows[last])
        last -= 1
    values[last] = value
    copy_into(q, rows[last])


@kernel
def finish_into(
    arm: NewtonChain,
    target: Floats,
    task: SearchTask,
    tolerance: float,
    rows: Floats,
    values: Floats,
    s: Workspace,
    q: Floats,
    out: Floats,
) -> None:
    """Bring the places `rows` (m, n) to their minima, and put the nearest of them to `q` where it is nearer."""
    turning = kind_of_turning(task.weights, task.mode)
    for r in range(rows.shape[0]):
        if values[r] >= HUGE:
            break
        for square in LAST_WEIGHTS:
            descend(arm, target, task, square, LAST_STEPS, s, rows[r])
            _, position, rotation = value_at(arm, target, task, square, s, rows[r])
            if square * math.sqrt(position) > ENOUGH * arm.length:
                break
        gap, angle = math.sqrt(position), true_angle(task.mode, turning, rotation, s.w)
        is_same_gap = abs(gap - out[GAP]) <= tolerance
        if gap < out[GAP] - tolerance or (is_same_gap and angle < out[ANGLE]):
            out[GAP], out[ANGLE] = gap, angle
            copy_into(rows[r], q)
        if out[GAP] <= REACHED and out[ANGLE] <= REACHED:
            break


@kernel
def nearest_into(
    arm: NewtonChain, target: Floats, task: SearchTask, seed: int, tolerance: float, q: Floats, out: Floats
) -> None:
    """Bring `q` (n,) to the place nearest to `target` (4, 4); `out` (OUT_SIZE,) gets what is left, in m and rad.

    The first descent begins at the given `q`. Gaps that differ by less than `tolerance` (m) count as the same.
    """
    n = q.shape[0]
    s, place, begin = workspace(arm.revolute.shape[0], n), np.empty(n), np.empty(n)
    rows, values = np.empty((KEPT, n)), np.full(KEPT, HUGE)
    state = seeded(seed)
    out[GAP], out[ANGLE] = HUGE, HUGE
    for start in range(STARTS if kind_of_turning(task.weights, task.mode) != FREE else 0):
        square = FIRST_WEIGHTS[start % len(FIRST_WEIGHTS)]
        if start == 0:
            copy_into(q, begin)
        else:
            state = begin_into(arm, target, task, square, state, s, place, begin)
        descend(arm, target, task, square, FIRST_STEPS, s, begin)
        value = descend(arm, target, task, SECOND_WEIGHT, FIRST_STEPS, s, begin)
        keep(arm, begin, value, rows, values)
    finish_into(arm, target, task, tolerance, rows, values, s, q, out)
    if out[GAP] <= tolerance:
        return
    # none, or no descent reached the point: look for the nearest one whatever the orientation, and turn the tool there
    point = SearchTask(task.weights.copy(), task.mode)
    point.weights[3:] = 0.0
    values[:] = HUGE
    for _ in range(POINT_STARTS):
        state = begin_into(arm, target, point, POINT_WEIGHT, state, s, place, begin)
        value = descend(arm, target, point, POINT_WEIGHT, LAST_STEPS, s, begin)
        keep(arm, begin, value, rows, values)
    finish_into(arm, target, task, tolerance, rows, values, s, q, out)
