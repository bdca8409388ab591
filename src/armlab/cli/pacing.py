"""The clock of commands that look after something in real time."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Waits for the next tick; what is late is not made up for, so that a busy machine takes longer than `seconds`."""

    def __init__(self, tick: float, seconds: float | None = None) -> None:
        self.now = time.monotonic()
        """Of this tick (s)."""
        self._tick = tick
        self._left = None if seconds is None else round(seconds / tick)
        self._next = self.now

    def goes_on(self) -> bool:
        """Wait until the next tick is due; tell whether there is one."""
        time.sleep(max(self._next - time.monotonic(), 0.0))
        self.now = time.monotonic()
        self._next = max(self._next + self._tick, self.now)
        if self._left is None:
            return True
        self._left -= 1
        return self._left >= 0


def pass_real_time() -> Callable[[float], float]:
    """Return a function that waits until so many seconds have passed since its last call, and returns the time."""
    due = [time.monotonic()]

    def passed(seconds: float) -> float:
        due[0] = max(due[0] + seconds, time.monotonic() - seconds)
        time.sleep(max(due[0] - time.monotonic(), 0.0))
        return time.monotonic()

    return passed


def pass_simulated_time() -> Callable[[float], float]:
    """Return a function that lets so many seconds pass for an arm of this process, without waiting."""
    now = [0.0]

    def passed(seconds: float) -> float:
        now[0] += seconds
        return now[0]

    return passed
