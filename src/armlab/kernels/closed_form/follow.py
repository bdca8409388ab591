"""Follow one branch of a redundant arm through the values of its last joint, and note where something changes.

Eight functions of q7 say what can be wrong (≤ 0 is right): the elbow is stretched too far, the wrist does not find the
shoulder, joints 1 to 6 are over a limit. The first two tell where a branch exists; there, the others are followed in
steps that are short near the ends, where joints move like a square root, and that are halved while a joint turns by
more than LONGEST_TURN in one. The zeros of each function are bracketed and refined, and extrema that come near zero
between steps are looked at.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.closed_form.seven import (
    ALIGNED,
    LENGTH,
    SLACK_ELBOW,
    SLACK_WRIST,
    TILT,
    elbow_of,
    place_into,
    wrapped,
)
from armlab.kernels.jit import kernel

X, F, Q, LEAN, SIDE, STEP_SIZE = 0, 1, 9, 16, 17, 18
ELBOW, WRIST, JOINTS, END = 1, 2, 3, 9
"""A step along a branch: q7, eight functions, seven joints, the lean of the shoulder, the distance of S from axis 5.
The functions are ELBOW, WRIST, and from JOINTS to before END those of the joints."""
LONGEST_TURN = 0.35
LEAST_CELLS, MOST_REACHED = 8, 32
NEAR_EDGE = 0.02
SHORTEST_STEP = 1e-7
FINEST = 1e-13
OVER, SLACK = 1e-11, 3e-11  # rad over a limit that are rounding: anywhere; at a single point


@kernel
def share_turn(q: Floats, tilt: float, limits: Floats) -> None:
    """Where axes 1 and 3 are one, share their turn so that both joints are equally far from their limits."""
    h1, h3 = min(limits[1, 0], math.pi), min(limits[1, 2], math.pi)
    opposite = math.cos(q[1] + tilt) < 0.0
    sign = -1.0 if opposite else 1.0
    # q1 ± q3 is known: what it is away from the middles is shared in proportion to the ranges
    left = wrapped(q[0] + sign * q[2] - limits[0, 0] - sign * limits[0, 2])
    q[0] = limits[0, 0] + left * h1 / (h1 + h3)
    q[2] = limits[0, 2] + sign * left * h3 / (h1 + h3)


@kernel
def look_into(arm: Floats, target: Floats, limits: Floats, branch: int, x: float, step: Floats) -> None:
    """Write what the branch is like at q7 = `x` to `step` (STEP_SIZE,); `limits` (2, 7): middles, half widths."""
    q = step[Q : Q + 7]
    elbow, wrist, lean, side = place_into(arm, target, x, branch, q)
    if lean < ALIGNED:
        share_turn(q, arm[TILT], limits)
    step[X], step[ELBOW], step[WRIST], step[LEAN], step[SIDE] = x, elbow, wrist, lean, abs(side)
    measure(step, limits)


@kernel
def measure(step: Floats, limits: Floats) -> None:
    """Bring the joints of `step` within half a turn of the middles of their limits, and write their functions."""
    q = step[Q : Q + 7]
    for i in range(6):
        away = wrapped(q[i] - limits[0, i])
        q[i] = limits[0, i] + away
        step[JOINTS + i] = abs(away) - limits[1, i] - OVER


@kernel
def mirror_into(step: Floats, tilt: float, limits: Floats, back: Floats) -> None:
    """Write the posture with the shoulder on the other side to `back`."""
    back[:] = step
    if step[LEAN] >= ALIGNED:
        back[Q] += math.pi
        back[Q + 1] = -back[Q + 1] - 2.0 * tilt
        back[Q + 2] += math.pi
        measure(back, limits)


@kernel
def value_at(arm: Floats, target: Floats, limits: Floats, branch: int, k: int, x: float, step: Floats) -> float:
    """Return function `k` of a branch at q7 = `x`; `step` is filled only if `k` is one of the joints' or LEAN."""
    if k < JOINTS:
        cosine, _, _, y, _, side = elbow_of(arm, target, x, (branch >> 1) & 1)
        return abs(cosine) - 1.0 - SLACK_ELBOW if k == ELBOW else (abs(y) - abs(side)) / arm[LENGTH] - SLACK_WRIST
    look_into(arm, target, limits, branch, x, step)
    value: float = step[k]
    return value


@kernel
def worst_of(step: Floats) -> float:
    """Return the largest of the eight functions."""
    worst: float = step[ELBOW]
    for k in range(WRIST, END):
        worst = max(worst, step[k])
    return worst


@kernel
def margin_of(step: Floats, limits: Floats) -> float:
    """Return how far the posture is from the nearest limit, relative to half that joint's range; 1 in the middle."""
    margin = 1.0
    for i in range(7):
        margin = min(margin, 1.0 - abs(step[Q + i] - limits[0, i]) / limits[1, i])
    return margin


@kernel
def turn_between(a: Floats, b: Floats) -> float:
    """Return the largest turn of a joint from one step to the next."""
    turn = 0.0
    for i in range(6):
        turn = max(turn, abs(wrapped(b[Q + i] - a[Q + i])))
    return turn


@kernel
def is_hopeless(a: Floats, b: Floats) -> bool:
    """Whether some function is so far above zero at both ends that it cannot reach zero between them."""
    for k in range(JOINTS, END):
        if a[k] > 0.0 and b[k] > 0.0 and min(a[k], b[k]) > 2.0 * abs(a[k] - b[k]) + 0.05:
            return True
    return False


@kernel
def zero_between(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    k: int,
    left: float,
    right: float,
    fl: float,
    fr: float,
    step: Floats,
) -> float:
    """Return where function `k` changes its sign, given its values at both ends: false position, halved when slow."""
    side, width = 0, right - left
    for i in range(100):
        if right - left < FINEST:
            break
        # false position; every third step halves if the interval did not shrink to a quarter
        x = (left * fr - right * fl) / (fr - fl)
        if i % 3 == 2:
            x = 0.5 * (left + right) if right - left > 0.25 * width else x
            width = right - left
        if not left < x < right:
            x = 0.5 * (left + right)
            if not left < x < right:
                break
        f = value_at(arm, target, limits, branch, k, x, step)
        if f == 0.0:
            return x
        # Illinois: an end that stays twice counts half
        if (f > 0.0) == (fr > 0.0):
            right, fr = x, f
            fl = 0.5 * fl if side == 1 else fl
            side = 1
        else:
            left, fl = x, f
            fr = 0.5 * fr if side == -1 else fr
            side = -1
    return 0.5 * (left + right)


@kernel
def lowest_between(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    k: int,
    sign: float,
    left: float,
    right: float,
    step: Floats,
) -> tuple[float, float]:
    """Return (x, value) where sign * function `k` is lowest (golden section), or the first place found below 0."""
    ratio = 0.6180339887498949
    # golden section: `inner` and `outer` divide the interval
    inner, outer = right - ratio * (right - left), left + ratio * (right - left)
    fi = sign * value_at(arm, target, limits, branch, k, inner, step)
    fo = sign * value_at(arm, target, limits, branch, k, outer, step)
    for _ in range(70):
        if right - left < 1e-15 or fi < 0.0 or fo < 0.0 or (right - left < 1e-6 and min(fi, fo) > 1e-4):
            break
        if fi < fo:
            right, outer, fo = outer, inner, fi
            inner = right - ratio * (right - left)
            fi = sign * value_at(arm, target, limits, branch, k, inner, step)
        else:
            left, inner, fi = inner, outer, fo
            outer = left + ratio * (right - left)
            fo = sign * value_at(arm, target, limits, branch, k, outer, step)
    return (inner, fi) if fi < fo else (outer, fo)


@kernel
def note(zeros: Floats, count: int, x: float, splits: float) -> int:
    """Add `x` to the sorted `zeros` (MOST_ZEROS, 2); return the new count."""
    if count >= zeros.shape[0]:
        return count
    # insertion into the sorted list
    at = count
    while at > 0 and zeros[at - 1, 0] > x:
        zeros[at, 0], zeros[at, 1] = zeros[at - 1, 0], zeros[at - 1, 1]
        at -= 1
    zeros[at, 0], zeros[at, 1] = x, splits
    return count + 1


@kernel
def note_extremum(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    k: int,
    a: Floats,
    c: Floats,
    step: Floats,
    zeros: Floats,
    count: int,
) -> int:
    """Note the zeros of function `k` between two steps where it has the same sign: two, one, or none."""
    sign = 1.0 if a[k] > 0.0 else -1.0
    x, f = lowest_between(arm, target, limits, branch, k, sign, a[X], c[X], step)
    if f < 0.0:
        count = note(zeros, count, zero_between(arm, target, limits, branch, k, a[X], x, a[k], sign * f, step), 0.0)
        return note(zeros, count, zero_between(arm, target, limits, branch, k, x, c[X], sign * f, c[k], step), 0.0)
    return note(zeros, count, x, 0.0) if f < SLACK else count


@kernel
def note_zeros(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    k: int,
    a: Floats,
    b: Floats,
    c: Floats,
    edge: int,
    step: Floats,
    zeros: Floats,
    count: int,
) -> int:
    """Note the zeros of function `k` between the steps `b` and `c`, and those of an extremum near zero at `b`.

    `edge` is -1 where nothing is known before `b`, 1 where nothing follows `c`: then an extremum may hide in between.
    """
    # a change of sign; otherwise an extremum next to an edge, or the middle one of three steps
    if (b[k] > 0.0) != (c[k] > 0.0):
        return note(zeros, count, zero_between(arm, target, limits, branch, k, b[X], c[X], b[k], c[k], step), 0.0)
    sign = 1.0 if b[k] > 0.0 else -1.0
    fb, fc = sign * b[k], sign * c[k]
    if edge != 0 and min(fb, fc) < NEAR_EDGE:
        count = note_extremum(arm, target, limits, branch, k, b, c, step, zeros, count)
    fa = sign * a[k]
    if edge == -1 or fa <= 0.0 or fb > fa or fb > fc or fb > max(fa - fb, fc - fb):
        return count
    return note_extremum(arm, target, limits, branch, k, a, c, step, zeros, count)


@kernel
def where_right_into(
    arm: Floats,
    target: Floats,
    branch: int,
    limits: Floats,
    k: int,
    low: float,
    high: float,
    cells: int,
    work: Floats,
    zeros: Floats,
    parts: Floats,
    found: int,
) -> int:
    """Add the intervals of q7 within [low, high] where function `k` is right to `parts` (m, 2), single points too.

    Returns the new number of parts. The function may move like a square root at both ends: steps are short there.
    """
    # the zeros of the function on Chebyshev nodes; a, b, c are the last three steps
    count = note(zeros, 0, low, 0.0)
    a, b, c, step = work[0], work[1], work[2], work[3]
    if high > low:
        count = note(zeros, count, high, 0.0)
        for i in range(cells + 1):
            a[X], b[X], a[k], b[k] = b[X], c[X], b[k], c[k]
            c[X] = low + (high - low) * 0.5 * (1.0 - math.cos(math.pi * i / cells))
            c[k] = value_at(arm, target, limits, branch, k, c[X], step)
            if i > 0:
                edge = -1 if i == 1 else (1 if i == cells else 0)
                count = note_zeros(arm, target, limits, branch, k, a, b, c, edge, step, zeros, count)
    # between two zeros the middle decides; a zero by itself counts within SLACK
    is_open = False
    for i in range(count):
        x, goes_on = zeros[i, 0], False
        if i + 1 < count and zeros[i + 1, 0] - x > FINEST:
            goes_on = value_at(arm, target, limits, branch, k, 0.5 * (x + zeros[i + 1, 0]), step) <= 0.0
        if is_open:
            parts[found - 1, 1] = x
        elif found < parts.shape[0] and (goes_on or value_at(arm, target, limits, branch, k, x, step) <= SLACK):
            parts[found, 0], parts[found, 1] = x, x
            found += 1
        is_open = goes_on and found > 0
    return found


@kernel
def existing_into(
    arm: Floats, target: Floats, branch: int, limits: Floats, samples: int, work: Floats, zeros: Floats, parts: Floats
) -> int:
    """Write the intervals of q7 in which a branch exists to `parts` (m, 2), single points too; return how many.

    They are the same for both shoulders and both wrists.
    """
    half, middle = min(limits[1, 6], math.pi), limits[0, 6]
    # first where the elbow reaches, then, inside that, where the wrist finds the shoulder
    outer = work[work.shape[0] - 8 :].reshape(-1)[: 2 * MOST_REACHED].reshape(MOST_REACHED, 2)
    reached = where_right_into(
        arm, target, branch, limits, ELBOW, middle - half, middle + half, samples, work, zeros, outer, 0
    )
    found = 0
    for i in range(reached):
        low, high = outer[i, 0], outer[i, 1]
        cells = LEAST_CELLS + int(samples * (high - low) / (2.0 * half))
        found = where_right_into(arm, target, branch, limits, WRIST, low, high, cells, work, zeros, parts, found)
    return found


@kernel
def follow(
    arm: Floats,
    target: Floats,
    limits: Floats,
    branch: int,
    table: Floats,
    work: Floats,
    zeros: Floats,
    count: int,
) -> int:
    """Follow a branch through the steps of `table` (n, STEP_SIZE), halving them where needed; note all zeros."""
    before, left, right, step = work[0], work[1], work[2], work[3]
    stack = work[4:]
    left[:] = table[0]
    is_first = True
    for i in range(1, table.shape[0]):
        stack[0, :] = table[i]
        depth = 1
        while depth > 0:
            right[:] = stack[depth - 1]
            hopeless = is_hopeless(left, right)
            turning = turn_between(left, right) > LONGEST_TURN
            # a joint turns too fast: take the middle first
            if turning and not hopeless and right[X] - left[X] > SHORTEST_STEP and depth < stack.shape[0]:
                look_into(arm, target, limits, branch, 0.5 * (left[X] + right[X]), stack[depth])
                depth += 1
                continue
            edge = -1 if is_first else (1 if depth == 1 and i == table.shape[0] - 1 else 0)
            # the zeros of the six joints' functions between `left` and `right`
            if not hopeless:
                for k in range(JOINTS, END):
                    count = note_zeros(arm, target, limits, branch, k, before, left, right, edge, step, zeros, count)
            if turning and not hopeless:  # a jump: axes 1 and 3 are one here
                x, _ = lowest_between(arm, target, limits, branch, LEAN, 1.0, left[X], right[X], step)
                count = note(zeros, count, x, 1.0)
            before[:] = left
            left[:] = right
            is_first = False
            depth -= 1
    return count
