"""A program, an arm and a cell become a stream of instructions, whatever language the program is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.scenes import load_scene
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.parts import Tool
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.program.gcode.canon import Arc, Feed, Spline, StraightProbe, Traverse
from armlab.program.gcode.instructions import LineRange, instructions_of
from armlab.program.gcode.interpreter import Interpreter, Options
from armlab.program.gcode.source import Source
from armlab.program.gcode.travel import Travel, bezier_points
from armlab.program.instructions import Instructions
from armlab.program.languages import ProgramSource
from armlab.program.place import DOWN, BodySurface, Direction, Placement, default_placement, placed, top_of
from armlab.program.scenario import load_scenario
from armlab.units import M_PER_MM

SURVEYED = 30_000
"""Lines that are looked at for how large a part is, before a place is chosen for it."""
ARC_POINTS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """An arm in its scene."""

    scene: Scene
    arm: PlacedRobot

    @property
    def robot(self) -> Robot:
        """The arm."""
        return self.arm.robot


@dataclass(frozen=True, slots=True, eq=False)
class PartPlace:
    """Where a part lies: a frame in the world, the name of a body under it, or None: where the arm reaches it."""

    where: Floats | str | None = None
    direction: Direction = DOWN
    """Of the tool's axis, in the part's frame."""
    surface: str | None = None
    """The body to whose surface the tool stands perpendicular."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a program is read and which part of it is run."""

    gcode: Options = field(default_factory=Options)
    lines: LineRange = field(default_factory=LineRange)
    stops_at_errors: bool = True
    with_marks: bool = False
    """Whether every statement is marked, as a debugger or a translation needs it."""
    passes: int | None = 1
    """How often a loop without an exit is followed; None: for ever."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedProgram:
    """A program that is ready for an executor."""

    source: ProgramSource
    cell: Cell
    instructions: Instructions
    start: Floats
    findings: tuple[Finding, ...] = ()
    """What is to be said before it runs: where the part lies."""
    again: Callable[[], PreparedProgram] | None = None
    """Prepares the same program once more; none where its instructions came from elsewhere."""


def cell_of(robot: str | None, scene: str | None, tool: Tool | None = None) -> Cell:
    """Return an arm in a scene: the arm of that name, or else the catalog's in the place of the scene's first.

    Raises:
        InvalidInput: if neither is given, or the scene has no arm.
    """
    if scene is None:
        if robot is None:
            raise InvalidInput("robot_missing", _("say which arm runs the program: --robot NAME"))
        arm = load(robot)
        return _only(Scene.of(arm if tool is None else arm.with_tool(tool)))
    staged = load_scene(scene)
    for known in staged.robots:
        if robot is None or robot in {known.name, known.robot.name}:
            return _with_tool(staged, known, tool)
    if robot is None:
        raise InvalidInput("scene_without_arm", _("scene '{scene}' has no arm; name one"), scene=staged.name)
    arm = load(robot)
    if staged.robots:
        arm = arm.with_base(staged.robots[0].robot.base)
    arm = arm if tool is None else arm.with_tool(tool)
    staged = replace(staged, robots=(PlacedRobot(arm.name, arm, arm.home), *staged.robots[1:]))
    return Cell(staged, staged.robots[0])


def _only(scene: Scene) -> Cell:
    return Cell(scene, scene.robots[0])


def _with_tool(scene: Scene, arm: PlacedRobot, tool: Tool | None) -> Cell:
    if tool is None:
        return Cell(scene, arm)
    changed = replace(arm, robot=arm.robot.with_tool(tool))
    return Cell(replace(scene, robots=tuple(changed if one is arm else one for one in scene.robots)), changed)


def prepare(
    source: ProgramSource, cell: Cell | None, place: PartPlace | None = None, options: RunOptions | None = None
) -> PreparedProgram:
    """Return a program with its instructions for the arm of a cell; a scenario brings its own cell.

    Raises:
        InvalidInput: if the program cannot be read, or there is no arm for it.
    """
    prepared = _prepared(source, cell, place or PartPlace(), options or RunOptions())
    return replace(prepared, again=lambda: prepare(source, cell, place, options))


def _prepared(source: ProgramSource, cell: Cell | None, place: PartPlace, options: RunOptions) -> PreparedProgram:
    if source.language == "scenario":
        scenario = load_scenario(source.path or source.name)
        own = Cell(scenario.scene, scenario.scene.robot(scenario.robot))
        return PreparedProgram(source, own, plain_stream(scenario.program.instructions), scenario.program.start)
    if cell is None:
        raise InvalidInput("robot_missing", _("say which arm runs the program: --robot NAME"))
    if source.language == "krl":
        from armlab.program.krl.instructions import instructions_of as krl_instructions

        q = cell.arm.q
        marks, passes = options.with_marks, options.passes
        stream = krl_instructions(source.krl(), cell.robot, start=q, passes=passes, with_marks=marks)
        return PreparedProgram(source, cell, stream, q)
    if source.language == "python":
        from armlab.program.python.instructions import instructions_of as script_instructions

        name, script = source.python()
        marks, passes = options.with_marks, options.passes
        stream = script_instructions(script, cell.robot, file=name, start=cell.arm.q, passes=passes, with_marks=marks)
        return PreparedProgram(source, cell, stream, cell.arm.q)
    text = source.gcode()
    placement, findings = _placement(text, cell, place, options.gcode)
    stream = instructions_of(
        Interpreter(text, replace(options.gcode, is_whole=True)),
        placement,
        T_flange_tool=cell.robot.tool.T_flange_tool,
        lines=options.lines,
        stops_at_errors=options.stops_at_errors,
        with_marks=options.with_marks,
    )
    return PreparedProgram(source, cell, stream, cell.arm.q, findings)


def plain_stream(instructions: Iterable[object]) -> Instructions:
    """Yield instructions that ask nothing, as those of a scenario, as a program does."""
    yield from instructions  # type: ignore[misc]  # a scenario asks nothing


def _placement(text: Source, cell: Cell, place: PartPlace, options: Options) -> tuple[Placement, tuple[Finding, ...]]:
    points = survey(Interpreter(text, replace(options, steps=min(options.steps or SURVEYED, SURVEYED))))
    surface = None if place.surface is None else BodySurface(cell.scene.body(place.surface))
    if place.where is None:
        return default_placement(cell.robot, points, direction=place.direction, surface=surface)
    where = top_of(cell.scene.body(place.where)) if isinstance(place.where, str) else place.where
    return placed(cell.robot, where, points, direction=place.direction, surface=surface)


def survey(interpreter: Interpreter) -> Floats:
    """Return the points (k, 3) in m, in the part's frame, that the motions of a program lead to."""
    points: list[tuple[float, ...]] = []
    here = interpreter.run.machine.world(interpreter.run.machine.position)
    travel = Travel()
    for item in interpreter:
        match item:
            case Feed() | Traverse() | StraightProbe():
                points.append(item.world[:3])
            case Arc():
                arc = travel.arc(here, item.world, item.world_center, item.turns, item.plane)
                points.extend(arc.points(here, ARC_POINTS))
            case Spline():
                points.extend(point[:3] for point in bezier_points(here, item.world, item.world_controls))
            case _:
                continue
        here = item.world
    return np.array(points, dtype=np.float64).reshape(-1, 3) * M_PER_MM


def program_text(source: ProgramSource) -> list[str]:
    """Return the lines of a program's text, for people."""
    path = source.path
    data = source.data if source.data is not None else (path.read_bytes() if isinstance(path, Path) else b"")
    return data.decode("utf-8", "replace").splitlines()
