"""Time a call, and hold one line of the table."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

BUDGET_S = 0.6


@dataclass(frozen=True)
class Line:
    """One comparison: seconds per item of ours and of a peer, or only ours."""

    what: str
    arm: str
    ours_s: float
    peer: str = ""
    peer_s: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time over the peer's: below 1 we are faster."""
        return None if self.peer_s is None else self.ours_s / self.peer_s


def best_of(
    call: Callable[[], Any],
    items: int = 1,
    budget: float = BUDGET_S,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return seconds per item: the best of many runs, because other programs share the machine.

    `time.process_time` as a clock counts what the processor did, for runs that are too long to be left alone.
    """
    call()
    best, end = float("inf"), time.perf_counter() + budget
    while time.perf_counter() < end:
        start = clock()
        call()
        best = min(best, clock() - start)
    return best / items


def per_call(call: Callable[[Any], Any], inputs: Sequence[Any]) -> float:
    """Return seconds per call of `call`, over all `inputs`."""

    def loop() -> None:
        for value in inputs:
            call(value)

    return best_of(loop, len(inputs))


def each_call(
    call: Callable[..., Any], inputs: Sequence[tuple[Any, ...]], passes: int = 3
) -> tuple[list[float], list[Any]]:
    """Return the seconds of each single call, the best of `passes`, and the answers of a first round that warms up."""
    answers = [call(*values) for values in inputs]
    best = [float("inf")] * len(answers)
    for _ in range(passes):
        for i, values in enumerate(inputs):
            start = time.perf_counter()
            call(*values)
            best[i] = min(best[i], time.perf_counter() - start)
    return best, answers
