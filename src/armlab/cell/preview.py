"""What is known of a motion before it is over: how long it takes, where it goes, its steps, and what is wrong with it.

Of a program that is its execution run ahead without an arm, as a job that tells what it knows as it goes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.cell.events import Ending, PlayerReport, PlayerSegment, What
from armlab.cell.prepared import Source, inputs_of, prepared_program, texts_of
from armlab.jobs import tell
from armlab.model.finding import Finding
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import JointState, Trajectory
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.asking import WAIT_NEVER_ENDS
from armlab.program.instructions import Report
from armlab.program.prepare import RunOptions
from armlab.program.probing import contact_in
from armlab.program.signals import Signals
from armlab.reports.findings import finding_reports
from armlab.units import MM_PER_M

SHOWN_SAMPLES = 400
SPACING = 1e-3
"""s between samples at first; it doubles whenever there are twice as many as are shown."""
MOST_SEGMENTS = 5000
MOST_FINDINGS = 200
LONGEST = 3600.0
"""s of a program that are run ahead."""
FIRST_PIECES = 16
"""After so many pieces what is known is told; then whenever there are twice as many."""
ENDLESS = {"krl_endless_loop", "script_endless_loop"}
"""Codes of findings about a loop without an exit, which was followed once."""
BOUNDED = {"program_endless", "gcode_endless"}
"""Codes of findings about a program that goes on longer than it is run ahead."""


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """A motion as far as it is known: samples of its joints (m, n) at times (m,), segments and findings."""

    duration: float
    ending: Ending
    t: Floats
    joints: JointState
    segments: tuple[PlayerSegment, ...] = ()
    findings: tuple[Finding, ...] = ()

    def report(self, what: What, robot: Robot) -> PlayerReport:
        """Return it for the page, in mm and the joints' units."""
        scale = joint_scales(robot.joints)
        q, qd, qdd = (part.reshape(-1, robot.dof) for part in self.joints)
        path = robot.fk(q)[:, :3, 3] * MM_PER_M
        return PlayerReport(
            what=what,
            duration=round(self.duration, 6),
            ending=self.ending,
            segments=self.segments,
            path=tuple((round(x, 3), round(y, 3), round(z, 3)) for x, y, z in path.tolist()),
            t=_rounded(self.t),
            q=_rows(q / scale),
            qd=_rows(qd / scale),
            qdd=_rows(qdd / scale),
            findings=finding_reports(self.findings),
        )


class Growing:
    """Makes a preview of pieces and events, and samples that stay few however long it gets."""

    def __init__(self, texts: tuple[str, ...] = ()) -> None:
        self._texts = texts
        self._ending: Ending = "known"
        self._spacing, self._end, self.pieces = SPACING, 0.0, 0
        self._rows: list[tuple[float, JointState]] = []
        self._last: tuple[float, JointState] | None = None
        self._segments: list[PlayerSegment] = []
        self._findings: list[Finding] = []

    def take(self, item: Piece | Event) -> None:
        """Add what comes next."""
        if isinstance(item, Event):
            self._event(item)
            return
        self._end = item.end
        self.pieces += 1
        self._sample(item)
        self._found(item.findings)
        for one in item.covered[: max(MOST_SEGMENTS - len(self._segments), 0)]:
            span = one.instruction.span
            self._segments.append(
                PlayerSegment(
                    start=round(item.start + one.start, 6),
                    end=round(item.start + one.end, 6),
                    step=one.index,
                    text=self._texts[one.index] if one.index < len(self._texts) else "",
                    line=None if span is None else span.line,
                )
            )
        for event in item.events:
            self._event(event)

    def preview(self, ending: Ending | None = None) -> Preview:
        """Return what is known so far."""
        rows = [*self._rows, *([] if self._last is None else [self._last])]
        joints = JointState(*(np.array([row[k] for _time, row in rows]) for k in range(3)))
        segments, found = tuple(self._segments), tuple(self._findings)
        return Preview(self._end, ending or self._ending, np.array([t for t, _ in rows]), joints, segments, found)

    def _event(self, event: Event) -> None:
        if not isinstance(event.instruction, Report):
            return
        finding = event.instruction.finding
        if finding.code == WAIT_NEVER_ENDS:
            self._ending = "waits"
        elif finding.code in ENDLESS:
            self._ending = "never"
        elif finding.code in BOUNDED:
            self._ending = "open"
        else:
            self._found([finding])

    def _found(self, findings: Iterable[Finding]) -> None:
        self._findings += [*findings][: MOST_FINDINGS - len(self._findings)]

    def _sample(self, piece: Piece) -> None:
        first, last = math.ceil(piece.start / self._spacing), math.ceil(piece.end / self._spacing)
        while last - first + len(self._rows) > 2 * SHOWN_SAMPLES:
            self._rows, self._spacing = self._rows[::2], 2.0 * self._spacing
            first, last = math.ceil(piece.start / self._spacing), math.ceil(piece.end / self._spacing)
        times = np.append(np.arange(first, last) * self._spacing, piece.end) - piece.start
        q, qd, qdd = piece.trajectory.sample(np.clip(times, 0.0, piece.trajectory.duration))
        rows = [(piece.start + t, JointState(*row)) for t, *row in zip(times.tolist(), q, qd, qdd, strict=True)]
        self._rows += rows[:-1]
        self._last = rows[-1]


def preview_of(trajectory: Trajectory, findings: tuple[Finding, ...] = ()) -> Preview:
    """Return what is known of a motion that is planned whole."""
    t = np.linspace(0.0, trajectory.duration, SHOWN_SAMPLES)
    return Preview(trajectory.duration, "known", t, trajectory.sample(t), (), findings)


def previewed(source: Source, scene: Scene) -> Preview:
    """Return what is known of a program or scenario, with its inputs as they are; tell it as it grows."""
    ready = prepared_program(source, scene, RunOptions())
    growing, shown = Growing(texts_of(source)), FIRST_PIECES
    executor = Executor(
        ready.cell.robot,
        ready.instructions,
        start=ready.start,
        signals=Signals(inputs_of(source)),
        contact=contact_in(ready.cell.scene, ready.cell.arm.name),
        seconds=LONGEST,
    )
    for item in Execution(executor):
        growing.take(item)
        if growing.pieces >= shown:
            shown *= 2
            tell(0.0, part=growing.preview("open"))
    return growing.preview()


def _rows(values: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(_rounded(row) for row in values)


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(round(value, 6) for value in values.tolist())
