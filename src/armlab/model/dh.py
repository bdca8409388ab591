"""Denavit–Hartenberg tables, in both directions: a table becomes a robot, and any serial robot becomes a table.

Both conventions put the z axis of a frame on every joint axis, in its positive direction, and describe the
step from one to the next by four numbers:

- standard: A = Rz(theta) Tz(d) Tx(a) Rx(alpha); row i goes from joint i's axis to joint i+1's;
- modified: A = Rx(alpha) Tx(a) Rz(theta) Tz(d); row i goes from joint i-1's axis to joint i's.

The joint value adds to theta (revolute) or d (prismatic). The whole arm is base · A₁(q₁) … Aₙ(qₙ) · tool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows, read_only
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.parts import NO_TOOL, Joint, JointKind, Link, Tool, joint_kind_unknown, of_joint
from armlab.model.robot import Robot, turn_z_to

DhConvention = Literal["standard", "modified"]

SNAP = 1e-12
"""Lengths (m) this close to zero, and angles (rad) this close to a quarter turn, are made exact."""


@dataclass(frozen=True, slots=True)
class DhRow:
    """One row of a table, m and rad; `joint` is the name of the joint whose value it takes."""

    joint: str
    kind: JointKind
    theta: float
    d: float
    a: float
    alpha: float

    def __post_init__(self) -> None:
        if self.kind not in {"revolute", "prismatic"}:
            raise joint_kind_unknown(self.joint, self.kind)
        for what in ("theta", "d", "a", "alpha"):
            value = getattr(self, what)
            if not math.isfinite(value):
                problem = InvalidInput("not_finite", _("{given} is not a finite number"), given=value)
                raise problem.within(of_joint(self.joint, what))


@dataclass(frozen=True, eq=False)
class DhTable:
    """A whole arm as rows, with what stands before the first (`base`) and after the last (`tool`)."""

    convention: DhConvention
    rows: tuple[DhRow, ...]
    base: Floats
    tool: Floats

    def __post_init__(self) -> None:
        _check_convention(self.convention)
        if not self.rows:
            raise InvalidInput("dh_empty", _("DH table: 0 rows given; at least one is needed"))
        object.__setattr__(self, "base", read_only(pose.as_pose(self.base, "DH table: base")))
        object.__setattr__(self, "tool", read_only(pose.as_pose(self.tool, "DH table: tool")))

    def fk(self, q: ArrayLike) -> Floats:
        """Return the pose of the tool, T_world_tool: q (n,) → (4, 4), q (m, n) → (m, 4, 4).

        Written as the textbook has it, apart from the kernels, so that the two can prove each other.
        """
        values, single = as_rows(q, len(self.rows), "DH table: q")
        T = np.broadcast_to(self.base, (len(values), 4, 4))
        for row, value in zip(self.rows, values.T, strict=True):
            turns = row.kind == "revolute"
            theta, d = row.theta + value * turns, row.d + value * (not turns)
            T = T @ _step(self.convention, theta, d, row.a, row.alpha)
        T_world_tool: Floats = T @ self.tool
        return T_world_tool[0] if single else T_world_tool


class JointFrames(NamedTuple):
    """What joints with a frame and an axis need to be the same arm as DH rows; the axis is z of the frame."""

    T_parent_joint: tuple[Floats, ...]
    """Per row: the joint's (and its link's) frame in the frame of the link before."""
    T_link_dh: tuple[Floats, ...]
    """Per row: the row's own DH frame, in which the literature gives masses, in the frame of the link."""
    T_link_end: Floats
    """The frame after the last row in the frame of the last link; the flange stands in this frame."""


def joint_frames(convention: DhConvention, rows: Sequence[DhRow]) -> JointFrames:
    """Return the joint frames of DH rows.

    Modified rows end with the joint's own motion, so that the link's frame is the DH frame. Standard rows
    begin with it, so that the link's frame stands before the fixed step, which leads to the next joint.
    """
    _check_convention(convention)
    steps = tuple(_step(convention, row.theta, row.d, row.a, row.alpha) for row in rows)
    if convention == "modified":
        return JointFrames(steps, tuple(np.eye(4) for _row in steps), np.eye(4))
    return JointFrames((np.eye(4), *steps)[: len(steps)], steps, steps[-1] if steps else np.eye(4))


def robot_from_dh(
    table: DhTable,
    *,
    name: str,
    lower: ArrayLike,
    upper: ArrayLike,
    velocity: ArrayLike | None = None,
    home: ArrayLike | None = None,
    source: str = "a Denavit–Hartenberg table",
) -> Robot:
    """Return the arm of a table: links `link_0` … without masses or shapes, limits (n,) in rad and m.

    Without `home`, the arm's home is zero or the limit nearest to it.
    """
    n = len(table.rows)
    lows, highs = as_floats(lower, (n,), "lower"), as_floats(upper, (n,), "upper")
    speeds = np.full(n, math.inf) if velocity is None else as_floats(velocity, (n,), "velocity")
    frames = joint_frames(table.convention, table.rows)
    joints = tuple(
        Joint(row.joint, row.kind, T, np.array([0.0, 0.0, 1.0]), low, high, velocity=speed)
        for row, T, low, high, speed in zip(
            table.rows, frames.T_parent_joint, lows.tolist(), highs.tolist(), speeds.tolist(), strict=True
        )
    )
    return Robot(
        name=name,
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(n + 1)),
        home=np.clip(0.0, lows, highs) if home is None else as_floats(home, (n,), "home"),
        source=source,
        base=table.base,
        flange=frames.T_link_end,
        tool=NO_TOOL if np.array_equal(table.tool, np.eye(4)) else Tool("dh-tool", "none", table.tool),
    )


def dh_table(robot: Robot, convention: DhConvention) -> DhTable:
    """Return the table of any serial arm, so that `dh_table(robot, …).fk(q)` is `robot.fk(q)`.

    Where a table leaves a choice: the smallest |theta|, then a ≥ 0, then alpha ≥ 0; d = 0 between parallel
    axes, theta = 0 too where they are one line. The first and the last row instead take as much of the distance
    to the second joint and to the flange as a row can.

    Almost parallel axes, as from a file that says 3.1416 for π, have their common normal far away. Then the
    table is only as exact as float64 allows, at worst some 1e-8 m (axes 1e-8 rad from parallel).
    """
    _check_convention(convention)
    if robot.followers:
        raise not_for_coupled(term(_("a DH table")))
    (first, *inner), T_end_flange = _steps(robot)
    base, tool = robot.base @ first.along_z(), T_end_flange @ robot.tool.T_flange_tool
    if convention == "standard":
        crossings = inner
        base = base @ first.along_x()
    else:
        crossings = [first, *inner[:-1]]
        tool = inner[-1].along_x() @ tool
    rows = tuple(
        DhRow(joint.name, joint.kind, along.theta, along.d, across.a, across.alpha)
        for joint, along, across in zip(robot.joints, inner, crossings, strict=True)
    )
    return DhTable(convention, rows, base, tool)


@dataclass(frozen=True, slots=True)
class _Step:
    """The step from one axis to the next: Rz(theta) Tz(d) along it, Tx(a) Rx(alpha) along their normal."""

    theta: float
    d: float
    a: float
    alpha: float

    def along_z(self) -> Floats:
        return _step("standard", self.theta, self.d, 0.0, 0.0)

    def along_x(self) -> Floats:
        return _step("standard", 0.0, 0.0, self.a, self.alpha)

    def left_of(self, T: Floats) -> Floats:
        """Return what remains to `T`."""
        rest: Floats = pose.inverse(self.along_z() @ self.along_x()) @ T
        return rest


def _steps(robot: Robot) -> tuple[list[_Step], Floats]:
    """Return n + 1 steps, base → axis 1 → … → axis n → flange, and what remains to the flange's own frame.

    What a step leaves over, a turn and a shift along the axis that it reached, commutes with that joint's
    motion and so goes into the next step.
    """
    steps: list[_Step] = []
    T_dh_link = np.eye(4)
    for joint in robot.joints:
        T_link_axis, T_axis_link = joint.T_parent_joint.copy(), np.eye(4)
        T_axis_link[:3, :3] = turn_z_to(joint.axis).T
        T_link_axis[:3, :3] = T_link_axis[:3, :3] @ T_axis_link[:3, :3].T
        T_dh_axis = T_dh_link @ T_link_axis
        step = _whole_step(T_dh_axis) if len(steps) == 1 else _short_step(T_dh_axis)
        steps.append(step)
        T_dh_link = step.left_of(T_dh_axis) @ T_axis_link
    T_dh_flange = T_dh_link @ robot.flange
    last = _whole_step(T_dh_flange)
    return [*steps, last], last.left_of(T_dh_flange)


def _short_step(T: Floats) -> _Step:
    """Return the step from the z axis to the z axis of `T`; between parallel axes, straight across."""
    tilt = math.hypot(T[0, 2], T[1, 2])
    if tilt < SNAP:
        return _parallel(T)
    step = _crossing(T)
    rounding = np.finfo(np.float64).eps * (abs(step.d) + math.hypot(step.d, *T[:3, 3]))
    return _parallel(T) if tilt < rounding else step


def _whole_step(T: Floats) -> _Step:
    """Return the same, but between parallel axes go along the first as well, up to `T`."""
    step = _short_step(T)
    if step.alpha not in {0.0, math.pi}:
        return step
    theta = step.theta if step.a else _snapped_turn(math.atan2(T[1, 0], T[0, 0]))
    return replace(step, theta=theta, d=_snapped(float(T[2, 3])))


def _parallel(T: Floats) -> _Step:
    x, y = float(T[0, 3]), float(T[1, 3])
    alpha = 0.0 if T[2, 2] > 0 else math.pi
    apart = _snapped(math.hypot(x, y))
    return _nicer(math.atan2(y, x), 0.0, apart, alpha) if apart else _Step(0.0, 0.0, 0.0, alpha)


def _crossing(T: Floats) -> _Step:
    """Return the step over the one common normal, n = z × w, of the z axis and the axis w of `T`."""
    wx, wy, wz = T[:3, 2].tolist()
    x, y, z = T[:3, 3].tolist()
    sine = math.hypot(wx, wy)
    along_w = (x * wx + y * wy) / sine**2
    apart = (y * wx - x * wy) / sine
    return _nicer(math.atan2(wx, -wy), _snapped(z - along_w * wz), _snapped(apart), math.atan2(sine, wz))


def _nicer(theta: float, d: float, a: float, alpha: float) -> _Step:
    """Return the nicer of the two equal steps whose normals point opposite ways."""
    one = _Step(_snapped_turn(theta), d, a, _snapped_turn(alpha))
    other = _Step(_snapped_turn(theta + math.pi), d, -a if a else a, _snapped_turn(-alpha))
    return min(one, other, key=lambda step: (round(abs(step.theta), 9), step.a < 0, step.alpha < 0))


def _step(convention: DhConvention, theta: ArrayLike, d: ArrayLike, a: float, alpha: float) -> Floats:
    """Return A (4, 4), or (m, 4, 4) for m values of theta or d."""
    (s, c), (sa, ca), shift = _sincos(theta), _sincos(alpha), np.asarray(d, dtype=np.float64)
    A = np.zeros((*np.broadcast_shapes(s.shape, shift.shape), 4, 4))
    if convention == "standard":
        A[..., 0, 0], A[..., 0, 1], A[..., 0, 2], A[..., 0, 3] = c, -s * ca, s * sa, a * c
        A[..., 1, 0], A[..., 1, 1], A[..., 1, 2], A[..., 1, 3] = s, c * ca, -c * sa, a * s
        A[..., 2, 1], A[..., 2, 2], A[..., 2, 3] = sa, ca, shift
    else:
        A[..., 0, 0], A[..., 0, 1], A[..., 0, 3] = c, -s, a
        A[..., 1, 0], A[..., 1, 1], A[..., 1, 2], A[..., 1, 3] = s * ca, c * ca, -sa, -shift * sa
        A[..., 2, 0], A[..., 2, 1], A[..., 2, 2], A[..., 2, 3] = s * sa, c * sa, ca, shift * ca
    A[..., 3, 3] = 1.0
    return A


def _sincos(angle: ArrayLike) -> tuple[Floats, Floats]:
    """Return sine and cosine that are exact at quarter turns, where π/2 itself is not."""
    s, c = np.sin(angle), np.cos(angle)
    return np.where(np.abs(s) < 1e-15, 0.0, s), np.where(np.abs(c) < 1e-15, 0.0, c)


def _snapped(length: float) -> float:
    return 0.0 if abs(length) < SNAP else float(length)


def _snapped_turn(angle: float) -> float:
    """Return `angle` in (-π, π], exact where it is almost a multiple of a quarter turn."""
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * math.pi / 2) < SNAP:
        return {0: 0.0, 1: math.pi / 2, 2: math.pi, 3: -math.pi / 2}[quarters % 4]
    return angle - 2.0 * math.pi * math.ceil((angle - math.pi) / (2.0 * math.pi))


def _check_convention(convention: str) -> None:
    if convention not in ("standard", "modified"):
        raise InvalidInput(
            "dh_convention",
            _("DH convention '{convention}' is not one of {known}"),
            convention=convention,
            known=["standard", "modified"],
        )
