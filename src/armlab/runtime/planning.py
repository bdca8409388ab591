"""From what a person made in the page to something that can be played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.motion.blending import rounded
from armlab.motion.joint import plan_joint
from armlab.motion.limits import ToolLimits, limits_of
from armlab.motion.splines import cubic_spline
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath import ToolPath
from armlab.motion.toolpath_through import through
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify
from armlab.program.scenario import program_of
from armlab.program.schedule import plan_program
from armlab.runtime.bench import pose_of
from armlab.runtime.player import SAME, Player, What
from armlab.runtime.project import JointPlan, Plan, Project, ToolPlan
from armlab.runtime.tape import Rows
from armlab.units import M_PER_MM, joint_scale

SHORTEST = 1e-4
"""s: of recorded moments that are nearer to each other, the later one counts."""


def make_player(project: Project, robot: Robot, what: What, rows: Rows | None = None, *, loop: bool = False) -> Player:
    """Return a player with the project's plan, its poses, its scenario, or recorded rows; a loop ends where it starts.

    Raises:
        InvalidInput: if there is nothing to play.
        PlanningFailed: if it cannot be planned: where, why, and what would help.
    """
    player = _player(project, robot, what) if rows is None else replay(rows, robot)
    return _looping(player, robot) if loop else player


def _player(project: Project, robot: Robot, what: What) -> Player:
    if what == "scenario":
        return _scenario_player(project, robot)
    if what == "poses":
        if len(project.poses) < 2:
            raise InvalidInput("keep at least two poses; the player moves from one to the next")
        plan: Plan | None = JointPlan(kind="joint", points=tuple(pose.q for pose in project.poses), scheme="linear")
    else:
        plan = project.plan
    if plan is None:
        raise InvalidInput("there is no plan yet; make one from at least two points")
    return plan_player(plan, robot, what)


def replay(rows: Rows, robot: Robot) -> Player:
    """Return a player with a recorded motion: a spline through its rows, as quick as it was.

    Raises:
        InvalidInput: if there are no two moments of this arm.
    """
    keep = np.append(np.diff(rows.t) > SHORTEST, [True]) if len(rows.t) else np.zeros(0, dtype=bool)
    t, q = rows.t[keep], rows.q[keep]
    if len(t) < 2 or q.shape[1] != robot.dof:
        raise InvalidInput("nothing has been recorded yet; press Record, move the arm, and press it again")
    path = cubic_spline(t - t[0], np.clip(q, robot.lower, robot.upper), "clamped")
    return Player("recording", Trajectory(path))


def _looping(player: Player, robot: Robot) -> Player:
    """Return the player with the way back to its start added."""
    way = player.trajectory
    if float(np.abs(way.end - way.start).max()) > SAME:
        way = way.then(plan_joint(robot, [way.end, way.start], scheme="jerk"))
    return replace(player, trajectory=way, loop=True)


def plan_player(plan: Plan, robot: Robot, what: What) -> Player:
    """Return a player with one plan."""
    limits = limits_of(robot).scaled(speed=plan.speed / 100.0)
    if isinstance(plan, JointPlan):
        points = [_joints(robot, q) for q in plan.points]
        trajectory = plan_joint(robot, points, scheme=plan.scheme, limits=limits, times=plan.times)
        return Player(what, trajectory, tuple(verify(trajectory, robot, limits=limits)))
    motion = plan_tool(robot, _path(plan), limits=limits, tool_limits=_tool_limits(plan))
    found = (*motion.followed.findings, *verify(motion.trajectory, robot, limits=limits))
    return Player(what, motion.trajectory, found)


def _path(plan: ToolPlan) -> ToolPath:
    path = through(np.array([pose_of(frame) for frame in plan.frames]), plan.path)
    return rounded(path, plan.blend * M_PER_MM) if plan.blend > 0.0 else path


def _tool_limits(plan: ToolPlan) -> ToolLimits | None:
    return None if plan.tool_speed is None else ToolLimits(speed=plan.tool_speed * M_PER_MM)


def _scenario_player(project: Project, robot: Robot) -> Player:
    if project.scenario is None:
        raise InvalidInput("there is no scenario yet; open one, or add a step")
    program = program_of(project.scenario, robot)
    schedule = plan_program(robot, program)
    if not schedule.legs:
        raise InvalidInput("the scenario has no step that takes time")
    found = tuple(finding for leg in schedule.legs for finding in leg.findings)
    texts = tuple(step.note or step.do for step in project.scenario.steps)
    return Player("scenario", schedule.trajectory, found, schedule, texts)


def _joints(robot: Robot, values: tuple[float, ...]) -> Floats:
    if len(values) != robot.dof:
        raise InvalidInput(f"{robot.name} has {robot.dof} joints, but a point has {len(values)} values")
    scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
    return np.asarray(np.array(values) * scales)
