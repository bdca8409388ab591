"""What is told about a scenario that was run: seconds, millimetres and degrees."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.joint_units import joint_scales
from armlab.program.run_scenario import RunSegment, ScenarioRun
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.instruction_text import instruction_text
from armlab.reports.report import ReportModel
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6


class SegmentReport(ReportModel):
    """One step as it was run: when, what was held, and how well the arm followed."""

    step: int
    what: Message
    start: float
    end: float
    held: str | None
    distance: float | None
    """The least distance to anything on the way, mm; None where nothing moves or nothing is near."""
    tracking: float
    """The largest error of any joint, in its unit (° or mm)."""
    effort_share: float | None
    """The highest share of a drive's limit, where limits are stated and there are forces."""
    gap: float
    """How far a joint came apart at most, mm."""


class BodyPlace(ReportModel):
    """Where a body is at the end: mm and degrees."""

    name: str
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]


class SimulationReport(ReportModel):
    """A scenario that was run."""

    scenario: str
    title: str
    robot: str
    structure: str
    timestep: float
    duration: float
    steps: int
    segments: tuple[SegmentReport, ...]
    bodies: tuple[BodyPlace, ...]
    findings: tuple[FindingReport, ...]


def simulation_report(run: ScenarioRun) -> SimulationReport:
    """Return a run as a report."""
    return SimulationReport(
        scenario=run.scenario.name,
        title=run.scenario.title,
        robot=run.schedule.robot.name,
        structure=run.structure,
        timestep=run.timestep,
        duration=round(run.schedule.duration, DIGITS),
        steps=run.steps,
        segments=tuple(_segment(run, one, i) for i, one in enumerate(run.segments)),
        bodies=tuple(_place(name, T) for name, T in run.bodies.items() if not run.scenario.scene.body(name).is_fixed),
        findings=finding_reports(run.findings),
    )


def _segment(run: ScenarioRun, done: RunSegment, i: int) -> SegmentReport:
    robot = run.schedule.robot
    scale = joint_scales(robot.joints)
    stated = np.isfinite(robot.effort)
    share = float((done.effort / robot.effort)[stated].max()) if stated.any() and run.structure != "hierarchy" else None
    sweep = run.contacts.segments[i].sweep
    near = None if sweep is None or not np.isfinite(sweep.min_distance) else sweep.min_distance
    return SegmentReport(
        step=done.segment.index + 1,
        what=instruction_text(done.segment.instruction),
        start=round(done.segment.start, DIGITS),
        end=round(done.segment.end, DIGITS),
        held=done.held,
        distance=None if near is None else round(near * MM_PER_M, 3),
        tracking=round(float((done.error / scale).max()), DIGITS),
        effort_share=None if share is None else round(share, 4),
        gap=round(done.gap * MM_PER_M, DIGITS),
    )


def _place(name: str, T: Floats) -> BodyPlace:
    x, y, z = (round(float(v), 3) + 0.0 for v in T[:3, 3] * MM_PER_M)  # + 0.0 turns -0.0 into 0.0
    a, b, c = (round(float(v), 3) + 0.0 for v in pose.as_abc(T) * DEG_PER_RAD)
    return BodyPlace(name=name, xyz=(x, y, z), abc=(a, b, c))
