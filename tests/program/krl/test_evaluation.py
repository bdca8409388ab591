from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program.krl.drive import ARM, drive, library
from program.krl.reference import Undefined, evaluate

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.krl.actions import Assign
from armlab.program.krl.data_types import Value
from armlab.program.krl.evaluation import compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.frames import as_matrix, composed, inverted
from armlab.program.krl.parse import parse
from armlab.program.krl.program import KrlProgram
from armlab.program.krl.scope import Scope
from armlab.program.krl.tree import Expression
from armlab.program.span import Span

DATA = """DEFDAT t
DECL INT I = 7, J = -3
DECL REAL X = 2.5, Y = -0.75
DECL BOOL P = TRUE, Q = FALSE
DECL CHAR NAME[8]
ENUM COLOUR RED, GREEN
DECL COLOUR C = #RED
STRUC BOX INT WIDTH, FRAME PLACE
DECL BOX B = {WIDTH 3, PLACE {X 1, Y 2, Z 3, A 0, B 0, C 0}}
DECL INT GRID[2,3]
DECL FRAME F = {X 1, Y 2, Z 3, A 10, B 20, C 30}
NAME[] = "abc"
GRID[2,3] = 23
ENDDAT
"""
NAMES = {"I": 7, "J": -3, "X": 2.5, "Y": -0.75, "P": True, "Q": False}


@pytest.fixture(scope="module")
def scope() -> Scope:
    robot = armlab.load(ARM)
    made = KrlProgram(library(t_src="DEF t()\nEND\n", t_dat=DATA), robot, np.array(robot.home))
    module = made.module("T")
    assert module is not None
    assert made.findings.items == []
    return Scope(module, made)


def tree(text: str) -> Expression:
    module, findings = parse(f"DEF t()\nx = {text}\nEND\n".encode(), "t.src")
    assert findings == []
    (assign,) = module.routines[0].body
    assert isinstance(assign, Assign)
    return assign.value


def value(text: str, scope: Scope) -> Value:
    return compiled(tree(text), scope).evaluate([])


def reported(text: str, scope: Scope) -> list[str]:
    findings = scope.universe.findings.items
    before = len(findings)
    compiled(tree(text), scope)
    found = [finding.code for finding in findings[before:]]
    scope.universe.findings.__init__()  # type: ignore[misc]  # a place is reported once only
    return found


integers = st.one_of(st.integers(-50, 50).map(lambda n: f"({n})"), st.sampled_from(["I", "J"]))
reals = st.one_of(st.floats(-50, 50).map(lambda x: f"({x:.6f})"), st.sampled_from(["X", "Y"]))
truths = st.sampled_from(["P", "Q", "TRUE", "FALSE"])


def _numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(" ".join)
    return st.one_of(two, two.map("({})".format), inner.map("-{}".format))


def _functions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["SIN", "COS", "ABS", "SQRT", "ACOS"])
    one = st.tuples(names, inner).map(lambda call: f"{call[0]}({call[1]})")
    two = st.tuples(inner, inner).map(lambda pair: f"ATAN2({pair[0]}, {pair[1]})")
    return st.one_of(_numbers(inner), one, two)


int_expressions = st.recursive(integers, _numbers, max_leaves=8)
real_expressions = st.recursive(st.one_of(integers, reals), _functions, max_leaves=8)
compared = st.tuples(real_expressions, st.sampled_from(["<", ">", "<=", ">=", "==", "<>"]), real_expressions)
bool_expressions = st.recursive(
    st.one_of(truths, compared.map(lambda parts: f"({' '.join(parts)})")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR", "EXOR", "==", "<>"]), inner).map(lambda p: f"({' '.join(p)})"),
        inner.map("NOT ({})".format),
    ),
    max_leaves=5,
)


@settings(max_examples=150)
@given(text=st.one_of(int_expressions, real_expressions, bool_expressions))
def test_expressions_are_what_the_reference_evaluator_says(scope: Scope, text: str) -> None:
    node = tree(text)
    try:
        expected = evaluate(node, NAMES)
    except Undefined:
        with pytest.raises(Fault):
            compiled(node, scope).evaluate([])
        return
    found = compiled(node, scope)
    assert type(found.evaluate([])) is type(expected)
    assert found.evaluate([]) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert found.type.name == {int: "INT", float: "REAL", bool: "BOOL"}[type(expected)]


numbers = st.floats(-1000, 1000)
angles = st.floats(-180, 180)


@st.composite
def frames(draw: st.DrawFn) -> dict[str, Value]:
    return {name: draw(numbers if name in "XYZ" else angles) for name in "XYZABC"}


def matrix(frame: dict[str, Value]) -> Floats:
    return as_matrix(frame, Span("t", 1))


@given(p=frames(), q=frames(), r=frames())
def test_the_geometric_operator_is_associative(p: Value, q: Value, r: Value) -> None:
    left, right = composed(composed(p, q), r), composed(p, composed(q, r))
    np.testing.assert_allclose(matrix(left), matrix(right), atol=1e-9)


@given(p=frames(), q=frames())
def test_the_geometric_operator_is_the_product_of_poses(p: Value, q: Value) -> None:
    product = pose.from_mm_deg([p[n] for n in "XYZABC"]) @ pose.from_mm_deg([q[n] for n in "XYZABC"])
    np.testing.assert_allclose(matrix(composed(p, q)), product, atol=1e-9)


@given(p=frames())
def test_a_frame_and_its_inverse_cancel(p: Value) -> None:
    np.testing.assert_allclose(matrix(composed(p, inverted(p))), np.eye(4), atol=1e-9)
    np.testing.assert_allclose(matrix(composed(inverted(p), p)), np.eye(4), atol=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / 2.0", 3.5),
        ("'HFF' B_AND 'B1010'", 10),
        ("B_NOT 5", -6),
        ("GRID[2, 3]", 23),
        ("B.PLACE.Z", 3.0),
        ("C == #RED", True),
        ("StrLen(NAME[])", 3),
        ("StrDeclLen(NAME[])", 8),
        ('StrComp(NAME[], "ABC", #NOT_CASE_SENS)', True),
        ('StrComp(NAME[], "ABC")', False),
        ('StrFind(1, NAME[], "c")', 3),
        ('StrFind(1, NAME[], "x")', 0),
        ('NAME[2] == "b"', True),
        ("NAME[1] == 97", True),
        ('VARSTATE("I")', "INITIALIZED"),
        ('VARSTATE("GRID[1]")', "INITIALIZED"),
        ('VARSTATE("nobody")', "UNDEFINED"),
        ("INV_POS(F).X", None),
    ],
)
def test_values(scope: Scope, text: str, expected: Value) -> None:
    found = value(text, scope)
    if expected is None:
        expected = np.linalg.inv(matrix(value("F", scope)))[0, 3] * 1000.0
        assert found == pytest.approx(expected)
    else:
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("F + 1", "krl_operand_types"),
        ("F : I", "krl_operand_types"),
        ("P AND I", "krl_operand_types"),
        ("NOT I", "krl_operand_type"),
        ("C == #BLUE", "krl_enum_value"),
        ("SIN(P)", "krl_argument_type"),
        ("SIN(1, 2)", "krl_arguments"),
        ("F.W", "krl_no_component"),
        ("I[1]", "krl_no_array"),
        ("GRID[1]", "krl_dimensions"),
        ("nobody", "krl_unknown_name"),
        ("GRID[1.5, 1]", "krl_index_type"),
        ("nothing(3)", "krl_unknown_routine"),
    ],
)
def test_wrong_types_are_found_before_anything_runs(scope: Scope, text: str, code: str) -> None:
    assert reported(text, scope) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 / 0", "krl_division"),
        ("SQRT(-1)", "krl_domain"),
        ("GRID[3, 1]", "krl_index"),
        ("GRID[0, 1]", "krl_index"),
        ("GRID[1, 1]", "krl_unassigned"),
    ],
)
def test_what_has_no_value_ends_the_program(scope: Scope, text: str, code: str) -> None:
    with pytest.raises(Fault) as caught:
        value(text, scope)
    assert caught.value.code == code


def test_real_is_rounded_to_int_and_int_has_32_bits() -> None:
    done = drive("INT i\ni = 2.5\n$ANOUT[1] = i\ni = -2.6\n$ANOUT[2] = i\ni = 2147483647\ni = i + 1")
    assert done.outputs == [("analog 1", 3.0), ("analog 2", -3.0)]
    assert done.codes == ["overflow"]
    assert math.isclose(done.findings[0].message.parameters["value"], 2.0**31)
