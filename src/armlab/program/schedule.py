"""A program becomes a schedule: every instruction with its time and its trajectory, planned from the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError, PlanningFailed
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.ik import solve_ik
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.blending import rounded
from armlab.motion.joint import plan_joint
from armlab.motion.limits import Limits, ToolLimits, limits_of
from armlab.motion.segments import arc
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath_through import through
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify
from armlab.program.instructions import Instruction, MoveC, MoveJ, MoveL, MoveSpline, Pick, Place, Program, Stop, Wait

SETTLE = 0.3
"""Seconds that a pick or a place takes: the gripper closes, the cup takes hold."""
SAME = 1e-6
"""rad or m: what is nearer than this is the same place."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One instruction at its time: from `start` for the duration of its trajectory."""

    index: int
    instruction: Instruction
    start: float
    trajectory: Trajectory
    findings: tuple[Finding, ...] = ()

    @property
    def end(self) -> float:
        """When it is over (s)."""
        return self.start + self.trajectory.duration


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """All legs of a program, one after the other without gaps."""

    robot: Robot
    legs: tuple[Leg, ...]

    @property
    def duration(self) -> float:
        """How long the whole program takes (s)."""
        return self.legs[-1].end if self.legs else 0.0

    @property
    def trajectory(self) -> Trajectory:
        """The whole motion as one trajectory."""
        whole = self.legs[0].trajectory
        for leg in self.legs[1:]:
            whole = whole.then(leg.trajectory)
        return whole


def plan_program(robot: Robot, program: Program) -> Schedule:
    """Return every instruction's trajectory; each starts where the one before ends.

    Raises:
        PlanningFailed: if one cannot be planned; the sentence says which step and why.
    """
    legs: list[Leg] = []
    q, time = program.start, 0.0
    for i, instruction in enumerate(program.instructions):
        if isinstance(instruction, Stop):
            break
        try:
            trajectory, findings = _leg(robot, q, instruction)
        except ArmlabError as error:
            message = f"{source_of(instruction, i)}: {error.message}"
            raise PlanningFailed(message, **{**error.details, "step": i + 1}) from None
        if trajectory is None:
            continue
        told = (_at(finding, instruction, i, time) for finding in findings)
        legs.append(Leg(i, instruction, time, trajectory, tuple(told)))
        q, time = trajectory.end, time + trajectory.duration
    return Schedule(robot, tuple(legs))


def source_of(instruction: Instruction, index: int) -> str:
    """Return what an instruction is called in messages."""
    return instruction.source or f"instruction {index + 1}"


def _at(finding: Finding, instruction: Instruction, i: int, start: float) -> Finding:
    """Return a finding about a leg as one about the program: with its step, and times from the program's start."""
    where = {**finding.where, "step": i + 1}
    if "time" in finding.where:
        where["time"] = start + float(finding.where["time"])
    return replace(finding, message=f"{source_of(instruction, i)}: {finding.message}", where=where)


def _leg(robot: Robot, q: Floats, instruction: Instruction) -> tuple[Trajectory | None, tuple[Finding, ...]]:
    match instruction:
        case MoveJ():
            return _joint_leg(robot, q, instruction)
        case MoveL() | MoveC() | MoveSpline():
            return _tool_leg(robot, q, instruction)
        case Pick() | Place():
            return Trajectory.rest(q, SETTLE), ()
        case Wait():
            return Trajectory.rest(q, instruction.seconds), ()
        case Stop():
            return None, ()
        case _:
            assert_never(instruction)


def _limits(robot: Robot, speed: float) -> Limits:
    return limits_of(robot).scaled(speed=speed)


def _goal(robot: Robot, T_world_tool: Floats, q: Floats, task: str) -> Floats:
    """Return joint values for a pose: on the branch that the arm is on if it reaches there, else the nearest."""
    nearest = solve_ik(robot, T_world_tool, start=q, task=task)
    branch = branch_of(robot, q)
    if robot.dof > 6 or task != "pose" or branch == branch_of(robot, nearest):
        return nearest
    same = [solution.q for solution in all_ik(robot, T_world_tool) if solution.branch == branch]
    return min(same, key=lambda other: float(np.abs(other - q).max())) if same else nearest


def _joint_leg(robot: Robot, q: Floats, move: MoveJ) -> tuple[Trajectory | None, tuple[Finding, ...]]:
    points = [q]
    for target in move.targets:
        points.append(target if target.ndim == 1 else _goal(robot, target, points[-1], move.task))
    if len(points) == 2 and float(np.abs(points[1] - q).max()) < SAME:
        return None, ()  # the arm is there already
    scheme = move.scheme or ("jerk" if len(points) == 2 else "smooth")
    limits = _limits(robot, move.speed)
    trajectory = plan_joint(robot, points, scheme=scheme, limits=limits, times=move.times)
    return trajectory, tuple(verify(trajectory, robot, limits=limits))


def _tool_leg(
    robot: Robot, q: Floats, move: MoveL | MoveC | MoveSpline
) -> tuple[Trajectory | None, tuple[Finding, ...]]:
    T_start = robot.fk(q)
    if isinstance(move, MoveC):
        path = arc(T_start, move.via, move.frame)
    else:
        frames = [T_start, *move.frames]
        if float(np.abs(frames[1] - T_start).max()) < SAME:
            frames.pop(1)
        if len(frames) == 1:
            return None, ()
        path = through(np.array(frames), "linear" if isinstance(move, MoveL) else move.kind)
        if isinstance(move, MoveL) and move.blend > 0.0:
            path = rounded(path, move.blend)
    tool_limits = None if move.tool_speed is None else ToolLimits(speed=move.tool_speed)
    limits = _limits(robot, move.speed)
    motion = plan_tool(robot, path, start=q, limits=limits, tool_limits=tool_limits, task=move.task)
    return motion.trajectory, (*motion.followed.findings, *verify(motion.trajectory, robot, limits=limits))
