"""Inverse kinematics for one target: Levenberg–Marquardt searches, first from the start, then from random places.

The damping λ is a part of ‖e‖² (Sugihara 2011): no step is taken back, and the last steps are Newton's. A search that
no longer gets nearer is given up, and the next one starts from the best of a few random places inside the limits, or,
when many have failed, around the nearest place so far: a target that leaves the joints little room is found there. The
places come from a seeded xorshift generator: the same call gives the same answer.

Every loop is bounded by `searches` and `steps`. Nothing is allocated but one workspace per call.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.search.lm_step import (
    error_into,
    forward_into,
    kind_of_turning,
    nearest_place,
    saved_place,
    step_into,
    true_angle,
    work_size,
)
from armlab.kernels.search.problem import SearchBounds, SearchChain, SearchTask

Bools: TypeAlias = NDArray[np.bool_]

CONVERGED, STALLED = 0, 1
POSITION_ERROR, ROTATION_ERROR, ITERATIONS, RESTARTS, OUT_SIZE = 0, 1, 2, 3, 4
"""Places in `out`: metres, radians, steps of all searches, searches after the first."""

DAMPING, LEAST_DAMPING = 0.05, 1e-13
LONGEST_SEARCH = 40
STALL_PERIOD, STALL_RATIO = 2, 0.7
"""A search goes on only while the squared error falls by this ratio in that many steps."""
CANDIDATES = 3
"""A restart takes the best of so many random places: three poses cost as much as one step."""
FINE, LAST_STEPS = 1e-20, 12
"""Inside the tolerance a few more steps are taken, until the squared error is below FINE."""
HOPS_AFTER, HOP = 50, 0.3
"""After so many restarts every second one begins around the nearest place so far, within this part of the ranges."""
SETTLING_STEPS = 40
"""of `settle_into`, which improves the answer to an unreachable target."""
HUGE = 1e300
"""A squared error that every pose is better than."""
TURN = 2.0 * math.pi


@inlined
def shuffled(state: np.uint64) -> np.uint64:
    """Return the next state (Marsaglia 2003)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@inlined
def seeded(seed: int) -> np.uint64:
    """Return the first state of the generator for a seed ≥ 0; never zero, where xorshift would stay."""
    state = (np.uint64(seed) ^ np.uint64(0x2545F4914F6CDD1D)) | np.uint64(1 << 63)
    for _ in range(8):  # near seeds lead to places far apart
        state = shuffled(state)
    return state


@inlined
def unit_fraction(state: np.uint64) -> float:
    """Return the state's upper 53 bits as a number in [0, 1)."""
    return float(state >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def copy_into(source: Floats, out: Floats) -> None:
    """Copy the values of `source` to the start of `out`."""
    for i in range(source.shape[0]):
        out[i] = source[i]


@inlined
def widest(revolute: float, length: float) -> float:
    """Return the range in which a joint without end, or of many turns, is looked for: two turns, or 4 `length`."""
    return 2.0 * TURN if revolute > 0.5 else 4.0 * length


@kernel
def restart_into(
    chain: SearchChain, target: Floats, task: SearchTask, state: np.uint64, w: Floats, q: Floats
) -> np.uint64:
    """Put `q` on the best of a few random places inside the limits; return the generator's state."""
    constants, revolute, lower, upper, length = chain
    weights, mode = task
    turning, chosen = kind_of_turning(weights, mode), saved_place(q.shape[0], w)
    best = HUGE
    for _ in range(CANDIDATES):
        # uniform inside the limits
        for i in range(q.shape[0]):
            state = shuffled(state)
            wide = widest(revolute[i], length)
            if upper[i] - lower[i] <= wide:
                q[i] = lower[i] + (upper[i] - lower[i]) * unit_fraction(state)
            else:  # as near to zero as the limits allow
                middle = min(max(0.0, lower[i] + 0.5 * wide), upper[i] - 0.5 * wide)
                q[i] = middle + wide * (unit_fraction(state) - 0.5)
        # ‖e‖² there, lengths in `length`; the first candidate is taken even where it is not a number
        forward_into(constants, revolute, q, w)
        position, rotation = error_into(target, weights, mode, turning, 1.0 / length, w)
        square = position / (length * length) + rotation
        if square < best or best == HUGE:
            best = square
            copy_into(q, chosen)
    copy_into(chosen, q)
    return state


@inlined
def hop_into(chain: SearchChain, nearest: Floats, state: np.uint64, q: Floats) -> np.uint64:
    """Put `q` on a random place around `nearest`; return the generator's state."""
    _, revolute, lower, upper, length = chain
    for i in range(q.shape[0]):
        state = shuffled(state)
        wide = min(upper[i] - lower[i], widest(revolute[i], length))
        value = nearest[i] + HOP * wide * (2.0 * unit_fraction(state) - 1.0)
        q[i] = min(max(value, lower[i]), upper[i])
    return state


@kernel
def search_into(
    chain: SearchChain, target: Floats, task: SearchTask, bounds: SearchBounds, w: Floats, q: Floats
) -> tuple[bool, int, float]:
    """Go down from `q` until the target is met or nothing improves; return (met, steps, squared error at `q`)."""
    constants, revolute, lower, upper, length = chain
    weights, mode = task
    position_tolerance, rotation_tolerance = bounds.position_tolerance, bounds.rotation_tolerance
    turning, kept = kind_of_turning(weights, mode), saved_place(q.shape[0], w)
    reference, inside, best = HUGE, 0, HUGE
    for count in range(LONGEST_SEARCH + LAST_STEPS + 1):
        forward_into(constants, revolute, q, w)
        position, rotation = error_into(target, weights, mode, turning, 1.0 / length, w)
        square = position / (length * length) + rotation
        met = position <= position_tolerance**2 and rotation <= rotation_tolerance**2
        # inside the tolerance: a few more steps, as long as each is better than the one before
        if inside > 0 and not (met and square < best):  # the step before was as good as the arithmetic allows
            copy_into(kept, q)
            return True, count, best
        if met:
            if square <= FINE or inside == LAST_STEPS:
                return True, count, square
            inside, best = inside + 1, square
            copy_into(q, kept)
        # outside: every STALL_PERIOD steps, compare with the error one period before
        else:
            if count >= LONGEST_SEARCH:
                return False, count, square
            if count % STALL_PERIOD == STALL_PERIOD - 1 and not square <= STALL_RATIO * reference:
                return False, count, square
            if count == 0 or count % STALL_PERIOD == STALL_PERIOD - 1:
                reference = square
        # λ = DAMPING ‖e‖² + LEAST_DAMPING (Sugihara 2011: damping by the residual)
        damping = DAMPING * square + LEAST_DAMPING
        step_into(revolute, lower, upper, weights, turning, length, damping, 1 + min(inside, 1), w, q)
    return False, LONGEST_SEARCH, HUGE


@kernel
def settle_into(chain: SearchChain, target: Floats, task: SearchTask, w: Floats, q: Floats) -> None:
    """Go from `q` to the local minimum of the target's error; steps that lead up are undone (Marquardt 1963)."""
    constants, revolute, lower, upper, length = chain
    weights, mode = task
    turning, kept = kind_of_turning(weights, mode), saved_place(q.shape[0], w)
    factor, best = 1.0, HUGE
    for _ in range(SETTLING_STEPS):
        forward_into(constants, revolute, q, w)
        position, rotation = error_into(target, weights, mode, turning, 1.0 / length, w)
        square = position / (length * length) + rotation
        # downhill: halve λ; uphill: go back, and raise λ eightfold
        if square < best:
            improved, factor, best = best - square, 0.5 * factor, square
            copy_into(q, kept)
            if improved < 1e-9 * square:
                break
        else:
            factor *= 8.0
            copy_into(kept, q)
            forward_into(constants, revolute, q, w)
            error_into(target, weights, mode, turning, 1.0 / length, w)
        step_into(revolute, lower, upper, weights, turning, length, DAMPING * factor * best, 2, w, q)
    copy_into(kept, q)


@kernel
def solve_into(
    chain: SearchChain, target: Floats, task: SearchTask, bounds: SearchBounds, q: Floats, out: Floats
) -> int:
    """Bring `q` (n,) to the target (4, 4) and return CONVERGED; or STALLED, with `q` the nearest place found.

    `out` (OUT_SIZE,) gets the errors of the rows that matter, and the work done.
    """
    constants, revolute, length = chain.constants, chain.revolute, chain.length
    weights, mode = task
    w = np.empty(work_size(q.shape[0]))
    nearest = nearest_place(q.shape[0], w)
    state = seeded(bounds.seed)
    total, best, status, restarts = 0, HUGE, STALLED, 0
    for search in range(bounds.searches):
        # the first search begins at the given q, the others at random places
        if search > 0:
            if total >= bounds.steps:
                break
            restarts = search
            if search > HOPS_AFTER and search % 2 == 0:
                state = hop_into(chain, nearest, state, q)
            else:
                state = restart_into(chain, target, task, state, w, q)
        met, count, square = search_into(chain, target, task, bounds, w, q)
        total += count
        if met:
            status = CONVERGED
            break
        if square < best or search == 0:
            best = square
            copy_into(q, nearest)
    # nothing found: the nearest of all ends, as near as it gets
    if status != CONVERGED:
        copy_into(nearest, q)
        settle_into(chain, target, task, w, q)
    forward_into(constants, revolute, q, w)
    turning = kind_of_turning(weights, mode)
    position, rotation = error_into(target, weights, mode, turning, 1.0 / length, w)
    out[POSITION_ERROR] = math.sqrt(position)
    out[ROTATION_ERROR] = true_angle(mode, turning, rotation, w)
    out[ITERATIONS], out[RESTARTS] = total, restarts
    # settling can still end inside the tolerance
    is_inside = position <= bounds.position_tolerance**2 and rotation <= bounds.rotation_tolerance**2
    if status != CONVERGED and is_inside:
        status = CONVERGED
    return status


@kernel
def solve_each_into(
    chain: SearchChain,
    targets: Floats,
    task: SearchTask,
    bounds: SearchBounds,
    q: Floats,
    out: Floats,
    converged: Bools,
) -> None:
    """Do `solve_into` for each of `targets` (m, 4, 4), from the rows of `q` (m, n), one after the other."""
    for t in range(targets.shape[0]):
        status = solve_into(chain, targets[t], task, bounds, q[t], out[t])
        converged[t] = status == CONVERGED
