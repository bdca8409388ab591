"""The quickest motion of several joints with limited jerk, from any state to any other: alone, together, or in line.

Each joint has a set of durations (armlab.kernels.timing.durations). Alone, it takes its shortest; together, all take
the shortest that each of them can take (armlab.kernels.timing.profile has the motion of a joint in a given time).
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.timing import profile
from armlab.kernels.timing.durations import MOST_INTERVALS, direct_durations_into, durations_into
from armlab.kernels.timing.profile import DURATION, FIRST, JERK, profile_into, soonest_into

BRAKE_PHASES = 2
"""In front of the others: back inside the limits of velocity and acceleration."""
PHASES = BRAKE_PHASES + profile.PHASES
"""Of each joint; those that are not needed last 0 s."""
TIME, PHASE, NONE = 0, 1, 2
"""How joints wait for each other: they arrive together; go in line if they can, else arrive together; not at all."""
FOUND, BAD_INPUT, NOT_FOUND = 0, 1, 2
IN_LINE = 1e-10
"""Vectors over the joints that differ by this share of the largest are in line."""
_POSITION, _VELOCITY, _ACCELERATION = 0, 1, 2


@kernel
def _brake_into(start: Floats, V: float, A: float, J: float, phases: Floats) -> float:
    """Write how a joint comes back inside its limits to `phases` (2, 3), change `start` (3,), and return how long."""
    v, a = start[_VELOCITY], start[_ACCELERATION]
    rest = a * a / (2.0 * J)  # what the velocity still changes by until a = 0
    sign = 0.0
    if abs(a) > A:
        sign = math.copysign(1.0, a)
    else:
        for side in (1.0, -1.0):  # beyond the upper limit of velocity; or beyond the lower one, turned round
            is_over = side * v > V and side * v - rest > -V
            if is_over or (side * a > 0.0 and side * v + rest > V):
                sign = side
    if sign == 0.0:
        return 0.0
    v, a, hold = sign * v, sign * a, 0.0
    if v > V or (a > 0.0 and v + rest > V):
        # −J until the velocity is V again, a t − J t²/2 = V − v, or until +J would just bring it to rest at -V;
        # or until the deceleration is A, which stays until one of both
        first = (a + math.sqrt(max(min(a * a + 2.0 * J * (v - V), 0.5 * a * a + J * (v + V)), 0.0))) / J
        if a - J * first < -A:
            first = (a + A) / J
            after = v + first * (a - 0.5 * J * first)
            hold = max(min(after - V, after + V - A * A / (2.0 * J)) / A, 0.0)
    else:  # −J until the acceleration is A, which stays while the velocity is still below -V
        first = (a - A) / J
        hold = max((-V - v - first * (a - 0.5 * J * first)) / A, 0.0)
    total = 0.0
    for k in range(BRAKE_PHASES):
        d, j = (first, -J) if k == 0 else (hold, 0.0)
        phases[k, DURATION], phases[k, FIRST], phases[k, JERK] = d, sign * a, sign * j
        start[_POSITION] += sign * d * (v + d * (0.5 * a + d * j / 6.0))
        v += d * (a + 0.5 * d * j)
        a += d * j
        total += d
    start[_VELOCITY], start[_ACCELERATION] = sign * v, sign * a
    return total


@kernel
def _is_usable(start: Floats, target: Floats, V: float, A: float, J: float, by_velocity: bool) -> bool:
    """Tell whether one joint can start with such numbers, and have come to its target without having been too fast."""
    for k in range(3):
        if not (math.isfinite(start[k]) and math.isfinite(target[k])):
            return False
    v, a = target[_VELOCITY], target[_ACCELERATION]
    if not (V > 0.0 and A > 0.0 and J > 0.0 and math.inf > A and math.inf > J and abs(a) <= A):
        return False
    return by_velocity or (math.inf > V and abs(v) <= V and abs(v - a * abs(a) / (2.0 * J)) <= V)


@kernel
def _next_duration(T: float, brake: float, count: int, intervals: Floats) -> float:
    """Return the shortest duration from T on that a joint can take, its brake included."""
    for i in range(count):
        if intervals[i, 1] + brake >= T:
            return max(T, float(intervals[i, 0]) + brake)
    return math.inf


@kernel
def _common_duration(least: float, brakes: Floats, counts: Floats, intervals: Floats) -> float:
    """Return the shortest duration from `least` on that every joint can take."""
    T = least
    for _ in range(2 * MOST_INTERVALS):
        before = T
        for i in range(brakes.shape[0]):
            T = _next_duration(T, brakes[i], int(counts[i]), intervals[i])
        if before == T:
            return T
    return math.inf


@kernel
def _peaks(v: float, phases: Floats) -> tuple[float, float, float]:
    """Return the largest velocity, acceleration and jerk of a joint's phases, without signs."""
    fastest, hardest, sharpest = abs(v), 0.0, 0.0
    for k in range(phases.shape[0]):
        d, a, j = phases[k, DURATION], phases[k, FIRST], phases[k, JERK]
        if d > 0.0:
            hardest, sharpest = max(hardest, abs(a), abs(a + d * j)), max(sharpest, abs(j))
            if j != 0.0 and 0.0 < -a / j < d:
                fastest = max(fastest, abs(v - 0.5 * a * a / j))
            v += d * (a + 0.5 * d * j)
            fastest = max(fastest, abs(v))
    return fastest, hardest, sharpest


@kernel
def _go_in_line(
    leader: int, distances: Floats, start: Floats, target: Floats, by_velocity: Floats, table: Floats, phases: Floats
) -> bool:
    """Let all joints do the same as the leader, each by its own share; return whether that is possible."""
    n = start.shape[0]
    rows = np.empty((5, n))
    for i in range(n):
        rows[0, i] = distances[i] if by_velocity[leader] == 0.0 else 0.0
        rows[1, i], rows[2, i] = start[i, _VELOCITY], start[i, _ACCELERATION]
        rows[3, i], rows[4, i] = target[i, _VELOCITY], target[i, _ACCELERATION]
    main = 0
    for r in range(5):
        if rows[main, leader] == 0.0:
            main = r
    if rows[main, leader] == 0.0:
        return False
    fastest, hardest, sharpest = _peaks(start[leader, _VELOCITY], phases[leader])
    for i in range(n):
        share = rows[main, i] / rows[main, leader]
        if by_velocity[i] != by_velocity[leader]:
            return False
        for r in range(5):
            largest = max(abs(rows[r, i]), abs(share * rows[r, leader]))
            if abs(rows[r, i] - share * rows[r, leader]) > IN_LINE * largest:
                return False
        size = abs(share) * (1.0 - IN_LINE)
        if by_velocity[i] == 0.0 and size * fastest > table[0, i]:
            return False
        if size * hardest > table[1, i] or size * sharpest > table[2, i]:
            return False
    for i in range(n):
        if i != leader:
            share = rows[main, i] / rows[main, leader]
            phases[i, :, DURATION] = phases[leader, :, DURATION]
            phases[i, :, FIRST] = share * phases[leader, :, FIRST]
            phases[i, :, JERK] = share * phases[leader, :, JERK]
    return True


@kernel
def _any_durations_into(
    d: float, by_velocity: bool, ends: Floats, limits: tuple[float, float, float], intervals: Floats
) -> int:
    """Write the durations of a joint to `intervals` (MOST_INTERVALS, 2), whatever its way if only velocities count."""
    own = (ends[0], ends[1], ends[2], ends[3])
    if not by_velocity:
        return durations_into(d, own, limits, intervals)
    firsts = np.empty(6)
    parts = direct_durations_into(own, limits, firsts)
    for part in range(0, parts, 2):
        intervals[part // 2, 0] = firsts[part]
        intervals[part // 2, 1] = firsts[part + 1] if part + 1 < parts else math.inf
    return (parts + 1) // 2


@kernel
def quickest_into(
    table: Floats, start: Floats, target: Floats, by_velocity: Floats, waiting: int, least: float, phases: Floats
) -> tuple[int, float]:
    """Write the phases of n joints to `phases` (n, PHASES, 3); return a status and the duration (s).

    Args:
        table: velocity, acceleration and jerk, (3, n)
        start: position, velocity and acceleration, (n, 3); may be beyond the limits
        target: the same at the end; of joints that only have a velocity to reach, the position is not looked at
        by_velocity: 1 for such joints, else 0, (n,)
        waiting: TIME, PHASE or NONE
        least: the motion takes at least so many seconds
        phases: where they go
    """
    n = start.shape[0]
    own, ends, intervals = start.copy(), np.empty((n, 4)), np.empty((n, MOST_INTERVALS, 2))
    brakes, counts, distances = np.empty(n), np.empty(n), np.empty(n)
    phases[:] = 0.0
    longest, leader = 0.0, 0
    for i in range(n):
        free = by_velocity[i] != 0.0
        limits = (math.inf if free else table[0, i], table[1, i], table[2, i])
        if not _is_usable(start[i], target[i], limits[0], limits[1], limits[2], free):
            return BAD_INPUT, 0.0
        brakes[i] = _brake_into(own[i], limits[0], limits[1], limits[2], phases[i])
        distances[i] = target[i, _POSITION] - own[i, _POSITION]
        ends[i, :2], ends[i, 2:] = own[i, 1:], target[i, 1:]
        counts[i] = _any_durations_into(distances[i], free, ends[i], limits, intervals[i])
        first = intervals[i, 0, 0] + brakes[i] if counts[i] > 0.0 else math.inf
        if not first < math.inf:
            return NOT_FOUND, 0.0
        if first > longest:
            longest, leader = first, i
    if waiting == PHASE and brakes.max() == 0.0 and least <= longest:
        free, i = by_velocity[leader] != 0.0, leader
        limits = (math.inf if free else table[0, i], table[1, i], table[2, i])
        can = profile_into(longest, distances[i], free, ends[i], limits, phases[i, BRAKE_PHASES:])
        if can and _go_in_line(leader, distances, start, target, by_velocity, table, phases):
            return FOUND, longest
    together = _common_duration(max(longest, least), brakes, counts, intervals)
    longest = 0.0
    for i in range(n):
        free = by_velocity[i] != 0.0
        limits = (math.inf if free else table[0, i], table[1, i], table[2, i])
        T = _next_duration(least, brakes[i], int(counts[i]), intervals[i]) if waiting == NONE else together
        if not math.inf > T:
            return NOT_FOUND, 0.0
        rows, d = phases[i, BRAKE_PHASES:], distances[i]
        if not profile_into(T - brakes[i], d, free, ends[i], limits, rows) and not soonest_into(
            intervals[i, 0, 0], d, free, ends[i], limits, rows
        ):
            return NOT_FOUND, 0.0
        longest = max(longest, T)
    return FOUND, longest
