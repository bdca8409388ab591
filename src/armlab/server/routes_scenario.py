"""Scenarios over HTTP: a file is checked before it is opened, and the steps are checked before they are run."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import ValidationError

from armlab.catalog import robot_names, tool_names
from armlab.catalog.files import problem_texts
from armlab.catalog.scenes import SCENES, scene_names
from armlab.errors import ArmlabError, InvalidInput, UnknownName
from armlab.program.scenario import JOINTS_KEY, build_scenario, program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.program.schedule import plan_program
from armlab.program.walk import walk
from armlab.reports.motion import FindingReport, finding_reports
from armlab.server.library import project_of
from armlab.server.messages import ScenarioCheck, ScenarioContent
from armlab.server.session_routes import ERRORS, Found, whole_body

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.post("/{session}/scenario-file")
def read_file(worker: Found, body: Annotated[bytes, Depends(whole_body)]) -> ScenarioContent:
    """Check a scenario file, and return it with a project to play it in; nothing is opened by this."""
    found = _checked(body)
    known = (("robot", found.arm, robot_names()), ("tool", found.tool, tool_names()))
    for what, name, names in (*known, ("scene", found.scene, scene_names())):
        if name is not None and name not in names:
            raise UnknownName(what, name, names)
    if found.arm == worker.engine.project.arm.name and found.scene is None:
        program_of(found, worker.engine.robot)
    return ScenarioContent(scenario=found, project=project_of(found, build_scenario(found, SCENES)))


@router.get("/{session}/scenario-check")
def check(worker: Found) -> ScenarioCheck:
    """Plan the project's scenario and walk through it without physics: what fails, and what would touch what."""
    scenario, scene = worker.engine.project.scenario, worker.engine.scene
    if scenario is None:
        raise InvalidInput("there is no scenario yet; open one, or add a step")
    robot = scene.robots[0].robot
    try:
        schedule = plan_program(robot, program_of(scenario, robot))
    except ArmlabError as error:
        return ScenarioCheck(duration=0.0, findings=(_failure(error),))
    if not schedule.legs:
        return ScenarioCheck(duration=0.0, findings=())
    found = walk(scene, schedule).findings
    return ScenarioCheck(duration=round(schedule.trajectory.duration, 6), findings=finding_reports(found))


def _checked(body: bytes) -> ScenarioFile:
    try:
        data = json.loads(body.decode("utf-8-sig"))
    except (UnicodeDecodeError, RecursionError):
        raise InvalidInput("this is no text file") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(f"this is no JSON: {error.msg} in line {error.lineno}", line=error.lineno) from None
    except ValueError:
        raise InvalidInput("this is no JSON that can be read: a number is too long") from None
    try:
        return ScenarioFile.model_validate(data)
    except ValidationError as error:
        key, problem = (words.replace(JOINTS_KEY, "") for words in problem_texts(error))
        where = f"{key}: " if key else ""
        raise InvalidInput(f"this is no scenario of armlab: {where}{problem}", key=key) from None


def _failure(error: ArmlabError) -> FindingReport:
    """Return why the scenario cannot be planned as a finding; `step` says where, if it is one step's fault."""
    where: dict[str, float | int | str] = {}
    number = error.message.removeprefix("step ").partition(":")[0]
    if error.message.startswith("step ") and number.isdigit():
        where["step"] = int(number)
    return FindingReport(level="error", code=error.code, message=error.message, where=where)
