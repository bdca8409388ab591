"""Inverse kinematics for many targets: the steps of `lm_step`, one target per vector lane.

A block of LANES targets takes its steps together. A lane whose target is met takes the next target; a lane that stalls
begins its next search; both as in `lm`, with the same random places, so that what is found for a target does not
depend on its neighbours. `lm.solve_each_into` then makes the last steps, judges, and solves what is left: the targets
that HOPS_AFTER restarts have not met, and the last few when the lanes run empty.

Only for tasks whose rotation rows are all or none.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.rotation import quaternion_between
from armlab.kernels.search.lm import (
    DAMPING,
    HOPS_AFTER,
    LEAST_DAMPING,
    LONGEST_SEARCH,
    STALL_PERIOD,
    STALL_RATIO,
    restart_into,
    seeded,
)
from armlab.kernels.search.lm_step import FREE, kind_of_turning, work_size
from armlab.kernels.search.problem import SearchBounds, SearchChain, SearchTask
from armlab.kernels.six import solve_six
from armlab.kernels.trig import sincos

LANES = 16
FEW = 4
"""So few busy lanes are not worth a step of all of them."""

POSITION, ERROR, SQUARES, SINE, COSINE, TARGET, TARGET_POSITION, NORMAL, ROWS = 9, 12, 18, 20, 21, 22, 31, 34, 55
"""Rows of the workspace `w`, LANES values each: the end's rotation R in rows 0 to 8 (element (r, c) in row 3 r + c) and
its position; six rows of error e (later y); ‖e‖² of position (m²) and of rotation (rad²); sine and cosine of the joint
that is passed; the target's rotation and position; the lower triangle of J Jᵀ + λI, row by row (21 elements).

`columns` has six rows per joint: axis and origin first, then the column of J in their place."""
NORMAL_DIAGONAL = (NORMAL, NORMAL + 2, NORMAL + 5, NORMAL + 9, NORMAL + 14, NORMAL + 20)
"""The rows of the triangle's diagonal: element (r, r) is number r (r + 3) / 2."""


@kernel
def forward_block(constants: Floats, revolute: Floats, q: Floats, w: Floats, columns: Floats) -> None:
    """Write the end poses of all lanes to the first rows, and the joints' axes and origins to `columns`."""
    # the fixed frame in front of the first joint
    for k in range(12):
        value = constants[0, k]
        for j in range(LANES):
            w[k * LANES + j] = value
    for i in range(revolute.shape[0]):
        a = constants[i + 1]
        a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
        a6, a7, a8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
        # a sliding joint has sine 0 and cosine 1: one code without branches for both kinds
        turns = revolute[i]
        for j in range(LANES):
            s, c = sincos(q[i * LANES + j] * turns)
            w[SINE * LANES + j] = s
            w[COSINE * LANES + j] = c
        for row in range(3):
            o0, o1, o2, op = 3 * row * LANES, (3 * row + 1) * LANES, (3 * row + 2) * LANES, (POSITION + row) * LANES
            axis, origin = (6 * i + row) * LANES, (6 * i + 3 + row) * LANES
            # axis z_i and origin o_i in front of the joint
            for j in range(LANES):
                columns[axis + j] = w[o2 + j]
                columns[origin + j] = w[op + j]
            # p ← p + R Rz(q) (p_a + q z), R ← R Rz(q) R_a
            for j in range(LANES):
                s, c = w[SINE * LANES + j], w[COSINE * LANES + j]
                u0, u1, u2 = w[o0 + j], w[o1 + j], w[o2 + j]
                r0, r1 = u0 * c + u1 * s, u1 * c - u0 * s
                w[op + j] += r0 * px + r1 * py + u2 * (pz + q[i * LANES + j] * (1.0 - turns))
                w[o0 + j] = r0 * a0 + r1 * a3 + u2 * a6
                w[o1 + j] = r0 * a1 + r1 * a4 + u2 * a7
                w[o2 + j] = r0 * a2 + r1 * a5 + u2 * a8


@kernel
def error_block(weights: Floats, turning: int, scale: float, w: Floats) -> None:
    """Write the errors of all lanes, and their squares in m² and rad²."""
    w0, w1, w2 = weights[0], weights[1], weights[2]
    turned = 0.0 if turning == FREE else 2.0
    # position rows: weight · (p_target - p), lengths times `scale`
    for j in range(LANES):
        x = w0 * (w[TARGET_POSITION * LANES + j] - w[POSITION * LANES + j])
        y = w1 * (w[(TARGET_POSITION + 1) * LANES + j] - w[(POSITION + 1) * LANES + j])
        z = w2 * (w[(TARGET_POSITION + 2) * LANES + j] - w[(POSITION + 2) * LANES + j])
        w[ERROR * LANES + j] = scale * x
        w[(ERROR + 1) * LANES + j] = scale * y
        w[(ERROR + 2) * LANES + j] = scale * z
        w[SQUARES * LANES + j] = x * x + y * y + z * z
    # rotation rows: 2 sin(angle/2) · axis of R_target Rᵀ
    for j in range(LANES):
        t = (
            w[TARGET * LANES + j],
            w[(TARGET + 1) * LANES + j],
            w[(TARGET + 2) * LANES + j],
            w[(TARGET + 3) * LANES + j],
            w[(TARGET + 4) * LANES + j],
            w[(TARGET + 5) * LANES + j],
            w[(TARGET + 6) * LANES + j],
            w[(TARGET + 7) * LANES + j],
            w[(TARGET + 8) * LANES + j],
        )
        r = (
            w[j],
            w[LANES + j],
            w[2 * LANES + j],
            w[3 * LANES + j],
            w[4 * LANES + j],
            w[5 * LANES + j],
            w[6 * LANES + j],
            w[7 * LANES + j],
            w[8 * LANES + j],
        )
        _, x, y, z = quaternion_between(t, r)
        x, y, z = turned * x, turned * y, turned * z
        w[(ERROR + 3) * LANES + j] = x
        w[(ERROR + 4) * LANES + j] = y
        w[(ERROR + 5) * LANES + j] = z
        w[(SQUARES + 1) * LANES + j] = x * x + y * y + z * z


@kernel
def column_block(
    c: Floats,
    turns: float,
    weights: Floats,
    turning: int,
    scale: float,
    low: float,
    high: float,
    q: Floats,
    w: Floats,
) -> None:
    """Turn one joint's axes and origins `c` (6 · LANES,) into columns of J; zero where a limit holds the joint."""
    slides = 1.0 - turns
    s0, s1, s2 = scale * turns * weights[0], scale * turns * weights[1], scale * turns * weights[2]
    p0, p1, p2 = slides * weights[0], slides * weights[1], slides * weights[2]
    turned = 0.0 if turning == FREE else turns
    for j in range(LANES):
        zx, zy, zz = c[j], c[LANES + j], c[2 * LANES + j]
        dx = w[POSITION * LANES + j] - c[3 * LANES + j]
        dy = w[(POSITION + 1) * LANES + j] - c[4 * LANES + j]
        dz = w[(POSITION + 2) * LANES + j] - c[5 * LANES + j]
        # [z × (p - o) / length; z] where the joint turns, [z; 0] where it slides, rows weighed
        j0 = s0 * (zy * dz - zz * dy) + p0 * zx
        j1 = s1 * (zz * dx - zx * dz) + p1 * zy
        j2 = s2 * (zx * dy - zy * dx) + p2 * zz
        j3, j4, j5 = turned * zx, turned * zy, turned * zz
        # the slope of ½‖e‖² along the joint: where it leads out of a limit, the column becomes zero
        push = (
            j0 * w[ERROR * LANES + j]
            + j1 * w[(ERROR + 1) * LANES + j]
            + j2 * w[(ERROR + 2) * LANES + j]
            + j3 * w[(ERROR + 3) * LANES + j]
            + j4 * w[(ERROR + 4) * LANES + j]
            + j5 * w[(ERROR + 5) * LANES + j]
        )
        free = 0.0 if (q[j] <= low) & (push < 0.0) else 1.0
        free = 0.0 if (q[j] >= high) & (push > 0.0) else free
        c[j], c[LANES + j], c[2 * LANES + j] = free * j0, free * j1, free * j2
        c[3 * LANES + j], c[4 * LANES + j], c[5 * LANES + j] = free * j3, free * j4, free * j5


@kernel
def normal_block(scale: float, n: int, w: Floats, columns: Floats) -> None:
    """Write the lower triangles of J Jᵀ + λI of all lanes."""
    for k in range(21):
        for j in range(LANES):
            w[(NORMAL + k) * LANES + j] = 0.0
    for i in range(n):
        c = columns[6 * i * LANES : 6 * (i + 1) * LANES]
        for row in range(6):
            first = NORMAL + row * (row + 1) // 2
            for k in range(row + 1):
                for j in range(LANES):
                    w[(first + k) * LANES + j] += c[row * LANES + j] * c[k * LANES + j]
    # λ = DAMPING ‖e‖² + LEAST_DAMPING, as in `lm.search_into`
    for j in range(LANES):
        square = scale * scale * w[SQUARES * LANES + j] + w[(SQUARES + 1) * LANES + j]
        damping = DAMPING * square + LEAST_DAMPING
        for diagonal in NORMAL_DIAGONAL:
            w[diagonal * LANES + j] += damping


@kernel
def solve_block(w: Floats) -> None:
    """Put y of (J Jᵀ + λI) y = e into the place of the errors."""
    for j in range(LANES):
        n = NORMAL * LANES + j
        a = (
            w[n],
            w[n + LANES],
            w[n + 2 * LANES],
            w[n + 3 * LANES],
            w[n + 4 * LANES],
            w[n + 5 * LANES],
            w[n + 6 * LANES],
            w[n + 7 * LANES],
            w[n + 8 * LANES],
            w[n + 9 * LANES],
            w[n + 10 * LANES],
            w[n + 11 * LANES],
            w[n + 12 * LANES],
            w[n + 13 * LANES],
            w[n + 14 * LANES],
            w[n + 15 * LANES],
            w[n + 16 * LANES],
            w[n + 17 * LANES],
            w[n + 18 * LANES],
            w[n + 19 * LANES],
            w[n + 20 * LANES],
        )
        k = ERROR * LANES + j
        e = (w[k], w[k + LANES], w[k + 2 * LANES], w[k + 3 * LANES], w[k + 4 * LANES], w[k + 5 * LANES])
        y0, y1, y2, y3, y4, y5 = solve_six(a, e)
        w[k], w[k + LANES], w[k + 2 * LANES] = y0, y1, y2
        w[k + 3 * LANES], w[k + 4 * LANES], w[k + 5 * LANES] = y3, y4, y5


@kernel
def step_block(chain: SearchChain, weights: Floats, turning: int, q: Floats, w: Floats, columns: Floats) -> None:
    """Take one step in all lanes; the squares of the errors are those before the step."""
    constants, revolute, lower, upper, length = chain
    n = revolute.shape[0]
    forward_block(constants, revolute, q, w, columns)
    error_block(weights, turning, 1.0 / length, w)
    for i in range(n):
        c = columns[6 * i * LANES : 6 * (i + 1) * LANES]
        values = q[i * LANES : (i + 1) * LANES]
        column_block(c, revolute[i], weights, turning, 1.0 / length, lower[i], upper[i], values, w)
    normal_block(1.0 / length, n, w, columns)
    solve_block(w)
    # q ← clamp(q + Jᵀ y); a sliding joint's step is counted in `length`
    for i in range(n):
        c = columns[6 * i * LANES : 6 * (i + 1) * LANES]
        low, high, unit = lower[i], upper[i], 1.0 if revolute[i] > 0.5 else length
        for j in range(LANES):
            k = ERROR * LANES + j
            d = c[j] * w[k] + c[LANES + j] * w[k + LANES] + c[2 * LANES + j] * w[k + 2 * LANES]
            d += c[3 * LANES + j] * w[k + 3 * LANES] + c[4 * LANES + j] * w[k + 4 * LANES]
            d += c[5 * LANES + j] * w[k + 5 * LANES]
            q[i * LANES + j] = min(max(q[i * LANES + j] + unit * d, low), high)


@inlined
def load_lane(target: Floats, start: Floats, j: int, q: Floats, w: Floats) -> None:
    """Put a target (4, 4) and a start (n,) into lane j."""
    for row in range(3):
        for k in range(3):
            w[(TARGET + 3 * row + k) * LANES + j] = target[row, k]
        w[(TARGET_POSITION + row) * LANES + j] = target[row, 3]
    for i in range(start.shape[0]):
        q[i * LANES + j] = start[i]


@inlined
def is_met(position: float, rotation: float, position_tolerance: float, rotation_tolerance: float) -> bool:
    """Say whether squared errors are inside the tolerances."""
    return position <= position_tolerance * position_tolerance and rotation <= rotation_tolerance * rotation_tolerance


@kernel
def descend_into(
    chain: SearchChain, targets: Floats, task: SearchTask, bounds: SearchBounds, q: Floats, work: Floats
) -> None:
    """Bring the rows of `q` (m, n) to their `targets` (m, 4, 4); a row whose search is given up stays as it was.

    `work` (m, 2) gets the steps and the restarts of the rows that were brought to their targets, and zeros otherwise.
    """
    m, n = q.shape
    work[:] = 0.0
    if m <= FEW:
        return
    weights, length = task.weights, chain.length
    turning = kind_of_turning(weights, task.mode)
    w, values, columns = np.zeros(ROWS * LANES), np.zeros(n * LANES), np.zeros(6 * n * LANES)
    scratch, place = np.empty(work_size(n)), np.empty(n)
    # per lane: which target it holds (-1: none), steps of this search, searches so far, …
    owner, count, search = np.full(LANES, -1), np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    # … steps of the searches before, ‖e‖² at the last comparison, state of the random generator
    total, reference, state = np.zeros(LANES, np.int64), np.zeros(LANES), np.zeros(LANES, np.uint64)
    waiting, busy = 0, 0
    for j in range(LANES):
        load_lane(targets[min(j, m - 1)], q[min(j, m - 1)], j, values, w)  # an idle lane holds numbers, too
        if waiting < m:
            owner[j], state[j] = waiting, seeded(bounds.seed)
            waiting, busy = waiting + 1, busy + 1
    while waiting < m or busy > FEW:
        step_block(chain, weights, turning, values, w, columns)
        for j in range(LANES):
            t = owner[j]
            if t < 0:
                continue
            position, rotation = w[SQUARES * LANES + j], w[(SQUARES + 1) * LANES + j]
            # met: hand the row over; `values` are one step better than the error that was judged
            if is_met(position, rotation, bounds.position_tolerance, bounds.rotation_tolerance):
                for i in range(n):
                    q[t, i] = values[i * LANES + j]
                work[t, 0], work[t, 1] = total[j] + count[j] + 1, search[j]
            else:
                # not met: has the error fallen by STALL_RATIO since the last comparison?
                square = position / (length * length) + rotation
                judged = count[j] % STALL_PERIOD == STALL_PERIOD - 1
                stalled = count[j] >= LONGEST_SEARCH or (judged and not square <= STALL_RATIO * reference[j])
                if judged or count[j] == 0:
                    reference[j] = square
                count[j] += 1
                if not stalled:
                    continue
                # stalled: the next search from a random place, as `lm.solve_into` does; or give the target up
                total[j] += count[j] - 1
                search[j] += 1
                count[j] = 0
                if search[j] < min(bounds.searches, HOPS_AFTER + 1) and total[j] < bounds.steps:
                    state[j] = restart_into(chain, targets[t], task, state[j], scratch, place)
                    for i in range(n):
                        values[i * LANES + j] = place[i]
                    continue
            # the lane is free: it takes the next target that waits
            owner[j], count[j], search[j], total[j] = -1, 0, 0, 0
            busy -= 1
            if waiting < m:
                load_lane(targets[waiting], q[waiting], j, values, w)
                owner[j], state[j] = waiting, seeded(bounds.seed)
                waiting, busy = waiting + 1, busy + 1
