"""Corners between moves of the tool: how far from them the path is left, by radius and by tolerance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.errors import ArmlabError
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import joined
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.tool_segments import CURVED, OFF_CORNER, ToolSegment, segments_of
from armlab.program.instructions import Blend
from armlab.program.translate.record import RecordedStep, ToolCurve

LEAST = 1e-6
"""m: a smaller radius or tolerance cannot be written down; the tool stops at the corner."""


@dataclass(frozen=True, slots=True)
class RoundedCorner:
    """A corner that is rounded: m."""

    radius: float
    """Where the path is left before it, and met again behind it."""
    tolerance: float
    """How far from the corner the curve passes."""


def corner(blend: Blend, step: RecordedStep, following: RecordedStep) -> RoundedCorner:
    """Return how the corner between two moves of the tool is rounded that are joined by `blend`."""
    given = RoundedCorner(max(blend.radius or blend.tolerance, LEAST), max(blend.tolerance or blend.radius, LEAST))
    try:
        before, after = _last(step), _first(following)
        if before is None or after is None:
            return given
        (T, a), (U, b) = before, after
        first = through(np.array([T, a.frame])) if a.curve is None else a.curve
        second = through(np.array([U, b.frame])) if b.curve is None else b.curve
        whole = joined([first, second])
    except ArmlabError:
        return given
    near = np.abs(whole.stops - first.length) < 1e-9
    if not near.any():
        return given
    stop = whole.stops[near][:1]
    left, right = whole.derivatives(np.nextafter(stop, 0.0)), whole.derivatives(stop)
    change = float(np.linalg.norm(right[:, 0] - left[:, 0]))
    is_curved = max(np.abs(left[:, 1]).max(), np.abs(right[:, 1]).max()) > 0.0
    factor = OFF_CORNER * change / (CURVED if is_curved else 1.0)
    room = 0.5 * min(first.length, second.length)
    if blend.tolerance > 0.0:
        radius = min(blend.tolerance / max(factor, 1e-12), room)
        return RoundedCorner(max(radius, LEAST), max(blend.tolerance, LEAST))
    return RoundedCorner(max(blend.radius, LEAST), max(min(blend.radius, room) * factor, LEAST))


def _segments(step: RecordedStep) -> list[ToolSegment]:
    assert isinstance(step.instruction, ToolCurve)
    return list(segments_of(Numbered(0, step.instruction), step.T_start))


def _last(step: RecordedStep) -> tuple[object, ToolSegment] | None:
    segments = _segments(step)
    if not segments:
        return None
    return (segments[-2].frame if len(segments) > 1 else step.T_start), segments[-1]


def _first(step: RecordedStep) -> tuple[object, ToolSegment] | None:
    segments = _segments(step)
    return (step.T_start, segments[0]) if segments else None
