"""The rates of joints that follow a tool path.

The conditions of a task are rows of M y' = b: three of position (lengths count in `length`), three of turning, and
`extra` rows that hold what a task leaves free. y are the joints, sliding ones in `length`. M has at least as many rows
as columns, is stored column by column and factored by Householder reflections; a direction in which it has no rank is
not moved in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.gate import LIMIT_SLACK, into_limits
from armlab.kernels.jit import kernel
from armlab.kernels.search.lm_step import (
    COLUMNS,
    COSINE,
    ERROR,
    MIXED,
    MIXING,
    POSITION,
    WORLD_ROWS,
    error_into,
    forward_into,
    kind_of_turning,
    true_angle,
    turn_error,
    work_size,
)

WORK = 6
"""How many rows of scratch there are."""
DIAGONAL, RIGHT, BIAS, TURN, CHANGE, REFLECTORS = 0, 1, 2, 3, 4, 5
"""The rows of scratch: the factored diagonal, right sides b, the tool's acceleration at constant rates, what the
conditions see of the target's turn and of its change, and the scales of Householder's reflectors."""
STEP, KEPT = 2, 3
"""The same rows while joints are polished: a Newton step, and the joints before it."""
RANKLESS = 1e-9
"""A diagonal element below this counts as zero."""


class Conditions(NamedTuple):
    """An arm and what its joints have to meet, as all kernels of this folder take it."""

    constants: Floats
    """of the chain, as `forward_into` takes them"""
    revolute: Floats
    """(n,): 1 for a turning joint, 0 for a sliding one"""
    weights: Floats
    """(6,): 1 where the task asks for a coordinate"""
    mode: int
    """in which axes the turn counts"""
    length: float
    """m that count as much as one radian"""
    extra: Floats
    """(e, n): rows that hold what the task leaves free"""


class Scratch(NamedTuple):
    """Workspace for one arm: see `scratch_for`."""

    w: Floats
    """what `forward_into` and `error_into` leave"""
    J: Floats
    """(6, n): Jacobian of the tool"""
    M: Floats
    """(n, 6 + e): conditions, a column per row"""
    work: Floats
    """(WORK, r): rows for vectors"""


@kernel
def scratch_for(conditions: Conditions) -> Scratch:
    """Return the workspace of kernels that work on one arm."""
    n, r = conditions.revolute.shape[0], 6 + conditions.extra.shape[0]
    return Scratch(np.empty(work_size(n)), np.empty((6, n)), np.empty((n, r)), np.empty((WORK, max(r, n))))


@kernel
def rows_into(conditions: Conditions, turning: int, scratch: Scratch) -> None:
    """Write the Jacobian to `J` (6, n) and the conditions to `M` (n, 6 + e) from what `forward_into` left in `w`.

    A turning joint with the axis z through o moves the tool point p by z × (p - o) and turns it by z; a sliding one
    moves it by z.
    """
    _, revolute, weights, _, length, extra = conditions
    w, J, M, _ = scratch
    n = J.shape[1]
    for i in range(n):
        # J: [z × (p - o); z] or [z; 0]
        k = COLUMNS + 6 * i
        zx, zy, zz = w[k], w[k + 1], w[k + 2]
        scale = 1.0
        if revolute[i] > 0.5:
            dx, dy, dz = w[POSITION] - w[k + 3], w[POSITION + 1] - w[k + 4], w[POSITION + 2] - w[k + 5]
            J[0, i], J[1, i], J[2, i] = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
            J[3, i], J[4, i], J[5, i] = zx, zy, zz
        else:
            scale = length
            J[0, i], J[1, i], J[2, i] = zx, zy, zz
            J[3, i], J[4, i], J[5, i] = 0.0, 0.0, 0.0
        # M: the rows that count, lengths in `length`; turning mixed as the task asks; then what is held
        for row in range(3):
            M[i, row] = weights[row] * J[row, i] * scale / length
        if turning == MIXED:
            for row in range(3):
                a = MIXING + 3 * row
                M[i, 3 + row] = (w[a] * J[3, i] + w[a + 1] * J[4, i] + w[a + 2] * J[5, i]) * scale
        else:
            for row in range(3, 6):
                M[i, row] = weights[row] * J[row, i] * scale
        for row in range(extra.shape[0]):
            M[i, 6 + row] = extra[row, i] * scale


@kernel
def factor(M: Floats, diagonal: Floats, scale: Floats) -> float:
    """Factor `M` (n, r), a column per row, in place; return the smallest element of the diagonal (n,).

    Reflectors I - scale v vᵀ stay in M.
    """
    n, r = M.shape
    smallest = math.inf
    for j in range(n):
        # reflect the rest of column j onto the axis: v = x ∓ ‖x‖ e_j, the sign without cancellation
        square = 0.0
        for i in range(j, r):
            square += M[j, i] * M[j, i]
        size = math.sqrt(square)
        smallest = min(smallest, size)
        if size < RANKLESS:
            diagonal[j], scale[j] = 0.0, 0.0
            continue
        sign = -1.0 if M[j, j] > 0.0 else 1.0
        factor_j = 1.0 / (size * (size + abs(M[j, j])))
        diagonal[j], scale[j] = sign * size, factor_j
        M[j, j] -= sign * size
        # the same reflection of the columns behind it
        for c in range(j + 1, n):
            dot = 0.0
            for i in range(j, r):
                dot += M[j, i] * M[c, i]
            dot *= factor_j
            for i in range(j, r):
                M[c, i] -= dot * M[j, i]
    return smallest


@kernel
def solve_into(M: Floats, diagonal: Floats, scale: Floats, b: Floats, x: Floats) -> None:
    """Write the least-squares solution of the factored system to `x` (n,); `b` (r,) is used up."""
    n, r = M.shape
    # b ← Qᵀ b by the reflectors
    for j in range(n):
        dot = 0.0
        for i in range(j, r):
            dot += M[j, i] * b[i]
        dot *= scale[j]
        for i in range(j, r):
            b[i] -= dot * M[j, i]
    # R x = b from the last row; a column without rank stays at zero
    for j in range(n - 1, -1, -1):
        x[j] = b[j] / diagonal[j] if diagonal[j] != 0.0 else 0.0
        for c in range(j):
            b[c] -= M[j, c] * x[j]


@kernel
def bias_into(J: Floats, rate: Floats, out: Floats) -> None:
    """Write the acceleration (6,) that the tool has with the rates (n,) and no change of them: J' q'.

    With ω_i the turn of all joints before i, u_i = z_i q_i' and c_i what the joints from i on add to the point's
    velocity: the turn changes by Σ ω_i × u_i, the velocity by Σ (ω_i + u_i) × v_i + u_i × c_{i+1}.
    """
    n = rate.shape[0]
    # c_1 = Σ v_i: the velocity of the tool point
    cx = cy = cz = 0.0
    for i in range(n):
        cx, cy, cz = cx + J[0, i] * rate[i], cy + J[1, i] * rate[i], cz + J[2, i] * rate[i]
    wx = wy = wz = 0.0
    for row in range(6):
        out[row] = 0.0
    for i in range(n):
        vx, vy, vz = J[0, i] * rate[i], J[1, i] * rate[i], J[2, i] * rate[i]
        ux, uy, uz = J[3, i] * rate[i], J[4, i] * rate[i], J[5, i] * rate[i]
        out[3] += wy * uz - wz * uy
        out[4] += wz * ux - wx * uz
        out[5] += wx * uy - wy * ux
        # c_{i+1} and ω_{i+1} = ω_i + u_i
        cx, cy, cz = cx - vx, cy - vy, cz - vz
        wx, wy, wz = wx + ux, wy + uy, wz + uz
        out[0] += wy * vz - wz * vy + uy * cz - uz * cy
        out[1] += wz * vx - wx * vz + uz * cx - ux * cz
        out[2] += wx * vy - wy * vx + ux * cy - uy * cx


@kernel
def seen_turn_into(
    target: Floats, weights: Floats, mode: int, turning: int, w: Floats, turn: Floats, out: Floats
) -> None:
    """Write what the conditions of turning see of an angular vector (3,) of the target to `out` (3,).

    For a part of the logarithm that is its own derivative, of which `error_into` leaves only the joints' side in `w`;
    call this before it.
    """
    if turning != MIXED or mode != WORLD_ROWS:
        for row in range(3):
            out[row] = weights[3 + row] * turn[row]
        return
    # inverse left Jacobian of SO(3): 1 - ½ [log]× + bend [log]×²; `lm_step.mixed_turn_error` has the right one
    half_sine = 0.5 * math.sqrt(turn_error(target, w))
    angle = 2.0 * math.atan2(half_sine, w[COSINE])
    longer, bend = 1.0, 1.0 / 12.0
    if half_sine > 1e-5:
        longer = 0.5 * angle / half_sine
        bend = (1.0 - 0.5 * angle * w[COSINE] / half_sine) / (angle * angle)
    # log = (x, y, z), c = log × turn
    x, y, z = longer * w[ERROR + 3], longer * w[ERROR + 4], longer * w[ERROR + 5]
    cx, cy, cz = y * turn[2] - z * turn[1], z * turn[0] - x * turn[2], x * turn[1] - y * turn[0]
    out[0] = weights[3] * (turn[0] - 0.5 * cx + bend * (y * cz - z * cy))
    out[1] = weights[4] * (turn[1] - 0.5 * cy + bend * (z * cx - x * cz))
    out[2] = weights[5] * (turn[2] - 0.5 * cz + bend * (x * cy - y * cx))


@kernel
def conditions_into(conditions: Conditions, T: Floats, q: Floats, scratch: Scratch) -> tuple[float, float]:
    """Factor the conditions at `q` (n,); return how far the tool is from `T`, and the smallest diagonal element.

    What is missing stays in w[ERROR:], the factored rows in M.
    """
    constants, revolute, weights, mode, length, _ = conditions
    w, _, M, work = scratch
    turning = kind_of_turning(weights, mode)
    forward_into(constants, revolute, q, w)
    position, rotation = error_into(T, weights, mode, turning, 1.0 / length, w)
    error = max(math.sqrt(position), true_angle(mode, turning, rotation, w))
    rows_into(conditions, turning, scratch)
    return error, factor(M, work[DIAGONAL], work[REFLECTORS])


@kernel
def factored_rates_into(
    conditions: Conditions, slopes: Floats, T: Floats, motion: Floats, scratch: Scratch, rate: Floats, bend: Floats
) -> None:
    """Write dq/ds and d²q/ds² (n,) where `conditions_into` was called; `motion` and `slopes` as for `rates_into`."""
    _, revolute, weights, mode, length, _ = conditions
    w, J, M, work = scratch
    n, r = M.shape
    turning = kind_of_turning(weights, mode)
    diagonal, b, bias = work[DIAGONAL], work[RIGHT], work[BIAS]
    turn, change, scale = work[TURN], work[CHANGE], work[REFLECTORS]
    # what the task sees of the target's turn
    seen_turn_into(T, weights, mode, turning, w, motion[2], turn)
    seen_turn_into(T, weights, mode, turning, w, motion[3], change)
    # M y' = b: what the target's motion asks for
    for row in range(3):
        b[row] = weights[row] * motion[0, row] / length
        b[3 + row] = turn[row]
        if mode != WORLD_ROWS:
            a = MIXING + 3 * row
            b[3 + row] = w[a] * turn[0] + w[a + 1] * turn[1] + w[a + 2] * turn[2]
    for row in range(6, r):
        b[row] = slopes[row - 6]
    solve_into(M, diagonal, scale, b, rate)
    for i in range(n):
        rate[i] *= 1.0 if revolute[i] > 0.5 else length
    # M y'' = b: the target's acceleration without what the joints give at constant rates
    bias_into(J, rate, bias)
    for row in range(3):
        b[row] = weights[row] * (motion[1, row] - bias[row]) / length
    for row in range(3):
        a = MIXING + 3 * row
        if turning == MIXED:
            b[3 + row] = change[row] - (w[a] * bias[3] + w[a + 1] * bias[4] + w[a + 2] * bias[5])
        else:
            b[3 + row] = weights[3 + row] * (motion[3, row] - bias[3 + row])
    if mode != WORLD_ROWS:
        # only the direction of the tool's z axis counts: z spins against the target's, and b lies across z
        zx, zy, zz = w[2], w[5], w[8]
        spin = -(zx * motion[2, 0] + zy * motion[2, 1] + zz * motion[2, 2])
        for i in range(n):
            spin += (zx * J[3, i] + zy * J[4, i] + zz * J[5, i]) * rate[i]
        along = zx * motion[3, 0] + zy * motion[3, 1] + zz * motion[3, 2]
        tx, ty, tz = motion[2, 0], motion[2, 1], motion[2, 2]
        b[3] -= along * zx + spin * (zy * tz - zz * ty)
        b[4] -= along * zy + spin * (zz * tx - zx * tz)
        b[5] -= along * zz + spin * (zx * ty - zy * tx)
    for row in range(6, r):
        b[row] = 0.0
    solve_into(M, diagonal, scale, b, bend)
    for i in range(n):
        bend[i] *= 1.0 if revolute[i] > 0.5 else length


@kernel
def rates_into(
    conditions: Conditions,
    slopes: Floats,
    T: Floats,
    motion: Floats,
    q: Floats,
    scratch: Scratch,
    rate: Floats,
    bend: Floats,
) -> tuple[float, float]:
    """Write dq/ds and d²q/ds² (n,) at `q`; return how far the tool is from `T`, and the smallest diagonal element.

    `motion` (4, 3): first and second derivative of the target's point, its angular velocity and that one's derivative,
    all per s. `slopes` (e,) are the rates of the extra rows.
    """
    error, smallest = conditions_into(conditions, T, q, scratch)
    factored_rates_into(conditions, slopes, T, motion, scratch, rate, bend)
    return error, smallest


@kernel
def candidates_into(
    conditions: Conditions,
    lower: Floats,
    upper: Floats,
    slopes: Floats,
    T: Floats,
    motion: Floats,
    tolerance: float,
    q: Floats,
    valid: Floats,
    rate: Floats,
    bend: Floats,
    sigma: Floats,
) -> None:
    """Pass candidates `q` (m, k, n) for `T` (m, 4, 4) through the gate, and write their rates and bends (m, k, n).

    `valid` (m, k) becomes 0.0 where a candidate is outside the limits or misses its target by more than `tolerance`.
    Angles are shifted by whole turns into the limits. `slopes` is (k, e), `sigma` (m, k).
    """
    m, k, n = q.shape
    scratch, revolute = scratch_for(conditions), conditions.revolute
    for i in range(m):
        for b in range(k):
            # limits, as `gate.gate_batch_into` checks them
            inside = valid[i, b] > 0.5
            valid[i, b] = 0.0
            for j in range(n):
                if not inside:
                    break
                low, high, value = lower[j], upper[j], q[i, b, j]
                if revolute[j] > 0.5 and not (value >= low and value <= high):
                    value = into_limits(value, low, high)
                inside = value >= low - LIMIT_SLACK and value <= high + LIMIT_SLACK
                q[i, b, j] = min(max(value, low), high)
            # then the residual, with the rates
            if inside:
                error, sigma[i, b] = rates_into(
                    conditions, slopes[b], T[i], motion[i], q[i, b], scratch, rate[i, b], bend[i, b]
                )
                valid[i, b] = 1.0 if error <= tolerance else 0.0


@kernel
def rates_each_into(
    conditions: Conditions,
    slopes: Floats,
    T: Floats,
    motion: Floats,
    q: Floats,
    rate: Floats,
    bend: Floats,
    sigma: Floats,
) -> None:
    """Write rates and bends (m, n) at the rows of `q` (m, n), and the smallest diagonal elements (m,)."""
    scratch = scratch_for(conditions)
    for i in range(q.shape[0]):
        _, sigma[i] = rates_into(conditions, slopes, T[i], motion[i], q[i], scratch, rate[i], bend[i])
