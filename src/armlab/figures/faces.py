"""The solids of an arm as triangles, lit from one side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.figures.raster import Triangles
from armlab.geometry import pose, solid
from armlab.geometry.shape import Palette
from armlab.geometry.visual import shaded
from armlab.model.parts import Link, Tool
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

FINE, COARSE = 9, 4
"""Flat faces per quarter turn of a round surface."""
LIGHT = np.array([0.36, -0.48, 0.80])
"""Where the light comes from, in world coordinates."""
AMBIENT, DARKEST = 0.64, -0.5
SHADOW = (0.91, 0.92, 0.935)


@dataclass(frozen=True, slots=True, eq=False)
class Solids:
    """Every triangle of an arm, in the frame of the link that it belongs to, or of the flange."""

    corners: Floats
    """(k, 3, 3) metres."""
    normals: Floats
    """(k, 3, 3) unit vectors outwards at the corners."""
    colours: Floats
    """(k, 3) red, green, blue."""
    link: NDArray[np.int64]
    """(k,) the link's number; the flange's is one more than the last link's."""


def arm_solids(robot: Robot, quality: int = FINE) -> Solids:
    """Return the triangles of all links and of the tool."""
    from matplotlib.colors import to_rgb

    corners, normals = [np.empty((0, 3, 3))], [np.empty((0, 3, 3))]
    colours, link = [np.empty((0, 3))], [np.empty(0, dtype=np.int64)]
    parts: list[Link | Tool] = [*robot.links, robot.tool]
    for i, part in enumerate(parts):
        for mesh, colour in _surfaces(part, robot.palette, quality):
            corners.append(mesh.vertices[mesh.faces])
            normals.append(mesh.normals[mesh.faces])
            colours.append(np.tile(to_rgb(colour), (len(mesh.faces), 1)))
            link.append(np.full(len(mesh.faces), i))
    return Solids(np.concatenate(corners), np.concatenate(normals), np.concatenate(colours), np.concatenate(link))


def _surfaces(part: Link | Tool, palette: Palette, quality: int) -> Iterator[tuple[solid.Mesh, str]]:
    """Give what a link or tool shows: its own surfaces with their colours, or else its solids."""
    visuals = part.visuals if isinstance(part, Link) else ()
    for each in visuals:
        yield shaded(each), each.colour or palette.body
    for shape in () if visuals else part.shapes:
        yield solid.mesh(shape, quality), getattr(palette, shape.finish)


def arm_size(robot: Robot) -> float:
    """Return how long the arm is when it stands at home: the sum of the distances between its frames, never zero."""
    steps = np.diff(robot.frames(robot.home)[:, :3, 3], axis=0)
    return max(float(np.linalg.norm(steps, axis=1).sum()), 1e-3)


def placed(solids: Solids, robot: Robot, q: Floats) -> Triangles:
    """Return the triangles where the joints `q` put them, in world millimetres, with light on them."""
    frames = robot.frames(q)
    frames[-1] = frames[-1] @ pose.inverse(robot.tool.T_flange_tool)
    T = frames[solids.link]
    R = np.swapaxes(T[:, :3, :3], 1, 2)
    corners = solids.corners @ R + T[:, None, :3, 3]
    facing = np.clip((solids.normals @ R) @ (LIGHT / np.linalg.norm(LIGHT)), DARKEST, 1.0)
    return Triangles(corners * MM_PER_M, solids.colours, AMBIENT + (1.0 - AMBIENT) * facing)


def shadow(triangles: Triangles, floor: float) -> Triangles:
    """Return the triangles fallen straight down onto z = `floor`, all of one pale colour."""
    corners = triangles.corners.copy()
    corners[..., 2] = floor
    ab, ac = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    up = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] > 0.0
    return Triangles(corners[up], np.tile(SHADOW, (int(up.sum()), 1)), np.ones((int(up.sum()), 3)))


def paled(triangles: Triangles) -> Triangles:
    """Return the triangles nearly as white as paper: an arm that was here before."""
    return Triangles(triangles.corners, 0.80 + 0.16 * triangles.colours, triangles.light)
