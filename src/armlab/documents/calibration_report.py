"""The report on a calibration: errors before and after, what was found, and what cannot be found."""

from __future__ import annotations

import numpy as np

from armlab.documents.blocks import Block, Heading, Picture, paragraph, table
from armlab.documents.pictures import png_of
from armlab.figures.calibration import draw_error_map, draw_errors
from armlab.messages import tr
from armlab.reports.calibration import CalibrationReport, ErrorReport, ParameterReport


def calibration_blocks(report: CalibrationReport) -> list[Block]:
    """Return the report as a document."""
    before, after = np.array(report.errors_before), np.array(report.errors_after)
    blocks: list[Block] = [
        Heading(1, tr("{robot}: calibration", robot=report.robot)),
        paragraph(
            tr(
                "Measurements: {count}; model: {model}; combinations of parameters that can be found: {directions}.",
                count=report.measurements,
                model=report.model,
                directions=report.directions,
            )
        ),
        table((tr("position error, mm"), tr("mean"), tr("max"), tr("rms")), _error_rows(report)),
        Picture("errors", png_of(draw_errors(before, after)), tr("Position errors of the measurements.")),
    ]
    if report.map is not None:
        points = np.array(report.map.points)
        picture = draw_error_map(points, np.array(report.map.before), np.array(report.map.after))
        blocks.append(
            Picture(
                "map",
                png_of(picture),
                tr(
                    "Errors over the workspace: what the calibration corrects, and the standard deviation that is left."
                ),
            )
        )
    if report.outliers:
        blocks.append(paragraph(tr("Rows that were left out as outliers: {rows}.", rows=list(report.outliers))))
    blocks += [
        Heading(2, tr("Parameters")),
        table(
            (tr("parameter"), tr("value"), tr("standard deviation"), tr("95 % bounds"), tr("unit")),
            [_row(each) for each in report.parameters],
            words=(0, 4),
        ),
    ]
    if report.correlations:
        blocks += [
            Heading(2, tr("Parameters that can hardly be told apart")),
            table(
                (tr("parameter"), tr("parameter"), tr("correlation")),
                [(each.first, each.second, f"{each.correlation:.4f}") for each in report.correlations],
                words=(0, 1),
            ),
        ]
    return blocks


def _error_rows(report: CalibrationReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ErrorReport | None]] = [
        (tr("before"), report.before),
        (tr("after"), report.after),
        (tr("cross-validation"), report.cross_validation),
    ]
    return [
        (name, f"{errors.mean:.4f}", f"{errors.max:.4f}", f"{errors.rms:.4f}")
        for name, errors in rows
        if errors is not None
    ]


def _row(each: ParameterReport) -> tuple[str, ...]:
    if each.sigma is None or each.lower is None or each.upper is None:
        return each.name, "–", "–", tr("cannot be found from these measurements"), each.unit
    return each.name, f"{each.value:.4g}", f"{each.sigma:.2g}", f"{each.lower:.4g} … {each.upper:.4g}", each.unit
