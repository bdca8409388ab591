"""Better paths, for as long as somebody wants to wait: other searches, and more shortcuts on the best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from armlab.errors import InvalidInput, PlanningFailed
from armlab.messages import _
from armlab.planning.certificate import Certificate
from armlab.planning.free_path import FreePath
from armlab.planning.search import Search

Cost = Literal["length", "time", "clearance"]
RESTART = 2_000
"""Samples of each further search."""
SHORTCUTS, POLISH = 200, 40
"""Shortcuts that are tried on each path that is found; on the best, so many may fail in a row."""
WIDER, SMALLEST = 1.5, 1e-4
"""A larger clearance is looked for by this factor, and between two of them down to so many metres."""


def improved(
    path: FreePath,
    *,
    motions: int = 2_000,
    cost: Cost = "length",
    until: float | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> FreePath:
    """Return a path between the same ends that costs less, or the same path; it is proved as that is.

    It ends when so many straight motions were looked at, or the cost has come down to `until`. The same path gives the
    same result; where time is limited, let `goes_on` say so, and it depends on the machine.

    Args:
        path: what is to be made better.
        motions: how many straight motions are looked at, at most (a search under way is finished).
        cost: "length" in joint space; "time" of the jerk-limited motion; or "clearance": the larger, the better.
        until: rad (and m), s, or m that are enough.
        goes_on: asked between searches; the best path so far is returned where it says no.
    """
    if motions < 1 or cost not in ("length", "time", "clearance"):
        raise InvalidInput("improvement_bounds", _("motions must be ≥ 1, and cost 'length', 'time' or 'clearance'"))
    work = _Improvement(path, motions, goes_on)
    if cost == "clearance":
        return work.wider(np.inf if until is None else until)
    return work.cheaper((lambda p: p.length) if cost == "length" else _duration, 0.0 if until is None else until)


def _duration(path: FreePath) -> float:
    return path.trajectory().duration


class _Improvement:
    """One path, and what may still be spent on it."""

    def __init__(self, path: FreePath, motions: int, goes_on: Callable[[], bool]) -> None:
        self._best, self._motions, self._goes_on = path, motions, goes_on
        self._tried = path.certificate.seed
        self._spent, self._before = path.certificate, path.certificate.motions

    def cheaper(self, cost: Callable[[FreePath], float], until: float) -> FreePath:
        """Return the cheapest of many paths; a straight one cannot be made shorter."""
        clearance = self._best.certificate.clearance
        least = cost(self._best)
        while least > until and len(self._best.points) > 2 and self._may():
            found = self._searched(clearance)
            if found is None:
                continue
            price = cost(found)
            if price < least:
                self._best, least = found, price
        return self._finished()

    def wider(self, until: float) -> FreePath:
        """Return a path with the largest clearance for which one is found."""
        low, high = self._best.certificate.clearance, np.inf
        while low < until and high - low > SMALLEST and self._may():
            asked = max(WIDER * low, low + 10.0 * SMALLEST) if high == np.inf else 0.5 * (low + high)
            asked = min(asked, until)
            found = self._searched(asked) if self._ends_are_free(asked) else None
            if found is None:
                high = asked
            else:
                self._best, low = found, asked
        return self._finished()

    def _ends_are_free(self, clearance: float) -> bool:
        path = self._best
        ends = np.concatenate([path.points[:1], path.goals])
        free = np.asarray(path.checker.is_free(ends, clearance=clearance, robot=path.robot_name))
        return bool(free[0] and free[1:].any())

    def _may(self) -> bool:
        return self._spent.motions - self._before < self._motions and self._goes_on()

    def _searched(self, clearance: float) -> FreePath | None:
        """Return the path of one more search, with shortcuts."""
        path = self._best
        self._tried += 1
        search = Search(path.checker, path.robot_name, clearance, self._tried, path.constraints)
        goals = path.goals
        free = np.asarray(path.checker.is_free(goals, clearance=clearance, robot=path.robot_name))
        found: FreePath | None = None
        try:
            points = search.run(path.points[0], np.ascontiguousarray(goals[free]), RESTART, lambda: True)
            points = search.shortened(points, SHORTCUTS, POLISH)
            found = replace(path, points=points, certificate=search.certificate())
        except PlanningFailed:
            pass
        self._count(search.certificate())
        return found

    def _count(self, one: Certificate) -> None:
        spent = self._spent
        self._spent = replace(
            spent,
            samples=spent.samples + one.samples,
            motions=spent.motions + one.motions,
            distances=spent.distances + one.distances,
        )

    def _finished(self) -> FreePath:
        clearance = self._best.certificate.clearance
        return replace(self._best, certificate=replace(self._spent, clearance=clearance))
