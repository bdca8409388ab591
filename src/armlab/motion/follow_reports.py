"""What following a path has to tell: where and why it ends, and what it comes close to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.numeric import search_one
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.why import why_not
from armlab.model import pose
from armlab.model.finding import Finding, Level
from armlab.motion.follow_candidates import ClosedForm
from armlab.motion.follow_choice import TOO_FAST
from armlab.motion.follow_problem import Places, Problem, Rows
from armlab.motion.follow_search import Outcome
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit

NEAR_SINGULAR = 0.03
"""Below this smallest singular value (lengths in reaches) a path comes near a singular pose."""
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


class End(NamedTuple):
    """Where a path ends that cannot be followed: the code, the place (m), joints there, and which of them is why."""

    code: str
    s: float
    q: Floats
    joint: int
    why: str


def end_of(problem: Problem, outcome: Outcome) -> End:
    """Return where and why the best chain ends: followed from its last place without limits until something breaks."""
    choice, fitted = outcome.choice, outcome.fitted
    if not len(choice.s):
        return _no_start(problem)
    rows = outcome.candidates.rows(choice.columns[0])
    if fitted is not None and fitted.kind:
        i = max(int(np.searchsorted(choice.s, fitted.trouble)) - 1, 0)
        s, q, s_next = float(choice.s[i]), choice.q[i], float(choice.s[min(i + 1, len(choice.s) - 1)])
        if fitted.kind == "cap":
            return End("singular", fitted.trouble, q, -1, "the joints change too fast to be described exactly")
    else:
        s, q, s_next = float(choice.s[-1]), choice.q[-1], choice.s_next
    return _broken(problem, outcome, rows, s, q, s_next)


def _broken(problem: Problem, outcome: Outcome, rows: Rows, s: float, q: Floats, s_next: float) -> End:
    """Go on from `s` in ever shorter steps until nothing shorter helps."""
    h, joint, kind = max(s_next - s, FINEST), -1, ""
    aim = min(s_next + BEYOND, problem.length)
    for _ in range(STEPS):
        if h < FINEST or s >= aim:
            break
        places = problem.places(np.array([s]))
        rate, bend, _ = (part[0] for part in problem.rates(places.T, places.after, q[None], rows))
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
        return End("limit", s, q, joint, _limit_text(problem, joint, q))
    return _lost(problem, outcome, s, q, joint)


def _lost(problem: Problem, outcome: Outcome, s: float, q: Floats, joint: int) -> End:
    """Tell a place from which on nothing can be reached from one where only this way of reaching it ends."""
    ahead = min(AHEAD, problem.length - s)
    beyond = problem.places(np.array([s + ahead]))
    column = -1 if outcome.choice.is_whole else outcome.choice.columns[-1]
    after = _solution_beyond(problem, beyond, q, column) if ahead > 0.0 else None
    if after is None:
        return End("unreachable", s, q, -1, _reach_text(problem, s))
    gap = after - q
    gap -= TURN * np.round(gap / TURN) * problem.robot._revolute
    worst = int(np.argmax(np.abs(gap)))
    if abs(gap[worst]) > JUMP:
        kind = problem.robot.joints[worst].kind
        size, name = abs(gap[worst]) / joint_scale(kind), problem.robot.joints[worst].name
        way = f"{size:.0f}{joint_unit(kind)} within {ahead * MM_PER_M:.1f} mm"
        return End("flip", s, q, worst, f"joint '{name}' would have to move by {way}")
    name = problem.robot.joints[max(joint, 0)].name
    return End("singular", s, q, max(joint, 0), f"joint '{name}' would have to move too fast")


def _reach_text(problem: Problem, s: float) -> str:
    ahead = min(FURTHER, problem.length - s)
    diagnosis = why_not(problem.robot, problem.poses(np.array([s + ahead]))[0], task=problem.task)
    if diagnosis.code in {"out_of_reach", "limits", "too_few_axes"} and ahead > 0.0:
        return f"its reach ends, {ahead * MM_PER_M:.0f} mm further {diagnosis.summary}"
    return "its reach ends in this orientation of the tool"


def _solution_beyond(problem: Problem, beyond: Places, q: Floats, column: int) -> Floats | None:
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
        gaps -= TURN * np.round(gaps / TURN) * robot._revolute
        return np.asarray(q + gaps[int(np.argmin(np.abs(gaps).max(axis=1)))])
    inside = np.clip(q, robot.lower, robot.upper)
    answer = search_one(robot, beyond.T[0], inside, problem.task, searches=40)
    return answer.q if answer.converged else None


def _no_start(problem: Problem) -> End:
    T = problem.poses(np.zeros(1))[0]
    diagnosis = why_not(problem.robot, T, task=problem.task)
    code = "limit" if diagnosis.code == "limits" else "unreachable"
    why = "no way to be there was found" if diagnosis.reachable else diagnosis.summary
    joints = [v.joint for v in sorted(diagnosis.branches, key=lambda v: v.excess) if v.joint]
    names = [joint.name for joint in problem.robot.joints]
    return End(code, 0.0, diagnosis.nearest_q, names.index(joints[0]) if joints else -1, why)


def _limit_text(problem: Problem, i: int, q: Floats) -> str:
    joint = problem.robot.joints[i]
    scale, unit = joint_scale(joint.kind), joint_unit(joint.kind)
    is_lower = q[i] - joint.lower < joint.upper - q[i]
    limit, side = (joint.lower, "lower") if is_lower else (joint.upper, "upper")
    return f"joint '{joint.name}' would leave its {side} limit of {limit / scale:.1f}{unit}"


def place_text(problem: Problem, s: float) -> str:
    """Return a place as people read it: mm, percent, and between which nodes."""
    nodes = np.asarray(problem.path.nodes, dtype=np.float64).ravel()
    text = f"{s * MM_PER_M:.1f} mm ({100.0 * s / problem.length:.0f} %"
    if len(nodes) > 1:
        i = int(np.clip(np.searchsorted(nodes, s, side="right"), 1, len(nodes) - 1))
        text += f", between nodes {i} and {i + 1}"
    return text + ")"


def where_of(problem: Problem, s: float, branch: str, joint: int) -> dict[str, float | int | str]:
    """Return a place as plain values."""
    T = np.asarray(problem.path.at(np.array([s])))[0]
    x, y, z = T[:3, 3].tolist()
    a, b, c = (np.asarray(pose.as_abc(T)) * DEG_PER_RAD).tolist()
    where: dict[str, float | int | str] = {"path": s, "share": s / problem.length, "branch": branch}
    if joint >= 0:
        where["joint"] = problem.robot.joints[joint].name
    text = f"{x * MM_PER_M:.3f} {y * MM_PER_M:.3f} {z * MM_PER_M:.3f} mm, A {a:.3f} B {b:.3f} C {c:.3f}°"
    return {**where, "x": x, "y": y, "z": z, "pose": text}


def failure(problem: Problem, outcome: Outcome, end: End) -> Finding:
    """Return the finding about a path that cannot be followed to its end."""
    who = f"{problem.robot.name} can follow the path only to {place_text(problem, end.s)}"
    if not len(outcome.choice.s):
        message = f"{problem.robot.name} cannot be at the start of the path: {end.why}"
    else:
        branch = f", on branch '{outcome.branch}'" if outcome.branch else ""
        message = f"{who}{branch}: there {end.why}"
    return Finding("error", end.code, message, where_of(problem, end.s, outcome.branch, end.joint))


def remarks(problem: Problem, outcome: Outcome) -> list[Finding]:
    """Return what a whole path comes close to: singular poses, changes of branch, limits."""
    assert outcome.fitted is not None
    assert outcome.fitted.pieces is not None
    pieces = outcome.fitted.pieces
    h = np.diff(pieces.breaks)[:, None]
    q, rate = np.ascontiguousarray(pieces.coefficients[:, 0]), pieces.coefficients[:, 1] / h
    found = [*_changes(problem, outcome), *_singular(problem, outcome, pieces.breaks, q, rate)]
    return found + _near_limits(problem, outcome, pieces.breaks, q)


def _changes(problem: Problem, outcome: Outcome) -> list[Finding]:
    names = [outcome.candidates.name(c, q) for c, q in zip(outcome.choice.columns, outcome.choice.q, strict=True)]
    found = []
    for i in range(1, len(names)):
        if names[i] != names[i - 1]:
            s = 0.5 * float(outcome.choice.s[i - 1] + outcome.choice.s[i])
            text = (
                f"{problem.robot.name} passes through a singular pose at {place_text(problem, s)}, from branch "
                f"'{names[i - 1]}' to '{names[i]}'"
            )
            found.append(_remark(problem, "warning", "flip", text, s, outcome.branch, -1))
    return found


def _singular(problem: Problem, outcome: Outcome, s: Floats, q: Floats, rate: Floats) -> list[Finding]:
    try:
        scaled = scaled_task(problem.robot, problem.task)
    except InvalidInput:  # the arm can move nothing that the task asks for
        return []
    assert outcome.fitted is not None
    speed = np.abs(rate).max(axis=1)
    some = np.unique(
        np.concatenate([np.argsort(-speed)[:LOOKED_AT], np.linspace(0, len(q) - 1, LOOKED_AT).astype(int)])
    )
    sigma = scaled.singular_values(q[some])[:, -1]
    if not sigma.min() < NEAR_SINGULAR:
        return []
    i = int(some[np.argmin(sigma)])
    fastest = int(np.argmax(speed))
    joint = int(np.argmax(np.abs(rate[fastest])))
    name, unit = problem.robot.joints[joint].name, joint_unit(problem.robot.joints[joint].kind)
    ratio = speed[fastest] / joint_scale(problem.robot.joints[joint].kind) / MM_PER_M
    text = (
        f"{problem.robot.name} comes near a singular pose at {place_text(problem, float(s[i]))}: joint '{name}' moves "
        f"by up to {ratio:.3g}{unit} per mm of the path"
    )
    facts: dict[str, float] = {"ratio": float(speed[fastest]), "smallest": float(sigma.min())}
    slow = float((problem.robot.velocity / np.maximum(np.abs(rate[fastest]), 1e-12)).min())
    if math.isfinite(slow):
        text += f"; there the tool must slow down to {slow * MM_PER_M:.3g} mm/s"
        facts["cure_speed"] = slow
    finding = _remark(problem, "warning", "singular", text, float(s[i]), outcome.branch, joint)
    where = {**finding.where, **facts}
    return [Finding("warning", "singular", text, where)]


def _near_limits(problem: Problem, outcome: Outcome, s: Floats, q: Floats) -> list[Finding]:
    lower, upper = problem.robot.lower, problem.robot.upper
    share = np.minimum(q - lower, upper - q) / (upper - lower)
    found = []
    for j in np.flatnonzero(share.min(axis=0) < NEAR_LIMIT).tolist():
        i, joint = int(np.argmin(share[:, j])), problem.robot.joints[j]
        left = max(float(share[i, j]), 0.0) * (upper[j] - lower[j]) / joint_scale(joint.kind)
        text = (
            f"joint '{joint.name}' comes within {left:.2f}{joint_unit(joint.kind)} of its limit at "
            f"{place_text(problem, float(s[i]))}"
        )
        found.append(_remark(problem, "note", "limit", text, float(s[i]), outcome.branch, j))
    return found


def _remark(problem: Problem, level: Level, code: str, text: str, s: float, branch: str, joint: int) -> Finding:
    return Finding(level, code, text, where_of(problem, s, branch, joint))
