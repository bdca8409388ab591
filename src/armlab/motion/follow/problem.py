"""What following a tool path is about: the arm, the path, and what has to be met, as kernels take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kernels.follow import path as follow_path
from armlab.kernels.follow import rates as follow_rates
from armlab.kernels.follow.rates import Conditions
from armlab.kinematics.numeric import length_of, weights_of
from armlab.kinematics.solvers import ArmSolver, solver_of
from armlab.kinematics.task import Task
from armlab.messages import _
from armlab.model.coupling import chain_values
from armlab.model.robot import Robot

SAME_BREAK = 1e-9
"""Breaks nearer to each other than this share of the path are one."""


class ToolPathLike(Protocol):
    """A path of the tool over s, from 0 to `length` (m): what `follow` asks of it."""

    @property
    def length(self) -> float:
        """Where the path ends."""

    @property
    def stops(self) -> ArrayLike:
        """Inner places where the direction jumps."""

    @property
    def knots(self) -> ArrayLike:
        """Inner places where the second derivative jumps."""

    @property
    def nodes(self) -> ArrayLike:
        """The places of the poses that the path was made from."""

    def at(self, s: ArrayLike) -> Floats:
        """Return T_world_tool at `s` (m,): (m, 4, 4)."""

    def derivatives(self, s: ArrayLike) -> Floats:
        """Return dp/ds, d²p/ds², ω per s and dω/ds at `s` (m,), in world axes: (m, 4, 3)."""


class Places(NamedTuple):
    """What the path asks for at places `s` (m,); at a break the motion differs `before` and `after` it."""

    s: Floats
    T: Floats
    after: Floats
    before: Floats
    breaks: list[int]
    """Which of the places are inner breaks: their numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class FollowProblem:
    """An arm, a path and a task.

    An arm with coupled joints is followed in the values of all joints of its chain, which `law` holds together:
    `law` @ q stays as it is at the start.
    """

    robot: Robot
    """Whose joints the kernels move: the arm, or the same with its followers on their own."""
    arm: Robot
    law: Floats
    """(e, n): one row for each follower; none for other arms."""
    path: ToolPathLike
    task: Task
    solver: ArmSolver
    length: float
    """Of the path, m."""
    breaks: Floats
    """Inner places where a derivative of the path jumps."""

    def own(self, q: Floats) -> Floats:
        """Return the arm's own of the joint values (…, n) that are followed."""
        return q if self.arm.coupling is None else np.ascontiguousarray(q[..., list(self.arm.coupling.own)])

    def rows(self, q: Floats) -> Floats:
        """Return the joint values that are followed for the arm's own."""
        return chain_values(self.arm.coupling, q)

    @property
    def chain(self) -> tuple[Floats, Floats]:
        """Constants and revolute, as kernels take them."""
        return self.solver.chain[0], self.solver.chain[1]

    @property
    def limits(self) -> tuple[Floats, Floats]:
        """Lower and upper, as kernels take them."""
        return self.solver.limits

    @property
    def conditions(self) -> tuple[Floats, int, float]:
        """The task's weights, its mode, and the length that counts as much as one radian."""
        return weights_of(self.task.mask), self.task.mode, length_of(self.robot)

    def met_with(self, extra: Floats) -> Conditions:
        """Return what the joints have to meet, with `extra` rows (e, n) held, as kernels take it."""
        (constants, revolute), (weights, mode, length) = self.chain, self.conditions
        return Conditions(constants, revolute, weights, mode, length, extra)

    def places(self, s: Floats) -> Places:
        """Return what the path asks for at growing places `s` (m,)."""
        T = self.poses(s)
        after = np.ascontiguousarray(self.path.derivatives(s), dtype=np.float64)
        if not len(self.breaks):
            return Places(s, T, after, after, [])
        rows = np.flatnonzero(np.isin(s, self.breaks))
        before = after.copy()
        if len(rows):
            before[rows] = self.path.derivatives(np.nextafter(s[rows], 0.0))
        return Places(s, T, after, before, rows.tolist())

    def poses(self, s: Floats) -> Floats:
        """Return the path's poses (m, 4, 4) at `s` (m,)."""
        return np.ascontiguousarray(self.path.at(s), dtype=np.float64)

    def polished(self, s: Floats, T: Floats, q: Floats, rows: HeldConditions, steps: int = 4) -> tuple[Floats, Floats]:
        """Return exact joints near `q` (m, n) for the poses `T` at `s`, and the errors (m, 2) before and after."""
        better, errors = np.ascontiguousarray(q).copy(), np.empty((len(s), 2))
        held = np.ascontiguousarray(rows.start + s[:, None] * rows.slope)
        follow_path.polish_each_into(self.met_with(rows.extra), held, T, steps, better, errors)
        return better, errors

    def rates(self, T: Floats, motion: Floats, q: Floats, rows: HeldConditions) -> tuple[Floats, Floats, Floats]:
        """Return dq/ds and d²q/ds² (m, n) at `q` (m, n), and how far (m,) the arm is from being singular."""
        rate, bend, sigma = np.empty(q.shape), np.empty(q.shape), np.empty(len(q))
        follow_rates.rates_each_into(self.met_with(rows.extra), rows.slope, T, motion, q, rate, bend, sigma)
        return rate, bend, sigma


class HeldConditions(NamedTuple):
    """Conditions that hold what the task leaves free: extra @ q = start + s * slope; (e, n), (e,), (e,)."""

    extra: Floats
    start: Floats
    slope: Floats


def problem_of(robot: Robot, path: ToolPathLike, task: Task) -> FollowProblem:
    """Return the problem, its path checked.

    Raises:
        InvalidInput: if the path has no length.
    """
    length = float(path.length)
    if not (length > 0.0 and np.isfinite(length)):
        raise InvalidInput(
            "path_length", _("path: its length must be > 0 m and finite, got {length:g} m"), length=length
        )
    inner = np.concatenate([np.asarray(path.stops, dtype=np.float64).ravel(), np.asarray(path.knots).ravel()])
    inner = np.unique(inner[(inner > SAME_BREAK * length) & (inner < length * (1.0 - SAME_BREAK))])
    if len(inner) > 1:
        inner = inner[np.concatenate([[True], np.diff(inner) > SAME_BREAK * length])]
    walked, law = robot.uncoupled, robot.coupling
    if law is None:
        return FollowProblem(robot, robot, np.empty((0, robot.dof)), path, task, solver_of(robot), length, inner)
    solver = replace(solver_of(walked), family=None, six=None, seven=None, closed=None, branches=0)
    held = np.eye(walked.dof)
    held[:, list(law.own)] -= law.matrix
    places = [follower.place for follower in robot.followers]
    return FollowProblem(walked, robot, np.ascontiguousarray(held[places]), path, task, solver, length, inner)
