"""What would help where a path cannot be followed: each cure is tried for real before it is named."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.kinematics.ik import attempt_ik
from armlab.model.finding import Finding
from armlab.motion.follow_problem import Problem, ToolPathLike
from armlab.motion.follow_search import search
from armlab.units import DEG_PER_RAD, MM_PER_M

BUDGET = 0.25
"""How long cures are tried, s."""
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


class Cure(NamedTuple):
    """What helps: `kind` is branch, shift or turn; `text` is the rest of a sentence; `values` say it to programs."""

    text: str
    values: dict[str, float | int | str]


def with_cures(problem: Problem, start: Floats | None, finding: Finding) -> Finding:
    """Return the finding with what was found to help, tried within `BUDGET` seconds."""
    deadline = time.perf_counter() + BUDGET
    cures: list[Cure] = []
    for look in (_another_start, _turned, _shifted):
        cure = look(problem, start, deadline)
        if cure is not None:
            cures.append(cure)
    if not cures:
        return finding
    where = dict(finding.where)
    for cure in cures:
        where.update(cure.values)
    return replace(
        finding, message=f"{finding.message}; it can be followed {', or '.join(c.text for c in cures)}", where=where
    )


def _another_start(problem: Problem, start: Floats | None, deadline: float) -> Cure | None:
    if start is None or time.perf_counter() > deadline:
        return None
    outcome = search(problem, None, None, rounds=QUICK_ROUNDS)
    if not outcome.is_whole:
        return None
    return Cure(
        f"from a start on branch '{outcome.branch}'",
        {"cure_branch": outcome.branch, "cure_start": " ".join(f"{v:.9f}" for v in outcome.choice.q[0])},
    )


def _turned(problem: Problem, start: Floats | None, deadline: float) -> Cure | None:
    for before, angle, sign in ((b, a, sign) for b, a in itertools.pairwise((0.0, *TURNS)) for sign in (1.0, -1.0)):
        if time.perf_counter() > deadline:
            break

        def works(degrees: float, sign: float = sign) -> bool:
            turn = sign * math.radians(degrees)
            return _is_whole(problem, MovedPath(problem.path, np.zeros(3), turn), start, deadline)

        if works(angle):
            best = sign * math.radians(_halved(works, before, angle))
            text = f"with the tool turned by {best * DEG_PER_RAD:.2f}° about its own z axis"
            return Cure(text, {"cure_turn": best})
    return None


def _shifted(problem: Problem, start: Floats | None, deadline: float) -> Cure | None:
    for before, size, name, direction in _shift_tries():
        if time.perf_counter() > deadline:
            break

        def works(way: float, direction: Floats = direction) -> bool:
            return _is_whole(problem, MovedPath(problem.path, way * direction, 0.0), start, deadline)

        if works(size):
            best = _halved(works, before, size)
            text = f"when it is shifted by {best * MM_PER_M:.2f} mm along {name}"
            x, y, z = (best * direction).tolist()
            return Cure(text, {"cure_shift": best, "cure_x": x, "cure_y": y, "cure_z": z})
    return None


def _shift_tries() -> Iterator[tuple[float, float, str, Floats]]:
    for before, size in itertools.pairwise((0.0, *SHIFTS)):
        for name, direction in DIRECTIONS.items():
            yield before, size, name, np.array(direction)


def _halved(works: Callable[[float], bool], low: float, high: float) -> float:
    """Return the smallest value found between `low`, which does not work, and `high`, which does."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def _is_whole(problem: Problem, path: ToolPathLike, start: Floats | None, deadline: float) -> bool:
    """Whether the moved path can be followed: from any start, or from the one nearest to the given one."""
    if time.perf_counter() > deadline:
        return False
    moved = replace(problem, path=path)
    if start is not None:
        first = attempt_ik(problem.robot, path.at(np.zeros(1))[0], start=start, task=problem.task)
        if not first.converged:
            return False
        start = first.q
    return search(moved, start, None, rounds=QUICK_ROUNDS).is_whole
