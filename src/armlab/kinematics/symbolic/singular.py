"""The Jacobian's determinant in factors, and the poses where the arm loses a direction of motion.

The determinant of all six rows is the same in the axes of any frame and for any point of the hand. In a frame in the
middle of the arm, and for the point where the wrist's axes meet, it falls into blocks: arm and wrist are decoupled.
Fewer joints have fewer rows: then `determinant` is that of the rows `task_rows` of the world, while `singular` lists
what all minors have in common, that is where the whole Jacobian loses rank and not only those rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
import sympy

from armlab.arrays import Floats
from armlab.kinematics.symbolic.derivation import SingularCondition
from armlab.kinematics.symbolic.jacobian import joint_steps, local_jacobian
from armlab.kinematics.symbolic.matrices import product, rigid, steps_of
from armlab.kinematics.symbolic.meaning import condition
from armlab.kinematics.symbolic.table import SymbolicTable, is_length
from armlab.kinematics.symbolic.trigring import Factored, Poly, TooLong, TrigRing, blocks

SAMPLES = 3
MOST_MINORS = 40
MOST_ODD_TILTS = 1
KINDS = ("shoulder", "elbow", "wrist", "other")
RANK = 1e-9
SAME = 1e-9


class _Answer(NamedTuple):
    """A determinant, or what several have in common, with the ring that its factors are in."""

    ring: TrigRing
    product: Factored


class Singularities(NamedTuple):
    """What is known of an arm's singularities; see Derivation."""

    task_rows: tuple[int, ...]
    determinant: sympy.Expr | None
    conditions: tuple[SingularCondition, ...]


def singularities(table: SymbolicTable, jacobian: sympy.Matrix) -> Singularities:
    """Return the rows that the arm can move, their determinant if they are square, and where rank is lost.

    What has too many terms to be read is left out.
    """
    task_rows, n = _independent_rows(_numbers(table, jacobian)[0]), len(table.rows)
    determinant: _Answer | None = None
    common: _Answer | None = None
    try:
        _check_tilts(table)
        if len(task_rows) == n == 6:
            determinant = common = _whole(table)
        else:
            common = _common(table, jacobian, len(task_rows))
            determinant = _world_minor(table, jacobian, task_rows) if len(task_rows) == n else None
    except TooLong:
        pass
    return Singularities(
        task_rows,
        _written(determinant) if determinant else None,
        _conditions(common, table) if common else (),
    )


def _check_tilts(table: SymbolicTable) -> None:
    """Give up on arms most of whose axes are neither parallel nor at right angles: no factors come out of them."""
    steps = steps_of(table.convention, table.rows)
    places = joint_steps(steps)
    tilts = [step.angle for step in steps[places[0] : places[-1]] if step.axis == "x"]
    if sum(not (2 * tilt / sympy.pi).is_Integer for tilt in tilts) > MOST_ODD_TILTS:
        raise TooLong


def _written(answer: _Answer) -> sympy.Expr:
    factors = [_nicer_sign(answer.ring.expression(factor)) for factor in answer.product.factors]
    signs, expressions = [sign for sign, _ in factors], [expression for _, expression in factors]
    return sympy.Mul(answer.product.number, *signs, *expressions)


def _conditions(answer: _Answer, table: SymbolicTable) -> tuple[SingularCondition, ...]:
    """Return the factors that depend on the joints, each once."""
    variables = {row.variable for row in table.rows}
    found: dict[sympy.Expr, None] = {}
    for factor in answer.product.factors:
        _, expression = _nicer_sign(answer.ring.expression(factor))
        if expression.free_symbols & variables:
            found[expression] = None
    conditions = [condition(expression, table) for expression in found]
    return tuple(sorted(conditions, key=lambda one: KINDS.index(one.kind)))


def _independent_rows(J: Floats) -> tuple[int, ...]:
    """Return the first rows that are independent."""
    rows: list[int] = []
    for i in range(6):
        if np.linalg.matrix_rank(J[[*rows, i]], tol=RANK) > len(rows):
            rows.append(i)
    return tuple(rows)


def _whole(table: SymbolicTable) -> _Answer:
    """Return the determinant of all six rows, in the frame and for the point that show most factors."""
    steps = steps_of(table.convention, table.rows)
    places = joint_steps(steps)
    tries = []
    for at, point in ((a, b) for a in places for b in places if b >= a):
        J = local_jacobian(steps, table.rows, at, product(steps[at:point]).p)
        ring = TrigRing(J.flat())
        tries.append((ring, _polys(ring, J, range(6), range(6))))
    most = max(len(blocks(M)) for _, M in tries)
    return _best([_Answer(ring, ring.determinant(M)) for ring, M in tries if len(blocks(M)) == most])


def _common(table: SymbolicTable, jacobian: sympy.Matrix, rank: int) -> _Answer:
    """Return the factors that all minors of the arm's rank share; minors of positions only, if those have that rank."""
    steps = steps_of(table.convention, table.rows)
    position_only = np.linalg.matrix_rank(_numbers(table, jacobian)[0][:3], tol=RANK) == len(table.rows)
    answers = []
    for at in list(_middle_first(joint_steps(steps)))[: None if len(table.rows) < 6 else 1]:
        tool = product(steps[at:], rigid(table.flange)).p
        J = local_jacobian(steps, table.rows, at, tool) if position_only else local_jacobian(steps, table.rows, at)
        ring = TrigRing(J.flat())
        rows = [i for i in range(3 if position_only else 6) if any(J.row(i))]
        minors = [(i, j) for i in combinations(rows, rank) for j in combinations(range(J.cols), rank)]
        if len(minors) > MOST_MINORS:
            raise TooLong
        dets = [ring.determinant(_polys(ring, J, i, j)) for i, j in minors]
        shared = reduce(lambda a, b: a & b, (Counter(det.factors) for det in dets if det.number != 0))
        answers.append(_Answer(ring, Factored(sympy.S.One, tuple(shared.elements()))))
    return _best(answers)


def _world_minor(table: SymbolicTable, jacobian: sympy.Matrix, task_rows: tuple[int, ...]) -> _Answer:
    """Return the determinant of some rows of the world's Jacobian, from a frame in which it is as short as can be.

    Whether rows of that frame have the same determinant is tried with numbers, at random poses; the world's own do.
    """
    world = np.linalg.det(_numbers(table, jacobian)[:, task_rows])
    ring = TrigRing(jacobian.flat())
    answers = [_Answer(ring, ring.determinant(_polys(ring, jacobian, task_rows, range(jacobian.cols))))]
    steps = steps_of(table.convention, table.rows)
    for at in range(len(steps)):
        J = local_jacobian(steps, table.rows, at, product(steps[at:], rigid(table.flange)).p)
        ring = TrigRing(J.flat())
        for rows, sign in islice(_same_minors(_numbers(table, J), world), 1):
            found = ring.determinant(_polys(ring, J, rows, range(J.cols)))
            answers.append(_Answer(ring, Factored(found.number * sign, found.factors)))
    return _best(answers)


def _same_minors(J: Floats, world: Floats) -> Iterator[tuple[tuple[int, ...], int]]:
    for rows in combinations(range(6), J.shape[2]):
        minor = np.linalg.det(J[:, rows])
        for sign in (1, -1):
            if np.allclose(sign * minor, world, rtol=SAME, atol=0.0):
                yield rows, sign


def _best(answers: Sequence[_Answer]) -> _Answer:
    """Return the answer with the most factors, and of those the shortest."""
    return min(answers, key=lambda answer: (-len(answer.product.factors), answer.product.terms))


def _polys(ring: TrigRing, J: sympy.Matrix, rows: Sequence[int], columns: Sequence[int]) -> list[list[Poly]]:
    return [[ring.poly(J[i, j]) for j in columns] for i in rows]


def _middle_first(places: Sequence[int]) -> list[int]:
    middle = (len(places) - 1) / 2
    return sorted(places, key=lambda at: abs(places.index(at) - middle))


def _nicer_sign(expression: sympy.Expr) -> tuple[int, sympy.Expr]:
    return (-1, -expression) if expression.could_extract_minus_sign() else (1, expression)


def _numbers(table: SymbolicTable, J: sympy.Matrix) -> Floats:
    """Return a Jacobian at a few random poses, (m, 6, n); lengths of the arm are made about one."""
    names = [*(row.variable for row in table.rows), *table.parameters]
    longest = max((abs(value) for symbol, value in table.parameters.items() if is_length(symbol)), default=1.0)
    values = [value / (longest if is_length(symbol) else 1.0) for symbol, value in table.parameters.items()]
    function = sympy.lambdify(names, J.flat(), modules="math")
    poses = np.random.default_rng(4).uniform(0.3, 1.2, (SAMPLES, len(table.rows)))
    return np.array([function(*q, *values) for q in poses.tolist()], dtype=np.float64).reshape(SAMPLES, 6, -1)
