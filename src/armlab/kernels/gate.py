"""The gate after every solver: is it a number, is it inside the limits, does it really put the tool there?

Whatever an inverse kinematics solver proposes passes here before anybody sees it. Kernels do not raise; see
armlab.kernels.chain for the form of a chain.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.chain import LANES, ORIGIN, WORK_ROWS, advance_block, fk_into, start_block
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.trig import LARGEST

TURN = 2.0 * math.pi
LIMIT_SLACK = 1e-9
"""A value this little outside a limit (rad or m) is put on it: rounding, not a violation."""
NARROW, FEW = 8, 16
"""So few rows are checked in narrow blocks: most lanes of a whole one would be idle."""
TOLERANCE = 1e-6
"""What every answer keeps, in m and rad: what is off by more is not a solution."""
NEARLY = 0.5
"""The flag of a proposal that misses its target by more than is asked for but less than TOLERANCE: a few steps of a
search may bring it there."""


@kernel
def are_exact_poses(T: Floats, tolerance: float) -> bool:
    """Return whether all matrices `T` (m, 4, 4) are poses, their rotations and last rows exact within `tolerance`.

    NaN, infinity and coordinates beyond ±LARGEST make it False.
    """
    for m in range(T.shape[0]):
        # last row (0, 0, 0, 1), and R Rᵀ = 1: the rows have length one and are perpendicular
        worst = abs(T[m, 3, 0]) + abs(T[m, 3, 1]) + abs(T[m, 3, 2]) + abs(T[m, 3, 3] - 1.0)
        for a in range(3):
            for b in range(a, 3):
                dot = T[m, a, 0] * T[m, b, 0] + T[m, a, 1] * T[m, b, 1] + T[m, a, 2] * T[m, b, 2]
                worst = max(worst, abs(dot - 1.0 if a == b else dot))
        # det R = (row 0 × row 1) · row 2 > 0: a rotation, not a reflection
        cx = T[m, 0, 1] * T[m, 1, 2] - T[m, 0, 2] * T[m, 1, 1]
        cy = T[m, 0, 2] * T[m, 1, 0] - T[m, 0, 0] * T[m, 1, 2]
        cz = T[m, 0, 0] * T[m, 1, 1] - T[m, 0, 1] * T[m, 1, 0]
        determinant = cx * T[m, 2, 0] + cy * T[m, 2, 1] + cz * T[m, 2, 2]
        near = abs(T[m, 0, 3]) <= LARGEST and abs(T[m, 1, 3]) <= LARGEST and abs(T[m, 2, 3]) <= LARGEST
        if not (worst <= tolerance and determinant > 0.0 and near):
            return False
    return True


@kernel
def is_inside(q: Floats, lower: Floats, upper: Floats) -> bool:
    """Return whether every value of `q` (n,) is a number inside its limits."""
    inside = True
    for i in range(q.shape[0]):
        inside = inside and q[i] >= lower[i] and q[i] <= upper[i]
    return inside


@inlined
def into_limits(value: float, lower: float, upper: float) -> float:
    """Return the angle shifted by whole turns into the limits where that is possible; NaN stays NaN."""
    value += TURN * max(0.0, np.ceil((lower - LIMIT_SLACK - value) / TURN))
    value -= TURN * max(0.0, np.ceil((value - upper - LIMIT_SLACK) / TURN))
    return value


@inlined
def _check_block(
    constants: Floats,
    revolute: Floats,
    T: Floats,
    lanes: Floats,
    place: NDArray[np.int64],
    first: int,
    count: int,
    k: int,
    tolerance: float,
    width: int,
    w: Floats,
    flags: Floats,
) -> None:
    """Set `flags` at the places of `count` lanes, from `first` on, to whether their joints meet their targets.

    `lanes` (n, …) are the joints, one row each; the block that computes their poses is `width` wide.
    """
    # forward kinematics of all lanes
    start_block(constants, w, width)
    for i in range(lanes.shape[0]):
        advance_block(constants[i + 1], revolute[i] > 0.5, lanes[i, first:], w, width)
    # |p - p_target|² in m²; ½ |R - R_target|²_F = 4 sin²(angle/2), which is angle² for the small angles that pass
    limit = tolerance * tolerance
    for j in range(count):
        r = place[first + j]
        target = T[r // k]
        away, turn = 0.0, 0.0
        for row in range(3):
            d = w[(ORIGIN + row) * width + j] - target[row, 3]
            away += d * d
            for column in range(3):
                d = w[(3 * row + column) * width + j] - target[row, column]
                turn += d * d
        worst = max(away, 0.5 * turn)
        flags[r] = 1.0 if worst <= limit else (NEARLY if worst <= TOLERANCE * TOLERANCE else 0.0)


@kernel
def check_lanes(
    constants: Floats,
    revolute: Floats,
    T: Floats,
    lanes: Floats,
    place: NDArray[np.int64],
    count: int,
    k: int,
    tolerance: float,
    w: Floats,
    flags: Floats,
) -> None:
    """Set `flags` at the places of `count` lanes to whether their joints `lanes` (n, LANES) meet their targets."""
    _check_block(constants, revolute, T, lanes, place, 0, count, k, tolerance, LANES, w, flags)


@kernel
def check_few(
    constants: Floats,
    revolute: Floats,
    T: Floats,
    lanes: Floats,
    place: NDArray[np.int64],
    count: int,
    k: int,
    tolerance: float,
    w: Floats,
    flags: Floats,
) -> None:
    """Do `check_lanes` for at most FEW rows, NARROW at a time."""
    for first in range(0, count, NARROW):
        many = min(NARROW, count - first)
        _check_block(constants, revolute, T, lanes, place, first, many, k, tolerance, NARROW, w, flags)


@kernel
def gate_batch_into(
    constants: Floats,
    revolute: Floats,
    lower: Floats,
    upper: Floats,
    T: Floats,
    q: Floats,
    valid: Floats,
    tolerance: float,
) -> None:
    """Pass the proposals `q` (m, k, n) for the targets `T` (m, 4, 4) through the gate.

    `valid` (m, k) is 1.0 where a proposal exists, and becomes 0.0 where it is not a number, outside the limits, or
    misses its target by more than `tolerance` (m and rad); NEARLY where it misses by little. Angles are shifted by
    whole turns into the limits. What is inside the limits is packed into full blocks, so that no lane computes a pose
    that nobody needs.
    """
    k, n = q.shape[1], q.shape[2]
    total = q.shape[0] * k
    width = LANES if total > FEW else FEW
    w, lanes, place = np.empty(WORK_ROWS * width), np.zeros((n, width)), np.empty(width, np.int64)
    rows, flags = q.reshape(total, n), valid.reshape(total)
    count = 0
    for r in range(total):
        # limits first: they are cheap, and most proposals of a closed form end here
        inside = flags[r] > 0.5
        flags[r] = 0.0
        for i in range(n):
            if not inside:
                break
            low, high, value = lower[i], upper[i], rows[r, i]
            if revolute[i] > 0.5 and not (value >= low and value <= high):
                value = into_limits(value, low, high)
            inside = value >= low - LIMIT_SLACK and value <= high + LIMIT_SLACK
            value = min(max(value, low), high)
            rows[r, i] = value
            lanes[i, count] = value
        # inside: wait for a full block, then compute its poses
        if inside:
            place[count] = r
            count += 1
            if count == LANES:
                check_lanes(constants, revolute, T, lanes, place, count, k, tolerance, w, flags)
                count = 0
    if count > FEW:
        check_lanes(constants, revolute, T, lanes, place, count, k, tolerance, w, flags)
    else:
        check_few(constants, revolute, T, lanes, place, count, k, tolerance, w, flags)


@kernel
def errors_into(constants: Floats, T: Floats, q: Floats, pose: Floats, out: Floats) -> bool:
    """Write how far the arm at `q` (n,) is from `T` (4, 4) to `out` (2,), in m and rad; `pose` (4, 4) is scratch."""
    usable = fk_into(constants, q, pose)
    away, turn = 0.0, 0.0
    for row in range(3):
        d = pose[row, 3] - T[row, 3]
        away += d * d
        for column in range(3):
            d = pose[row, column] - T[row, column]
            turn += d * d
    # |R - R_target|_F = √8 sin(angle/2)
    out[0] = math.sqrt(away)
    out[1] = 2.0 * math.asin(min(1.0, math.sqrt(turn / 8.0)))
    return usable


@kernel
def nearest_into(
    constants: Floats,
    revolute: Floats,
    lower: Floats,
    upper: Floats,
    weights: Floats,
    T: Floats,
    q: Floats,
    valid: Floats,
    start: Floats,
    tolerance: float,
    out: Floats,
    errors: Floats,
) -> int:
    """Write that proposal of `q` (k, n) to `out` that passes the gate nearest to `start` (n,); return its index, or -1.

    Angles are first shifted by whole turns to be nearest to `start` inside the limits. `weights` (n,) say how much a
    joint's travel counts. `errors` (2,) get the distance from `T` (4, 4), in m and rad.
    """
    n = q.shape[1]
    pose, trial = np.empty((4, 4)), np.empty(n)
    scratch = np.empty(2)
    best, least_travel = -1, math.inf
    for b in range(q.shape[0]):
        if not valid[b] > 0.5:
            continue
        travel, inside = 0.0, True
        for i in range(n):
            value = q[b, i]
            if revolute[i] > 0.5:
                # the turn nearest to the start, then into the limits
                value += TURN * np.floor((start[i] - value) / TURN + 0.5)
                value = into_limits(value, lower[i], upper[i])
            inside = inside and value >= lower[i] - LIMIT_SLACK and value <= upper[i] + LIMIT_SLACK
            value = min(max(value, lower[i]), upper[i])
            trial[i] = value
            step = (value - start[i]) * weights[i]
            travel += step * step
        # the pose only of a proposal that would be nearer than the best so far
        if not (inside and travel < least_travel and errors_into(constants, T, trial, pose, scratch)):
            continue
        if scratch[0] <= tolerance and scratch[1] <= tolerance:
            best, least_travel = b, travel
            errors[0], errors[1] = scratch[0], scratch[1]
            for i in range(n):
                out[i] = trial[i]
    return best


@kernel
def nearest_batch_into(
    constants: Floats,
    revolute: Floats,
    lower: Floats,
    upper: Floats,
    weights: Floats,
    T: Floats,
    q: Floats,
    valid: Floats,
    start: Floats,
    tolerance: float,
    out: Floats,
    errors: Floats,
    found: NDArray[np.bool_],
) -> None:
    """Do `nearest_into` for targets T (m, 4, 4): q (m, k, n), start and out (m, n), errors (m, 2), found (m,) bool."""
    for m in range(T.shape[0]):
        index = nearest_into(
            constants,
            revolute,
            lower,
            upper,
            weights,
            T[m],
            q[m],
            valid[m],
            start[m],
            tolerance,
            out[m],
            errors[m],
        )
        found[m] = index >= 0
