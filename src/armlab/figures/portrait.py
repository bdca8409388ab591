"""A small picture of an arm for lists: the arm alone on a clear ground, painted without any drawing package."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.figures.faces import COARSE, arm_solids, placed
from armlab.figures.raster import Triangles, painted
from armlab.figures.scene import bounds_around
from armlab.model.robot import Robot

WIDTH, HEIGHT = 320, 240
MARGIN = 0.06
"""Share of the picture that is left free on each side."""
SAMPLES = 2


def portrait(robot: Robot, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """Return a PNG of the arm at home, seen as `armlab view` shows it, with a clear background."""
    triangles = placed(arm_solids(robot, COARSE), robot, robot.home)
    bounds = bounds_around(robot, robot.home[None])
    seen, corners = _on_paper(triangles, _camera(bounds.azimuth, bounds.elevation), width, height)
    return as_png(painted(seen, corners, width, height, SAMPLES)[::-1])


def as_png(picture: NDArray[np.uint8]) -> bytes:
    """Return an image (height, width, 4) of red, green, blue and opacity as the bytes of a PNG file."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 4 * width), dtype=np.uint8)  # each row starts with its filter: none
    rows[:, 1:] = picture.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _camera(azimuth: float, elevation: float) -> Floats:
    """Return the axes of a camera (3, 3) as rows: right, up, and away from who looks."""
    a, e = np.radians([azimuth, elevation])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return np.stack([right, np.cross(towards, right), -towards])


def _on_paper(triangles: Triangles, camera: Floats, width: int, height: int) -> tuple[Triangles, Floats]:
    """Return the triangles that look at the camera, and their corners in pixels (y upwards) with the depth."""
    flat = triangles.corners @ camera.T
    low, high = flat.reshape(-1, 3).min(axis=0), flat.reshape(-1, 3).max(axis=0)
    available = np.array([width, height]) * (1.0 - 2.0 * MARGIN)
    scale = float((available / np.maximum(high - low, 1e-9)[:2]).min())
    flat[..., :2] = (flat[..., :2] - 0.5 * (low + high)[:2]) * scale + 0.5 * np.array([width, height])
    ab, ac = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    front = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] > 1e-6
    return Triangles(triangles.corners[front], triangles.colours[front], triangles.light[front]), flat[front]
