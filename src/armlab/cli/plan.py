"""`armlab plan`: a motion from one place to another that keeps every limit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from armlab.cli.arguments import AsJson, RobotName, ToolName, Units, UnitsOption, joint_values, number_of
from armlab.cli.text import console, heading, number, print_json, table
from armlab.errors import InvalidInput
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


class _Wish(NamedTuple):
    """What was asked for: points in joint space, or a path of the tool."""

    points: list[Floats]
    path: ToolPath | None
    kind: str


class _Planned(NamedTuple):
    trajectory: Trajectory
    scheme: str
    path: str
    branch: str | None
    findings: list[Finding]


def plan(
    robot: RobotName,
    to: Annotated[str, typer.Option("--to", metavar="Q", help="Joint values, or a named pose.")] = "",
    to_pose: Annotated[str, typer.Option("--to-pose", metavar="X,Y,Z,A,B,C", help="A pose of the tool instead.")] = "",
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
    begin = _place(arm, start, "--from", units)
    wish = _wish(arm, begin, to, to_pose, via or [], line=line, arc=arc, blend=blend, units=units)
    limits = limits_of(arm).scaled(speed=_share(speed))
    planned = _planned(arm, wish, begin, limits, scheme=scheme, times=times, tool_speed=tool_speed)
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


def _list_schemes() -> None:
    from armlab.motion.joint import SCHEMES

    out = console()
    out.print(table("Schemes", ("name", "what"), list(SCHEMES.items()), words=(0, 1)))
    out.print("A line or an arc of the tool: smooth (limits the jerk), fastest (does not).")


def _share(percent: float) -> float:
    if not 0.0 < percent <= 100.0:
        raise InvalidInput(f"--speed: {percent:g} % is not above 0 and up to 100")
    return percent / 100.0


def _place(arm: Robot, text: str, what: str, units: Units) -> Floats:
    """Return typed joint values, or those of a named pose; nothing typed is home."""
    if not text:
        return arm.home.copy()
    if text == "home" or text in arm.poses:
        return arm.pose(text).copy()
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    if len(parts) == 1 and arm.dof > 1 and not any(letter.isdigit() for letter in text):
        return arm.pose(text).copy()
    try:
        return joint_values(arm, parts, units)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error.message}") from None


def _numbers(text: str, counts: tuple[int, ...], what: str) -> list[float]:
    values = [number_of(part.strip(), what) for part in text.split(",") if part.strip()]
    if len(values) not in counts:
        wanted = " or ".join(str(count) for count in counts)
        raise InvalidInput(f"{what}: {wanted} numbers separated by commas are needed, got {len(values)}")
    return values


def _wish(
    arm: Robot,
    begin: Floats,
    to: str,
    to_pose: str,
    via: list[str],
    *,
    line: bool,
    arc: str,
    blend: float,
    units: Units,
) -> _Wish:
    import numpy as np

    from armlab.kinematics.ik import solve_ik
    from armlab.model import pose
    from armlab.motion.blending import rounded
    from armlab.motion.segments import arc as arc_through
    from armlab.motion.toolpath_through import through

    if bool(to) == bool(to_pose):
        raise InvalidInput("say where to go: either --to with joint values, or --to-pose with X,Y,Z,A,B,C")
    middle = [_place(arm, text, "--via", units) for text in via]
    if to_pose:
        values = _numbers(to_pose, (3, 6), "--to-pose")
        T_end = pose.from_xyz_abc(np.array(values[:3]) * M_PER_MM, np.radians(values[3:] or [0.0] * 3))
        if len(values) == 3:
            T_end[:3, :3] = arm.fk(begin)[:3, :3]
        end = None if line or arc else solve_ik(arm, T_end, start=middle[-1] if middle else begin)
    else:
        end = _place(arm, to, "--to", units)
        T_end = arm.fk(end)
    if not (line or arc):
        if blend:
            raise InvalidInput("--blend rounds the corners of a tool path: add --line")
        assert end is not None
        return _Wish([begin, *middle, end], None, "joint")
    frames = [arm.fk(q) for q in (begin, *middle)] + [T_end]
    if arc:
        if middle:
            raise InvalidInput("an arc has one point on its way: give --arc X,Y,Z without --via")
        p_via = np.array(_numbers(arc, (3,), "--arc")) * M_PER_MM
        return _Wish([], arc_through(frames[0], p_via, frames[-1]), "arc")
    whole = through(np.array(frames), "linear")
    return _Wish([], rounded(whole, blend * M_PER_MM) if blend else whole, "line")


def _planned(
    arm: Robot, wish: _Wish, begin: Floats, limits: Limits, *, scheme: str, times: str, tool_speed: float | None
) -> _Planned:
    from armlab.motion.joint import plan_joint
    from armlab.motion.tool_motion import plan_tool
    from armlab.motion.verify import verify

    if wish.path is not None:
        if times:
            raise InvalidInput("--times belongs to a motion in joint space; a tool path is timed by the limits")
        motion = plan_tool(
            arm,
            wish.path,
            start=begin,
            limits=limits,
            tool_limits=_tool_limits(tool_speed),
            timing=scheme or "smooth",  # type: ignore[arg-type]
        )
        found = [*motion.followed.findings, *verify(motion.trajectory, arm, limits=limits)]
        return _Planned(motion.trajectory, scheme or "smooth", wish.kind, motion.followed.branch or None, found)
    if tool_speed is not None:
        raise InvalidInput("--tool-speed belongs to a tool path: add --line or --arc")
    chosen = scheme or ("jerk" if len(wish.points) == 2 else "smooth")
    seconds = [number_of(part.strip(), "--times") for part in times.split(",") if part.strip()] or None
    trajectory = plan_joint(arm, wish.points, scheme=chosen, limits=limits, times=seconds)
    return _Planned(trajectory, chosen, "joint", None, verify(trajectory, arm, limits=limits))


def _tool_limits(tool_speed: float | None) -> ToolLimits | None:
    from armlab.motion.limits import ToolLimits

    if tool_speed is None:
        return None
    if not tool_speed > 0.0:
        raise InvalidInput(f"--tool-speed: {tool_speed:g} mm/s is not above zero")
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
