"""Inertial sensors over HTTP: presets and their noise; what those of a session read, how filters drift, files."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from starlette.responses import Response

from armlab.arrays import Floats
from armlab.cell.sensors import RATE_HZ, SensorMonitor, SensorRows
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.joint_units import joint_scales
from armlab.recording.exports import FileKind
from armlab.reports.live_sensors import (
    DriftReport,
    FilterDrift,
    JointVisibility,
    PresetReport,
    SensorSignals,
    SignalsReport,
)
from armlab.reports.sensing import AllanReport, allan_report
from armlab.sensing.arm_estimator import observability
from armlab.sensing.evaluate import orientation_errors
from armlab.sensing.files import write_imu
from armlab.sensing.navigate import FILTERS, navigate
from armlab.sensing.noise import noise_record
from armlab.sensing.presets import PRESETS, preset
from armlab.server.routes.downloads import download
from armlab.server.routes.session import ERRORS, Found
from armlab.units import DEG_PER_RAD, MM_PER_M

SHOWN_S = 30.0
"""s of samples that are told at once, at most."""
DRAWN = 300
"""Points of one curve of drift."""
DIGITS = 5
ALLAN_S, ALLAN_HZ = 1800.0, 100.0

router = APIRouter(prefix="/api/sessions", responses=ERRORS)
preset_router = APIRouter(prefix="/api/sensors", responses=ERRORS)
_TO_SHOWN = np.array([DEG_PER_RAD] * 3 + [1.0] * 3)


@preset_router.get("")
def presets() -> tuple[PresetReport, ...]:
    """The sensors that can be put on a link or a body."""
    return tuple(PresetReport(name=name, source=model.source) for name, model in PRESETS.items())


@preset_router.get("/{name}/allan")
def allan(name: str) -> AllanReport:
    """The Allan deviation of half an hour of a sensor's noise, beside the numbers of its data sheet."""
    return _allan(preset(name).name)


@lru_cache(maxsize=len(PRESETS))
def _allan(name: str) -> AllanReport:
    model = PRESETS[name]
    record = noise_record(model, ALLAN_S, ALLAN_HZ, seed=0)
    return allan_report(record, model.source, model.gyroscope, model.accelerometer)


@router.get("/{session}/sensors/signals")
def signals(worker: Found, after: Annotated[float, Query(allow_inf_nan=False)] = -1e9) -> SignalsReport:
    """What the sensors read after a time of the session (s), at most the last half minute; and where the arm is."""
    monitor = worker.session.sensors
    robot, record, rows = monitor.robot, monitor.record, monitor.rows(after)
    if len(rows.t) > SHOWN_S * RATE_HZ:
        rows = SensorRows(*(part[-int(SHOWN_S * RATE_HZ) :] for part in rows))
    ideal, read = rows.motion[:, :, :6] * _TO_SHOWN, rows.read[:, :, :6] * _TO_SHOWN
    has = len(rows.t) > 0
    is_estimated = has and monitor.is_estimated
    frames = robot.frames(rows.estimated[-1]) if is_estimated else np.zeros((0, 4, 4))
    scales = joint_scales(robot.joints)
    return SignalsReport(
        record=record,
        t=_numbers(rows.t),
        sensors=tuple(
            SensorSignals(
                id=sensor.id,
                ideal=tuple(_numbers(row) for row in ideal[:, i]),
                read=tuple(_numbers(row) for row in read[:, i]),
                frame=_numbers(rows.motion[-1, i, [10, 11, 12, 6, 7, 8, 9]]) if len(rows.t) else (),
            )
            for i, sensor in enumerate(monitor.sensors)
        ),
        frames=_numbers(np.array([(*T[:3, 3], *pose.quaternion_of(T)) for T in frames]).ravel()),
        estimated_error=_rms((rows.estimated[-1] - rows.q[-1]) / scales) if is_estimated else None,
        commanded_error=_rms((rows.commanded[-1] - rows.q[-1]) / scales) if has else None,
    )


@router.get("/{session}/sensors/{sensor}/drift")
def drift(worker: Found, sensor: str) -> DriftReport:
    """How far each filter is off when it knows nothing but this sensor, since it was switched on.

    A page asks again and again, and may ask for a sensor that went with its arm a moment ago: that one says nothing.
    """
    monitor = worker.session.sensors
    if sensor not in (choice.id for choice in monitor.sensors):
        return DriftReport(t=(), filters=(), joints=())
    rows = monitor.rows()
    q = rows.q[-1] if len(rows.t) else monitor.robot.home
    views = observability(monitor.robot, monitor.link_mounts, q) if monitor.is_estimated else ()
    joints = tuple(JointVisibility(joint=v.joint, at_rest=v.at_rest, moving=v.moving) for v in views)
    if len(rows.t) < BEGINNING:
        return DriftReport(t=(), filters=(), joints=joints)
    record = monitor.imu_record(_index(monitor, sensor))
    assert record.position is not None
    thin = np.unique(np.linspace(0, len(record) - 1, DRAWN).astype(int))
    found = []
    for name in FILTERS:
        estimate = navigate(record, name)
        off = None
        if estimate.position is not None:
            off = _numbers(np.linalg.norm(estimate.position - record.position, axis=1)[thin] * MM_PER_M)
        total = orientation_errors(estimate, record).total[thin] * DEG_PER_RAD
        found.append(FilterDrift(filter=name, orientation=_numbers(total), position=off))
    return DriftReport(t=_numbers(record.t[thin]), filters=tuple(found), joints=joints)


@router.get("/{session}/sensors/{sensor}/record.{kind}", response_class=Response)
def record(worker: Found, sensor: str, kind: FileKind) -> Response:
    """What a sensor read, with the truth, as `armlab navigate` takes it."""
    monitor = worker.session.sensors
    index = _index(monitor, sensor)
    if len(monitor.rows().t) < BEGINNING:
        raise InvalidInput("nothing_recorded", _("nothing has been recorded yet"))
    with tempfile.TemporaryDirectory() as folder:
        path = write_imu(monitor.imu_record(index), Path(folder) / f"imu.{kind}")
        content = path.read_bytes()
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in monitor.sensors[index].link)
    return download(content, f"imu-{name}.{kind}", kind)


BEGINNING = 12
"""Samples without which nothing can be said."""


def _index(monitor: SensorMonitor, sensor: str) -> int:
    known = [choice.id for choice in monitor.sensors]
    if sensor not in known:
        raise InvalidInput("sensor_gone", _("no sensor '{sensor}' is on the arm"), sensor=sensor)
    return known.index(sensor)


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(np.round(values, DIGITS).tolist())


def _rms(values: Floats) -> float:
    return round(float(np.sqrt(np.mean(values**2))), DIGITS)
