"""The routes below /api/: they read what is asked for, call the library, and add nothing of their own."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Header, Query, Response

import armlab
from armlab import reports
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.reports import FkReport, RobotRow, RobotSheet
from armlab.server import shelf
from armlab.server.messages import ErrorBody, VersionReport
from armlab.units import joint_scale

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


@router.get("/robots")
def robots() -> tuple[RobotRow, ...]:
    """Every arm of the catalog."""
    return shelf.rows()


@router.get("/robots/{name}")
def robot_sheet(name: str) -> RobotSheet:
    """Everything about one arm."""
    return shelf.sheet(name)


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
    glb, etag = shelf.model(name)
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if etag in (tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(glb, media_type="model/gltf-binary", headers=headers)


@router.get("/robots/{name}/fk")
def robot_fk(
    name: str,
    q: Annotated[
        str | None,
        Query(max_length=MAX_QUERY, description="Joint values, separated by commas: degrees, mm. Default: home."),
    ] = None,
) -> FkReport:
    """Where the tool and every link are at joint values `q`."""
    robot = shelf.robot(name)
    values = robot.home if q is None else _joint_values(robot, q)
    return reports.fk_report(robot, values, with_frames=True)


def _joint_values(robot: Robot, text: str) -> Floats:
    """Return the typed values in SI, one per joint."""
    typed = [_number(item) for item in text.split(",")]
    if len(typed) != robot.dof:
        raise InvalidInput(
            f"{robot.name}: q has {len(typed)} values; {robot.dof} are needed, one per joint",
            expected=robot.dof,
            got=len(typed),
        )
    return np.array([value * joint_scale(joint.kind) for value, joint in zip(typed, robot.joints, strict=True)])


def _number(item: str) -> float:
    try:
        value = float(item)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidInput(f"q: '{item.strip()}' is not a finite number", text=item.strip())
    return value
