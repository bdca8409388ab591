"""`armlab iso9283`: test an arm after the standard, simulated or from what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, RobotName, TcpOption, ToolName, arm_of, check_range
from armlab.cli.real import RealOption, ToleranceName
from armlab.cli.text import console, fixed, print_json, table
from armlab.messages import _, term, tr

if TYPE_CHECKING:
    from armlab.calibration.iso9283 import IsoTest
    from armlab.model.robot import Robot
    from armlab.reports.iso9283 import IsoReport


def iso9283(
    robot: RobotName,
    real: RealOption = None,
    tolerance: Annotated[
        ToleranceName, typer.Option("--tolerance", help=_("Without --real: how well the arm is made that is drawn."))
    ] = ToleranceName.industrial,
    seed: Annotated[int, typer.Option("--seed", min=0, help=_("Of the arm that is drawn, and of chance."))] = 0,
    recording: Annotated[
        Path | None,
        typer.Option(
            "--recording", metavar="FILE.csv", help=_("What was measured: columns point, x, y, z [, a, b, c].")
        ),
    ] = None,
    paths: Annotated[
        Path | None,
        typer.Option(
            "--paths", metavar="FILE.csv", help=_("What was measured along paths: columns path, cycle, x, y, z.")
        ),
    ] = None,
    commanded: Annotated[
        Path | None,
        typer.Option("--commanded", metavar="FILE.csv", help=_("Write the paths that a recorded arm has to run.")),
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="MM/S", help=_("Of the tool along paths."))] = 250.0,
    physics: Annotated[bool, typer.Option("--physics", help=_("Paths with drives and masses too; slower."))] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help=_("Write a report: .html, .md or .tex."))
    ] = None,
    tool: ToolName = "none",
    tcp: TcpOption = "",
    as_json: AsJson = False,
) -> None:
    """Run `armlab iso9283`."""
    from armlab.documents.writing import check_report_path
    from armlab.reports.iso9283 import iso_report

    check_range("--speed", speed, 1.0, 5000.0, term(_("mm/s")))
    if report is not None:
        check_report_path(report)
    arm = arm_of(robot, tool, tcp)
    if commanded is not None:
        _write_commanded(arm, commanded)
        return
    if recording is not None or paths is not None:
        tested, source = _recorded(arm, recording, paths)
    else:
        tested, source = _simulated(arm, real, tolerance, speed, seed, physics=physics)
    made = iso_report(arm, tested, source)
    if report is not None:
        from armlab.documents.iso_report import iso_blocks
        from armlab.documents.writing import write_report

        write_report(iso_blocks(made), report)
    if as_json:
        print_json(made)
        return
    _print(made)
    if report is not None:
        console().print(tr("{file}: written", file=str(report)), soft_wrap=True)


def _recorded(arm: Robot, recording: Path | None, paths: Path | None) -> tuple[IsoTest, str]:
    from armlab.calibration.iso9283 import recorded_iso9283

    files = ", ".join(str(file) for file in (recording, paths) if file is not None)
    return recorded_iso9283(arm, recording, paths), files


def _simulated(
    arm: Robot, real: Path | None, tolerance: ToleranceName, speed: float, seed: int, *, physics: bool
) -> tuple[IsoTest, str]:
    from armlab.calibration import read_real_arm, real_arm
    from armlab.calibration.iso9283 import simulate_iso9283

    tested = real_arm(arm, tolerance.value, seed=seed) if real is None else read_real_arm(real, arm)
    source = tested.source if real is None else str(real)
    return simulate_iso9283(tested, speed=speed * 1e-3, seed=seed, physics=physics), source


def _write_commanded(arm: Robot, path: Path) -> None:
    from armlab.calibration.iso9283 import measuring_plane, write_commanded
    from armlab.files import checked_suffix

    write_commanded(measuring_plane(arm), checked_suffix(path, (".csv",)))
    console().print(tr("{file}: written", file=str(path)), soft_wrap=True)


def _known(value: float | None, unit: str = "") -> str:
    return tr("not known") if value is None else fixed(value, 4) + unit


def _print(report: IsoReport) -> None:
    out = console()
    rows = [
        (each.name, *(fixed(v, 1) for v in each.xyz), fixed(each.accuracy, 3), _known(each.repeatability))
        for each in report.poses
    ]
    heads = (tr("pose"), tr("x, mm"), tr("y, mm"), tr("z, mm"), tr("AP, mm"), tr("RP, mm"))
    if rows:
        out.print(table(tr("Pose accuracy and repeatability"), heads, rows))
    if report.distance is not None:
        values = [fixed(report.distance.accuracy, 4), _known(report.distance.repeatability, " " + tr("mm"))]
        out.print(
            tr(
                "distance P2 to P4: AD {accuracy} mm, RD {repeatability}",
                accuracy=values[0],
                repeatability=values[1],
            )
        )
    for path in report.paths:
        values = [fixed(path.accuracy, 4), _known(path.repeatability, " " + tr("mm"))]
        out.print(
            tr(
                "{path}: AT {accuracy} mm, RT {repeatability}",
                path=path.name,
                accuracy=values[0],
                repeatability=values[1],
            )
        )
    if report.corners is not None:
        values = [fixed(v, 3) for v in (report.corners.rounding, report.corners.overshoot)]
        out.print(
            tr("corners: rounding {rounding} mm, overshoot {overshoot} mm", rounding=values[0], overshoot=values[1])
        )
    if report.compliance is not None:
        x, y, z = (fixed(report.compliance.matrix[i][i] * 1e3, 3) for i in range(3))
        out.print(tr("static compliance at P1: x {x}, y {y}, z {z} µm/N", x=x, y=y, z=z))
