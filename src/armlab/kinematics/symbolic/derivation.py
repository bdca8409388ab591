"""What a derivation holds: every formula of an arm, as SymPy expressions, with the numbers to put in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from armlab.arrays import Floats
from armlab.messages import Message

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class SymbolicRow:
    """One row of the DH table: symbols, numbers where they are zero or a quarter turn, and the joint's variable."""

    joint: str
    kind: Literal["revolute", "prismatic"]
    variable: sympy.Symbol
    theta: sympy.Expr
    d: sympy.Expr
    a: sympy.Expr
    alpha: sympy.Expr


@dataclass(frozen=True)
class SingularCondition:
    """Where the Jacobian loses rank: an expression that vanishes there, and what that means."""

    expression: sympy.Expr
    kind: Literal["shoulder", "elbow", "wrist", "other"]
    meaning: Message


@dataclass(frozen=True)
class SignChoice:
    """One branch: the signs sigma_1, sigma_2, … (each +1 or -1) that lead to it, and its name."""

    signs: tuple[int, ...]
    branch: str


@dataclass(frozen=True)
class InverseStep:
    """One step of the inverse problem: a title, an explanation, and its equations (left side, right side).

    Parameters of the explanation may be SymPy expressions. The last step has no equations but `choices`: which signs
    are which branch.
    """

    title: Message
    text: Message
    equations: tuple[tuple[sympy.Expr, sympy.Expr], ...]
    choices: tuple[SignChoice, ...] = ()


@dataclass(frozen=True)
class Dynamics:
    """Lagrange's equations M(q) q̈ + C(q, q̇) q̇ + g(q) = τ."""

    speeds: tuple[sympy.Symbol, ...]
    kinetic: sympy.Expr
    potential: sympy.Expr
    mass_matrix: sympy.Matrix
    coriolis: sympy.Matrix
    gravity: sympy.Matrix
    parameters: dict[sympy.Symbol, float] = field(default_factory=dict)
    """The numbers of what only the dynamics need (kg, m, kg m², m/s²); lengths are in the derivation's parameters."""


@dataclass(frozen=True, eq=False)
class NumericDerivation:
    """The same matrices at one pose, as numbers (m, rad)."""

    q: Floats
    links: Floats
    """(n, 4, 4): A_i of each row."""
    products: Floats
    """(n + 1, 4, 4): base, base · A_1, …"""
    tool: Floats
    """(4, 4): T_world_tool"""
    jacobian: Floats
    """(6, n)"""
    determinant: float | None
    """Of the Jacobian's rows that the arm can move, where it is square."""


@dataclass(frozen=True, eq=False)
class Derivation:
    """Every formula of one arm; `parameters` holds the number of each symbol that is not a joint's variable (m, rad).

    Long expressions share sub-expressions: `shared` lists (symbol, expression) in the order in which they are to be
    read, and later formulas may use those symbols.
    """

    robot: str
    convention: Literal["standard", "modified"]
    variables: tuple[sympy.Symbol, ...]
    parameters: dict[sympy.Symbol, float]
    rows: tuple[SymbolicRow, ...]
    base: sympy.Matrix
    links: tuple[sympy.Matrix, ...]
    products: tuple[sympy.Matrix, ...]
    """base · A_1 … A_i, for i = 0 … n"""
    flange: sympy.Matrix
    """What follows the last row: flange and tool."""
    tool: sympy.Matrix
    """T_world_tool, simplified"""
    shared: tuple[tuple[sympy.Symbol, sympy.Expr], ...]
    jacobian: sympy.Matrix
    task_rows: tuple[int, ...]
    """The rows of the Jacobian that the arm can move independently, from 0 (x) to 5 (rz)."""
    determinant: sympy.Expr | None
    singular: tuple[SingularCondition, ...]
    inverse: tuple[InverseStep, ...]
    dynamics: Dynamics | None
