"""The three structures side by side as people read them: mm, degrees, J and µs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.report import ReportModel
from armlab.sim.compare import Metrics, StructureComparison
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 9
CURVE_DIGITS = 6
MOST_ROWS = 300
"""Of one structure's curves."""


class StructureReport(ReportModel):
    """What one structure did: lengths mm, energies J, times µs."""

    tracking_rms: float
    """Of the tool's place, mm."""
    joint_rms: float
    """Of the joints: degrees, where they turn; where they slide, metres count as radians."""
    gap: float
    """The largest gap of a joint, mm."""
    energy_drift: float | None
    """Of an arm that falls freely, J; None for a hierarchy, which has no energy, and where the fall diverges."""
    us_per_step: float
    unknowns: int
    diverged: float | None = None
    """When its numbers left all bounds, s; None where they did not."""
    findings: tuple[FindingReport, ...] = ()
    """What went wrong, why, and what would help."""


class StructureCurves(ReportModel):
    """One structure over time: a row for each time, up to where it diverged."""

    structure: str
    summary: StructureReport
    t: tuple[float, ...]
    """s"""
    tool_error: tuple[float, ...]
    """How far the tool is from where it is told to be, mm."""
    gap: tuple[float, ...]
    """The largest joint gap, mm."""
    energy: tuple[float, ...] | None
    """Kinetic and potential, J; None without masses."""
    us_per_step: tuple[float, ...]
    frames: tuple[tuple[float, ...], ...]
    """For each time 7 numbers for each link and the tool: x y z (m) and w x y z."""


class ComparisonPage(ReportModel):
    """The whole comparison, to be drawn and played back."""

    robot: str
    duration: float
    timestep: float
    """s"""
    structures: tuple[StructureCurves, ...]


class ComparisonFailure(ReportModel):
    """Why there is no comparison."""

    code: str
    message: Message


class ComparisonProgress(ReportModel):
    """A line of the answer: the share that is done, and last the result or why there is none."""

    share: float
    result: ComparisonPage | None = None
    failure: ComparisonFailure | None = None


def structure_report(metrics: Metrics) -> StructureReport:
    """Return the numbers of one structure."""
    drift = metrics.energy_drift
    return StructureReport(
        tracking_rms=round(metrics.tool_rms * MM_PER_M, DIGITS),
        joint_rms=round(metrics.tracking_rms * DEG_PER_RAD, DIGITS),
        gap=round(metrics.gap * MM_PER_M, DIGITS),
        energy_drift=None if drift is None else float(f"{drift:.6g}"),
        us_per_step=round(metrics.us_per_step, 3),
        unknowns=metrics.unknowns,
        diverged=None if metrics.diverged is None else round(metrics.diverged.time, CURVE_DIGITS),
        findings=finding_reports(metrics.findings),
    )


def comparison_page(made: StructureComparison) -> ComparisonPage:
    """Return a comparison with its curves."""
    return ComparisonPage(
        robot=made.robot.name,
        duration=round(made.command.duration, CURVE_DIGITS),
        timestep=made.timestep,
        structures=tuple(_curves(made, metrics) for metrics in made.metrics.values()),
    )


def _curves(made: StructureComparison, metrics: Metrics) -> StructureCurves:
    run = metrics.run
    parts = np.array_split(np.arange(len(run.time)), min(len(run.time), MOST_ROWS))
    ends = np.array([part[-1] for part in parts])
    wanted = made.robot.fk(run.commanded)[:, :3, 3]
    off = np.linalg.norm(metrics.frames[:, -1, :3, 3] - wanted, axis=1)
    assert run.recording.signals is not None
    energy = run.recording.signals[ends, 1:3].sum(axis=1)
    return StructureCurves(
        structure=metrics.structure,
        summary=structure_report(metrics),
        t=_numbers(run.time[ends]),
        tool_error=_numbers(_largest(off, parts) * MM_PER_M),
        gap=_numbers(_largest(run.gap, parts) * MM_PER_M),
        energy=None if metrics.structure == "hierarchy" else _numbers(energy),
        us_per_step=_numbers(np.array([np.median(metrics.step_costs[part]) for part in parts])),
        frames=tuple(_numbers(np.concatenate([_seven(T) for T in frames])) for frames in metrics.frames[ends]),
    )


def _largest(values: Floats, parts: list[NDArray[np.int64]]) -> Floats:
    return np.array([values[part].max() for part in parts])


def _seven(T: Floats) -> Floats:
    return np.array([*T[:3, 3], *pose.quaternion_of(T)])


def _numbers(values: Floats) -> tuple[float, ...]:
    """Return numbers with six digits that mean something; JSON has no infinity."""
    return tuple(float(f"{v:.{CURVE_DIGITS}g}") if math.isfinite(v) else 0.0 for v in values.tolist())
