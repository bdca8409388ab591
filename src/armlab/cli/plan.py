"""`armlab plan`: a motion from one place to another that keeps every limit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import typer

from armlab.cli.arguments import LARGEST, AsJson, RobotName, ToolName, Units, UnitsOption, joint_values, number_of
from armlab.cli.ik import TaskName
from armlab.cli.text import console, heading, number, print_json, table
from armlab.errors import InvalidInput, LimitViolation
from armlab.units import M_PER_MM

if TYPE_CHECKING:
    from armlab.arrays import Floats
    from armlab.model.finding import Finding
    from armlab.model.robot import Robot
    from armlab.motion.limits import Limits, ToolLimits
    from armlab.motion.toolpath import ToolPath
    from armlab.motion.trajectory import Trajectory
    from armlab.reports.motion import PlanReport

TABLES = (".csv", ".json")
PICTURES = (".png", ".svg", ".pdf")
LIMITS_BROKEN = 3
"""The exit status of a motion that breaks a limit: one whose times were given."""
SLOWEST, SHORTEST = 0.01, 0.001
"""% and mm/s; s"""


class _Wish(NamedTuple):
    """What was asked for: points in joint space, or a path of the tool, from `begin`."""

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


def plan(
    robot: RobotName,
    to: Annotated[str, typer.Option("--to", metavar="Q", help="Joint values, or a named pose.")] = "",
    to_pose: Annotated[
        str, typer.Option("--to-pose", metavar="X,Y,Z,A,B,C", help="A pose instead; X,Y,Z: as it is turned now.")
    ] = "",
    start: Annotated[str, typer.Option("--from", metavar="Q", help="Left out: home.")] = "",
    via: Annotated[list[str] | None, typer.Option("--via", metavar="Q", help="On the way; may be repeated.")] = None,
    line: Annotated[bool, typer.Option("--line/--joint", help="Straight for the tool, or for the joints.")] = False,
    arc: Annotated[str, typer.Option("--arc", metavar="X,Y,Z", help="A circular arc through this point.")] = "",
    blend: Annotated[float, typer.Option("--blend", metavar="MM", help="Round the corners of a line by this.")] = 0.0,
    scheme: Annotated[str, typer.Option("--scheme", help="How; `armlab plan ROBOT --scheme ?` lists them.")] = "",
    times: Annotated[
        str, typer.Option("--times", metavar="S,S…", help="Seconds per segment; else the limits say.")
    ] = "",
    speed: Annotated[float, typer.Option("--speed", metavar="%", help="Of the joints' top speed.")] = 100.0,
    tool_speed: Annotated[float | None, typer.Option("--tool-speed", metavar="MM/S", help="At most.")] = None,
    step: Annotated[float, typer.Option("--step", metavar="S", help="Of the table, seconds.")] = 0.01,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help=".csv, .json, or a figure: .png, .svg, .pdf.")
    ] = None,
    task: TaskName = "",
    tool: ToolName = "none",
    units: UnitsOption = Units.deg,
    as_json: AsJson = False,
) -> None:
    """Plan a motion that keeps every limit: joint values, speeds and accelerations over time."""
    from armlab.catalog import load
    from armlab.motion.limits import limits_of
    from armlab.reports.motion import plan_report

    arm = load(robot, tool=tool)
    if scheme == "?":
        _list_schemes()
        return
    path = None if output is None else _checked(output)
    begin = _place(arm, start, "--from", units) if start else arm.home.copy()
    goal = _goal(arm, begin, to, to_pose, task, units)
    middle = [_place(arm, text, "--via", units) for text in via or []]
    wish = _wish(arm, begin, middle, goal, line=line, arc=arc, blend=blend)
    limits = limits_of(arm).scaled(speed=_share(speed))
    planned = _planned(arm, wish, limits, scheme=scheme, times=times, tool_speed=tool_speed)
    report = plan_report(
        arm,
        planned.trajectory,
        limits,
        scheme=planned.scheme,
        path=planned.path,
        branch=planned.branch,
        step=step,
        findings=planned.findings,
    )
    if path is not None:
        _save(arm, planned.trajectory, limits, report, path)
    if as_json:
        print_json(report)
    else:
        _print(report, path)
    if any(finding.level == "error" for finding in report.findings):
        raise typer.Exit(LIMITS_BROKEN)


def _list_schemes() -> None:
    from armlab.motion.joint import SCHEMES

    out = console()
    out.print(table("Schemes", ("name", "what"), list(SCHEMES.items()), words=(0, 1)))
    out.print("A line or an arc of the tool: smooth (limits the jerk), fastest (does not).")


def _share(percent: float) -> float:
    if not SLOWEST <= percent <= 100.0:
        raise InvalidInput(f"--speed: {percent:g} % is outside {SLOWEST:g}…100 %")
    return percent / 100.0


def _place(arm: Robot, text: str, what: str, units: Units) -> Floats:
    """Return typed joint values, or those of a named pose."""
    if text.strip() and not any(letter.isdigit() for letter in text) and "," not in text:
        return arm.pose(text.strip()).copy()
    parts = text.split(",") if "," in text else text.split()
    try:
        return joint_values(arm, [part.strip() for part in parts] or [""], units)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error.message}") from None


def _numbers(text: str, counts: tuple[int, ...], what: str) -> list[float]:
    values = [number_of(part.strip(), what) for part in text.split(",")]
    if len(values) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        raise InvalidInput(f"{what}: {wanted} numbers separated by commas are needed, got {len(values)}")
    return values


class _Goal(NamedTuple):
    """Where to go: joint values if they were typed, the pose of the tool, and which part of it counts."""

    q: Floats | None
    T_world_tool: Floats
    task: str


def _goal(arm: Robot, begin: Floats, to: str, to_pose: str, task: str, units: Units) -> _Goal:
    from armlab.kinematics.task import as_task
    from armlab.model import pose

    if bool(to) == bool(to_pose):
        raise InvalidInput("say where to go: either --to with joint values, or --to-pose with X,Y,Z,A,B,C")
    if to:
        q = _place(arm, to, "--to", units)
        return _Goal(q, arm.fk(q), as_task(task or "pose").name)
    values = _numbers(to_pose, (3, 6), "--to-pose")
    T = pose.from_xyz_abc(np.array(values[:3]) * M_PER_MM, np.radians(values[3:] or [0.0] * 3))
    if len(values) == 3:
        T[:3, :3] = arm.fk(begin)[:3, :3]
    return _Goal(None, T, as_task(task or ("position" if len(values) == 3 and arm.dof < 6 else "pose")).name)


def _wish(arm: Robot, begin: Floats, middle: list[Floats], goal: _Goal, *, line: bool, arc: str, blend: float) -> _Wish:
    if blend and (arc or not line):
        raise InvalidInput("--blend rounds the corners of straight lines: give --line and no --arc")
    if line or arc:
        return _Wish(begin, [], _tool_path(arm, begin, middle, goal, arc, blend), "arc" if arc else "line", goal.task)
    if goal.q is not None:
        return _Wish(begin, [begin, *middle, goal.q], None, "joint", goal.task)
    from armlab.kinematics.ik import solve_ik

    start = middle[-1] if middle else begin
    end = solve_ik(arm, goal.T_world_tool, start=start, task=goal.task)
    return _Wish(begin, [begin, *middle, end], None, "joint", goal.task)


def _tool_path(arm: Robot, begin: Floats, middle: list[Floats], goal: _Goal, arc: str, blend: float) -> ToolPath:
    from armlab.motion.blending import rounded
    from armlab.motion.segments import arc as arc_through
    from armlab.motion.toolpath_through import through

    frames = [arm.fk(q) for q in (begin, *middle)] + [goal.T_world_tool]
    if arc:
        if middle:
            raise InvalidInput("an arc has one point on its way: give --arc X,Y,Z without --via")
        return arc_through(frames[0], np.array(_numbers(arc, (3,), "--arc")) * M_PER_MM, frames[-1])
    path = through(np.array(frames), "linear")
    return rounded(path, blend * M_PER_MM) if blend else path


def _planned(arm: Robot, wish: _Wish, limits: Limits, *, scheme: str, times: str, tool_speed: float | None) -> _Planned:
    from armlab.motion.verify import verify

    if wish.path is not None:
        from armlab.motion.tool_motion import plan_tool

        if times:
            raise InvalidInput("--times belongs to a motion in joint space; a tool path is timed by the limits")
        motion = plan_tool(
            arm,
            wish.path,
            start=wish.begin,
            limits=limits,
            tool_limits=_tool_limits(tool_speed),
            timing=scheme or "smooth",  # type: ignore[arg-type]
            task=wish.task,
        )
        found = [*motion.followed.findings, *verify(motion.trajectory, arm, limits=limits)]
        return _Planned(motion.trajectory, scheme or "smooth", wish.kind, motion.followed.branch or None, found)
    if tool_speed is not None:
        raise InvalidInput("--tool-speed belongs to a tool path: add --line or --arc")
    from armlab.motion.joint import plan_joint

    chosen = scheme or ("jerk" if len(wish.points) == 2 else "smooth")
    try:
        trajectory = plan_joint(arm, wish.points, scheme=chosen, limits=limits, times=_seconds(times))
    except (InvalidInput, LimitViolation) as error:
        raise type(error)(_with_options(error.message, len(wish.points))) from None
    return _Planned(trajectory, chosen, "joint", None, verify(trajectory, arm, limits=limits))


def _seconds(times: str) -> list[float] | None:
    if not times:
        return None
    seconds = [number_of(part.strip(), "--times") for part in times.split(",")]
    for value in seconds:
        if value < SHORTEST:
            raise InvalidInput(f"--times: {value:g} s is too short; at least {SHORTEST:g} s are needed")
    return seconds


def _with_options(message: str, count: int) -> str:
    """Return a message about points that calls them as they were typed."""
    names = ["--from", *(f"--via {k}" for k in range(1, count - 1)), "--to"]
    for k, name in enumerate(names):
        message = message.replace(f"points[{k}]", name)
    return message.removesuffix("; leave one out") if count == 2 else message


def _tool_limits(tool_speed: float | None) -> ToolLimits | None:
    from armlab.motion.limits import ToolLimits

    if tool_speed is None:
        return None
    if not SLOWEST <= tool_speed <= LARGEST:
        raise InvalidInput(f"--tool-speed: {tool_speed:g} mm/s is outside {SLOWEST:g}…{LARGEST:g} mm/s")
    return ToolLimits(speed=tool_speed * M_PER_MM)


def _checked(path: Path) -> Path:
    from armlab.figures.style import check_figure_path

    return check_figure_path(path, (*TABLES, *PICTURES), "a plan")


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


def _print(report: PlanReport, path: Path | None) -> None:
    out = console()
    branch = f", branch {report.branch}" if report.branch else ""
    out.print(heading(f"{report.robot}  {report.path}, {report.scheme}{branch}: {report.duration:.3f} s"))
    rows = []
    for peak in report.peaks:
        ends = (number(peak.start), number(peak.end), peak.unit)
        speeds = (number(peak.velocity, 1), _percent(peak.velocity_share))
        rates = (number(peak.acceleration, 0), _percent(peak.acceleration_share), _percent(peak.jerk_share))
        rows.append((peak.joint, *ends, *speeds, *rates))
    columns = ("joint", "from", "to", "unit", "peak /s", "of limit", "peak /s²", "of limit", "jerk of limit")
    out.print(table("Peaks", columns, rows, words=(0, 3)))
    tool = report.tool_peak
    out.print(f"tool at most {number(tool.speed, 1)} mm/s, {number(tool.turn_speed, 1)} °/s")
    for finding in report.findings:
        out.print(f"{finding.level}: {finding.message}", soft_wrap=True)
    if path is not None:
        out.print(
            f"{path}: {len(report.t)} rows" if path.suffix.lower() in TABLES else f"{path}: drawn", soft_wrap=True
        )


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
