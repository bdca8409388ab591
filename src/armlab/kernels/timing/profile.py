"""A joint's motion with limited jerk in a given time, as phases: slower where there is time, or a mix of two extremes.

A joint that has more time than it needs cruises more slowly; where it has to change its velocity all the time, it mixes
its farthest travel with its least: a mix keeps the limits that both keep, and its jerk is constant in phases.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.timing.durations import STEPS, farthest_into, rise, step_jerk

PHASES = 2 * STEPS
"""Of a joint; those that are not needed last 0 s."""
DURATION, FIRST, JERK = 0, 1, 2
"""The columns of a phase: s, the acceleration that it starts with, its jerk."""
SAME = 1e-10
"""Accelerations that differ by this share of the limit are the same."""
_ROUND = 1e-12
_CRUISE_STEPS = 100


@kernel
def _write_phase(phases: Floats, row: int, duration: float, a: float, j: float) -> float:
    """Write a phase, and return the acceleration at its end."""
    phases[row, DURATION], phases[row, FIRST], phases[row, JERK] = duration, a, j
    return a + duration * j


@kernel
def _bend_into(T: float, ends: Floats, limits: tuple[float, float, float], phases: Floats) -> bool:
    """Write a change of velocity in T s by the least acceleration x that does it; return whether there is one.

    Where x is above both ends (or turned round, below them), Δ = (2 x² − a0² − af²)/2J + x h with a hold h, and
    T = (2 x − a0 − af)/J + h, so that x² − (a0 + af + J T) x + J Δ + (a0² + af²)/2 = 0. Where it is between them,
    h = T − |af − a0|/J and x h = Δ ∓ (af² − a0²)/2J.
    """
    _, A, J = limits
    for sign in (1.0, -1.0):
        a0, af = sign * ends[1], sign * ends[3]
        half, rest = 0.5 * (a0 + af + J * T), sign * J * (ends[2] - ends[0]) + 0.5 * (a0 * a0 + af * af)
        inside = half * half - rest
        if inside < 0.0 or half <= 0.0:
            continue
        peak = rest / (half + math.sqrt(inside))
        if not max(0.0, a0, af) - SAME * A <= peak <= A * (1.0 + SAME):
            continue
        up, down = max(peak - a0, 0.0) / J, max(peak - af, 0.0) / J
        if up + down <= T * (1.0 + _ROUND):
            a = _write_phase(phases, 0, up, ends[1], sign * J)
            a = _write_phase(phases, 1, max(T - up - down, 0.0), a, 0.0)
            _write_phase(phases, 2, down, a, -sign * J)
            return True
    a0, af = ends[1], ends[3]
    sign = 1.0 if af > a0 else -1.0
    hold = T - abs(af - a0) / J
    if hold <= 0.0:
        return False
    x = (ends[2] - ends[0] - sign * (af * af - a0 * a0) / (2.0 * J)) / hold
    if not min(a0, af) <= x <= max(a0, af):
        return False
    a = _write_phase(phases, 0, abs(x - a0) / J, a0, sign * J)
    a = _write_phase(phases, 1, hold, a, 0.0)
    _write_phase(phases, 2, abs(af - x) / J, a, sign * J)
    return True


@kernel
def _change(v0: float, a0: float, v: float, limits: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Return the sign and the times of the quickest change from (v0, a0) to the velocity v with a = 0."""
    sign = 1.0 if v >= v0 + a0 * abs(a0) / (2.0 * limits[2]) else -1.0
    up, hold, down = rise(sign * v0, sign * a0, sign * v, limits)
    return sign, up, hold, down


@kernel
def _cruise_into(
    v: float, T: float, ends: Floats, limits: tuple[float, float, float], phases: Floats
) -> tuple[bool, float]:
    """Write a motion that cruises at v to seven phases; return whether T is long enough for it, and its distance."""
    J = limits[2]
    sign, up, hold, down = _change(ends[0], ends[1], v, limits)
    back, last, wait, first = _change(ends[2], -ends[3], v, limits)  # backwards in time
    cruise = T - up - hold - down - first - wait - last
    a = _write_phase(phases, 0, up, ends[1], sign * J)
    a = _write_phase(phases, 1, hold, a, 0.0)
    _write_phase(phases, 2, down, a, -sign * J)
    _write_phase(phases, 3, cruise, 0.0, 0.0)
    a = _write_phase(phases, 4, first, 0.0, -back * J)
    a = _write_phase(phases, 5, wait, a, 0.0)
    _write_phase(phases, 6, last, a, back * J)
    at, distance = ends[0], 0.0
    for k in range(STEPS):
        d, a, j = phases[k, DURATION], phases[k, FIRST], phases[k, JERK]
        distance += d * (at + d * (0.5 * a + d * j / 6.0))
        at += d * (a + 0.5 * d * j)
    return cruise >= 0.0, distance


@kernel
def _slow_into(T: float, d: float, ends: Floats, limits: tuple[float, float, float], phases: Floats) -> bool:
    """Write the motion over a distance d in T s that cruises, and gets no faster than it need; tell if there is one.

    The distance grows with the velocity of the cruise, which is found between two by regula falsi.
    """
    V, _, J = limits
    lowest = min(ends[0] + ends[1] * abs(ends[1]) / (2.0 * J), ends[2] - ends[3] * abs(ends[3]) / (2.0 * J))
    highest = max(ends[0] + ends[1] * abs(ends[1]) / (2.0 * J), ends[2] - ends[3] * abs(ends[3]) / (2.0 * J))
    low, high, below, above = -V, V, -math.inf, math.inf
    v = min(max(d / T, low), high)
    for step in range(_CRUISE_STEPS):
        fits, distance = _cruise_into(v, T, ends, limits, phases)
        error = distance - d
        if fits and abs(error) <= _ROUND * (1.0 + abs(d)):
            return True
        if not fits and lowest <= v <= highest:
            return False
        if (error > 0.0) if fits else v > highest:
            high, above = v, error if fits else math.inf
        else:
            low, below = v, error if fits else -math.inf
        v = 0.5 * (low + high)
        if step % 3 and below > -math.inf and above < math.inf:
            v = low + (high - low) * below / (below - above)
        if not low < v < high:
            return False
    return False


@kernel
def profile_into(
    T: float, d: float, by_velocity: bool, ends: Floats, limits: tuple[float, float, float], phases: Floats
) -> bool:
    """Write the phases of a joint that takes T s for a distance d to `phases` (14, 3); return whether it can."""
    phases[:] = 0.0
    most, least = np.empty(STEPS), np.empty(STEPS)
    own = (ends[0], ends[1], ends[2], ends[3])
    share = 0.5
    if by_velocity and _bend_into(T, ends, limits, phases):
        return True
    can, far, _slope = farthest_into(T, own, limits, most)
    if not can:
        return False
    can, near, _slope = farthest_into(T, (-own[0], -own[1], -own[2], -own[3]), limits, least)
    if not can:
        return False
    if not by_velocity:
        room = far + near  # `near` has its sign turned round
        share = (d + near) / room if room > _ROUND * (1.0 + abs(d)) else 1.0
        share = 0.0 if share < _ROUND else 1.0 if share > 1.0 - _ROUND else share
        if 0.0 < share < 1.0 and _slow_into(T, d, ends, limits, phases):
            return True
    _write_mix(share, most, least, own[1], limits[2], phases)
    return True


@kernel
def _write_mix(share: float, most: Floats, least: Floats, a: float, J: float, phases: Floats) -> None:
    """Write a share of the farthest travel, and the rest of the least, to `phases` (14, 3)."""
    phases[:] = 0.0
    i = k = row = 0
    left, other = most[0], least[0]
    while row < 2 * STEPS:
        while left <= 0.0 and i < STEPS:
            i += 1
            left = most[i] if i < STEPS else math.inf
        while other <= 0.0 and k < STEPS:
            k += 1
            other = least[k] if k < STEPS else math.inf
        if (i == STEPS and share > 0.0) or (k == STEPS and share < 1.0):
            break
        duration = left if share == 1.0 else other if share == 0.0 else min(left, other)
        a = _write_phase(phases, row, duration, a, share * step_jerk(i, J) - (1.0 - share) * step_jerk(k, J))
        if share < 1.0:
            other -= duration
        if share > 0.0:
            left -= duration
        row += 1


@kernel
def soonest_into(
    first: float, d: float, by_velocity: bool, ends: Floats, limits: tuple[float, float, float], phases: Floats
) -> bool:
    """Write a joint's own quickest motion, after which it goes on as it arrives, at a velocity or at rest.

    It serves where another duration is so near to the ends of all durations that rounding leaves no motion for it.
    """
    phases[:] = 0.0
    if ends[3] != 0.0:
        return False
    if by_velocity:
        sign, up, hold, down = _change(ends[0], ends[1], ends[2], limits)
        a = _write_phase(phases, 0, up, ends[1], sign * limits[2])
        a = _write_phase(phases, 1, hold, a, 0.0)
        _write_phase(phases, 2, down, a, -sign * limits[2])
        return True
    return ends[2] == 0.0 and profile_into(first, d, False, ends, limits, phases)
