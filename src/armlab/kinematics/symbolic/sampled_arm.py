"""An arm with other lengths than its own: the textbook's product of DH matrices at many points at once, mm and rad.

Written apart from the kernels and from SymPy. Lengths go by these names:

- `a_1`, `d_1`, … of the standard table; the fixed part of a sliding joint's d is `h_3`;
- `b_x`, `b_y`, `b_z`: where the base stands;
- `x_t`, `y_t`, `z_t`: the tool point seen from the flange, or `t_x`, `t_y`, `t_z`: the same from the last row's frame.

Directions stay what they are: the table's angles, and how base, flange and tool are turned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.dh import DhTable, dh_table
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

NOTHING_MM = 1e-9
"""A length below this (mm) is none."""
BASE, TOOL, END = ("b_x", "b_y", "b_z"), ("x_t", "y_t", "z_t"), ("t_x", "t_y", "t_z")
STILL = 1e-9
"""A row of the Jacobian that stays below this, against the arm's size, cannot be moved."""
PARALLEL = 1e-12
"""The sine of an angle that is none."""


class Samples(NamedTuple):
    """The arm at m points."""

    axes: Floats
    """(m, n, 3): the direction of each joint's axis"""
    origins: Floats
    """(m, n, 3): a point on each joint's axis, mm"""
    tool: Floats
    """(m, 4, 4): T_world_tool, mm"""
    slides: tuple[bool, ...]

    @property
    def jacobian(self) -> Floats:
        """(m, 6, n): mm/rad, or mm/mm where the joint slides, then rad/rad."""
        slides = np.array(self.slides)[:, None]
        levers = self.tool[:, None, :3, 3] - self.origins
        linear = np.where(slides, self.axes, np.cross(self.axes, levers))
        angular = np.where(slides, 0.0, self.axes)
        return np.concatenate([linear, angular], axis=2).transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class SampledArm:
    """An arm by its standard DH table; `own` holds its lengths (mm) by name."""

    robot: Robot
    table: DhTable
    own: Mapping[str, float]
    slides: tuple[bool, ...]
    span: float
    """All lengths together, mm: the size of what can come out."""

    @classmethod
    def from_robot(cls, robot: Robot) -> SampledArm:
        """Return the arm with the names of its lengths."""
        table = dh_table(robot, "standard")
        slides = tuple(row.kind == "prismatic" for row in table.rows)
        own = {f"a_{i}": row.a * MM_PER_M for i, row in enumerate(table.rows, 1)}
        own |= {_along(i, row.kind): row.d * MM_PER_M for i, row in enumerate(table.rows, 1)}
        for names, T in ((BASE, table.base), (TOOL, robot.tool.T_flange_tool), (END, table.tool)):
            own |= dict(zip(names, (T[:3, 3] * MM_PER_M).tolist(), strict=True))
        own = {name: value if abs(value) > NOTHING_MM else 0.0 for name, value in own.items()}
        return cls(robot, table, own, slides, sum(map(abs, own.values())) or 1.0)

    @property
    def dof(self) -> int:
        """How many joints the arm has."""
        return len(self.slides)

    @property
    def axes_are_parallel(self) -> bool:
        """Whether all joint axes are parallel, as in a planar arm or a SCARA."""
        return all(abs(np.sin(row.alpha)) < PARALLEL for row in self.table.rows[:-1])

    @property
    def tool_stays_level(self) -> bool:
        """Whether the tool can turn about the world's z axis only, so that one angle says how it stands."""
        q = np.random.default_rng(3).uniform(-3.0, 3.0, (16, self.dof))
        return bool(np.all(np.abs(np.abs(self.at(q, {}).tool[:, 2, 2]) - 1.0) < PARALLEL))

    def at(self, q: Floats, lengths: Mapping[str, Floats]) -> Samples:
        """Return the arm at q (m, n) in rad and mm; `lengths` not given, each (m,), are the arm's own."""
        count = len(q)
        size = {name: lengths.get(name, np.full(count, value)) for name, value in self.own.items()}
        T = np.tile(self.table.base, (count, 1, 1))
        T[:, :3, 3] = np.stack([size[name] for name in BASE], axis=1)
        axes, origins = [], []
        for i, (row, slides) in enumerate(zip(self.table.rows, self.slides, strict=True)):
            axes.append(T[:, :3, 2])
            origins.append(T[:, :3, 3])
            theta = row.theta + np.where(slides, 0.0, q[:, i])
            d = size[_along(i + 1, row.kind)] + np.where(slides, q[:, i], 0.0)
            T = T @ _dh_matrix(theta, d, size[f"a_{i + 1}"], row.alpha)
        T_tool = T @ self._end_to_tool(size, lengths)
        return Samples(np.stack(axes, axis=1), np.stack(origins, axis=1), T_tool, self.slides)

    def _end_to_tool(self, size: Mapping[str, Floats], given: Mapping[str, Floats]) -> Floats:
        """Return T_end_tool (m, 4, 4); what is given as seen from the last row's frame goes before the flange's."""
        T_flange_tool = self.robot.tool.T_flange_tool
        T_end_flange = self.table.tool @ pose.inverse(T_flange_tool)
        T_end_flange[:3, 3] *= MM_PER_M
        T = np.tile(T_flange_tool, (len(size["x_t"]), 1, 1))
        T[:, :3, 3] = np.stack([size[name] for name in TOOL], axis=1)
        T = T_end_flange @ T
        for axis, name in enumerate(END):
            if name in given:
                T[:, axis, 3] = given[name]
        return T


@dataclass(frozen=True, slots=True)
class CheckedQuantity:
    """One number that an arm has at a pose: its name, its unit, the size that it could have, and how it is read."""

    name: str
    unit: str
    size: float
    read: Callable[[Samples], Floats]

    def apart(self, yours: Floats, expected: Floats) -> Floats:
        """Return how far two values are apart; angles are the same after a whole turn."""
        gap = yours - expected
        if self.name == "phi":
            gap = np.angle(np.exp(1j * gap))
        return np.abs(gap)


def quantity_of(arm: SampledArm, text: str) -> CheckedQuantity:
    """Return what `text` names: x, y, z, r11 … r33, J11 … J6n, det, and phi where the tool stays level.

    Raises:
        InvalidInput: if it names nothing, or nothing that this arm has.
    """
    plain = text.strip().lower().replace("_", "")
    if plain in {"x", "y", "z"}:
        axis = "xyz".index(plain)
        return CheckedQuantity(plain, "mm", arm.span, lambda at: at.tool[:, axis, 3])
    if match := re.fullmatch(r"r([1-3])([1-3])", plain):
        row, column = int(match[1]) - 1, int(match[2]) - 1
        return CheckedQuantity(plain, "", 1.0, lambda at: at.tool[:, row, column])
    if match := re.fullmatch(r"j([1-6]),?([0-9]{1,2})", plain):
        return _jacobian_entry(arm, int(match[1]), int(match[2]))
    if plain in {"phi", "φ", "ϕ"} and arm.tool_stays_level:
        return CheckedQuantity("phi", "rad", 1.0, lambda at: np.arctan2(at.tool[:, 1, 0], at.tool[:, 0, 0]))
    if plain in {"det", "detj", "det(j)"}:
        return _determinant(arm)
    known = ["x", "y", "z", "r11 … r33", f"J11 … J6{arm.dof}", "det", *(["phi"] if arm.tool_stays_level else [])]
    raise InvalidInput(
        "unknown_quantity",
        _("{robot}: no quantity named '{quantity}'; known: {known}"),
        robot=arm.robot.name,
        quantity=text,
        known=known,
    )


def quantity_names(arm: SampledArm) -> list[str]:
    """Return every quantity that the arm has, each by its name."""
    entries = [f"r{i}{j}" for i in range(1, 4) for j in range(1, 4)]
    entries += [f"J{i}{j}" for i in range(1, 7) for j in range(1, arm.dof + 1)]
    sometimes = [("phi", arm.tool_stays_level), ("det", len(_square_rows(arm)) == arm.dof)]
    return ["x", "y", "z", *(name for name, has in sometimes if has), *entries]


def _jacobian_entry(arm: SampledArm, row: int, column: int) -> CheckedQuantity:
    if not 1 <= column <= arm.dof:
        raise InvalidInput(
            "no_such_column",
            _("{entry}: columns of the Jacobian of {robot} go from 1 to {count}"),
            entry=f"J{row}{column}",
            robot=arm.robot.name,
            count=arm.dof,
        )
    lever = row <= 3 and not arm.slides[column - 1]
    unit, size = ("mm/rad", arm.span) if lever else ("", 1.0)
    return CheckedQuantity(f"J{row}{column}", unit, size, lambda at: at.jacobian[:, row - 1, column - 1])


def _determinant(arm: SampledArm) -> CheckedQuantity:
    """Return the determinant of the Jacobian's rows that the arm can move, or of x, y, z where these are enough."""
    rows = _square_rows(arm)
    if len(rows) != arm.dof:
        raise InvalidInput(
            "no_determinant",
            _("det: the Jacobian of {robot} is not square, so it has no determinant"),
            robot=arm.robot.name,
        )
    size = np.array([arm.span] * 3 + [1.0] * 3)
    return CheckedQuantity("det", "", float(np.prod(size[rows])), lambda at: np.linalg.det(at.jacobian[:, rows, :]))


def _square_rows(arm: SampledArm) -> list[int]:
    """Return the rows of the Jacobian that the arm can move, or those of x, y, z; as many as joints if it is square."""
    q = np.random.default_rng(5).uniform(-3.0, 3.0, (16, arm.dof))
    size = np.array([arm.span] * 3 + [1.0] * 3)
    moved = np.abs(arm.at(q, {}).jacobian).max(axis=(0, 2)) > STILL * size
    rows = [int(row) for row in np.flatnonzero(moved)]
    return rows if len(rows) == arm.dof else [row for row in rows if row < 3]


def _along(row: int, kind: str) -> str:
    return f"d_{row}" if kind == "revolute" else f"h_{row}"


def _dh_matrix(theta: Floats, d: Floats, a: Floats, alpha: float) -> Floats:
    """Return Rz(theta) Tz(d) Tx(a) Rx(alpha), (m, 4, 4)."""
    s, c, sa, ca = np.sin(theta), np.cos(theta), _exact(np.sin(alpha)), _exact(np.cos(alpha))
    A = np.zeros((len(theta), 4, 4))
    A[:, 0] = np.stack([c, -s * ca, s * sa, a * c], axis=1)
    A[:, 1] = np.stack([s, c * ca, -c * sa, a * s], axis=1)
    A[:, 2, 1], A[:, 2, 2], A[:, 2, 3] = sa, ca, d
    A[:, 3, 3] = 1.0
    return A


def _exact(value: float) -> float:
    return 0.0 if abs(value) < 1e-15 else float(value)
