"""How long a joint may take with limited jerk: from any state to any other over a given distance, all durations.

For a duration T, the distances that can be travelled from (v0, a0) to (vf, af) fill an interval: a mix of two motions
within limits of velocity, acceleration and jerk is within them, too. Its upper end, the farthest travel D(T), is
reached with the jerk +J, then −J, then +J, with holds at the largest acceleration A, at the largest velocity V and
at −A where those limits stop it; its lower end is the same with all signs turned round. A distance d can take T
seconds, therefore, where it is between both ends; the durations of a distance begin and end where D(T) = d.

How far after T seconds. Let δ = (af − a0)/J and Δ = vf − v0. Without holds, the phase of −J lasts t₂ = (T − δ)/2,
whatever else happens. Moving it along the time axis changes the speed that is gained linearly, which gives t₁:

    Δ = a0 T + J T²/2 − 2 J t₂ (T − t₁ − t₂/2).

With one hold at ±A, the time of the hold follows from T, and Δ is a quadratic in t₂; with two holds, both are linear.

Where D(T) turns round. Its slope is H = v + a t₂/2, with the state (v, a) at which the phase of −J begins (the costate
of the velocity is linear in time, and zero in the middle of that phase); at V it is V. Without holds, with x = T − δ,
K = (af² − a0²)/2J − Δ and C = v0 − a0²/2J,

    H = C + (3 J² x²/16 − J K + K²/x²)/2J,

and with holds H is a quadratic in t₂, or linear in T: all zeros are known, and D is monotone between them.

Which durations there are at all. Their ends are the motions (+J, −J) and (−J, +J), with their hold at A: one of them
begins all durations, or three of them, where both accelerations have the same sign, enclose a gap.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

STEPS = 7
"""Of the farthest travel: +J, hold at A, −J to a = 0, hold at V, −J, hold at −A, +J."""
SLACK = 1e-10
"""s per s of duration: a phase this much too short is rounding."""
SAME = 1e-9
"""Accelerations that differ by this share of A are the same."""
NEAR = 1e-10
"""m or rad, and per m or rad of distance: a distance this near to an end of its interval is on it."""
MOST_INTERVALS = 40
_MOST_ZEROS = 7
_ROOT_STEPS = 80


@kernel
def step_jerk(step: int, jerk: float) -> float:
    """Return the jerk of a step of the farthest travel."""
    if step in (0, 6):
        return jerk
    return -jerk if step in (2, 4) else 0.0


@kernel
def travelled(t: Floats, v: float, a: float, jerk: float) -> float:
    """Return the distance of steps `t` (7,) from velocity v and acceleration a."""
    distance = 0.0
    for k in range(STEPS):
        j, d = step_jerk(k, jerk), t[k]
        distance += d * (v + d * (0.5 * a + d * j / 6.0))
        v += d * (a + 0.5 * d * j)
        a += d * j
    return distance


@kernel
def rise(v0: float, a0: float, v: float, limits: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return the times of +J, a hold at A and −J from (v0, a0) up to the velocity v with a = 0."""
    _, A, J = limits
    peak, hold = math.sqrt(max(J * (v - v0) + 0.5 * a0 * a0, 0.0)), 0.0  # (2 peak² − a0²)/2J = v − v0
    if peak > A:
        hold, peak = (v - v0 - (2.0 * A * A - a0 * a0) / (2.0 * J)) / A, A
    return max((peak - a0) / J, 0.0), hold, peak / J


@kernel
def farthest_into(
    T: float, ends: tuple[float, float, float, float], limits: tuple[float, float, float], t: Floats
) -> tuple[bool, float, float]:
    """Write the steps of the farthest travel in T s to `t` (7,); return whether there is one, its distance and slope.

    `ends` are v0, a0, vf, af; `limits` are V, A, J.
    """
    v0, a0, vf, af = ends
    V, A, J = limits
    t[:] = 0.0
    gain, slack = vf - v0, SLACK * (1.0 + T)
    t2 = 0.5 * (T - (af - a0) / J)
    if t2 < -slack:
        return False, 0.0, 0.0
    t2 = max(t2, 0.0)
    t1, t3, h1, h2 = T - t2, 0.0, 0.0, 0.0
    if t2 > 0.0:
        t1 = T - 0.5 * t2 - (a0 * T + 0.5 * J * T * T - gain) / (2.0 * J * t2)
        t3 = T - t2 - t1
    if t1 < -slack or t3 < -slack:
        return False, 0.0, 0.0
    t1, t3 = max(t1, 0.0), max(t3, 0.0)
    top, bottom = a0 + J * t1, af - J * t3
    if top > A or bottom < -A:
        bend, is_found = (af * af - a0 * a0) / (2.0 * J), False
        if top > A:  # a hold at A: T = t₁ + h₁ + t₂ + t₃ and t₃ = t₂ + (af − A)/J leave J t₂² = bend + A(h₁ + 2 t₂) − Δ
            t1, less = (A - a0) / J, (af - A) / J
            square = (bend + A * (T - t1 - less) - gain) / J
            t2 = math.sqrt(max(square, 0.0))
            t3 = t2 + less
            h1 = T - t1 - t2 - t3
            is_found = square >= -slack and J * t2 <= 2.0 * A and h1 >= -slack and t3 >= -slack
        if not is_found and bottom < -A:  # a hold at −A: the same backwards in time
            t3, less = (af + A) / J, (a0 + A) / J
            square = (gain - bend + A * (T + less - t3)) / J
            t2, h1 = math.sqrt(max(square, 0.0)), 0.0
            t1 = t2 - less
            h2 = T - t1 - t2 - t3
            is_found = square >= -slack and J * t2 <= 2.0 * A and h2 >= -slack and t1 >= -slack
        if not is_found:  # both
            t1, t2, t3 = (A - a0) / J, 2.0 * A / J, (af + A) / J
            rest, more = T - t1 - t2 - t3, (gain - bend) / A
            h1, h2 = 0.5 * (rest + more), 0.5 * (rest - more)
            if h1 < -slack or h2 < -slack:
                return False, 0.0, 0.0
        t1, t3, h1, h2 = max(t1, 0.0), max(t3, 0.0), max(h1, 0.0), max(h2, 0.0)
        top = a0 + J * t1
    v = v0 + t1 * (a0 + 0.5 * J * t1) + top * h1
    over = min(max(top / J, 0.0), t2)  # the part of −J before a = 0, where the velocity is highest
    if top > 0.0 and v + over * (top - 0.5 * J * over) > V:
        t[0], t[1], t[2] = rise(v0, a0, V, limits)
        t[6], t[5], t[4] = rise(vf, -af, V, limits)
        t[3] = max(T - t[0] - t[1] - t[2] - t[4] - t[5] - t[6], 0.0)
        return True, travelled(t, v0, a0, J), V
    t[0], t[1], t[2], t[4], t[5], t[6] = t1, h1, over, t2 - over, h2, t3
    return True, travelled(t, v0, a0, J), v + 0.5 * top * t2


@kernel
def direct_durations_into(
    ends: tuple[float, float, float, float], limits: tuple[float, float, float], out: Floats
) -> int:
    """Write the ends of the durations from (v0, a0) to (vf, af), whatever the distance, to `out`; return how many.

    One: all from it on. Three: up to the second, and from the third on.
    """
    v0, a0, vf, af = ends
    _, A, J = limits
    n = 0
    for sign in (1.0, -1.0):  # (+J, −J) with the peak p: (2 p² − a0² − af²)/2J = Δ, and the same turned round
        b0, bf, gain = sign * a0, sign * af, sign * (vf - v0)
        square = 0.5 * (a0 * a0 + af * af) + J * gain
        if square < -SAME * A * A:
            continue
        root = math.sqrt(max(square, 0.0))
        for side in (1.0, -1.0) if root > SAME * A else (1.0, 0.0):
            if side == 0.0 or side * root < max(b0, bf) - SAME * A:
                continue
            peak, hold = min(side * root, A), 0.0
            if side * root > A:
                hold = (gain - (2.0 * A * A - b0 * b0 - bf * bf) / (2.0 * J)) / A
            out[n] = (max(peak - b0, 0.0) + max(peak - bf, 0.0)) / J + hold
            n += 1
    out[:n].sort()
    if n == 2:  # one motion that is both, from rest to rest for instance
        n = 1
    return n


@kernel
def still_durations_into(
    ends: tuple[float, float, float, float], limits: tuple[float, float, float], out: Floats
) -> int:
    """Write the durations at which the farthest travel may turn round to `out`, unsorted; return how many."""
    v0, a0, vf, af = ends
    _, A, J = limits
    n, gain, bend = 0, vf - v0, (af * af - a0 * a0) / (2.0 * J)
    K, C = bend - gain, v0 - a0 * a0 / (2.0 * J)
    half, square = 2.0 * C - K, 0.1875 * J  # no hold: 3/16 J y² + (2C − K) y + K²/J = 0 with y = x²
    inside = half * half - 4.0 * square * K * K / J
    if inside >= 0.0:
        for side in (math.sqrt(inside), -math.sqrt(inside)):
            y = (side - half) / (2.0 * square)
            if y > 0.0:
                out[n] = (af - a0) / J + math.sqrt(y)
                n += 1
    t1, t3 = (A - a0) / J, (af + A) / J
    inside = 2.25 * A * A - 4.0 * J * (vf + (A * A - af * af) / (2.0 * J))  # hold at A: J t₂² − 3/2 A t₂ + … = 0
    if inside >= 0.0:
        for side in (math.sqrt(inside), -math.sqrt(inside)):
            t2 = (1.5 * A + side) / (2.0 * J)
            if t2 > 0.0:
                out[n] = t1 + (af - A) / J + (J * t2 * t2 + gain - bend) / A
                n += 1
    inside = A * A - 16.0 * J * C  # hold at −A: C + (J t₂ − A)(2 J t₂ − A)/2J = 0
    if inside >= 0.0:
        for side in (math.sqrt(inside), -math.sqrt(inside)):
            t2 = (3.0 * A + side) / (4.0 * J)
            if t2 > 0.0:
                out[n] = t3 - (a0 + A) / J + (J * t2 * t2 - gain + bend) / A
                n += 1
    h1 = -(v0 + (3.0 * A * A - a0 * a0) / (2.0 * J)) / A  # both: v + A²/J = 0 behind the hold at A
    out[n] = t1 + 2.0 * A / J + t3 + 2.0 * h1 - (gain - bend) / A
    return n + 1


@kernel
def _duration_between(
    low: float, high: float, below: float, above: float, d: float,
    ends: tuple[float, float, float, float], limits: tuple[float, float, float], t: Floats,
) -> float:  # fmt: skip
    """Return when the farthest travel is d, by Newton's method: it goes from `below` at `low` to `above` at `high`."""
    if below == above:
        return low
    grows = above > below
    T = low + (high - low) * min(max((d - below) / (above - below), 0.0), 1.0)
    for _ in range(_ROOT_STEPS):
        _ok, here, slope = farthest_into(T, ends, limits, t)
        if (here < d) == grows:
            low = T
        else:
            high = T
        step = (d - here) / slope if slope != 0.0 else 0.0
        at = T + step
        if not low < at < high:
            if abs(step) <= 1e-15 * T:
                return T
            at = 0.5 * (low + high)
        if abs(at - T) <= 4e-16 * T:
            return at
        T = at
    return T


@kernel
def _cruise_from(ends: tuple[float, float, float, float], limits: tuple[float, float, float]) -> float:
    """Return the duration from which on the farthest travel cruises at V."""
    v0, a0, vf, af = ends
    up0, up1, up2 = rise(v0, a0, limits[0], limits)
    down0, down1, down2 = rise(vf, -af, limits[0], limits)
    return up0 + up1 + up2 + down0 + down1 + down2


@kernel
def _turned(ends: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return the same ends with all signs turned round: their farthest travel is the least of `ends`."""
    return -ends[0], -ends[1], -ends[2], -ends[3]


@kernel
def _marks_into(
    first: float, last: float, d: float,
    ends: tuple[float, float, float, float], limits: tuple[float, float, float], t: Floats, zeros: Floats,
    marks: Floats, n: int,
) -> int:  # fmt: skip
    """Add the durations from `first` to `last` at which the farthest travel is d to `marks`; return their new count."""
    top, k = last, 0
    if last == math.inf:
        top = max(_cruise_from(ends, limits), first)
    for i in range(still_durations_into(ends, limits, zeros)):
        if first < zeros[i] < top:
            zeros[k] = zeros[i]
            k += 1
    zeros[k], zeros[k + 1] = first, top
    k += 2
    zeros[:k].sort()
    _ok, before, _slope = farthest_into(zeros[0], ends, limits, t)
    for i in range(1, k):
        _ok, after, _slope = farthest_into(zeros[i], ends, limits, t)
        if (before < d) != (after < d):
            marks[n] = _duration_between(zeros[i - 1], zeros[i], before, after, d, ends, limits, t)
            n += 1
        before = after
    if last == math.inf and before < d:
        marks[n] = top + (d - before) / limits[0]
        n += 1
    return n


@kernel
def _least_growing(
    first: float, d: float, ends: tuple[float, float, float, float], limits: tuple[float, float, float],
    t: Floats, zeros: Floats,
) -> float:  # fmt: skip
    """Return the duration of d where all durations follow it, as is usual; or -1 where that is not seen at once."""
    _ok, at_first, slope = farthest_into(first, ends, limits, t)
    if d < at_first:
        d, ends = -d, _turned(ends)
        _ok, at_first, slope = farthest_into(first, ends, limits, t)
    if slope < 0.0:
        return -1.0
    for i in range(still_durations_into(ends, limits, zeros)):
        if zeros[i] > first:
            return -1.0
    T, top = first, _cruise_from(ends, limits)
    if top > first:
        _ok, at_top, _slope = farthest_into(top, ends, limits, t)
        if at_top <= d:
            T = top + (d - at_top) / limits[0]
        elif at_first < d:
            T = _duration_between(first, top, at_first, at_top, d, ends, limits, t)
    else:
        T = first + max(d - at_first, 0.0) / limits[0]
    other = _turned(ends)
    _ok, _least, slope = farthest_into(T, other, limits, t)
    if slope < 0.0:
        return -1.0
    for i in range(still_durations_into(other, limits, zeros)):
        if zeros[i] > T:
            return -1.0
    return T


@kernel
def _can_take(
    T: float, d: float, slack: float, ends: tuple[float, float, float, float], limits: tuple[float, float, float],
    t: Floats,
) -> bool:  # fmt: skip
    """Tell whether d takes T s, up to some slack of the distance."""
    is_there, most, _slope = farthest_into(T, ends, limits, t)
    if not is_there or most < d - slack:
        return False
    is_there, most, _slope = farthest_into(T, _turned(ends), limits, t)
    return is_there and -most <= d + slack


@kernel
def durations_into(
    d: float, ends: tuple[float, float, float, float], limits: tuple[float, float, float], out: Floats
) -> int:
    """Write the intervals of durations (s) that the distance d may take to `out` (MOST_INTERVALS, 2); return how many.

    They are in order; the last one has no end.
    """
    t, zeros, firsts = np.empty(STEPS), np.empty(_MOST_ZEROS + 2), np.empty(6)
    parts = direct_durations_into(ends, limits, firsts)
    if parts == 1:
        T = _least_growing(firsts[0], d, ends, limits, t, zeros)
        if T >= 0.0:
            out[0, 0], out[0, 1] = T, math.inf
            return 1
    marks, count, slack = np.empty(MOST_INTERVALS), 0, NEAR * (1.0 + abs(d))
    for part in range(0, parts, 2):
        first, last = firsts[part], firsts[part + 1] if part + 1 < parts else math.inf
        marks[0], n = first, 1
        n = _marks_into(first, last, d, ends, limits, t, zeros, marks, n)
        n = _marks_into(first, last, -d, _turned(ends), limits, t, zeros, marks, n)
        if last < math.inf:
            marks[n] = last
            n += 1
        marks[:n].sort()
        for i in range(n):  # between two marks all durations are possible, or none
            is_last = i == n - 1
            end = math.inf if is_last else marks[i + 1]
            if is_last and last < math.inf:
                break
            middle = marks[i] + 1.0 if is_last else 0.5 * (marks[i] + end)
            if not _can_take(middle, d, 0.0, ends, limits, t):
                end = marks[i]  # this one alone, perhaps
                if not _can_take(end, d, slack, ends, limits, t):
                    continue
            if count and out[count - 1, 1] >= marks[i]:
                out[count - 1, 1] = max(end, out[count - 1, 1])
            else:
                out[count, 0], out[count, 1] = marks[i], end
                count += 1
    return count
