"""The arms of the catalog, each loaded once and kept: the catalog does not change while the server runs."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from typing import NamedTuple

from armlab import catalog
from armlab.errors import UnknownName
from armlab.formats.glb import robot_glb, scene_glb
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.reports.robots import RobotRow, RobotSheet, robot_row, robot_sheet

KEPT = 64
"""Of how many changed arms and scenes the answers are kept."""
KEPT_MODELS = 16
"""The same of shapes: those of arms that were brought may have millions of triangles."""


class Asset(NamedTuple):
    """A file and the tag that changes when its bytes do."""

    content: bytes
    etag: str


@cache
def rows() -> tuple[RobotRow, ...]:
    """Return one row per arm, in the catalog's order."""
    return tuple(robot_row(robot(name)) for name in catalog.robot_names())


@cache
def sheet(name: str) -> RobotSheet:
    """Return everything about the arm called `name`."""
    return robot_sheet(robot(name))


@lru_cache(maxsize=KEPT)
def sheet_of(arm: Robot) -> RobotSheet:
    """Return everything about an arm that a project may have changed."""
    return robot_sheet(arm)


@cache
def model(name: str) -> Asset:
    """Return the shape of the arm called `name`."""
    return _tagged(robot_glb(robot(name)))


@lru_cache(maxsize=KEPT_MODELS)
def model_of(arm: Robot) -> Asset:
    """Return the shape of an arm that a project may have changed."""
    return _tagged(robot_glb(arm))


@lru_cache(maxsize=KEPT_MODELS)
def bodies_of(scene: Scene) -> Asset:
    """Return the shapes of all bodies of a scene."""
    return _tagged(scene_glb(scene))


@cache
def picture(name: str) -> Asset:
    """Return a small picture of the arm called `name`."""
    from armlab.figures.portrait import portrait

    return _tagged(portrait(robot(name)))


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


def _tagged(content: bytes) -> Asset:
    return Asset(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
