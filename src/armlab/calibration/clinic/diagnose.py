"""The diagnosis: which fault explains a recording best, since when, and what speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.clinic.faults import FaultKind
from armlab.calibration.clinic.life import RemainingLife, remaining_life
from armlab.calibration.clinic.residuals import FaultResiduals, residuals_of
from armlab.calibration.clinic.signatures import Score, scores_of, several_steps, size_of
from armlab.calibration.clinic.tracking import TrackingFault, tracking_fault
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording.recording import Recording
from armlab.sensing.imu_record import ImuRecord
from armlab.threads import one_blas_thread

THRESHOLD = 30.0
"""Scores beyond this are faults: set on healthy runs with other seeds than those that it was judged on."""
REFINED = 0.2
"""Explanations by a slipping belt whose score is at least this share of the best one are tried with several slips."""
SEEN_BY_TOOL: frozenset[FaultKind] = frozenset({"backlash", "belt_slip", "loose_tool"})
SEEN_BY_COMMAND: frozenset[FaultKind] = frozenset({"stuck_servo", "weak_servo", "encoder_jump"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fault that was considered, and its score."""

    kind: FaultKind
    joint: int | None
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class ArmDiagnosis:
    """What a recording says of an arm."""

    cause: FaultKind | None
    """None: nothing was found."""
    joint: int | None
    since: float | None
    """s: from when on the fault explains the residuals best."""
    noticed: float | None
    """s: when the data up to then were enough."""
    score: float
    """Of the fault (logarithm of a likelihood ratio) or, by tracking, how many times the usual error."""
    threshold: float
    """What the score of a likelihood ratio must pass."""
    size: float | None
    """rad, m, N m, kg; by `cause`, see docs/diagnosis.md."""
    size_sigma: float | None
    candidates: tuple[Candidate, ...]
    """The best explanations, the best one first."""
    healthy_until: float
    """s: up to here the recording was taken as healthy; 0 where a reference was."""
    unseen: tuple[FaultKind, ...]
    """Faults that this recording cannot show."""
    life: RemainingLife | None
    findings: tuple[Finding, ...]

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was found."""
        return self.cause is None


@one_blas_thread()
def diagnose(
    robot: Robot,
    recording: Recording,
    imu: ImuRecord | None = None,
    *,
    reference: Recording | None = None,
    reference_imu: ImuRecord | None = None,
    threshold: float = THRESHOLD,
) -> ArmDiagnosis:
    """Return which fault the recording shows, if any.

    Without a `reference` the first 30 % of the recording are taken as healthy, and what is wrong from the start is not
    seen, but for a joint that stands. With one, a healthy recording of the same arm at the same work, with tool,
    tracker and IMU as they were then, all of the recording is compared with it.

    Raises:
        InvalidInput: if the recording cannot be used; it names the row.
    """
    residuals = residuals_of(robot, recording, imu, reference=reference, reference_imu=reference_imu)
    scores, times = scores_of(residuals)
    end = len(times) - 1
    bests = [score.best(end) for score in scores]
    likely = max(threshold, REFINED * max(value for value, _onset in bests))
    for i in range(len(scores)):
        if scores[i].kind == "belt_slip" and bests[i][0] > likely:
            bests[i] = several_steps(scores[i], end, len(residuals.samples))
    ranked = sorted(range(len(scores)), key=lambda i: -bests[i][0])
    candidates = tuple(Candidate(scores[i].kind, scores[i].joint, bests[i][0]) for i in ranked[:5])
    tracked = tracking_fault(residuals)
    if tracked is not None:
        return _by_tracking(residuals, tracked, candidates, threshold)
    best = scores[ranked[0]]
    value, onset = bests[ranked[0]]
    if value <= threshold:
        return _diagnosis(residuals, candidates, threshold, score=value)
    theta, sigma = size_of(best, onset, end, times[onset])
    size, size_sigma = _size(best, theta, sigma, times[-1] - times[onset])
    return _diagnosis(
        residuals,
        candidates,
        threshold,
        cause=best.kind,
        joint=best.joint,
        since=float(times[onset]),
        noticed=_noticed(scores, times, threshold),
        score=value,
        size=size,
        size_sigma=size_sigma,
        life=remaining_life(best, residuals, times, onset) if best.grows else None,
    )


def _by_tracking(
    residuals: FaultResiduals, tracked: TrackingFault, candidates: tuple[Candidate, ...], threshold: float
) -> ArmDiagnosis:
    t = residuals.samples.t
    return _diagnosis(
        residuals,
        candidates,
        threshold,
        cause=tracked.kind,
        joint=tracked.joint,
        since=float(t[tracked.onset]),
        noticed=float(t[tracked.noticed]),
        score=tracked.ratio,
        size=tracked.size,
    )


def _diagnosis(
    residuals: FaultResiduals,
    candidates: tuple[Candidate, ...],
    threshold: float,
    *,
    score: float,
    cause: FaultKind | None = None,
    joint: int | None = None,
    since: float | None = None,
    noticed: float | None = None,
    size: float | None = None,
    size_sigma: float | None = None,
    life: RemainingLife | None = None,
) -> ArmDiagnosis:
    unseen: set[FaultKind] = set()
    unseen |= SEEN_BY_TOOL if residuals.tool is None else set()
    unseen |= {"imu_bias"} if residuals.imu is None else set()
    unseen |= SEEN_BY_COMMAND if np.isnan(residuals.error).any() else set()
    t, findings = residuals.samples.t, residuals.samples.findings
    until = 0.0 if residuals.has_reference else float(t[min(residuals.healthy, len(t) - 1)])
    return ArmDiagnosis(
        cause,
        joint,
        since,
        noticed,
        score,
        threshold,
        size,
        size_sigma,
        candidates,
        until,
        tuple(sorted(unseen)),
        life,
        findings,
    )


def _noticed(scores: list[Score], times: Floats, threshold: float) -> float:
    """Return the end of the first window with which any fault's score passes the threshold."""
    best = np.max([score.table.max(axis=0) for score in scores], axis=0)
    return float(times[int(np.argmax(best > threshold))])


def _size(score: Score, theta: Floats, sigma: Floats, lasted: float) -> tuple[float, float]:
    """Return how large the fault is at the end, and its standard deviation."""
    if score.grows:
        return float(theta[0] * lasted), float(sigma[0] * lasted)
    if score.kind == "imu_bias":
        return float(np.linalg.norm(theta[:3])), float(np.linalg.norm(sigma[:3]))
    if score.kind == "loose_tool":
        return float(np.abs(theta).max()), float(sigma.max())
    return float(theta[0]), float(sigma[0])
