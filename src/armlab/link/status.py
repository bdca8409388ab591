"""What a link knows at a moment, as people and other programs read it: degrees and millimetres."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from armlab.arrays import Floats
from armlab.link.driver import Source
from armlab.link.link import ArmLink
from armlab.link.program_run import ArmRun
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.program import ProgramFinding, program_findings
from armlab.reports.report import ReportModel, rounded, shown_q
from armlab.units import joint_scale, joint_unit


class JointStatus(ReportModel):
    """One joint; `source` says where `value` comes from. `deviation` is from where it should be by now."""

    name: str
    unit: Literal["°", "mm"]
    value: float | None
    source: Source
    commanded: float | None = None
    deviation: float | None = None
    torque: float | None = None
    temperature: float | None = None


class LinkStatus(ReportModel):
    """A connection: its state, who moves the arm, how old the last sample is (s), and what has been counted."""

    arm: str
    driver: str
    state: str
    firmware: str
    serial: str
    holder: str | None
    asked_by: str | None
    override: float
    age: float | None
    device_clock_rate: float | None
    joints: tuple[JointStatus, ...]
    counts: dict[str, int]
    reasons: tuple[FindingReport, ...]


def link_status(link: ArmLink, now: float) -> LinkStatus:
    """Return what a link knows at `now`."""
    sample, identity, robot = link.sample, link.identity, link.file.robot
    return LinkStatus(
        arm=robot.name,
        driver=link.file.table.driver,
        state=link.state.value,
        firmware=identity.firmware if identity else "",
        serial=identity.serial if identity else "",
        holder=link.guard.lease.holder,
        asked_by=link.guard.lease.asked_by,
        override=link.guard.override,
        age=None if sample is None else rounded(now - sample.received),
        device_clock_rate=rounded(link.clock.rate) if link.clock.is_locked else None,
        joints=_joints(link, now),
        counts=dict(sorted(link.counts.items())),
        reasons=finding_reports(link.guard.reasons),
    )


def _joints(link: ArmLink, now: float) -> tuple[JointStatus, ...]:
    sample, q = link.sample, link.believed
    off = None if sample is None else link.following.deviation(sample.q, now)
    sources = link.driver.capabilities.position
    rows = []
    for i, joint in enumerate(link.file.robot.joints):
        scale = joint_scale(joint.kind)
        is_measured = sources[i] in {"measured", "estimated"}
        rows.append(
            JointStatus(
                name=joint.name,
                unit="°" if joint_unit(joint.kind) == "°" else "mm",
                value=_shown(q, i, scale),
                source=sources[i] if q is not None else "none",
                commanded=_shown(link.commanded, i, scale),
                deviation=_shown(off, i, scale) if is_measured else None,
                torque=None if sample is None else _shown(sample.tau, i, 1.0),
                temperature=None if sample is None else _shown(sample.temperature, i, 1.0),
            )
        )
    return tuple(rows)


def _shown(values: Floats | Sequence[float] | None, i: int, scale: float) -> float | None:
    return None if values is None else rounded(values[i] / scale)


class ArmRunReport(ReportModel):
    """What became of a program on a real arm; `end` is where it is believed to be, ° and mm."""

    program: str
    robot: str
    state: str
    has_moved: bool
    is_whole: bool
    """Whether it was run to its end."""
    duration: float
    took: float
    """s of the arm's time; more than `duration` where the override is below 100 %."""
    messages: tuple[str, ...]
    end: tuple[float, ...] | None
    findings: tuple[ProgramFinding, ...]


def arm_run_report(program: str, robot: Robot, state: str, run: ArmRun, before: Iterable[Finding] = ()) -> ArmRunReport:
    """Return what became of a program as a report."""
    return ArmRunReport(
        program=program,
        robot=robot.name,
        state=state,
        has_moved=run.has_moved,
        is_whole=run.is_whole,
        duration=rounded(run.duration),
        took=rounded(run.took),
        messages=tuple(run.messages),
        end=None if run.end is None else shown_q(robot, run.end),
        findings=program_findings([*before, *run.findings]),
    )
