"""One continuous branch along a tool path, followed from its start: what long runs of short moves need.

Where this is not sure (near a singular configuration, a limit, or over steps that are too long) it ends, and the search
among all solutions decides: see `path.choose_into`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.follow.path import BRINK, FIT, LONGEST, NOISE, PieceEnds
from armlab.kernels.follow.rates import (
    DIAGONAL,
    REFLECTORS,
    RIGHT,
    STEP,
    Conditions,
    Scratch,
    conditions_into,
    factored_rates_into,
    scratch_for,
    solve_into,
)
from armlab.kernels.jit import kernel
from armlab.kernels.search.lm_step import ERROR

NEWTON = 6
"""Newton steps from the prediction to a target, at most."""
SETTLED = 1e-7
"""rad or m: the joints are exact after a Newton step that is no longer than this: the next would be its square."""


SAME_FIRST, SAME_SECOND = 1e-10, 1e-6
"""First derivatives (per m of s) and second ones that differ by less are the same."""


class Targets(NamedTuple):
    """What the tool has to do at m places."""

    s: Floats
    """(m,): arc length"""
    T: Floats
    """(m, 4, 4)"""
    after: Floats
    """(m, 4, 3): derivatives behind each place"""
    before: Floats
    """(m, 4, 3): derivatives in front of it"""
    is_break: Floats
    """(m,): 1 where the two differ"""


@kernel
def _differ(a: Floats, b: Floats) -> bool:
    """Tell whether derivatives (4, 3) differ by more than rounding: blends join lines without a jump of the second."""
    differs = False
    for row in range(4):
        limit = SAME_FIRST if row % 2 == 0 else SAME_SECOND
        for j in range(3):
            differs = differs or abs(a[row, j] - b[row, j]) > limit
    return differs


@kernel
def _newton(conditions: Conditions, T: Floats, q: Floats, scratch: Scratch) -> float:
    """Bring `q` (n,) onto the target; return the smallest diagonal element of M there, or -1 where it is not reached.

    The factored conditions are those of the last step, which was shorter than SETTLED.
    """
    w, _, M, work = scratch
    n, length = q.shape[0], conditions.length
    b, x = work[RIGHT], work[STEP]
    for _ in range(NEWTON):
        _error, smallest = conditions_into(conditions, T, q, scratch)
        # Newton's step: M x = what is missing
        for row in range(6):
            b[row] = w[ERROR + row]
        solve_into(M, work[DIAGONAL], work[REFLECTORS], b, x)
        largest = 0.0
        for i in range(n):
            q[i] += x[i] if conditions.revolute[i] > 0.5 else x[i] * length
            largest = max(largest, abs(x[i]))
        if largest <= SETTLED:
            return smallest
        if not largest < LONGEST:
            return -1.0
    return -1.0


@kernel
def follow_into(
    conditions: Conditions,
    lower: Floats,
    upper: Floats,
    targets: Targets,
    after: PieceEnds,
    before: PieceEnds,
    sigma: Floats,
) -> int:
    """Follow targets from the joints after.q[0] (n,) on; return how many places were reached: m if all.

    `after` and `before` get joints, rates and bends behind and in front of each place, (m, n); `sigma` (m,) the
    smallest diagonal elements. There are no extra rows: the joints are determined by the target.
    """
    m: int = after.q.shape[0]
    n: int = after.q.shape[1]
    scratch, still = scratch_for(conditions), np.empty(0)
    for i in range(m):
        q = after.q[i]
        if i > 0:
            # predict by Taylor's polynomial of degree two
            h, longest = targets.s[i] - targets.s[i - 1], 0.0
            for j in range(n):
                step = h * (after.rate[i - 1, j] + 0.5 * h * after.bend[i - 1, j])
                q[j] = after.q[i - 1, j] + step
                longest = max(longest, abs(step))
            if not longest < LONGEST:
                return i
        sigma[i] = _newton(conditions, targets.T[i], q, scratch)
        if not sigma[i] > BRINK:
            return i
        # inside the limits, and where the prediction said
        off = 0.0
        for j in range(n):
            if not (q[j] >= lower[j] and q[j] <= upper[j]):
                return i
            if i > 0:
                step = h * (after.rate[i - 1, j] + 0.5 * h * after.bend[i - 1, j])
                off = max(off, abs(q[j] - after.q[i - 1, j] - step))
            before.q[i, j] = q[j]
        if i > 0 and not off <= FIT * longest + NOISE:
            return i
        # rates and bends by the conditions that are factored already
        factored_rates_into(conditions, still, targets.T[i], targets.after[i], scratch, after.rate[i], after.bend[i])
        if targets.is_break[i] > 0.5 and _differ(targets.after[i], targets.before[i]):
            factored_rates_into(
                conditions, still, targets.T[i], targets.before[i], scratch, before.rate[i], before.bend[i]
            )
        else:
            for j in range(n):
                before.rate[i, j], before.bend[i, j] = after.rate[i, j], after.bend[i, j]
    return m
