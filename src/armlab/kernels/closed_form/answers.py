"""From a target to checked answers in one call: the closed form of the arm's family, the gate, limits and turns.

An arm is `kind` (which closed form), its `parameters`, the chain's `constants`, and `rows` (ROWS, n) with one row each
for limits, weights, home and what kind of joint it is. Kernels do not raise: what they return first is a status or a
count.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.closed_form.five import yaw_and_roll_into
from armlab.kernels.closed_form.planar import parallel_axes_into
from armlab.kernels.closed_form.ur import three_parallel_into
from armlab.kernels.closed_form.wrist import spherical_wrist_into
from armlab.kernels.gate import (
    LIMIT_SLACK,
    TURN,
    are_exact_poses,
    errors_into,
    gate_batch_into,
    is_inside,
    nearest_batch_into,
    nearest_into,
)
from armlab.kernels.jit import inlined, kernel

PARALLEL_AXES, SPHERICAL_WRIST, THREE_PARALLEL, YAW_AND_ROLL = 0, 1, 2, 3
"""The closed forms."""

LOWER, UPPER, WEIGHTS, HOME, REVOLUTE, ROWS = 0, 1, 2, 3, 4, 5
"""What the rows of `rows` are; WEIGHTS: how much a joint's travel counts when solutions are compared."""

NONE, REFUSED, TOO_MANY = -1, -2, -3
"""No answer; a target or start that is not exact or not inside, which is for the caller to look at; too many turns."""

EXACT = 1e-13
"""How exact a target's rotation must be for a kernel to take it as it is; as in armlab.geometry.pose."""
SAME = 1e-6
"""Two solutions nearer than this in every joint are one: where branches meet, rounding alone parts them by 3e-7."""
MAX_COPIES = 4096
"""Copies of one solution by whole turns that are listed at most."""


BLOCK = 64
"""Targets whose proposals are kept at the same time, in the processor's nearest memory."""


@kernel
def propose_into(kind: int, parameters: Floats, T: Floats, q: Floats, valid: Floats) -> None:
    """Write what the closed form gives for targets (m, 4, 4) to `q` (m, k, n), and 1.0 or 0.0 to `valid` (m, k)."""
    if kind == SPHERICAL_WRIST:
        spherical_wrist_into(parameters, T, q, valid)
    elif kind == THREE_PARALLEL:
        three_parallel_into(parameters, T, q, valid)
    elif kind == YAW_AND_ROLL:
        yaw_and_roll_into(parameters, T, q, valid)
    else:
        parallel_axes_into(parameters, T, q, valid)


@kernel
def first_into(
    kind: int,
    parameters: Floats,
    constants: Floats,
    rows: Floats,
    T: Floats,
    start: Floats,
    branches: int,
    tolerance: float,
    out: Floats,
) -> int:
    """Write the solution nearest to `start` (n,) for one target (4, 4) to `out` (n + 2,), its two errors behind it.

    Returns the branch, or NONE, or REFUSED.
    """
    n = rows.shape[1]
    one = T.reshape(1, 4, 4)
    if not (are_exact_poses(one, EXACT) and is_inside(start, rows[LOWER], rows[UPPER])):
        return REFUSED
    q, valid = np.empty((1, branches, n)), np.empty((1, branches))
    propose_into(kind, parameters, one, q, valid)
    return nearest_into(
        constants, rows[REVOLUTE], rows[LOWER], rows[UPPER], rows[WEIGHTS], T, q[0], valid[0], start, tolerance,
        out[:n], out[n:],
    )  # fmt: skip


@kernel
def first_of_each_into(
    kind: int,
    parameters: Floats,
    constants: Floats,
    rows: Floats,
    T: Floats,
    start: Floats,
    branches: int,
    tolerance: float,
    out: Floats,
    errors: Floats,
    found: NDArray[np.bool_],
) -> None:
    """Do `first_into` for exact targets (m, 4, 4): start and out (m, n), errors (m, 2), found (m,)."""
    q, valid = np.empty((BLOCK, branches, rows.shape[1])), np.empty((BLOCK, branches))
    for a in range(0, T.shape[0], BLOCK):
        b = min(a + BLOCK, T.shape[0])
        propose_into(kind, parameters, T[a:b], q[: b - a], valid[: b - a])
        nearest_batch_into(
            constants, rows[REVOLUTE], rows[LOWER], rows[UPPER], rows[WEIGHTS], T[a:b], q[: b - a], valid[: b - a],
            start[a:b], tolerance, out[a:b], errors[a:b], found[a:b],
        )  # fmt: skip


@inlined
def _are_poses_in_a_row(T: Floats) -> bool:
    """Return whether `T` is (m, 4, 4), one value beside the other in memory."""
    is_row = T.shape[0] < 2 or T.strides[0] == 128  # NumPy gives an axis of length one any stride
    return is_row and T.shape[1] == 4 and T.shape[2] == 4 and T.strides[1] == 32 and T.strides[2] == 8


@kernel
def checked_into(
    kind: int,
    parameters: Floats,
    constants: Floats,
    rows: Floats,
    T: Floats,
    tolerance: float,
    q: Floats,
    flags: Floats,
    valid: NDArray[np.bool_],
) -> int:
    """Write all branches of targets (m, 4, 4) to `q` (m, k, n), behind the gate; `valid` (m, k) says which exist.

    `flags` (m, k) are the gate's. Returns how many targets have no solution or a doubtful one, or REFUSED: callers may
    not have looked at shape and layout of the targets.
    """
    if not (_are_poses_in_a_row(T) and are_exact_poses(T, EXACT)):
        return REFUSED
    propose_into(kind, parameters, T, q, flags)
    gate_batch_into(constants, rows[REVOLUTE], rows[LOWER], rows[UPPER], T, q, flags, tolerance)
    unclear = 0
    for m in range(flags.shape[0]):
        some, loose = False, False
        for k in range(flags.shape[1]):
            passed = flags[m, k] > 0.5
            valid[m, k] = passed
            some = some or passed
            loose = loose or (flags[m, k] > 0.0 and not passed)
        unclear += 1 if loose or not some else 0
    return unclear


@kernel
def _turns_into(rows: Floats, q: Floats, first: Floats, last: Floats) -> int:
    """Write through which whole turns each joint of `q` (n,) can be shifted inside its limits; return how many copies.

    More than MAX_COPIES are not counted.
    """
    copies = 1.0
    for i in range(q.shape[0]):
        lower, upper = rows[LOWER, i] - LIMIT_SLACK, rows[UPPER, i] + LIMIT_SLACK
        first[i], last[i] = 0.0, 0.0
        # turns k with lower ≤ q + 2πk ≤ upper
        if rows[REVOLUTE, i] > 0.5:
            first[i], last[i] = np.ceil((lower - q[i]) / TURN), np.floor((upper - q[i]) / TURN)
        value = q[i] + TURN * first[i]
        if not (value >= lower and value <= upper and last[i] >= first[i]):
            return 0
        copies = min(copies * (last[i] - first[i] + 1.0), MAX_COPIES + 1.0)
    return int(copies)


@kernel
def _is_new(rows: Floats, q: Floats, kept: NDArray[np.int64], count: int, candidate: int) -> bool:
    """Return whether a row of `q` (k, n) differs by more than whole turns from the first `count` that were kept."""
    for c in range(count):
        away = 0.0
        for i in range(q.shape[1]):
            gap = q[candidate, i] - q[kept[c], i]
            if rows[REVOLUTE, i] > 0.5:
                gap -= TURN * np.floor(gap / TURN + 0.5)
            away = max(away, abs(gap))
        if away < SAME:
            return False
    return True


@kernel
def _home_turn_only(rows: Floats, q: Floats, first: Floats, last: Floats) -> None:
    """Leave of the whole turns `first` to `last` of each joint of `q` (n,) the one that is nearest to home."""
    for i in range(q.shape[0]):
        turn = np.floor((rows[HOME, i] - q[i]) / TURN + 0.5) if rows[REVOLUTE, i] > 0.5 else 0.0
        first[i] = min(max(turn, first[i]), last[i])
        last[i] = first[i]


@kernel
def listed(
    constants: Floats, rows: Floats, T: Floats, q: Floats, valid: Floats, tolerance: float, fine: float, turns: bool
) -> tuple[int, bool, Floats, Floats, NDArray[np.int64]]:
    """List the proposals `q` (k, n) for `T` (4, 4) that pass the gate, each once, at the turns nearest to home.

    With `turns` all copies by whole turns are listed. Returns their number or TOO_MANY, whether one of them is off by
    more than `fine`, the joint values (m, n), nearest to home first, their errors (2, m) in m and rad, and which
    proposals they are (m,).
    """
    k, n = q.shape
    kept, errors = np.empty(k, np.int64), np.empty((k, 2))
    first, last, trial, pose = np.empty((k, n)), np.empty((k, n)), np.empty(n), np.empty((4, 4))
    count, total, is_loose = 0, 0, False
    # pass 1: which proposals pass the gate, each once, and how many copies by whole turns they have
    for b in range(k):
        copies = _turns_into(rows, q[b], first[b], last[b]) if valid[b] > 0.5 else 0
        if copies == 0:
            continue
        if not turns:
            _home_turn_only(rows, q[b], first[b], last[b])
            copies = 1
        for i in range(n):
            trial[i] = min(max(q[b, i] + TURN * first[b, i], rows[LOWER, i]), rows[UPPER, i])
        usable = errors_into(constants, T, trial, pose, errors[b])
        if not (
            usable and errors[b, 0] <= tolerance and errors[b, 1] <= tolerance and _is_new(rows, q, kept, count, b)
        ):
            continue
        if copies > MAX_COPIES:
            return TOO_MANY, False, np.empty((0, n)), np.empty((2, 0)), np.empty(0, np.int64)
        kept[count] = b
        is_loose = is_loose or max(errors[b, 0], errors[b, 1]) > fine
        count, total = count + 1, total + copies
    # pass 2: write the solutions, with their weighted distance from home
    found, away, owner = np.empty((total, n)), np.empty(total), np.empty(total, np.int64)
    m = 0
    for c in range(count):
        b = kept[c]
        trial[:] = first[b]  # an odometer of turns; the last joint runs fastest
        while True:
            square = 0.0
            for i in range(n):
                value = min(max(q[b, i] + TURN * trial[i], rows[LOWER, i]), rows[UPPER, i])
                found[m, i] = value
                step = (value - rows[HOME, i]) * rows[WEIGHTS, i]
                square += step * step
            away[m], owner[m] = math.sqrt(square), b
            m += 1
            # the next turn; the last joint runs fastest
            i = n - 1
            while i >= 0 and trial[i] >= last[b, i]:
                trial[i] = first[b, i]
                i -= 1
            if i < 0:
                break
            trial[i] += 1.0
    # pass 3: nearest to home first
    order = np.argsort(away, kind="mergesort")
    out, out_errors, branch = np.empty((total, n)), np.empty((2, total)), np.empty(total, np.int64)
    for m in range(total):
        b = owner[order[m]]
        branch[m], out_errors[0, m], out_errors[1, m] = b, errors[b, 0], errors[b, 1]
        for i in range(n):
            out[m, i] = found[order[m], i]
    return total, is_loose, out, out_errors, branch


@kernel
def every(
    kind: int,
    parameters: Floats,
    constants: Floats,
    rows: Floats,
    T: Floats,
    branches: int,
    tolerance: float,
    fine: float,
    turns: bool,
) -> tuple[int, bool, Floats, Floats, NDArray[np.int64]]:
    """List all solutions of one target (4, 4) as `listed` does; REFUSED where the target is not an exact pose."""
    one = T.reshape(1, 4, 4)
    n = rows.shape[1]
    if not are_exact_poses(one, EXACT):
        return REFUSED, False, np.empty((0, n)), np.empty((2, 0)), np.empty(0, np.int64)
    q, valid = np.empty((1, branches, n)), np.empty((1, branches))
    propose_into(kind, parameters, one, q, valid)
    return listed(constants, rows, T, q[0], valid[0], tolerance, fine, turns)
