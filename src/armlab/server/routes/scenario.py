"""Scenarios over HTTP: a file is checked before it is opened, and the steps are checked before they are run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError

from armlab.catalog import robot_names, tool_names
from armlab.catalog.scenes import SCENES, scene_names
from armlab.errors import InvalidInput, NameKind, UnknownName
from armlab.jobs import ASKED, Ticket, submit
from armlab.messages import _, term
from armlab.program.scenario import build_scenario, program_of
from armlab.program.scenario_schema import ScenarioFile
from armlab.server.builtin_content import project_of
from armlab.server.messages import ScenarioCheck, ScenarioContent
from armlab.server.outcome import outcome
from armlab.server.program_work import checked_scenario
from armlab.server.routes.session import ERRORS, Found, own_of, whole_body
from armlab.validation import parsed_json, refusal

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.post("/{session}/scenario-file")
def read_file(worker: Found, body: Annotated[bytes, Depends(whole_body)]) -> ScenarioContent:
    """Check a scenario file, and return it with a project to play it in; nothing is opened by this."""
    found = _checked(body)
    named: tuple[tuple[NameKind, str | None, tuple[str, ...]], ...] = (
        ("robot", found.arm, robot_names()),
        ("tool", found.tool, tool_names()),
        ("scene", found.scene, scene_names()),
    )
    for kind, name, names in named:
        if name is not None and name not in names:
            raise UnknownName(kind, name, names)
    if found.arm == own_of(worker).arm.name and found.scene is None:
        program_of(found, worker.session.robot)
    return ScenarioContent(scenario=found, project=project_of(found, build_scenario(found, SCENES)))


@router.get("/{session}/scenario-check")
async def check(request: Request, worker: Found) -> ScenarioCheck:
    """Plan the project's scenario and check its contacts without physics: what fails, and what would touch what."""
    scenario, scene = own_of(worker).scenario, worker.session.scene
    if scenario is None:
        raise InvalidInput("no_scenario", _("there is no scenario yet; open one, or add a step"))
    return await outcome(request, submit(Ticket(ASKED, worker.name), checked_scenario, scenario, scene))


def _checked(body: bytes) -> ScenarioFile:
    try:
        return ScenarioFile.model_validate(parsed_json(body))
    except ValidationError as error:
        raise refusal(error).within(term(_("not an armlab scenario"))) from None
