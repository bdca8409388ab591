"""A program or scenario of the project, ready for an executor: its instructions for the arm of a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from pydantic import ValidationError

from armlab.cell.project import ProgramText
from armlab.messages import _, term
from armlab.model.scene import Scene
from armlab.program.gcode.interpreter import Options as GcodeOptions
from armlab.program.instructions import Program
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PreparedProgram, RunOptions, plain_stream, prepare
from armlab.program.scenario import program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.program.signals import Value
from armlab.validation import parsed_json, refusal

Source: TypeAlias = ProgramText | ScenarioFile


def prepared_program(source: Source, scene: Scene, options: RunOptions) -> PreparedProgram:
    """Return a program or scenario with its instructions for the arm of a scene, which begins at home.

    Raises:
        InvalidInput: if the text cannot be read as a program.
    """
    arm, *others = scene.robots
    arm = replace(arm, q=arm.robot.home)
    cell = Cell(replace(scene, robots=(arm, *others)), arm)
    if isinstance(source, ScenarioFile):
        return _prepared(program_of(source, arm.robot), cell)
    text = ProgramSource("program", source.language, data=source.text.encode())
    if source.language != "scenario":
        return prepare(text, cell, options=replace(options, gcode=GcodeOptions(dialect=source.dialect)))
    try:
        return _prepared(program_of(ScenarioFile.model_validate(parsed_json(source.text.encode())), arm.robot), cell)
    except ValidationError as error:
        raise refusal(error).within(term(_("not an armlab scenario"))) from None


def _prepared(program: Program, cell: Cell) -> PreparedProgram:
    source = ProgramSource("scenario", "scenario")
    return PreparedProgram(source, cell, plain_stream(program.instructions), program.start)


def inputs_of(source: Source) -> dict[str, Value]:
    """Return the inputs that are given with a program."""
    return dict(source.inputs) if isinstance(source, ProgramText) else {}


def texts_of(source: Source) -> tuple[str, ...]:
    """Return what the steps of a scenario are called."""
    return tuple(step.note or step.do for step in source.steps) if isinstance(source, ScenarioFile) else ()
