"""Every test can fail, none waits for the clock, and one that is left out says what of its environment is missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(TESTS.rglob("*.py"))}
CHECKS = {"raises", "warns", "fail", "exec", "expect", "wait_for", "wait_for_function", "wait_for_selector"}
"""Calls that fail by themselves where what they are told is not so; besides all whose name begins with assert."""
SKIPS = {"skip", "skipif", "importorskip"}


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))


def _functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def _checks_itself(function: ast.FunctionDef) -> bool:
    is_stated = any(isinstance(node, (ast.Assert, ast.Raise)) for node in ast.walk(function))
    return is_stated or any(_called(call) in CHECKS or _called(call).startswith("assert") for call in _calls(function))


def _checking_names() -> set[str]:
    """Return the names of the tests' functions that can fail, by themselves or by what they call."""
    checking = {function.name for _path, function in _functions() if _checks_itself(function)}
    calls = {(function.name, _called(call)) for _path, function in _functions() for call in _calls(function)}
    while found := {caller for caller, callee in calls if callee in checking and caller not in checking}:
        checking |= found
    return checking


def _place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(TESTS).as_posix()}:{getattr(node, 'lineno', 0)}"


def test_every_test_can_fail() -> None:
    checking = _checking_names()
    tests = [(path, test) for path, test in _functions() if test.name.startswith("test_")]
    assert len(tests) > 1000
    assert [f"{_place(path, test)} {test.name}" for path, test in tests if test.name not in checking] == []


def test_a_test_that_is_left_out_says_why() -> None:
    def says_why(call: ast.Call) -> bool:
        if _called(call) == "skip":
            return bool(call.args)
        return any(keyword.arg == "reason" for keyword in call.keywords)

    skips = [(path, call) for path, tree in TREES.items() for call in _calls(tree) if _called(call) in SKIPS]
    assert [_place(path, call) for path, call in skips if not says_why(call)] == []
    unconditional = [_place(path, call) for path, call in skips if _called(call) == "skipif" and not call.args]
    assert unconditional == []


def test_no_browser_test_waits_for_the_clock() -> None:
    browser = [(path, call) for path, tree in TREES.items() if "e2e" in path.parts for call in _calls(tree)]
    assert browser
    forbidden = {"wait_for_timeout", "sleep", "perf_counter", "monotonic"}
    assert [_place(path, call) for path, call in browser if _called(call) in forbidden] == []
