"""The appearance of an arm, made from its kinematics alone: housings round the joints, limbs between them.

No further data are needed: an arm that is only a table of numbers gets a base, a shoulder, limbs that
taper towards the wrist, and a flange. A `LinkSkin` overrides parts of it; docs/appearance.md shows how.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from armlab.appearance.limbs import PLINTH, link_shapes
from armlab.appearance.skeleton import TINY, Axis, LinkSpan, lay_out, total_length
from armlab.appearance.wrist import let_bend
from armlab.arrays import Floats
from armlab.geometry.shape import LinkSkin, Shape
from armlab.model.parts import Joint

__all__ = ["LinkSkin", "make_skin"]

THICK, THIN = 0.08, 0.036
"""The radius of the housings at the base and at the flange, as a share of the arm's whole length."""
HALF_LENGTH = 0.85
"""Half the length of a housing, as a share of its radius."""
FLAT = 0.45
"""The same for limbs that turn about vertical axes and lie on one another."""
ROD = 0.42
"""The radius of a rod that slides, as a share of what a housing's would be in its place."""
ROD_HOLD = 2.0
"""Half the length of the sleeve round it, as a share of the rod's radius."""
WIDEST = 1.25
"""How thick a column under a hinge may be, as a share of the hinge's radius."""
CLEARANCE = 1.08
"""How far from an axis the next link but one begins, as a share of the housing's radius."""
SHORTEST = 0.05
"""An arm without any length gets the skin of one with this length (m)."""


def make_skin(
    joints: Sequence[Joint], T_link_flange: Floats, skins: Sequence[LinkSkin]
) -> tuple[tuple[Shape, ...], ...]:
    """Return the shapes of every link in its own frame: the base's first, then those of the links that joints move.

    `skins` has one entry per link. Neighbouring links overlap in the joint that they share.
    """
    places = [skin.shift for skin in skins[1:]]
    axes, spans = lay_out(joints, T_link_flange, places)
    _size(axes, spans, skins)
    stacked = _stacked(axes, spans, places)
    if stacked != places:
        axes, spans = lay_out(joints, T_link_flange, stacked)
        _size(axes, spans, skins)
    for i in range(len(joints)):
        axes[i].split = _split(i, axes, spans, skins[i + 1])
    fixed = {i for i, skin in enumerate(skins[1:]) if skin.radius is not None}
    let_bend(joints, axes, spans, fixed, lambda i: _split(i, axes, spans, skins[i + 1]))
    return tuple(link_shapes(k, axes, spans, skin) for k, skin in enumerate(skins))


def _size(axes: list[Axis], spans: list[LinkSpan], skins: Sequence[LinkSkin]) -> None:
    """Choose the radius and length of every housing: smaller towards the flange, with room for each other."""
    whole = max(total_length(axes, spans), SHORTEST)
    travelled = 0.0
    fixed = {i for i, skin in enumerate(skins[1:]) if skin.radius is not None}
    for i, axis in enumerate(axes):
        travelled += spans[i].across + 0.5 * abs(axis.run)
        axis.radius = whole * (THICK + (THIN - THICK) * min(travelled / whole, 1.0)) * (ROD if axis.sliding else 1.0)
        travelled += 0.5 * abs(axis.run)
        if i in fixed:
            axis.radius = skins[i + 1].radius or axis.radius
        axis.half = _half(i, axis, spans)
    for _ in range(4):
        for k in range(1, len(spans)):
            _make_room(k, axes, spans, fixed)
        for i, axis in enumerate(axes):
            axis.half = _half(i, axis, spans)
    for i, skin in enumerate(skins[1:]):
        axes[i].half = _half_in_place(i, axes, spans) if skin.length is None else 0.5 * skin.length
    for k in range(1, len(spans) - 1):
        _pull_back(k, axes, spans)
    _push_flange(axes, spans)


def _half(i: int, axis: Axis, spans: list[LinkSpan]) -> float:
    if axis.sliding:
        return ROD_HOLD * axis.radius
    return (FLAT if all(span.is_parallel for span in spans[: i + 2]) else HALF_LENGTH) * axis.radius


def _half_in_place(i: int, axes: list[Axis], spans: list[LinkSpan]) -> float:
    """Return half the length of housing i; a hinge on a thicker column is as wide as the column."""
    axis = axes[i]
    if i == 0 or not axis.is_hinge or axes[i - 1].is_hinge or not spans[i].is_crossing(axes[i - 1], axis):
        return axis.half
    return max(axis.half, min(axes[i - 1].radius, WIDEST * axis.radius))


def _make_room(k: int, axes: list[Axis], spans: list[LinkSpan], fixed: set[int]) -> None:
    """Shrink the housings at the ends of link k until they, and those beyond, have room beside each other."""
    span, entry, exit_axis = spans[k], axes[k - 1], axes[k]
    is_last = k == len(spans) - 1
    if not is_last and span.is_parallel and span.across > TINY:
        _shrink((k - 1, k), axes, fixed, 0.85 * span.across)
    if entry.sliding:
        return
    if not entry.is_hinge:
        before = () if k == 1 or _is_far(k - 1, axes, spans) else (k - 2,)
        after = () if is_last or _is_far(k, axes, spans) else (k,)
        plinth = PLINTH * entry.radius if k == 1 else 0.0
        _shrink((*before, *after), axes, fixed, 0.85 * (abs(entry.run) - plinth))
        if exit_axis.is_hinge and not is_last and span.is_crossing(entry, exit_axis):
            _shrink((k - 1,), axes, fixed, WIDEST * exit_axis.radius)
    elif not is_last and exit_axis.is_hinge and span.is_crossing(entry, exit_axis):
        _shrink((k,), axes, fixed, 0.75 * entry.radius)


def _is_far(k: int, axes: list[Axis], spans: list[LinkSpan]) -> bool:
    """Return whether the two axes of link k do not cross near each other."""
    return spans[k].is_parallel or spans[k].across > axes[k].radius + axes[k - 1].radius


def _shrink(which: tuple[int, ...], axes: list[Axis], fixed: set[int], room: float) -> None:
    """Let the radii of the axes `which` together be no more than `room`; fixed ones stay as they are."""
    free = [i for i in which if i not in fixed]
    room -= math.fsum(axes[i].radius for i in which if i in fixed)
    total = math.fsum(axes[i].radius for i in free)
    if free and total > room:
        factor = max(room / total, 0.3)
        for i in free:
            axes[i].radius *= factor


def _pull_back(k: int, axes: list[Axis], spans: list[LinkSpan]) -> None:
    """Let link k, between two axes on one line, end earlier where a housing that crosses the line needs the room."""
    span, entry, axis = spans[k], axes[k - 1], axes[k]
    if not span.is_one_line or axis.sliding or _is_far(k + 1, axes, spans):
        return
    same_sign = math.copysign(1.0, float(span.a @ span.b))
    sign = same_sign * (entry.outward if entry.sliding else entry.direction)
    missing = max(CLEARANCE * axes[k + 1].radius + 0.4 * axis.radius - sign * axis.run, 0.0)
    axis.s_in -= sign * missing
    entry.s_out -= sign * same_sign * missing
    span.start, span.end = span.on_entry(entry.s_out), span.on_exit(axis.s_in)


def _push_flange(axes: list[Axis], spans: list[LinkSpan]) -> None:
    """Move the flange's disc out of the wrist where the arm's numbers put the flange into the wrist's centre."""
    flange, last, span = axes[-1], axes[-2], spans[-1]
    flange.radius = last.radius * (1.4 if last.sliding else 0.8)
    flange.half = 0.2 * flange.radius
    if not span.is_one_line or last.sliding:
        return
    outward = math.copysign(1.0, float(span.a @ span.b))
    is_crossed = len(spans) > 2 and not _is_far(len(spans) - 2, axes, spans)
    needed = (CLEARANCE * axes[-3].radius if is_crossed else 0.0) + 0.6 * last.radius
    missing = max(needed - outward * last.run, 0.0)
    last.s_out += outward * missing
    flange.s_out += missing


def _stacked(axes: list[Axis], spans: list[LinkSpan], places: Sequence[float | None]) -> list[float | None]:
    """Return `places` with those filled in that lay the limbs of a flat arm (planar, SCARA) on one another."""
    out = list(places)
    up, height, level = 1.0, 0.0, PLINTH * axes[0].radius
    for i, (span, after) in enumerate(pairwise(spans)):
        height += up * float(span.p @ span.a)
        up *= math.copysign(1.0, float(span.a @ span.b))
        if axes[i].sliding or not span.is_parallel or not after.is_parallel or after.is_one_line:
            break
        place = out[i]
        if place is None:
            ahead = height + up * float(after.p @ after.a) if i == 0 else height
            place = (max(height, ahead, level + axes[i].half) - height) * up
            out[i] = place
        level = height + place * up + axes[i].half
    return out


def _split(i: int, axes: list[Axis], spans: list[LinkSpan], skin: LinkSkin) -> float:
    """Return where on axis i the link before it ends and the link after it begins.

    Where the description of the arm puts the joint's origin, if housings leave that place free; otherwise soon after
    the housing that comes before.
    """
    axis, is_last = axes[i], i + 2 == len(axes)
    if skin.shift is not None and not spans[i + 1].is_parallel:
        return skin.shift
    before = PLINTH * axis.radius if i == 0 else _blocked(i, axis, axes[i - 1], axes, spans)
    after = 0.3 * axis.radius if is_last else _blocked(i + 1, axis, axes[i + 1], axes, spans)
    start, stop = axis.s_in + axis.direction * before, axis.s_out - axis.direction * after
    free = axis.direction * (stop - start)
    if axis.direction * start < 0.0 < axis.direction * stop:
        return 0.0
    return 0.5 * (start + stop) if free <= 0.0 else start + axis.direction * min(0.5 * free, 0.35 * axis.radius)


def _blocked(k: int, axis: Axis, other: Axis, axes: list[Axis], spans: list[LinkSpan]) -> float:
    """Return how much of `axis`, from where link k meets it, belongs to the housing of the link's `other` axis."""
    if spans[k].is_one_line:
        return 0.3 * axis.radius
    return axis.half if _is_far(k, axes, spans) else CLEARANCE * other.radius
