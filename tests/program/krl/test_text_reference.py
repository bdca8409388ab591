"""Expressions of all types, with few brackets, against an evaluator that reads the text by KUKA's priorities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from program.krl.drive import ARM, library
from program.krl.test_evaluation import tree
from program.krl.text_reference import Mismatch, Term, Undefined, place, result

import armlab
from armlab.program.krl.evaluation import compiled
from armlab.program.krl.faults import Fault
from armlab.program.krl.program import KrlProgram
from armlab.program.krl.scope import Compiled, Scope

DATA = """DEFDAT t
DECL INT I = 7, J = -3
DECL REAL X = 2.5, Y = -0.75
DECL BOOL P = TRUE, Q = FALSE
DECL CHAR K = "a"
ENUM COLOUR RED, GREEN
DECL COLOUR C = #RED
DECL FRAME F = {X 1, Y 2, Z 3, A 10, B 20, C 30}
DECL POS G = {X -40, Y 5, Z 60, A -90, B 15, C 170, S 2, T 35}
DECL E6POS H = {X 7, Y -8, Z 9, A 45, B -60, C 5, S 6, T 3, E1 100}
ENDDAT
"""
FRAMES = {
    "F": ("FRAME", {"X": 1, "Y": 2, "Z": 3, "A": 10, "B": 20, "C": 30}),
    "G": ("POS", {"X": -40, "Y": 5, "Z": 60, "A": -90, "B": 15, "C": 170, "S": 2, "T": 35}),
    "H": ("E6POS", {"X": 7, "Y": -8, "Z": 9, "A": 45, "B": -60, "C": 5, "S": 6, "T": 3, "E1": 100}),
}
NAMES = {
    "I": Term("INT", 7), "J": Term("INT", -3), "X": Term("REAL", 2.5), "Y": Term("REAL", -0.75),
    "P": Term("BOOL", True), "Q": Term("BOOL", False), "K": Term("CHAR", "a"), "C": Term("ENUM", "RED"),
    **{name: Term(kind, place(dict(parts))) for name, (kind, parts) in FRAMES.items()},
}  # fmt: skip
SHOWN = {"ENUM": {"COLOUR", "#"}, "TEXT": {"CHAR"}}


@pytest.fixture(scope="module")
def scope() -> Scope:
    robot = armlab.load(ARM)
    made = KrlProgram(library(t_src="DEF t()\nEND\n", t_dat=DATA), robot, np.array(robot.home))
    module = made.module("T")
    assert module is not None
    assert made.findings.items == []
    return Scope(module, made)


def chain(leaves: list[str], signs: list[str]) -> st.SearchStrategy[str]:
    """Return up to six leaves with signs between them, some in brackets, some with a sign before them."""
    leaf = st.sampled_from(leaves)

    def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(inner, st.sampled_from(signs), inner).map(" ".join)
        return st.one_of(pair, pair, pair.map("({})".format))

    return st.recursive(leaf, joined, max_leaves=6)


ARITHMETIC = ["+", "-", "*", "/"]
BITS = ["B_AND", "B_OR", "B_EXOR"]
LOGIC = ["AND", "OR", "EXOR"]
ORDER = ["==", "<>", "<", ">", "<=", ">="]
INTS = ["I", "J", "0", "12", "'HF3'", "'B101'", "-4", "B_NOT I", "-J"]
whole = chain(INTS, ARITHMETIC + BITS)
numbers = chain([*INTS, "X", "Y", "0.5", "-X"], ARITHMETIC)
letters = chain([*INTS, "K", "B_NOT K"], BITS)
truths = chain(["P", "Q", "TRUE", "FALSE", "NOT P", "NOT Q"], [*LOGIC, "==", "<>"])
compared = st.tuples(numbers, st.sampled_from(ORDER), numbers).map(" ".join)
mixed_truths = chain(["P", "NOT Q", "(I < X)", "(J * 2 <> -6)", "(C == #RED)", '(K == "a")', "(K < 98)"], LOGIC)
frames = chain(["F", "G", "H", "{X 10, Y -5, A 30}", "(F)"], [":"])
anything = chain(
    ["I", "X", "P", "K", "C", "F", "G", "#GREEN", '"b"', "NOT P", "-I", "B_NOT J"],
    ARITHMETIC + BITS + LOGIC + ORDER + [":"],
)


def given_by(text: str, scope: Scope) -> tuple[Compiled, list[str]]:
    findings = scope.universe.findings
    findings.taken()
    found = compiled(tree(text), scope)
    return found, [finding.code for finding in findings.taken()]


@settings(max_examples=400)
@given(text=st.one_of(whole, numbers, letters, truths, compared, mixed_truths, frames, anything))
@example(text="2 + 3 * 4 B_AND 6")
@example(text="P OR P EXOR P AND Q")
@example(text="I B_AND K == 97 B_EXOR 2")
@example(text="F : G : H")
@example(text="-7 / 2 * 2")
def test_an_expression_is_what_another_reader_makes_of_its_text(scope: Scope, text: str) -> None:
    found, codes = given_by(text, scope)
    try:
        expected = result(text, NAMES)
    except Mismatch:
        assert codes
        assert set(codes) <= {"krl_operand_types", "krl_operand_type"}
        return
    except Undefined:
        with pytest.raises(Fault) as caught:
            found.evaluate([])
        assert caught.value.code == "krl_division"
        return
    assert codes == []
    assert found.type.name in SHOWN.get(expected.kind, {expected.kind})
    value = found.evaluate([])
    if expected.kind in {"FRAME", "POS", "E6POS"}:
        made = place(value)
        np.testing.assert_allclose(made.shift, expected.value.shift, atol=1e-9)
        np.testing.assert_allclose(made.turn, expected.value.turn, atol=1e-12)
        assert made.extra == expected.value.extra
    else:
        assert type(value) is type(expected.value)
        assert value == (expected.value if isinstance(value, str) else pytest.approx(expected.value, rel=1e-12))


words = st.text(st.sampled_from("abAB c"), max_size=6)


@given(one=words, other=words, start=st.integers(1, 6))
def test_texts_are_compared_and_found(scope: Scope, one: str, other: str, start: int) -> None:
    def value(text: str) -> object:
        found, codes = given_by(text, scope)
        assert codes == []
        return found.evaluate([])

    assert value(f'StrComp("{one}", "{other}")') is (one == other)
    assert value(f'StrComp("{one}", "{other}", #NOT_CASE_SENS)') is (one.lower() == other.lower())
    places = [i + 1 for i in range(len(one)) if i + 1 >= start and one[i : i + len(other)] == other]
    if other:
        assert value(f'StrFind({start}, "{one}", "{other}")') == (places[0] if places else 0)
    assert value(f'StrLen("{one}")') == len(one)
