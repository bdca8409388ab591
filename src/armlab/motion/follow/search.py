"""Look for a joint path: choose a chain of solutions, fit it, and look closer where the fit finds something new."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.follow.one_branch import Targets, follow_into
from armlab.kernels.follow.path import PieceEnds
from armlab.motion.follow.candidates import Candidates, candidates_of
from armlab.motion.follow.choice import ALL_ROUNDS, Choice, choose, first_places, with_breaks
from armlab.motion.follow.nodes import Fitted, fit, fit_between
from armlab.motion.follow.problem import FollowProblem

ATTEMPTS = 4
TRACKING = 8
"""A candidate that is tracked along the path is this much more work than one from a closed form."""
AROUND = np.concatenate([-np.logspace(-8, -2, 4), [0.0], np.logspace(-8, -2, 4)])


class SearchOutcome(NamedTuple):
    """What was found: the chain, where its candidates came from, and the fit, None where the chain is not whole."""

    choice: Choice
    candidates: Candidates
    fitted: Fitted | None
    work: int = 0
    """How many candidates were looked at, of all that was tried; tracked ones count TRACKING times."""

    @property
    def is_whole(self) -> bool:
        """Whether the whole path is followed."""
        return self.choice.is_whole and self.fitted is not None and not self.fitted.kind

    @property
    def reached(self) -> float:
        """How far the chain came."""
        if self.fitted is not None and self.fitted.kind:
            return self.fitted.trouble
        return float(self.choice.s[-1]) if len(self.choice.s) else 0.0

    @property
    def branch(self) -> str:
        """The names of the branches, in their order."""
        return " → ".join(self.candidates.name(column) for column, _same in groupby(self.choice.columns))


def search(
    problem: FollowProblem, start: Floats | None, samples: int | None, *, rounds: int = ALL_ROUNDS
) -> SearchOutcome:
    """Return the best that was found; with `samples`, a whole path has that many nodes or more."""
    outcomes: list[SearchOutcome] = []
    work = 0
    for candidates in candidates_of(problem, start):
        outcome = _searched(problem, candidates, rounds)
        work += outcome.work
        outcomes.append(outcome._replace(work=work))
        if outcome.is_whole:
            return _resampled(problem, outcomes[-1], samples) if samples is not None else outcomes[-1]
    return max(outcomes, key=lambda outcome: outcome.reached)._replace(work=work)


def _searched(problem: FollowProblem, candidates: Candidates, rounds: int) -> SearchOutcome:
    s, work = first_places(problem), 0
    sure = _on_one_branch(problem, candidates, s)
    if sure is not None:
        return sure
    columns = len(candidates.slopes()) * (TRACKING if candidates.tracked else 1)
    for _ in range(ATTEMPTS):
        choice = choose(problem, candidates, s, rounds=rounds)
        work += choice.looks * columns
        if not choice.is_whole:
            return SearchOutcome(choice, candidates, None, work)
        rows = candidates.rows(choice.columns[0])
        exact, _ = problem.polished(choice.s, choice.places.T, choice.q, rows)
        fitted = fit(problem, rows, choice.places, exact)
        if not fitted.kind or fitted.kind == "cap":
            break
        closer = np.clip(fitted.trouble + AROUND * problem.length, 0.0, problem.length)
        s = with_breaks(problem, np.unique(np.concatenate([choice.s, closer])))
    return SearchOutcome(choice, candidates, fitted, work)


def _on_one_branch(problem: FollowProblem, candidates: Candidates, s: Floats) -> SearchOutcome | None:
    """Return the path that follows one branch from a given start; None where that is not sure, or not all of it."""
    start = candidates.start
    if start is None or problem.robot.dof > problem.task.rows:
        return None
    places, m, n = problem.places(s), len(s), problem.robot.dof
    is_break = np.zeros(m)
    is_break[places.breaks] = 1.0
    targets = Targets(s, places.T, places.after, places.before, is_break)
    after, before = (PieceEnds(s, *(np.empty((m, n)) for _ in range(3))) for _ in range(2))
    after.q[0] = start
    sigma, rows = np.empty(m), candidates.rows(0)
    if follow_into(problem.met_with(rows.extra), *problem.limits, targets, after, before, sigma) < m:
        return None
    column = candidates.column(after.q[0])
    if column != candidates.column(after.q[-1]):
        return None
    left, right = PieceEnds(*(part[:-1] for part in after)), PieceEnds(*(part[1:] for part in before))
    fitted = fit_between(problem, rows, left, right, sigma)
    if fitted.kind:
        return None
    choice = Choice(s, after.q, [column] * m, True, float(s[-1]), places, m)
    return SearchOutcome(choice, candidates, fitted, m)


def _resampled(problem: FollowProblem, outcome: SearchOutcome, samples: int) -> SearchOutcome:
    assert outcome.fitted is not None
    assert outcome.fitted.pieces is not None
    s = with_breaks(problem, np.linspace(0.0, problem.length, samples))
    rows = outcome.candidates.rows(outcome.choice.columns[0])
    places = problem.places(s)
    exact, _ = problem.polished(s, places.T, outcome.fitted.pieces.values(s)[:, 0], rows, 2)
    fitted = fit(problem, rows, places, exact)
    return outcome if fitted.kind else outcome._replace(fitted=fitted)
