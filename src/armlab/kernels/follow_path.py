"""Exact joints near a guess, and the best continuous chain of solutions along a tool path.

See armlab.kernels.follow_rates for the conditions that joints have to meet.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.follow_rates import WORK, factor, rates_into, rows_into, solve_into
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kernels.jit import kernel
from armlab.kernels.lm_step import ERROR, error_into, forward_into, kind_of_turning, true_angle, work_size

TURN = 2.0 * math.pi
BRINK = 0.05
"""Diagonal elements, and distances from limits as a share of the range, below this cost something."""
WORST = 1e4
FIT = 0.25
"""By how much of its predicted length a step may differ from the prediction."""
LONGEST = 1.0
"""A step of a joint (rad or m) that is too long to be judged."""
NOISE = 1e-7
EXACT = 1e-13
FAR = 0.5
TRACK_STEPS = 8


@kernel
def polish_into(
    constants: Floats,
    revolute: Floats,
    weights: Floats,
    mode: int,
    length: float,
    extra: Floats,
    held: Floats,
    T: Floats,
    steps: int,
    q: Floats,
    w: Floats,
    J: Floats,
    M: Floats,
    work: Floats,
) -> tuple[float, float]:
    """Bring `q` (n,) onto the conditions by at most `steps` Newton steps; return the error before and after.

    `held` (e,) are the values of the extra rows. Steps that are long, or do not help, are not taken.
    """
    n, r = q.shape[0], M.shape[1]
    turning = kind_of_turning(weights, mode)
    diagonal, b, x, kept, scale = work[0], work[1], work[2], work[3], work[4]
    first, error = -1.0, math.inf
    for step in range(steps + 1):
        forward_into(constants, revolute, q, w)
        position, rotation = error_into(T, weights, mode, turning, 1.0 / length, w)
        now = max(math.sqrt(position), true_angle(mode, turning, rotation, w))
        for row in range(6):
            b[row] = w[ERROR + row]
        for row in range(6, r):
            value = held[row - 6]
            for i in range(n):
                value -= extra[row - 6, i] * q[i]
            b[row] = value
            now = max(now, abs(value))
        if first < 0.0:
            first = now
        if not now < error:
            if step > 0:
                for i in range(n):
                    q[i] = kept[i]
            break
        error = now
        if error <= EXACT or step == steps:
            break
        rows_into(revolute, weights, turning, length, extra, w, J, M)
        factor(M, diagonal, scale)
        solve_into(M, diagonal, scale, b, x)
        largest = 0.0
        for i in range(n):
            kept[i] = q[i]
            largest = max(largest, abs(x[i]))
        if not largest < FAR:
            break
        for i in range(n):
            q[i] += x[i] if revolute[i] > 0.5 else x[i] * length
    return first, error


@kernel
def polish_each_into(
    constants: Floats,
    revolute: Floats,
    weights: Floats,
    mode: int,
    length: float,
    extra: Floats,
    held: Floats,
    T: Floats,
    steps: int,
    q: Floats,
    errors: Floats,
) -> None:
    """Do `polish_into` for the rows of `q` (m, n): held (m, e), T (m, 4, 4), errors (m, 2)."""
    n = q.shape[1]
    w, J = np.empty(work_size(n)), np.empty((6, n))
    M, work = np.empty((n, 6 + extra.shape[0])), np.empty((WORK, max(6 + extra.shape[0], n)))
    for i in range(q.shape[0]):
        errors[i, 0], errors[i, 1] = polish_into(
            constants, revolute, weights, mode, length, extra, held[i], T[i], steps, q[i], w, J, M, work
        )


@kernel
def track_into(
    constants: Floats,
    revolute: Floats,
    weights: Floats,
    mode: int,
    length: float,
    extra: Floats,
    held: Floats,
    s: Floats,
    T: Floats,
    motion: Floats,
    tolerance: float,
    q: Floats,
    valid: Floats,
) -> None:
    """Follow the targets from each start q[0] (k, n): write q (m, k, n), and valid (m, k) until a track is lost.

    `held` (k, e) are the values of the extra rows, which stay. A track is lost where Newton steps from the prediction
    do not end near it. Limits are not looked at.
    """
    m, k, n = q.shape
    w, J = np.empty(work_size(n)), np.empty((6, n))
    M, work = np.empty((n, 6 + extra.shape[0])), np.empty((WORK, max(6 + extra.shape[0], n)))
    rate, bend, still = np.empty(n), np.empty(n), np.zeros(extra.shape[0])
    for b in range(k):
        for i in range(m):
            if i == 0:
                continue
            valid[i, b] = 0.0
            if not valid[i - 1, b] > 0.5:
                continue
            rates_into(
                constants, revolute, weights, mode, length, extra, still, T[i - 1], motion[i - 1], q[i - 1, b], w, J, M,
                work, rate, bend,
            )  # fmt: skip
            h = s[i] - s[i - 1]
            way = 0.0
            for j in range(n):
                step = h * rate[j] + 0.5 * h * h * bend[j]
                way = max(way, abs(step))
                q[i, b, j] = q[i - 1, b, j] + step
            if not way < LONGEST:
                continue
            _, error = polish_into(
                constants, revolute, weights, mode, length, extra, held[b], T[i], TRACK_STEPS, q[i, b], w, J, M, work
            )
            off = 0.0
            for j in range(n):
                off = max(off, abs(q[i, b, j] - q[i - 1, b, j] - h * rate[j] - 0.5 * h * h * bend[j]))
            valid[i, b] = 1.0 if error <= tolerance and off <= FIT * way + NOISE else 0.0


@kernel
def step_fits(h: float, q0: Floats, q1: Floats, rate0: Floats, rate1: Floats, revolute: Floats, step: Floats) -> bool:
    """Write the step (n,) from `q0` to `q1`, by the turns that fit the rates best; tell whether they explain it."""
    most, off = 0.0, 0.0
    for j in range(q0.shape[0]):
        expected = 0.5 * h * (rate0[j] + rate1[j])
        value = q1[j] - q0[j]
        if revolute[j] > 0.5:
            value += TURN * np.floor((expected - value) / TURN + 0.5)
        step[j] = value
        most = max(most, abs(value), 0.5 * h * (abs(rate0[j]) + abs(rate1[j])))
        off = max(off, abs(value - expected))
    return most < LONGEST and off <= FIT * most + NOISE


@kernel
def turns_fit(low: float, high: float, lower: float, upper: float, may_turn: bool) -> bool:
    """Tell whether a whole number of turns brings everything from `low` to `high` inside the limits."""
    if not may_turn:
        return low >= lower - LIMIT_SLACK and high <= upper + LIMIT_SLACK
    return bool(np.ceil((lower - LIMIT_SLACK - low) / TURN) <= np.floor((upper + LIMIT_SLACK - high) / TURN))


@kernel
def choose_into(
    s: Floats,
    q: Floats,
    valid: Floats,
    rate_after: Floats,
    rate_before: Floats,
    sigma: Floats,
    first_cost: Floats,
    speed: Floats,
    revolute: Floats,
    lower: Floats,
    upper: Floats,
    group: int,
    may_turn: bool,
    before: NDArray[np.int64],
    cost: Floats,
    doubt: Floats,
) -> None:
    """Find the cheapest continuous chain to every candidate `q` (m, k, n): where it came from, and what it costs.

    `before` (m, k) is the candidate one place earlier, -1 where no chain arrives; at the first place it is the
    candidate itself. A chain may go from one candidate to another of the same group of `group` where joints and rates
    say that it is one motion, and as long as whole turns bring all of it inside the limits; with `may_turn` False the
    turns are those of the first place. `doubt` (m - 1,) becomes 1.0 where a candidate goes on but the step is too long
    to be sure. `speed` (n,) weighs the joints.
    """
    m, k, n = q.shape
    run, low, high = np.empty((2, k, n)), np.empty((2, k, n)), np.empty((2, k, n))
    step, best_step = np.empty(n), np.empty(n)
    for b in range(k):
        before[0, b] = b if valid[0, b] > 0.5 else -1
        cost[0, b] = first_cost[b] if valid[0, b] > 0.5 else math.inf
        for j in range(n):
            run[0, b, j] = low[0, b, j] = high[0, b, j] = q[0, b, j]
    for i in range(1, m):
        old, new = (i - 1) % 2, i % 2
        h = s[i] - s[i - 1]
        doubt[i - 1] = 0.0
        for b in range(k):
            before[i, b], cost[i, b] = -1, math.inf
            if not valid[i, b] > 0.5:
                continue
            penalty = min((BRINK / max(sigma[i, b], 1e-12)) ** 2, WORST) if sigma[i, b] < BRINK else 0.0
            for j in range(n):
                near = min(q[i, b, j] - lower[j], upper[j] - q[i, b, j]) / (upper[j] - lower[j])
                if near < BRINK:
                    penalty += 10.0 * (1.0 - near / BRINK) ** 2
            for other in range(group):
                a = (b // group) * group + (b + other) % group  # its own column first: it wins where all are the same
                if not valid[i - 1, a] > 0.5:
                    continue
                fits = step_fits(h, q[i - 1, a], q[i, b], rate_after[i - 1, a], rate_before[i, b], revolute, step)
                if not fits:
                    if a == b:
                        doubt[i - 1] = 1.0
                    continue
                if before[i - 1, a] < 0:
                    continue
                way, inside = 0.0, True
                for j in range(n):
                    way += (step[j] * speed[j]) ** 2
                    there = run[old, a, j] + step[j]
                    inside = inside and turns_fit(
                        min(low[old, a, j], there), max(high[old, a, j], there), lower[j], upper[j],
                        may_turn and revolute[j] > 0.5,
                    )  # fmt: skip
                total = cost[i - 1, a] + math.sqrt(way) + h * penalty
                if inside and total < cost[i, b]:
                    before[i, b], cost[i, b] = a, total
                    for j in range(n):
                        best_step[j] = step[j]
            if before[i, b] >= 0:
                a = before[i, b]
                for j in range(n):
                    there = run[old, a, j] + best_step[j]
                    run[new, b, j] = there
                    low[new, b, j], high[new, b, j] = min(low[old, a, j], there), max(high[old, a, j], there)


@kernel
def quintics_into(
    s0: Floats,
    q0: Floats,
    rate0: Floats,
    bend0: Floats,
    s1: Floats,
    q1: Floats,
    rate1: Floats,
    bend1: Floats,
    lower: Floats,
    upper: Floats,
    c: Floats,
    middle: Floats,
    facts: Floats,
) -> None:
    """Write the quintics between ends (m, n) to `c` (m, 6, n), and their values in the middle to `middle` (m, n).

    `facts` (m, 2): the largest rate at the start of the piece, and 1.0 where it could leave the limits.
    """
    m, n = q0.shape
    for i in range(m):
        h = s1[i] - s0[i]
        facts[i, 0], facts[i, 1] = 0.0, 0.0
        for j in range(n):
            rise, v0, v1 = q1[i, j] - q0[i, j], rate0[i, j] * h, rate1[i, j] * h
            a0, a1 = bend0[i, j] * h * h, bend1[i, j] * h * h
            c3 = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
            c4 = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
            c5 = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
            c[i, 0, j], c[i, 1, j], c[i, 2, j] = q0[i, j], v0, 0.5 * a0
            c[i, 3, j], c[i, 4, j], c[i, 5, j] = c3, c4, c5
            middle[i, j] = q0[i, j] + 0.5 * (v0 + 0.5 * (0.5 * a0 + 0.5 * (c3 + 0.5 * (c4 + 0.5 * c5))))
            reach = abs(v0) + 0.5 * abs(a0) + abs(c3) + abs(c4) + abs(c5)
            if not (q0[i, j] - reach >= lower[j] and q0[i, j] + reach <= upper[j]):
                facts[i, 1] = 1.0
            facts[i, 0] = max(facts[i, 0], abs(rate0[i, j]))
