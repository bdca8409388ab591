"""The geometric Jacobian at the tool, in world axes, by cross products."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from armlab.kinematics.symbolic.derivation import SymbolicRow
from armlab.kinematics.symbolic.matrices import (
    ZERO,
    Rigid,
    Screw,
    Vector,
    cross,
    group_start,
    product,
    subtract,
)


def world_jacobian(base: Rigid, steps: Sequence[Screw], rows: Sequence[SymbolicRow], flange: Rigid) -> sympy.Matrix:
    """Return the Jacobian (6, n), linear speed on top.

    Each joint's axis and the path from it to the tool are taken in the frame where its group of parallel axes begins,
    where the angles of parallel axes are already added up, and then turned into the world.
    """
    columns = []
    for row, at in zip(rows, joint_steps(steps), strict=True):
        start = group_start(steps, at)
        to_world = base @ product(steps[:start])
        tool, joint = product(steps[start:], flange), product(steps[start:at])
        columns.append(_column(row, to_world, joint, tool.p))
    return _stack(columns)


def local_jacobian(
    steps: Sequence[Screw], rows: Sequence[SymbolicRow], at: int, point: Vector = (ZERO, ZERO, ZERO)
) -> sympy.Matrix:
    """Return the Jacobian (6, n) of `point`, in the axes and seen from the origin of the frame before step `at`.

    A determinant of all six rows is the same in any axes and for any point; near the middle of the arm its entries are
    shortest. Joints behind are reached by going back, step by step.
    """
    columns = []
    for row, here in zip(rows, joint_steps(steps), strict=True):
        way = steps[at:here] if here >= at else [step.inverse() for step in reversed(steps[here + 1 : at])]
        columns.append(_column(row, product(()), product(way), point))
    return _stack(columns)


def joint_steps(steps: Sequence[Screw]) -> list[int]:
    """Return where in the steps each joint moves."""
    return [i for i, step in enumerate(steps) if step.axis == "z"]


def _column(row: SymbolicRow, to_world: Rigid, joint: Rigid, tool: Vector) -> tuple[Vector, Vector]:
    axis = joint.z
    if row.kind == "prismatic":
        return to_world.turn(axis), (ZERO, ZERO, ZERO)
    return to_world.turn(cross(axis, subtract(tool, joint.p))), to_world.turn(axis)


def _stack(columns: Sequence[tuple[Vector, Vector]]) -> sympy.Matrix:
    return sympy.Matrix([[*linear, *angular] for linear, angular in columns]).T
