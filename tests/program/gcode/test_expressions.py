from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program.gcode.runs import codes, run, texts

from armlab.program.gcode.canon import Text
from armlab.program.gcode.expressions import read_value
from armlab.program.gcode.machine import ToolEntry
from armlab.program.gcode.parameters import Parameters
from armlab.program.gcode.problems import BadBlock


def value(text: str) -> float:
    return read_value(text.replace(" ", "").lower(), 0, Parameters()).value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[2 + 3 * 4 - 6]", 8.0),
        ("[2.0 / 3 * 1.5 - 5.5 / 11.0]", 0.5),  # the example of the RS-274 standard
        ("[2 ** 3 ** 2]", 64.0),  # from left to right
        ("[-2 ** 2]", 4.0),  # the sign belongs to the number
        ("[1 + 2 EQ 3]", 1.0),
        ("[1 AND 0 OR 1]", 1.0),
        ("[7 MOD 3]", 1.0),
        ("[-7 MOD 3]", 2.0),
        ("ATAN[1]/[-1]", 135.0),
        ("COS[60]", 0.5),
        ("ACOS[0.5]", 60.0),
        ("ROUND[-2.5]", -3.0),
        ("FIX[-2.8]", -3.0),
        ("FUP[-2.8]", -2.0),
        ("-[1 + 1]", -2.0),
        ("[SQRT[16] + ABS[-3]]", 7.0),
        ("+0.012", 0.012),
        (".5", 0.5),
    ],
)
def test_values_are_those_of_the_standard(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, abs=1e-12)


_numbers = st.integers(-50, 50).map(lambda n: n / 4)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> tuple[str, float]:
    """An expression with all its brackets, and its value, computed without reading it."""
    if depth == 0 or draw(st.booleans()):
        number = draw(_numbers)
        return f"{number}", number
    (a, x), (b, y) = draw(trees(depth=depth - 1)), draw(trees(depth=depth - 1))
    operator = draw(st.sampled_from(("+", "-", "*", "and", "or", "xor", "gt", "le")))
    result = {
        "+": x + y,
        "-": x - y,
        "*": x * y,
        "and": float(bool(x) and bool(y)),
        "or": float(bool(x) or bool(y)),
        "xor": float(bool(x) != bool(y)),
        "gt": float(x > y),
        "le": float(x <= y),
    }[operator]
    return f"[{a} {operator} {b}]", result


@given(trees())
def test_nested_brackets_are_computed_from_inside(tree: tuple[str, float]) -> None:
    text, expected = tree
    assert value(text) == expected


@given(_numbers, _numbers, _numbers, st.sampled_from("+-*"), st.sampled_from("+-*"))
def test_products_bind_before_sums_and_sums_from_left_to_right(
    a: float, b: float, c: float, first: str, second: str
) -> None:
    with_python = eval(f"{a} {first} {b} {second} {c}")
    assert value(f"[{a}{first}{b}{second}{c}]") == pytest.approx(with_python, abs=1e-9)


@pytest.mark.parametrize(
    "text", ["[1/0]", "[1", "[1 + ]", "SQRT[-1]", "LN[0]", "ASIN[2]", "ATAN[1]", "COS 3", "[2 ? 3]", "[0 ** -1]", ""]
)
def test_what_has_no_value_is_refused(text: str) -> None:
    with pytest.raises(BadBlock):
        value(text)


def test_brackets_have_a_limit_of_depth() -> None:
    with pytest.raises(BadBlock) as caught:
        value("[" * 10_000 + "1" + "]" * 10_000)
    assert caught.value.code == "gcode_brackets_too_deep"


def test_huge_values_are_refused() -> None:
    with pytest.raises(BadBlock):
        value("[9999999 ** 9999999]")


def test_parameters_can_name_parameters() -> None:
    assert texts("#31=32\n#32=7.5\n(debug,##31)\n#33=##31\n(debug,#33)")[-1] == "7.500000"


def test_settings_of_a_line_take_effect_together_after_it_was_read() -> None:
    assert texts("#31=15\n#31=6 #32=#31\n(debug,#31 #32)") == ["6.000000 15.000000"]


def test_named_parameters_belong_to_their_call_unless_they_begin_with_an_underscore() -> None:
    program = (
        "o1 sub\n#<mine>=1\n#<_ours>=2\no1 endsub\no1 call\n#1=EXISTS[#<mine>]\n#2=EXISTS[#<_ours>]\n(debug,#1 #2)"
    )
    assert texts(program) == ["0.000000 1.000000"]


def test_a_parameter_without_a_value_is_a_finding_with_its_column() -> None:
    assert codes("g0 x1 y#<nobody>") == [("name_unknown", 1, 8)]


def test_predefined_parameters_tell_the_state_and_cannot_be_set() -> None:
    assert texts("g20 g91 g18\n(debug,#<_imperial> #<_incremental> #<_plane>)")[1:] == ["1.000000 1.000000 180.000000"]
    assert codes("#<_metric>=1") == [("name_read_only", 1, 1)]
    assert codes("#5420=1") == [("read_only", 1, 1)]


def test_degrees_are_used_for_angles() -> None:
    assert value("SIN[30]") == pytest.approx(math.sin(math.pi / 6))


def test_debug_messages_are_switched_by_their_parameter() -> None:
    assert texts("(debug,#5599)\n#5599=0\n(debug,no)\n(msg,yes)\n#5599=1\n(debug,again)") == [
        "1.000000",
        "yes",
        "again",
    ]


def test_more_of_the_state_is_told_by_names() -> None:
    tools = {7: ToolEntry(7, pocket=3)}
    shown = "(debug,#<_abs_x> #<_ccomp> #<_current_pocket> #<_spindle_css_mode>)"
    program = f"g10 l2 p1 x5\nt7 m6\ng0 x1\ng96 s9\ng42.1 d1\n{shown}"
    told = [item.text for item in run(program, tools=tools) if isinstance(item, Text) and item.kind == "debug"]
    assert told == ["6.000000 421.000000 3.000000 1.000000"]
