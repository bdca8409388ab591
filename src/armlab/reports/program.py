"""What is told about a program that was checked or run: seconds, millimetres and degrees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.check import ProgramCheck
from armlab.program.languages import Language
from armlab.program.line_times import LineTimes
from armlab.program.run import ProgramRun
from armlab.reports.report import ReportModel, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6
MOST_LINES = 20_000
"""Lines whose times are listed: of a longer program those that take longest."""


class ProgramFinding(ReportModel):
    """One thing that was found, with its place in the text; file, line and column are None where it has none."""

    severity: Literal["error", "warning", "note"]
    code: str
    message: Message
    parameters: Mapping[str, Any] = {}
    file: str | None = None
    line: int | None = None
    column: int | None = None
    time: float | None = None
    """s since the program began."""


class LineTimeReport(ReportModel):
    """How long the arm moves because of a line of the program (s), and how often the line was carried out."""

    line: int
    time: float
    count: int
    file: str


class BoxReport(ReportModel):
    """Where the tool point goes: its lowest and highest coordinates, mm."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class RealPathReport(ReportModel):
    """How far a real arm's tool is from the path that is meant, mm: as programmed, and with compensated targets."""

    mean_before: float
    max_before: float
    mean_after: float
    max_after: float


class ProgramCheckReport(ReportModel):
    """A program that was checked."""

    program: str
    language: Language
    robot: str | None
    findings: tuple[ProgramFinding, ...]
    motions: int
    cycle_time: float | None = None
    lines: tuple[LineTimeReport, ...] = ()
    box: BoxReport | None = None
    reach: float | None = None
    """How far the tool point gets from the arm's foot, mm."""
    left_out: int = 0
    """Findings beyond those that are listed."""
    real: RealPathReport | None = None
    """How far a real arm is from the path, where one was given."""


class ToolEnd(ReportModel):
    """Where a run ended: joint values (° and mm), and the tool's pose (mm, degrees)."""

    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]


class ProgramRunReport(ReportModel):
    """A program that was run."""

    program: str
    language: Language
    robot: str
    structure: str
    motions: int
    duration: float
    tracking_rms: float
    tracking_max: float
    """rad or m"""
    messages: tuple[str, ...]
    outputs: Mapping[str, bool | float]
    end: ToolEnd
    findings: tuple[ProgramFinding, ...]


def program_findings(findings: Iterable[Finding]) -> tuple[ProgramFinding, ...]:
    """Return findings with their places in the text."""
    return tuple(_finding(finding) for finding in findings)


def _finding(finding: Finding) -> ProgramFinding:
    where = finding.where
    line, column, time = where.get("line"), where.get("column"), where.get("time")
    return ProgramFinding(
        severity=finding.severity,
        code=finding.code,
        message=finding.message,
        parameters=finding.message.facts(),
        file=None if "file" not in where else str(where["file"]),
        line=None if line is None else int(line),
        column=None if column is None else int(column),
        time=None if time is None else round(float(time), DIGITS),
    )


def program_check_report(
    program: str, language: Language, robot: str, check: ProgramCheck, before: Iterable[Finding] = ()
) -> ProgramCheckReport:
    """Return a check as a report; `before` are findings that were made before the program was planned."""
    box = None
    if check.box is not None:
        lower, upper = np.round(check.box * MM_PER_M, 4).tolist()
        box = BoxReport(lower=tuple(lower), upper=tuple(upper))
    return ProgramCheckReport(
        program=program,
        language=language,
        robot=robot,
        findings=program_findings([*before, *check.findings]),
        motions=check.motions,
        cycle_time=round(check.cycle_time, DIGITS),
        lines=line_reports(check.lines),
        box=box,
        reach=round(check.reach * MM_PER_M, 4),
        left_out=check.left_out,
    )


def line_reports(lines: LineTimes) -> tuple[LineTimeReport, ...]:
    """Return the times of lines in their order; of a very long program those of the lines that take longest."""
    kept = sorted(lines.longest(MOST_LINES), key=lambda one: (one.file, one.line)) if len(lines) > MOST_LINES else lines
    return tuple(
        LineTimeReport(line=one.line, time=round(one.time, DIGITS), count=one.count, file=one.file) for one in kept
    )


def program_run_report(
    program: str, language: Language, robot: Robot, run: ProgramRun, before: Iterable[Finding] = ()
) -> ProgramRunReport:
    """Return a run as a report."""
    T = run.T_world_tool
    return ProgramRunReport(
        program=program,
        language=language,
        robot=robot.name,
        structure=run.structure,
        motions=run.motions,
        duration=round(run.duration, DIGITS),
        tracking_rms=run.tracking_rms,
        tracking_max=run.tracking_max,
        messages=tuple(said.text for said in run.messages),
        outputs=dict(run.outputs),
        end=ToolEnd(
            q=shown_q(robot, run.q),
            xyz=tuple(np.round(T[:3, 3] * MM_PER_M, 4).tolist()),
            abc=tuple(np.round(pose.as_abc(T) * DEG_PER_RAD, 4).tolist()),
        ),
        findings=program_findings([*before, *run.findings]),
    )
