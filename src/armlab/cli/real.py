"""What the commands that know of a real arm share."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.text import fixed
from armlab.messages import _, tr

if TYPE_CHECKING:
    from rich.console import Console

    from armlab.model.scene import PlacedRobot
    from armlab.program.prepare import PreparedProgram
    from armlab.program.simulated import Simulate
    from armlab.reports.program import ProgramCheckReport, RealPathReport

RealOption = Annotated[
    Path | None,
    typer.Option("--real", metavar="REAL.toml", help=_("The arm as it really is, from `armlab calibrate`.")),
]
CompensateOption = Annotated[
    Path | None,
    typer.Option("--compensate", metavar="REAL.toml", help=_("Correct the targets for the arm as it really is.")),
]


class ToleranceName(StrEnum):
    """How well an arm is made that is drawn at random."""

    iso = "iso"
    industrial = "industrial"
    hobby = "hobby"


def simulate_of(real: Path | None, arm: PlacedRobot) -> Simulate:
    """Return what makes the simulation: of the arm as drawn or, where a file is given, of the real one."""
    from armlab.sim.simulation import Simulation

    if real is None:
        return Simulation
    from armlab.calibration import read_real_arm
    from armlab.calibration.plant import simulate_as

    return simulate_as({arm.name: read_real_arm(real, arm.robot)})


def compensated_for(prepared: PreparedProgram, real: Path) -> PreparedProgram:
    """Return a program whose targets are corrected for a real arm."""
    from armlab.calibration import compensated_program, read_real_arm

    return compensated_program(read_real_arm(real, prepared.cell.robot), prepared)


def with_real_path(
    report: ProgramCheckReport, real: Path | None, prepared: Callable[[], PreparedProgram]
) -> ProgramCheckReport:
    """Return a report that also says how far a real arm is from the path, where one is given."""
    from dataclasses import asdict

    from armlab.calibration import compensated_program, program_errors, read_real_arm
    from armlab.reports.program import RealPathReport
    from armlab.reports.report import rounded
    from armlab.units import MM_PER_M

    if real is None:
        return report
    first = prepared()
    arm = read_real_arm(real, first.cell.robot)
    corrected = compensated_program(arm, prepared())
    errors = asdict(program_errors(arm, first, corrected))
    told = RealPathReport(**{name: rounded(value * MM_PER_M) for name, value in errors.items()})
    return report.model_copy(update={"real": told})


def print_real_path(out: Console, report: RealPathReport | None) -> None:
    """Say how far a real arm is from the path, where one was given."""
    if report is None:
        return
    values = {name: fixed(value, 3) for name, value in report.model_dump().items()}
    out.print(
        tr("real arm: {mean_before} mm off the path on average, {max_before} mm at most", **values), soft_wrap=True
    )
    out.print(
        tr("with compensated targets: {mean_after} mm on average, {max_after} mm at most", **values), soft_wrap=True
    )
