"""Where an arm should be that follows its commands with a dead time and a first-order lag, per joint."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from armlab.arrays import Floats

MOST_KEPT = 1000


class Following:
    """Delays what is commanded as the arm does, so that a lag is not taken for a fault."""

    def __init__(self, n: int, dead_time: float, lag: float) -> None:
        self.dead_time, self.lag = dead_time, lag
        self._n = n
        self.clear()

    def clear(self) -> None:
        """Forget all commands."""
        self._waiting: deque[tuple[float, Floats]] = deque(maxlen=MOST_KEPT)
        self._q: Floats | None = None
        self._goal: Floats | None = None
        self._time = 0.0

    def command(self, q: Floats, now: float) -> None:
        """Take what is commanded from now on."""
        if self._q is None:
            self._q, self._goal, self._time = q.copy(), q.copy(), now
        self._waiting.append((now + self.dead_time, q))

    def at(self, now: float) -> Floats | None:
        """Return where the joints should be (n,); None before the first command. Times never run backwards."""
        while self._q is not None and self._waiting and self._waiting[0][0] <= now:
            time, goal = self._waiting.popleft()
            self._advance(time)
            self._goal = goal
        self._advance(now)
        return self._q

    def _advance(self, time: float) -> None:
        """Q' = (goal − q) / lag."""
        if self._q is None or self._goal is None or time <= self._time:
            return
        share = 1.0 if self.lag <= 0.0 else 1.0 - math.exp(-(time - self._time) / self.lag)
        self._q = self._q + share * (self._goal - self._q)
        self._time = time

    def deviation(self, q: Floats, now: float) -> Floats | None:
        """Return how far (n,) the joints are from there."""
        expected = self.at(now)
        return None if expected is None else np.asarray(q - expected)
