"""`armlab run PROGRAM --on FILE`: run a program on a real arm, at a tenth of its speed unless told otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.pacing import pass_real_time, pass_simulated_time
from armlab.cli.programs import cell_from, finding_line, part_place, seconds_text
from armlab.cli.text import print_json, say
from armlab.errors import InvalidInput
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.link.link_plant import LinkPlant
    from armlab.program.languages import ProgramSource
    from armlab.program.prepare import PreparedProgram, RunOptions

FOUND_ERRORS = 1
OnOption = Annotated[
    Path | None,
    typer.Option("--on", metavar="FILE", help=_("On a real arm: its link file. It is checked first, all of it.")),
]
OverrideOption = Annotated[
    float,
    typer.Option("--override", metavar="PERCENT", min=1.0, max=100.0, help=_("With --on: share of the speed, 10 %.")),
]


def refuse_with_on(given: Mapping[str, object]) -> None:
    """Refuse options of simulated runs, which a real arm would ignore.

    Raises:
        InvalidInput: if one of them was given.
    """
    for option, value in given.items():
        if value is not None:
            text = _("{option} is for simulated runs: it cannot be given together with --on")
            raise InvalidInput("option_of_simulations", text, option=option)


def run_on(
    file: Path,
    override: float,
    source: ProgramSource,
    cell: tuple[str | None, str | None, str | None, str],
    place: tuple[str | None, str | None],
    options: RunOptions,
    *,
    as_json: bool,
) -> int:
    """Run a program on the arm of a link file; return the exit status.

    Raises:
        LinkRefused: if the arm is not there, or is another one.
    """
    from armlab.link.drivers.choose import driver_of
    from armlab.link.link import ArmLink
    from armlab.link.link_file import read_link
    from armlab.link.link_plant import LinkPlant
    from armlab.program.prepare import prepare

    link_file = read_link(file)
    robot, scene, tool, tcp = cell
    if robot not in {None, link_file.robot.name}:
        text = _("--robot {robot}: the link file is for {arm}")
        raise InvalidInput("link_of_another_arm", text, robot=robot, arm=link_file.robot.name)
    around = cell_from(link_file.table.arm, scene or link_file.table.gate.scene or None, tool, tcp)
    prepared = prepare(source, around, part_place(*place), options)
    is_simulated = link_file.table.driver == "simulated"
    pass_time = pass_simulated_time() if is_simulated else pass_real_time()
    plant = LinkPlant(ArmLink(link_file, driver_of(link_file)), pass_time)
    try:
        return _run(plant, prepared, override / 100.0, as_json=as_json)
    finally:
        plant.halt()
        plant.link.disconnect(plant.now)


def _run(plant: LinkPlant, prepared: PreparedProgram, override: float, *, as_json: bool) -> int:
    from armlab.link.program_run import connect_plant, run_on_arm
    from armlab.link.status import arm_run_report

    connect_plant(plant)
    again = prepared.again
    assert again is not None  # it was prepared from a source
    begun = [prepared]  # instructions can be read once
    run = run_on_arm(
        plant,
        prepared.cell.scene,
        lambda: (begun.pop() if begun else again()).instructions,
        override=override,
        robot=prepared.cell.arm.name,
    )
    report = arm_run_report(prepared.source.name, plant.link.file.robot, plant.link.state.value, run, prepared.findings)
    if as_json:
        print_json(report)
    else:
        for finding in (*prepared.findings, *run.findings):
            say(finding_line(finding))
        for text in run.messages:
            say(tr("message: {text}", text=text))
        if run.has_moved:
            say(
                tr(
                    "duration: {time}; the arm took {took}",
                    time=seconds_text(run.duration),
                    took=seconds_text(run.took),
                )
            )
        else:
            say(tr("nothing was moved"), err=True)
    return 0 if run.is_whole and not any(finding.severity == "error" for finding in report.findings) else FOUND_ERRORS
