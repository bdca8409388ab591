"""Motions made of phases of constant jerk: the quickest from rest to rest, where they are, and as polynomials.

`phases` (n, k, 3) holds for each joint and phase: how long it lasts (s), the acceleration that it starts with, and its
jerk. `start` (2, n) are the positions and velocities at t = 0. Inside a phase, d seconds after it begins,

    p(d) = p + v d + a d²/2 + j d³/6,    v(d) = v + a d + j d²/2,    a(d) = a + j d.

After its last phase a joint goes on with the velocity that it has then.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.polynomials import are_distinct_inside, are_sound

DURATION, ACCELERATION, JERK = 0, 1, 2
"""The columns of a phase."""
SHORTEST = 32.0 * float(np.finfo(np.float64).eps)
"""No piece of a motion is shorter than this share of the time until its end: that is rounding."""
REST_PHASES = 7
"""Phases from rest to rest: jerk up, constant acceleration, jerk down, cruise, and the same three backwards."""
LOWER, UPPER, MAX_VELOCITY, MAX_ACCELERATION, MAX_JERK = 0, 1, 2, 3, 4
"""The rows of `limits` (5, n)."""
NOT_COMPUTED = -1
"""What `rest_to_rest_into` returns where points are outside the limits, not finite, twice the same, or overflow."""


@kernel
def sample_into(start: Floats, phases: Floats, times: Floats, out: Floats) -> None:
    """Write positions, velocities and accelerations at growing `times` (m,) to `out` (3, m, n)."""
    n, count, _ = phases.shape
    for j in range(n):
        p, v, begin, k = start[0, j], start[1, j], 0.0, 0
        for i in range(times.shape[0]):
            while k < count and times[i] >= begin + phases[j, k, DURATION]:  # on to the phase that holds this time
                d, a, b = phases[j, k, DURATION], phases[j, k, ACCELERATION], phases[j, k, JERK]
                p += d * (v + d * (a / 2.0 + d * b / 6.0))
                v += d * (a + d * b / 2.0)
                begin += d
                k += 1
            d, a, b = times[i] - begin, 0.0, 0.0
            if k < count:
                a, b = phases[j, k, ACCELERATION], phases[j, k, JERK]
            out[0, i, j] = p + d * (v + d * (a / 2.0 + d * b / 6.0))
            out[1, i, j] = v + d * (a + d * b / 2.0)
            out[2, i, j] = a + d * b


@kernel
def position_range_into(start: Floats, phases: Floats, duration: float, out: Floats) -> None:
    """Write the lowest and the highest position of each joint from 0 to `duration` to `out` (2, n)."""
    n, count, _ = phases.shape
    roots = np.empty(2)
    for j in range(n):
        p, v, rest = start[0, j], start[1, j], duration
        out[0, j], out[1, j] = p, p
        for k in range(count):
            d, a, b = phases[j, k, DURATION], phases[j, k, ACCELERATION], phases[j, k, JERK]
            # the position turns round where v + a d + j d²/2 = 0; the roots in the form that does not cancel
            roots[0], roots[1] = math.nan, math.nan
            square = a * a - 2.0 * b * v
            if square >= 0.0:
                side = -(a + math.copysign(math.sqrt(square), a))
                if b != 0.0:
                    roots[0] = side / b
                if side != 0.0:
                    roots[1] = 2.0 * v / side
            for r in range(3):
                at = d if r == 2 else roots[r]
                if 0.0 <= at <= d:
                    here = p + at * (v + at * (a / 2.0 + at * b / 6.0))
                    out[0, j], out[1, j] = min(out[0, j], here), max(out[1, j], here)
            p += d * (v + d * (a / 2.0 + d * b / 6.0))
            v += d * (a + d * b / 2.0)
            rest -= d
        if rest > 0.0:  # the joint is there before the others, and goes on
            out[0, j], out[1, j] = min(out[0, j], p + rest * v), max(out[1, j], p + rest * v)


@kernel
def ramp_time(speed: float, acceleration: float, jerk: float) -> float:
    """Return how long it takes from rest to `speed` and no acceleration: v/a + a/j, or 2 √(v/j) below a²/j."""
    if speed * jerk >= acceleration * acceleration:
        return speed / acceleration + acceleration / jerk
    return 2.0 * math.sqrt(speed / jerk)


@kernel
def top_speed(distance: float, velocity: float, acceleration: float, jerk: float) -> float:
    """Return the highest speed of the quickest motion from rest to rest over a distance, d = v (ramp + cruise)."""
    if distance >= velocity * ramp_time(velocity, acceleration, jerk):
        return velocity
    build_up = acceleration / jerk
    if distance >= 2.0 * acceleration * build_up * build_up:  # v²/a + v a/j = d
        return 2.0 * distance / (build_up + math.sqrt(build_up * build_up + 4.0 * distance / acceleration))
    return float(np.cbrt(0.25 * distance * distance * jerk))  # 2 v √(v/j) = d


@kernel
def cruise_speed(distance: float, total: float, acceleration: float, jerk: float) -> float:
    """Return the cruising speed v that covers a distance in the given time: d/v + ramp(v) = T, the slower of two."""
    build_up = acceleration / jerk
    limit = acceleration * build_up  # the speed from which on full acceleration is reached
    if distance >= 2.0 * limit * build_up and total <= distance / limit + 2.0 * build_up:
        rest = total - build_up  # v²/a - (T - a/j) v + d = 0
        return 2.0 * distance / (rest + math.sqrt(max(rest * rest - 4.0 * distance / acceleration, 0.0)))
    # 2 √(v³/j) - T v + d = 0: with y = 3 √(v/j) / T it is 3y² - 2y³ = 27 d / (j T³)
    share = min(27.0 * distance / (jerk * total * total * total), 1.0)
    if share >= 0.5:
        y = 0.5 - math.sin(math.asin(1.0 - 2.0 * share) / 3.0)
    else:  # the sine would cancel: Newton's steps from below
        y = math.sqrt(share / 3.0)
        for _ in range(5):
            y -= (y * y * (3.0 - 2.0 * y) - share) / (6.0 * y * (1.0 - y))
    return jerk * (total * y / 3.0) ** 2


@kernel
def rest_phases_into(rise: Floats, limits: Floats, given: float, phases: Floats) -> None:
    """Write the quickest phases (n, 7, 3) from rest to rest over `rise` (n,); all joints arrive together.

    The slowest joint says how long it takes; the others cruise slower, with the same accelerations and jerks. With
    `given` above zero the motion is stretched to take that many seconds: accelerations fall with the square of the
    stretch, jerks with its cube.
    """
    n = rise.shape[0]
    total = 0.0
    for j in range(n):
        if rise[j] != 0.0:
            v, a, b = limits[MAX_VELOCITY, j], limits[MAX_ACCELERATION, j], limits[MAX_JERK, j]
            speed = top_speed(abs(rise[j]), v, a, b)
            total = max(total, ramp_time(speed, a, b) + abs(rise[j]) / speed)
    stretch = given / total if given > 0.0 else 1.0
    for j in range(n):
        v, a, b = limits[MAX_VELOCITY, j], limits[MAX_ACCELERATION, j], limits[MAX_JERK, j]
        speed = 0.0
        if rise[j] != 0.0:
            speed = min(cruise_speed(abs(rise[j]), total, a, b), top_speed(abs(rise[j]), v, a, b))
        building, steady = math.sqrt(speed / b), 0.0
        if speed * b >= a * a:
            building, steady = a / b, speed / a - a / b
        peak = math.copysign(building * b, rise[j]) / (stretch * stretch)
        jerk = math.copysign(b, rise[j]) / (stretch * stretch * stretch)
        cruise = max(total - 4.0 * building - 2.0 * steady, 0.0)
        phases[j, :, DURATION] = building * stretch
        phases[j, 1, DURATION], phases[j, 5, DURATION] = steady * stretch, steady * stretch
        phases[j, 3, DURATION] = cruise * stretch
        phases[j, :, ACCELERATION], phases[j, :, JERK] = 0.0, 0.0
        phases[j, 1, ACCELERATION], phases[j, 2, ACCELERATION] = peak, peak
        phases[j, 5, ACCELERATION], phases[j, 6, ACCELERATION] = -peak, -peak
        phases[j, 0, JERK], phases[j, 6, JERK] = jerk, jerk
        phases[j, 2, JERK], phases[j, 4, JERK] = -jerk, -jerk


@kernel
def pieces_into(phases: Floats, points: Floats, velocity: Floats, breaks: Floats, coefficients: Floats) -> int:
    """Turn phases of constant jerk into pieces with common breaks; return how many pieces there are.

    Segment l takes the joints from `points[l]` to `points[l + 1]` (segments + 1, n) in `phases[l]` (n, k, 3). The first
    segment starts with `velocity` (n,), the others from rest. `breaks` and `coefficients` (…, 4, n), as of a
    PiecewisePolynomial, have room for a piece per phase. Phases that change within SHORTEST are taken as one.
    """
    segments, n, count, _ = phases.shape
    times, p, v = np.empty(n * count), np.empty(n), np.empty(n)
    phase, since = np.empty(n, np.int64), np.empty(n)
    pieces, segment_start = 0, 0.0
    breaks[0] = 0.0
    for segment in range(segments):
        # the ends of all joints' phases, sorted
        size = 0
        for j in range(n):
            t = 0.0
            p[j], v[j] = points[segment, j], velocity[j] if segment == 0 else 0.0
            phase[j], since[j] = 0, 0.0
            for k in range(count):
                t += phases[segment, j, k, DURATION]
                place = size
                while place > 0 and times[place - 1] > t:
                    times[place] = times[place - 1]
                    place -= 1
                times[place] = t
                size += 1
        begin, shortest = 0.0, SHORTEST * (segment_start + times[size - 1])
        for s in range(size):
            if times[s] - begin <= shortest:
                continue
            breaks[pieces + 1] = segment_start + times[s]
            width = breaks[pieces + 1] - breaks[pieces]
            middle = 0.5 * (begin + times[s])
            for j in range(n):
                k = phase[j]
                while k < count and since[j] + phases[segment, j, k, DURATION] <= middle:
                    d, a, b = phases[segment, j, k, 0], phases[segment, j, k, 1], phases[segment, j, k, 2]
                    p[j] += d * (v[j] + d * (a / 2.0 + d * b / 6.0))
                    v[j] += d * (a + d * b / 2.0)
                    since[j] += d
                    k += 1
                phase[j] = k
                d, a, b = begin - since[j], 0.0, 0.0
                if k < count:  # else the joint is there before the others
                    a, b = phases[segment, j, k, ACCELERATION], phases[segment, j, k, JERK]
                coefficients[pieces, 0, j] = p[j] + d * (v[j] + d * (a / 2.0 + d * b / 6.0))
                coefficients[pieces, 1, j] = (v[j] + d * (a + d * b / 2.0)) * width
                coefficients[pieces, 2, j] = (a + d * b) * width * width / 2.0
                coefficients[pieces, 3, j] = b * width * width * width / 6.0
            begin = times[s]
            pieces += 1
        segment_start = breaks[pieces]
    return pieces


@kernel
def rest_to_rest_into(
    points: Floats, limits: Floats, times: Floats, same: float, breaks: Floats, coefficients: Floats
) -> int:
    """Write the quickest motion that rests at each of `points` (m, n) as pieces; return how many, or NOT_COMPUTED.

    `times` (m - 1,) are the durations of the segments, or empty: as short as the limits allow. Points nearer to each
    other than `same` are twice the same.
    """
    segments, n = points.shape[0] - 1, points.shape[1]
    if not are_distinct_inside(points, limits, same):
        return NOT_COMPUTED
    phases, rise = np.empty((segments, n, REST_PHASES, 3)), np.empty(n)
    for segment in range(segments):
        for j in range(n):
            rise[j] = points[segment + 1, j] - points[segment, j]
        rest_phases_into(rise, limits, times[segment] if times.shape[0] > 0 else 0.0, phases[segment])
    rise[:] = 0.0
    pieces = pieces_into(phases, points, rise, breaks, coefficients)
    return pieces if are_sound(breaks[: pieces + 1], coefficients[:pieces]) else NOT_COMPUTED
