"""The clock of a device against ours: offset and rate by the lower envelope of received − device time.

A packet can be late, never early. So of many packets the least late ones say how the clocks differ, and the mean says
only how busy the line was. Over WINDOW the least difference of each block is kept; the line that supports these minima
from below, in the middle of them, is offset and rate. What all packets are late by at least is not observable.
"""

from __future__ import annotations

from typing import Literal

WINDOW, BLOCKS = 30.0, 15
"""s that are looked back, and in how many blocks."""
BLOCK = WINDOW / BLOCKS
STEADY = 6.0
"""s of packets after which the rate is estimated too; it is 1 before."""
JUMP = 0.1
"""s: a packet cannot be this early; the device's clock has been set forward."""
LATE = 2.0
"""s: packets that are all this late for as long say that the device's clock has been set back."""
MOST_DRIFT = 5e-3
"""Quartz crystals and ceramic resonators differ by less."""
WRAP = 2.0**32 * 1e-3
"""s: a counter of milliseconds with 32 bits begins again after 49.7 days."""
NEAR_WRAP = 60.0

ClockEvent = Literal["reset", "jump", "wrap"]


class DeviceClock:
    """Turns times of a device into ours."""

    def __init__(self, wrap: float = WRAP) -> None:
        self._wrap, self._wraps = wrap, 0
        self._last: float | None = None
        self._clear()

    def _clear(self) -> None:
        self._minima: list[tuple[float, float]] = []
        """(device time, least difference) of each block, the oldest first."""
        self._blocks: list[int] = []
        self._line: tuple[float, float, float] | None = None
        self._late_since: float | None = None

    @property
    def is_locked(self) -> bool:
        """Whether times can be converted."""
        return self._line is not None

    @property
    def rate(self) -> float:
        """How fast our clock runs while the device's advances by 1; 1 until it is known."""
        return 1.0 if self._line is None else 1.0 + self._line[2]

    def take(self, device: float, received: float) -> ClockEvent | None:
        """Take the time of a packet, and when it was received (s); return what has become of the device's clock."""
        event: ClockEvent | None = None
        now = device + self._wraps * self._wrap
        if self._last is not None and now < self._last - 1e-9:
            if now + self._wrap - self._last < NEAR_WRAP:
                self._wraps, now, event = self._wraps + 1, now + self._wrap, "wrap"
            else:
                self._wraps, now, event = 0, device, "reset"
                self._clear()
        self._last = now
        difference = received - now
        if self._line is not None:
            late = difference - self._difference(now)
            if late < -JUMP or self._is_late_for_long(late, received):
                self._clear()
                event = "jump"
        self._note(now, difference)
        return event

    def _is_late_for_long(self, late: float, received: float) -> bool:
        if late < LATE:
            self._late_since = None
        elif self._late_since is None:
            self._late_since = received
        return self._late_since is not None and received - self._late_since > LATE

    def _note(self, now: float, difference: float) -> None:
        block = int(now // BLOCK)
        if self._blocks and self._blocks[-1] == block:
            if difference >= self._minima[-1][1]:
                return
            self._minima[-1] = now, difference
        else:
            self._blocks.append(block)
            self._minima.append((now, difference))
            while self._blocks[0] <= block - BLOCKS:
                del self._blocks[0], self._minima[0]
        self._line = _supporting_line(self._minima)

    def _difference(self, now: float) -> float:
        assert self._line is not None
        at, offset, drift = self._line
        return offset + drift * (now - at)

    def ours(self, device: float) -> float | None:
        """Return when on our clock (s) it was that time on the device's; None while that is not known."""
        if self._line is None:
            return None
        now = device + self._wraps * self._wrap
        return now + self._difference(now)


def _supporting_line(points: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Return (t, offset, drift) of the line that no point is below and that is nearest to them all.

    Of all lines below the points, the edge of their lower hull under their mean time has the least sum of distances.
    """
    if points[-1][0] - points[0][0] < STEADY:
        t, low = min(points, key=lambda point: point[1])
        return t, low, 0.0
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1 and _is_above(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    middle = sum(x for x, _y in points) / len(points)
    k = next((k for k in range(1, len(hull)) if hull[k][0] >= middle), len(hull) - 1)
    (x0, y0), (x1, y1) = hull[k - 1], hull[k]
    drift = (y1 - y0) / (x1 - x0)
    if abs(drift) > MOST_DRIFT:
        drift = 0.0
        x0, y0 = min(points, key=lambda point: point[1])
    return x0, y0, drift


def _is_above(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Tell whether `b` is on or above the line from `a` to `c`."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
