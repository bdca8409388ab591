"""What is told about a planned motion: seconds, millimetres and degrees."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.motion.limits import Limits
from armlab.motion.trajectory import Trajectory
from armlab.planning.free_path import FreePath
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.report import ReportModel, rounded
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale, joint_unit

DIGITS = 9
LARGEST_TABLE = 2_000_000
"""A report with more numbers than this is refused: choose a larger step."""


class JointPeak(ReportModel):
    """How close a joint comes to its limits, in its own unit (`°` or `mm`) per s, s², s³; shares are of the limits."""

    joint: str
    unit: str
    start: float
    end: float
    velocity: float
    velocity_share: float
    acceleration: float
    acceleration_share: float
    jerk: float
    jerk_share: float


class ToolPeak(ReportModel):
    """The fastest the tool gets: mm/s and °/s."""

    speed: float
    turn_speed: float


class UncheckedPair(ReportModel):
    """Two parts of the arm that are not checked against each other, and why."""

    first: str
    second: str
    reason: str


class FreeReport(ReportModel):
    """A path that is proved free: its points in ° or mm by joint, and what is proved."""

    points: tuple[tuple[float, ...], ...]
    clearance: float
    """mm that are kept from bodies and other arms."""
    seed: int
    samples: int
    motions: int
    unchecked: tuple[UncheckedPair, ...]


class PlanReport(ReportModel):
    """A planned motion as arrays at a chosen step: s, and ° or mm by joint."""

    robot: str
    tool: str
    scheme: str
    path: str
    """`joint`, `line`, `arc` …: where the motion is straight."""
    branch: str | None = None
    duration: float
    step: float
    t: tuple[float, ...]
    q: tuple[tuple[float, ...], ...]
    qd: tuple[tuple[float, ...], ...]
    qdd: tuple[tuple[float, ...], ...]
    tool_speed: tuple[float, ...]
    """mm/s at each time."""
    peaks: tuple[JointPeak, ...]
    tool_peak: ToolPeak
    findings: tuple[FindingReport, ...]
    free: FreeReport | None = None
    """Of a motion round obstacles."""


def plan_report(
    robot: Robot,
    trajectory: Trajectory,
    limits: Limits,
    *,
    scheme: str,
    path: str = "joint",
    branch: str | None = None,
    step: float = 0.01,
    findings: Iterable[Finding] = (),
    free: FreePath | None = None,
) -> PlanReport:
    """Return the motion of `robot` along `trajectory`, sampled at `step` (s)."""
    t = trajectory.times(step)
    if len(t) * robot.dof * 3 > LARGEST_TABLE:
        raise InvalidInput(
            "table_too_long", _("step: {step:g} s makes {count} rows; choose a larger one"), step=step, count=len(t)
        )
    state = trajectory.sample(t)
    scale = joint_scales(robot.joints)
    speeds = tool_speeds(robot, state.q, state.qd)
    return PlanReport(
        robot=robot.name,
        tool=robot.tool.name,
        scheme=scheme,
        path=path,
        branch=branch,
        duration=round(trajectory.duration, DIGITS),
        step=step,
        t=_row(t),
        q=_rows(state.q / scale),
        qd=_rows(state.qd / scale),
        qdd=_rows(state.qdd / scale),
        tool_speed=_row(speeds[:, 0] * MM_PER_M),
        peaks=joint_peaks(robot, trajectory, limits),
        tool_peak=ToolPeak(
            speed=round(float(speeds[:, 0].max()) * MM_PER_M, 6),
            turn_speed=round(float(speeds[:, 1].max()) * DEG_PER_RAD, 6),
        ),
        findings=finding_reports(findings),
        free=None if free is None else _free_report(free),
    )


def _free_report(path: FreePath) -> FreeReport:
    proof = path.certificate
    return FreeReport(
        points=_rows(path.points / joint_scales(path.robot.joints)),
        clearance=rounded(proof.clearance * MM_PER_M),
        seed=proof.seed,
        samples=proof.samples,
        motions=proof.motions,
        unchecked=tuple(
            UncheckedPair(first=pair.first, second=pair.second, reason=pair.reason) for pair in proof.unchecked
        ),
    )


def tool_speeds(robot: Robot, q: Floats, qd: Floats) -> Floats:
    """Return the tool's speed and turning speed (m, 2), m/s and rad/s, for joints and their speeds (m, n)."""
    twist = np.einsum("mij,mj->mi", robot.jacobian(q), qd)
    return np.stack([np.linalg.norm(twist[:, :3], axis=1), np.linalg.norm(twist[:, 3:], axis=1)], axis=1)


def joint_peaks(robot: Robot, trajectory: Trajectory, limits: Limits) -> tuple[JointPeak, ...]:
    """Return the exact peaks of every joint."""
    peaks = []
    for order in (1, 2, 3):
        extremes = trajectory.pieces.extremes(order)
        peaks.append(np.maximum(np.abs(extremes.low), np.abs(extremes.high)))
    start, end = trajectory.start, trajectory.end
    rows = []
    for i, joint in enumerate(robot.joints):
        scale = joint_scale(joint.kind)
        v, a, j = (float(peak[i]) for peak in peaks)
        rows.append(
            JointPeak(
                joint=joint.name,
                unit=joint_unit(joint.kind),
                start=round(float(start[i]) / scale, DIGITS),
                end=round(float(end[i]) / scale, DIGITS),
                velocity=round(v / scale, 6),
                velocity_share=round(v / limits.velocity[i], 6),
                acceleration=round(a / scale, 6),
                acceleration_share=round(a / limits.acceleration[i], 6),
                jerk=round(j / scale, 6),
                jerk_share=round(j / limits.jerk[i], 6),
            )
        )
    return tuple(rows)


def plan_csv(robot: Robot, report: PlanReport) -> str:
    """Return the motion as a table: time, then positions, speeds and accelerations by joint, with their units."""
    names = []
    for per in ("", "_s", "_s2"):
        names += [f"{joint.name}_{'deg' if joint.kind == 'revolute' else 'mm'}{per}" for joint in robot.joints]
    lines = [",".join(["time_s", *(name.replace(",", "_") for name in names)])]
    for t, q, qd, qdd in zip(report.t, report.q, report.qd, report.qdd, strict=True):
        lines.append(",".join(f"{value:.9g}" for value in (t, *q, *qd, *qdd)))
    return "\n".join(lines) + "\n"


def _row(values: Floats) -> tuple[float, ...]:
    return tuple(round(value, DIGITS) if math.isfinite(value) else value for value in values.tolist())


def _rows(values: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(_row(row) for row in values)
