"""`armlab calibrate`: measurements of an arm → the arm as it really is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of, check_range
from armlab.cli.real import ToleranceName
from armlab.cli.text import console, number, print_json, table
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.model.robot import Robot
    from armlab.reports.calibration import CalibrationReport

WORST = 12
"""Parameters that are listed on the screen; the report and --json have all of them."""
FEWEST_VALIDATED = 10
"""Measurements below which a fifth of them cannot be left out."""


class ModelName(StrEnum):
    """Which errors are looked for."""

    auto = "auto"
    offsets = "offsets"
    geometry = "geometry"
    elastic = "elastic"
    full = "full"


def calibrate(
    robot: RobotName,
    measurements: Annotated[
        Path,
        typer.Argument(metavar="MEASUREMENTS.csv", help=_("Columns q1 … qn in ° or mm, x y z in mm, a b c in °.")),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="REAL.toml", help=_("Write the arm as it really is."))
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help=_("Write a report: .html, .md or .tex."))
    ] = None,
    model: Annotated[
        ModelName, typer.Option("--model", help=_("Which errors are looked for; auto: as many as the data speak for."))
    ] = ModelName.auto,
    align: Annotated[
        bool, typer.Option("--align", help=_("The measurements are in another frame than the arm's base."))
    ] = False,
    noise: Annotated[
        float | None, typer.Option("--noise", metavar="MM", help=_("Standard deviation of a measured length."))
    ] = None,
    choose: Annotated[
        int | None,
        typer.Option(
            "--choose", metavar="N", help=_("Write N configurations to measure into MEASUREMENTS.csv instead.")
        ),
    ] = None,
    simulate: Annotated[
        ToleranceName | None,
        typer.Option("--simulate", help=_("With --choose: also what a tracker would measure on an arm made so well.")),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of --choose and --simulate."))] = 0,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab calibrate`."""
    from armlab.documents.writing import check_report_path
    from armlab.files import checked_suffix
    from armlab.units import M_PER_MM

    if output is not None:
        checked_suffix(output, (".toml",))
    if report is not None:
        check_report_path(report)
    if noise is not None:
        check_range("--noise", noise, 1e-6, 100.0, term(_("mm")))
    arm = arm_of(robot, tool, tcp)
    if choose is not None:
        _choose(arm, measurements, choose, simulate, seed)
        return
    stated = None if noise is None else noise * M_PER_MM
    made = _calibrated(arm, measurements, model, stated, output, report, align=align)
    if as_json:
        print_json(made)
        return
    _print(made, [path for path in (output, report) if path is not None])


def _calibrated(
    arm: Robot,
    measurements: Path,
    model: ModelName,
    noise: float | None,
    output: Path | None,
    page: Path | None,
    *,
    align: bool,
) -> CalibrationReport:
    """Calibrate, and write what is wanted."""
    from armlab import calibration
    from armlab.documents.calibration_report import calibration_blocks
    from armlab.documents.writing import write_report
    from armlab.reports.calibration import calibration_report

    measured = calibration.read_measurements(measurements, arm, noise=noise)
    points = measured.T[:, :3, 3] if isinstance(measured, calibration.Poses) else measured.points
    base = calibration.align(measured.q, arm, points) if align else None
    if model is ModelName.auto:
        found = calibration.choose_model(arm, measured, base=base)
    else:
        found = calibration.calibrate(arm, measured, model=model.value, base=base)  # type: ignore[arg-type]
    enough = len(measured.q) >= FEWEST_VALIDATED
    across = calibration.cross_validate(arm, measured, model=found.model, base=base) if enough else None
    made = calibration_report(found, across=across, errors=calibration.residual_map(found))
    if output is not None:
        calibration.write_real_arm(found.real, output)
    if page is not None:
        write_report(calibration_blocks(made), page)
    return made


def _choose(arm: Robot, path: Path, count: int, simulate: ToleranceName | None, seed: int) -> None:
    """Write where to measure: configurations, and where the tool is there, as drawn or as a tracker would see it."""
    from armlab import calibration
    from armlab.calibration.measurement_file import write_measurements
    from armlab.files import checked_suffix

    checked_suffix(path, (".csv",))
    chosen = calibration.best_poses(arm, count, seed=seed)
    if simulate is None:
        measured = calibration.Poses(chosen.q, arm.fk(chosen.q))
    else:
        measured = calibration.simulated_poses(
            calibration.real_arm(arm, simulate.value, seed=seed), chosen.q, seed=seed
        )
    write_measurements(measured, arm, path)
    console().print(tr("{file}: written", file=str(path)), soft_wrap=True)


def _print(report: CalibrationReport, files: list[Path]) -> None:
    out = console()
    rows = [
        (name, *(number(value, 4) for value in (errors.mean, errors.max, errors.rms)))
        for name, errors in (
            (tr("before"), report.before),
            (tr("after"), report.after),
            (tr("cross-validation"), report.cross_validation),
        )
        if errors is not None
    ]
    out.print(
        table(tr("Position error, mm"), (tr("model {name}", name=report.model), tr("mean"), tr("max"), tr("rms")), rows)
    )
    known = [each for each in report.parameters if each.sigma]
    known.sort(key=lambda each: -abs(each.value) / (each.sigma or 1.0))
    shown = [(each.name, f"{each.value:.4g}", f"{each.sigma:.2g}", each.unit) for each in known[:WORST]]
    title = tr("Parameters that differ most from the drawing")
    out.print(table(title, (tr("parameter"), tr("value"), tr("standard deviation"), tr("unit")), shown, words=(0, 3)))
    hidden = [each.name for each in report.parameters if not each.identifiable]
    if hidden:
        out.print(tr("cannot be found from these measurements: {names}", names=hidden), soft_wrap=True)
    if report.outliers:
        out.print(tr("Rows that were left out as outliers: {rows}.", rows=list(report.outliers)), soft_wrap=True)
    for path in files:
        out.print(tr("{file}: written", file=str(path)), soft_wrap=True)
