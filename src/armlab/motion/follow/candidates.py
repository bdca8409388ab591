"""All ways in which an arm can be at places of a path: from closed forms, or tracked from its start.

| arm | columns |
|---|---|
| with a closed form | its branches |
| redundant with a closed form (Panda, iiwa) | its branches for each of several courses of the last joint, linear in s |
| any other, or a task with fewer conditions | solutions at the start of the path, each tracked along it |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kernels.follow import path as follow_path
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.answers import SEARCHED
from armlab.kinematics.closed import Family
from armlab.kinematics.numeric import search_batch
from armlab.kinematics.seven import BRANCH_NAMES
from armlab.model.coupling import repeating
from armlab.motion.follow.problem import FollowProblem, HeldConditions, Places

TURN = 2.0 * np.pi
TRACKED = 1e-9
LAST_JOINT_VALUES = 15
MOST_VALUES = 8
"""How many of infinitely many starts are tried."""
SEARCHES = 8
SAME = 1e-5


class Candidates(Protocol):
    """Solutions in k columns; a chain may change between columns of the same group."""

    @property
    def group(self) -> int:
        """How many columns belong together."""

    @property
    def tracked(self) -> bool:
        """Whether a column ends for good where it is lost."""

    @property
    def start(self) -> Floats | None:
        """The only joints (n,) to start from, if they were given."""

    def rows(self, column: int) -> HeldConditions:
        """Return what is held in a column."""

    def name(self, column: int) -> str:
        """Return the branch's name of a column."""

    def column(self, q: Floats) -> int:
        """Return the column that the arm is on at `q` (n,)."""

    def slopes(self) -> Floats:
        """Return the rates (k, e) of what is held."""

    def solve(self, problem: FollowProblem, places: Places) -> tuple[Floats, Floats]:
        """Return q (m, k, n) and valid (m, k), before limits are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForm:
    """One column per branch; where a start is given, it is all there is at the first place."""

    family: Family
    dof: int
    start: Floats | None
    tracked: bool = False

    @property
    def group(self) -> int:
        """All columns belong together."""
        return self.family.count

    def rows(self, column: int) -> HeldConditions:  # noqa: ARG002 - the same for all
        """Return that nothing is held."""
        return HeldConditions(np.empty((0, self.dof)), np.empty(0), np.empty(0))

    def name(self, column: int) -> str:
        """Return the name of the branch."""
        return self.family.branch_names[column]

    def column(self, q: Floats) -> int:
        """Return the branch."""
        return int(self.family.branch_of(q))

    def slopes(self) -> Floats:
        """Return nothing for each column."""
        return np.empty((self.family.count, 0))

    def solve(self, problem: FollowProblem, places: Places) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Return the closed form's solutions."""
        q = np.zeros((len(places.s), self.family.count, self.dof))  # what is not valid stays zero
        valid = np.zeros((len(places.s), self.family.count))
        self.family.solve_into(places.T, q, valid)
        if self.start is not None:
            column = _column(self.start, q, valid, self.family.branch_of(self.start))
            valid[0] = 0.0
            q[0, column], valid[0, column] = self.start, 1.0
        return q, valid


@dataclass(frozen=True, slots=True, eq=False)
class LastJointCourses:
    """Eight columns for each course of the last joint: `first` (p,) at s = 0, growing by `slope` (p,)."""

    first: Floats
    slope: Floats
    start: Floats | None
    tracked: bool = False

    @property
    def group(self) -> int:
        """The branches of one course belong together."""
        return 8

    def rows(self, column: int) -> HeldConditions:
        """Return the course of the last joint."""
        extra = np.zeros((1, 7))
        extra[0, 6] = 1.0
        course = column // 8
        return HeldConditions(extra, self.first[course : course + 1].copy(), self.slope[course : course + 1].copy())

    def name(self, column: int) -> str:
        """Return the name of the branch."""
        return BRANCH_NAMES[column % 8]

    def column(self, q: Floats) -> int:  # noqa: ARG002 - of which course, the joints do not tell
        """Return the first one."""
        return 0

    def slopes(self) -> Floats:
        """Return the rates of the last joint."""
        return np.ascontiguousarray(np.repeat(self.slope, 8)[:, None])

    def solve(self, problem: FollowProblem, places: Places) -> tuple[Floats, Floats]:
        """Return the closed form's solutions for every course."""
        arm = problem.solver.seven
        assert arm is not None
        m, p = len(places.s), len(self.first)
        q, valid = np.zeros((m, p, 8, 7)), np.zeros((m, p, 8))
        for c in range(p):
            q_c, valid_c = np.zeros((m, 8, 7)), np.zeros((m, 8))
            arm.solve_into(places.T, self.first[c] + self.slope[c] * places.s, q_c, valid_c)
            q[:, c], valid[:, c] = q_c, valid_c
        if self.start is not None:
            valid[0] = 0.0
            for c in range(p):
                column = _column(self.start, q[:, c], valid[:, c], arm.branch_of(self.start))
                q[0, c, column], valid[0, c, column] = self.start, 1.0
        return q.reshape(m, -1, 7), valid.reshape(m, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """One column per solution (k, n) at the start of the path; `extra` (e, n) @ q stays as it is there."""

    starts: Floats
    extra: Floats
    names: tuple[str, ...]
    start: Floats | None
    tracked: bool = True

    @property
    def group(self) -> int:
        """A column stays alone."""
        return 1

    def rows(self, column: int) -> HeldConditions:
        """Return what stays as it is at the start."""
        held = self.extra @ self.starts[column] if len(self.starts) else np.zeros(len(self.extra))
        return HeldConditions(self.extra, held, np.zeros(len(self.extra)))

    def name(self, column: int) -> str:
        """Return the name of the branch at the start."""
        return self.names[column]

    def column(self, q: Floats) -> int:  # noqa: ARG002 - it is followed, whatever its branch becomes
        """Return the only one that has a given start."""
        return 0

    def slopes(self) -> Floats:
        """Return zero for each column."""
        return np.zeros((len(self.starts), len(self.extra)))

    def solve(self, problem: FollowProblem, places: Places) -> tuple[Floats, Floats]:
        """Return the tracks."""
        k, n = self.starts.shape
        q, valid = np.zeros((len(places.s), k, n)), np.zeros((len(places.s), k))
        q[0], valid[0] = self.starts, 1.0
        held = np.ascontiguousarray(self.starts @ self.extra.T)
        conditions = problem.met_with(self.extra)
        follow_path.track_into(conditions, held, places.s, places.T, places.after, TRACKED, q, valid)
        return q, valid


def _column(start: Floats, q: Floats, valid: Floats, named: int) -> int:
    """Return in which column of `q` (m, k, n) the start goes on: at a singularity its name alone does not tell."""
    if len(q) < 2 or not (valid[1] > 0.5).any():
        return named
    gaps = np.abs(np.sin(0.5 * (q[1] - start))).max(axis=1)  # a sliding joint's step is short: its sine will do
    return int(np.argmin(np.where(valid[1] > 0.5, gaps, np.inf)))


def candidates_of(problem: FollowProblem, start: Floats | None) -> Iterator[Candidates]:
    """Yield sets of candidates, to be tried one after the other until one of them has a whole chain."""
    robot, solver, task = problem.robot, problem.solver, problem.task
    if solver.family is not None and task.is_whole_pose:
        yield ClosedForm(solver.family, robot.dof, start)
    elif solver.family is not None and not task.axis_only and _is_all_of(problem):
        yield ClosedForm(solver.family.loosened(), robot.dof, start)
    else:
        if solver.seven is not None and task.is_whole_pose:
            yield from _courses(problem, start)
        yield from _each_tracked(problem, start)


def _is_all_of(problem: FollowProblem) -> bool:
    """Whether the task asks for exactly as much as the arm can choose: then its loosened closed form answers it."""
    rows = [i for i in range(6) if problem.task.mask[i]]
    rng = np.random.default_rng(0)
    robot = problem.robot
    J = robot.jacobian(robot.lower + (robot.upper - robot.lower) * rng.random((4, robot.dof)))
    scale = np.where(np.arange(6) < 3, 1.0 / problem.conditions[2], 1.0)[rows, None]
    return int(np.linalg.matrix_rank(J[:, rows] * scale, tol=1e-9).max()) == robot.dof


def _courses(problem: FollowProblem, start: Floats | None) -> Iterator[Candidates]:
    """Yield courses of the last joint: constant ones first; else from every value at the start to every at the end."""
    lower, upper = problem.robot.lower[-1], problem.robot.upper[-1]
    margin = 0.05 * (upper - lower)
    even = np.linspace(lower + margin, upper - margin, LAST_JOINT_VALUES)
    if start is not None:
        ends = np.concatenate([start[-1:], even])
        yield LastJointCourses(np.full(len(ends), start[-1]), (ends - start[-1]) / problem.length, start)
        return
    yield LastJointCourses(even, np.zeros(len(even)), None)
    first, last = (_last_values(problem, s) for s in (0.0, problem.length))
    pairs = np.array([(a, b) for a in first for b in (*last, a)]).reshape(-1, 2)
    if len(pairs):
        yield LastJointCourses(pairs[:, 0].copy(), (pairs[:, 1] - pairs[:, 0]) / problem.length, None)


def _last_values(problem: FollowProblem, s: float) -> Floats:
    """Return values of the last joint that are inside all limits at `s`: the middle of each branch's intervals."""
    T = problem.poses(np.array([s]))[0]
    return np.array([solution.q[-1] for solution in all_ik(problem.robot, T, turns=True)][:MOST_VALUES])


def _each_tracked(problem: FollowProblem, start: Floats | None) -> Iterator[Candidates]:
    """Yield tracks: all in one set, or, where the task leaves something free, each start in a set of its own."""
    starts = start[None].copy() if start is not None else _starts(problem)
    free = [free_rows(problem, q) for q in starts]
    shared = not any(len(extra) > len(problem.law) for extra in free)
    each = [range(i, i + 1) for i in range(min(len(starts), MOST_VALUES))]
    for chosen in [range(len(starts))] if shared else each:
        extra = free[chosen[0]] if len(starts) else problem.law
        some = starts[chosen[0] : chosen[-1] + 1].copy() if len(starts) else starts
        for i, q in enumerate(some):
            rows = HeldConditions(extra, extra @ q, np.zeros(len(extra)))
            some[i] = problem.polished(np.zeros(1), problem.poses(np.zeros(1)), q[None], rows)[0][0]
        names = tuple(branch_of(problem.arm, problem.own(q)) or SEARCHED for q in some)
        yield Tracked(some, extra, names, start)


def _starts(problem: FollowProblem) -> Floats:
    """Return solutions at the start of the path that differ by more than whole turns."""
    robot, T = problem.arm, problem.poses(np.zeros(1))
    try:
        found = [solution.q for solution in all_ik(robot, T[0], task=problem.task, turns=True)]
    except InvalidInput:  # infinitely many: a few of them
        rng = np.random.default_rng(0)
        seeds = robot.lower + (robot.upper - robot.lower) * rng.random((SEARCHES, robot.dof))
        seeds[0] = robot.home
        answer = search_batch(robot, np.repeat(T, SEARCHES, axis=0), seeds, problem.task, searches=4)
        found = list(answer.q[answer.converged])
    kept: list[Floats] = []
    turns = repeating(robot.joints, robot.followers)
    for q in found:
        gaps = [np.where(turns, np.abs(np.sin(0.5 * (q - other))), np.abs(q - other)) for other in kept]
        if all(gap.max() > SAME for gap in gaps):
            kept.append(q)
    return problem.rows(np.array(kept).reshape(-1, robot.dof))


def free_rows(problem: FollowProblem, q: Floats) -> Floats:
    """Return rows (e, n) that span what the task leaves free at `q`, after the law of coupled joints; or none."""
    weights, mode, length = problem.conditions
    J = problem.robot.jacobian(q) * weights[:, None]
    J[:3] /= length
    if mode:
        z = problem.robot.fk(q)[:3, 2]
        J[3:] -= np.outer(z, z @ J[3:])
    columns = np.where(problem.robot.chain.revolute > 0.5, 1.0, length)
    _, sigma, Vt = np.linalg.svd(np.concatenate([J, problem.law]) * columns)
    rank = int((sigma > 1e-6).sum())
    return np.ascontiguousarray(np.concatenate([problem.law, Vt[rank:] / columns]))
