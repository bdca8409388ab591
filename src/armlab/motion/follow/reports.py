"""What following a path has to tell: where and why it ends, and what it comes close to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.numeric import search_one
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.why import why_not
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.motion.follow.candidates import ClosedForm
from armlab.motion.follow.choice import TOO_FAST
from armlab.motion.follow.problem import FollowProblem, HeldConditions, Places
from armlab.motion.follow.search import SearchOutcome
from armlab.units import DEG_PER_RAD, MM_PER_M, of_joint

NEAR_SINGULAR = 0.03
"""Below this smallest singular value (lengths in reaches) a path comes near a singularity."""
NEAR_LIMIT = 0.02
"""Nearer to a limit than this share of the joint's range is worth a note."""
FINEST = 1e-7
BEYOND = 1e-5
STEPS = 200
TURN = 2.0 * math.pi
FURTHER = 0.01
"""How far (m) beyond its last place a path that leaves the reach is asked about."""
AHEAD = 0.001
JUMP = 0.1
"""A difference of joints (rad or m) within AHEAD of path that is a flip."""
LOOKED_AT = 8
NEAR_SINGULAR_ONLY = _(
    "{robot}: comes near a singular configuration at {place}: joint '{joint}' moves by up to {step} per mm of the path"
)
NEAR_SLOWED = _(
    "{robot}: comes near a singular configuration at {place}: joint '{joint}' moves by up to {step} per mm of the "
    "path; there the tool must slow down to {speed:.3g} mm/s"
)


ENDS = {
    "limit": "path_ends_at_limit",
    "singular": "path_ends_singular",
    "flip": "path_ends_in_flip",
    "unreachable": "path_ends_out_of_reach",
}
"""What findings about paths are called that cannot be followed to their end, by why they end."""
NO_START, START_OUTSIDE_LIMITS = "path_start_unreachable", "path_start_outside_limits"
NEAR_SINGULARITY, NEAR_LIMITS, BRANCH_CHANGE = "path_near_singularity", "path_near_limit", "path_changes_branch"


class PathEnd(NamedTuple):
    """Where a path ends that cannot be followed: the code, the place (m), joints there, and which of them is why."""

    code: str
    s: float
    q: Floats
    joint: int
    why: Message


def end_of(problem: FollowProblem, outcome: SearchOutcome) -> PathEnd:
    """Return where and why the best chain ends: followed from its last place without limits until something breaks."""
    choice, fitted = outcome.choice, outcome.fitted
    if not len(choice.s):
        return _no_start(problem)
    rows = outcome.candidates.rows(choice.columns[0])
    if fitted is not None and fitted.kind:
        i = max(int(np.searchsorted(choice.s, fitted.trouble)) - 1, 0)
        s, q, s_next = float(choice.s[i]), choice.q[i], float(choice.s[min(i + 1, len(choice.s) - 1)])
        if fitted.kind == "cap":
            why = term(_("the joints change too fast to be described exactly"))
            return PathEnd(ENDS["singular"], fitted.trouble, q, -1, why)
    else:
        s, q, s_next = float(choice.s[-1]), choice.q[-1], choice.s_next
    return _broken(problem, outcome, rows, s, q, s_next)


def _broken(
    problem: FollowProblem, outcome: SearchOutcome, rows: HeldConditions, s: float, q: Floats, s_next: float
) -> PathEnd:
    """Go on from `s` in ever shorter steps until nothing shorter helps."""
    h, joint, kind = max(s_next - s, FINEST), -1, ""
    aim = min(s_next + BEYOND, problem.length)
    for _step in range(STEPS):
        if h < FINEST or s >= aim:
            break
        places = problem.places(np.array([s]))
        rate, bend = (part[0] for part in problem.rates(places.T, places.after, q[None], rows)[:2])
        step = rate * h + 0.5 * h * h * bend
        goal = np.array([min(s + h, problem.length)])
        there, errors = problem.polished(goal, problem.poses(goal), (q + step)[None], rows, 12)
        off = np.abs(there[0] - q - step).max()
        if not (np.abs(rate).max() <= TOO_FAST and errors[0, 1] <= 1e-9 and off <= 0.25 * np.abs(step).max() + 1e-6):
            kind, joint, h = "lost", int(np.argmax(np.abs(rate))), 0.5 * h
            continue
        over = np.maximum(problem.robot.lower - there[0], there[0] - problem.robot.upper)
        if over.max() > LIMIT_SLACK:
            kind, joint, h = "limit", int(np.argmax(over)), 0.5 * h
            continue
        s, q, h = min(s + h, problem.length), there[0], min(1.5 * h, max(aim - s - h, 0.0))
    if kind == "limit":
        return PathEnd(ENDS["limit"], s, q, joint, _limit_passed(problem, joint, q))
    return _lost(problem, outcome, s, q, joint)


def _lost(problem: FollowProblem, outcome: SearchOutcome, s: float, q: Floats, joint: int) -> PathEnd:
    """Tell a place from which on nothing can be reached from one where only this branch ends."""
    ahead = min(AHEAD, problem.length - s)
    beyond = problem.places(np.array([s + ahead]))
    column = -1 if outcome.choice.is_whole else outcome.choice.columns[-1]
    after = _solution_beyond(problem, beyond, q, column) if ahead > 0.0 else None
    if after is None:
        return PathEnd(ENDS["unreachable"], s, q, -1, _reach_end(problem, s))
    gap = after - q
    gap -= TURN * np.round(gap / TURN) * problem.robot.chain.revolute
    worst = int(np.argmax(np.abs(gap)))
    if abs(gap[worst]) > JUMP:
        why = term(
            _("joint '{joint}' would have to move by {step} within {travel:.1f} mm"),
            joint=problem.robot.joints[worst].name,
            step=of_joint(problem.robot.joints[worst].kind, abs(float(gap[worst])), digits=".0f"),
            travel=ahead * MM_PER_M,
        )
        return PathEnd(ENDS["flip"], s, q, worst, why)
    why = term(_("joint '{joint}' would have to move too fast"), joint=problem.robot.joints[max(joint, 0)].name)
    return PathEnd(ENDS["singular"], s, q, max(joint, 0), why)


def _reach_end(problem: FollowProblem, s: float) -> Message:
    ahead = min(FURTHER, problem.length - s)
    diagnosis = why_not(problem.arm, problem.poses(np.array([s + ahead]))[0], task=problem.task)
    if diagnosis.code in {"out_of_reach", "limits", "too_few_axes"} and ahead > 0.0:
        return term(
            _("its reach ends; {travel:.0f} mm further: {reason}"), travel=ahead * MM_PER_M, reason=diagnosis.summary
        )
    return term(_("its reach ends in this orientation of the tool"))


def _solution_beyond(problem: FollowProblem, beyond: Places, q: Floats, column: int) -> Floats | None:
    """Return how the same branch goes on, else the solution that is nearest to `q`, or None where there is none."""
    solver, robot = problem.solver, problem.robot
    if solver.family is not None:
        family = solver.family if problem.task.is_whole_pose else solver.family.loosened()
        found, valid = ClosedForm(family, robot.dof, None).solve(problem, beyond)
        if column >= 0 and valid[0, column] > 0.5:
            return np.asarray(found[0, column])
        options = found[0][valid[0] > 0.5]
        if not len(options):
            return None
        gaps = options - q
        gaps -= TURN * np.round(gaps / TURN) * robot.chain.revolute
        return np.asarray(q + gaps[int(np.argmin(np.abs(gaps).max(axis=1)))])
    inside = problem.own(np.clip(q, robot.lower, robot.upper))
    answer = search_one(problem.arm, beyond.T[0], inside, problem.task, searches=40)
    return problem.rows(answer.q) if answer.converged else None


def _no_start(problem: FollowProblem) -> PathEnd:
    T = problem.poses(np.zeros(1))[0]
    diagnosis = why_not(problem.arm, T, task=problem.task)
    code = START_OUTSIDE_LIMITS if diagnosis.code == "limits" else NO_START
    found_none = term(_("no solution was found"))
    why = found_none if diagnosis.reachable else diagnosis.summary
    joints = [v.joint for v in sorted(diagnosis.branches, key=lambda v: v.excess) if v.joint]
    names = [joint.name for joint in problem.robot.joints]
    return PathEnd(code, 0.0, problem.rows(diagnosis.nearest_q), names.index(joints[0]) if joints else -1, why)


def _limit_passed(problem: FollowProblem, i: int, q: Floats) -> Message:
    joint = problem.robot.joints[i]
    if q[i] - joint.lower < joint.upper - q[i]:
        limit = of_joint(joint.kind, joint.lower)
        return term(_("joint '{joint}' would pass its lower limit {limit}"), joint=joint.name, limit=limit)
    limit = of_joint(joint.kind, joint.upper)
    return term(_("joint '{joint}' would pass its upper limit {limit}"), joint=joint.name, limit=limit)


def place_of(problem: FollowProblem, s: float) -> Message:
    """Return a place as people read it: mm, percent, and between which nodes."""
    nodes = np.asarray(problem.path.nodes, dtype=np.float64).ravel()
    travel, share = s * MM_PER_M, 100.0 * s / problem.length
    if len(nodes) < 2:
        return term(_("{travel:.1f} mm ({share:.0f} %)"), travel=travel, share=share)
    i = int(np.clip(np.searchsorted(nodes, s, side="right"), 1, len(nodes) - 1))
    return term(
        _("{travel:.1f} mm ({share:.0f} %, between nodes {first} and {second})"),
        travel=travel,
        share=share,
        first=i,
        second=i + 1,
    )


def where_of(problem: FollowProblem, s: float, branch: str, joint: int) -> dict[str, float | int | str]:
    """Return a place as plain values."""
    T = np.asarray(problem.path.at(np.array([s])))[0]
    x, y, z = T[:3, 3].tolist()
    a, b, c = (np.asarray(pose.as_abc(T)) * DEG_PER_RAD).tolist()
    where: dict[str, float | int | str] = {"path": s, "share": s / problem.length, "branch": branch}
    if joint >= 0:
        where["joint"] = problem.robot.joints[joint].name
    text = f"{x * MM_PER_M:.3f} {y * MM_PER_M:.3f} {z * MM_PER_M:.3f} mm, A {a:.3f} B {b:.3f} C {c:.3f}°"
    return {**where, "x": x, "y": y, "z": z, "pose": text}


def failure(problem: FollowProblem, outcome: SearchOutcome, end: PathEnd) -> Finding:
    """Return the finding about a path that cannot be followed to its end."""
    if not len(outcome.choice.s):
        template = _("{robot}: cannot reach the start of the path: {reason}")
    elif outcome.branch:
        template = _("{robot}: can follow the path only to {place} on branch '{branch}': {reason}")
    else:
        template = _("{robot}: can follow the path only to {place}: {reason}")
    message = Message(
        end.code,
        template,
        robot=problem.robot.name,
        place=place_of(problem, end.s),
        branch=outcome.branch,
        reason=end.why,
    )
    return Finding("error", message, where_of(problem, end.s, outcome.branch, end.joint))


def remarks(problem: FollowProblem, outcome: SearchOutcome) -> list[Finding]:
    """Return what a whole path comes close to: singularities, changes of branch, limits."""
    assert outcome.fitted is not None
    assert outcome.fitted.pieces is not None
    pieces = outcome.fitted.pieces
    h = np.diff(pieces.breaks)[:, None]
    q, rate = np.ascontiguousarray(pieces.coefficients[:, 0]), pieces.coefficients[:, 1] / h
    found = [*_changes(problem, outcome), *_singular(problem, outcome, pieces.breaks, q, rate)]
    return found + _near_limits(problem, outcome, pieces.breaks, q)


def _changes(problem: FollowProblem, outcome: SearchOutcome) -> list[Finding]:
    columns = np.array(outcome.choice.columns)
    found = []
    for i in (np.flatnonzero(np.diff(columns)) + 1).tolist():
        before, after = (outcome.candidates.name(int(column)) for column in columns[i - 1 : i + 1])
        if before != after:
            s = 0.5 * float(outcome.choice.s[i - 1] + outcome.choice.s[i])
            message = Message(
                BRANCH_CHANGE,
                _("{robot}: passes through a singular configuration at {place}, from branch '{before}' to '{after}'"),
                robot=problem.robot.name,
                place=place_of(problem, s),
                before=before,
                after=after,
            )
            found.append(Finding("warning", message, where_of(problem, s, outcome.branch, -1)))
    return found


def _singular(problem: FollowProblem, outcome: SearchOutcome, s: Floats, q: Floats, rate: Floats) -> list[Finding]:
    try:
        scaled = scaled_task(problem.arm, problem.task)
    except InvalidInput:  # the arm can move nothing that the task asks for
        return []
    assert outcome.fitted is not None
    speed = np.abs(rate).max(axis=1)
    some = np.unique(
        np.concatenate([np.argsort(-speed)[:LOOKED_AT], np.linspace(0, len(q) - 1, LOOKED_AT).astype(int)])
    )
    sigma = scaled.singular_values(problem.own(q[some]))[:, -1]
    if not sigma.min() < NEAR_SINGULAR:
        return []
    i = int(some[np.argmin(sigma)])
    fastest = int(np.argmax(speed))
    joint = int(np.argmax(np.abs(rate[fastest])))
    facts: dict[str, float] = {"ratio": float(speed[fastest]), "smallest": float(sigma.min())}
    slow = float((problem.robot.velocity / np.maximum(np.abs(rate[fastest]), 1e-12)).min())
    if math.isfinite(slow):
        facts["remedy_speed"] = slow
    message = Message(
        NEAR_SINGULARITY,
        NEAR_SLOWED if math.isfinite(slow) else NEAR_SINGULAR_ONLY,
        robot=problem.robot.name,
        place=place_of(problem, float(s[i])),
        joint=problem.robot.joints[joint].name,
        step=of_joint(problem.robot.joints[joint].kind, float(speed[fastest]) / MM_PER_M, digits=".2f"),
        speed=slow * MM_PER_M,
    )
    where = where_of(problem, float(s[i]), outcome.branch, joint)
    return [Finding("warning", message, {**where, **facts})]


def _near_limits(problem: FollowProblem, outcome: SearchOutcome, s: Floats, q: Floats) -> list[Finding]:
    lower, upper = problem.robot.lower, problem.robot.upper
    share = np.minimum(q - lower, upper - q) / (upper - lower)
    found = []
    for j in np.flatnonzero(share.min(axis=0) < NEAR_LIMIT).tolist():
        i, joint = int(np.argmin(share[:, j])), problem.robot.joints[j]
        left = max(float(share[i, j]), 0.0) * float(upper[j] - lower[j])
        message = Message(
            NEAR_LIMITS,
            _("joint '{joint}' comes within {left} of its limit at {place}"),
            joint=joint.name,
            left=of_joint(joint.kind, left, digits=".2f"),
            place=place_of(problem, float(s[i])),
        )
        found.append(Finding("note", message, where_of(problem, float(s[i]), outcome.branch, j)))
    return found
