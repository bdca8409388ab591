"""Moves of the tool as geometry: segments from one frame to the next, joined into a path whose corners are blended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple, TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.motion.blending import rounded
from armlab.motion.segments import arc, arc_about
from armlab.motion.timing.feeds import FeedDemands, Slowness
from armlab.motion.toolpath import turns
from armlab.motion.toolpath.elements import TURN_LENGTH
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath, joined
from armlab.program.executor.pieces import Numbered
from armlab.program.instructions import Blend, MotionSettings, MoveC, MoveHelix, MoveL, MoveSpline, Probe

ToolMove: TypeAlias = MoveL | MoveC | MoveHelix | MoveSpline | Probe
SHORTEST_BLEND = 4e-6
"""m: a corner with less room than this on either side is a stop."""
SAME = 1e-9
"""m and rad: a line between nearer frames is left out."""
AT_CORNER = 1e-9
"""m: a stop of the path this near to the end of a segment is its corner."""
OFF_CORNER = 3.0 / 16.0
"""A blend from d before a corner to d behind it passes it at this times d times |change of direction|."""
CURVED = 0.8
"""Share of that distance that a corner gets where an arc meets: its bend adds to what the blend leaves."""
SHARP = Blend()
"""Of a corner that is not rounded."""
ON_HELIX = 1e-3
"""m: how far the end of a helix may be from the frame that its program gives."""


class ToolSegment(NamedTuple):
    """A part of a tool move without corners: a straight line to a frame, or a curve that starts where it is told to."""

    numbered: Numbered
    settings: MotionSettings
    blend: Blend | None
    """How the corner at its end may be rounded; none: stop there."""
    frame: Floats
    """Where it ends, (4, 4)."""
    curve: ToolPath | None = None
    """None for a line."""
    length: float = 0.0


def segments_of(numbered: Numbered, T_start: Floats) -> Iterator[ToolSegment]:
    """Yield the segments of a tool move from a frame on; none where the tool is there already.

    Raises:
        InvalidInput: if the move describes no curve.
    """
    move = numbered.instruction
    assert isinstance(move, MoveL | MoveC | MoveHelix | MoveSpline | Probe)
    match move:
        case MoveL():
            inner = move.corners if move.corners is not None else move.settings.blend
            T = T_start
            for k, frame in enumerate(move.frames):
                length = distance(T, frame)
                if length > 0.0:
                    last = k == len(move.frames) - 1
                    yield ToolSegment(
                        numbered, move.settings, move.settings.blend if last else inner, frame, None, length
                    )
                    T = frame
        case Probe():
            length = distance(T_start, move.frame)
            if length > 0.0:
                yield ToolSegment(numbered, move.settings, None, move.frame, None, length)
        case MoveC() | MoveHelix() | MoveSpline():
            curve = _curve(move, T_start)
            if curve is not None:
                yield ToolSegment(numbered, move.settings, move.settings.blend, curve.end, curve, curve.length)
        case _:
            assert_never(move)


def distance(T_start: Floats, T_end: Floats) -> float:
    """Return how far (m) it is from one frame to another, turns counted as a path does; 0 if they are the same."""
    return distance_of_rows(T_start.tolist(), T_end.tolist())


def distance_of_rows(a: list[list[float]], b: list[list[float]]) -> float:
    """Return the distance between frames whose rows are plain numbers: arrays of sixteen are slower."""
    (a0, a1, a2, _), (b0, b1, b2, _) = a, b
    step = math.hypot(b0[3] - a0[3], b1[3] - a1[3], b2[3] - a2[3])
    angle = 0.0
    if a0[:3] != b0[:3] or a1[:3] != b1[:3] or a2[:3] != b2[:3]:
        start, end = np.array(a)[None, :3, :3], np.array(b)[None, :3, :3]
        angle = float(np.linalg.norm(turns.between(start, end)))
    return 0.0 if step < SAME and angle < SAME else max(step, TURN_LENGTH * angle)


def _curve(move: MoveC | MoveHelix | MoveSpline, T_start: Floats) -> ToolPath | None:
    match move:
        case MoveC():
            return arc(T_start, move.via, move.frame, angle=move.angle)
        case MoveHelix():
            return helix(move, T_start)
        case MoveSpline():
            frames = [T_start, *move.frames]
            if distance(T_start, frames[1]) == 0.0:
                frames.pop(1)
            return through(np.array(frames), move.kind) if len(frames) > 1 else None
        case _:
            assert_never(move)


def helix(move: MoveHelix, T_start: Floats) -> ToolPath:
    """Return the path of a helix from a frame on.

    Raises:
        InvalidInput: if it does not lead to the frame of the move, or the start lies on its axis.
    """
    axis = move.axis / np.linalg.norm(move.axis)
    rise = float((move.frame[:3, 3] - T_start[:3, 3]) @ axis)
    path = arc_about(T_start, move.center, axis, move.angle, move.frame, rise=rise)
    off = float(np.linalg.norm(path.end[:3, 3] - move.frame[:3, 3]))
    if off > ON_HELIX:
        raise InvalidInput(
            "helix_end", _("helix: it ends {distance:.3g} mm away from its target"), distance=off * 1000.0
        )
    return path


class BlendedPath(NamedTuple):
    """A path along segments with its corners blended."""

    path: ToolPath
    ends: Floats
    """(k,): s where the segments end, in the middle of a blend."""
    middles: Floats
    """(k,): s of their middles, which no blend reaches."""
    blends: Floats
    """(b, 2): s where blends begin and end."""


def blended_path(T_start: Floats, segments: Sequence[ToolSegment]) -> BlendedPath:
    """Return the path along segments from a frame on, with every corner between them blended as far as it may be."""
    parts, T = [], T_start
    for is_line, group in groupby(segments, lambda segment: segment.curve is None):
        run = list(group)
        if is_line:
            parts.append(through(np.array([T, *(segment.frame for segment in run)])))
        else:
            parts += [segment.curve for segment in run if segment.curve is not None]
        T = run[-1].frame
    whole = joined(parts) if len(parts) > 1 else parts[0]
    ends = _ends(parts, segments)
    starts = np.concatenate([[0.0], ends[:-1]])
    middles = 0.5 * (starts + ends)
    nodes = np.sort(np.concatenate([[0.0], ends, middles]))
    whole = replace(whole, nodes=nodes)
    path = rounded(whole, _sizes(whole, ends, segments))
    is_blend = path.rows.owner >= whole.elements.count
    edges = np.flatnonzero(np.diff(path.rows.owner, prepend=-1, append=-1))
    low, high = edges[:-1][is_blend[edges[:-1]]], edges[1:][is_blend[edges[:-1]]]
    blends = np.stack([path.rows.breaks[low], path.rows.breaks[high]], axis=1)
    return BlendedPath(path, path.nodes[2::2].copy(), path.nodes[1::2].copy(), blends)


def _ends(parts: Sequence[ToolPath], segments: Sequence[ToolSegment]) -> Floats:
    """Return s where the segments end on the path before its corners are blended."""
    ends, s, k = [], 0.0, 0
    for part in parts:
        if segments[k].curve is None:
            ends.append(s + part.nodes[1:])
            k += len(part.nodes) - 1
        else:
            ends.append(np.array([s + part.length]))
            k += 1
        s += part.length
    return np.concatenate(ends)


def _sizes(path: ToolPath, ends: Floats, segments: Sequence[ToolSegment]) -> Floats:
    """Return how much of the path each stop of it may take on either side; none of what is no corner."""
    stops = path.stops
    if not len(stops):
        return stops
    k = np.searchsorted(ends, stops - AT_CORNER)
    is_corner = np.abs(ends[k] - stops) < AT_CORNER
    lengths = np.diff(ends, prepend=0.0)
    room = 0.5 * np.minimum(lengths[k], lengths[np.minimum(k + 1, len(lengths) - 1)])
    blends = [segments[i].blend or SHARP for i in k.tolist()]
    if blends.count(blends[0]) == len(blends):  # most programs
        radius, tolerance = np.full(len(k), blends[0].radius), np.full(len(k), blends[0].tolerance)
    else:
        radius, tolerance = np.array([(b.radius, b.tolerance) for b in blends]).T
    left, right = path.beside_stops
    change = np.linalg.norm(right[:, 0] - left[:, 0], axis=1)
    curved = (np.abs(left[:, 1]).max(axis=1) > 0.0) | (np.abs(right[:, 1]).max(axis=1) > 0.0)
    with np.errstate(divide="ignore"):
        by_tolerance = tolerance / (OFF_CORNER * change) * np.where(curved, CURVED, 1.0)
    wanted = np.where(tolerance > 0.0, by_tolerance, radius)
    size = np.minimum(wanted, room)
    return np.where(is_corner & (size >= SHORTEST_BLEND), size, 0.0)


def demands_of(blended: BlendedPath, path: ToolPath, start: float, segments: Sequence[ToolSegment]) -> FeedDemands:
    """Return what the settings of segments ask along `path`, the part of a blended path from `start` on.

    In a blend the limits go over from those of one move to those of the next.
    """
    settings = segments[0].settings
    if settings.seconds is None and all(segment.settings is settings for segment in segments):  # most programs
        values = np.tile(_slowness(segments[0]), (len(segments), 1))
    else:
        values = np.array([_slowness(segment) for segment in segments])
    begin, end = blended.ends.copy(), blended.ends.copy()
    corner = np.searchsorted(blended.ends, blended.blends[:, 0])
    begin[corner], end[corner] = blended.blends[:, 0], blended.blends[:, 1]
    marks = np.concatenate([[0.0], np.stack([begin, end], axis=1).ravel()]) - start
    first = np.repeat(values, 2, axis=0)
    last = np.stack([values, np.concatenate([values[1:], values[-1:]])], axis=1).reshape(-1, 3)
    kept = np.diff(marks) > 0.0
    edges = np.append(marks[:-1][kept], marks[-1])
    speed, acceleration, turn = (Slowness(edges, first[kept, k].copy(), last[kept, k].copy()) for k in range(3))
    return FeedDemands(path, speed, acceleration, turn, is_even=not path.elements.has_turns)


def _slowness(segment: ToolSegment) -> tuple[float, float, float]:
    settings = segment.settings
    speed = 0.0 if settings.tool_speed is None else 1.0 / settings.tool_speed
    if settings.seconds is not None:
        speed = max(speed, settings.seconds / segment.length)
    acceleration = 0.0 if settings.tool_acceleration is None else 1.0 / settings.tool_acceleration
    return speed, acceleration, 0.0 if settings.turn_speed is None else 1.0 / settings.turn_speed
