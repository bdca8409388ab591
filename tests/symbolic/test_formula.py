from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.errors import InvalidInput
from armlab.kinematics.symbolic import formula
from armlab.kinematics.symbolic.formula import MAX_CHARACTERS, MAX_DEPTH, MAX_STEPS, evaluate, parse


def _value(text: str, **values: float) -> float:
    return float(evaluate(parse(text), {name: np.array([value]) for name, value in values.items()}, 1)[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("10 - 3 - 2", 5.0),
        ("16/4/2", 2.0),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2*-3", -6.0),
        ("+-+4", -4.0),
        ("1.5e1 + .5 + 2.", 17.5),
        ("[1 + 2][3]", 9.0),
        ("atan2(1, -1)", 0.75 * math.pi),
        ("arctan(1) + arctg(1) + tg(0)", 0.5 * math.pi),
        ("sqrt(16) + abs(-3)", 7.0),
        ("Cos(0) + PI", 1.0 + math.pi),
        ("asin(1) + acos(1)", math.pi / 2),
    ],
)
def test_operators_bind_as_in_mathematics(text: str, expected: float) -> None:
    assert math.isclose(_value(text), expected, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 x1", 14.0),
        ("2x1", 14.0),
        ("x1 y1", 21.0),
        ("x1y1", 21.0),
        ("x1(y1 + 1)", 28.0),
        ("(x1)(y1)", 21.0),
        ("2cos(0)x1", 14.0),
        ("x1/2 y1", 10.5),
        ("x1² y1", 147.0),
    ],
)
def test_nothing_between_two_factors_multiplies(text: str, expected: float) -> None:
    assert math.isclose(_value(text, x1=7.0, y1=3.0), expected)


def test_signs_of_print_mean_what_they_mean_in_print() -> None:
    assert _value("2·3×4⋅5 − 6÷2") == 117.0
    assert _value("3² + 2³ + 2⁻¹ + 2¹⁰") == 1041.5
    assert _value("π") == math.pi
    assert [name.text for name in parse("L₁ + θ₁₂ + ϑ_2").names] == ["L1", "θ12", "θ_2"]


def test_a_power_may_stand_before_the_bracket_of_a_function() -> None:
    assert math.isclose(_value("sin²(1) + cos^2(1)"), 1.0)
    assert math.isclose(_value("sin²(1)²"), math.sin(1.0) ** 4)


def test_names_know_where_they_stand_first() -> None:
    names = parse("L1 cos(t1) + L2 cos(t1)").names
    assert [(name.text, name.column) for name in names] == [("L1", 1), ("t1", 8), ("L2", 14)]


def test_values_are_computed_for_all_points_at_once() -> None:
    t = np.linspace(-3.0, 3.0, 50)
    np.testing.assert_allclose(evaluate(parse("2 sin(t1)^2"), {"t1": t}, 50), 2.0 * np.sin(t) ** 2)
    np.testing.assert_array_equal(evaluate(parse("3"), {}, 4), [3.0] * 4)


@pytest.mark.parametrize("text", ["sqrt(-1)", "asin(2)", "acos(-1.1)", "0/0", "(-8)^0.5", "sqrt(0-1)*0"])
def test_no_real_value_is_nan_without_a_warning(text: str) -> None:
    assert math.isnan(_value(text))


def test_rounding_beyond_the_domain_is_forgiven() -> None:
    assert _value("sqrt(0 - 1e-12)") == 0.0
    assert _value("acos(1 + 1e-12)") == 0.0
    assert math.isinf(_value("1/0"))


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("", 1, "a formula is expected"),
        ("   ", 1, "a formula is expected"),
        ("cos(t1", 7, r"'\)' is missing for the '\(' of column 4"),
        ("(1 + [2", 8, r"'\)' is missing for the '\[' of column 6"),
        ("t1)", 3, r"'\)' closes a bracket that was not opened"),
        ("L1 +", 5, "ends where a value is expected"),
        ("* 2", 1, r"a value is expected, not '\*'"),
        ("1 + / 2", 5, "a value is expected, not '/'"),
        ("()", 2, r"a value is expected, not '\)'"),
        ("2 3", 3, "an operator is missing before '3'"),
        ("(t1 2)", 5, "an operator is missing before '2'"),
        ("0,5", 2, "the decimal sign is '.'"),
        ("sin(0,5)", 6, "the decimal sign is '.'"),
        ("atan2(1)", 1, "'atan2': arguments needed: 2; given: 1"),
        ("cos t1", 1, r"'cos' needs brackets .* cos\(…\)"),
        ("1 + sin", 5, "'sin' needs brackets"),
        ("sin^-1(t1)", 5, "only a positive power"),
        ("sin⁻¹(t1)", 4, "only a positive power"),
        ("t1 $ 2", 4, r"the character '\$' has no meaning"),
        ("x.y", 2, "the character '.' has no meaning"),
        ("1e999", 1, "the number 1e999 is too large"),
        ("2^65", 2, "a power of 65 is too large; at most 64"),
        ("2^(1 - 1e6)", 2, "a power of 1e\\+06 is too large"),
        ("t1⁹⁹", 3, "a power of 99 is too large"),
        ("__import__('os')", 1, "'_' has no meaning"),
        ("t1; t2", 3, "';' has no meaning"),
    ],
)
def test_nonsense_is_refused_with_its_column(text: str, column: int, problem: str) -> None:
    with pytest.raises(InvalidInput, match=f"^column {column}: .*{problem}") as caught:
        parse(text)
    assert caught.value.parameters["column"] == column
    assert "\n" not in str(caught.value.message)


def test_size_is_limited() -> None:
    with refused("formula_too_long", InvalidInput, count=2001, most=2000):
        parse("1" * (MAX_CHARACTERS + 1))
    with refused("formula_too_deep", InvalidInput, most=60):
        parse("(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1))
    with refused("formula_too_deep", InvalidInput, most=60):
        parse("-" * 100 + "1")
    with refused("formula_too_deep", InvalidInput, most=60):
        parse("1" + "^1" * 100)
    with refused("formula_too_large", InvalidInput, most=2000):
        parse("x²" * 1000)
    assert _value("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH) == 1.0


@pytest.mark.parametrize("text", ["1+" * 999 + "1", "x" + "²x" * 666, "sin(" * 60 + "x" + ")" * 60, "(" * 2000])
def test_long_texts_take_no_more_steps_than_allowed(text: str) -> None:
    try:
        formula = parse(text)
    except InvalidInput as error:
        assert error.code in {"formula_too_deep", "formula_too_large", "value_missing"}  # noqa: PT017
    else:
        assert len(formula.steps) <= MAX_STEPS
        assert evaluate(formula, {"x": np.ones(400)}, 400).shape == (400,)


@given(st.text(alphabet="xcos1t2(+-*/^,.)[]² θ·e_=\\\n'", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_formula_or_one_sentence(text: str) -> None:
    problem = ""
    try:
        read = parse(text)
        assert evaluate(read, {name.text: np.array([0.5]) for name in read.names}, 1).shape == (1,)
    except InvalidInput as error:
        problem = str(error.message)
    assert problem == "" or problem.startswith("column ")


_TREES = st.recursive(
    st.sampled_from(["1.5", "2.0", "x1", "y1"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from([" + ", " - ", "*", " / "]), inner).map(lambda t: f"({''.join(t)})")
        | inner.map(lambda t: f"cos({t})")
        | inner.map(lambda t: f"-{t}")
    ),
    max_leaves=12,
)


@given(_TREES)
def test_values_are_those_of_python_itself(text: str) -> None:
    names = {"x1": 0.7, "y1": -1.3}
    try:
        expected = eval(compile(text, "oracle", "eval"), {"cos": math.cos}, names)  # our own text, not a user's
    except ZeroDivisionError:
        return
    assert math.isclose(_value(text, **names), expected, rel_tol=1e-9, abs_tol=1e-9)


def test_nothing_that_runs_text_is_called() -> None:
    folder = Path(formula.__file__).parent
    for name in ("formula", "vocabulary", "sampled_arm", "comparison", "counter_example", "check"):
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and hasattr(node.func, "id")}
        assert called.isdisjoint({"eval", "exec", "compile", "sympify", "__import__", "getattr"})
