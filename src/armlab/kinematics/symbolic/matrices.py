"""Products of a table's matrices, with the angles of parallel axes added up.

Both conventions are one row of steps, turns about z with a shift along it and turns about x with a shift along it, one
after the other. Rz(θ₁) … Rz(θ₂) with only x steps of no turn or half a turn between them is Rz(θ₁ ± θ₂), so that such a
group of steps is written at once as one matrix in cos(θ₁ ± θ₂) and sin(θ₁ ± θ₂). The groups are multiplied from the
last to the first and never multiplied out: x = cos θ₁·(a₁ + a₂·cos θ₂ + …) comes out as it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import sympy

from armlab.kinematics.symbolic.derivation import SymbolicRow

Vector: TypeAlias = tuple[sympy.Expr, sympy.Expr, sympy.Expr]

ZERO, ONE = sympy.S.Zero, sympy.S.One


class Screw(NamedTuple):
    """A turn about an axis and a shift along it."""

    axis: Literal["x", "z"]
    angle: sympy.Expr
    shift: sympy.Expr

    def inverse(self) -> Screw:
        """Return the step back."""
        return Screw(self.axis, -self.angle, -self.shift)

    @property
    def keeps_z(self) -> bool:
        """Whether the z axis after the step is parallel to the one before."""
        return self.axis == "z" or self.angle in {ZERO, sympy.pi, -sympy.pi}


class Rigid(NamedTuple):
    """A rotation by its rows, and a shift."""

    R: tuple[Vector, Vector, Vector]
    p: Vector

    def __matmul__(self, other: Rigid) -> Rigid:
        columns = [self.turn(column) for column in zip(*other.R, strict=True)]
        rows: tuple[Vector, ...] = tuple(zip(*columns, strict=True))
        return Rigid((rows[0], rows[1], rows[2]), add(self.turn(other.p), self.p))

    def turn(self, v: Vector) -> Vector:
        """Return the vector turned, not shifted."""
        return (_dot(self.R[0], v), _dot(self.R[1], v), _dot(self.R[2], v))

    @property
    def z(self) -> Vector:
        """The direction of the z axis."""
        return (self.R[0][2], self.R[1][2], self.R[2][2])

    def matrix(self) -> sympy.Matrix:
        """Return the 4×4 matrix."""
        return sympy.Matrix([*([*row, x] for row, x in zip(self.R, self.p, strict=True)), [0, 0, 0, 1]])


IDENTITY = Rigid(((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), (ZERO, ZERO, ZERO))


def rigid(matrix: sympy.Matrix) -> Rigid:
    """Return a 4×4 matrix as a rotation and a shift."""
    rows = [(matrix[i, 0], matrix[i, 1], matrix[i, 2]) for i in range(3)]
    return Rigid((rows[0], rows[1], rows[2]), (matrix[0, 3], matrix[1, 3], matrix[2, 3]))


def steps_of(convention: str, rows: Sequence[SymbolicRow]) -> tuple[Screw, ...]:
    """Return two steps per row, in the order of the convention."""
    steps: list[Screw] = []
    for row in rows:
        pair = (Screw("z", row.theta, row.d), Screw("x", row.alpha, row.a))
        steps.extend(pair if convention == "standard" else pair[::-1])
    return tuple(steps)


def row_matrix(convention: str, row: SymbolicRow) -> sympy.Matrix:
    """Return A of one row, as the textbook has it."""
    return product(steps_of(convention, [row])).matrix()


def product(steps: Sequence[Screw], last: Rigid = IDENTITY) -> Rigid:
    """Return step 1 · step 2 · … · last, with one matrix per group of parallel axes."""
    result = last
    for group in reversed(groups(steps)):
        result = _group(group, result)
    return result


def groups(steps: Sequence[Screw]) -> list[list[Screw]]:
    """Return the steps cut after each turn about x that tilts the z axis."""
    cut: list[list[Screw]] = [[]]
    for step in steps:
        cut[-1].append(step)
        if not step.keeps_z:
            cut.append([])
    return [group for group in cut if group]


def group_start(steps: Sequence[Screw], index: int) -> int:
    """Return where the group of parallel axes begins in which `index` stands."""
    while index > 0 and steps[index - 1].keeps_z:
        index -= 1
    return index


def _group(steps: Sequence[Screw], rest: Rigid) -> Rigid:
    """Return step 1 · … · rest; at most the last step tilts the z axis, and its shift is added before the turn."""
    angle, up = ZERO, ONE
    x, y, z, tilt, last_shift = ZERO, ZERO, ZERO, ZERO, ZERO
    for i, step in enumerate(steps):
        if step.axis == "z":
            angle, z = angle + up * step.angle, z + up * step.shift
            continue
        tilt += step.angle
        up = sympy.cos(tilt) if step.keeps_z else up
        if i == len(steps) - 1:
            last_shift = step.shift
        else:
            x, y = x + step.shift * sympy.cos(angle), y + step.shift * sympy.sin(angle)
    c, s, ct, st = sympy.cos(angle), sympy.sin(angle), sympy.cos(tilt), sympy.sin(tilt)
    across = Rigid(((ONE, ZERO, ZERO), (ZERO, ct, -st), (ZERO, st, ct)), (last_shift, ZERO, ZERO))
    return Rigid(((c, -s, ZERO), (s, c, ZERO), (ZERO, ZERO, ONE)), (x, y, z)) @ (across @ rest)


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: Vector, b: Vector) -> sympy.Expr:
    return _times(a[0], b[0]) + _times(a[1], b[1]) + _times(a[2], b[2])


def _times(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """Return a·b, as −a·(d + e) rather than a·(−d − e)."""
    if b.is_Add and not a.is_Number and b.could_extract_minus_sign():
        return -(a * -b)
    return a * b
