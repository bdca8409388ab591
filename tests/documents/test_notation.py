from __future__ import annotations

import random

import pytest
import sympy

from armlab.documents.blocks import Links
from armlab.documents.html import to_html
from armlab.documents.latex import row_latex, to_latex
from armlab.documents.layout import lines, width
from armlab.documents.markdown import to_markdown
from armlab.documents.mathml import row_mathml
from armlab.documents.notation import Op, Row, Sym, decimal, from_sympy, number, symbol

a, b, c = sympy.symbols("a b c", real=True)
theta_1, theta_2 = sympy.symbols("theta_1 theta_2", real=True)


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("theta_1", r"\theta_{1}"),
        ("thetadot_2", r"\dot{\theta}_{2}"),
        ("ddot_3", r"\dot{d}_{3}"),
        ("c_{2-3}", "c_{2-3}"),
        ("r13", "r_{13}"),
        ("I_1zz", "I_{1,zz}"),
        ("L_1", "L_{1}"),
        ("phi", r"\phi"),
    ],
)
def test_a_symbol_is_set_as_books_set_it(name: str, latex: str) -> None:
    assert row_latex((symbol(name),)) == latex


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (-a + b, "b - a"),
        (-a - b, "{-} a - b"),
        (a / 2, r"\frac{a}{2}"),
        (-sympy.pi / 2, r"{-} \frac{\pi}{2}"),
        ((a**2 - b) / (2 * a * b), r"\frac{a^{2} - b}{2 a b}"),
        (sympy.sqrt(a**2 + b**2), r"\sqrt{a^{2} + b^{2}}"),
        (a * sympy.cos(theta_1 + theta_2), r"a \cos ( \theta_{1} + \theta_{2} )"),
        (sympy.sin(theta_1) ** 2, r"\sin^{2} \theta_{1}"),
        (sympy.sin(theta_1) * (a + b), r"( a + b ) \sin \theta_{1}"),
        ((a + b) ** 2, r"{( a + b )}^{2}"),
        (sympy.atan2(a, -b), r"\operatorname{atan2} ( a , {-} b )"),
        (sympy.acos(c), r"\arccos c"),
        (sympy.sqrt(2) / 2, r"\frac{\sqrt{2}}{2}"),
        (-2 * c * (a + b), "{-} 2 c ( a + b )"),
        (sympy.S.Zero, "0"),
        (sympy.Float(0.25) * a, "0.25 a"),
        (1 / a, r"\frac{1}{a}"),
    ],
)
def test_an_expression_is_set_without_changing_its_meaning(expression: sympy.Expr, latex: str) -> None:
    assert row_latex(from_sympy(expression)) == latex


def test_numbers_are_read_without_letters_and_without_a_negative_zero() -> None:
    assert row_latex(number(-1.5e-9)) == r"{-} 1.5 \cdot {10}^{{-} 9}"
    assert row_latex(number(60132000.0)) == r"6.0132 \cdot {10}^{7}"
    assert row_latex(number(-0.0)) == "0"
    assert row_latex(decimal(-0.0001, 3)) == "0"
    assert row_latex(decimal(-2.50, 3)) == "{-} 2.5"
    assert row_latex(decimal(120.0, 0)) == "120"


def test_a_long_sum_is_broken_before_a_sign_and_nothing_is_lost() -> None:
    letters = sympy.symbols("a_1:40")
    row = from_sympy(sum(letters[1:], letters[0]))
    pieces = lines(row, 20.0)
    assert len(pieces) > 2
    assert sum(pieces, ()) == row
    assert all(width(piece) <= 20.0 for piece in pieces)
    assert all(isinstance(piece[0], Op) and piece[0].kind == "binary" for piece in pieces[1:])


def test_a_line_is_broken_at_the_outer_sign_if_there_is_one() -> None:
    row = from_sympy(sympy.Symbol("s") * (a + b) * sympy.cos(theta_1) + c * (a + b) * sympy.sin(theta_2))
    first, second = lines(row, width(row) * 0.9)
    assert row_latex(first).count("(") == row_latex(first).count(")")
    assert row_latex(second).count("(") == row_latex(second).count(")")


def test_what_cannot_be_broken_stays_whole() -> None:
    row: Row = (Sym("a"),) * 100
    assert lines(row, 10.0) == [row]


def test_mathml_has_balanced_elements_and_no_old_ones() -> None:
    import xml.etree.ElementTree as ET

    rng = random.Random(4)
    pieces = [a, b, sympy.cos(theta_1), sympy.sqrt(a + b), a / b, (a + b) ** 2, sympy.atan2(a, b), a**2]
    for _ in range(50):
        expression = sum(rng.choice((-1, 1)) * rng.choice(pieces) * rng.choice(pieces) for _ in range(4))
        root = ET.fromstring(row_mathml(from_sympy(sympy.Matrix([[expression, 0], [1, sympy.Symbol("L_1") ** 2]]))))
        kinds = {element.tag for element in root.iter()}
        assert kinds <= {
            "mrow", "mi", "mo", "mn", "mfrac", "msub", "msup", "msubsup", "msqrt", "mtable", "mtr", "mtd", "mspace",
        }  # fmt: skip


def test_links_lead_to_their_addresses_in_every_format() -> None:
    links = Links((("a & b", "http://127.0.0.1:8090/#paper=s1&panel=jog"),))
    assert '<a href="http://127.0.0.1:8090/#paper=s1&amp;panel=jog">a &amp; b</a>' in to_html([links])
    assert "[a & b](<http://127.0.0.1:8090/#paper=s1&panel=jog>)" in to_markdown([links], "x")
    assert r"\item a \& b: \texttt{http://127.0.0.1:8090/\#paper=s1\&panel=jog}" in to_latex([links], "x")
