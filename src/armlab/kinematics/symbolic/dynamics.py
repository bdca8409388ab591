"""Lagrange's equations of small arms in symbols: M(q) q̈ + C(q, q̇) q̇ + g(q) = τ.

The kinetic energy comes from each link's velocity and turning rate along its own axes, recursively from the base, so
that only the angles that matter appear. Masses m_i, centres of mass c_ix, c_iy, c_iz and inertias about them,
I_ixx … I_iyz, are symbols; what is zero is left out. They are given in the frame of link i that stands on its
joint's axis, after Rz(theta_i) Tz(d_i): that is frame i of a modified table, and of a standard one what
stands before Tx(a_i) Rx(alpha_i). So c_ix is the textbook's distance from joint i to the centre of mass. The tool
belongs to the last link. Gravity g = 9.81 m/s² acts along the world's -z. C has Christoffel's symbols, so that Ṁ - 2 C
is skew-symmetric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined
from armlab.kinematics.symbolic.derivation import Derivation, Dynamics, SymbolicRow
from armlab.kinematics.symbolic.polynomials import Algebra
from armlab.model.robot import Robot

GRAVITY = 9.81
"""m/s², the value of the symbol g."""
GRAVITY_SYMBOL = sympy.Symbol("g", real=True)
LARGEST = 3
"""Axes of an arm of any shape; if all axes are parallel, one more."""
NOTHING = 1e-12
"""Parts of an inertia or a centre of mass (m) below this, against its largest part, are taken as zero."""

_INERTIAS = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))

Vector = list[Any]
"""Three polynomials."""


def lagrange(robot: Robot, derivation: Derivation) -> Dynamics | None:
    """Return the equations of an arm of up to three axes, or of four parallel ones; None for others.

    `derivation` may still be without its own dynamics. The numbers of the new symbols are in the result's `parameters`.
    """
    rows = derivation.rows
    parallel = all(row.alpha in {0, sympy.pi, -sympy.pi} for row in rows)
    if len(rows) > LARGEST + parallel:
        return None
    bodies = _bodies(robot, derivation)
    speeds = tuple(_speed(variable) for variable in derivation.variables)
    masses = [symbol for body in bodies for symbol in body.masses]
    numbers = [symbol for body in bodies for symbol in body.numbers if symbol not in masses]
    algebra = Algebra(rows, masses, numbers, [*speeds, GRAVITY_SYMBOL], tuple(derivation.base[2, :]))
    kinetic_matrix, height = _energies(algebra, derivation, bodies)
    n = len(rows)
    rates = [algebra.of(speed) for speed in speeds]
    C = [[_christoffel(algebra, kinetic_matrix, rates, k, j) for j in range(n)] for k in range(n)]
    kinetic = algebra.sum(kinetic_matrix[i][j] * rates[i] * rates[j] for i in range(n) for j in range(n)) / 2
    dynamics = Dynamics(
        speeds=speeds,
        kinetic=algebra.written(kinetic),
        potential=algebra.written(height),
        mass_matrix=sympy.Matrix(n, n, lambda i, j: algebra.written(kinetic_matrix[i][j])),
        coriolis=sympy.Matrix(n, n, lambda i, j: algebra.written(C[i][j])),
        gravity=sympy.Matrix(n, 1, lambda i, _: algebra.written(algebra.diff(height, i))),
    )
    used = dynamics.kinetic.free_symbols | dynamics.potential.free_symbols
    values = {GRAVITY_SYMBOL: GRAVITY} | {symbol: value for body in bodies for symbol, value in body.numbers.items()}
    dynamics.parameters.update({symbol: value for symbol, value in values.items() if symbol in used})
    return dynamics


@dataclass(frozen=True)
class _Body:
    """One link's mass, centre and inertia as symbols (0 where there is nothing), with their numbers."""

    mass: sympy.Expr
    centre: tuple[sympy.Expr, ...]
    inertia: dict[tuple[int, int], sympy.Expr]
    numbers: dict[sympy.Symbol, float]

    @property
    def masses(self) -> list[sympy.Symbol]:
        """The symbols of which every energy has exactly one as a factor."""
        return [symbol for symbol in (self.mass, *self.inertia.values()) if symbol.is_Symbol]


def _bodies(robot: Robot, derivation: Derivation) -> list[_Body]:
    frames = robot.frames(np.zeros(robot.dof))
    numbers = {**derivation.parameters, **dict.fromkeys(derivation.variables, 0.0)}
    T_world_row = _numeric(derivation.base, numbers)
    bodies = []
    for i, link in enumerate(robot.links[1:], start=1):
        row = derivation.rows[i - 1]
        T_world_row = T_world_row @ _numeric(derivation.links[i - 1], numbers)
        T_row_axis = np.eye(4)
        if derivation.convention == "standard":
            T_row_axis = pose.inverse(_numeric(_across(row), numbers))
        T_axis_link = pose.inverse(T_world_row @ T_row_axis) @ frames[i]
        parts = [(link.inertia, T_axis_link)]
        if i == robot.dof:
            parts.append((robot.tool.inertia, T_axis_link @ robot.flange))
        bodies.append(_body(i, *_joined(parts)))
    return bodies


def _across(row: SymbolicRow) -> sympy.Matrix:
    """Return Tx(a) Rx(alpha)."""
    s, c = sympy.sin(row.alpha), sympy.cos(row.alpha)
    return sympy.Matrix([[1, 0, 0, row.a], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def _numeric(matrix: sympy.Matrix, numbers: dict[sympy.Symbol, float]) -> Floats:
    return np.array(matrix.subs(numbers).evalf().tolist(), dtype=np.float64)


def _joined(parts: Sequence[tuple[Inertia, Floats]]) -> tuple[float, Floats, Floats]:
    """Return mass, centre (3,) and inertia about it (3, 3) of rigidly joined parts, each with its frame."""
    whole = combined(parts)
    return whole.mass, whole.com, whole.matrix


def _body(i: int, mass: float, centre: Floats, about: Floats) -> _Body:
    numbers: dict[sympy.Symbol, float] = {}

    def symbol(name: str, value: float, scale: float) -> sympy.Expr:
        if abs(value) <= NOTHING * scale:
            return sympy.Integer(0)
        named = sympy.Symbol(name, real=True)
        numbers[named] = float(value)
        return named

    m = symbol(f"m_{i}", mass, 1.0)
    c = tuple(symbol(f"c_{i}{axis}", value, 1.0) for axis, value in zip("xyz", centre, strict=True))
    largest = float(np.abs(about).max())
    I = {(j, k): symbol(f"I_{i}{name}", about[j, k], largest) for name, j, k in _INERTIAS}  # noqa: E741
    return _Body(m, c, I, numbers)


def _speed(variable: sympy.Symbol) -> sympy.Symbol:
    """Return the symbol of a variable's rate: theta_1 → thetadot_1, which LaTeX shows with a dot above."""
    letters, rest = re.match(r"([A-Za-z]+)(.*)", variable.name).groups()  # type: ignore[union-attr]
    return sympy.Symbol(f"{letters}dot{rest}", real=True)


def _energies(algebra: Algebra, derivation: Derivation, bodies: Sequence[_Body]) -> tuple[list[list[Any]], Any]:
    """Return M and the potential energy, as polynomials.

    `turning` and `moving` hold, for every joint so far, what its rate contributes to the turning rate and to the
    velocity of the link's frame, along that frame's own axes; `up` is the world's z axis along them, `height` the
    origin's height.
    """
    n = len(bodies)
    M = [[algebra.of(0)] * n for _ in range(n)]
    turning: list[Vector] = []
    moving: list[Vector] = []
    up, height = [algebra.of(e) for e in derivation.base[2, :3]], algebra.of(derivation.base[2, 3])
    potential = algebra.of(0)
    rows = derivation.rows
    across = rows if derivation.convention == "modified" else (None, *rows)
    zero, axis = [algebra.of(0)] * 3, [algebra.of(0), algebra.of(0), algebra.of(1)]
    for i, (before, row, body) in enumerate(zip(across, rows, bodies, strict=False)):
        R, p = _step(algebra, before, row, i)
        moving = [_turned(algebra, R, _plus(v, _cross(w, p))) for v, w in zip(moving, turning, strict=True)]
        turning = [_turned(algebra, R, w) for w in turning]
        turns = row.kind == "revolute"
        turning, moving = [*turning, axis if turns else zero], [*moving, zero if turns else axis]
        height, up = height + _dot(up, p), _turned(algebra, R, up)
        m, c = algebra.of(body.mass), [algebra.of(e) for e in body.centre]
        at_centre = [_plus(v, _cross(w, c)) for v, w in zip(moving, turning, strict=True)]
        I = [[algebra.of(body.inertia[min(j, k), max(j, k)]) for k in range(3)] for j in range(3)]  # noqa: E741
        for j in range(i + 1):
            spin = [_dot(I[axis], turning[j]) for axis in range(3)]
            for k in range(j + 1):
                part = m * _dot(at_centre[j], at_centre[k]) + _dot(spin, turning[k])
                M[j][k] = algebra.reduced(M[j][k] + part)
                M[k][j] = M[j][k]
        potential += m * algebra.of(GRAVITY_SYMBOL) * (height + _dot(up, c))
    return M, potential


def _step(algebra: Algebra, before: SymbolicRow | None, row: SymbolicRow, i: int) -> tuple[list[Vector], Vector]:
    """Return the rotation and the shift from one link's frame to the next: Tx(a) Rx(alpha) Rz(theta) Tz(d).

    `before` is the row with the way across, from one axis to the next; before the first joint there may be none.
    """
    (s, c), d, nothing = algebra.turn(row, i), algebra.of(row.d), algebra.of(0)
    a = algebra.of(before.a) if before else nothing
    sa, ca = algebra.tilt(before) if before else (nothing, algebra.of(1))
    return [[c, -s, nothing], [s * ca, c * ca, -sa], [s * sa, c * sa, ca]], [a, -d * sa, d * ca]


def _turned(algebra: Algebra, R: list[Vector], v: Vector) -> Vector:
    """Return Rᵀ v."""
    return [algebra.reduced(_dot([R[0][k], R[1][k], R[2][k]], v)) for k in range(3)]


def _dot(v: Vector, w: Vector) -> Any:
    return v[0] * w[0] + v[1] * w[1] + v[2] * w[2]


def _cross(v: Vector, w: Vector) -> Vector:
    return [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]]


def _plus(v: Vector, w: Vector) -> Vector:
    return [v[0] + w[0], v[1] + w[1], v[2] + w[2]]


def _christoffel(algebra: Algebra, M: list[list[Any]], rates: Sequence[Any], k: int, j: int) -> Any:
    """Return C_kj = Σ_i ½ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k) q̇_i."""
    return algebra.sum(
        (algebra.diff(M[k][j], i) + algebra.diff(M[k][i], j) - algebra.diff(M[i][j], k)) * rate / 2
        for i, rate in enumerate(rates)
    )
