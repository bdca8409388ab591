"""What the commands that take a program share: its source, the arm and cell, where the part lies, which lines."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armlab.arrays import Floats
from armlab.cli.arguments import begins_robot, begins_tool, number_of, with_tcp
from armlab.cli.text import activity, decimal, in_one_line, place_of, severity
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.messages import _, term

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.program.executor.state import ExecutorState
    from armlab.program.gcode.interpreter import Options
    from armlab.program.languages import ProgramSource
    from armlab.program.prepare import Cell, PartPlace, RunOptions

ProgramName = Annotated[
    str,
    typer.Argument(
        metavar="PROGRAM",
        help=_("G-code, KRL (.src), a scenario (.json), Python (.py), a shipped program, or - for standard input."),
    ),
]
RobotOption = Annotated[
    str | None,
    typer.Option(
        "--robot",
        "-r",
        metavar="ROBOT",
        help=_("The arm: a name from `armlab robots`, or a file."),
        autocompletion=begins_robot,
    ),
]
SceneOption = Annotated[
    str | None, typer.Option("--scene", metavar="SCENE", help=_("What stands round the arm: a name or a .toml file."))
]
ToolOption = Annotated[
    str | None,
    typer.Option("--tool", metavar="TOOL", help=_("{tools}, or a .toml file."), autocompletion=begins_tool),
]
PlaceOption = Annotated[
    str | None,
    typer.Option(
        "--place",
        metavar="X,Y,Z[,A,B,C]|BODY",
        help=_("Where the part lies (mm, degrees), or the body it lies on; left out: where the arm reaches it."),
    ),
]
ToolAxisOption = Annotated[
    str | None,
    typer.Option(
        "--tool-axis",
        metavar="X,Y,Z|BODY",
        help=_("Where the tool points, in the part's axes, or the body it is perpendicular to; left out: 0,0,-1."),
    ),
]
LanguageOption = Annotated[
    str | None,
    typer.Option("--language", metavar="NAME", help=_("gcode, krl, scenario or python; left out: by the file.")),
]
DialectOption = Annotated[
    str, typer.Option("--dialect", metavar="NAME", help=_("Of G-code: linuxcnc, grbl, marlin, reprap or fanuc."))
]
FromOption = Annotated[int, typer.Option("--from", metavar="N", help=_("The first line that is run."), min=1)]
ToOption = Annotated[int | None, typer.Option("--to", metavar="N", help=_("The last line that is run."), min=1)]
ToolTableOption = Annotated[
    Path | None, typer.Option("--tool-table", metavar="T.tbl", help=_("Tools as LinuxCNC keeps them."))
]


class MachineUnit(StrEnum):
    """What the machine's tool table and parameters count in."""

    mm = "mm"
    inch = "inch"


MachineUnitOption = Annotated[
    MachineUnit,
    typer.Option(
        "--machine-unit", metavar="UNIT", help=_("Of the tool table and of the machine's parameters: mm or inch.")
    ),
]
ParametersOption = Annotated[
    Path | None, typer.Option("--parameters", metavar="P.var", help=_("Parameters as LinuxCNC keeps them."))
]
BlockDeleteOption = Annotated[bool, typer.Option("--block-delete", help=_("Leave out lines that begin with a slash."))]
StepsOption = Annotated[
    int | None,
    typer.Option("--steps", metavar="N", help=_("Lines that a program may run through before it counts as endless.")),
]
DepthOption = Annotated[
    int | None, typer.Option("--depth", metavar="N", help=_("Calls of subroutines inside each other that are allowed."))
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="S", help=_("Seconds that a program may run before it counts as endless.")),
]
InputsOption = Annotated[
    Path | None, typer.Option("--input", metavar="FILE", help=_("A script of inputs over time: .toml."))
]
MOST_LINES = 1_000_000_000
MOST_SECONDS = 1e9


def source_of_name(name: str, language: str | None) -> ProgramSource:
    """Return the program or the shipped scenario that was named; `-` is read from standard input.

    Raises:
        UnknownName: if there is no such file and nothing shipped has that name.
    """
    from armlab.program.gcode.shipped import SUFFIXES, program_names
    from armlab.program.gcode.source import MAX_SOURCE
    from armlab.program.krl.library import archive_of
    from armlab.program.languages import ProgramSource, program_source
    from armlab.program.scenario import scenario_names

    scenarios = scenario_names()
    if language in {None, "scenario"} and name in scenarios:
        return ProgramSource(name, "scenario")
    source = program_source(name, language, sys.stdin.buffer.read(MAX_SOURCE + 1) if name == "-" else None)
    if source.path is not None and not source.path.suffix and not source.path.exists():
        shipped = [one for suffix in SUFFIXES for one in program_names(suffix)]
        raise UnknownName("program", name, (*scenarios, *shipped))
    if source.path is not None and not source.path.exists() and archive_of(source.path) is None:
        raise InvalidInput("file_missing", _("no such file")).within(name)
    return source


def gcode_options(
    dialect: str,
    tool_table: Path | None,
    parameters: Path | None,
    *,
    block_delete: bool,
    steps: int | None = None,
    depth: int | None = None,
    machine_unit: MachineUnit = MachineUnit.mm,
) -> Options:
    """Return how G-code is read."""
    from armlab.program.gcode.control import MAX_CALLS
    from armlab.program.gcode.dialects import dialect_named
    from armlab.program.gcode.interpreter import Options
    from armlab.program.gcode.machine import MM_PER_INCH, read_tool_table
    from armlab.program.gcode.parameters import read_parameter_file

    dialect_named(dialect)
    is_inch = machine_unit is MachineUnit.inch
    return Options(
        skip_deleted=block_delete,
        steps=None if steps is None else _whole("--steps", steps, MOST_LINES),
        depth=MAX_CALLS if depth is None else _whole("--depth", depth, MAX_CALLS),
        dialect=dialect,
        tools={} if tool_table is None else read_tool_table(tool_table, MM_PER_INCH if is_inch else 1.0),
        parameters={} if parameters is None else read_parameter_file(parameters),
        is_inch_machine=is_inch,
    )


def time_limit(seconds: float | None) -> float:
    """Return how long a program may run, s."""
    from armlab.cli.arguments import check_range

    if seconds is None:
        return math.inf
    check_range("--time-limit", seconds, 1e-3, MOST_SECONDS, term(_("s")))
    return seconds


def _whole(option: str, value: int, most: int) -> int:
    if not 1 <= value <= most:
        raise InvalidInput(
            "count_out_of_range",
            _("{option}: {value} is outside 1 … {most}"),
            option=option,
            value=value,
            most=most,
        )
    return value


def run_options(gcode: Options, first: int, last: int | None, *, stops_at_errors: bool) -> RunOptions:
    """Return which lines are run, and how they are read.

    Raises:
        InvalidInput: if the last line comes before the first.
    """
    from armlab.program.gcode.instructions import LineRange
    from armlab.program.prepare import RunOptions

    if last is not None and last < first:
        raise InvalidInput("lines_reversed", _("--to {last} comes before --from {first}"), first=first, last=last)
    return RunOptions(gcode, LineRange(first, last), stops_at_errors)


def cell_from(robot: str | None, scene: str | None, tool: str | None, tcp: str = "") -> Cell | None:
    """Return the arm, its tool with its working point, and what stands round it; None where none was named."""
    from armlab.catalog import load_tool
    from armlab.program.prepare import cell_of

    if robot is None and scene is None:
        if tcp:
            raise InvalidInput("robot_missing", _("say which arm runs the program: --robot NAME"))
        return None
    cell = cell_of(robot, scene, None if tool is None else load_tool(tool))
    return cell_of(robot, scene, with_tcp(cell.robot, tcp).tool) if tcp else cell


def part_place(place: str | None, tool_axis: str | None) -> PartPlace:
    """Return where the part lies and how the tool stands on it, as it was typed."""
    from armlab.program.place import DOWN
    from armlab.program.prepare import PartPlace

    where = None if place is None else _frame_or_body(place)
    axis = None if tool_axis is None else _numbers(tool_axis)
    if axis is not None and len(axis) != 3:
        raise InvalidInput("tool_axis", _("--tool-axis needs X,Y,Z or the name of a body"))
    direction = DOWN if axis is None else (axis[0], axis[1], axis[2])
    return PartPlace(where, direction, tool_axis if axis is None else None)


def _frame_or_body(text: str) -> Floats | str:
    values = _numbers(text)
    if values is None:
        return text
    if len(values) not in {3, 6}:
        raise InvalidInput("place", _("--place needs X,Y,Z or X,Y,Z,A,B,C (mm, degrees), or the name of a body"))
    return pose.from_mm_deg((*values, 0.0, 0.0, 0.0)[:6])


def _numbers(text: str) -> list[float] | None:
    """Return numbers between commas or blanks; None where the text begins with something else."""
    parts = text.replace(",", " ").split()
    if not parts or not parts[0].lstrip("+-.")[:1].isdigit():
        return None
    return [number_of(part, term(_("coordinate"))) for part in parts]


def finding_line(finding: Finding) -> str:
    """Return a finding as compilers write it."""
    text = f"{place_of(finding)}{severity(finding.severity)}: {finding.message.localized()} [{finding.code}]"
    return in_one_line(text)


@contextmanager
def program_progress(*, as_json: bool) -> Iterator[Callable[[ExecutorState], object]]:
    """Give a function that shows how far a program is: its time, and the line, if a person is looking."""
    with activity(as_json=as_json) as show:

        def at(state: ExecutorState) -> None:
            where = "" if state.span is None else f"{Path(state.span.file).name}:{state.span.line}"
            show(f"{seconds_text(state.time)}  {where}")

        yield at


def seconds_text(seconds: float) -> str:
    """Return a duration: 12.34 s, or 1:02:03.4."""
    if seconds < 60.0:
        return decimal(f"{seconds:.3f} s")
    minutes, rest = divmod(seconds, 60.0)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{hours}:{minutes:02d}:{rest:04.1f}" if hours else f"{minutes}:{rest:04.1f}"
    return decimal(text)
