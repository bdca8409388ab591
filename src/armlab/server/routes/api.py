"""The routes below /api/: they read what is asked for, call the library, and add nothing of their own."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

import armlab
from armlab.arrays import Floats
from armlab.catalog import tool_names
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.joint_units import from_joint_units
from armlab.model.robot import Robot
from armlab.reports.kinematics import FkReport, fk_report
from armlab.reports.robots import RobotRow, RobotSheet
from armlab.server import builtin_content, robot_assets
from armlab.server.messages import (
    EntryToken,
    ErrorBody,
    PaperContent,
    PaperRow,
    ScenarioContent,
    ScenarioRow,
    SceneContent,
    SceneRow,
    VersionReport,
)

MAX_QUERY = 4096

_ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no arm of that name."},
    422: {"model": ErrorBody, "description": "The values cannot be used; the message says why."},
}

router = APIRouter(prefix="/api", responses=_ERRORS)


@router.get("/version")
def version() -> VersionReport:
    """Which armlab is answering."""
    return VersionReport(version=armlab.__version__)


@router.get("/entry")
def entry(request: Request) -> EntryToken:
    """The token of the next link, for who is already in: a notebook shows the page in a frame with it."""
    return EntryToken(token=request.app.state.access.token)


@router.get("/robots")
def robots() -> tuple[RobotRow, ...]:
    """Every arm of the catalog."""
    return robot_assets.rows()


@router.get("/robots/{name}")
def robot_sheet(name: str) -> RobotSheet:
    """Everything about one arm."""
    return robot_assets.sheet(name)


@router.get(
    "/robots/{name}/model.glb",
    response_class=Response,
    responses={
        200: {"content": {"model/gltf-binary": {}}},
        304: {"description": "The file has not changed."},
    },
)
def robot_model(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The arm's shape as GLB: one node per link, geometry in the link's frame, metres, z up."""
    return answer_with(robot_assets.model(name), if_none_match)


@router.get("/robots/{name}/picture.png", response_class=Response, responses={200: {"content": {"image/png": {}}}})
def robot_picture(name: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """A small picture of the arm at home, on a clear ground."""
    return answer_with(robot_assets.picture(name), if_none_match, "image/png")


@router.get("/papers")
def papers() -> tuple[PaperRow, ...]:
    """Every experiment of the papers that can be opened."""
    from armlab.server import paper_projects

    return paper_projects.paper_rows()


@router.get("/papers/{name}")
def paper(name: str) -> PaperContent:
    """One experiment as a project."""
    from armlab.server import paper_projects

    return paper_projects.paper_content(name)


@router.get("/scenes")
def scenes() -> tuple[SceneRow, ...]:
    """Every scene that comes with armlab."""
    return builtin_content.scene_rows()


@router.get("/scenes/{name}")
def scene(name: str) -> SceneContent:
    """The arm and the bodies of one scene, to be put into a project."""
    return builtin_content.scene_content(name)


@router.get("/scenarios")
def scenarios() -> tuple[ScenarioRow, ...]:
    """Every scenario that comes with armlab."""
    return builtin_content.scenario_rows()


@router.get("/scenarios/{name}")
def scenario(name: str) -> ScenarioContent:
    """One scenario, and a project to play it in."""
    return builtin_content.scenario_content(name)


@router.get("/tools")
def tools() -> tuple[str, ...]:
    """The names of all tools that an arm can hold."""
    return tool_names()


@router.get("/robots/{name}/fk")
def robot_fk(
    name: str,
    q: Annotated[
        str | None,
        Query(max_length=MAX_QUERY, description="Joint values, separated by commas: degrees, mm. Default: home."),
    ] = None,
) -> FkReport:
    """Where the tool and every link are at joint values `q`."""
    robot = robot_assets.robot(name)
    values = robot.home if q is None else joint_values(robot, q)
    return fk_report(robot, values, with_frames=True)


def joint_values(robot: Robot, text: str) -> Floats:
    """Return the typed values in SI, one per joint."""
    typed = [_number(item) for item in text.split(",")]
    return from_joint_units(robot, typed)


def answer_with(file: robot_assets.Asset, if_none_match: str | None, media_type: str = "model/gltf-binary") -> Response:
    """Return a file, or that the browser has it already."""
    headers = {"ETag": file.etag, "Cache-Control": "no-cache"}
    if file.etag in (tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(file.content, media_type=media_type, headers=headers)


def _number(item: str) -> float:
    try:
        value = float(item)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput("not_a_number", _("'{given}' is not a number"), given=item.strip()).within("q")
    return value
