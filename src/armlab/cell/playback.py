"""From what a person made in the page to something that can be played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.cell.player import SAME, Player, What
from armlab.cell.program_player import program_player
from armlab.cell.project import JointPlan, Plan, ProjectArm, ToolPlan
from armlab.cell.sample_buffer import Rows
from armlab.errors import InvalidInput, LimitViolation, PlanningFailed
from armlab.geometry import pose
from armlab.messages import _, n_, term
from armlab.model.finding import Finding
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.blending import rounded
from armlab.motion.checks import check_joint_count
from armlab.motion.joint import plan_joint
from armlab.motion.limits import Limits, ToolLimits, limits_of
from armlab.motion.splines import cubic_spline
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import exact_excesses, verify
from armlab.program.scenario import program_of
from armlab.program.schedule import plan_program
from armlab.units import M_PER_MM

SHORTEST = 1e-4
"""s: of recorded moments that are nearer to each other, the later one counts."""


def make_player(
    arm: ProjectArm,
    robot: Robot,
    what: What,
    rows: Rows | None = None,
    *,
    loop: bool = False,
    scene: Scene | None = None,
) -> Player:
    """Return a player with an arm's plan, poses, scenario or program, or recorded rows; a loop ends at its start.

    `scene` is what stands round the arm while a program runs.

    Raises:
        InvalidInput: if there is nothing to play.
        PlanningFailed: if it cannot be planned: where, why, and what would help.
    """
    if what == "program":
        player = program_player(arm.program, Scene.of(robot) if scene is None else scene)
    else:
        player = _player(arm, robot, what) if rows is None else replay(rows, robot)
    return _looping(player, robot) if loop else player


def _player(arm: ProjectArm, robot: Robot, what: What) -> Player:
    if what == "scenario":
        return _scenario_player(arm, robot)
    if what == "poses":
        if len(arm.poses) < 2:
            raise InvalidInput("too_few_poses", _("save at least two poses; the player moves from one to the next"))
        plan: Plan | None = JointPlan(kind="joint", points=tuple(saved.q for saved in arm.poses), scheme="linear")
    else:
        plan = arm.plan
    if plan is None:
        raise InvalidInput("no_plan", _("there is no plan yet; make one from at least two points"))
    return plan_player(plan, robot, what)


def check_playable(player: Player, limits: Limits, *, anyway: bool) -> None:
    """Check a motion: limits of position hold always, other limits and contacts unless it is played `anyway`.

    A recorded motion was within the limits when it was made; its command is clipped to them all the same.

    Raises:
        LimitViolation: if it must not be played, or not without `anyway`.
        PlanningFailed: if it touches something, and is not to be played `anyway`.
    """
    if player.what == "recording":
        return
    outside = next(iter(exact_excesses(player.trajectory.pieces, limits, 0)), None)
    if outside is not None:
        raise LimitViolation(
            "motion_outside_joint_limits",
            _("joint {number} would leave its position limits at {time:.2f} s; change the points or the scheme"),
            number=outside.joint + 1,
            time=outside.time,
        )
    if anyway:
        return
    contact = next((finding.message for finding in player.findings if finding.code == "contact"), None)
    if contact is not None:
        raise PlanningFailed("motion_touches", _("the motion is not free of contacts: {contact}"), contact=contact)
    errors = [finding.message for finding in player.findings if finding.severity == "error"]
    if errors:
        text = n_("the motion exceeds a limit: {first}", "the motion exceeds {count} limits, first: {first}")
        raise LimitViolation("motion_exceeds_limits", text, count=len(errors), first=errors[0], problems=errors)


def replay(rows: Rows, robot: Robot) -> Player:
    """Return a player with a recorded motion: a spline through its rows, as quick as it was.

    Raises:
        InvalidInput: if there are no two moments of this arm.
    """
    keep = np.append(np.diff(rows.t) > SHORTEST, [True]) if len(rows.t) else np.zeros(0, dtype=bool)
    t, q = rows.t[keep], rows.q[keep]
    if len(t) < 2 or q.shape[1] != robot.dof:
        raise InvalidInput(
            "nothing_recorded", _("nothing has been recorded yet; press Record, move the arm, and press it again")
        )
    path = cubic_spline(t - t[0], np.clip(q, robot.lower, robot.upper), "clamped")
    return Player("recording", Trajectory(path))


def _looping(player: Player, robot: Robot) -> Player:
    """Return the player with the motion back to its start added."""
    motion = player.trajectory
    if float(np.abs(motion.end - motion.start).max()) > SAME:
        motion = motion.then(plan_joint(robot, [motion.end, motion.start], scheme="jerk"))
    return replace(player, trajectory=motion, loop=True)


def plan_player(plan: Plan, robot: Robot, what: What) -> Player:
    """Return a player with one plan."""
    limits = limits_of(robot).scaled(speed=plan.speed / 100.0)
    if isinstance(plan, JointPlan):
        points = [_joints(robot, q) for q in plan.points]
        ends = _ends(plan, robot)
        trajectory = plan_joint(robot, points, scheme=plan.scheme, limits=limits, times=plan.times, **ends)
        found: tuple[Finding, ...] = ()
    else:
        motion = plan_tool(robot, _path(plan), limits=limits, tool_limits=_tool_limits(plan))
        trajectory, found = motion.trajectory, tuple(motion.followed.findings)
    if plan.duration is not None:
        trajectory = trajectory.stretched(plan.duration / trajectory.duration)
    return Player(what, trajectory, (*found, *verify(trajectory, robot, limits=limits)))


def _ends(plan: JointPlan, robot: Robot) -> dict[str, Floats]:
    """Return the velocities and accelerations at the ends that are given, as `plan_joint` takes them."""
    if plan.ends is None:
        return {}
    scales = joint_scales(robot.joints)
    given = plan.ends.model_dump(exclude_none=True)
    for name, values in given.items():
        check_joint_count(term(name), len(values), robot.dof)
    return {name: np.array(values) * scales for name, values in given.items()}


def _path(plan: ToolPlan) -> ToolPath:
    path = through(np.array([pose.from_mm_deg(frame) for frame in plan.frames]), plan.path)
    return rounded(path, plan.blend * M_PER_MM) if plan.blend > 0.0 else path


def _tool_limits(plan: ToolPlan) -> ToolLimits | None:
    return None if plan.tool_speed is None else ToolLimits(speed=plan.tool_speed * M_PER_MM)


def _scenario_player(arm: ProjectArm, robot: Robot) -> Player:
    if arm.scenario is None:
        raise InvalidInput("no_scenario", _("there is no scenario yet; open one, or add a step"))
    program = program_of(arm.scenario, robot)
    schedule = plan_program(robot, program)
    if not schedule.segments:
        raise InvalidInput("scenario_without_motion", _("the scenario has no step that takes time"))
    found = tuple(finding for segment in schedule.segments for finding in segment.findings)
    texts = tuple(step.note or step.do for step in arm.scenario.steps)
    return Player("scenario", schedule.trajectory, found, schedule, texts)


def _joints(robot: Robot, values: tuple[float, ...]) -> Floats:
    return from_joint_units(robot, values)
