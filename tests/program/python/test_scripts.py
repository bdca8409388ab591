"""Scripts: what Python computes, we compute; what is not in the language is refused; nothing runs for ever."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program.console.sessions import arm

from armlab.program.check import check_program
from armlab.program.instructions import MoveJ, MoveL, Report, Say
from armlab.program.python import holdings, interpreter
from armlab.program.python.instructions import checked_script, instructions_of

NUMBERS = st.one_of(st.integers(-20, 20), st.floats(-20, 20, allow_nan=False).map(lambda value: round(value, 3)))


def said(text: str) -> list[str]:
    return [item.text for item in instructions_of(text, arm()) if isinstance(item, Say)]


def found(text: str) -> list[str]:
    return [item.finding.code for item in instructions_of(text, arm()) if isinstance(item, Report)]


def _expressions() -> st.SearchStrategy[str]:
    plain = st.one_of(NUMBERS.map(repr), st.sampled_from(["a", "b", "True", "items[1]", "len(items)"]))
    return st.recursive(
        plain,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "<", "==", "and", "or"]), inner).map(
                lambda parts: f"({' '.join(parts)})"
            ),
            inner.map(lambda one: f"(-{one})"),
            inner.map(lambda one: f"(not {one})"),
            st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} else {parts[2]})"),
        ),
        max_leaves=12,
    )


@settings(max_examples=300, deadline=None)
@given(_expressions())
def test_expressions_have_the_values_that_python_gives_them(expression: str) -> None:
    names = {"a": 3, "b": 2.5, "items": [1, 4, 9], "len": len}
    try:
        expected = eval(expression, {"__builtins__": {}}, names)
    except (ArithmeticError, TypeError):
        expected = None
    if expected is None or "True" in expression:
        return  # truths are not numbers here
    text = f"a = 3\nb = 2.5\nitems = [1, 4, 9]\nx = {expression}\nprint(x)"
    if found(text):
        return  # refused: a comparison as a number
    shown = said(text)[0]
    assert shown == (f"{expected:.9g}" if isinstance(expected, float) else str(expected))


def test_loops_decisions_functions_and_lists_work_as_in_python() -> None:
    text = """
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)

out = []
for i in range(10):
    if i % 2 == 0:
        continue
    out.append(fib(i))
    if i == 7:
        break
total = 0
while total < 30:
    total += out[-1]
a, b = [1, 2]
print(out, total, a + b, max(out), sum([1, 2, 3]), round(pi, 2), 5 in out)
"""
    assert said(text) == ["[1, 2, 5, 13] 39 3 13 6 3.14 True"]


def test_moves_are_metres_and_radians_in_the_world() -> None:
    text = """
move_joints(radians(0, -90, 90, 0, 45, 0))
p = where()
move_line([p[0], p[1] + mm(50), p[2]], speed=0.1, blend=mm(5))
move_by([0, mm(-50), 0])
move_to([p[0], p[1], p[2] + mm(10)])
"""
    check = check_program(arm(), instructions_of(text, arm()))
    assert [finding.code for finding in check.findings] == []
    assert check.motions == 4
    steps = instructions_of("move_joints([0, -1.5, 1.5, 0, 0.7, 0], speed=0.5)\nmove_by([0, 0, 0.02])", arm())
    joint, line = (item for item in steps if isinstance(item, MoveJ | MoveL))
    assert isinstance(joint, MoveJ)
    assert isinstance(line, MoveL)
    assert joint.settings.speed == 0.5
    rise = line.frames[0][:3, 3] - arm().fk(joint.targets[0])[:3, 3]
    np.testing.assert_allclose(rise, [0.0, 0.0, 0.02], atol=1e-12)


@pytest.mark.parametrize(
    "text",
    ["import os", "from os import path", "open('x')", "eval('1')", "exec('1')", "__import__('os')", "x = ().__class__",
     "(lambda: 1)()", "[i for i in range(3)]", "f'{1}'", "class A: pass", "x = {}", "with x: pass",
     "try:\n pass\nexcept: pass",
     "del x", "global x", "x = 1 << 3", "x = 1 @ 2", "assert 1", "yield 1", "x = [1, 2][0:1]", "async def f(): pass",
     "def f(*a): pass", "def f(a=1): pass", "print(*[1])", "x = 1j", "x = b'1'", "getattr(1, 'real')", "x.y = 1"],
)  # fmt: skip
def test_what_the_language_does_not_have_is_refused_before_anything_runs(text: str) -> None:
    script = checked_script("move_by([0, 0, 0.01])\n" + text, "t.py")
    assert script.findings
    assert all(finding.severity == "error" and int(finding.where["line"]) >= 2 for finding in script.findings)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("while True: pass", "script_no_motion"),
        ("def f(n):\n    return f(n)\nf(1)", "script_calls_too_deep"),
        ("x = 9 ** 999", "script_arithmetic"),
        ("x = 9 ** 99", "script_too_large"),
        ("x = 10\nwhile x > 0: x = x * x", "script_too_large"),
        ("x = range(10 ** 12)", "script_list_too_long"),
        ("x = [1]\nwhile True: x = x + x", "script_list_too_long"),
        ("x = [1]\nwhile True: x = [x, x]", "script_inner_too_long"),
        ("x = 'a'\nwhile True: x = x + x", "script_text_too_long"),
        ("x = 'a' * 9", "script_operands"),
        ("x = round(5, -1000000000)", "script_function"),
        ("x = 1 / 0", "script_arithmetic"),
        ("x = [1][3]", "script_index"),
        ("x = sqrt(-1)", "script_function"),
        ("wait(1e9)", "script_number"),
        ("while read_input('1') == False: wait(0.01)", "script_no_answer"),
        ("(" * 300 + ")" * 300, "script_syntax"),
        ("x = " + "-" * 5000 + "1", "script_syntax"),
        ("x = " + "-" * 150 + "1", "script_too_deep"),
        ("x = 1 +", "script_syntax"),
        ("move_line([1, 2])", "script_list"),
        ("move_joints([0])", "script_list"),
        ("move_line([0.3, 0, 0.3], sped=1)", "script_arguments"),
        ("sin = 3", "script_reserved"),
    ],
)
def test_mistakes_and_endless_work_are_one_finding(text: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STEPS", 20_000)
    monkeypatch.setattr(interpreter, "MOST_QUIET", 500)
    assert found(text) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "a = []\nb = []\nc = []\nwhile 1 < 2:\n    a.append(1)\n    b.append([1, 2, 3])\n    c = a + b\n    wait(0)",
        "a = []\nwhile 1 < 2:\n    a.append('x' + 'y')\n    wait(0)",
        "def f(n):\n    a = list(range(100))\n    wait(0)\n    return f(n - 1) if n > 0 else 0\nf(90)",
        "def f(n):\n    wait(0)\n    return (list(range(100)) + f(n - 1)) if n > 0 else [0]\nf(90)",
        "def f(n):\n    for i in range(100):\n        wait(0)\n        f(n - 1)\nf(1)",
        "def f(n):\n    wait(0)\n    return [list(range(100)), f(n - 1)]\nf(1)",
        "def f(n):\n    wait(0)\n    return [0] if n < 0 else list(range(100)) == f(n - 1)\nf(90)",
        "def f(n):\n    move_to(list(range(90)), speed=f(n - 1))\nf(1)",
        "while 1 < 2:\n    " + "\n    ".join(f"v{i} = list(range({i}))" for i in range(90)) + "\n    wait(0)",
    ],
)
def test_what_a_program_holds_is_bounded_however_often_it_waits(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdings, "MOST_HELD", 2000)
    assert found(text) == ["script_memory"]


def test_what_is_given_up_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holdings, "MOST_HELD", 2000)
    text = "def f(n):\n    for i in range(300):\n        return list(range(300)) + [n]\n"
    text += "for k in range(300):\n    x = f(k)\n    for i in range(9):\n        if i > 2: break\n    y = x + [k]\n"
    text += "print(len(y))"
    assert (found(text), said(text)) == ([], ["302"])


def test_an_endless_loop_that_moves_is_followed_once_and_noted() -> None:
    text = "while True:\n    move_by([0, 0, 0.001])\n    move_by([0, 0, -0.001])"
    assert found(text) == ["script_endless_loop"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    script = checked_script(text, "t.py")
    assert all(finding.where["file"] == "t.py" for finding in script.findings)


def test_angles_and_lengths_are_converted_item_by_item() -> None:
    assert said("print(radians(180), radians([90, 0]), mm(250), degrees(pi))") == [
        f"{math.pi:.9g} [{math.pi / 2:.9g}, 0] 0.25 180"
    ]
