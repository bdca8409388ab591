"""Why a target cannot be reached: what rules out each branch, and the nearest pose that can be reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kernels.gate import LIMIT_SLACK, NEARLY, TOLERANCE, gate_batch_into
from armlab.kinematics.nearest import NearestPose, nearest_pose
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.second_opinion import look_for
from armlab.kinematics.solvers import solver_of
from armlab.kinematics.targets import as_targets
from armlab.kinematics.task import Task, TaskLike, task_for
from armlab.messages import Message, _
from armlab.model.coupling import repeating
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit

TURN = 2.0 * math.pi
FREE_SLIDE = 5.0
SINGULAR = 1e-3
UNDECIDED = Message("undecided", _("no answer was found from the starts tried"))
REACHABLE = Message("reachable", _("the target can be reached"))

Code = Literal["reachable", "out_of_reach", "limits", "orientation", "too_few_axes"]


@dataclass(frozen=True, slots=True)
class BranchVerdict:
    """What rules out one branch: the sentence says it; `joint` and `excess` (rad or m) where it is a limit."""

    branch: str
    sentence: Message
    joint: str = ""
    excess: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """Whether a target can be reached, why not, and what comes nearest."""

    code: Code
    summary: Message
    branches: tuple[BranchVerdict, ...]
    nearest_q: Floats
    nearest_T: Floats
    position_gap: float
    """How far the tool stays away at `nearest_q`, m."""
    rotation_gap: float
    """How far it is turned away there, rad."""
    singular: bool
    """Whether the arm is singular at `nearest_q`: stretched, folded, or with two axes in line."""

    @property
    def reachable(self) -> bool:
        """Whether the target can be reached after all."""
        return self.code == "reachable"


def why_not(robot: Robot, T_world_tool: ArrayLike, *, task: TaskLike | None = None) -> Diagnosis:
    """Say whether `T_world_tool` (4, 4) can be reached, and if not, why.

    The nearest pose is first as near in position as possible, and then as near in orientation: the best that many
    seeded searches inside the limits find (docs/inverse-kinematics.md says how well).

    Raises:
        InvalidInput: if the target is not a pose.
    """
    targets, single = as_targets(T_world_tool)
    if not single:
        raise InvalidInput(
            "diagnose_one_pose", _("target: why_not takes one pose (4, 4), got {count}"), count=len(targets)
        )
    T, wanted = targets[0], task_for(robot, task)
    return _answered(robot, targets, wanted) or _diagnosed(robot, T, wanted)


def reason_for(robot: Robot, T: Floats, task: Task) -> Message:
    """Return the one sentence that says why `T` (4, 4), which no solver could reach, cannot be reached."""
    diagnosis = _diagnosed(robot, T, task)
    return UNDECIDED if diagnosis.reachable else diagnosis.summary


def _answered(robot: Robot, targets: Floats, task: Task) -> Diagnosis | None:
    """Return that the target can be reached, if a solver has an answer that passes the gate."""
    solver = solver_of(robot)
    found = np.empty((0, robot.dof))
    if solver.family is not None and task.is_whole_pose:
        q, valid = solver.proposals(targets)
        gate_batch_into(*solver.chain, targets, q, valid, TOLERANCE)
        found = q[valid > NEARLY]
    if not len(found):
        answer = look_for(robot, solver, targets[0], robot.home.copy(), task)
        found = answer.q[None] if answer.converged else found
    if not len(found):
        return None
    return Diagnosis(
        "reachable", REACHABLE, (), found[0], robot.fk(found[0]), 0.0, 0.0, _is_singular(robot, found[0], task)
    )


def _diagnosed(robot: Robot, T: Floats, wanted: Task) -> Diagnosis:
    near = nearest_pose(robot, T, wanted)
    verdicts = _branch_verdicts(robot, T) if wanted.is_whole_pose else ()
    code, summary = _verdict(robot, T, wanted, near, verdicts)
    q, is_singular = near.q, _is_singular(robot, near.q, wanted)
    return Diagnosis(code, summary, verdicts, q, robot.fk(q), near.gap, near.angle, is_singular)


def _is_singular(robot: Robot, q: Floats, task: Task) -> bool:
    """Whether the part of the Jacobian that the task is about has lost rank at `q`."""
    try:
        scaled = scaled_task(robot, task)
    except InvalidInput:  # the arm can move nothing that the task asks for, at any pose
        return True
    return bool(scaled.singular_values(q[None])[0, -1] < SINGULAR)


def _verdict(
    robot: Robot, T: Floats, task: Task, near: NearestPose, verdicts: tuple[BranchVerdict, ...]
) -> tuple[Code, Message]:
    if near.is_met:
        return "reachable", REACHABLE
    free = _without_limits(robot)
    if near.gap > TOLERANCE:
        point = Task("point", (*task.mask[:3], False, False, False))
        beyond = nearest_pose(free, T, point).gap
        if beyond > TOLERANCE:
            template = _("the point is {gap:.1f} mm out of reach")
            return "out_of_reach", Message("out_of_reach", template, gap=beyond * MM_PER_M)
        template = _("the point is {gap:.1f} mm beyond what the joint limits allow")
        problem = Message("point_beyond_limits", template, gap=near.gap * MM_PER_M)
        return "limits", _with_nearest_branch(problem, verdicts)
    if _has_solution(free, T, task):
        problem = Message("pose_beyond_limits", _("only joint limits keep the tool from this pose"))
        return "limits", _with_nearest_branch(problem, verdicts)
    angle = near.angle * DEG_PER_RAD
    if robot.dof < task.rows:
        template = _("{axes} axes cannot give the tool this orientation at this point; the nearest is {angle:.1f}° off")
        return "too_few_axes", Message("too_few_axes", template, axes=robot.dof, angle=angle)
    template = _("the point can be reached, but not with this orientation; the nearest is {angle:.1f}° off")
    return "orientation", Message("orientation", template, angle=angle)


def _has_solution(robot: Robot, T: Floats, task: Task) -> bool:
    """Whether an arm without limits reaches a target (4, 4): by its closed form where it has one."""
    solver = solver_of(robot)
    if solver.family is None or not task.is_whole_pose:
        return nearest_pose(robot, T, task).is_met
    q, valid = solver.proposals(T[None])
    gate_batch_into(*solver.chain, T[None], q, valid, TOLERANCE)
    return bool((valid > NEARLY).any())


def _with_nearest_branch(problem: Message, verdicts: tuple[BranchVerdict, ...]) -> Message:
    """Return the problem with the branch that fails a limit by the least, if one does."""
    limits = [v for v in verdicts if v.joint]
    if not limits:
        return problem
    nearest = min(limits, key=lambda v: v.excess).sentence
    parameters = {**problem.parameters, "problem": problem, "branch": nearest}
    return Message("beyond_limits_nearest", _("{problem}; nearest is {branch}"), **parameters)


def _branch_verdicts(robot: Robot, T: Floats) -> tuple[BranchVerdict, ...]:
    """Return what rules out each branch of an arm with a closed form; nothing for branches that are alive."""
    solver = solver_of(robot)
    if solver.family is None:
        return ()
    q, valid = solver.proposals(T[None])
    verdicts = []
    for b, name in enumerate(solver.family.branch_names):
        if not valid[0, b] > 0.5:
            out = Message("branch_out_of_reach", _("{branch}: out of reach"), branch=name)
            verdicts.append(BranchVerdict(name, out))
            continue
        worst = _worst_excess(robot, q[0, b])
        if worst is not None:
            verdicts.append(_limit_verdict(robot, name, *worst))
    return tuple(verdicts)


def _limit_verdict(robot: Robot, branch: str, i: int, value: float, excess: float) -> BranchVerdict:
    joint, scale = robot.joints[i], joint_scale(robot.joints[i].kind)
    is_upper = value > joint.upper
    template = (
        _(
            "{branch}: joint '{joint}' would be {value:.1f}{unit}, "
            "{excess:.1f}{unit} above its upper limit {limit:.1f}{unit}"
        )
        if is_upper
        else _(
            "{branch}: joint '{joint}' would be {value:.1f}{unit}, "
            "{excess:.1f}{unit} below its lower limit {limit:.1f}{unit}"
        )
    )
    sentence = Message(
        "branch_outside_limit",
        template,
        branch=branch,
        joint=joint.name,
        value=value / scale,
        excess=excess / scale,
        limit=(joint.upper if is_upper else joint.lower) / scale,
        unit=joint_unit(joint.kind),
    )
    return BranchVerdict(branch, sentence, joint.name, excess)


def _worst_excess(robot: Robot, q: Floats) -> tuple[int, float, float] | None:
    """Return (joint, value, excess) of the joint that is farthest outside its limits, or None where all are inside."""
    worst: tuple[int, float, float] | None = None
    for i, (value, joint) in enumerate(zip(q, robot.joints, strict=True)):
        shifts = (-TURN, 0.0, TURN) if joint.kind == "revolute" else (0.0,)
        excess, shown = min((max(joint.lower - value - s, value + s - joint.upper, 0.0), value + s) for s in shifts)
        if excess > LIMIT_SLACK and (worst is None or excess > worst[2]):
            worst = i, float(shown), float(excess)
    return worst


@lru_cache(maxsize=64)
def _without_limits(robot: Robot) -> Robot:
    """The same arm whose joints turn freely, and slide much farther than they can."""
    joints = tuple(
        replace(joint, lower=-TURN, upper=TURN)
        if turns
        else replace(joint, lower=joint.lower - FREE_SLIDE, upper=joint.upper + FREE_SLIDE)
        if joint.kind == "prismatic"
        else replace(joint, lower=min(joint.lower, -TURN), upper=max(joint.upper, TURN))
        for joint, turns in zip(robot.joints, repeating(robot.joints, robot.followers), strict=True)
    )
    return replace(robot, joints=joints, configurations={}, home=np.clip(robot.home, -TURN, TURN))
