"""Single segments of a tool path: lines, arcs, circles, helices."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.motion.toolpath import turns
from armlab.motion.toolpath.elements import TURN_LENGTH, Elements, even_rows
from armlab.motion.toolpath.toolpath import SAME_PLACE, ToolPath

FLAT = 1e-6
"""Three points make no arc when the sine of their largest angle is below this."""


def line(T_start: ArrayLike, T_end: ArrayLike) -> ToolPath:
    """Return the straight line between two frames; the tool turns evenly about one axis, in the shorter direction.

    Raises:
        InvalidInput: if a frame is not a pose, or both are the same.
    """
    start, end = pose.as_one_pose(T_start, "T_start"), pose.as_one_pose(T_end, "T_end")
    turn = turns.between(start[None, :3, :3], end[None, :3, :3])
    step = end[:3, 3] - start[:3, 3]
    distance, angle = float(np.linalg.norm(step)), float(np.linalg.norm(turn))
    if distance < SAME_PLACE and angle < SAME_PLACE:
        raise InvalidInput("line_without_length", _("line: start and end are the same frame"))
    coefficients = np.zeros((1, 2, 6))
    coefficients[0, 0, :3], coefficients[0, 1, :3], coefficients[0, 1, 3:] = start[:3, 3], step, turn[0]
    length = max(distance, TURN_LENGTH * angle)
    return ToolPath(
        Elements.polynomial(coefficients, start[None, :3, :3]), even_rows(np.array([length])), np.array([0.0, length])
    )


def arc(T_start: ArrayLike, p_via: ArrayLike, T_end: ArrayLike, *, angle: float | None = None) -> ToolPath:
    """Return the arc from one frame through a point (3,) to another frame; the tool turns evenly along it.

    With `angle` (rad) it goes that far along its circle, past the end or not up to it; backwards if it is negative.

    Raises:
        InvalidInput: if two of the points are the same, or all lie on one line, or the angle is zero.
    """
    start, end = pose.as_one_pose(T_start, "T_start"), pose.as_one_pose(T_end, "T_end")
    via = as_floats(p_via, (3,), "p_via")
    center, axis, angle_via, whole = _through_three(start[:3, 3], via, end[:3, 3], "arc", ("start", "via", "end"))
    if angle is not None:
        return arc_about(start, center, axis, angle, end)
    turn = turns.between(start[None, :3, :3], end[None, :3, :3])[0]
    return _turning(start, center, axis, whole, turn, 0.0, (angle_via / whole,))


def circle(T_start: ArrayLike, p_via: ArrayLike, p_third: ArrayLike) -> ToolPath:
    """Return the full circle from a frame through two more points (3,) back to it; the orientation stays.

    Raises:
        InvalidInput: if two of the points are the same, or all lie on one line.
    """
    start = pose.as_one_pose(T_start, "T_start")
    via, third = as_floats(p_via, (3,), "p_via"), as_floats(p_third, (3,), "p_third")
    names = ("start", "via", "third point")
    center, axis, angle_via, angle_third = _through_three(start[:3, 3], via, third, "circle", names)
    whole = 2.0 * math.pi
    return _turning(start, center, axis, whole, np.zeros(3), 0.0, (angle_via / whole, angle_third / whole))


def arc_about(
    T_start: ArrayLike,
    center: ArrayLike,
    axis: ArrayLike,
    angle: float,
    T_end_orientation: ArrayLike | None = None,
    *,
    rise: float = 0.0,
) -> ToolPath:
    """Return an arc about an axis through `center`; with a rise along the axis, a helix.

    Args:
        T_start: the first frame, (4, 4)
        center: a point (3,) on the axis
        axis: its direction (3,), of any length
        angle: how far to go round, rad, right-handed about the axis; more than a full turn is allowed
        T_end_orientation: a pose with the last orientation; without it the orientation stays
        rise: travel along the axis, m

    Raises:
        InvalidInput: if the angle is zero, the axis has no direction, or the start lies on the axis.
    """
    start = pose.as_one_pose(T_start, "T_start")
    middle, direction = as_floats(center, (3,), "center"), as_floats(axis, (3,), "axis")
    size = float(np.linalg.norm(direction))
    if size < 1e-12:
        raise InvalidInput("axis_zero", _("axis: must not be zero"))
    for who, value in (("angle", angle), ("rise", rise)):
        if not math.isfinite(value):
            raise InvalidInput("not_finite", _("{given} is not a finite number"), given=value).within(who)
    if abs(angle) < SAME_PLACE:
        raise InvalidInput("arc_without_length", _("angle: an arc of {angle:g} rad has no length"), angle=angle)
    direction = direction / size
    offset = start[:3, 3] - middle
    foot = middle + (offset @ direction) * direction
    if np.linalg.norm(start[:3, 3] - foot) < SAME_PLACE:
        raise InvalidInput("arc_without_radius", _("center: the start lies on the axis; the arc has no radius"))
    turn = np.zeros(3)
    if T_end_orientation is not None:
        end = pose.as_one_pose(T_end_orientation, "T_end_orientation")
        turn = turns.between(start[None, :3, :3], end[None, :3, :3])[0]
    return _turning(start, foot, direction, float(angle), turn, float(rise), ())


def _turning(
    start: Floats, center: Floats, axis: Floats, angle: float, turn: Floats, rise: float, shares: tuple[float, ...]
) -> ToolPath:
    """Return an arc about `axis` through `center`, which lies in the plane of the start; nodes at `shares` of it."""
    radius = start[:3, 3] - center
    coefficients = np.zeros((1, 2, 6))
    coefficients[0, 0, :3], coefficients[0, 1, :3], coefficients[0, 1, 3:] = center, rise * axis, turn
    waves = np.stack([radius, np.cross(axis, radius)])[None]
    arc_length = math.hypot(angle * float(np.linalg.norm(radius)), rise)
    length = max(arc_length, TURN_LENGTH * float(np.linalg.norm(turn)))
    elements = Elements(coefficients, waves, np.array([angle]), start[None, :3, :3])
    return ToolPath(elements, even_rows(np.array([length])), length * np.array([0.0, *shares, 1.0]))


def _through_three(
    a: Floats, b: Floats, c: Floats, who: str, names: tuple[str, str, str]
) -> tuple[Floats, Floats, float, float]:
    """Return centre and axis of the circle through three points, and the angles from the first to the others."""
    for p, q, i, j in ((a, b, 0, 1), (b, c, 1, 2), (a, c, 0, 2)):
        if np.linalg.norm(q - p) < SAME_PLACE:
            raise InvalidInput(
                "same_points",
                _("{curve}: '{first}' and '{second}' are the same point; three different ones are needed"),
                curve=who,
                first=names[i],
                second=names[j],
            )
    u, w = b - a, c - a
    normal = np.cross(u, w)
    area = float(np.linalg.norm(normal))
    sides = sorted(float(np.linalg.norm(side)) for side in (u, w, c - b))
    if area < FLAT * sides[0] * sides[1]:
        raise InvalidInput("arc_points_on_line", _("{curve}: its three points lie on one line; use a line"), curve=who)
    to_center = (np.cross(normal, u) * (w @ w) + np.cross(w, normal) * (u @ u)) / (2.0 * area * area)
    axis, radius = normal / area, -to_center
    side = np.cross(axis, radius)
    angles = [math.atan2(float((p - a - to_center) @ side), float((p - a - to_center) @ radius)) for p in (b, c)]
    via, last = (angle % (2.0 * math.pi) for angle in angles)
    return a + to_center, axis, via, last
