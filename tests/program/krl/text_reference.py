"""A third evaluator of KRL expressions, which reads their text itself: by the table of priorities in KUKA's manual.

It shares no code with the compiler: own words, two stacks instead of a descent, and 3 × 3 products for frames.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

PRIORITY = {
    **dict.fromkeys(("NOT", "B_NOT", "neg"), 1), ":": 2, **dict.fromkeys("*/", 3), **dict.fromkeys("+-", 4),
    **dict.fromkeys(("AND", "B_AND"), 5), **dict.fromkeys(("EXOR", "B_EXOR"), 6), **dict.fromkeys(("OR", "B_OR"), 7),
    **dict.fromkeys(("==", "<>", "<", ">", "<=", ">="), 8),
}  # fmt: skip
"""1 binds first; among equals the left one."""
ONE_SIDED = frozenset({"NOT", "B_NOT", "neg"})
WORD = re.compile(r"\s*(\{[^}]*\}|\"[^\"]*\"|'[HB][0-9A-F]+'|\d+\.\d+|\d+|#?\w+|==|<>|<=|>=|[-+*/:<>()])")
PLACES = ("FRAME", "POS", "E6POS")
EXTRA = {"FRAME": (), "POS": ("S", "T"), "E6POS": ("S", "T", "E1")}


class Mismatch(Exception):
    """Types that do not go together."""


class Undefined(Exception):
    """There is no value."""


@dataclass
class Term:
    """A type and a value: a number, a truth, a letter, the name of an ENUM value, or a Place."""

    kind: str
    value: Any


@dataclass
class Place:
    """Where a frame is and how it is turned, and S, T and E1 if it has them."""

    shift: Any
    turn: Any
    extra: dict[str, Any]


def place(parts: dict[str, float]) -> Place:
    """Return a frame of its components in mm and degrees: turned about z, then y, then x."""
    a, b, c = (np.deg2rad(parts.get(name, 0.0)) for name in "ABC")
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]])
    shift = np.array([parts.get(name, 0.0) for name in "XYZ"])
    return Place(shift, about_z @ about_y @ about_x, {n: parts[n] for n in ("S", "T", "E1") if n in parts})


def result(text: str, names: dict[str, Term]) -> Term:
    """Return the type and the value of an expression."""
    tree = _tree(_words(text))
    _kind(tree, names)
    return _value(tree, names)


def _words(text: str) -> list[str]:
    found = WORD.findall(text)
    assert "".join(found) == text.replace(" ", "") or "{" in text or '"' in text, text
    return found


def _tree(words: list[str]) -> Any:
    operands: list[Any] = []
    waiting: list[str] = []

    def reduce() -> None:
        sign = waiting.pop()
        last = operands.pop()
        operands.append((sign, last) if sign in ONE_SIDED else (sign, operands.pop(), last))

    is_begin = True
    for word in words:
        if word == "(":
            waiting.append(word)
        elif word == ")":
            while waiting[-1] != "(":
                reduce()
            waiting.pop()
        elif is_begin and word in {"NOT", "B_NOT", "-"}:
            waiting.append("neg" if word == "-" else word)
        elif word in PRIORITY:
            while waiting and waiting[-1] != "(" and PRIORITY[waiting[-1]] <= PRIORITY[word]:
                reduce()
            waiting.append(word)
        else:
            operands.append(word)
        is_begin = word == "(" or word in PRIORITY
    while waiting:
        reduce()
    (whole,) = operands
    return whole


def _leaf(word: str, names: dict[str, Term]) -> Term:  # noqa: PLR0911 - one per kind
    if word.startswith("{"):
        parts = {name: float(value) for name, value in re.findall(r"(\w+) (-?[\d.]+)", word)}
        return Term("FRAME", place(parts))
    if word.startswith('"'):
        return Term("TEXT", word[1:-1])
    if word.startswith("#"):
        return Term("ENUM", word[1:])
    if word.startswith("'"):
        return Term("INT", int(word[2:-1], 16 if word[1] == "H" else 2))
    if word in {"TRUE", "FALSE"}:
        return Term("BOOL", word == "TRUE")
    if word[0].isdigit():
        return Term("REAL", float(word)) if "." in word else Term("INT", int(word))
    return names[word]


def _kind(tree: Any, names: dict[str, Term]) -> str:
    """Return the type of a tree, by the columns of permitted operands."""
    if isinstance(tree, str):
        return _leaf(tree, names).kind
    sign, kinds = tree[0], [_kind(part, names) for part in tree[1:]]
    numbers, both = {"INT", "REAL"}, set(kinds)
    found = None
    if sign in {"+", "-", "*", "/", "neg"} and both <= numbers:
        found = "REAL" if "REAL" in both else "INT"
    elif sign.startswith("B_") and both <= {"INT", "CHAR"}:
        found = "INT"
    elif sign in {"NOT", "AND", "OR", "EXOR"} and both == {"BOOL"}:
        found = "BOOL"
    elif sign == ":" and both <= set(PLACES):
        found = kinds[1]
    elif PRIORITY[sign] == 8:
        is_one = both <= numbers or ("CHAR" in both and both <= {"CHAR", "TEXT", "INT"})
        is_same = sign in {"==", "<>"} and both in ({"BOOL"}, {"ENUM"})
        found = "BOOL" if is_one or is_same else None
    if found is None:
        raise Mismatch(sign, kinds)
    return found


def _value(tree: Any, names: dict[str, Term]) -> Term:
    if isinstance(tree, str):
        return _leaf(tree, names)
    kind, sign = _kind(tree, names), tree[0]
    given = [_value(part, names) for part in tree[1:]]
    if sign == ":":
        return Term(kind, _composed(given[0].value, given[1]))
    x = _plain(given[0])
    if len(given) == 1:
        return Term(kind, not x if sign == "NOT" else -x if sign == "neg" else -1 - x)
    return Term(kind, _two(sign, x, _plain(given[1]), kind))


def _plain(term: Term) -> Any:
    """Return a letter as its code, everything else as it is."""
    return ord(term.value) if term.kind in {"CHAR", "TEXT"} else term.value


def _two(sign: str, x: Any, y: Any, kind: str) -> Any:
    if sign == "/":
        if y == 0:
            raise Undefined
        return int(Fraction(x, y)) if kind == "INT" else x / y
    if sign.startswith("B_"):
        return _bits(sign, x, y)
    table: dict[str, Callable[[], Any]] = {
        "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "AND": lambda: x and y, "OR": lambda: x or y,
        "EXOR": lambda: x is not y, "==": lambda: x == y, "<>": lambda: x != y, "<": lambda: x < y, ">": lambda: y < x,
        "<=": lambda: not y < x, ">=": lambda: not x < y,
    }  # fmt: skip
    found = table[sign]()
    return float(found) if kind == "REAL" else found


def _bits(sign: str, x: int, y: int) -> int:
    """Return an operation bit by bit, on 40 bits with the sign as the last."""
    total = 0
    for bit in range(40):
        a, b = (x >> bit) % 2, (y >> bit) % 2
        one = {"B_AND": a * b, "B_OR": max(a, b), "B_EXOR": (a + b) % 2}[sign]
        total += one << bit if bit < 39 else -one << bit
    return total


def _composed(left: Place, right: Term) -> Place:
    inner: Place = right.value
    return Place(left.shift + left.turn @ inner.shift, left.turn @ inner.turn, inner.extra)
