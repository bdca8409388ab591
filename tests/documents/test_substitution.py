"""Numbers put into formulas: what is written comes to what is said, whatever the arm and the pose."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

import numpy as np
import pytest
import sympy

from armlab import catalog
from armlab.documents.blocks import Block, Equation, Formulas
from armlab.documents.inverse_parts import inverse_blocks
from armlab.documents.kinematic_parts import jacobian_blocks, tool_blocks
from armlab.documents.latex import row_latex
from armlab.documents.notation import (
    AND,
    EQUALS,
    NEGATIVE,
    OPEN,
    Fn,
    Frac,
    Matrix,
    Num,
    Op,
    Root,
    Row,
    Sup,
    Sym,
    Unit,
    from_sympy,
)
from armlab.documents.pose_numbers import forward_numbers, inverse_numbers, singular_numbers
from armlab.documents.substitution import Numbers, substituted, with_numbers
from armlab.kinematics import derive
from armlab.kinematics.reach import reach
from armlab.kinematics.symbolic.evaluate import evaluate
from armlab.kinematics.symbolic.formula import evaluate as evaluate_formula
from armlab.kinematics.symbolic.formula import parse

a, b, c, theta_1, theta_2 = sympy.symbols("a b c theta_1 theta_2", real=True)
LETTERS: dict[Sym, Row] = {
    Sym("a"): (Num("2"),),
    Sym("b"): from_sympy(sympy.Integer(-3)),
    Sym("theta", "1"): (Num("30"), Unit("°")),
    Sym("theta", "2"): (*from_sympy(sympy.Integer(-40)), Unit("°")),
}
ROUNDED = 0.02
"""rad: what putting in numbers of a few places can shift an angle by."""


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (a * c, r"2 \cdot c"),
        (a * b, r"2 \cdot ( {-} 3 )"),
        (b + a, r"2 + ( {-} 3 )"),
        (b**2 * a, r"2 \cdot {( {-} 3 )}^{2}"),
        (a * sympy.cos(theta_1), r"2 \cdot \cos 30 {}^{\circ}"),
        (sympy.sin(theta_2) * c, r"c \cdot \sin ( {-} 40 {}^{\circ} )"),
        (sympy.cos(theta_1 + theta_2), r"\cos ( 30 {}^{\circ} + ( {-} 40 {}^{\circ} ) )"),
        (a / b, r"\frac{2}{{-} 3}"),
        (sympy.sqrt(a + c), r"\sqrt{2 + c}"),
    ],
)
def test_a_number_stands_where_its_letter_stood_and_factors_get_a_dot(expression: sympy.Expr, latex: str) -> None:
    assert row_latex(substituted(from_sympy(expression), LETTERS)) == latex


def test_an_equation_without_a_letter_that_has_a_number_gets_no_second_line() -> None:
    assert with_numbers(Equation((Sym("c"),), (Sym("T"), Sym("A"))), Numbers(LETTERS, {})) is None


def lines_of(blocks: list[Block], numbers: Numbers) -> Iterator[Row]:
    """Yield each equation with numbers of some blocks, those of one line apart."""
    for block in blocks:
        for equation in block.equations if isinstance(block, Formulas) else ():
            row = with_numbers(equation, numbers)
            for _, part in groupby(row or (), key=lambda node: node == AND):
                yield tuple(part)


def text_of(row: Row) -> str:
    """Return a row as armlab reads formulas; a bare argument of a function gets brackets."""
    out, needs_close = "", False
    for i, node in enumerate(row):
        after = row[i + 1] if i + 1 < len(row) else None
        match node:
            case Num(text):
                out += f"({text}*pi/180)" if after == Unit("°") else text
            case Fn(name):
                needs_close = after != OPEN
                out += name + ("(" if needs_close else "")
                continue
            case Frac(above, below):
                out += f"(({text_of(above)})/({text_of(below)}))"
            case Root(inside):
                out += f"sqrt({text_of(inside)})"
            case Sup(base, power):
                out += f"({text_of(base)})^({text_of(power)})"
            case Sym(base, _, _):
                out += base
            case Op(text, _):
                out += {"−": "-", "·": "*"}.get(text, text)
        if needs_close and node != NEGATIVE:
            out, needs_close = f"{out})", False
    return out


def value_of(row: Row) -> float:
    """Return what a row of numbers comes to."""
    return float(evaluate_formula(parse(text_of(row)), {}, 1)[0])


def sides_of(row: Row) -> list[Row]:
    """Return what stands between the equals signs."""
    return [tuple(part) for is_sign, part in groupby(row, key=lambda node: node == EQUALS) if not is_sign]


@pytest.mark.parametrize("arm", ["planar3", "scara-s3", "kuka-kr6-r700", "ur5e", "stanford"])
def test_what_is_put_in_comes_to_what_is_said(arm: str) -> None:
    robot = catalog.load(arm)
    derivation = derive(robot)
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(4).uniform(0.3, 0.7, robot.dof)
    at = evaluate(derivation, q)
    size = 1000.0 * reach(robot)
    checked = 0
    for blocks, numbers in (
        (tool_blocks(robot, derivation, at), forward_numbers(derivation, at)),
        (jacobian_blocks(derivation, at), forward_numbers(derivation, at)),
        (inverse_blocks(derivation), inverse_numbers(derivation, at)),
    ):
        for line in lines_of(blocks, numbers):
            *_, put_in, result = sides_of(line) if len(sides_of(line)) > 2 else ((), (), ())
            if not put_in or any(isinstance(node, Matrix) for node in put_in):
                continue
            apart = value_of(put_in) - value_of(result)
            if result[-1] == Unit("°"):
                assert abs(math.remainder(apart, 2.0 * math.pi)) < ROUNDED, text_of(line)
            else:
                assert abs(apart) < 1e-3 * max(1.0, size * any(abs(value) > 2.0 for value in numbers_in(put_in)))
            checked += 1
    assert checked >= 4


def numbers_in(row: Row) -> list[float]:
    """Return every number of a row that is not inside of something."""
    return [float(node.text) for node in row if isinstance(node, Num)]


def test_a_singular_condition_becomes_what_it_is_here() -> None:
    robot = catalog.load("planar3")
    derivation = derive(robot)
    at = evaluate(derivation, np.radians([10.0, 30.0, 20.0]))
    numbers = singular_numbers(derivation, at)
    (condition,) = derivation.singular
    row = with_numbers(Equation(from_sympy(condition.expression), (Num("0"),)), numbers)
    assert row is not None
    assert row_latex(row) == r"\sin 30 {}^{\circ} = 0.5"


def test_a_stretched_arm_has_numbers_in_its_inverse_problem_too() -> None:
    derivation = derive(catalog.load("planar3"))
    for degrees in ([60.0, 0.0, 0.0], [0.0, 0.0, 30.0], [10.0, 0.0, -20.0]):
        numbers = inverse_numbers(derivation, evaluate(derivation, np.radians(degrees)))
        (value,) = (numbers.results[row] for row in numbers.results if row == (Sym("theta", "1"),))
        assert value_of(value) == pytest.approx(math.radians(degrees[0]), abs=1e-3)
