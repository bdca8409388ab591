"""Scenes and scenarios that come with armlab, as parts of a project; each is read once."""

from __future__ import annotations

import json
import tomllib
from functools import cache

import numpy as np

from armlab.catalog import load, robot_names, tool_names
from armlab.catalog.scene_schema import BodyTable, SceneTable
from armlab.catalog.scene_text import scene_text
from armlab.catalog.scenes import load_scene, scene_names
from armlab.cell.project import FIRST_ARM, ArmChoice, Project, ProjectArm
from armlab.errors import UnknownName
from armlab.geometry import pose
from armlab.model.scene import PlacedRobot, Scene
from armlab.program.scenario import SCENARIOS, Scenario, load_scenario, scenario_names
from armlab.program.scenario_schema import ScenarioFile
from armlab.server.messages import ScenarioContent, ScenarioRow, SceneContent, SceneRow
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6


@cache
def scene_rows() -> tuple[SceneRow, ...]:
    """Return one row per scene."""
    return tuple(_scene_row(load_scene(name)) for name in scene_names())


@cache
def scene_content(name: str) -> SceneContent:
    """Return the scene called `name`: a name, never a path.

    Raises:
        UnknownName: if there is none.
    """
    if name not in scene_names():
        raise UnknownName("scene", name, scene_names())
    scene = load_scene(name)
    return SceneContent(name=name, title=scene.title or name, arms=_arms(scene), bodies=_bodies(scene))


@cache
def scenario_rows() -> tuple[ScenarioRow, ...]:
    """Return one row per scenario."""
    rows = []
    for name in scenario_names():
        found = _file(name)
        rows.append(ScenarioRow(name=name, title=found.title, notes=found.notes, steps=len(found.steps)))
    return tuple(rows)


@cache
def scenario_content(name: str) -> ScenarioContent:
    """Return the scenario called `name`, and a project with its arm, its bodies and its steps.

    Raises:
        UnknownName: if there is none.
    """
    if name not in scenario_names():
        raise UnknownName("scenario", name, scenario_names())
    found, scenario = _file(name), load_scenario(name)
    return ScenarioContent(scenario=found, project=project_of(found, scenario))


def _file(name: str) -> ScenarioFile:
    return ScenarioFile.model_validate(json.loads((SCENARIOS / f"{name}.json").read_text(encoding="utf-8")))


def project_of(found: ScenarioFile, scenario: Scenario) -> Project:
    """Return a project in which a scenario can be played: its arm, its bodies, its steps."""
    scene, placed = scenario.scene, scenario.scene.robot(scenario.robot)
    if placed.robot.name not in robot_names():
        raise UnknownName("robot", scenario.robot, robot_names())
    arms = tuple(sorted(_arms(scene), key=lambda arm: arm.name != _name(scene, placed)))
    project = Project(title=found.title, notes=found.notes, arms=arms, bodies=_bodies(scene))
    return project.with_own(arms[0].name, scenario=found)


def _scene_row(scene: Scene) -> SceneRow:
    arm = scene.robots[0].robot.name if scene.robots else None
    return SceneRow(
        name=scene.name,
        title=scene.title or scene.name,
        notes=scene.notes,
        bodies=len(scene.bodies),
        arm=arm,
        arms=len(scene.robots),
    )


def _name(scene: Scene, placed: PlacedRobot) -> str:
    """Return what an arm is called in a project: as in its scene, where that has several."""
    return FIRST_ARM if len(scene.robots) == 1 else placed.name


def _arms(scene: Scene) -> tuple[ProjectArm, ...]:
    """Return the arms of a scene; those that are not in the catalog cannot come along."""
    known = (placed for placed in scene.robots if placed.robot.name in robot_names())
    return tuple(ProjectArm(name=_name(scene, placed), arm=_arm(placed)) for placed in known)


def _arm(placed: PlacedRobot) -> ArmChoice:
    """Return an arm of a scene, one of the catalog, as a project's choice."""
    robot = placed.robot
    T = robot.base @ pose.inverse(load(robot.name).base)
    xyz, abc = T[:3, 3] * MM_PER_M, pose.as_abc(T) * DEG_PER_RAD
    x, y, z, a, b, c = (round(float(v), DIGITS) + 0.0 for v in np.concatenate([xyz, abc]))
    tool = robot.tool.name if robot.tool.name in tool_names() else "none"
    return ArmChoice(name=robot.name, tool=tool, base=(x, y, z, a, b, c))


def _bodies(scene: Scene) -> tuple[BodyTable, ...]:
    """Return the bodies as a project can hold them: convex shapes, no files."""
    text = scene_text(Scene(scene.name, (), scene.bodies))
    return SceneTable.model_validate(tomllib.loads(text)).body
