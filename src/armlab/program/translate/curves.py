"""Arcs and curves as other languages want them: three points of a circle, or frames on the curve."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.tool_segments import segments_of
from armlab.program.instructions import MoveC, MoveHelix, MoveSpline
from armlab.program.translate.record import RecordedStep

FLAT = 1e-6
"""m: a helix that rises less is an arc."""
SAME_TURN = 1e-9
WHOLE = 2.0 * math.pi - 0.2
"""rad: arcs beyond this are told by three points and their angle."""
POINTS_PER_TURN = 48
POINTS_BETWEEN = 8
"""Points between the frames of a curve that is not a spline through them."""


class ArcPoints(NamedTuple):
    """An arc through a point (3,) to a frame (4, 4), or on that circle by an angle (rad)."""

    via: Floats
    end: Floats
    angle: float | None = None


def arc_points(step: RecordedStep) -> ArcPoints | None:
    """Return an arc by its points; None for a helix that rises, or turns the tool while it goes round and round."""
    move = step.instruction
    if isinstance(move, MoveC):
        return ArcPoints(move.via, move.frame, move.angle)
    assert isinstance(move, MoveHelix)
    axis = move.axis / np.linalg.norm(move.axis)
    p = step.T_start[:3, 3]
    if abs(float((move.frame[:3, 3] - p) @ axis)) > FLAT:
        return None
    if abs(move.angle) < WHOLE:
        return ArcPoints(_turned(step, move, move.angle / 2.0), move.frame)
    if np.abs(move.frame[:3, :3] - step.T_start[:3, :3]).max() > SAME_TURN:
        return None
    third = math.copysign(2.0 * math.pi / 3.0, move.angle)
    end = move.frame.copy()
    end[:3, 3] = _turned(step, move, 2.0 * third)
    return ArcPoints(_turned(step, move, third), end, abs(move.angle))


def arc_chain(step: RecordedStep) -> list[ArcPoints]:
    """Return arcs of at most half a turn, one after the other, for languages whose arcs end before a full turn.

    Empty for a helix that rises, or turns the tool while it goes round and round.
    """
    arc = arc_points(step)
    if arc is None or arc.angle is None:
        return [] if arc is None else [arc]
    move = step.instruction
    if not isinstance(move, MoveHelix):
        return []
    count = math.ceil(abs(move.angle) / math.pi)
    chain = []
    for i in range(count):
        via, end = (_turned(step, move, move.angle * (i + share) / count) for share in (0.5, 1.0))
        T = move.frame.copy()
        T[:3, 3] = end if i < count - 1 else move.frame[:3, 3]
        chain.append(ArcPoints(via, T))
    return chain


def _turned(step: RecordedStep, move: MoveHelix, angle: float) -> Floats:
    """Return the start of an arc turned about its axis (3,)."""
    R = pose.from_xyz_axis_angle((0.0, 0.0, 0.0), move.axis / np.linalg.norm(move.axis), angle)[:3, :3]
    return np.asarray(move.center + R @ (step.T_start[:3, 3] - move.center))


def frames_on(step: RecordedStep) -> list[Floats]:
    """Return frames (4, 4) on the curve of a step, close enough for a spline through them; the last is its end."""
    move = step.instruction
    assert isinstance(move, MoveC | MoveHelix | MoveSpline)
    if isinstance(move, MoveSpline) and move.kind == "spline":
        return list(move.frames)
    segments = list(segments_of(Numbered(0, move), step.T_start))
    if not segments or segments[0].curve is None:
        return []
    curve = segments[0].curve
    if isinstance(move, MoveSpline):
        count = POINTS_BETWEEN * (len(move.frames) + 1)
    else:
        angle = move.angle if move.angle is not None else 2.0 * math.pi
        count = max(POINTS_BETWEEN, math.ceil(POINTS_PER_TURN * abs(angle) / (2.0 * math.pi)))
    frames = list(np.asarray(curve.at(np.linspace(0.0, curve.length, count + 1)[1:])))
    frames[-1] = curve.end
    return frames
