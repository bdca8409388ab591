"""What would help where a path cannot be followed: each remedy is tried for real before it is named."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.kinematics.numeric import search_one
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.motion.follow.problem import FollowProblem, ToolPathLike
from armlab.motion.follow.search import SearchOutcome, search
from armlab.units import MM_PER_M

MOST_WORK = 100_000
"""How much work is done to find remedies: as many candidates are looked at; see `SearchOutcome.work`."""
START_SEARCHES = 8
"""How many searches are made for joints at the start of a moved path, and what each counts for."""
SEARCH_WORK = 100
QUICK_ROUNDS = 8
SHIFTS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
TURNS = (1.0, 2.0, 5.0, 10.0, 20.0, 45.0, 90.0, 135.0, 180.0)
HALVINGS = 4
DIRECTIONS = {
    "+x": (1.0, 0.0, 0.0),
    "-x": (-1.0, 0.0, 0.0),
    "+y": (0.0, 1.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "+z": (0.0, 0.0, 1.0),
    "-z": (0.0, 0.0, -1.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class MovedPath:
    """A path shifted in the world by `shift` (3,) m, its tool turned about its own z axis by `turn` (rad)."""

    path: ToolPathLike
    shift: Floats
    turn: float

    @property
    def length(self) -> float:
        """As of the path itself."""
        return self.path.length

    @property
    def stops(self) -> ArrayLike:
        """As of the path itself."""
        return self.path.stops

    @property
    def knots(self) -> ArrayLike:
        """As of the path itself."""
        return self.path.knots

    @property
    def nodes(self) -> ArrayLike:
        """As of the path itself."""
        return self.path.nodes

    def at(self, s: ArrayLike) -> Floats:
        """Return the moved poses."""
        T = np.array(self.path.at(s), dtype=np.float64)
        c, sine = math.cos(self.turn), math.sin(self.turn)
        x, y = T[..., :3, 0].copy(), T[..., :3, 1].copy()
        T[..., :3, 0], T[..., :3, 1] = c * x + sine * y, c * y - sine * x
        T[..., :3, 3] += self.shift
        return T

    def derivatives(self, s: ArrayLike) -> Floats:
        """As of the path itself: neither a shift nor another grip changes them."""
        return self.path.derivatives(s)


class Remedy(NamedTuple):
    """What helps: a phrase for people, and the same as values for programs."""

    text: Message
    values: dict[str, float | int | str]


class _Trials:
    """Searches that are made to find remedies, until a fixed amount of work is done.

    Work is counted and not timed: the same path has the same remedies on every machine.
    """

    def __init__(self, problem: FollowProblem, start: Floats | None) -> None:
        self.problem, self.start = problem, start
        self._work_left = MOST_WORK

    @property
    def are_over(self) -> bool:
        """Whether no more searches are made."""
        return self._work_left <= 0

    def outcome(self, path: ToolPathLike, start: Floats | None) -> SearchOutcome:
        """Return what is found for `path`."""
        found = search(replace(self.problem, path=path), start, None, rounds=QUICK_ROUNDS)
        self._work_left -= found.work
        return found

    def is_whole(self, path: ToolPathLike) -> bool:
        """Whether a moved path can be followed: from any start, or from the one nearest to the given one."""
        if self.are_over:
            return False
        start = self.start
        if start is not None:
            T = np.ascontiguousarray(path.at(np.zeros(1))[0])
            begin = self.problem.own(start).copy()
            first = search_one(self.problem.arm, T, begin, self.problem.task, searches=START_SEARCHES)
            if not first.converged:
                self._work_left -= START_SEARCHES * SEARCH_WORK
                return False
            start = self.problem.rows(first.q)
        return self.outcome(path, start).is_whole


def with_remedies(problem: FollowProblem, start: Floats | None, finding: Finding) -> Finding:
    """Return the finding with what was found to help."""
    trials = _Trials(problem, start)
    remedies = [remedy for look in (_another_start, _turned, _shifted) if (remedy := look(trials)) is not None]
    if not remedies:
        return finding
    where = dict(finding.where)
    for remedy in remedies:
        where.update(remedy.values)
    message = Message(
        finding.code,
        _("{problem}; what would help: {remedies}"),
        problem=finding.message,
        remedies=tuple(remedy.text for remedy in remedies),
    )
    return replace(finding, message=message, where=where)


def _another_start(trials: _Trials) -> Remedy | None:
    if trials.start is None:
        return None
    outcome = trials.outcome(trials.problem.path, None)
    if not outcome.is_whole:
        return None
    return Remedy(
        term(_("a start on branch '{branch}'"), branch=outcome.branch),
        {
            "remedy_branch": outcome.branch,
            "remedy_start": " ".join(f"{v:.9f}" for v in trials.problem.own(outcome.choice.q[0])),
        },
    )


def _turned(trials: _Trials) -> Remedy | None:
    path = trials.problem.path
    for before, angle, sign in ((b, a, sign) for b, a in itertools.pairwise((0.0, *TURNS)) for sign in (1.0, -1.0)):
        if trials.are_over:
            break

        def works(degrees: float, sign: float = sign) -> bool:
            return trials.is_whole(MovedPath(path, np.zeros(3), sign * math.radians(degrees)))

        if works(angle):
            best = sign * _halved(works, before, angle)
            text = term(_("the tool turned by {angle:.2f}° about its own z axis"), angle=best)
            return Remedy(text, {"remedy_turn": math.radians(best)})
    return None


def _shifted(trials: _Trials) -> Remedy | None:
    path = trials.problem.path
    for before, size, name, direction in _shift_tries():
        if trials.are_over:
            break

        def works(distance: float, direction: Floats = direction) -> bool:
            return trials.is_whole(MovedPath(path, distance * direction, 0.0))

        if works(size):
            best = _halved(works, before, size)
            text = term(_("the path shifted by {distance:.2f} mm along {axis}"), distance=best * MM_PER_M, axis=name)
            x, y, z = (best * direction).tolist()
            return Remedy(text, {"remedy_shift": best, "remedy_x": x, "remedy_y": y, "remedy_z": z})
    return None


def _shift_tries() -> Iterator[tuple[float, float, str, Floats]]:
    for before, size in itertools.pairwise((0.0, *SHIFTS)):
        for name, direction in DIRECTIONS.items():
            yield before, size, name, np.array(direction)


def _halved(works: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest value found between `low`, which does not work, and `high`, which does."""
    for _halving in range(HALVINGS):
        middle = 0.5 * (low + high)
        if works(middle):
            high = middle
        else:
            low = middle
    return high
