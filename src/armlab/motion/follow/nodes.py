"""From a chain of solutions to a joint path: quintics with exact values, rates and bends, halved until they fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.follow import path as follow_path
from armlab.kernels.follow.path import PieceEnds
from armlab.kernels.gate import LIMIT_SLACK
from armlab.motion.follow.choice import SHORTEST, TOO_FAST, extrapolate_at_singular_ends
from armlab.motion.follow.problem import FollowProblem, HeldConditions, Places
from armlab.motion.piecewise import PiecewisePolynomial

CLOSE = 2e-7
"""Joints between nodes are this exact (rad or m) in the middle of every piece, and so everywhere within 1e-6."""
TOOL_CLOSE = 1e-9
"""Where the tool is this close (m, rad), the joints are right, however badly they are determined."""
MOST_PIECES = 20_000


class Fitted(NamedTuple):
    """The joint path; or the place of trouble, and what it is: flip, limit, or cap."""

    pieces: PiecewisePolynomial | None
    max_error: float
    sigma: Floats
    trouble: float = -1.0
    kind: str = ""


def fit(problem: FollowProblem, rows: HeldConditions, places: Places, q: Floats) -> Fitted:
    """Return the joint path through exact joints `q` (m, n) at `places`, halved where it does not fit."""
    return fit_between(problem, rows, *_ends(problem, rows, places, q))


def fit_between(
    problem: FollowProblem, rows: HeldConditions, left: PieceEnds, right: PieceEnds, sigma: Floats
) -> Fitted:
    """Return the joint path of pieces between exact ends, halved where they do not fit."""
    done: list[tuple[Floats, Floats, Floats, Floats]] = []
    worst, count, least = 0.0, len(left.s), 4.0 * SHORTEST * problem.length
    while len(left.s):
        m, n = left.q.shape
        c, guess, facts = np.empty((m, 6, n)), np.empty((m, n)), np.empty((m, 2))
        follow_path.quintics_into(left, right, *problem.limits, c, guess, facts)
        middle = 0.5 * (left.s + right.s)
        T = problem.poses(middle)
        _, errors = problem.polished(middle, T, guess, rows, 0)
        good = errors[:, 0] <= TOOL_CLOSE
        look = np.flatnonzero(~good)
        if len(look):
            exact, errors = problem.polished(middle[look], T[look], guess[look], rows, 1)
            off = np.abs(exact - guess[look]).max(axis=1)
            good[look] = (off <= CLOSE) & (errors[:, 1] <= TOOL_CLOSE)
            worst = max(worst, float(off[good[look]].max(initial=0.0)))
        if good.all():
            done.append((left.s, right.s, c, facts))
            break
        done.append((left.s[good], right.s[good], c[good], facts[good]))
        bad = np.flatnonzero(~good)
        count += len(bad)
        lost = (right.s - left.s)[bad] < least
        if lost.any() or count > MOST_PIECES:
            place = float(middle[bad][np.argmax(lost)])
            return Fitted(None, worst, sigma, place, "flip" if lost.any() else "cap")
        exact, errors = problem.polished(middle[bad], T[bad], guess[bad], rows, 12)
        lost = (errors[:, 1] > TOOL_CLOSE) | (np.abs(exact - guess[bad]).max(axis=1) > 1.0)
        if lost.any():
            return Fitted(None, worst, sigma, float(middle[bad][np.argmax(lost)]), "flip")
        new_left, new_right, new_sigma = _ends(problem, rows, problem.places(middle[bad]), exact, inner=False)
        sigma = np.concatenate([sigma, new_sigma])
        left, right = _joined(_only(left, bad), new_left), _joined(new_right, _only(right, bad))
    return _checked(problem, done, worst, sigma)


def _ends(
    problem: FollowProblem, rows: HeldConditions, places: Places, q: Floats, *, inner: bool = True
) -> tuple[PieceEnds, PieceEnds, Floats]:
    """Return nodes as left and as right ends of pieces; with `inner`, of the pieces between them."""
    s = places.s
    rate, bend, sigma = problem.rates(places.T, places.after, q, rows)
    if inner:
        extrapolate_at_singular_ends(problem.length, s, sigma, rate, bend)
    after = PieceEnds(s, q, rate, bend)
    before, at = after, places.breaks
    if at:
        rate, bend = rate.copy(), bend.copy()
        rate[at], bend[at], _ = problem.rates(places.T[at], places.before[at], q[at], rows)
        before = PieceEnds(s, q, rate, bend)
    if not inner:
        return after, before, sigma
    return PieceEnds(*(part[:-1] for part in after)), PieceEnds(*(part[1:] for part in before)), sigma


def _only(ends: PieceEnds, which: NDArray[np.int64]) -> PieceEnds:
    return PieceEnds(*(part[which] for part in ends))


def _joined(a: PieceEnds, b: PieceEnds) -> PieceEnds:
    return PieceEnds(*(np.concatenate(pair) for pair in zip(a, b, strict=True)))


def _checked(
    problem: FollowProblem, done: list[tuple[Floats, Floats, Floats, Floats]], worst: float, sigma: Floats
) -> Fitted:
    """Return the pieces in order, if they keep the limits and no joint flips."""
    starts, ends, c, facts = done[0] if len(done) == 1 else (np.concatenate(part) for part in zip(*done, strict=True))
    if len(done) > 1:
        order = np.argsort(starts)
        starts, ends, c, facts = starts[order], ends[order], c[order], facts[order]
    slow = facts[:, 0] <= TOO_FAST  # not so for NaN
    if not slow.all():
        return Fitted(None, worst, sigma, float(starts[np.argmin(slow)]), "flip")
    pieces = PiecewisePolynomial(np.append(starts, ends[-1]), c)
    lower, upper = problem.limits
    for i in np.flatnonzero(facts[:, 1] > 0.5):
        low, high, x_low, x_high = PiecewisePolynomial(pieces.breaks[i : i + 2].copy(), c[i : i + 1].copy()).extremes()
        over = np.maximum(lower - low, high - upper)
        j = int(np.argmax(over))
        if over[j] > 10.0 * LIMIT_SLACK:
            place = x_low[j] if lower[j] - low[j] > high[j] - upper[j] else x_high[j]
            return Fitted(pieces, worst, sigma, float(place), "limit")
    return Fitted(pieces, worst, sigma)
