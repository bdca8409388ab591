"""Tool and base as controllers find them: by points that the tool is driven to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.robot import Robot

LEAST_TURN = 0.02
"""Smallest singular value of stacked rotation differences that still fixes a point: about a degree of turn."""
LEAST_LENGTH = 1e-3
"""m between points that fix a direction."""


class FoundTool(NamedTuple):
    """A tool that was found by touching."""

    T_flange_tool: Floats
    point: Floats
    """The point that was touched, in the world."""
    errors: Floats
    """How far each tool point is from it, (m,) m."""


def tool_by_four_points(robot: Robot, q: ArrayLike) -> FoundTool:
    """Return the tool point by driving it to one fixed point in four or more different orientations, `q` (m, n).

    ABB's 4-point and KUKA's XYZ 4-point method: R_i·t + p_i is the same point for all of them. The tool's orientation
    stays that of the flange.

    Raises:
        InvalidInput: if there are fewer than 3 rows, or the orientations are alike.
    """
    flanges = _flanges(robot, q, 3)
    return _tool_point(flanges)


def tool_by_reference(robot: Robot, q: ArrayLike, point: ArrayLike) -> FoundTool:
    """Return the tool point by driving it to a known point of the world, in one or more orientations, `q` (m, n).

    KUKA's XYZ reference method; the point was found before with a tool that is known.
    """
    flanges, place = _flanges(robot, q, 1), as_floats(point, (3,), "point")
    tips = pose.transform(pose.inverse(flanges), np.broadcast_to(place, (len(flanges), 1, 3)))[:, 0]
    tip = tips.mean(axis=0)
    return FoundTool(pose.from_xyz(tip), place, np.linalg.norm(tips - tip, axis=1))


def tool_by_six_points(robot: Robot, q: ArrayLike) -> FoundTool:
    """Return position and orientation of a tool by the 6-point method, `q` (6, n).

    Rows 1 to 3 touch one point in different orientations. Row 4 touches it with the tool upright as its frame is to be;
    from there, row 5 moves along the tool's +x and row 6 along its +z, without turning.
    """
    flanges = _flanges(robot, q, 6)
    if len(flanges) != 6:
        raise InvalidInput("six_points", _("expected 6 rows of joint values, got {count}"), count=len(flanges))
    found = _tool_point(flanges[:4])
    R = flanges[3, :3, :3]
    x, z = (R.T @ (flanges[k, :3, 3] - flanges[3, :3, 3]) for k in (4, 5))
    T = found.T_flange_tool.copy()
    x_axis = _unit(x, term(_("point 5")))
    y_axis = _unit(np.cross(_unit(z, term(_("point 6"))), x_axis), term(_("point 6")))
    T[:3, :3] = np.column_stack([x_axis, y_axis, np.cross(x_axis, y_axis)])
    return FoundTool(T, found.point, found.errors)


def frame_by_three_points(points: ArrayLike) -> Floats:
    """Return T_world_frame by its origin, a point on +x and a point in the xy plane with y > 0, (3, 3) in the world.

    Raises:
        InvalidInput: if two points are the same, or all three are on a line.
    """
    origin, on_x, in_plane = as_floats(points, (3, 3), "points")
    x = _unit(on_x - origin, term(_("point 2")))
    rest = in_plane - origin
    y = _unit(rest - (rest @ x) * x, term(_("point 3")))
    T = pose.from_xyz(origin)
    T[:3, :3] = np.column_stack([x, y, np.cross(x, y)])
    return T


def align(q: ArrayLike, robot: Robot, points: ArrayLike) -> Floats:
    """Return T_world_base that puts the nominal tool points at `q` (m, n) nearest to measured points (m, 3).

    For measurements in the frame of a tracker that nobody related to the arm's base: the rigid motion of least squares.

    Raises:
        InvalidInput: if there are fewer than 3 points, or they are on a line.
    """
    measured = as_floats(points, (None, 3), "points")
    tips = robot.fk(as_rows(q, robot.dof, "q")[0])[:, :3, 3]
    if len(measured) != len(tips) or len(tips) < 3:
        raise InvalidInput(
            "align_count", _("expected at least 3 points, one for each row of q; got {count}"), count=len(measured)
        )
    a, b = tips - tips.mean(axis=0), measured - measured.mean(axis=0)
    U, S, Vt = np.linalg.svd(b.T @ a)
    if S[1] < 1e-6 * max(S[0], 1e-12):
        raise InvalidInput("points_on_line", _("the measured points are on a line; measure points in all directions"))
    R = U @ np.diag([1.0, 1.0, float(np.sign(np.linalg.det(U @ Vt)))]) @ Vt
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, measured.mean(axis=0) - R @ tips.mean(axis=0)
    return np.asarray(T @ robot.base)


def _flanges(robot: Robot, q: ArrayLike, least: int) -> Floats:
    rows, _single = as_rows(q, robot.dof, f"{robot.name}: q")
    if len(rows) < least:
        raise InvalidInput(
            "too_few_points",
            _("points: at least {least} are needed, got {count}"),
            least=least,
            count=len(rows),
        )
    return np.asarray(robot.fk(rows) @ pose.inverse(robot.tool.T_flange_tool))


def _tool_point(flanges: Floats) -> FoundTool:
    R, p = flanges[:, :3, :3], flanges[:, :3, 3]
    A = (R - R.mean(axis=0)).reshape(-1, 3)  # R_i t + p_i = P for all i, with P put out by the means
    b = -(p - p.mean(axis=0)).ravel()
    if np.linalg.svd(A, compute_uv=False)[-1] < LEAST_TURN:
        raise InvalidInput(
            "orientations_alike",
            _("the orientations are alike: turn the tool about at least two axes between the points"),
        )
    tip = np.linalg.lstsq(A, b, rcond=None)[0]
    tips = R @ tip + p
    point = tips.mean(axis=0)
    return FoundTool(pose.from_xyz(tip), point, np.linalg.norm(tips - point, axis=1))


def _unit(v: Floats, what: Message) -> Floats:
    length = float(np.linalg.norm(v))
    if length < LEAST_LENGTH:
        raise InvalidInput(
            "points_alike",
            _("{what}: it gives no direction; move at least {least:g} mm away from the others"),
            what=what,
            least=LEAST_LENGTH * 1e3,
        )
    return np.asarray(v / length)
