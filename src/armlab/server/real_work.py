"""What takes seconds about the real arm: calibrations and diagnoses, step by step, so that a page can follow."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armlab.calibration import (
    Poses,
    Positions,
    RealArm,
    best_poses,
    calibrate,
    choose_model,
    cross_validate,
    real_arm_toml,
    residual_map,
    simulated_poses,
)
from armlab.calibration.clinic.diagnose import diagnose
from armlab.calibration.clinic.faults import OF_JOINTS, ArmFault, draw_fault
from armlab.calibration.clinic.plant import DURATION, simulate_run
from armlab.calibration.clinic.trials import WINDOW
from armlab.calibration.measurement_file import measurements_of_text
from armlab.calibration.measurements import POSITION_NOISE, ROTATION_NOISE
from armlab.errors import InvalidInput, UnknownName
from armlab.files import write_whole
from armlab.jobs import tell
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.recording import Recording, read_recording
from armlab.reports.calibration import CalibrationReport, calibration_report
from armlab.reports.diagnosis import DiagnosisReport, diagnosis_report
from armlab.server.import_work import RECORDING_PREFIX, file_name
from armlab.server.real_messages import InjectQuestion, MeasureQuestion, ModelChoice
from armlab.units import M_PER_MM

RECORDING_KINDS = (".csv", ".mcap", ".parquet")
FEWEST_VALIDATED = 10
"""Measurements below which a fifth of them cannot be left out."""
CHOOSING = Message("job_choosing", _("choosing poses to measure"))
FITTING = Message("job_fitting", _("finding the parameters"))
VALIDATING = Message("job_validating", _("cross-validation"))
MAPPING = Message("job_mapping", _("errors over the workspace"))
READING = Message("job_reading", _("reading the file"))
SIMULATING = Message("job_simulating", _("simulating a minute of work"))
DIAGNOSING = Message("job_diagnosing", _("comparing with the model"))


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationDone:
    """A calibration: its report, and the real arm as a file."""

    report: CalibrationReport
    toml: str
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class ClinicDone:
    """A diagnosis: its report, the recording it is of, and what was wrong if it was simulated."""

    report: DiagnosisReport
    recording: Recording
    fault: ArmFault | None
    source: str


def simulated_calibration(real: RealArm, question: MeasureQuestion) -> CalibrationDone:
    """Measure a real arm with noise at well chosen poses, and find its errors again."""
    tell(0.05, CHOOSING)
    where = best_poses(real.nominal, question.poses, seed=question.seed)
    noise = question.noise * M_PER_MM
    turn = noise * ROTATION_NOISE / POSITION_NOISE
    measured = simulated_poses(real, where.q, noise=noise, rotation_noise=turn, seed=question.seed)
    return _calibrated(real.nominal, measured, question.model, truth=real)


def measured_calibration(robot: Robot, body: bytes, name: str, model: ModelChoice) -> CalibrationDone:
    """Find an arm's errors from the bytes of a CSV file."""
    tell(0.05, READING)
    measured = measurements_of_text(body.decode("utf-8-sig", errors="replace"), robot, name=name)
    return _calibrated(robot, measured, model, source=name)


def _calibrated(
    robot: Robot,
    measured: Poses | Positions,
    model: ModelChoice,
    *,
    truth: RealArm | None = None,
    source: str = "",
) -> CalibrationDone:
    tell(0.3, FITTING)
    found = choose_model(robot, measured) if model == "auto" else calibrate(robot, measured, model=model)
    tell(0.6, VALIDATING)
    across = cross_validate(robot, measured, model=found.model) if len(measured.q) >= FEWEST_VALIDATED else None
    tell(0.95, MAPPING)
    report = calibration_report(found, across=across, errors=residual_map(found, truth=truth))
    return CalibrationDone(report, real_arm_toml(found.real), source)


def simulated_clinic(robot: Robot, fault: ArmFault | None, seed: int) -> ClinicDone:
    """Simulate a minute of an arm, with a fault or without, and diagnose it."""
    tell(0.05, SIMULATING)
    run = simulate_run(robot, fault, seed=seed)
    tell(0.3, DIAGNOSING)
    report = diagnosis_report(robot, diagnose(robot, run.recording, run.imu))
    return ClinicDone(report, run.recording, fault, "")


def recorded_clinic(robot: Robot, body: bytes, name: str) -> ClinicDone:
    """Diagnose the bytes of a recording."""
    tell(0.05, READING)
    with tempfile.TemporaryDirectory(prefix=RECORDING_PREFIX) as folder:
        path = Path(folder) / file_name(name)
        write_whole(path, body)
        try:
            recording = read_recording(path)
        except InvalidInput as error:
            raise _without_folder(error, folder) from None
    tell(0.3, DIAGNOSING)
    return ClinicDone(diagnosis_report(robot, diagnose(robot, recording)), recording, None, name)


def check_recording_name(name: str) -> None:
    """Check that a file's name is one of a recording.

    Raises:
        InvalidInput: if it is not.
    """
    if Path(name).suffix.lower() not in RECORDING_KINDS:
        text = _("{name}: recordings are files that end in .csv, .mcap or .parquet")
        raise InvalidInput("recording_kind", text, name=name)


def _without_folder(error: InvalidInput, folder: str) -> InvalidInput:
    """Return the same error, in which files have no folders: they are none of the reader's."""

    def bare(value: Any) -> Any:
        return value.replace(f"{folder}/", "") if isinstance(value, str) else value

    message = error.message
    facts = {key: bare(value) for key, value in message.parameters.items()}
    placed = Message(error.code, message.template, **facts)
    for place in reversed(message.places):
        placed = placed.within(bare(place))
    return InvalidInput(placed)


def injected_fault(robot: Robot, question: InjectQuestion) -> ArmFault | None:
    """Return what is wrong with a simulated arm, or None.

    Raises:
        UnknownName: if the arm has no such joint.
    """
    if question.fault is None:
        return None
    window = (WINDOW[0] * DURATION, WINDOW[1] * DURATION)
    fault = draw_fault(robot, question.fault, np.random.default_rng([question.seed, 4]), window)
    if question.joint is not None and question.fault in OF_JOINTS:
        names = [joint.name for joint in robot.joints]
        if question.joint not in names:
            raise UnknownName("joint", question.joint, names, owner=robot.name)
        fault = replace(fault, joint=names.index(question.joint))
    return fault if question.onset is None else replace(fault, onset=question.onset)
