"""The clock of commands that look after something in real time."""

from __future__ import annotations

import time


class Pace:
    """Waits for the next tick; what is late is not made up for."""

    def __init__(self, tick: float, seconds: float | None = None) -> None:
        self.now = time.monotonic()
        """Of this tick (s)."""
        self._tick = tick
        self._end = None if seconds is None else self.now + seconds
        self._next = self.now

    def goes_on(self) -> bool:
        """Wait until the next tick is due; tell whether there is one."""
        time.sleep(max(self._next - time.monotonic(), 0.0))
        self.now = time.monotonic()
        self._next = max(self._next + self._tick, self.now)
        return self._end is None or self.now < self._end
