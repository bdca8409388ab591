"""The shapes that a link is made of: housings, tubes, limbs, rails, the plinth and the flange's disc."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.appearance.skeleton import TINY, Axis, LinkSpan
from armlab.arrays import Floats
from armlab.geometry.shape import Finish, LinkSkin, Shape

PLINTH = 0.45
"""The height of the plinth as a share of the first housing's radius."""
CORE = 0.84
"""The radius of the dark drum inside a hinge, as a share of the housing's."""
RIM = 0.1
"""How far that drum stands out at each side, as a share of the housing's radius."""
CAP = 1.06
"""How far a tube goes on beyond a tube that crosses it, as a share of that one's radius."""
LID = 0.86
"""The radius of a lid, as a share of the tube's."""
SLEEVE = 1.6
"""The radius of the sleeve round a sliding rod, as a share of the rod's."""


class Section(NamedTuple):
    """A rectangle with rounded corners: half widths and corner radius."""

    x: float
    y: float
    corner: float


def link_shapes(k: int, axes: list[Axis], spans: list[LinkSpan], skin: LinkSkin) -> tuple[Shape, ...]:
    """Return the shapes of link k."""
    if k == 0:
        return tuple(_base(axes[0], spans, skin))
    if k < len(spans) - 1:
        return (*_entry(k, axes, spans), *_limb(k, axes, spans, skin), *_exit(k, axes, spans))
    return (
        *_last_entry(axes[-2], axes[-1], spans),
        *_limb(k, axes, spans, skin),
        *_flange(axes[-1], axes[-2], spans[-1]),
    )


def _entry(k: int, axes: list[Axis], spans: list[LinkSpan]) -> list[Shape]:
    """Return the link's part of the joint that moves it."""
    span, axis, exit_axis = spans[k], axes[k - 1], axes[k]
    if axis.sliding:
        return _slider(span, axis, not span.is_parallel)
    if axis.is_hinge:
        return [_housing(span, axis)]
    split = span.on_entry(axis.split)
    if span.is_one_line:
        return [rod(split, span.start, 0.98 * axis.radius, "body", 0.12)]
    if exit_axis.is_hinge and span.is_crossing(axis, exit_axis):
        section = Section(0.8 * exit_axis.radius + 0.5 * span.across, exit_axis.half, 0.6 * exit_axis.half)
        return [_blend(split, span.middle, axis.direction * span.a, span.b, axis.radius, section)]
    cap = CAP * exit_axis.radius if span.is_crossing(axis, exit_axis) else axis.half
    return _capped(split, span.start, axis.direction * span.a, cap, 0.98 * axis.radius)


def _last_entry(axis: Axis, flange: Axis, spans: list[LinkSpan]) -> list[Shape]:
    """Return the last link's part of the joint that moves it."""
    span = spans[-1]
    if axis.sliding:
        return _slider(span, axis, is_rail=False)
    if axis.is_hinge:
        return [_housing(span, axis)]
    split = span.on_entry(axis.split)
    if span.is_one_line:
        return [rod(split, span.on_exit(flange.s_out - flange.half), 0.92 * axis.radius, "body", 0.1)]
    return _capped(split, span.start, axis.direction * span.a, axis.half, 0.98 * axis.radius)


def _exit(k: int, axes: list[Axis], spans: list[LinkSpan]) -> list[Shape]:
    """Return the link's part of the joint that it carries."""
    span, entry, axis = spans[k], axes[k - 1], axes[k]
    if axis.sliding:
        return _slide(axis, spans, k)
    if axis.is_hinge:
        return _core(span, axis)
    split, ring = span.on_exit(axis.split), _ring(span, axis)
    if span.is_one_line:
        return [rod(span.end, split, axis.radius, "body", 0.1), ring]
    if (entry.is_hinge or entry.sliding) and span.is_crossing(entry, axis):
        section = Section(0.8 * entry.radius + 0.5 * span.across, 0.9 * entry.half, 0.6 * entry.half)
        return [_blend(split, span.middle, -axis.direction * span.b, span.a, axis.radius, section), ring]
    cap = CAP * entry.radius if span.is_crossing(entry, axis) else axis.half
    return [*_capped(split, span.end, -axis.direction * span.b, cap, axis.radius), ring]


def _housing(span: LinkSpan, axis: Axis) -> Shape:
    """Return the outer drum of a hinge."""
    low, high = _ends(axis, axis.half)
    return rod(span.on_entry(low), span.on_entry(high), axis.radius, "body", 0.12)


def _capped(start: Floats, end: Floats, along: Floats, cap: float, radius: float) -> list[Shape]:
    """Return a tube that goes on beyond `end` by `cap`, with a lid on it."""
    tip = end + cap * along
    lid = 0.06 * radius
    return [
        rod(start, tip, radius, "body", 0.12),
        rod(tip - lid * along, tip + lid * along, LID * radius, "joint", 0.05),
    ]


def _ends(axis: Axis, half: float) -> tuple[float, float]:
    """Return the ends of a hinge's housing, which holds both places where links meet the axis."""
    return min(axis.s_in, axis.s_out) - half, max(axis.s_in, axis.s_out) + half


def _core(span: LinkSpan, axis: Axis) -> list[Shape]:
    """Return the dark drum inside a hinge, and a coloured line round each of its ends."""
    low, high = _ends(axis, axis.half + RIM * axis.radius)
    line = 0.45 * RIM * axis.radius
    return [
        rod(span.on_exit(low), span.on_exit(high), CORE * axis.radius, "joint", 0.08),
        rod(span.on_exit(low + line), span.on_exit(high - line), (CORE + 0.05) * axis.radius, "accent", 0.0),
    ]


def _ring(span: LinkSpan, axis: Axis) -> Shape:
    """Return the dark ring where two links turn against each other."""
    half = 0.07 * axis.radius
    low, high = axis.split - half, axis.split + half
    return rod(span.on_exit(low), span.on_exit(high), 0.94 * axis.radius, "joint", 0.0)


def _limb(k: int, axes: list[Axis], spans: list[LinkSpan], skin: LinkSkin) -> list[Shape]:
    """Return what leads from one axis across to the next; towards the flange it only gets thinner."""
    span, entry, exit_axis = spans[k], axes[k - 1], axes[k]
    is_last = k == len(spans) - 1
    if skin.body == "none" or span.across < TINY or (not is_last and span.is_crossing(entry, exit_axis)):
        return []
    along = (span.end - span.start) / span.across
    start = _limb_section(0.86 * entry.radius, 0.8 * entry.half, skin)
    if is_last:
        end = _limb_section(0.7 * start.x, 0.7 * start.y, skin)
    elif span.is_parallel:
        end = _limb_section(0.86 * exit_axis.radius, 0.8 * exit_axis.half, skin)
    else:
        end = _limb_section(0.8 * exit_axis.half, 0.86 * exit_axis.radius, skin)
    return [loft(span.start, span.end, along, np.cross(span.a, along), start, end, "body", 0.0)]


def _limb_section(x: float, y: float, skin: LinkSkin) -> Section:
    x = x if skin.width is None else 0.5 * skin.width
    y = y if skin.depth is None else 0.5 * skin.depth
    return Section(x, y, (0.2 if skin.body == "box" else 0.75) * min(x, y))


def _base(axis: Axis, spans: list[LinkSpan], skin: LinkSkin) -> list[Shape]:
    """Return the plinth and what stands on it up to the first joint."""
    span, up = spans[0], np.array([0.0, 0.0, 1.0])
    thick = (2.0 if axis.sliding else 1.0) * axis.radius
    radius, height = skin.radius or 1.35 * thick, skin.length or 0.6 * PLINTH * thick
    if axis.sliding:
        foot = rod(span.end, span.end + height * up, radius, "base", 0.3)
        return [*_slide(axis, spans, 0), *([foot] if span.is_parallel else [])]
    if not span.is_parallel:
        floor = min(0.0, float(span.end[2]) - 1.3 * axis.radius) * up
        section = Section(0.8 * axis.radius, 0.9 * axis.half, 0.5 * axis.half)
        plinth = rod(floor, floor + height * up, radius, "base", 0.3)
        post = _blend(floor, span.end, up, span.b, 1.1 * axis.radius, section, "base")
        if axis.is_hinge:
            return [plinth, post, *_core(span, axis)]
        tube = _capped(span.on_exit(axis.split), span.end, -axis.direction * span.b, axis.half, axis.radius)
        return [plinth, post, *tube, _ring(span, axis)]
    floor, top = span.end, span.on_exit(axis.split)
    rise = float((top - floor) @ up)
    plinth = rod(floor, floor + min(height, max(rise, 0.3 * height)) * up, radius, "base", 0.3)
    if rise < 0.9 * height:
        return [plinth, _ring(span, axis)]
    bottom, end = Section(*[1.12 * axis.radius] * 3), Section(*[axis.radius] * 3)
    column = loft(floor, top, axis.direction * span.b, np.array([1.0, 0.0, 0.0]), bottom, end, "base", 0.0)
    return [plinth, column, _ring(span, axis)]


def _flange(flange: Axis, last: Axis, span: LinkSpan) -> list[Shape]:
    """Return the disc that tools are bolted to, and the spindle that holds it where it stands off the limb."""
    back = span.on_exit(flange.s_out - 2.0 * flange.half)
    disc = rod(back, span.on_exit(flange.s_out), flange.radius, "joint", 0.15)
    if span.is_one_line or abs(flange.s_in) < flange.half:
        return [disc]
    beyond = span.on_exit(flange.s_in + math.copysign(0.5 * last.half, flange.s_in))
    return [disc, rod(beyond, back, 0.85 * flange.radius, "body", 0.1)]


def _slide(axis: Axis, spans: list[LinkSpan], k: int) -> list[Shape]:
    """Return the fixed part of a sliding joint.

    A rail as long as the stroke, if the link that slides turns off to the side; otherwise a sleeve for its rod.
    """
    span = spans[k]
    if k + 2 == len(spans) or spans[k + 1].is_parallel:
        low, high = axis.s_in - axis.half, axis.s_in + axis.half
        return [rod(span.on_exit(low), span.on_exit(high), SLEEVE * axis.radius, "body", 0.15)]
    low = min(axis.s_in, axis.s_out + axis.stroke[0] - axis.half)
    high = max(axis.s_in, axis.s_out + axis.stroke[1] + axis.half)
    section = Section(axis.radius, 0.8 * axis.radius, 0.2 * axis.radius)
    return [loft(span.on_exit(low), span.on_exit(high), span.b, _side(span.b), section, section, "joint", 0.1)]


def _slider(span: LinkSpan, axis: Axis, is_rail: bool) -> list[Shape]:
    """Return the moving part of a sliding joint: a carriage, or a rod that stays in its sleeve over the stroke."""
    if is_rail:
        low, high = span.on_entry(axis.s_out - axis.half), span.on_entry(axis.s_out + axis.half)
        section = Section(1.8 * axis.radius, 1.4 * axis.radius, 0.3 * axis.radius)
        return [loft(low, high, span.a, _side(span.a), section, section, "body", 0.15)]
    first = min(axis.s_in - axis.stroke[1] - 1.3 * axis.half, axis.s_out)
    final = max(axis.s_in - axis.stroke[0] + 1.3 * axis.half, axis.s_out)
    if axis.goes_on:
        first, final = (first, axis.s_out) if axis.outward > 0.0 else (axis.s_out, final)
    return [rod(span.on_entry(first), span.on_entry(final), axis.radius, "tool", 0.1)]


def rod(start: Floats, end: Floats, radius: float, finish: Finish, edge: float) -> Shape:
    """Return a cylinder from `start` to `end`; `edge` is its edge radius as a share of the radius."""
    length = max(float(np.linalg.norm(end - start)), TINY)
    along = (end - start) / length if length > TINY else np.array([0.0, 0.0, 1.0])
    return Shape("cylinder", (radius, length, edge * radius), _frame(0.5 * (start + end), along, _side(along)), finish)


def loft(
    start: Floats,
    end: Floats,
    z: Floats,
    x: Floats,
    bottom: Section,
    top: Section,
    finish: Finish,
    edge: float,
) -> Shape:
    """Return a loft from a section at `start` to one at `end`, both square to `z`."""
    T = _frame(start, z, x)
    shift = T[:3, :3].T @ (end - start)
    length = max(float(shift[2]), TINY)
    T[:3, 3] += 0.5 * length * T[:3, 2]
    size = (bottom.x, bottom.y, top.x, top.y, length, bottom.corner, top.corner)
    return Shape("loft", (*size, edge * min(bottom[:2]), float(shift[0]), float(shift[1])), T, finish)


def _blend(
    start: Floats, end: Floats, z: Floats, axis: Floats, radius: float, section: Section, finish: Finish = "body"
) -> Shape:
    """Return a loft from a circle at `start` to `section` at `end`, whose y lies along `axis`."""
    return loft(start, end, z, np.cross(axis, z), Section(radius, radius, radius), section, finish, 0.15)


def _frame(origin: Floats, z: Floats, x: Floats) -> Floats:
    """Return the pose at `origin` with the given z axis, and the x axis as near to `x` as it can be."""
    T = np.eye(4)
    z = z / np.linalg.norm(z)
    x = x - (x @ z) * z
    norm = float(np.linalg.norm(x))
    x = x / norm if norm > TINY else _side(z)
    (x0, x1, x2), (z0, z1, z2) = x.tolist(), z.tolist()
    T[:3, 0], T[:3, 2] = x, z
    T[:3, 1] = z1 * x2 - z2 * x1, z2 * x0 - z0 * x2, z0 * x1 - z1 * x0
    T[:3, 3] = origin
    return T


def _side(z: Floats) -> Floats:
    """Return some unit vector square to `z`."""
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x: Floats = helper - (helper @ z) * z / (z @ z)
    return x / np.linalg.norm(x)
