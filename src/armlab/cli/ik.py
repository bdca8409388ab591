"""`armlab ik` and `armlab why`: joints for a pose, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.arrays import Floats
from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, Units, arm_of, start_values, target_pose
from armlab.cli.text import console, decimal, heading, joints_text, number, print_json, table
from armlab.messages import Message, _, n_, tr
from armlab.units import joint_unit

if TYPE_CHECKING:
    from armlab.kinematics.answers import IkSolution
    from armlab.kinematics.task import Task
    from armlab.model.robot import Robot
    from armlab.reports.kinematics import FreeJointReport, IkReport, WhyReport

NOT_REACHED = 1

Target = Annotated[
    list[str],
    typer.Argument(metavar="X Y Z [A B C]", help=_("mm and degrees; without A B C only the position counts.")),
]
TaskName = Annotated[
    str,
    typer.Option("--task", metavar="TASK", help=_("pose, position, approach, planar, planar-pose, scara.")),
]
Every = Annotated[
    bool, typer.Option("--all", help=_("One solution per branch, not only the one nearest to the start."))
]
Turns = Annotated[
    bool, typer.Option("--turns", help=_("All solutions with every whole turn, and every member found of a continuum."))
]
Start = Annotated[str, typer.Option("--start", metavar="Q,Q,…", help=_("Joint values to start from (° and mm)."))]


def ik(
    robot: RobotName,
    target: Target,
    every: Every = False,
    turns: Turns = False,
    start: Start = "",
    task: TaskName = "",
    tool: ToolName = "none",
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab ik`."""
    from armlab.reports.kinematics import ik_report

    arm = arm_of(robot, tool, tcp)
    T, wanted = _target(arm, target, task)
    if every or turns:
        converged, reason, solutions = _solve_all(arm, T, wanted, turns)
    else:
        converged, reason, solutions = _solve_one(arm, T, wanted, start)
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
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab why`."""
    from armlab.kinematics.why import why_not
    from armlab.reports.kinematics import why_report

    arm = arm_of(robot, tool, tcp)
    T, wanted = _target(arm, target, task)
    report = why_report(arm, why_not(arm, T, task=wanted))
    if as_json:
        print_json(report)
    else:
        _print_diagnosis(arm, report)


def _target(robot: Robot, texts: list[str], task: str) -> tuple[Floats, Task]:
    """Return the target and which part of it counts: as told, else the point alone, or the arm's default task."""
    from armlab.kinematics.task import as_task, task_for

    T, has_orientation = target_pose(texts)
    return T, as_task(task) if task else task_for(robot, None if has_orientation else "position")


def _solve_all(robot: Robot, T: Floats, task: Task, turns: bool) -> tuple[bool, Message, list[IkSolution]]:
    from armlab.kinematics.all_ik import all_ik
    from armlab.kinematics.why import why_not

    found = all_ik(robot, T, task=task, turns=turns)
    count = Message("solutions_found", n_("{count} solution", "{count} solutions"), count=len(found))
    return (True, count, list(found)) if found else (False, why_not(robot, T, task=task).summary, [])


def _solve_one(robot: Robot, T: Floats, task: Task, start: str) -> tuple[bool, Message, list[IkSolution]]:
    from armlab.kinematics.all_ik import branch_of
    from armlab.kinematics.answers import SEARCHED, IkSolution
    from armlab.kinematics.ik import attempt_ik

    result = attempt_ik(robot, T, start=start_values(robot, start, Units.deg), task=task)
    if not result.converged:
        return False, result.reason, []
    branch = branch_of(robot, result.q) or SEARCHED
    return True, result.reason, [IkSolution(result.q, branch, result.position_error, result.rotation_error)]


def _print_solutions(robot: Robot, report: IkReport) -> None:
    out = console()
    if not report.converged:
        out.print(tr("{robot} cannot reach this: {reason}", robot=robot.name, reason=report.reason))
        out.print(tr("more: armlab why {robot} X Y Z [A B C]", robot=robot.name))
        return
    units = {"°": "°", "mm": tr("mm")}
    joints = [f"{j.name} {units[joint_unit(j.kind)]}" for j in robot.joints]
    columns = [tr("branch"), *joints, tr("error mm"), tr("error °")]
    if any(s.free for s in report.solutions):
        columns.append(tr("free joint"))
    rows = []
    for s in report.solutions:
        errors = (decimal(f"{s.position_error:.1e}"), decimal(f"{s.rotation_error:.1e}"))
        free = [_intervals(s.free)] if s.free else []
        rows.append((s.branch, *(number(v, 4) for v in s.q), *errors, *free))
    out.print(table(f"{robot.name}: {report.reason.localized()}", columns, rows))


def _intervals(free: Sequence[FreeJointReport]) -> str:
    """Return the joints that a target leaves free, each with its interval."""
    shown = []
    for joint in free:
        unit = "°" if joint.unit == "°" else " " + tr("mm")
        shown.append(f"{joint.joint} {number(joint.lower, 1)} … {number(joint.upper, 1)}{unit}")
    return ", ".join(shown)


def _print_diagnosis(robot: Robot, report: WhyReport) -> None:
    out = console()
    out.print(heading(f"{robot.name}: {report.summary.localized()}"))
    for branch in report.branches:
        if branch.joint:
            out.print(f"  {branch.sentence.localized()}")
    dead = [branch.branch for branch in report.branches if not branch.joint]
    if dead and len(dead) == len(report.branches):
        out.print("  " + tr("out of reach on every branch"))
    elif dead:
        out.print("  " + tr("out of reach on these branches: {names}", names="; ".join(dead)))
    if report.reachable:
        return
    pose = dict(zip("xyzabc", (*report.nearest_xyz, *report.nearest_abc), strict=True))
    out.print(
        tr(
            "nearest pose: X {x:.1f} Y {y:.1f} Z {z:.1f} mm, A {a:.1f} B {b:.1f} C {c:.1f} ° "
            "({position:.1f} mm and {rotation:.1f}° away)",
            **pose,
            position=report.position_gap,
            rotation=report.rotation_gap,
        )
    )
    values = joints_text(robot, report.nearest_q, 1)
    if report.singular:
        out.print(tr("at joints {values}; the arm is singular there", values=values))
    else:
        out.print(tr("at joints {values}", values=values))
