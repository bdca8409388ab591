"""The best continuous chain of solutions along a path, by dynamic programming over samples of it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.follow import path as follow_path
from armlab.kernels.follow import rates as follow_rates
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.numeric import Ints
from armlab.motion.follow.candidates import Candidates
from armlab.motion.follow.problem import FollowProblem, Places

TURN = 2.0 * math.pi
GATE = 1e-7
"""A candidate misses its target by less than this (m, rad): closed forms leave 1e-12, next to singularities more."""
TOO_FAST = 1e4
"""Joint speed per tool speed (rad/m) from which on a motion is a flip on the spot: 1 mm/s of the tool is 10 rad/s."""
STEP, TURN_STEP = 0.02, 0.06
PROBES = 9
FEWEST, MOST, MOST_REFINED = 32, 256, 1500
SURE_ROUNDS, ALL_ROUNDS = 6, 24
HOME = 0.3
"""How much the distance from the home configuration counts against the travel of the joints along the path."""
SINGULAR = 1e-5
NUDGE = 0.381966
END_STEP = 1e-5
SHORTEST = 1e-9
"""The shortest step, as a share of the path."""


class Choice(NamedTuple):
    """The best chain: joints (m, n) at places `s` (m,), and the column that each is from."""

    s: Floats
    q: Floats
    columns: list[int]
    is_whole: bool
    s_next: float
    """The place that the chain does not arrive at; the end of the path for a whole one."""
    places: Places
    """What the path asks for at all places that were looked at."""
    looks: int = 0
    """At how many places candidates were looked at, in all rounds."""


class CandidateTable(NamedTuple):
    """All candidates at places: (m, k, n), or (m, k)."""

    places: Places
    q: Floats
    valid: Floats
    after: Floats
    before: Floats
    sigma: Floats


def first_places(problem: FollowProblem) -> Floats:
    """Return where to look first: closely enough for the tool's travel and turn, breaks among them."""
    R = problem.poses(np.linspace(0.0, problem.length, PROBES))[:, :3, :3]
    cosines = 0.5 * ((R[1:] * R[:-1]).sum(axis=(1, 2)) - 1.0)
    turn = float(np.arccos(np.clip(cosines, -1.0, 1.0)).max()) * (PROBES - 1)
    count = int(np.clip(math.ceil(max(problem.length / STEP, turn / TURN_STEP)), FEWEST, MOST))
    return with_breaks(problem, np.linspace(0.0, problem.length, count + 1))


def with_breaks(problem: FollowProblem, s: Floats) -> Floats:
    """Return growing places with the path's breaks among them, and none too close to another."""
    if len(problem.breaks):
        s = np.unique(np.concatenate([s, problem.breaks]))
    fixed = np.isin(s, problem.breaks) | (s == 0.0) | (s == problem.length)
    least = SHORTEST * problem.length
    crowded = np.zeros(len(s), dtype=bool)
    crowded[1:] |= np.diff(s) < least
    crowded[:-1] |= np.diff(s) < least
    return np.asarray(s[fixed | ~crowded])


def choose(problem: FollowProblem, candidates: Candidates, s: Floats, *, rounds: int = ALL_ROUNDS) -> Choice:
    """Return the best chain along the path, looked at closer where steps are too long to be sure of.

    A chain that ends early is looked at ever more closely, up to `rounds` times at each place where it ends.
    """
    if not len(candidates.slopes()):
        return Choice(s[:0], np.empty((0, problem.robot.dof)), [], False, 0.0, problem.places(s))
    fixed, looks, step, farthest = s, 0, 0, -1.0
    while True:
        table = _table(problem, candidates, s)
        looks += len(s)
        if looks == len(s):
            table = _nudge_off_singularity(problem, candidates, table)
            s = fixed = table.places.s
        before, cost, ambiguous = _chains(problem, candidates, table)
        whole = bool(np.isfinite(cost[-1]).any())
        wanted = _wanted(problem, candidates, table, before, ambiguous, whole)
        reached = np.flatnonzero(np.isfinite(cost).any(axis=1))
        here = float(s[reached[-1]]) if len(reached) else 0.0
        if candidates.tracked and not whole and here > farthest:
            step, farthest = 0, here
        if step == rounds or not len(wanted) or (whole and step >= SURE_ROUNDS) or len(s) > len(fixed) + MOST_REFINED:
            break
        s, step = with_breaks(problem, np.unique(np.concatenate([s, wanted]))), step + 1
        if len(s) == len(table.places.s):
            break
    return _best(problem, candidates, table, before, cost)._replace(looks=looks)


def _wanted(
    problem: FollowProblem, candidates: Candidates, table: CandidateTable, before: Ints, ambiguous: Floats, whole: bool
) -> Floats:
    """Return the middles of steps that need a closer look."""
    s = table.places.s
    look = ambiguous > 0.5
    if candidates.tracked and not whole and len(s) > 1:
        look |= ((before[:-1] >= 0) & (before[1:] < 0)).any(axis=1)
    look &= np.diff(s) > 4.0 * SHORTEST * problem.length
    middles: Floats = 0.5 * (s[:-1] + s[1:])[look]
    return middles


def _table(problem: FollowProblem, candidates: Candidates, s: Floats) -> CandidateTable:
    places = problem.places(s)
    q, valid = candidates.solve(problem, places)
    after, bend, sigma = np.zeros(q.shape), np.zeros(q.shape), np.ones(valid.shape)
    arm = (problem.met_with(candidates.rows(0).extra), *problem.limits, candidates.slopes())
    follow_rates.candidates_into(*arm, places.T, places.after, GATE, q, valid, after, bend, sigma)
    if min(s[1] - s[0], s[-1] - s[-2]) < 2.0 * END_STEP * problem.length:
        _extrapolate_columns(problem, candidates, CandidateTable(places, q, valid, after, bend, sigma))
    before = after
    rows = places.breaks
    if rows:
        before, some, ok = after.copy(), q[rows], valid[rows]
        rate = np.zeros(some.shape)
        follow_rates.candidates_into(
            *arm, places.T[rows], places.before[rows], GATE, some, ok, rate, np.empty(some.shape), np.ones(ok.shape)
        )
        before[rows] = rate
    valid[np.abs(after).max(axis=2) > TOO_FAST] = 0.0
    return CandidateTable(places, q, valid, after, before, sigma)


def _extrapolate_columns(problem: FollowProblem, candidates: Candidates, table: CandidateTable) -> None:
    """Continue columns to singular ends of the path; a given start stays as it is. `before` holds bends here."""
    given = None if candidates.start is None else table.q[0].copy()
    for b in range(table.q.shape[1]):
        if (table.valid[[0, 1], b] > 0.5).all() or (table.valid[[-1, -2], b] > 0.5).all():
            columns = (part[:, b] for part in (table.sigma, table.after, table.before, table.q))
            extrapolate_at_singular_ends(problem.length, table.places.s, *columns)
    if given is not None:
        table.q[0] = given


def _nudge_off_singularity(problem: FollowProblem, candidates: Candidates, table: CandidateTable) -> CandidateTable:
    """Move samples that are exactly at a singularity a little: there a branch has more than one solution."""
    s = table.places.s
    singular = np.asarray(((table.sigma < SINGULAR) & (table.valid > 0.5)).any(axis=1))
    at_start, at_end = bool(singular[0]), bool(singular[-1])
    singular[[0, -1]] = False
    singular[table.places.breaks] = False
    if singular.sum() > len(s) // 4 or not (at_start or at_end or singular.any()):
        return table
    moved = s.copy()
    rows = np.flatnonzero(singular)
    moved[rows] -= NUDGE * (s[rows] - s[rows - 1])
    beside = [END_STEP * problem.length] * at_start + [(1.0 - END_STEP) * problem.length] * at_end
    return _table(problem, candidates, np.unique(np.concatenate([moved, beside])))


def extrapolate_at_singular_ends(
    length: float, s: Floats, sigma: Floats, rate: Floats, bend: Floats, q: Floats | None = None
) -> None:
    """Where the arm is singular at an end of the path, take rates there from the place beside it; joints too, if given.

    `rate`, `bend` and `q` are (m, n), `sigma` (m,); the last row of `q` is changed, and its first one.
    """
    for end, beside in ((0, 1), (-1, -2)):
        step = float(s[end] - s[beside])
        if sigma[end] < SINGULAR and abs(step) < 2.0 * END_STEP * length:
            rate[end], bend[end] = rate[beside] + step * bend[beside], bend[beside]
            if q is not None:
                q[end] = q[beside] + step * (rate[beside] + 0.5 * step * bend[beside])


def _chains(problem: FollowProblem, candidates: Candidates, table: CandidateTable) -> tuple[Ints, Floats, Floats]:
    m, k, _ = table.q.shape
    before, cost, ambiguous = np.empty((m, k), dtype=np.int64), np.empty((m, k)), np.zeros(m - 1)
    speed, robot = problem.solver.weights, problem.robot
    first = HOME * np.sqrt((((table.q[0] - robot.home) * speed) ** 2).sum(axis=1))
    may_turn = _may_turn(problem, candidates)
    rows = follow_path.CandidateRows(table.places.s, table.q, table.valid, table.after, table.before, table.sigma)
    joints = follow_path.JointCosts(problem.chain[1], *problem.limits, speed)
    chains = follow_path.CandidateChains(before, cost, ambiguous)
    follow_path.choose_into(rows, joints, first, candidates.group, may_turn, chains)
    return before, cost, ambiguous


def _may_turn(problem: FollowProblem, candidates: Candidates) -> bool:
    """Tell whether joints may be turned round as a whole: not from a given start, nor where others follow them."""
    return candidates.start is None and not len(problem.law)


def _best(problem: FollowProblem, candidates: Candidates, table: CandidateTable, before: Ints, cost: Floats) -> Choice:
    s, m = table.places.s, len(table.places.s)
    reached = np.flatnonzero(np.isfinite(cost).any(axis=1))
    if not len(reached):
        return Choice(s[:0], table.q[:0, 0], [], False, 0.0, table.places)
    last = int(reached[-1])
    column = int(np.argmin(cost[last]))
    columns = [column]
    for i in range(last, 0, -1):
        column = int(before[i, column])
        columns.append(column)
    columns.reverse()
    rows = np.arange(last + 1)
    chain = table.q[rows, columns]
    after, arriving = table.after[rows, columns], table.before[rows, columns]
    q = _unwrapped(problem, s[: last + 1], chain, after, arriving, _may_turn(problem, candidates))
    return Choice(s[: last + 1], q, columns, last == m - 1, float(s[min(last + 1, m - 1)]), table.places)


def _unwrapped(problem: FollowProblem, s: Floats, q: Floats, after: Floats, before: Floats, may_turn: bool) -> Floats:
    """Return the chain without jumps by whole turns, as a whole inside the limits."""
    turning, (lower, upper) = problem.chain[1] > 0.5, problem.limits
    expected = 0.5 * np.diff(s)[:, None] * (after[:-1] + before[1:])
    turns = np.where(turning, np.round((expected - np.diff(q, axis=0)) / TURN), 0.0)
    out = q + TURN * np.concatenate([np.zeros((1, q.shape[1])), np.cumsum(turns, axis=0)])
    low, high = out.min(axis=0), out.max(axis=0)
    least = np.ceil((lower - low - LIMIT_SLACK) / TURN)
    most = np.floor((upper - high + LIMIT_SLACK) / TURN)
    nearest_home = np.round((problem.robot.home - 0.5 * (low + high)) / TURN)
    shift = np.where(turning & (least <= most) & may_turn, np.clip(nearest_home, least, most), 0.0)
    return np.asarray(np.clip(out + TURN * shift, lower, upper))
