"""The arms of the catalog, each loaded once and kept: the catalog does not change while the server runs."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import NamedTuple

from armlab import catalog, reports
from armlab.errors import UnknownName
from armlab.importing.glb import robot_glb
from armlab.model.robot import Robot
from armlab.reports import RobotRow, RobotSheet


class Model(NamedTuple):
    """A GLB file and the tag that changes when its bytes do."""

    glb: bytes
    etag: str


@cache
def rows() -> tuple[RobotRow, ...]:
    """Return one row per arm, in the catalog's order."""
    return tuple(reports.robot_row(robot(name)) for name in catalog.robot_names())


@cache
def sheet(name: str) -> RobotSheet:
    """Return everything about the arm called `name`."""
    return reports.robot_sheet(robot(name))


@cache
def model(name: str) -> Model:
    """Return the shape of the arm called `name`."""
    glb = robot_glb(robot(name))
    return Model(glb, f'"{hashlib.sha256(glb).hexdigest()[:32]}"')


@cache
def robot(name: str) -> Robot:
    """Return the catalog's arm called `name`: a name, never a path.

    Raises:
        UnknownName: if the catalog has no arm of that name.
    """
    known = catalog.robot_names()
    if name not in known:
        raise UnknownName("robot", name, known)
    return catalog.load(name)
