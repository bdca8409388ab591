"""What the inverse problems of all arms share: the chain, the target, the list of steps, and a triangle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import sympy

from armlab.kinematics.symbolic.derivation import Derivation, InverseStep
from armlab.messages import Message, _

Expr: TypeAlias = sympy.Expr
Pair: TypeAlias = tuple[Expr, Expr]
HALF_TURNS = (sympy.S.Zero, sympy.pi, -sympy.pi)
QUARTER_TURNS = (sympy.pi / 2, -sympy.pi / 2)


def real(name: str) -> sympy.Symbol:
    """Return a symbol that stands for a real number."""
    return sympy.Symbol(name, real=True)


def sign(k: int) -> sympy.Symbol:
    """Return σ_k, which is +1 or -1."""
    return real(f"sigma_{k}")


@dataclass(frozen=True)
class SymbolicChain:
    """base · Π Rz(theta) Tz(d) Tx(a) Rx(alpha) · flange, whichever way the table was written; from 0."""

    base: sympy.Matrix
    turns: tuple[bool, ...]
    variables: tuple[sympy.Symbol, ...]
    theta: tuple[Expr, ...]
    d: tuple[Expr, ...]
    a: tuple[Expr, ...]
    alpha: tuple[Expr, ...]
    flange: sympy.Matrix

    @property
    def zeros(self) -> tuple[Expr, ...]:
        """What each row adds to its joint's variable."""
        moved = (t if turns else d for t, d, turns in zip(self.theta, self.d, self.turns, strict=True))
        return tuple(expression - variable for expression, variable in zip(moved, self.variables, strict=True))

    def after_last_turn(self) -> sympy.Matrix:
        """Return what follows the last joint's turn: Tz(d) Tx(a) Rx(alpha) · flange."""
        return _across(self.a[-1], self.alpha[-1], self.d[-1]) * self.flange


def chain_of(derivation: Derivation) -> SymbolicChain:
    """Return the chain of a derivation: a modified table is a standard one with a and alpha in the row before."""
    rows = derivation.rows
    base, a, alpha = derivation.base, [row.a for row in rows], [row.alpha for row in rows]
    if derivation.convention == "modified":
        base = base * _across(a[0], alpha[0], sympy.S.Zero)
        a, alpha = [*a[1:], sympy.S.Zero], [*alpha[1:], sympy.S.Zero]
    return SymbolicChain(
        base=base,
        turns=tuple(row.kind == "revolute" for row in rows),
        variables=tuple(row.variable for row in rows),
        theta=tuple(row.theta for row in rows),
        d=tuple(row.d for row in rows),
        a=tuple(a),
        alpha=tuple(alpha),
        flange=derivation.flange,
    )


def _across(a: Expr, alpha: Expr, d: Expr) -> sympy.Matrix:
    s, c = sympy.sin(alpha), sympy.cos(alpha)
    return sympy.Matrix([[1, 0, 0, a], [0, c, -s, 0], [0, s, c, d], [0, 0, 0, 1]])


@dataclass
class Steps:
    """The steps so far; equations go to the last one."""

    done: list[tuple[Message, Message, list[tuple[Expr, Expr]]]] = field(default_factory=list)

    def begin(self, code: str, title: str, text: str, /, **symbols: Expr) -> None:
        """Begin a step; `symbols` are the formulas in its text."""
        self.done.append((Message(code, title), Message(code, text, **symbols), []))

    def let(self, name: str, expression: Expr) -> Expr:
        """Give an expression a name, unless it is only a symbol or a number, and return what to write for it."""
        if expression.is_Symbol or expression.is_number:
            return expression
        symbol = real(name)
        self.put(symbol, expression)
        return symbol

    def put(self, symbol: Expr, expression: Expr) -> None:
        """Add an equation to this step."""
        self.done[-1][2].append((symbol, expression))

    def as_tuple(self) -> tuple[InverseStep, ...]:
        """Return all steps that have equations."""
        return tuple(InverseStep(title, text, tuple(equations)) for title, text, equations in self.done if equations)


class Target:
    """The target T_world_tool as symbols, x, y, z and r11 … r33, and what it is for the arm.

    `point` and `R` are the tool's point and rotation in the frame before the first row; a rotation that only swaps axes
    gets no names of its own.
    """

    def __init__(self, steps: Steps, chain: SymbolicChain) -> None:
        p = sympy.Matrix([real("x"), real("y"), real("z")])
        R = sympy.Matrix(3, 3, lambda i, j: real(f"r{i + 1}{j + 1}"))
        back, shift = chain.base[:3, :3].T, chain.base[:3, 3]
        self.R = back * R
        steps.begin(
            "arm_frame",
            _("Into the arm's own frame"),
            _("The target in the frame in which the DH table begins; its rotation changes in the same way."),
        )
        x, y, z = (steps.let(f"{name}_0", e) for name, e in zip("xyz", back * (p - shift), strict=True))
        self.point = (x, y, z)
        if not all(entry in {-1, 0, 1} for entry in back):
            self.R = sympy.Matrix(3, 3, lambda i, j: steps.let(f"n{i + 1}{j + 1}", self.R[i, j]))


def polar(steps: Steps, vector: Pair, k: int) -> Pair:
    """Return length and angle of a link; one along an axis keeps its sign instead of turning around."""
    x, y = vector
    if y == 0:
        return x, sympy.S.Zero
    if x == 0:
        return y, sympy.pi / 2
    return steps.let(f"R_{k}", sympy.sqrt(x**2 + y**2)), steps.let(f"beta_{k}", sympy.atan2(y, x))


def turned(angle: Expr, vector: Pair) -> Pair:
    """Return a vector of the plane turned by an angle."""
    s, c = sympy.sin(angle), sympy.cos(angle)
    return c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]


def added(one: Pair, other: Pair) -> Pair:
    """Return the sum of two vectors of the plane."""
    return one[0] + other[0], one[1] + other[1]


@dataclass(frozen=True)
class Triangle:
    """Two links that reach a point: `first` and `second` are their (length, angle at zero), 1 and 2 their numbers."""

    first: Pair
    second: Pair
    point: Pair

    def bend(self, steps: Steps, choice: sympy.Symbol) -> Expr:
        """Add distance and law of cosines; return the angle from the first link to the second."""
        l1, l2, (x, y) = self.first[0], self.second[0], self.point
        steps.begin(
            "distance",
            _("Distance"),
            _(
                "{B} is the distance of the point from the axis of the first of the two links. Together they reach it "
                "if {B} is not more than the sum of their lengths and not less than their difference."
            ),
            B=real("B"),
        )
        B = steps.let("B", sympy.sqrt(x**2 + y**2))
        steps.begin(
            "law_of_cosines",
            _("Law of cosines"),
            _(
                "Both links and {B} make a triangle; {psi} is the angle from the first link to the second. The cosine "
                "leaves open to which side the elbow bends: {sigma} = +1 and {sigma} = −1 are the two cases."
            ),
            B=real("B"),
            psi=real("psi"),
            sigma=choice,
        )
        cosine = steps.let("D", (B**2 - l1**2 - l2**2) / (2 * l1 * l2))
        return steps.let("psi", choice * sympy.acos(cosine))

    def direction(self, psi: Expr) -> Expr:
        """Return the angle of the first link."""
        (l1, _), (l2, _), (x, y) = self.first, self.second, self.point
        return sympy.atan2(y, x) - sympy.atan2(l2 * sympy.sin(psi), l1 + l2 * sympy.cos(psi))
