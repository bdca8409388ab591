"""One move by itself, from rest to rest: as quick as its limits allow, without jolts."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.ik import solve_ik
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.blending import rounded
from armlab.motion.joint import plan_joint
from armlab.motion.limits import Limits, ToolLimits, limits_of
from armlab.motion.segments import arc
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify
from armlab.program.executor.configuration import configured
from armlab.program.executor.tool_segments import helix
from armlab.program.instructions import MotionSettings, MoveC, MoveHelix, MoveJ, MoveL, MoveSpline, Probe

SAME = 1e-6
"""rad or m: what is nearer than this is the same."""
SingleMove: TypeAlias = MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe


class SingleMotion(NamedTuple):
    """A planned move; no trajectory where the arm is there already."""

    trajectory: Trajectory | None
    findings: tuple[Finding, ...] = ()


def plan_single(robot: Robot, q: Floats, move: SingleMove) -> SingleMotion:
    """Return the motion of one move from joints `q` on.

    Raises:
        ArmlabError: if it cannot be planned.
    """
    motion = _joint_motion(robot, q, move) if isinstance(move, MoveJ) else _tool_motion(robot, q, move)
    seconds = move.settings.seconds
    if motion.trajectory is not None and seconds is not None and seconds > motion.trajectory.duration:
        return motion._replace(trajectory=motion.trajectory.stretched(seconds / motion.trajectory.duration))
    return motion


def limits_under(robot: Robot, settings: MotionSettings) -> Limits:
    """Return the limits of the joints at these settings."""
    return limits_of(robot).scaled(settings.speed, settings.acceleration)


def joints_of(robot: Robot, q: Floats, move: MoveJ) -> list[Floats]:
    """Return the joint values (n,) of a joint move's targets, each found from the one before.

    Raises:
        Unreachable: if a pose cannot be reached.
    """
    points: list[Floats] = []
    for k, target in enumerate(move.targets):
        before = points[-1] if points else q
        if target.ndim == 1:
            points.append(target)
        elif move.configuration is not None and k == len(move.targets) - 1:
            points.append(configured(robot, target, before, move.configuration, move.settings.task))
        else:
            points.append(_goal(robot, target, before, move.settings.task))
    return points


def _goal(robot: Robot, T_world_tool: Floats, q: Floats, task: str) -> Floats:
    """Return joint values for a pose: on the branch that the arm is on if it reaches there, else the nearest."""
    nearest = solve_ik(robot, T_world_tool, start=q, task=task)
    branch = branch_of(robot, q)
    if robot.dof > 6 or task != "pose" or branch == branch_of(robot, nearest):
        return nearest
    same = [solution.q for solution in all_ik(robot, T_world_tool, turns=True) if solution.branch == branch]
    return min(same, key=lambda other: float(np.abs(other - q).max())) if same else nearest


def _joint_motion(robot: Robot, q: Floats, move: MoveJ) -> SingleMotion:
    points = [q, *joints_of(robot, q, move)]
    if len(points) == 2 and float(np.abs(points[1] - q).max()) < SAME:
        return SingleMotion(None)
    scheme = move.scheme or ("jerk" if len(points) == 2 else "smooth")
    limits = limits_under(robot, move.settings)
    trajectory = plan_joint(robot, points, scheme=scheme, limits=limits, times=move.times)
    return SingleMotion(trajectory, tuple(verify(trajectory, robot, limits=limits)))


def _tool_motion(robot: Robot, q: Floats, move: MoveL | MoveC | MoveHelix | MoveSpline | Probe) -> SingleMotion:
    path = _tool_path(robot.fk(q), move)
    if path is None:
        return SingleMotion(None)
    settings, limits = move.settings, limits_under(robot, move.settings)
    motion = plan_tool(robot, path, start=q, limits=limits, tool_limits=_tool_limits(settings), task=settings.task)
    found = (*motion.followed.findings, *verify(motion.trajectory, robot, limits=limits))
    return SingleMotion(motion.trajectory, found)


def _tool_path(T_start: Floats, move: MoveL | MoveC | MoveHelix | MoveSpline | Probe) -> ToolPath | None:
    match move:
        case MoveC():
            return arc(T_start, move.via, move.frame, angle=move.angle)
        case MoveHelix():
            return helix(move, T_start)
        case MoveL() | MoveSpline() | Probe():
            frames = [T_start, *((move.frame,) if isinstance(move, Probe) else move.frames)]
            if float(np.abs(frames[1] - T_start).max()) < SAME:
                frames.pop(1)
            if len(frames) == 1:
                return None
            path = through(np.array(frames), move.kind if isinstance(move, MoveSpline) else "linear")
            corners = move.corners or move.settings.blend if isinstance(move, MoveL) else None
            return path if corners is None else rounded(path, corners.radius)
        case _:
            assert_never(move)


def _tool_limits(settings: MotionSettings) -> ToolLimits | None:
    given = {
        "speed": settings.tool_speed,
        "acceleration": settings.tool_acceleration,
        "turn_speed": settings.turn_speed,
    }
    known = {name: value for name, value in given.items() if value is not None}
    return ToolLimits(**known) if known else None
