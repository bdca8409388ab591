"""`armlab translate`: a program in another language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, begins_robot
from armlab.cli.programs import (
    BlockDeleteOption,
    DepthOption,
    DialectOption,
    LanguageOption,
    MachineUnit,
    MachineUnitOption,
    ParametersOption,
    PlaceOption,
    ProgramName,
    RobotOption,
    SceneOption,
    StepsOption,
    ToolAxisOption,
    ToolOption,
    ToolTableOption,
    cell_from,
    finding_line,
    gcode_options,
    part_place,
    source_of_name,
)
from armlab.cli.real import CompensateOption, compensated_for
from armlab.cli.text import print_json
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.program.translate.translation import Translation

FOUND_ERRORS = 1
ForOption = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="ROBOT",
        help=_("The arm that will run it; left out: the program's own, if its maker's controllers have the language."),
        autocompletion=begins_robot,
    ),
]


def translate(
    program: ProgramName,
    target: Annotated[
        str,
        typer.Option("--to", metavar="LANGUAGE", help=_("krl, gcode, python, scenario, urscript or rapid.")),
    ],
    robot: RobotOption = None,
    scene: SceneOption = None,
    tool: ToolOption = None,
    place: PlaceOption = None,
    tool_axis: ToolAxisOption = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help=_("Where the files go; left out: they are shown.")),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help=_("Of the new program; left out: that of the old one."))
    ] = None,
    target_arm: ForOption = None,
    inputs: Annotated[
        Path | None, typer.Option("--input", metavar="FILE", help=_("A script of inputs over time: .toml."))
    ] = None,
    language: LanguageOption = None,
    dialect: DialectOption = "linuxcnc",
    tool_table: ToolTableOption = None,
    parameters: ParametersOption = None,
    machine_unit: MachineUnitOption = MachineUnit.mm,
    block_delete: BlockDeleteOption = False,
    steps: StepsOption = None,
    depth: DepthOption = None,
    compensate: CompensateOption = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab translate`."""
    from armlab.catalog import load
    from armlab.program.prepare import RunOptions, prepare
    from armlab.program.signals import read_signals
    from armlab.program.translate.output import write_translation
    from armlab.program.translate.translation import translate_program
    from armlab.reports.translation import translation_report

    source = source_of_name(program, language)
    gcode = gcode_options(
        dialect, tool_table, parameters, block_delete=block_delete, steps=steps, depth=depth, machine_unit=machine_unit
    )
    cell = cell_from(robot, scene, tool)
    signals = None if inputs is None else read_signals(inputs)
    options = RunOptions(gcode, stops_at_errors=False, with_marks=True)
    prepared = prepare(source, cell, part_place(place, tool_axis), options)
    if compensate is not None:
        prepared = compensated_for(prepared, compensate)
    arm = None if target_arm is None else load(target_arm)
    done = translate_program(prepared, target, name=name, signals=signals, robot=arm)
    paths = None if output is None else write_translation(done, output, source)
    if as_json:
        print_json(translation_report(program, done, paths))
    else:
        _print(done, paths)
    if not done.is_good:
        raise typer.Exit(FOUND_ERRORS)


def _print(done: Translation, paths: Sequence[Path] | None) -> None:
    for finding in done.findings:
        typer.echo(finding_line(finding), err=paths is None)
    for path in paths or ():
        typer.echo(tr("{file}: written", file=str(path)))
    if paths is None:
        for file in done.files:
            typer.echo(file.text, nl=False)
