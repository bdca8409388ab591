"""`armlab translate`: a program in another language."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.cli.arguments import AsJson, TcpOption, begins_robot
from armlab.cli.programs import (
    BlockDeleteOption,
    DepthOption,
    DialectOption,
    InputsOption,
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
from armlab.cli.text import activity, print_json, say, visible
from armlab.messages import _, tr

if TYPE_CHECKING:
    from armlab.program.translate.translation import Translation

FOUND_ERRORS = 1
FolderOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help=_("Where the files go; left out: they are shown.")),
]
NameOption = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help=_("Of the new program; left out: that of the old one."))
]
ToolNumberOption = Annotated[
    int,
    typer.Option("--tool-number", metavar="N", min=1, max=128, help=_("Of KRL: where its entries of tools begin.")),
]
BaseNumberOption = Annotated[
    int,
    typer.Option("--base-number", metavar="N", min=1, max=128, help=_("Of KRL: where its entries of bases begin.")),
]
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
    tcp: TcpOption = "",
    place: PlaceOption = None,
    tool_axis: ToolAxisOption = None,
    output: FolderOption = None,
    name: NameOption = None,
    target_arm: ForOption = None,
    tool_number: ToolNumberOption = 1,
    base_number: BaseNumberOption = 1,
    inputs: InputsOption = None,
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
    from armlab.program.translate.fitting import FrameNumbers
    from armlab.program.translate.output import write_translation
    from armlab.program.translate.translation import translate_program
    from armlab.reports.translation import translation_report

    source = source_of_name(program, language)
    gcode = gcode_options(
        dialect, tool_table, parameters, block_delete=block_delete, steps=steps, depth=depth, machine_unit=machine_unit
    )
    cell = cell_from(robot, scene, tool, tcp)
    signals = None if inputs is None else read_signals(inputs)
    options = RunOptions(gcode, stops_at_errors=False, with_marks=True)
    arm = None if target_arm is None else load(target_arm)
    with activity(as_json=as_json) as show:
        show(program)
        prepared = prepare(source, cell, part_place(place, tool_axis), options)
        if compensate is not None:
            prepared = compensated_for(prepared, compensate)
        numbers = FrameNumbers(tool_number, base_number)
        done = translate_program(prepared, target, name=name, signals=signals, robot=arm, numbers=numbers)
    paths = None if output is None else write_translation(done, output, source)
    if as_json:
        print_json(translation_report(program, done, paths))
    else:
        _print(done, paths)
    if not done.is_good:
        raise typer.Exit(FOUND_ERRORS)


def _print(done: Translation, paths: Sequence[Path] | None) -> None:
    for finding in done.findings:
        say(finding_line(finding), err=paths is None)
    for path in paths or ():
        say(tr("{file}: written", file=str(path)))
    if paths is None:
        for file in done.files:
            print(visible(file.text) if sys.stdout.isatty() else file.text, end="")  # a file gets it as it is
