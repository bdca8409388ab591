"""`armlab ik` and `armlab why`: joints for a pose, or the reason why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armlab.arrays import Floats
from armlab.cli.arguments import AsJson, RobotName, ToolName, Units, start_values, target_pose
from armlab.cli.text import console, heading, number, print_json, table
from armlab.units import joint_unit

if TYPE_CHECKING:
    from armlab.kinematics.answers import IkSolution
    from armlab.kinematics.task import Task
    from armlab.model.robot import Robot
    from armlab.reports import IkReport, WhyReport

NOT_REACHED = 1

Target = Annotated[
    list[str],
    typer.Argument(metavar="X Y Z [A B C]", help="mm and degrees; without A B C only the position counts."),
]
TaskName = Annotated[
    str,
    typer.Option("--task", metavar="TASK", help="pose, position, approach, planar, planar-pose, scara."),
]
Every = Annotated[bool, typer.Option("--all", help="Every solution, not only the one nearest to the start.")]
Start = Annotated[str, typer.Option("--start", metavar="Q,Q,…", help="Joint values to start from (° and mm).")]


def ik(
    robot: RobotName,
    target: Target,
    every: Every = False,
    start: Start = "",
    task: TaskName = "",
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Inverse kinematics: joint values that put the tool at a pose; ends with status 1 where there are none."""
    from armlab.catalog import load
    from armlab.reports import ik_report

    arm = load(robot, tool=tool)
    T, wanted = _target(target, task)
    converged, reason, solutions = _solve(arm, T, wanted, start, every)
    report = ik_report(arm, converged, reason, solutions)
    if as_json:
        print_json(report)
    else:
        _print_solutions(arm, report)
    if not converged:
        raise typer.Exit(NOT_REACHED)


def why(
    robot: RobotName,
    target: Target,
    task: TaskName = "",
    tool: ToolName = "none",
    as_json: AsJson = False,
) -> None:
    """Say why a pose cannot be reached: what kills each branch, and what comes nearest."""
    from armlab.catalog import load
    from armlab.kinematics.why import why_not
    from armlab.reports import why_report

    arm = load(robot, tool=tool)
    T, wanted = _target(target, task)
    report = why_report(arm, why_not(arm, T, task=wanted))
    if as_json:
        print_json(report)
    else:
        _print_diagnosis(arm, report)


def _target(texts: list[str], task: str) -> tuple[Floats, Task]:
    from armlab.kinematics.task import as_task

    T, has_orientation = target_pose(texts)
    return T, as_task(task or ("pose" if has_orientation else "position"))


def _solve(robot: Robot, T: Floats, task: Task, start: str, every: bool) -> tuple[bool, str, list[IkSolution]]:
    from armlab.kinematics.all_ik import SEARCHED, all_ik, branch_of
    from armlab.kinematics.answers import IkSolution
    from armlab.kinematics.ik import attempt_ik
    from armlab.kinematics.why import why_not

    if every:
        found = all_ik(robot, T, task=task)
        count = f"{len(found)} solution{'' if len(found) == 1 else 's'}"
        return (True, count, found) if found else (False, why_not(robot, T, task=task).summary, [])
    result = attempt_ik(robot, T, start=start_values(robot, start, Units.deg), task=task)
    if not result.converged:
        return False, result.reason, []
    branch = branch_of(robot, result.q) or SEARCHED
    return True, result.reason, [IkSolution(result.q, branch, result.position_error, result.rotation_error)]


def _print_solutions(robot: Robot, report: IkReport) -> None:
    out = console()
    if not report.converged:
        out.print(f"{robot.name} cannot: {report.reason}")
        out.print(f"more: armlab why {robot.name} X Y Z [A B C]")
        return
    columns = ["branch", *(f"{j.name} {joint_unit(j.kind)}" for j in robot.joints), "error mm", "error °"]
    if any(s.free for s in report.solutions):
        columns.append("free joint")
    rows = []
    for s in report.solutions:
        errors = (f"{s.position_error:.1e}", f"{s.rotation_error:.1e}")
        free = [f"{s.free.joint} {number(s.free.lower, 1)}…{number(s.free.upper, 1)}°"] if s.free else []
        rows.append((s.branch, *(number(v, 4) for v in s.q), *errors, *free))
    out.print(table(f"{robot.name}: {report.reason}", columns, rows))


def _print_diagnosis(robot: Robot, report: WhyReport) -> None:
    out = console()
    out.print(heading(f"{robot.name}: {report.summary}"))
    for branch in report.branches:
        if branch.joint:
            out.print(f"  {branch.sentence}")
    dead = [branch.branch for branch in report.branches if not branch.joint]
    if dead:
        out.print(f"  out of reach: {'every branch' if len(dead) == len(report.branches) else '; '.join(dead)}")
    if report.reachable:
        return
    (x, y, z), (a, b, c) = report.nearest_xyz, report.nearest_abc
    out.print(
        f"nearest pose: X {x:.1f} Y {y:.1f} Z {z:.1f} mm, A {a:.1f} B {b:.1f} C {c:.1f} ° "
        f"({report.position_gap:.1f} mm and {report.rotation_gap:.1f}° away)"
    )
    values = [f"{j.name} {number(v, 1)}" for j, v in zip(robot.joints, report.nearest_q, strict=True)]
    out.print(f"at joints {', '.join(values)}{', a singular pose' if report.singular else ''}")
