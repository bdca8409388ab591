"""From what a person made in the page to something that can be played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.cell.attached_poses import with_resolved_poses
from armlab.cell.events import What
from armlab.cell.plan_contacts import plan_contacts
from armlab.cell.player import Player, check_positions
from armlab.cell.prepared import Source
from armlab.cell.program_player import program_player, too_fast
from armlab.cell.project import JointPlan, Plan, ProgramText, ProjectArm, ToolPlan
from armlab.cell.sample_buffer import Rows
from armlab.errors import InvalidInput, PlanningFailed
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.blending import rounded
from armlab.motion.checks import check_joint_count
from armlab.motion.joint import plan_joint
from armlab.motion.limits import ToolLimits, limits_of
from armlab.motion.splines import cubic_spline
from armlab.motion.tool_motion import plan_tool
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify
from armlab.sim.state import SimState
from armlab.units import M_PER_MM

SAME = 1e-9
"""rad or m: a motion that ends this near to where it starts ends there."""
SHORTEST = 1e-4
"""s: of recorded moments that are nearer to each other, the later one counts."""


class Planned(NamedTuple):
    """A motion that was planned, and what is to be said of it."""

    trajectory: Trajectory
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What a motion is planned for: frozen values of a session."""

    arm: ProjectArm
    scene: Scene
    """With the arm that is to move first, and the others where they stand."""
    state: SimState
    rows: Rows | None = None
    """What was recorded."""

    @property
    def robot(self) -> Robot:
        """The arm that is to move."""
        return self.scene.robots[0].robot


def make_player(bench: Bench, what: What, *, loop: bool = False, anyway: bool = False) -> Player:
    """Return a player with the arm's plan, poses, scenario or program, or recorded rows; a loop begins again.

    Limits of position hold always, other limits and contacts unless it is played `anyway`. A recorded motion was within
    the limits when it was made; its command is clipped to them all the same.

    Raises:
        InvalidInput: if there is nothing to play.
        PlanningFailed: if it cannot be planned: where, why, and what would help; or if it touches something.
        LimitViolation: if it must not be played, or not without `anyway`.
    """
    source = _source(bench.arm, what)
    if source is not None:
        player = program_player(source, bench.scene, anyway=anyway)
    else:
        player = _trajectory_player(bench, what, loop=loop, anyway=anyway)
    player.loop = loop
    return player


def _source(arm: ProjectArm, what: What) -> Source | None:
    """Return the program to be played; None where it is something else."""
    if what == "scenario":
        if arm.scenario is None:
            raise InvalidInput("no_scenario", _("there is no scenario yet; open one, or add a step"))
        return arm.scenario
    if what != "program":
        return None
    return arm.program or ProgramText(language="gcode", text="")


def _trajectory_player(bench: Bench, what: What, *, loop: bool, anyway: bool) -> Player:
    if what == "recording":
        assert bench.rows is not None
        return Player.of(what, replay(bench.rows, bench.robot))
    planned = plan_motion(_plan(bench, what), bench.robot)
    way = _with_return(planned.trajectory, bench.robot) if loop else planned.trajectory
    found = (*planned.findings, *plan_contacts(bench.scene, bench.state, way))
    check_positions(planned.trajectory, limits_of(bench.robot))
    if not anyway:
        _check_findings(found)
    return Player.of(what, planned.trajectory, found)


def _plan(bench: Bench, what: What) -> Plan:
    arm = bench.arm
    if what == "poses":
        arm = with_resolved_poses(arm, bench.robot, bench.state.bodies)
        if len(arm.poses) < 2:
            raise InvalidInput("too_few_poses", _("save at least two poses; the player moves from one to the next"))
        return JointPlan(kind="joint", points=tuple(saved.q for saved in arm.poses), scheme="linear")
    if arm.plan is None:
        raise InvalidInput("no_plan", _("there is no plan yet; make one from at least two points"))
    return arm.plan


def _check_findings(findings: tuple[Finding, ...]) -> None:
    contact = next((finding.message for finding in findings if finding.code == "contact"), None)
    if contact is not None:
        raise PlanningFailed("motion_touches", _("the motion is not free of contacts: {contact}"), contact=contact)
    errors = [finding.message for finding in findings if finding.severity == "error"]
    if errors:
        raise too_fast(errors)


def replay(rows: Rows, robot: Robot) -> Trajectory:
    """Return a recorded motion: a spline through its rows, as quick as it was.

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
    return Trajectory(path)


def _with_return(motion: Trajectory, robot: Robot) -> Trajectory:
    """Return a motion with the one back to its start added, as a loop has it."""
    if float(np.abs(motion.end - motion.start).max()) <= SAME:
        return motion
    return motion.then(plan_joint(robot, [motion.end, motion.start], scheme="jerk"))


def plan_motion(plan: Plan, robot: Robot) -> Planned:
    """Return the motion of one plan."""
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
    return Planned(trajectory, (*found, *verify(trajectory, robot, limits=limits)))


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


def _joints(robot: Robot, values: tuple[float, ...]) -> Floats:
    return from_joint_units(robot, values)
