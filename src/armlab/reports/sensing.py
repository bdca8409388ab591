"""Sensors, Allan deviations and navigation as people read them: degrees, hours, µg."""

from __future__ import annotations

import math

from armlab.reports.findings import FindingReport
from armlab.reports.report import ReportModel, rounded
from armlab.sensing.allan import AllanCurve, NoiseFit, allan_deviation, noise_of
from armlab.sensing.evaluate import NavigationError
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.noise import TriadModel
from armlab.sensing.presets import DEG, G

MICRO_G = 1e-6 * G
PER_HOUR = DEG / 3600.0


class NoiseReport(ReportModel):
    """The noise of a triad, mean of its axes: °/s/√Hz, °/h, °/s·√Hz (gyroscope), µg/√Hz, µg, µg·√Hz (accelerometer)."""

    noise_density: float
    bias_instability: float
    random_walk: float


class AllanCurveReport(ReportModel):
    """An Allan deviation: averaging times (s), and per time the deviations of x, y and z (°/s or µg)."""

    tau: tuple[float, ...]
    deviation: tuple[tuple[float, ...], ...]
    found: NoiseReport
    stated: NoiseReport | None = None


class AllanReport(ReportModel):
    """The Allan deviations of a sensor at rest."""

    name: str
    rate: float
    """Hz."""
    duration: float
    """s."""
    source: str = ""
    gyroscope: AllanCurveReport
    accelerometer: AllanCurveReport
    findings: tuple[FindingReport, ...] = ()


class RmseReport(ReportModel):
    """Root mean square errors in degrees."""

    heading: float
    inclination: float
    total: float


class NavigationReport(ReportModel):
    """What one filter made of a record; `rmse` only where the record has the truth."""

    filter: str
    rmse: RmseReport | None = None
    position_error: float | None = None
    """mm, at the end."""
    position_deviation: float | None = None
    """mm: what the filter itself expects of it, a standard deviation."""
    samples: int
    duration: float
    """s."""
    end: tuple[float, float, float, float]
    """The last orientation, wxyz."""
    findings: tuple[FindingReport, ...] = ()


class SensedReport(ReportModel):
    """One sensor that was simulated."""

    name: str
    kind: str
    link: str
    """The link or body that it is on; the arm, where it has one for all joints or its flange."""
    rate: float
    """Hz."""
    latency: float
    """ms."""
    seed: int
    samples: int
    preset: str
    """Of an inertial unit; empty for other kinds."""


class SenseReport(ReportModel):
    """Sensors that were simulated along a scenario or program, and the files that they were written to."""

    scenario: str
    duration: float
    sensors: tuple[SensedReport, ...]
    files: tuple[str, ...]
    findings: tuple[FindingReport, ...] = ()


def allan_report(
    record: ImuRecord, source: str = "", gyroscope: TriadModel | None = None, accelerometer: TriadModel | None = None
) -> AllanReport:
    """Return the Allan deviations of a record at rest, beside the numbers that a preset states."""
    return AllanReport(
        name=record.name,
        rate=rounded(record.rate),
        duration=rounded(record.duration),
        source=source,
        gyroscope=_curve(allan_deviation(record.gyro, record.rate), (DEG, PER_HOUR, DEG), DEG, gyroscope),
        accelerometer=_curve(
            allan_deviation(record.acc, record.rate), (MICRO_G, MICRO_G, MICRO_G), MICRO_G, accelerometer
        ),
    )


def rmse_report(error: NavigationError) -> RmseReport:
    """Return errors in degrees."""
    heading, inclination, total = (rounded(math.degrees(e)) for e in error[:3])
    return RmseReport(heading=heading, inclination=inclination, total=total)


def _curve(
    curve: AllanCurve, scales: tuple[float, float, float], unit: float, stated: TriadModel | None
) -> AllanCurveReport:
    return AllanCurveReport(
        tau=tuple(rounded(t) for t in curve.tau),
        deviation=tuple(tuple(float(v) for v in row / unit) for row in curve.deviation),
        found=_noise(noise_of(curve), scales),
        stated=None if stated is None else _stated(stated, scales),
    )


def _noise(fit: NoiseFit, scales: tuple[float, float, float]) -> NoiseReport:
    density, instability, walk = (float(values.mean() / scale) for values, scale in zip(fit, scales, strict=True))
    return NoiseReport(noise_density=density, bias_instability=instability, random_walk=walk)


def _stated(model: TriadModel, scales: tuple[float, float, float]) -> NoiseReport:
    values = (model.noise_density, model.bias_instability, model.random_walk)
    density, instability, walk = (value / scale for value, scale in zip(values, scales, strict=True))
    return NoiseReport(noise_density=density, bias_instability=instability, random_walk=walk)
