"""Calibrations as people read them: mm, degrees, N·m."""

from __future__ import annotations

import math

import numpy as np

from armlab.calibration.fitting import Calibration, ErrorStatistics
from armlab.calibration.validate import ResidualMap
from armlab.reports.report import ReportModel, mm, rounded
from armlab.units import DEG_PER_RAD, MM_PER_M

STRONG = 0.9
"""Correlations from here on are listed."""
MOST_CORRELATIONS = 20
_SHOWN = {
    "m": ("mm", MM_PER_M),
    "rad": ("°", DEG_PER_RAD),
    "1": ("1", 1.0),
    "rad/(N m)": ("°/(N·m)", DEG_PER_RAD),
    "m/N": ("mm/N", MM_PER_M),
}


class ErrorReport(ReportModel):
    """Position errors of measurements, mm."""

    mean: float
    max: float
    rms: float


class ParameterReport(ReportModel):
    """One parameter of the arm, with its standard deviation and 95 % bounds; none where it cannot be found."""

    name: str
    value: float
    sigma: float | None
    lower: float | None
    upper: float | None
    identifiable: bool
    unit: str


class CorrelationReport(ReportModel):
    """Two parameters that the measurements can hardly tell apart."""

    first: str
    second: str
    correlation: float


class ResidualMapReport(ReportModel):
    """Errors over the workspace: where the nominal tool is, and how far off before and after, mm."""

    points: tuple[tuple[float, float, float], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


class CalibrationReport(ReportModel):
    """What measurements say about an arm; lengths mm, angles °."""

    robot: str
    model: str
    measurements: int
    before: ErrorReport
    after: ErrorReport
    cross_validation: ErrorReport | None = None
    position_noise: float
    rotation_noise: float | None
    outliers: tuple[int, ...]
    """Rows that were left out, counted from 1."""
    directions: int
    """How many combinations of parameters can be found at all."""
    parameters: tuple[ParameterReport, ...]
    correlations: tuple[CorrelationReport, ...]
    errors_before: tuple[float, ...]
    errors_after: tuple[float, ...]
    map: ResidualMapReport | None = None


def calibration_report(
    calibration: Calibration, *, across: ErrorStatistics | None = None, errors: ResidualMap | None = None
) -> CalibrationReport:
    """Return a calibration as a report, with its cross-validation and its map of errors where there are any."""
    turn = calibration.rotation_noise
    return CalibrationReport(
        robot=calibration.real.nominal.name,
        model=calibration.model,
        measurements=len(calibration.problem.q),
        before=error_report(calibration.before),
        after=error_report(calibration.after),
        cross_validation=None if across is None else error_report(across),
        position_noise=rounded(calibration.position_noise * MM_PER_M),
        rotation_noise=None if turn is None else rounded(turn * DEG_PER_RAD),
        outliers=tuple(i + 1 for i in calibration.outliers),
        directions=calibration.rank,
        parameters=_parameters(calibration),
        correlations=_correlations(calibration),
        errors_before=mm(calibration.errors_before),
        errors_after=mm(calibration.errors_after),
        map=None if errors is None else _map(errors),
    )


def error_report(errors: ErrorStatistics) -> ErrorReport:
    """Return errors in mm."""
    return ErrorReport(**{name: rounded(value * MM_PER_M) for name, value in errors._asdict().items()})


def _parameters(calibration: Calibration) -> tuple[ParameterReport, ...]:
    out = []
    for each in calibration.parameters:
        unit, factor = _SHOWN[each.unit]
        known = {
            name: rounded_small(getattr(each, name) * factor) if math.isfinite(each.sigma) else None
            for name in ("sigma", "lower", "upper")
        }
        value = rounded_small(each.value * factor)
        out.append(ParameterReport(name=each.name, value=value, identifiable=each.identifiable, unit=unit, **known))
    return tuple(out)


def rounded_small(value: float) -> float:
    """Return a number with nine digits, however small it is."""
    return float(f"{value:.9g}") + 0.0


def _correlations(calibration: Calibration) -> tuple[CorrelationReport, ...]:
    upper = np.triu(np.abs(calibration.correlation), 1)
    pairs = np.argwhere(upper > STRONG)
    order = np.argsort(-upper[tuple(pairs.T)])[:MOST_CORRELATIONS]
    names = [each.name for each in calibration.parameters]
    return tuple(
        CorrelationReport(first=names[i], second=names[j], correlation=rounded(calibration.correlation[i, j]))
        for i, j in pairs[order]
    )


def _map(errors: ResidualMap) -> ResidualMapReport:
    return ResidualMapReport(
        points=tuple(mm(p) for p in errors.points), before=mm(errors.before), after=mm(errors.after)
    )
