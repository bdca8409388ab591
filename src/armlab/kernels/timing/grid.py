"""Grids along a path: even in time for a motion that is known roughly; corners of the path.

The rough motion is the fastest one on a coarse grid: at times t (c + 1,) it is at s with speed v, and accelerates
evenly between. `blur` is the width of a window in time over which it is averaged: from rest it then starts with
constant jerk. A blur of zero leaves it as it is.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.polynomials import piece_of

HALVINGS = 40
ROUNDING = 1e-13
"""Differences of joint values (rad or m) below this, or this share of them, mean nothing."""
SMALL = 1e-3
"""A joint that moves less than this share of another is measured against the other."""


@kernel
def area_into(t: Floats, s: Floats, v: Floats, area: Floats) -> None:
    """Write the integral of s over time up to each of the times to `area`."""
    area[0] = 0.0
    for i in range(t.shape[0] - 1):
        # s is quadratic in time: its integral over an interval
        h = t[i + 1] - t[i]
        area[i + 1] = area[i] + h * (s[i] + h * (v[i] / 3.0 + v[i + 1] / 6.0))


@kernel
def at_into(t: Floats, s: Floats, v: Floats, area: Floats, time: float, out: Floats) -> None:
    """Write place, speed and area at `time` to `out` (3,)."""
    last = t.shape[0] - 1
    if time <= t[0]:
        out[0], out[1], out[2] = s[0], 0.0, s[0] * (time - t[0])
    elif time >= t[last]:
        out[0], out[1], out[2] = s[last], 0.0, area[last] + s[last] * (time - t[last])
    else:
        # within an interval the speed is linear
        i = piece_of(t, time)
        h, u = t[i + 1] - t[i], time - t[i]
        rate = (v[i + 1] - v[i]) / h
        out[0] = s[i] + u * (v[i] + 0.5 * rate * u)
        out[1] = v[i] + rate * u
        out[2] = area[i] + u * (s[i] + u * (0.5 * v[i] + rate * u / 6.0))


@kernel
def blurred(
    t: Floats, s: Floats, v: Floats, area: Floats, blur: float, time: float, work: Floats
) -> tuple[float, float]:
    """Return place and speed of the blurred motion at `time`."""
    at_into(t, s, v, area, time, work)
    if blur <= 0.0:
        return work[0], work[1]
    # mean over the last `blur` seconds: place = Δarea / blur, speed = Δs / blur
    here, whole = work[0], work[2]
    at_into(t, s, v, area, time - blur, work)
    return (whole - work[2]) / blur, (here - work[0]) / blur


@kernel
def edge_times_into(
    t: Floats, s: Floats, v: Floats, area: Floats, blur: float, edges: Floats, knots: Floats, out: Floats
) -> None:
    """Write when the blurred motion passes `edges` (k + 1,), the places at the indices `knots`, to `out`."""
    work = np.empty(3)
    for k in range(edges.shape[0]):
        low = t[int(knots[k])]
        high = low + blur
        if k == 0 or blur <= 0.0:
            out[k] = low
            continue
        if k == edges.shape[0] - 1:
            out[k] = high
            continue
        # bisection: the blurred motion is later by at most `blur`
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if blurred(t, s, v, area, blur, middle, work)[0] < edges[k]:
                low = middle
            else:
                high = middle
        out[k] = 0.5 * (low + high)


@kernel
def even_into(
    t: Floats, s: Floats, v: Floats, area: Floats, blur: float,
    spans: Floats, edges: Floats, times: Floats, counts: Floats, parts: Floats, speeds: Floats,
) -> None:  # fmt: skip
    """Cut each of `spans` (k, 3): piece, first and last u, into `counts` parts of even time, and write them to `parts`.

    `edges` (k + 1,) are the places at which the spans begin and end, `times` when they are passed; `speeds` (m,) gets
    the speed in the middle of each part where there is a blur.
    """
    work = np.empty(3)
    row = 0
    for k in range(spans.shape[0]):
        count = int(counts[k])
        low, wide = spans[k, 1], spans[k, 2] - spans[k, 1]
        span, length = times[k + 1] - times[k], edges[k + 1] - edges[k]
        before = low
        for i in range(count):
            time = times[k] + span * (i + 1) / count
            # where the motion is at that time, as u of the span
            place, _ = blurred(t, s, v, area, blur, time, work)
            after = low + wide * (place - edges[k]) / length
            if i == count - 1:
                after = spans[k, 2]
            after = max(after, before + 1e-3 * (spans[k, 2] - before) / (count - i))  # grow, whatever rounding does
            parts[row, 0], parts[row, 1], parts[row, 2] = spans[k, 0], before, min(after, spans[k, 2])
            if blur > 0.0:  # who does not average the motion does not ask for its speed
                _, speeds[row] = blurred(t, s, v, area, blur, time - 0.5 * span / count, work)
            before = after
            row += 1


@kernel
def corner_of(breaks: Floats, coefficients: Floats, order: int, tolerance: float, is_rest: Floats) -> int:
    """Return the first inner break, not at rest, where a derivative jumps by a share of its size; or 0."""
    pieces, terms, n = coefficients.shape
    size, most, place = np.zeros(n), 0.0, 1.0
    jump = np.zeros((pieces, n))
    for i in range(pieces):
        for j in range(n):
            # the derivative at the end of the piece before, and at the start of this one
            before, after = 0.0, 0.0
            for p in range(order, terms):
                rate = 1.0
                for f in range(order):
                    rate *= p - f
                if i > 0:
                    before += rate * coefficients[i - 1, p, j] / (breaks[i] - breaks[i - 1]) ** order
                if p == order:
                    after = rate * coefficients[i, p, j] / (breaks[i + 1] - breaks[i]) ** order
            size[j] = max(size[j], abs(after), abs(before))
            most = max(most, size[j])
            place = max(place, abs(coefficients[i, 0, j]))
            jump[i, j] = abs(after - before)
    for i in range(1, pieces):
        if is_rest[i] > 0.0:
            continue
        # a jump counts beyond a share of the derivative's size and what rounding of the places makes
        narrow = min(breaks[i + 1] - breaks[i], breaks[i] - breaks[i - 1]) ** order
        for j in range(n):
            if jump[i, j] > tolerance * max(size[j], SMALL * most) + ROUNDING * place / narrow:
                return i
    return 0


@kernel
def span_times_into(
    lengths: Floats, top: Floats, acceleration: Floats, rests: Floats, times: Floats, changes: Floats
) -> None:
    """Estimate how long the spans of a path take (k,), and by which share the square speed changes in each (k,).

    `top` (k,) is the greatest speed along s on each span, `acceleration` (k,) the greatest rate of its change; `rests`
    (k + 1,) is 1 at edges where the motion stands. x = ṡ² grows by at most 2 a ds, forwards and backwards.
    """
    k = lengths.shape[0]
    x = np.empty(k + 1)
    for i in range(k + 1):
        before, after = top[max(i - 1, 0)], top[min(i, k - 1)]
        x[i] = 0.0 if rests[i] > 0.5 else min(before, after) ** 2
    for i in range(k):
        x[i + 1] = min(x[i + 1], x[i] + 2.0 * acceleration[i] * lengths[i])
    for i in range(k - 1, -1, -1):
        x[i] = min(x[i], x[i + 1] + 2.0 * acceleration[i] * lengths[i])
    for i in range(k):
        # up to the peak and down from it, evenly, and the rest of the span at the peak
        peak = min(top[i] ** 2, 0.5 * (x[i] + x[i + 1]) + acceleration[i] * lengths[i])
        ramps = (2.0 * peak - x[i] - x[i + 1]) / (2.0 * acceleration[i])
        v, v0, v1 = math.sqrt(peak), math.sqrt(x[i]), math.sqrt(x[i + 1])
        times[i] = (2.0 * v - v0 - v1) / acceleration[i] + max(lengths[i] - ramps, 0.0) / v
        changes[i] = 1.0 - min(x[i], x[i + 1]) / peak
