"""`armlab plan`: a motion from one place to another that keeps every limit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import (
    LARGEST,
    AsJson,
    RobotName,
    TcpOption,
    ToolName,
    Units,
    UnitsOption,
    check_range,
    joint_values,
    number_of,
)
from armlab.cli.ik import TaskName
from armlab.cli.plan_around import (
    Around,
    AroundFlag,
    ClearanceOption,
    SeedOption,
    UprightOption,
    around_from,
    planned_around,
    refuse_with_around,
)
from armlab.cli.plan_text import TABLES, print_plan
from armlab.cli.programs import SceneOption, cell_from
from armlab.cli.text import console, print_json, table
from armlab.errors import ArmlabError, InvalidInput, LimitViolation
from armlab.messages import Message, _, term, tr
from armlab.units import M_PER_MM

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.model.finding import Finding
    from armlab.model.robot import Robot
    from armlab.motion.limits import Limits, ToolLimits
    from armlab.motion.toolpath.toolpath import ToolPath
    from armlab.motion.trajectory import Trajectory
    from armlab.planning.free_path import FreePath
    from armlab.reports.motion import PlanReport

PICTURES = (".png", ".svg", ".pdf")
LIMITS_BROKEN = 3
"""The exit status of a motion that breaks a limit, as one whose times were given may, or touches something."""
SLOWEST, SHORTEST = 0.01, 0.001
"""% and mm/s; s"""


TimesOption = Annotated[
    str, typer.Option("--times", metavar="S,S…", help=_("Seconds per segment; else the limits say."))
]
BlendOption = Annotated[float, typer.Option("--blend", metavar="MM", help=_("Round the corners of a line by this."))]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help=_(".csv, .json, or a figure: .png, .svg, .pdf.")),
]


class _Target(NamedTuple):
    """What is to be planned: points in joint space, or a path of the tool, from `begin`."""

    begin: Floats
    points: list[Floats]
    path: ToolPath | None
    kind: str
    task: str


class _Planned(NamedTuple):
    trajectory: Trajectory
    scheme: str
    path: str
    branch: str | None
    findings: list[Finding]
    free: FreePath | None = None


def plan(
    robot: RobotName,
    to: Annotated[str, typer.Option("--to", metavar="Q", help=_("Joint values, or a named configuration."))] = "",
    to_pose: Annotated[
        str, typer.Option("--to-pose", metavar="X,Y,Z,A,B,C", help=_("A pose instead; X,Y,Z: as it is turned now."))
    ] = "",
    start: Annotated[str, typer.Option("--from", metavar="Q", help=_("Left out: home."))] = "",
    via: Annotated[list[str] | None, typer.Option("--via", metavar="Q", help=_("On the way; may be repeated."))] = None,
    line: Annotated[bool, typer.Option("--line/--joint", help=_("Straight for the tool, or for the joints."))] = False,
    arc: Annotated[str, typer.Option("--arc", metavar="X,Y,Z", help=_("A circular arc through this point."))] = "",
    blend: BlendOption = 0.0,
    scheme: Annotated[str, typer.Option("--scheme", help=_("How; `armlab plan ROBOT --scheme ?` lists them."))] = "",
    times: TimesOption = "",
    speed: Annotated[float, typer.Option("--speed", metavar="%", help=_("Of the joints' top speed."))] = 100.0,
    tool_speed: Annotated[float | None, typer.Option("--tool-speed", metavar="MM/S", help=_("At most."))] = None,
    step: Annotated[float, typer.Option("--step", metavar="S", help=_("Of the table, seconds."))] = 0.01,
    output: OutputOption = None,
    task: TaskName = "",
    around: AroundFlag = False,
    clearance: ClearanceOption = 1.0,
    seed: SeedOption = 0,
    upright: UprightOption = None,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    scene: SceneOption = None,
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Run `armlab plan`."""
    from armlab.collision import Checker
    from armlab.collision.motion_findings import motion_contacts
    from armlab.motion.limits import limits_of

    cell = cell_from(robot, scene, None if tool == "none" else tool, tcp)
    assert cell is not None
    arm, name = cell.robot, cell.arm.name
    if scheme == "?":
        _list_schemes(as_json)
        return
    path = None if output is None else _checked(output)
    begin = _place(arm, start, "--from", units) if start else arm.home.copy()
    goal = _goal(arm, begin, to, to_pose, task, units)
    middle = [_place(arm, text, "--via", units) for text in via or []]
    limits = limits_of(arm).scaled(speed=check_range("--speed", speed, SLOWEST, 100.0, "%") / 100.0)
    if around:
        others = {"--line": line, "--arc": arc, "--blend": blend, "--times": times, "--via": middle}
        asked = around_from(cell.scene, name, clearance, seed, upright)
        planned = _planned_around(asked, begin, goal, limits, scheme, others)
    else:
        target = _target(arm, begin, middle, goal, line=line, arc=arc, blend=blend)
        planned = _planned(arm, target, limits, scheme=scheme, times=times, tool_speed=tool_speed)
        planned.findings.extend(motion_contacts(Checker(cell.scene), planned.trajectory, name))
    report = _report(arm, planned, limits, step)
    if path is not None:
        _save(arm, planned.trajectory, limits, report, path)
    print_json(report) if as_json else print_plan(report, path)
    if any(one.severity == "error" for one in report.findings):
        raise typer.Exit(LIMITS_BROKEN)


class SchemeRow(BaseModel):
    """One line of the list of schemes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: Message
    path: Literal["joint", "tool"]
    """Whether it times a motion in joint space, or along a path of the tool."""


_TOOL_SCHEMES = {
    "smooth": term(_("along a path of the tool: limits the jerk")),
    "fastest": term(_("along a path of the tool: time-optimal, without a limit of the jerk")),
}


def _list_schemes(as_json: bool) -> None:
    from armlab.motion.joint import SCHEMES

    rows = [SchemeRow(name=name, about=term(about), path="joint") for name, about in SCHEMES.items()]
    rows += [SchemeRow(name=name, about=about, path="tool") for name, about in _TOOL_SCHEMES.items()]
    if as_json:
        print_json(rows)
        return
    lines = [(row.name, row.path, row.about.localized()) for row in rows]
    console().print(table(tr("Schemes"), (tr("name"), tr("path"), tr("what it does")), lines, words=(0, 1, 2)))


def _place(arm: Robot, text: str, what: str, units: Units) -> Floats:
    """Return typed joint values, or those of a named configuration."""
    if text.strip() and not any(letter.isdigit() for letter in text) and "," not in text:
        return arm.configuration(text.strip()).copy()
    parts = text.split(",") if "," in text else text.split()
    try:
        return joint_values(arm, [part.strip() for part in parts] or [""], units)
    except InvalidInput as error:
        raise error.within(what) from None


def _numbers(text: str, counts: tuple[int, ...], what: str) -> list[float]:
    values = [number_of(part.strip(), what) for part in text.split(",")]
    if len(values) not in counts:
        raise InvalidInput(
            "wrong_number_count",
            _("{option}: numbers separated by commas are needed: {wanted}; given: {count}"),
            option=what,
            wanted=" / ".join(str(count) for count in counts),
            count=len(values),
        )
    return values


class _Goal(NamedTuple):
    """Where to go: joint values if they were typed, the pose of the tool, and which part of it counts."""

    q: Floats | None
    T_world_tool: Floats
    task: str


def _goal(arm: Robot, begin: Floats, to: str, to_pose: str, task: str, units: Units) -> _Goal:
    from armlab.geometry import pose
    from armlab.kinematics.task import as_task, task_for

    if bool(to) == bool(to_pose):
        raise InvalidInput(
            "no_goal", _("say where to go: either --to with joint values, or --to-pose with X,Y,Z,A,B,C")
        )
    if to:
        q = _place(arm, to, "--to", units)
        return _Goal(q, arm.fk(q), task_for(arm, as_task(task) if task else None).name)
    values = _numbers(to_pose, (3, 6), "--to-pose")
    T = pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6])
    if len(values) == 3:
        T[:3, :3] = arm.fk(begin)[:3, :3]
    wanted = as_task(task) if task else task_for(arm, "position" if len(values) == 3 and arm.dof < 6 else None)
    return _Goal(None, T, wanted.name)


def _target(
    arm: Robot, begin: Floats, middle: list[Floats], goal: _Goal, *, line: bool, arc: str, blend: float
) -> _Target:
    if blend and (arc or not line):
        raise InvalidInput(
            "blend_without_line", _("--blend rounds the corners of straight lines: give --line and no --arc")
        )
    if line or arc:
        return _Target(begin, [], _tool_path(arm, begin, middle, goal, arc, blend), "arc" if arc else "line", goal.task)
    if goal.q is not None:
        return _Target(begin, [begin, *middle, goal.q], None, "joint", goal.task)
    from armlab.kinematics.ik import solve_ik

    start = middle[-1] if middle else begin
    end = solve_ik(arm, goal.T_world_tool, start=start, task=goal.task)
    return _Target(begin, [begin, *middle, end], None, "joint", goal.task)


def _tool_path(arm: Robot, begin: Floats, middle: list[Floats], goal: _Goal, arc: str, blend: float) -> ToolPath:
    from armlab.motion.blending import rounded
    from armlab.motion.segments import arc as arc_through
    from armlab.motion.toolpath.through import through

    frames = [arm.fk(q) for q in (begin, *middle)] + [goal.T_world_tool]
    if arc:
        if middle:
            raise InvalidInput("arc_with_via", _("an arc has one intermediate point: give --arc X,Y,Z without --via"))
        return arc_through(frames[0], np.array(_numbers(arc, (3,), "--arc")) * M_PER_MM, frames[-1])
    path = through(np.array(frames), "linear")
    return rounded(path, blend * M_PER_MM) if blend else path


def _planned(
    arm: Robot, target: _Target, limits: Limits, *, scheme: str, times: str, tool_speed: float | None
) -> _Planned:
    from armlab.motion.verify import verify

    if target.path is not None:
        from armlab.motion.tool_motion import plan_tool

        if times:
            raise InvalidInput(
                "times_of_tool_path",
                _("--times belongs to a motion in joint space; a tool path is timed by the limits"),
            )
        motion = plan_tool(
            arm,
            target.path,
            start=target.begin,
            limits=limits,
            tool_limits=_tool_limits(tool_speed),
            timing=scheme or "smooth",  # type: ignore[arg-type]
            task=target.task,
        )
        found = [*motion.followed.findings, *verify(motion.trajectory, arm, limits=limits)]
        return _Planned(motion.trajectory, scheme or "smooth", target.kind, motion.followed.branch or None, found)
    if tool_speed is not None:
        raise InvalidInput("tool_speed_of_joints", _("--tool-speed belongs to a tool path: add --line or --arc"))
    from armlab.motion.joint import plan_joint

    chosen = scheme or ("jerk" if len(target.points) == 2 else "smooth")
    try:
        trajectory = plan_joint(arm, target.points, scheme=chosen, limits=limits, times=_seconds(times))
    except (InvalidInput, LimitViolation) as error:
        raise _as_typed(error, len(target.points)) from None
    return _Planned(trajectory, chosen, "joint", None, verify(trajectory, arm, limits=limits))


def _planned_around(
    cell: Around, begin: Floats, goal: _Goal, limits: Limits, scheme: str, others: Mapping[str, object]
) -> _Planned:
    from armlab.motion.verify import verify

    refuse_with_around(others)
    free, trajectory, chosen = planned_around(cell, begin, goal.q, goal.T_world_tool, limits, scheme)
    return _Planned(trajectory, chosen, "free", None, verify(trajectory, free.robot, limits=limits), free)


def _seconds(times: str) -> list[float] | None:
    if not times:
        return None
    seconds = [number_of(part.strip(), "--times") for part in times.split(",")]
    for value in seconds:
        if value < SHORTEST:
            raise InvalidInput(
                "typed_time_too_short",
                _("--times: {value:g} s is too short; at least {shortest:g} s are needed"),
                value=value,
                shortest=SHORTEST,
            )
    return seconds


def _as_typed(error: InvalidInput | LimitViolation, count: int) -> ArmlabError:
    """Return an error about one of the points that calls them by their options."""
    names = ["--from", *(f"--via {k}" for k in range(1, count - 1)), "--to"]
    index = error.parameters.get("index", 0)
    match error.code:
        case "joint_outside":
            return LimitViolation(error.message.bare.within(names[index]))
        case "repeated_point":
            first, second = names[index : index + 2]
            return InvalidInput(error.code, _("{first} and {second} are the same"), first=first, second=second)
        case _:
            return error


def _tool_limits(tool_speed: float | None) -> ToolLimits | None:
    from armlab.motion.limits import ToolLimits

    if tool_speed is None:
        return None
    check_range("--tool-speed", tool_speed, SLOWEST, LARGEST, term(_("mm/s")))
    return ToolLimits(speed=tool_speed * M_PER_MM)


def _report(arm: Robot, planned: _Planned, limits: Limits, step: float) -> PlanReport:
    from armlab.reports.motion import plan_report

    return plan_report(
        arm,
        planned.trajectory,
        limits,
        scheme=planned.scheme,
        path=planned.path,
        branch=planned.branch,
        step=step,
        findings=planned.findings,
        free=planned.free,
    )


def _checked(path: Path) -> Path:
    from armlab.figures.style import check_figure_path

    return check_figure_path(path, (*TABLES, *PICTURES))


def _save(arm: Robot, trajectory: Trajectory, limits: Limits, report: PlanReport, path: Path) -> None:
    from armlab.files import write_whole
    from armlab.reports.motion import plan_csv

    kind = path.suffix.lower()
    if kind == ".csv":
        write_whole(path, plan_csv(arm, report).encode())
    elif kind == ".json":
        write_whole(path, report.model_dump_json(indent=1, exclude_none=True).encode() + b"\n")
    else:
        from armlab.figures.style import save_figure
        from armlab.figures.trajectory import draw_trajectory

        save_figure(draw_trajectory(trajectory, arm, limits), path)
