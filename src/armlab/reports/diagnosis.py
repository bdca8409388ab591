"""Diagnoses as people read them: what is wrong, since when, what speaks for it, and for how long it may go on."""

from __future__ import annotations

from armlab.calibration.clinic.diagnose import ArmDiagnosis
from armlab.calibration.clinic.faults import fault_title
from armlab.calibration.clinic.life import RemainingLife
from armlab.messages import Message, _, term
from armlab.model.robot import Robot
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.report import ReportModel, rounded
from armlab.units import DEG_PER_RAD, MM_PER_M

_WORDS = {"mm": term(_("mm")), "kg": term(_("kg")), "N": term(_("N")), "N m": term(_("N m")), "°/s": term(_("°/s"))}
"""Units as words of a sentence."""


class CandidateReport(ReportModel):
    """A fault that was considered; its score is the logarithm of a likelihood ratio."""

    cause: str
    title: Message
    joint: str | None
    score: float


class LifeReport(ReportModel):
    """How long (s of the same work) until a limit, at least and at most; `high` is null where growth may be nothing."""

    low: float
    high: float | None
    level: float
    limit: float
    unit: str
    assumptions: Message


class DiagnosisReport(ReportModel):
    """What a recording says of an arm; `cause` is null where nothing was found."""

    robot: str
    healthy: bool
    cause: str | None
    title: Message
    joint: str | None
    since: float | None
    noticed: float | None
    score: float
    size: float | None
    size_sigma: float | None
    unit: str
    evidence: Message
    life: LifeReport | None
    healthy_until: float
    unseen: tuple[str, ...]
    candidates: tuple[CandidateReport, ...]
    findings: tuple[FindingReport, ...]


def diagnosis_report(robot: Robot, found: ArmDiagnosis) -> DiagnosisReport:
    """Return a diagnosis as a report."""
    factor, unit = _unit(robot, found.cause, found.joint)
    joint = None if found.joint is None else robot.joints[found.joint].name
    size = None if found.size is None else rounded(factor * found.size)
    return DiagnosisReport(
        robot=robot.name,
        healthy=found.is_healthy,
        cause=found.cause,
        title=Message("healthy", _("healthy")) if found.cause is None else fault_title(found.cause),
        joint=joint,
        since=found.since,
        noticed=found.noticed,
        score=rounded(found.score),
        size=size,
        size_sigma=None if found.size_sigma is None else rounded(factor * found.size_sigma),
        unit=unit,
        evidence=_evidence(found, joint, size, unit),
        life=None if found.life is None else _life(robot, found, found.life),
        healthy_until=found.healthy_until,
        unseen=found.unseen,
        candidates=tuple(
            CandidateReport(
                cause=each.kind,
                title=fault_title(each.kind),
                joint=None if each.joint is None else robot.joints[each.joint].name,
                score=rounded(each.score),
            )
            for each in found.candidates
        ),
        findings=finding_reports(found.findings),
    )


def _unit(robot: Robot, cause: str | None, joint: int | None) -> tuple[float, str]:
    """Return factor and unit of a fault's size."""
    slides = joint is not None and robot.joints[joint].kind == "prismatic"
    match cause:
        case None:
            return 1.0, ""
        case "gear_wear":
            return 1.0, "N" if slides else "N m"
        case "wrong_payload":
            return 1.0, "kg"
        case "imu_bias":
            return DEG_PER_RAD, "°/s"
        case "loose_tool":
            return MM_PER_M, "mm"
        case _:
            return (MM_PER_M, "mm") if slides else (DEG_PER_RAD, "°")


_EVIDENCE: dict[str, str] = {
    "backlash": _(
        "the tool is off by a turn of joint '{joint}' that changes sides with the load, up to {size:.3g} {unit}"
    ),
    "belt_slip": _("the tool is off by a turn of joint '{joint}' of {size:.3g} {unit} that its motor did not make"),
    "gear_wear": _("joint '{joint}' needs more and more torque against its direction, by now {size:.3g} {unit}"),
    "wrong_payload": _("the torques of all joints are those of {size:.3g} {unit} more at the tool than declared"),
    "loose_tool": _("the tool is off in the flange's plane by up to {size:.3g} {unit}, and no joint explains it"),
    "imu_bias": _("the IMU reads a constant {size:.3g} {unit} more than the joints turn it"),
    "encoder_jump": _("the position of joint '{joint}' changed by {size:.3g} {unit} within one sample"),
    "stuck_servo": _("joint '{joint}' stands while it is told to move; it is off by up to {size:.3g} {unit}"),
    "weak_servo": _("joint '{joint}' lags by up to {size:.3g} {unit}, though no load explains it"),
}


def _evidence(found: ArmDiagnosis, joint: str | None, size: float | None, unit: str) -> Message:
    """Return what speaks for a diagnosis, in one sentence."""
    if found.cause is None:
        return Message(
            "no_fault",
            _("no fault explains the residuals: the best score is {score:.3g}; {threshold:g} would be a fault"),
            score=found.score,
            threshold=found.threshold,
        )
    facts = {"joint": joint, "size": 0.0 if size is None else abs(size), "unit": _WORDS.get(unit, unit)}
    return Message(f"evidence_{found.cause}", _EVIDENCE[found.cause], **facts)


def _life(robot: Robot, found: ArmDiagnosis, life: RemainingLife) -> LifeReport:
    if found.cause == "gear_wear":
        factor, unit = 100.0, "%"
    else:
        factor, unit = _unit(robot, found.cause, found.joint)
    return LifeReport(
        low=rounded(life.low),
        high=None if life.high is None else rounded(life.high),
        level=rounded(factor * life.level),
        limit=rounded(factor * life.limit),
        unit=unit,
        assumptions=Message(
            "life_assumptions",
            _(
                "90 % bounds of what is reached now; if growth goes on between the root and the square of time under "
                "the same work, and {limit:.3g} {unit} are the most that is usable"
            ),
            limit=factor * life.limit,
            unit=_WORDS.get(unit, unit),
        ),
    )
