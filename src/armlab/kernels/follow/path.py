"""Exact joints near a guess, and the best continuous chain of solutions along a tool path.

See armlab.kernels.follow.rates for the conditions that joints have to meet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.follow.rates import (
    DIAGONAL,
    KEPT,
    REFLECTORS,
    RIGHT,
    STEP,
    Conditions,
    Scratch,
    factor,
    rates_into,
    rows_into,
    scratch_for,
    solve_into,
)
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kernels.jit import kernel
from armlab.kernels.search.lm_step import ERROR, error_into, forward_into, kind_of_turning, true_angle

TURN = 2.0 * math.pi
BRINK = 0.05
"""Diagonal elements, and distances from limits as a share of the range, below this cost something."""
WORST = 1e4
FIT = 0.25
"""By how much of its predicted length a step may differ from the prediction."""
LONGEST = 1.0
"""A step of a joint (rad or m) that is too long to be judged."""
NOISE = 1e-7
"""rad or m: a step may differ from its prediction by this much however short it is."""
EXACT = 1e-13
"""m and rad: nothing is gained by another Newton step."""
FAR = 0.5
"""A Newton step of a joint (rad or m) that is too long to be trusted."""
TRACK_STEPS = 8
"""Newton steps from a prediction to the next target."""


class PieceEnds(NamedTuple):
    """One end of m pieces of a joint path."""

    s: Floats
    """(m,): arc length"""
    q: Floats
    """(m, n)"""
    rate: Floats
    """(m, n): dq/ds"""
    bend: Floats
    """(m, n): d²q/ds²"""


class CandidateRows(NamedTuple):
    """The joints that a path may go through: k candidates at each of m places."""

    s: Floats
    """(m,): arc length of the places"""
    q: Floats
    """(m, k, n)"""
    valid: Floats
    """(m, k): 1.0 where there is a candidate"""
    rate_after: Floats
    """(m, k, n): dq/ds behind the place, which differs from the next at a corner of the path"""
    rate_before: Floats
    """(m, k, n): dq/ds in front of the place"""
    sigma: Floats
    """(m, k): smallest diagonal element of the factored conditions; zero at a singular configuration"""


class JointCosts(NamedTuple):
    """The joints' limits, and how much their travel counts."""

    revolute: Floats
    lower: Floats
    upper: Floats
    speed: Floats
    """(n,): weight per rad or m"""


class CandidateChains(NamedTuple):
    """The cheapest chain to every candidate: what `choose_into` writes."""

    before: NDArray[np.int64]
    """(m, k): the candidate one place earlier, -1 where no chain arrives; at the first place the candidate itself"""
    cost: Floats
    """(m, k)"""
    ambiguous: Floats
    """(m - 1,): 1.0 where a candidate goes on but the step is too long to be sure"""


@kernel
def polish_into(
    conditions: Conditions, held: Floats, T: Floats, steps: int, q: Floats, scratch: Scratch
) -> tuple[float, float]:
    """Bring `q` (n,) onto the conditions by at most `steps` Newton steps; return the error before and after.

    `held` (e,) are the values of the extra rows. Steps that are long, or do not help, are not taken.
    """
    constants, revolute, weights, mode, length, extra = conditions
    w, _, M, work = scratch
    n, r = q.shape[0], M.shape[1]
    turning = kind_of_turning(weights, mode)
    diagonal, b, x, kept, scale = work[DIAGONAL], work[RIGHT], work[STEP], work[KEPT], work[REFLECTORS]
    first, error = -1.0, math.inf
    for step in range(steps + 1):
        # the error at q, and whether the last step made it smaller
        forward_into(constants, revolute, q, w)
        position, rotation = error_into(T, weights, mode, turning, 1.0 / length, w)
        now = max(math.sqrt(position), true_angle(mode, turning, rotation, w))
        # what is missing: the error of the pose, and of what is held
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
        # Newton's step: the least-squares solution of M x = b
        rows_into(conditions, turning, scratch)
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
def polish_each_into(conditions: Conditions, held: Floats, T: Floats, steps: int, q: Floats, errors: Floats) -> None:
    """Do `polish_into` for the rows of `q` (m, n): held (m, e), T (m, 4, 4), errors (m, 2)."""
    scratch = scratch_for(conditions)
    for i in range(q.shape[0]):
        errors[i, 0], errors[i, 1] = polish_into(conditions, held[i], T[i], steps, q[i], scratch)


@kernel
def track_into(
    conditions: Conditions,
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
    q + h q' + h²/2 q'' do not end near it. Limits are not looked at.
    """
    m, k, n = q.shape
    scratch = scratch_for(conditions)
    rate, bend, still = np.empty(n), np.empty(n), np.zeros(conditions.extra.shape[0])
    for b in range(k):
        for i in range(m):
            if i == 0:
                continue
            valid[i, b] = 0.0
            if not valid[i - 1, b] > 0.5:
                continue
            # predict by Taylor's polynomial of degree two …
            rates_into(conditions, still, T[i - 1], motion[i - 1], q[i - 1, b], scratch, rate, bend)
            h = s[i] - s[i - 1]
            longest = 0.0
            for j in range(n):
                step = h * rate[j] + 0.5 * h * h * bend[j]
                longest = max(longest, abs(step))
                q[i, b, j] = q[i - 1, b, j] + step
            if not longest < LONGEST:
                continue
            # … correct by Newton, and compare with the prediction
            _, error = polish_into(conditions, held[b], T[i], TRACK_STEPS, q[i, b], scratch)
            off = 0.0
            for j in range(n):
                off = max(off, abs(q[i, b, j] - q[i - 1, b, j] - h * rate[j] - 0.5 * h * h * bend[j]))
            valid[i, b] = 1.0 if error <= tolerance and off <= FIT * longest + NOISE else 0.0


@kernel
def step_fits(h: float, q0: Floats, q1: Floats, rate0: Floats, rate1: Floats, revolute: Floats, step: Floats) -> bool:
    """Write the step (n,) from `q0` to `q1`, by the turns that fit the rates best; tell whether they explain it."""
    most, off = 0.0, 0.0
    for j in range(q0.shape[0]):
        # trapezoidal rule over the two rates
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
    candidates: CandidateRows,
    joints: JointCosts,
    first_cost: Floats,
    group: int,
    may_turn: bool,
    chains: CandidateChains,
) -> None:
    """Find the cheapest continuous chain to every candidate: where it came from, and what it costs.

    Dynamic programming over the places (Bellman 1957), with one state per candidate. A chain may go from one candidate
    to another of the same group of `group` where joints and rates say that it is one motion, and as long as whole turns
    bring all of it inside the limits; with `may_turn` False the turns are those of the first place. `first_cost` (k,)
    is what it costs to begin at a candidate.
    """
    s, q, valid, rate_after, rate_before, sigma = candidates
    revolute, lower, upper, speed = joints
    before, cost, ambiguous = chains
    m, k, n = q.shape
    # of the best chain to each candidate of this place and the one before: its joints without jumps by whole turns, and
    # the lowest and highest of them so far
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
        ambiguous[i - 1] = 0.0
        for b in range(k):
            before[i, b], cost[i, b] = -1, math.inf
            if not valid[i, b] > 0.5:
                continue
            # being at the candidate costs: (BRINK/σ)² near a singular configuration, 10 (1 - d/BRINK)² near a limit
            penalty = min((BRINK / max(sigma[i, b], 1e-12)) ** 2, WORST) if sigma[i, b] < BRINK else 0.0
            for j in range(n):
                near = min(q[i, b, j] - lower[j], upper[j] - q[i, b, j]) / (upper[j] - lower[j])
                if near < BRINK:
                    penalty += 10.0 * (1.0 - near / BRINK) ** 2
            # arriving from each candidate of its group; cost = cost before + ‖weighted step‖ + h · penalty
            for other in range(group):
                a = (b // group) * group + (b + other) % group  # its own column first: it wins where all are the same
                if not valid[i - 1, a] > 0.5:
                    continue
                fits = step_fits(h, q[i - 1, a], q[i, b], rate_after[i - 1, a], rate_before[i, b], revolute, step)
                if not fits:
                    if a == b:
                        ambiguous[i - 1] = 1.0
                    continue
                if before[i - 1, a] < 0:
                    continue
                # the whole chain so far must fit into the limits by whole turns
                travel, inside = 0.0, True
                for j in range(n):
                    travel += (step[j] * speed[j]) ** 2
                    there = run[old, a, j] + step[j]
                    inside = inside and turns_fit(
                        min(low[old, a, j], there), max(high[old, a, j], there), lower[j], upper[j],
                        may_turn and revolute[j] > 0.5,
                    )  # fmt: skip
                total = cost[i - 1, a] + math.sqrt(travel) + h * penalty
                if inside and total < cost[i, b]:
                    before[i, b], cost[i, b] = a, total
                    for j in range(n):
                        best_step[j] = step[j]
            # carry the ranges of the best chain on
            if before[i, b] >= 0:
                a = before[i, b]
                for j in range(n):
                    there = run[old, a, j] + best_step[j]
                    run[new, b, j] = there
                    low[new, b, j], high[new, b, j] = min(low[old, a, j], there), max(high[old, a, j], there)


@kernel
def quintics_into(
    left: PieceEnds, right: PieceEnds, lower: Floats, upper: Floats, c: Floats, middle: Floats, facts: Floats
) -> None:
    """Write the quintics between ends (m, n) to `c` (m, 6, n), and their values in the middle to `middle` (m, n).

    Piece i is Σ c_p u^p over u = (s - s0) / h from 0 to 1; it has value, rate and bend of both ends (Hermite).
    `facts` (m, 2): the largest rate at the start of the piece, and 1.0 where it could leave the limits.
    """
    s0, q0, rate0, bend0 = left
    s1, q1, rate1, bend1 = right
    m, n = q0.shape
    for i in range(m):
        h = s1[i] - s0[i]
        facts[i, 0], facts[i, 1] = 0.0, 0.0
        for j in range(n):
            # derivatives with respect to u: dq/du = h dq/ds, d²q/du² = h² d²q/ds²
            rise, v0, v1 = q1[i, j] - q0[i, j], rate0[i, j] * h, rate1[i, j] * h
            a0, a1 = bend0[i, j] * h * h, bend1[i, j] * h * h
            c3 = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
            c4 = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
            c5 = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
            c[i, 0, j], c[i, 1, j], c[i, 2, j] = q0[i, j], v0, 0.5 * a0
            c[i, 3, j], c[i, 4, j], c[i, 5, j] = c3, c4, c5
            # Horner at u = ½
            middle[i, j] = q0[i, j] + 0.5 * (v0 + 0.5 * (0.5 * a0 + 0.5 * (c3 + 0.5 * (c4 + 0.5 * c5))))
            # |q - q0| ≤ Σ |c_p| for u in 0…1
            reach = abs(v0) + 0.5 * abs(a0) + abs(c3) + abs(c4) + abs(c5)
            if not (q0[i, j] - reach >= lower[j] and q0[i, j] + reach <= upper[j]):
                facts[i, 1] = 1.0
            facts[i, 0] = max(facts[i, 0], abs(rate0[i, j]))
