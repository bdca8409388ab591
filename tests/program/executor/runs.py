"""Programs for tests of the executor, and what came of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor import Event, Executor, Piece
from armlab.program.instructions import Blend, Instruction, MotionSettings, MoveL

ARM: Robot = armlab.load("kuka-kr6-r700")
T_HOME = ARM.fk(ARM.home)
BLENDED = MotionSettings(tool_speed=0.05, blend=Blend(tolerance=1e-4))


def at(x: float, y: float, *more: float) -> Floats:
    """Return the home frame of the tool, shifted by x, y, z in the world (m) and turned about its z axis (rad)."""
    z, turn = (*more, 0.0, 0.0)[:2]
    T = T_HOME @ pose.from_xyz_rpy([0, 0, 0], [0, 0, turn])
    T[:3, 3] += [x, y, z]
    return T


def curve(count: int, size: float = 0.08) -> list[Floats]:
    """Return frames along a figure of eight, each about as far from the next as the others."""
    u = np.linspace(0.0, 2.0 * np.pi, count + 1)[1:]
    return [at(size * (np.cos(t) - 1.0), size * np.sin(2.0 * t)) for t in u]


def lines(frames: Iterable[Floats], settings: MotionSettings = BLENDED) -> list[Instruction]:
    """Return one straight move to each frame."""
    return [MoveL((frame,), settings=settings) for frame in frames]


def executed(
    instructions: Iterable[Instruction], *, robot: Robot = ARM, start: Floats | None = None, lookahead: int = 50
) -> tuple[list[Piece], list[Event]]:
    """Return the pieces and events of a program."""
    items = list(Executor(robot, instructions, start=robot.home if start is None else start, lookahead=lookahead))
    return [item for item in items if isinstance(item, Piece)], [item for item in items if isinstance(item, Event)]


def whole(pieces: Iterable[Piece]) -> Trajectory:
    """Return pieces as one trajectory."""
    return reduce(lambda a, b: a.then(b), (piece.trajectory for piece in pieces))


def distances_to_polyline(points: Floats, corners: Floats) -> Floats:
    """Return how far (m, 3) points are from the lines between (k, 3) corners: (m,)."""
    a, d = corners[:-1], np.diff(corners, axis=0)
    out = np.empty(len(points))
    for i, p in enumerate(points):
        u = np.clip(((p - a) * d).sum(axis=1) / (d * d).sum(axis=1), 0.0, 1.0)
        out[i] = np.linalg.norm(a + d * u[:, None] - p, axis=1).min()
    return out
