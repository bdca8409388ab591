"""A DH table as symbols.

The names, for every arm alike:

- joint values are theta_i (revolute) and d_i (prismatic);
- lengths are a_i and d_i as in the table; the fixed part of a sliding joint's d is h_i. Where all axes are parallel
  (planar arms, SCARA), lengths are L_1, L_2, … instead: first those across the axes, then those along them;
- a turn that is a multiple of π/12 is written as that number; any other is a symbol, alpha_i in the table's last column
  and delta_i in its first, and the same turn again, or its opposite, is the same symbol;
- the base stands at b_x, b_y, b_z and the tool point in the last row's frame at t_x, t_y, t_z; a direction that is no
  nice number is b_xy or t_xy: the share of the world's (the last row's) x axis in the base's (the tool's) y axis.

A length of zero has no symbol; equal lengths have one each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import sympy

from armlab.arrays import Floats
from armlab.kinematics.symbolic.derivation import SymbolicRow
from armlab.model.dh import DhRow, DhTable

EXACT = 1e-13
"""How near (m, rad) a number must be to a nice one to be taken for it."""

_NICE = (sympy.S.Zero, sympy.Rational(1, 2), sympy.sqrt(2) / 2, sympy.sqrt(3) / 2, sympy.S.One)


@dataclass(frozen=True, eq=False)
class SymbolicTable:
    """What a DhTable holds, as symbols; `parameters` has their numbers (m, rad)."""

    convention: Literal["standard", "modified"]
    rows: tuple[SymbolicRow, ...]
    base: sympy.Matrix
    flange: sympy.Matrix
    parameters: dict[sympy.Symbol, float]


@dataclass
class _Names:
    """Gives out symbols and keeps their numbers."""

    is_parallel: bool
    parameters: dict[sympy.Symbol, float] = field(default_factory=dict)
    angles: dict[sympy.Symbol, float] = field(default_factory=dict)
    count: int = 0

    def length(self, name: str, value: float) -> sympy.Expr:
        """Return the symbol of a length, or zero."""
        if abs(value) < EXACT:
            return sympy.S.Zero
        return self._new(name, value)

    def link_length(self, name: str, value: float) -> sympy.Expr:
        """Return the symbol of a length inside the arm: L_1, L_2, … where all axes are parallel."""
        if self.is_parallel and abs(value) >= EXACT:
            self.count += 1
            name = f"L_{self.count}"
        return self.length(name, value)

    def turn(self, name: str, value: float) -> sympy.Expr:
        """Return a turn as a multiple of π/12, as an earlier symbol or its opposite, or as a new symbol."""
        twelfths = round(value / (math.pi / 12.0))
        if abs(value - twelfths * math.pi / 12.0) < EXACT:
            return sympy.Rational(twelfths, 12) * sympy.pi
        for known, number in self.angles.items():
            for sign in (1, -1):
                if abs(value - sign * number) < EXACT:
                    return sign * known
        symbol = self._new(name, value)
        self.angles[symbol] = value
        return symbol

    def direction(self, name: str, value: float) -> sympy.Expr:
        """Return an entry of a rotation: a nice number, or a symbol."""
        for nice in _NICE:
            if abs(abs(value) - float(nice)) < EXACT:
                return nice if value > 0 else -nice
        return self._new(name, value)

    def _new(self, name: str, value: float) -> sympy.Symbol:
        symbol = sympy.Symbol(name, real=True)
        self.parameters[symbol] = float(value)
        return symbol


def symbolic_table(table: DhTable) -> SymbolicTable:
    """Return the table with symbols for its numbers; see the module for their names."""
    inner = table.rows[:-1] if table.convention == "standard" else table.rows[1:]
    names = _Names(all(abs(math.sin(row.alpha)) < EXACT for row in inner))
    base = _frame(table.base, "b", names)
    across = [names.link_length(f"a_{i}", row.a) for i, row in enumerate(table.rows, 1)]
    rows = tuple(_row(i, row, a, names) for i, (row, a) in enumerate(zip(table.rows, across, strict=True), 1))
    flange = _frame(table.tool, "t", names)
    return SymbolicTable(table.convention, rows, base, flange, names.parameters)


def _row(i: int, row: DhRow, a: sympy.Expr, names: _Names) -> SymbolicRow:
    turns = row.kind == "revolute"
    variable = sympy.Symbol(f"theta_{i}" if turns else f"d_{i}", real=True)
    theta = names.turn(f"delta_{i}", row.theta)
    d = names.link_length(f"d_{i}" if turns else f"h_{i}", row.d)
    return SymbolicRow(
        joint=row.joint,
        kind=row.kind,
        variable=variable,
        theta=variable + theta if turns else theta,
        d=d if turns else variable + d,
        a=a,
        alpha=names.turn(f"alpha_{i}", row.alpha),
    )


def is_length(symbol: sympy.Symbol) -> bool:
    """Tell whether a parameter is a length, and not an angle or a direction."""
    letter, _, subscript = symbol.name.partition("_")
    return letter in {"a", "d", "h", "L"} or subscript in {"x", "y", "z"}


def _frame(T: Floats, letter: str, names: _Names) -> sympy.Matrix:
    """Return a fixed pose: directions as numbers where they are nice, anything else as symbols."""
    rows = []
    for i, row in enumerate("xyz"):
        directions = [names.direction(f"{letter}_{row}{column}", float(T[i, j])) for j, column in enumerate("xyz")]
        rows.append([*directions, names.length(f"{letter}_{row}", float(T[i, 3]))])
    return sympy.Matrix([*rows, [0, 0, 0, 1]])
