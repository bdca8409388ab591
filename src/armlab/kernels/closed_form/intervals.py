"""The intervals of a redundant arm's last joint in which a branch exists and keeps every limit.

`closed_follow` notes where a branch may change; between neighbouring notes, one test decides. Single values that are
possible by themselves, such as a posture in the corner of two limits, are intervals without length.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.follow import (
    LEAN,
    LEAST_CELLS,
    SHORTEST_STEP,
    SIDE,
    SLACK,
    STEP_SIZE,
    Q,
    X,
    existing_into,
    follow,
    look_into,
    margin_of,
    measure,
    mirror_into,
    note,
    share_turn,
    worst_of,
)
from armlab.kernels.closed_form.search import WORK_SIZE, polish_into, pose_error_into
from armlab.kernels.closed_form.seven import (
    ALIGNED,
    STRAIGHT,
    TARGET_SIZE,
    TILT,
    aim_into,
    place_into,
    shoulder_of,
    wrapped,
)
from armlab.kernels.jit import kernel

EXACT, GOOD = 1e-11, 1e-10
"""Postures are polished beyond EXACT (m, rad) and kept below GOOD."""
FREE_SIDE = 1e-7  # m: nearer than this to axis 5, the shoulder does not fix joint 5
FREE_STEPS, SCAN = 72, 16
SHORT, POINT = 1e-10, 1e-8  # rad: nothing is looked for in shorter gaps; a shorter interval is given as a point

MOST_ZEROS, MOST_PARTS = 192, 32
MOST_INTERVALS = 128
ROW_SIZE = 10
"""An interval: branch, lower, upper, then the joints of its best member."""


@kernel
def solve_batch_into(arm: Floats, constants: Floats, T: Floats, q7: Floats, q: Floats, valid: Floats) -> None:
    """Write the eight postures for each T (m, 4, 4) and q7 (m,) to `q` (m, 8, 7); `valid` (m, 8) is 1.0 or 0.0."""
    target, work = np.empty(TARGET_SIZE), np.empty(WORK_SIZE)
    for m in range(T.shape[0]):
        # closed form per branch, then the last digits by Newton's method
        aim_into(arm, T[m], target)
        for b in range(8):
            row = q[m, b]
            elbow, wrist, _, _ = place_into(arm, target, q7[m], b, row)
            valid[m, b] = 0.0
            if elbow <= 0.0 and wrist <= 0.0:
                error = polish_into(constants, T[m], row, 6, EXACT, work)
                valid[m, b] = 1.0 if error <= GOOD else 0.0
                for i in range(6):
                    row[i] = wrapped(row[i])


@kernel
def best_free_joint_5(arm: Floats, target: Floats, limits: Floats, branch: int, step: Floats, other: Floats) -> None:
    """Where S is on axis 5, joint 5 may have any value: put the one with the most margin into `step`."""
    q = other[Q : Q + 7]
    # joint 5 through its range: the shoulder follows; of each, the margin to the limits
    best, at = -math.inf, step[Q + 4]
    for turn in range(2):  # try all, then take the best once more
        for j in range(FREE_STEPS if turn == 0 else 1):
            q5 = limits[0, 4] + min(limits[1, 4], math.pi) * (2.0 * j / (FREE_STEPS - 1) - 1.0)
            q5 = at if turn == 1 else q5
            shift = q5 - arm[STRAIGHT]
            c6, s6 = math.cos(step[Q + 5]), math.sin(step[Q + 5])
            q1, q2, q3, lean = shoulder_of(arm, target, step[X], step[Q + 3], math.cos(shift), math.sin(shift), c6, s6)
            if branch >> 2 == 1 and lean >= ALIGNED:
                q1, q2, q3 = q1 + math.pi, -q2 - 2.0 * arm[TILT], q3 + math.pi
            q[0], q[1], q[2], q[3], q[4], q[5], q[6] = q1, q2, q3, step[Q + 3], q5, step[Q + 5], step[X]
            if lean < ALIGNED:
                share_turn(q, arm[TILT], limits)
            measure(other, limits)
            margin = margin_of(other, limits)
            if turn == 0 and margin > best:
                best, at = margin, q5
    for i in range(7):
        step[Q + i] = q[i]
    measure(step, limits)


@kernel
def limits_into(lower: Floats, upper: Floats, limits: Floats) -> None:
    """Write the middles and half widths of the limits to `limits` (2, 7); more than a turn is as good as no limit.

    A joint with one limit only gets the turn that ends there.
    """
    for i in range(lower.shape[0]):
        low, high = lower[i], upper[i]
        if math.isinf(low) and math.isinf(high):
            low, high = -math.pi, math.pi
        elif math.isinf(low):
            low = high - 2.0 * math.pi
        elif math.isinf(high):
            high = low + 2.0 * math.pi
        limits[0, i], limits[1, i] = 0.5 * (low + high), 0.5 * (high - low)


@kernel
def inner_end(arm: Floats, target: Floats, limits: Floats, branch: int, x: float, inward: float, step: Floats) -> float:
    """Return the place next to `x`, in the direction `inward` (±1), from which on everything is right."""
    shift = 0.0
    for _ in range(7):
        look_into(arm, target, limits, branch, x + inward * shift, step)
        if worst_of(step) <= 0.0:
            break
        shift = max(10.0 * shift, 1e-15)
    return x + inward * shift


@kernel
def best_member(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    low: float,
    high: float,
    table: Floats,
    step: Floats,
    other: Floats,
) -> None:
    """Put the member of the interval with the most margin into `step`: the best sample, then golden section."""
    # the middle of the interval, and the samples that `follow` took inside it
    look_into(arm, target, limits, branch, 0.5 * (low + high), step)
    best = margin_of(step, limits)
    for i in range(table.shape[0]):
        if low < table[i, X] < high and worst_of(table[i]) <= 0.0:
            margin = margin_of(table[i], limits)
            if margin > best:
                best = margin
                step[:] = table[i]
    cell = (table[table.shape[0] - 1, X] - table[0, X]) * 1.6 / table.shape[0]  # the longest step
    if high - low < SCAN * cell:  # few steps are inside: look again, closer at the ends
        cell = (high - low) * 1.6 / SCAN
        for i in range(1, SCAN):
            x = low + (high - low) * 0.5 * (1.0 - math.cos(math.pi * i / SCAN))
            look_into(arm, target, limits, branch, x, other)
            margin = margin_of(other, limits)
            if margin > best and worst_of(other) <= 0.0:
                best = margin
                step[:] = other
    # golden section around the best so far (0.381966 = 1 - 1/φ)
    left, right = max(low, step[X] - cell), min(high, step[X] + cell)
    for _ in range(14):
        third = 0.381966 * (right - left)
        toward_right = right - step[X] > step[X] - left
        x = step[X] + 0.381966 * (right - step[X]) if toward_right else step[X] - 0.381966 * (step[X] - left)
        if third < 1e-9:
            break
        look_into(arm, target, limits, branch, x, other)
        margin = margin_of(other, limits) if worst_of(other) <= 0.0 else -1.0
        if margin > best:
            if toward_right:
                left = step[X]
            else:
                right = step[X]
            best = margin
            step[:] = other
        elif toward_right:
            right = x
        else:
            left = x


@kernel
def keep(
    constants: Floats,
    T: Floats,
    limits: Floats,
    branch: int,
    low: float,
    high: float,
    step: Floats,
    work: Floats,
    out: Floats,
    count: int,
) -> int:
    """Write an interval with the member in `step` to `out` if that member holds what it promises; return the count."""
    if count >= out.shape[0]:
        return count
    # all joints by Newton's method; q7 stays what it is unless the interval is a point
    q = out[count, 3:10]
    for i in range(7):
        q[i] = step[Q + i]
    is_point = high - low < POINT
    polish_into(constants, T, q, 7 if is_point else 6, EXACT, work)
    for i in range(7):
        away = q[i] - limits[0, i]
        if not abs(away) <= limits[1, i] + 2.0 * SLACK:
            return count
        q[i] = limits[0, i] + min(max(away, -limits[1, i]), limits[1, i])
    # the gate: limits have been kept above, now the pose
    if not pose_error_into(constants, T, q, work[30:46].reshape(4, 4), work[0:15]) <= GOOD:
        return count
    # a point may be found from several branches: once is enough
    if is_point:
        for k in range(count):
            away = 0.0
            for i in range(7):
                away = max(away, abs(out[k, 3 + i] - q[i]))
            if away < 1e-5:
                return count
        low, high = q[6], q[6]
    out[count, 0], out[count, 1], out[count, 2] = branch, low, high
    return count + 1


@kernel
def member_into(
    arm: Floats,
    constants: Floats,
    lower: Floats,
    upper: Floats,
    T: Floats,
    branch: int,
    q7: float,
    q: Floats,
) -> bool:
    """Write a branch's posture at `q7` to `q` (7,); return whether it exists and keeps all limits."""
    target, limits = np.empty(TARGET_SIZE), np.empty((2, 7))
    out, step = np.empty((1, ROW_SIZE)), np.empty(STEP_SIZE)
    aim_into(arm, T, target)
    limits_into(lower, upper, limits)
    look_into(arm, target, limits, branch, q7, step)
    if worst_of(step) > SLACK:
        return False
    found = keep(constants, T, limits, branch, q7, q7 + 2.0 * POINT, step, np.empty(WORK_SIZE), out, 0)
    q[:] = out[0, 3:]
    return found == 1


@kernel
def sort_out(
    arm: Floats,
    constants: Floats,
    T: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    table: Floats,
    zeros: Floats,
    found: int,
    steps: Floats,
    work: Floats,
    out: Floats,
    count: int,
) -> int:
    """Write the intervals between `zeros` in which everything is right to `out`; return the count."""
    # walk through the noted places x; between two of them nothing changes, so their middle decides
    step, other = steps[0], steps[1]
    start, end, is_open, before = 0.0, -math.inf, False, count
    for k in range(found):
        x = zeros[k, 0]
        look_into(arm, target, limits, branch, x, step)
        aside = SHORTEST_STEP if zeros[k, 1] == 1.0 or step[LEAN] < 1e-9 else 0.0
        # at the place itself: is it right, and does an interval begin behind it?
        if step[SIDE] < FREE_SIDE:
            best_free_joint_5(arm, target, limits, branch, step, other)
        is_right = worst_of(step) <= SLACK
        goes_on = False
        if k + 1 < found and zeros[k + 1, 0] - x > max(SHORT, 2.0 * aside):
            look_into(arm, target, limits, branch, 0.5 * (x + zeros[k + 1, 0]), other)
            goes_on = worst_of(other) <= 0.0
        # a single value by itself
        if not is_open and not goes_on and is_right and x - end > SHORT:
            count = keep(constants, T, limits, branch, x, x, step, work, out, count)
        # an interval ends here: its inner ends, its best member
        if is_open and not (goes_on and is_right and zeros[k, 1] == 0.0):
            low = inner_end(arm, target, limits, branch, start, 1.0, other)
            high = inner_end(arm, target, limits, branch, x - aside, -1.0, other)
            best_member(arm, target, limits, branch, low, high, table, step, other)
            if step[SIDE] < FREE_SIDE:
                best_free_joint_5(arm, target, limits, branch, step, other)
            count = keep(constants, T, limits, branch, low, high, step, work, out, count)
            is_open, end = False, x
        # an interval begins here
        if goes_on and not is_open:
            if count > before and out[count - 1, 1] == out[count - 1, 2] and x - out[count - 1, 1] <= SHORT:
                count -= 1  # that point was the beginning of this interval
            start, is_open = x + aside, True
    return count


@kernel
def intervals_into(
    arm: Floats,
    constants: Floats,
    lower: Floats,
    upper: Floats,
    T: Floats,
    samples: int,
    out: Floats,
) -> int:
    """Write the intervals of all branches for the pose `T` (4, 4) to `out` (m, ROW_SIZE); return how many."""
    target, limits, work = np.empty(TARGET_SIZE), np.empty((2, 7)), np.empty(WORK_SIZE)
    zeros, parts = np.empty((MOST_ZEROS, 2)), np.empty((MOST_PARTS, 2))
    tables = np.empty((2, 2 * samples + 1, STEP_SIZE))
    steps = np.empty((48, STEP_SIZE))
    aim_into(arm, T, target)
    limits_into(lower, upper, limits)
    # samples per radian of q7
    density = samples / (2.0 * min(limits[1, 6], math.pi))
    count = 0
    for elbow in range(2):
        # where the branch exists at all; the same for both shoulders and wrists
        number = existing_into(arm, target, 2 * elbow, limits, 2 * samples, steps, zeros, parts)
        for part in range(number):
            low, high = parts[part, 0], parts[part, 1]
            cells = LEAST_CELLS + int(density * (high - low))
            for wrist in range(2):
                branch = 2 * elbow + wrist
                for i in range(cells + 1):
                    # Chebyshev nodes: close at the ends, where joints move like a square root; both shoulders share
                    # them
                    x = low + (high - low) * 0.5 * (1.0 - math.cos(math.pi * i / cells))
                    look_into(arm, target, limits, branch, x, tables[0, i])
                    mirror_into(tables[0, i], arm[TILT], limits, tables[1, i])
                for shoulder in range(2):
                    table = tables[shoulder, : cells + 1]
                    # the places where a function changes its sign, then the intervals between them
                    found = note(zeros, 0, low, 2.0)
                    if high > low:
                        found = follow(arm, target, limits, 4 * shoulder + branch, table, steps, zeros, found)
                        found = note(zeros, min(found, MOST_ZEROS - 1), high, 2.0)
                    count = sort_out(
                        arm,
                        constants,
                        T,
                        target,
                        limits,
                        4 * shoulder + branch,
                        table,
                        zeros,
                        found,
                        steps,
                        work,
                        out,
                        count,
                    )
    return count
