"""What is told about a scenario that was run: seconds, millimetres and degrees."""

from __future__ import annotations

from typing import assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.model import pose
from armlab.program.instructions import Instruction, MoveC, MoveJ, MoveL, MoveSpline, Pick, Place, Stop, Wait
from armlab.program.run import RunLeg, ScenarioRun
from armlab.reports import Report
from armlab.reports.motion import FindingReport, finding_reports
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale

DIGITS = 6


class LegReport(Report):
    """One step as it was run: when, what was held, and how well the arm followed."""

    step: int
    what: str
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


class BodyPlace(Report):
    """Where a body is at the end: mm and degrees."""

    name: str
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]


class SimulationReport(Report):
    """A scenario that was run."""

    scenario: str
    title: str
    robot: str
    structure: str
    timestep: float
    duration: float
    steps: int
    legs: tuple[LegReport, ...]
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
        legs=tuple(_leg(run, leg, i) for i, leg in enumerate(run.legs)),
        bodies=tuple(_place(name, T) for name, T in run.bodies.items() if not run.scenario.scene.body(name).is_fixed),
        findings=finding_reports(run.findings),
    )


def instruction_text(instruction: Instruction) -> str:
    """Return an instruction in a few words."""
    match instruction:
        case MoveJ():
            text = f"move joints, {len(instruction.targets)} point{'s' if len(instruction.targets) > 1 else ''}"
        case MoveL():
            text = "move straight"
        case MoveC():
            text = "move on an arc"
        case MoveSpline():
            text = f"move along a {instruction.kind} curve"
        case Pick():
            text = f"pick {instruction.body or 'the nearest'}"
        case Place():
            text = "place"
        case Wait():
            text = f"wait {instruction.seconds:g} s"
        case Stop():
            text = "stop"
        case _:
            assert_never(instruction)
    return text


def _leg(run: ScenarioRun, leg: RunLeg, i: int) -> LegReport:
    robot = run.schedule.robot
    scale = np.array([joint_scale(joint.kind) for joint in robot.joints])
    stated = np.isfinite(robot.effort)
    share = float((leg.effort / robot.effort)[stated].max()) if stated.any() and run.structure != "hierarchy" else None
    sweep = run.walk.legs[i].sweep
    near = None if sweep is None or not np.isfinite(sweep.min_distance) else sweep.min_distance
    return LegReport(
        step=leg.leg.index + 1,
        what=instruction_text(leg.leg.instruction),
        start=round(leg.leg.start, DIGITS),
        end=round(leg.leg.end, DIGITS),
        held=leg.held,
        distance=None if near is None else round(near * MM_PER_M, 3),
        tracking=round(float((leg.error / scale).max()), DIGITS),
        effort_share=None if share is None else round(share, 4),
        gap=round(leg.gap * MM_PER_M, DIGITS),
    )


def _place(name: str, T: Floats) -> BodyPlace:
    x, y, z = (round(float(v), 3) + 0.0 for v in T[:3, 3] * MM_PER_M)  # + 0.0 turns -0.0 into 0.0
    a, b, c = (round(float(v), 3) + 0.0 for v in pose.as_abc(T) * DEG_PER_RAD)
    return BodyPlace(name=name, xyz=(x, y, z), abc=(a, b, c))
