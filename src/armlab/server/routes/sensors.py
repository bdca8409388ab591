"""Sensors over HTTP: presets and their noise; how filters drift in a session, and files of what was read."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from armlab.arrays import Floats
from armlab.cell.sensors import SensorMonitor
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.recording.exports import FileKind
from armlab.reports.live_sensors import (
    DriftReport,
    FilterDrift,
    JointVisibility,
    PresetReport,
)
from armlab.reports.sensing import AllanReport, allan_report
from armlab.sensing.arm_estimator import observability
from armlab.sensing.evaluate import orientation_errors
from armlab.sensing.files import write_samples
from armlab.sensing.kinds import imu_record
from armlab.sensing.navigate import FILTERS, navigate
from armlab.sensing.noise import noise_record
from armlab.sensing.presets import PRESETS, preset
from armlab.sensing.sensor import SensorSamples, SensorSpec
from armlab.server.routes.downloads import download
from armlab.server.routes.session import ERRORS, Found
from armlab.units import DEG_PER_RAD, MM_PER_M

DRAWN = 300
"""Points of one curve of drift."""
DIGITS = 5
ALLAN_S, ALLAN_HZ = 1800.0, 100.0

router = APIRouter(prefix="/api/sessions", responses=ERRORS)
preset_router = APIRouter(prefix="/api/sensors", responses=ERRORS)


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


@router.get("/{session}/sensors/{sensor}/drift")
def drift(worker: Found, sensor: str) -> DriftReport:
    """How far each filter is off when it knows nothing but this sensor, since it was switched on.

    A page asks again and again, and may ask for a sensor that went with its arm a moment ago: that one says nothing.
    """
    monitor = worker.session.sensors
    if sensor not in (choice.id for choice in monitor.sensors):
        return DriftReport(t=(), filters=(), joints=())
    estimates = monitor.estimates()
    q = estimates[-1].q if estimates else monitor.robot.home
    views = observability(monitor.robot, monitor.link_mounts, q) if monitor.is_estimated else ()
    joints = tuple(JointVisibility(joint=v.joint, at_rest=v.at_rest, moving=v.moving) for v in views)
    spec, samples = _read(monitor, sensor)
    if spec.kind != "imu" or len(samples.t) < BEGINNING:
        return DriftReport(t=(), filters=(), joints=joints)
    record = imu_record(spec, samples)
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
    spec, samples = _read(monitor, sensor)
    if len(samples.t) < BEGINNING:
        raise InvalidInput("nothing_recorded", _("nothing has been recorded yet"))
    with tempfile.TemporaryDirectory() as folder:
        path = write_samples(spec, samples, monitor.robot, Path(folder) / f"sensor.{kind}")
        content = path.read_bytes()
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in spec.name)
    return download(content, f"{name}.{kind}", kind)


BEGINNING = 12
"""Samples without which nothing can be said."""


def _read(monitor: SensorMonitor, sensor: str) -> tuple[SensorSpec, SensorSamples]:
    """Return a sensor and what it read, from time 0."""
    known = [choice.id for choice in monitor.sensors]
    if sensor not in known:
        raise InvalidInput("sensor_gone", _("no sensor '{sensor}' is on the arm"), sensor=sensor)
    index = known.index(sensor)
    samples = monitor.samples(index)
    return monitor.specs[index], samples._replace(t=samples.t - samples.t[:1])


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(np.round(values, DIGITS).tolist())
