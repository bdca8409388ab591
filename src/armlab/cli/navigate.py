"""`armlab navigate`: orientation and position from a recording of an inertial sensor."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson
from armlab.cli.text import console, heading, number, print_json, severity, table
from armlab.errors import InvalidInput
from armlab.messages import _, tr
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from armlab.reports.sensing import NavigationReport
    from armlab.sensing.files import ImuFile
    from armlab.sensing.imu_record import ImuRecord
    from armlab.sensing.navigate import Estimate


class FilterChoice(StrEnum):
    """One filter, or all of them side by side."""

    all = "all"
    strapdown = "strapdown"
    complementary = "complementary"
    madgwick = "madgwick"
    mahony = "mahony"
    vqf = "vqf"
    eskf = "eskf"


def navigate(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help=_("A recording: .csv, .parquet, .mcap, .db3, or .mat, .hdf5 of BROAD.")),
    ],
    how: Annotated[
        FilterChoice, typer.Option("--filter", help=_("One filter, or all side by side."))
    ] = FilterChoice.all,
    truth: Annotated[
        Path | None, typer.Option("--truth", metavar="FILE", help=_("A recording with the true orientation."))
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", "--plot", metavar="FILE", help=_("A figure of the errors over time: .png …")),
    ] = None,
    gyro_unit: Annotated[
        str, typer.Option("--gyro-unit", help=_("rad/s or deg/s, where the header says nothing."))
    ] = "",
    acc_unit: Annotated[str, typer.Option("--acc-unit", help=_("m/s2 or g, where the header says nothing."))] = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab navigate`."""
    from armlab.figures.style import check_figure_path, save_figure
    from armlab.sensing.files import read_imu
    from armlab.sensing.navigate import FILTERS
    from armlab.sensing.navigate import navigate as estimated

    figure = None if output is None else check_figure_path(output)
    read = read_imu(file, gyro_unit=gyro_unit, acc_unit=acc_unit)
    record = read.record if truth is None else _with_truth(read.record, read_imu(truth).record)
    names = [name for name in FILTERS if how.value in {"all", name}]
    estimates = [estimated(record, name) for name in names]
    reports = [_report(estimate, record, read) for estimate in estimates]
    if figure is not None:
        from armlab.figures.sensing import draw_navigation

        save_figure(draw_navigation(record, estimates), figure)
    if as_json:
        print_json(reports if how is FilterChoice.all else reports[0])
        return
    _print(reports, record)
    if figure is not None:
        console().print(tr("{file}: written", file=str(figure)), soft_wrap=True)


def _with_truth(record: ImuRecord, truth: ImuRecord) -> ImuRecord:
    """Return the record with the truth of another, at the nearest of its times."""
    from dataclasses import replace

    import numpy as np

    if truth.orientation is None:
        raise InvalidInput("truth_missing", _("--truth: {file} has no true orientation"), file=truth.name)
    at = np.clip(np.searchsorted(truth.t, record.t), 1, len(truth) - 1)
    at = np.where(record.t - truth.t[at - 1] < truth.t[at] - record.t, at - 1, at)
    place = truth.position
    return replace(
        record,
        orientation=truth.orientation[at],
        position=None if place is None else place[at],
        velocity=None,
    )


def _report(estimate: Estimate, record: ImuRecord, read: ImuFile) -> NavigationReport:
    from armlab.reports.findings import finding_reports
    from armlab.reports.sensing import NavigationReport, rmse_report
    from armlab.sensing.evaluate import evaluate
    from armlab.sensing.rest import start_findings

    error = None if record.orientation is None else evaluate(estimate, record)
    w, x, y, z = (float(v) for v in estimate.orientation[-1])
    off = None if error is None or error.position is None else error.position * MM_PER_M
    return NavigationReport(
        filter=estimate.filter,
        rmse=None if error is None else rmse_report(error),
        position_error=off,
        position_deviation=None if estimate.position_deviation is None else estimate.position_deviation * MM_PER_M,
        samples=len(record),
        duration=record.duration,
        end=(w, x, y, z),
        findings=finding_reports([*read.findings, *start_findings(record)]),
    )


def _print(reports: list[NavigationReport], record: ImuRecord) -> None:
    out = console()
    out.print(
        heading(
            tr("{name}: {count} samples, {duration:g} s", name=record.name, count=len(record), duration=record.duration)
        )
    )
    rows = []
    for report in reports:
        errors = report.rmse
        cells = (
            ("–", "–", "–")
            if errors is None
            else tuple(number(e, 3) for e in (errors.heading, errors.inclination, errors.total))
        )
        end = " ".join(number(v, 4) for v in report.end)
        rows.append(
            (report.filter, *cells, number(report.position_error, 1), number(report.position_deviation, 0), end)
        )
    columns = (
        tr("filter"),
        tr("heading °"),
        tr("inclination °"),
        tr("total °"),
        tr("position mm"),
        tr("expected mm"),
        tr("end wxyz"),
    )
    out.print(table(tr("Root mean square errors after the first rest; position at the end"), columns, rows))
    if any(report.position_deviation is not None for report in reports):
        said = _(
            "position: integrated twice, so that errors grow while nothing is at rest; expected by the filter itself"
        )
        out.print(tr(said), soft_wrap=True)
    if record.orientation is None:
        out.print(tr("no true orientation in the recording: errors are not known"))
    for finding in reports[0].findings:
        out.print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)
