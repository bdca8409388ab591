"""`armlab allan`: the Allan deviation of a sensor at rest, from a preset or a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, check_range
from armlab.cli.text import console, decimal, heading, print_json, severity, table
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.reports.sensing import AllanReport, NoiseReport
    from armlab.sensing.noise import ImuModel

LONGEST = 100.0
"""h"""
RATES = (0.1, 10_000.0)
"""Hz"""


def allan(
    source: Annotated[
        str, typer.Argument(metavar="PRESET|FILE", help=_("A sensor preset (`?` lists them), or a recording at rest."))
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", "--plot", metavar="FILE", help=_("A figure of the deviations: .png …")),
    ] = None,
    hours: Annotated[float, typer.Option("--hours", help=_("How long a preset is recorded."))] = 1.0,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help=_("How often a preset is sampled, Hz."))] = 100.0,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the noise."))] = 0,
    as_json: AsJson = False,
) -> None:
    """Run `armlab allan`."""
    from armlab.figures.style import check_figure_path, save_figure
    from armlab.reports.findings import finding_reports
    from armlab.reports.sensing import allan_report
    from armlab.sensing.noise import noise_record
    from armlab.sensing.presets import PRESETS, preset

    if source == "?":
        _list_presets(as_json)
        return
    figure = None if output is None else check_figure_path(output)
    model: ImuModel | None
    findings: list[Finding] = []
    if Path(source).suffix or Path(source).is_dir():
        from armlab.sensing.files import read_imu
        from armlab.sensing.rest import motion_findings

        read = read_imu(source)
        record, model = read.record, None
        findings = [*read.findings, *motion_findings(record)]
    else:
        check_range("--hours", hours, 0.001, LONGEST, term(_("h")))
        check_range("--rate", rate, *RATES, term(_("Hz")))
        model = preset(source)
        record = noise_record(model, hours * 3600.0, rate, seed=seed)
    known = PRESETS.get(model.name) if model else None
    report = allan_report(
        record,
        known.source if known else "",
        known.gyroscope if known else None,
        known.accelerometer if known else None,
    ).model_copy(update={"findings": finding_reports(findings)})
    if figure is not None:
        from armlab.figures.sensing import draw_allan

        save_figure(draw_allan(record), figure)
    if as_json:
        print_json(report)
        return
    _print(report)
    if figure is not None:
        console().print(tr("{file}: written", file=str(figure)), soft_wrap=True)


def _list_presets(as_json: bool) -> None:
    from armlab.reports.report import ReportModel
    from armlab.sensing.presets import PRESETS

    class PresetRow(ReportModel):
        """One line of the list."""

        name: str
        source: str

    rows = [PresetRow(name=name, source=model.source) for name, model in PRESETS.items()]
    if as_json:
        print_json(rows)
        return
    lines = [(row.name, row.source) for row in rows]
    console().print(table(tr("Sensor presets"), (tr("name"), tr("source")), lines, words=(0, 1)))


def _print(report: AllanReport) -> None:
    out = console()
    out.print(
        heading(
            tr("{name}: {duration:g} s at {rate:g} Hz", name=report.name, duration=report.duration, rate=report.rate)
        )
    )
    rows = []
    for what, curve, units in (
        (tr("gyroscope"), report.gyroscope, ("°/s/√Hz", tr("°/h"), "°/s·√Hz")),
        (tr("accelerometer"), report.accelerometer, ("µg/√Hz", "µg", "µg·√Hz")),
    ):
        rows.append((what, tr("found"), *_cells(curve.found, units)))
        if curve.stated is not None:
            rows.append((what, tr("preset"), *_cells(curve.stated, units)))
    columns = (tr("triad"), "", tr("white noise N"), tr("bias instability B"), tr("random walk K"))
    out.print(table(tr("Noise"), columns, rows, words=(0, 1)))
    if report.source:
        out.print(report.source, soft_wrap=True)
    for finding in report.findings:
        out.print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)


def _cells(noise: NoiseReport, units: tuple[str, str, str]) -> tuple[str, ...]:
    values = (noise.noise_density, noise.bias_instability, noise.random_walk)
    return tuple(f"{decimal(f'{value:.3g}')} {unit}" for value, unit in zip(values, units, strict=True))
