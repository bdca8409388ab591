"""What is told about a line that was entered at the console: seconds, millimetres and degrees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.robot import Robot
from armlab.program.console.result import ConsoleResult, Outcome
from armlab.program.executor.windows import is_move
from armlab.program.span import Span
from armlab.reports.program import DIGITS, ProgramFinding, ToolEnd, program_findings
from armlab.reports.report import ReportModel, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M


class PlaceReport(ReportModel):
    """A statement: its file and line."""

    file: str
    line: int


class ConsoleValueReport(ReportModel):
    """A value that was asked for."""

    name: str
    type: str
    text: str
    value: Any


class ConsoleHelpReport(ReportModel):
    """A word, and what it does."""

    word: str
    help: Message


class ConsoleReport(ReportModel):
    """One statement or command of a console."""

    line: int
    text: str
    outcome: Outcome
    motions: int
    seconds: float
    """How long the arm moved or waited."""
    time: float
    """s since the session began."""
    end: ToolEnd
    outputs: Mapping[str, bool | float]
    findings: tuple[ProgramFinding, ...]
    messages: tuple[str, ...]
    values: tuple[ConsoleValueReport, ...] = ()
    help: tuple[ConsoleHelpReport, ...] = ()
    notes: tuple[Message, ...] = ()
    stopped_at: PlaceReport | None = None
    read_to: PlaceReport | None = None
    stack: tuple[str, ...] = ()
    """The routines that a program is in, outermost first."""


def console_report(robot: Robot, result: ConsoleResult) -> ConsoleReport:
    """Return what a line did as a report."""
    state = result.state
    q = np.array(state.q)
    T = robot.fk(q)
    moved = {one.index for piece in result.pieces for one in piece.covered if is_move(one.instruction)}
    return ConsoleReport(
        line=result.line,
        text=result.text,
        outcome=result.outcome,
        motions=len(moved),
        seconds=round(result.seconds, DIGITS),
        time=round(state.time, DIGITS),
        end=ToolEnd(
            q=shown_q(robot, q),
            xyz=tuple(np.round(T[:3, 3] * MM_PER_M, 4).tolist()),
            abc=tuple(np.round(pose.as_abc(T) * DEG_PER_RAD, 4).tolist()),
        ),
        outputs=dict(state.outputs),
        findings=program_findings(result.findings),
        messages=result.messages,
        values=tuple(
            ConsoleValueReport(name=one.name, type=one.type, text=one.text, value=one.plain) for one in result.values
        ),
        help=tuple(ConsoleHelpReport(word=one.word, help=one.help) for one in result.help),
        notes=result.notes,
        stopped_at=_place(result.stopped_at),
        read_to=_place(result.read_to),
        stack=tuple(frame.routine for frame in state.stack) if result.stopped_at is not None else (),
    )


def _place(span: Span | None) -> PlaceReport | None:
    return None if span is None else PlaceReport(file=span.file, line=span.line)
