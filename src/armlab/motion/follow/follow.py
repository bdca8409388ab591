"""From the path of a tool to the path of the joints: the best continuous branch, and never a silent jump.

All solutions at samples of the path, the cheapest continuous chain through them, exact joints, rates and bends at its
nodes, quintics between them that are checked against exact inverse kinematics and halved until they fit. Where that
cannot be done, a finding says where, on which branch, because of which joint, and what was tried and helps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry import pose
from armlab.kinematics.targets import as_start
from armlab.kinematics.task import TaskLike, as_task
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.follow.candidates import free_rows
from armlab.motion.follow.problem import FollowProblem, HeldConditions, ToolPathLike, problem_of
from armlab.motion.follow.remedies import with_remedies
from armlab.motion.follow.reports import end_of, failure, remarks
from armlab.motion.follow.search import search
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.units import DEG_PER_RAD, MM_PER_M

__all__ = ["FollowResult", "ToolPathLike", "attempt_follow", "follow"]

START_TOLERANCE = 1e-5
"""How far (m, rad) the tool may be from the start of the path at a given start."""
ON_PATH = 1e-10
MOST_SAMPLES = 20_000
LAWFUL = 1e-7
"""How far (rad or m) a follower may be from its law."""


@dataclass(frozen=True, slots=True, eq=False)
class FollowResult:
    """How a tool path looks in joint space, or why it cannot be followed."""

    path: PiecewisePolynomial | None
    """Joint values over the s of the tool path, twice smooth except where the tool path is not; None if not whole."""
    branch: str
    """The branch, or the branches in their order; for an arm without names, how it was found."""
    findings: tuple[Finding, ...]
    max_error: float
    """How far (rad or m) joints between nodes were found from exact inverse kinematics; 0 where the tool is exact."""
    whole: bool
    """Whether the whole path is followed."""
    reached: float
    """The s up to which the best attempt came."""


def follow(
    robot: Robot,
    path: ToolPathLike,
    *,
    start: ArrayLike | None = None,
    samples: int | None = None,
    task: TaskLike = "pose",
) -> FollowResult:
    """Return the joint path that moves the tool along `path`; see `attempt_follow`.

    Raises:
        PlanningFailed: if the path cannot be followed to its end; the message says where, why, and what helps.
    """
    followed = attempt_follow(robot, path, start=start, samples=samples, task=task)
    if not followed.whole:
        errors = [finding for finding in followed.findings if finding.severity == "error"]
        raise PlanningFailed(errors[0].message, finding=errors[0].code, **dict(errors[0].where))
    return followed


def attempt_follow(
    robot: Robot,
    path: ToolPathLike,
    *,
    start: ArrayLike | None = None,
    samples: int | None = None,
    task: TaskLike = "pose",
) -> FollowResult:
    """Look for the joint path that moves the tool along `path`.

    Args:
        robot: the arm
        path: of its tool in the world
        start: joints (n,) to start from; by default the best start for the whole path is chosen
        samples: how many nodes the joint path has at least; by default as few as make it exact
        task: which part of the poses must be met, as for `attempt_ik`

    Raises:
        InvalidInput: if `start` does not put the tool at the start of the path, or values cannot be used.
        LimitViolation: if `start` is outside the limits.
    """
    problem = problem_of(robot, path, as_task(task))
    count = _as_count(samples)
    first = None if start is None else _as_first(problem, start)
    outcome = search(problem, first, count)
    if outcome.is_whole:
        fitted = outcome.fitted
        assert fitted is not None
        findings = tuple(remarks(problem, outcome))
        return FollowResult(
            _own_pieces(problem, fitted.pieces), outcome.branch, findings, fitted.max_error, True, problem.length
        )
    end = end_of(problem, outcome)
    finding = with_remedies(problem, first, failure(problem, outcome, end))
    return FollowResult(None, outcome.branch, (finding,), float("inf"), False, end.s)


def _own_pieces(problem: FollowProblem, pieces: PiecewisePolynomial | None) -> PiecewisePolynomial | None:
    """Return the motion of the arm's own joints; where others follow them, these must have kept their law.

    Raises:
        NotSupported: if they have not.
    """
    if pieces is None or not len(problem.law):
        return pieces
    rows = pieces.coefficients[:, 0]
    if np.abs(rows - problem.rows(problem.own(rows))).max() > LAWFUL:
        raise not_for_coupled(term(_("this path")))
    return PiecewisePolynomial(pieces.breaks, problem.own(pieces.coefficients))


def _as_count(samples: int | None) -> int | None:
    if samples is None:
        return None
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or not 2 <= samples <= MOST_SAMPLES:
        raise InvalidInput(
            "samples_outside",
            _("samples: expected a whole number from 2 to {most}, got {samples}"),
            most=MOST_SAMPLES,
            samples=str(samples),
        )
    return int(samples)


def _as_first(problem: FollowProblem, start: ArrayLike) -> Floats:
    """Return the start, put exactly on the path.

    Raises:
        InvalidInput: if it is elsewhere.
    """
    arm, robot = problem.arm, problem.robot
    q = problem.rows(as_start(arm, (arm.chain.lower, arm.chain.upper), start).copy())
    position, rotation = _task_errors(problem, q)
    if position > START_TOLERANCE or rotation > START_TOLERANCE:
        raise InvalidInput(
            "start_off_path",
            _(
                "start: the tool is {position:.3f} mm and {rotation:.3f}° away from the start of the path; "
                "at most {most_position:g} mm and {most_rotation:.4f}° are allowed"
            ),
            position=position * MM_PER_M,
            rotation=rotation * DEG_PER_RAD,
            most_position=START_TOLERANCE * MM_PER_M,
            most_rotation=START_TOLERANCE * DEG_PER_RAD,
        )
    if max(position, rotation) > ON_PATH:
        extra = free_rows(problem, q)
        q = problem.polished(
            np.zeros(1), problem.poses(np.zeros(1)), q[None], HeldConditions(extra, extra @ q, np.zeros(len(extra)))
        )[0][0]
    return np.clip(q, robot.lower, robot.upper)


def _task_errors(problem: FollowProblem, q: Floats) -> tuple[float, float]:
    """Return how far (m, rad) the arm at `q` is from the start of the path in what the task asks for."""
    T, now = np.asarray(problem.path.at(np.zeros(1)))[0], problem.robot.fk(q)
    weights = problem.task.weights
    position = float(np.linalg.norm(weights[:3] * (T - now)[:3, 3]))
    if problem.task.axis_only:
        return position, float(np.arccos(np.clip(T[:3, 2] @ now[:3, 2], -1.0, 1.0)))
    turn = pose.rotation_vector(T[:3, :3] @ now[:3, :3].T)
    return position, float(np.linalg.norm(weights[3:] * turn))
