"""Scenario files: an arm, a scene, and a list of motions and events; they become a Program."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, assert_never

import numpy as np
from pydantic import ValidationError

from armlab.arrays import Floats
from armlab.catalog import load, load_tool
from armlab.catalog.files import problem_texts
from armlab.catalog.scenes import load_scene
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.files import read_bounded
from armlab.model import pose
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.program.instructions import Instruction, MoveC, MoveJ, MoveL, MoveSpline, Pick, Place, Program, Stop, Wait
from armlab.program.scenario_schema import (
    Frame,
    MoveStep,
    PickStep,
    PlaceStep,
    ScenarioFile,
    Step,
    StopStep,
    WaitStep,
)
from armlab.units import M_PER_MM, joint_scale, joint_unit

SCENARIOS = Path(__file__).parent / "scenarios"
MAX_BYTES = 1_000_000
JOINTS_KEY = ".tuple[constrained-float, ...]"
"""How pydantic calls joint values where a pose's name may stand too; nobody wants to read that."""


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


def scenario_names() -> tuple[str, ...]:
    """Return the names of all scenarios that come with armlab."""
    return tuple(sorted(path.stem for path in SCENARIOS.glob("*.json")))


def load_scenario(scenario: str | Path) -> Scenario:
    """Return a scenario by its name in armlab, or from a .json file.

    Raises:
        UnknownName: if no scenario has that name.
        CatalogError: if the file cannot be used; the sentence says which key and why.
    """
    if not isinstance(scenario, str | Path):
        raise InvalidInput(f"scenario: {scenario!r} is neither a name nor a path")
    if isinstance(scenario, str) and not any(mark in scenario for mark in "/\\."):
        if scenario not in scenario_names():
            raise UnknownName("scenario", scenario, scenario_names())
        return read_scenario(SCENARIOS / f"{scenario}.json")
    return read_scenario(Path(scenario))


def read_scenario(path: Path) -> Scenario:
    """Return the scenario in the file at `path`; files that it names are looked for beside it."""
    try:
        data: Any = json.loads(read_bounded(path, MAX_BYTES).decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise CatalogError(path, "", "is no text file") from None
    except InvalidInput as error:
        raise CatalogError(path, "", error.message.removeprefix(f"{path}: ")) from None
    except json.JSONDecodeError as error:
        raise CatalogError(path, "", f"is no JSON: {error.msg} in line {error.lineno}") from None
    except (RecursionError, ValueError):
        raise CatalogError(path, "", "is no JSON that can be read: nested too deeply, or a number too long") from None
    try:
        checked = ScenarioFile.model_validate(data)
    except ValidationError as error:
        key, text = (words.replace(JOINTS_KEY, "") for words in problem_texts(error))
        raise CatalogError(path, key, text) from None
    try:
        return build_scenario(checked, path.parent)
    except (InvalidInput, UnknownName) as error:
        if isinstance(error, CatalogError):
            raise
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
    steps = tuple(_instruction(robot, step, f"step {i + 1}") for i, step in enumerate(checked.steps))
    return Program(checked.name, start, steps)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise InvalidInput(f"the key '{key[:60]}' is there twice")
    return dict(pairs)


def _stage(checked: ScenarioFile, folder: Path) -> tuple[Scene, int]:
    """Return the scene, and which of its arms moves; an arm that is not in the scene takes the place of its first."""
    if checked.scene is None:
        assert checked.arm is not None
        return Scene.of(load(_beside(checked.arm, folder))), 0
    scene = load_scene(_beside(checked.scene, folder))
    if checked.arm is None:
        if not scene.robots:
            raise InvalidInput(f"scene '{scene.name}' has no arm; name one")
        return scene, 0
    for k, placed in enumerate(scene.robots):
        if checked.arm in {placed.name, placed.robot.name}:
            return scene, k
    robot = load(_beside(checked.arm, folder))
    if scene.robots:
        robot = robot.with_base(scene.robots[0].robot.base)
    return replace(scene, robots=(PlacedRobot(robot.name, robot, robot.home), *scene.robots[1:])), 0


def _check_picks(scene: Scene, program: Program) -> None:
    for pick in program.instructions:
        if isinstance(pick, Pick) and pick.body is not None:
            names = [body.name for body in scene.bodies]
            if pick.body not in names:
                raise InvalidInput(f"{pick.source}: {UnknownName('body', pick.body, names).message}")
            if scene.body(pick.body).is_fixed:
                raise InvalidInput(f"{pick.source}: '{pick.body}' is fixed; only a body with a mass can be picked")


def _beside(name: str, folder: Path) -> str | Path:
    """Return a catalog name as it is, and a file name as a path below `folder`."""
    if not any(mark in name for mark in "/\\."):
        return name
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInput(f"'{name}': a file of a scenario is beside it or in a folder below")
    return folder / path


def _joints(robot: Robot, given: tuple[float, ...] | str, what: str) -> Floats:
    if isinstance(given, str):
        try:
            return np.array(robot.pose(given))
        except UnknownName as error:
            raise InvalidInput(f"{what}: {error.message}") from None
    if len(given) != robot.dof:
        raise InvalidInput(f"{what}: {robot.name} has {robot.dof} joints, but {len(given)} values are given")
    q: Floats = np.array(given) * np.array([joint_scale(joint.kind) for joint in robot.joints])
    for value, shown, joint in zip(q, given, robot.joints, strict=True):
        if not joint.lower - 1e-9 <= value <= joint.upper + 1e-9:
            scale, unit = joint_scale(joint.kind), joint_unit(joint.kind)
            allowed = f"{joint.lower / scale:.6g}…{joint.upper / scale:.6g}{unit}"
            raise InvalidInput(f"{what}: joint '{joint.name}': {shown:.6g}{unit} is outside {allowed}")
    return q


def _frame(frame: Frame) -> Floats:
    return pose.from_xyz_abc(np.array(frame[:3]) * M_PER_MM, np.radians(frame[3:]))


def _instruction(robot: Robot, step: Step, source: str) -> Instruction:
    match step:
        case MoveStep():
            return _move(robot, step, source)
        case PickStep():
            return Pick(step.body, source)
        case PlaceStep():
            return Place(source)
        case WaitStep():
            return Wait(step.seconds, source)
        case StopStep():
            return Stop(source)
        case _:
            assert_never(step)


def _move(robot: Robot, step: MoveStep, source: str) -> Instruction:
    speed = step.speed / 100.0
    tool_speed = None if step.tool_speed is None else step.tool_speed * M_PER_MM
    if step.through is not None:
        frames = tuple(_frame(frame) for frame in step.through)
    elif step.to_pose is not None:
        frames = (_frame(step.to_pose),)
    else:
        frames = ()
    if step.arc is not None or step.path != "joint":
        if not frames:
            assert step.to is not None
            frames = (robot.fk(_joints(robot, step.to, source)),)
        if step.arc is not None:
            return MoveC(np.array(step.arc) * M_PER_MM, frames[-1], tool_speed, speed, step.task, source)
        if step.path == "line":
            return MoveL(frames, step.blend * M_PER_MM, tool_speed, speed, step.task, source)
        if step.blend:
            raise InvalidInput(f"{source}: blend rounds the corners of a line, and a {step.path} has none")
        assert step.path != "joint"
        return MoveSpline(frames, step.path, tool_speed, speed, step.task, source)
    via = tuple(_joints(robot, q, source) for q in step.via)
    assert frames or step.to is not None
    last = frames[0] if frames else _joints(robot, step.to or "home", source)
    return MoveJ((*via, last), step.scheme, step.times, speed, step.task, source)
