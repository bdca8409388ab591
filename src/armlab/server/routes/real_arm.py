"""The real arm over HTTP: where it stands beside the nominal one, its calibration, the fault clinic, files."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Depends, Query, Response

from armlab.calibration import real_arm_toml
from armlab.calibration.clinic.faults import fault_title
from armlab.cell.real_arm import chosen_real, deviation
from armlab.cell.worker import Worker
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.jobs import BOARD, STUDY, Job, Ticket, submit
from armlab.messages import _
from armlab.recording.exports import FileKind, exported_bytes
from armlab.server.failures import error_body
from armlab.server.real_messages import (
    CalibrationJob,
    ClinicJob,
    InjectedFault,
    InjectQuestion,
    MeasureQuestion,
    ModelChoice,
    RealPose,
)
from armlab.server.real_work import (
    CalibrationDone,
    ClinicDone,
    check_recording_name,
    injected_fault,
    measured_calibration,
    recorded_clinic,
    simulated_calibration,
    simulated_clinic,
)
from armlab.server.routes.downloads import download
from armlab.server.routes.session import ERRORS, Found, own_of, whole_body
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6
LONGEST_NAME = 200
CALIBRATION, CLINIC = "calibration", "clinic"

Body = Annotated[bytes, Depends(whole_body)]
FileTitle = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME)]
router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.get("/{session}/real/pose")
def real_pose(
    worker: Found, enlarge: Annotated[float, Query(ge=1.0, le=1000.0, allow_inf_nan=False)] = 1.0
) -> RealPose | None:
    """Where the real arm is now, when it is told to be where the nominal one is; null where none is chosen."""
    session = worker.session
    own, q = session.project.arm(session.selected), session.q
    if own.real is None:
        return None
    real = chosen_real(own)
    if len(q) != real.dof:  # another arm has just taken the place of this one
        return None
    found = deviation(real, q, enlarge)
    frames = np.concatenate([(*T[:3, 3], *pose.quaternion_of(T)) for T in found.frames])
    x, y, z = (round(float(v) * MM_PER_M, DIGITS) for v in found.shift)
    return RealPose(
        source=real.source,
        distance=round(float(np.linalg.norm(found.shift)) * MM_PER_M, DIGITS),
        shift=(x, y, z),
        turn=round(found.turn * DEG_PER_RAD, DIGITS),
        frames=tuple(np.round(frames, DIGITS).tolist()),
    )


@router.get("/{session}/real/real.toml", response_class=Response)
def real_file(worker: Found) -> Response:
    """The real arm of the project as a file."""
    return _toml(real_arm_toml(chosen_real(own_of(worker))))


@router.get("/{session}/real/calibration")
def calibration(worker: Found) -> CalibrationJob:
    """How far the last calibration of this arm is, or what came of it."""
    return _calibration_job(_last(worker, CALIBRATION))


@router.post("/{session}/real/calibration")
def calibrate_simulated(worker: Found, question: MeasureQuestion) -> CalibrationJob:
    """Simulate a measurement of the real arm, and find its errors again."""
    own = own_of(worker)
    ticket = Ticket(STUDY, worker.name, CALIBRATION, own.arm)
    return _calibration_job(submit(ticket, simulated_calibration, chosen_real(own), question))


@router.post("/{session}/real/measurements")
def calibrate_measured(worker: Found, body: Body, name: FileTitle, model: ModelChoice = "auto") -> CalibrationJob:
    """Find the errors of the arm from a CSV of measured poses."""
    ticket = Ticket(STUDY, worker.name, CALIBRATION, own_of(worker).arm)
    return _calibration_job(submit(ticket, measured_calibration, worker.session.robot, body, name, model))


@router.get("/{session}/real/calibration/real.toml", response_class=Response)
def calibrated_file(worker: Found) -> Response:
    """The real arm that the last calibration found, as a file."""
    return _toml(_done(worker, CALIBRATION).toml)


@router.get("/{session}/real/clinic")
def clinic(worker: Found) -> ClinicJob:
    """How far the last diagnosis of this arm is, or what came of it."""
    return _clinic_job(worker, _last(worker, CLINIC))


@router.post("/{session}/real/clinic")
def diagnose_simulated(worker: Found, question: InjectQuestion) -> ClinicJob:
    """Simulate a minute of work, with a fault or without, and diagnose it."""
    robot = worker.session.robot
    fault = injected_fault(robot, question)
    ticket = Ticket(STUDY, worker.name, CLINIC, own_of(worker).arm)
    return _clinic_job(worker, submit(ticket, simulated_clinic, robot, fault, question.seed))


@router.post("/{session}/real/recording")
def diagnose_recorded(worker: Found, body: Body, name: FileTitle) -> ClinicJob:
    """Diagnose a recording."""
    check_recording_name(name)
    ticket = Ticket(STUDY, worker.name, CLINIC, own_of(worker).arm)
    return _clinic_job(worker, submit(ticket, recorded_clinic, worker.session.robot, body, name))


@router.get("/{session}/real/clinic/recording.{kind}", response_class=Response)
def clinic_recording(worker: Found, kind: FileKind) -> Response:
    """The recording that the last diagnosis is of."""
    robot = worker.session.robot
    return download(exported_bytes(_done(worker, CLINIC).recording, kind, robot), f"{robot.name}-clinic.{kind}", kind)


def _done(worker: Worker, kind: str) -> Any:
    job = _last(worker, kind)
    if job is None or job.state != "done":
        raise InvalidInput("nothing_found_yet", _("there is no result yet"))
    return job.result()


def _last(worker: Worker, kind: str) -> Job[Any] | None:
    return BOARD.last(worker.name, kind, own_of(worker).arm)


def _job_facts(job: Job[Any] | None) -> dict[str, Any]:
    if job is None:
        return {"id": 0, "state": "none", "share": 0.0}
    state = job.state  # before the rest: what is done has its result
    return {
        "id": job.number,
        "state": state,
        "share": job.share,
        "step": job.step,
        "failure": None if job.failure is None else error_body(job.failure),
    }


def _calibration_job(job: Job[Any] | None) -> CalibrationJob:
    facts = _job_facts(job)
    done: CalibrationDone | None = job.result() if job is not None and facts["state"] == "done" else None
    return CalibrationJob(**facts) if done is None else CalibrationJob(**facts, source=done.source, result=done.report)


def _clinic_job(worker: Worker, job: Job[Any] | None) -> ClinicJob:
    facts = _job_facts(job)
    done: ClinicDone | None = job.result() if job is not None and facts["state"] == "done" else None
    if done is None:
        return ClinicJob(**facts)
    fault, injected = done.fault, None
    if fault is not None:
        joint = None if fault.joint is None else worker.session.robot.joints[fault.joint].name
        title = fault_title(fault.kind)
        injected = InjectedFault(cause=fault.kind, title=title, joint=joint, onset=round(fault.onset, 3))
    return ClinicJob(**facts, source=done.source, result=done.report, injected=injected)


def _toml(text: str) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="real.toml"', "Cache-Control": "no-store"}
    return Response(text, media_type="application/toml", headers=headers)
