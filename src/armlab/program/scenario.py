"""Scenario files: an arm, a scene, and a list of motions and events; they become a Program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import numpy as np
from pydantic import ValidationError

from armlab.arrays import Floats
from armlab.catalog import load, load_tool, not_a_name
from armlab.catalog.scenes import load_scene
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.files import bounded_bytes
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.joint_limits import check_joint_limits
from armlab.model.joint_units import from_joint_units
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.program.instructions import (
    Blend,
    Instruction,
    MotionSettings,
    MoveC,
    MoveJ,
    MoveL,
    MoveSpline,
    Pick,
    Place,
    Program,
    Stop,
    Wait,
)
from armlab.program.scenario_schema import (
    MoveStep,
    PickStep,
    PlaceStep,
    ScenarioFile,
    Step,
    StopStep,
    WaitStep,
)
from armlab.units import M_PER_MM
from armlab.validation import parsed_json, problems_of, summary

SCENARIOS = Path(__file__).parent / "scenarios"
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """A scenario that was read and checked: the scene with its arms, and the program of one of them."""

    name: str
    title: str
    notes: str
    scene: Scene
    robot: str
    """The arm of the scene that moves."""
    program: Program

    @property
    def arm(self) -> Robot:
        """The arm that moves, as it stands in the scene."""
        return self.scene.robot(self.robot).robot


def scenario_names() -> tuple[str, ...]:
    """Return the names of all scenarios that come with armlab."""
    return tuple(sorted(path.stem for path in SCENARIOS.glob("*.json")))


def load_scenario(scenario: str | Path) -> Scenario:
    """Return a scenario by its name in armlab, or from a .json file.

    Raises:
        UnknownName: if no scenario has that name.
        CatalogError: if the file cannot be used; the message says which key and why.
    """
    if not isinstance(scenario, str | Path):
        raise InvalidInput(not_a_name("scenario", scenario))
    if isinstance(scenario, str) and not any(mark in scenario for mark in "/\\."):
        if scenario not in scenario_names():
            raise UnknownName("scenario", scenario, scenario_names())
        return read_scenario(SCENARIOS / f"{scenario}.json")
    return read_scenario(Path(scenario))


def read_scenario(path: Path) -> Scenario:
    """Return the scenario in the file at `path`; files that it names are looked for beside it."""
    try:
        checked = ScenarioFile.model_validate(parsed_json(bounded_bytes(path, MAX_BYTES)))
        return build_scenario(checked, path.parent)
    except ValidationError as error:
        raise CatalogError(path, *summary(problems_of(error))) from None
    except CatalogError:
        raise
    except (InvalidInput, UnknownName) as error:
        raise CatalogError(path, "", error.message) from None


def build_scenario(checked: ScenarioFile, folder: Path) -> Scenario:
    """Return a checked scenario with its scene and arm loaded; relative file names start at `folder`."""
    scene, k = _stage(checked, folder)
    placed = scene.robots[k]
    if checked.tool is not None:
        placed = replace(placed, robot=placed.robot.with_tool(load_tool(_beside(checked.tool, folder))))
    program = program_of(checked, placed.robot)
    placed = replace(placed, q=program.start)
    scene = replace(scene, robots=(*scene.robots[:k], placed, *scene.robots[k + 1 :]))
    _check_picks(scene, program)
    return Scenario(checked.name, checked.title, checked.notes, scene, placed.name, program)


def program_of(checked: ScenarioFile, robot: Robot) -> Program:
    """Return the steps of a checked scenario as a program for `robot`, whatever arm the file names."""
    start = _joints(robot, checked.start, "start")
    steps = []
    for number, step in enumerate(checked.steps, 1):
        try:
            steps.append(_instruction(robot, step, step_name(number)))
        except InvalidInput as error:
            raise InvalidInput(error.message, step=number) from None
    return Program(checked.name, start, tuple(steps))


def step_name(number: int) -> Message:
    """Return what messages call a step of a scenario, counted from 1."""
    return term(_("step {step}"), step=number)


def _stage(checked: ScenarioFile, folder: Path) -> tuple[Scene, int]:
    """Return the scene, and which of its arms moves; an arm that is not in the scene takes the place of its first."""
    if checked.scene is None:
        assert checked.arm is not None
        return Scene.of(load(_beside(checked.arm, folder))), 0
    scene = load_scene(_beside(checked.scene, folder))
    if checked.arm is None:
        if not scene.robots:
            raise InvalidInput("scene_without_arm", _("scene '{scene}' has no arm; name one"), scene=scene.name)
        return scene, 0
    for k, placed in enumerate(scene.robots):
        if checked.arm in {placed.name, placed.robot.name}:
            return scene, k
    robot = load(_beside(checked.arm, folder))
    if scene.robots:
        robot = robot.with_base(scene.robots[0].robot.base)
    return replace(scene, robots=(PlacedRobot(robot.name, robot, robot.home), *scene.robots[1:])), 0


def _check_picks(scene: Scene, program: Program) -> None:
    bodies = {body.name: body for body in scene.bodies}
    for number, pick in enumerate(program.instructions, 1):
        if isinstance(pick, Pick) and pick.body is not None:
            if pick.body not in bodies:
                unknown = UnknownName("body", pick.body, bodies).message
                raise InvalidInput(unknown.within(pick.source), step=number)
            if bodies[pick.body].is_fixed:
                raise InvalidInput(cannot_pick_fixed(pick.body).within(pick.source), step=number)


def cannot_pick_fixed(body: str) -> Message:
    """Return why a fixed body cannot be picked."""
    return Message("pick_fixed", _("body '{body}' is fixed; only a body with a mass can be picked"), body=body)


def _beside(name: str, folder: Path) -> str | Path:
    """Return a catalog name as it is, and a file name as a path below `folder`."""
    if not any(mark in name for mark in "/\\."):
        return name
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInput(
            "scenario_file_outside", _("file '{file}': must be in the scenario's folder or below it"), file=name
        )
    return folder / path


def _joints(robot: Robot, given: tuple[float, ...] | str, who: str | Message) -> Floats:
    if isinstance(given, str):
        try:
            return np.array(robot.configuration(given))
        except UnknownName as error:
            raise InvalidInput(error.message.within(who)) from None
    q = from_joint_units(robot, given, who)
    check_joint_limits(robot, q, who)
    return q


def _instruction(robot: Robot, step: Step, source: Message) -> Instruction:
    match step:
        case MoveStep():
            return _move(robot, step, source)
        case PickStep():
            return Pick(step.body, source=source)
        case PlaceStep():
            return Place(source=source)
        case WaitStep():
            return Wait(step.seconds, source=source)
        case StopStep():
            return Stop(source=source)
        case _:
            assert_never(step)


def _move(robot: Robot, step: MoveStep, source: Message) -> Instruction:
    tool_speed = None if step.tool_speed is None else step.tool_speed * M_PER_MM
    settings = MotionSettings(speed=step.speed / 100.0, tool_speed=tool_speed, seconds=step.duration, task=step.task)
    if step.through is not None:
        frames = tuple(pose.from_mm_deg(frame) for frame in step.through)
    elif step.to_pose is not None:
        frames = (pose.from_mm_deg(step.to_pose),)
    else:
        frames = ()
    if step.arc is not None or step.path != "joint":
        if not frames:
            assert step.to is not None
            frames = (robot.fk(_joints(robot, step.to, source)),)
        if step.arc is not None:
            return MoveC(np.array(step.arc) * M_PER_MM, frames[-1], settings=settings, source=source)
        if step.path == "line":
            corners = Blend(radius=step.blend * M_PER_MM) if step.blend else None
            return MoveL(frames, corners, settings, source=source)
        if step.blend:
            problem = Message(
                "blend_without_corners", _("blend rounds corners; path '{path}' has none"), path=step.path
            )
            raise InvalidInput(problem.within(source))
        assert step.path != "joint"
        return MoveSpline(frames, step.path, settings, source=source)
    via = tuple(_joints(robot, q, source) for q in step.via)
    assert frames or step.to is not None
    last = frames[0] if frames else _joints(robot, step.to or "home", source)
    return MoveJ((*via, last), step.scheme, step.times, settings=settings, source=source)
