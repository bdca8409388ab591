"""A formula as a person types it, read without `eval`: text → steps → numbers.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed | power)*           nothing between two factors means ·
    signed  = ("+" | "-") signed | power
    power   = atom [raised] ["^" signed]                     2^3^2 = 2^(3^2), -x^2 = -(x^2)
    atom    = number | name | function [raised | "^" number] "(" sum ("," sum)* ")" | "(" sum ")"

A `Formula` is a list of steps for a stack (reverse Polish), so that evaluating it needs no recursion, and each step
works on a whole array of sample points. Where a step has no real value, the result there is nan.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _

MAX_CHARACTERS = 2_000
MAX_DEPTH = 60
MAX_STEPS = 2_000
MAX_EXPONENT = 64.0

OUTSIDE = 1e-9
"""So far outside its domain an argument of sqrt, asin or acos is taken for rounding."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name in a formula, as it was typed, and the column where it stands (from 1)."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or a function, applied to the last values."""

    operation: str


Step: TypeAlias = float | Symbol | Apply


@dataclass(frozen=True, slots=True)
class Formula:
    """What was typed, as steps for a stack."""

    text: str
    steps: tuple[Step, ...]

    @property
    def names(self) -> tuple[Symbol, ...]:
        """Every name that is used, where it is used first."""
        first: dict[str, Symbol] = {}
        for step in self.steps:
            if isinstance(step, Symbol):
                first.setdefault(step.text, step)
        return tuple(first.values())


def parse(text: str) -> Formula:
    """Return the formula that `text` is.

    Raises:
        InvalidInput: if it is none, or longer, deeper or larger than allowed; the message names the column.
    """
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(
            "formula_too_long",
            _("formula: {count} characters given; at most {most} are allowed"),
            count=len(text),
            most=MAX_CHARACTERS,
        )
    return Formula(text, _Parser(_tokens(text)).whole())


def evaluate(formula: Formula, values: Mapping[str, Floats], count: int) -> Floats:
    """Return the formula's value at `count` points, (count,); `values` holds each name's values at them."""
    stack: list[Floats] = []
    with np.errstate(all="ignore"):
        for step in formula.steps:
            if isinstance(step, Symbol):
                stack.append(values[step.text])
            elif isinstance(step, Apply):
                arity, compute = _OPERATIONS[step.operation]
                arguments = stack[-arity:]
                del stack[-arity:]
                stack.append(compute(*arguments))
            else:
                stack.append(np.array(step))
    return np.broadcast_to(stack.pop(), (count,))


def refuse(column: int, code: str, template: str, /, **parameters: Any) -> NoReturn:
    """Raise the error of a formula that cannot be used, with the column where it went wrong."""
    problem = Message(code, template, **parameters)
    raise InvalidInput(code, _("column {column}: {problem}"), **{**parameters, "column": column, "problem": problem})


def _root(x: Floats) -> Floats:
    return np.asarray(np.sqrt(np.where((x < 0.0) & (x > -OUTSIDE), 0.0, x)))


def _within_one(x: Floats) -> Floats:
    return np.where(np.abs(x) <= 1.0 + OUTSIDE, np.clip(x, -1.0, 1.0), np.nan)


_OPERATIONS: dict[str, tuple[int, Callable[..., Floats]]] = {
    "+": (2, np.add),
    "-": (2, np.subtract),
    "*": (2, np.multiply),
    "/": (2, np.divide),
    "^": (2, np.power),
    "negative": (1, np.negative),
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "asin": (1, lambda x: np.arcsin(_within_one(x))),
    "acos": (1, lambda x: np.arccos(_within_one(x))),
    "atan": (1, np.arctan),
    "atan2": (2, np.arctan2),
    "sqrt": (1, _root),
    "abs": (1, np.abs),
}
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "abs")
_FUNCTION_SPELLINGS = {name: name for name in FUNCTIONS} | {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "tg": "tan",
    "arctg": "atan",
}
_CONSTANTS = {"pi": math.pi, "π": math.pi}

_PLAIN = str.maketrans("₀₁₂₃₄₅₆₇₈₉−–·⋅∙×÷[]ϑ", "0123456789--****/()θ")
"""Signs of the same meaning, one for one, so that columns stay what they are."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[A-Za-z]+(?:_?[0-9]+|_[A-Za-z]+)?|π|[α-ω]_?[0-9]*)
    |(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    |(?P<sign>\*\*|[-+*/^(),])""",
    re.VERBOSE,
)

STRAY_COMMA = _("',' separates the two arguments of atan2 only; the decimal sign is '.'")


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def _tokens(text: str) -> list[_Token]:
    plain, at, found = text.translate(_PLAIN), 0, []
    while at < len(plain):
        match = _TOKEN.match(plain, at)
        if match is None:
            refuse(
                at + 1, "unknown_character", _("the character {text} has no meaning in a formula"), text=repr(text[at])
            )
        kind = str(match.lastgroup)
        if kind == "sign":
            found.append(_Token("^" if match[0] == "**" else match[0], text[at : match.end()], at + 1))
        elif kind != "space":
            found.append(_Token(kind, match[0], at + 1))
        at = match.end()
    return [*found, _Token("end", "", len(plain.rstrip()) + 1)]


class _Parser:
    """Reads the tokens once, from left to right, and writes the steps."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._steps: list[Step] = []

    def whole(self) -> tuple[Step, ...]:
        if self._next.kind == "end":
            refuse(1, "formula_empty", _("a formula is expected, but nothing was typed"))
        self._sum()
        token = self._next
        if token.kind == ")":
            refuse(
                token.column, "bracket_not_opened", _("'{text}' closes a bracket that was not opened"), text=token.text
            )
        if token.kind == ",":
            refuse(token.column, "stray_comma", STRAY_COMMA)
        if token.kind != "end":
            refuse(token.column, "operator_missing", _("an operator is missing before '{text}'"), text=token.text)
        return tuple(self._steps)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _write(self, step: Step) -> None:
        if len(self._steps) >= MAX_STEPS:
            refuse(self._next.column, "formula_too_large", _("the formula has more than {most} parts"), most=MAX_STEPS)
        self._steps.append(step)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            refuse(
                self._next.column,
                "formula_too_deep",
                _("the formula is nested more than {most} levels deep"),
                most=MAX_DEPTH,
            )

    def _sum(self) -> None:
        self._product()
        while self._next.kind in {"+", "-"}:
            operation = self._take().kind
            self._product()
            self._write(Apply(operation))

    def _product(self) -> None:
        self._signed()
        while True:
            if self._next.kind in {"*", "/"}:
                operation = self._take().kind
                self._signed()
                self._write(Apply(operation))
            elif self._next.kind in {"name", "("}:
                self._power()
                self._write(Apply("*"))
            else:
                return

    def _signed(self) -> None:
        if self._next.kind not in {"+", "-"}:
            self._power()
            return
        sign = self._take().kind
        self._deeper()
        self._signed()
        self._depth -= 1
        if sign == "-":
            self._write(Apply("negative"))

    def _power(self) -> None:
        self._atom()
        if self._next.kind == "raised":
            self._raise_to(self._take())
        if self._next.kind == "^":
            column = self._take().column
            start = len(self._steps)
            self._deeper()
            self._signed()
            self._depth -= 1
            _check_exponent(self._steps[start:], column)
            self._write(Apply("^"))

    def _raise_to(self, token: _Token) -> None:
        exponent = _number(token.text.translate(_RAISED), token.column)
        _check_exponent([exponent], token.column)
        self._write(exponent)
        self._write(Apply("^"))

    def _atom(self) -> None:
        token = self._take()
        if token.kind == "number":
            self._write(_number(token.text, token.column))
        elif token.kind == "(":
            self._deeper()
            self._sum()
            self._close(token)
        elif token.kind == "name":
            self._named(token)
        elif token.kind == "end":
            refuse(token.column, "value_missing", _("the formula ends where a value is expected"))
        else:
            refuse(token.column, "value_expected", _("a value is expected, not '{text}'"), text=token.text)

    def _named(self, token: _Token) -> None:
        if token.text.lower() in _CONSTANTS:
            self._write(_CONSTANTS[token.text.lower()])
        elif token.text.lower() in _FUNCTION_SPELLINGS:
            self._call(token)
        else:
            self._write(Symbol(token.text, token.column))

    def _call(self, token: _Token) -> None:
        """Read the arguments of a function; a power may stand before them: sin²(x), sin^2(x)."""
        operation, raised = _FUNCTION_SPELLINGS[token.text.lower()], self._function_power()
        if self._next.kind != "(":
            refuse(
                token.column,
                "brackets_missing",
                _("'{name}' needs brackets around its argument: {name}(…)"),
                name=token.text,
            )
        opened = self._take()
        self._deeper()
        self._sum()
        given, arity = 1, _OPERATIONS[operation][0]
        while self._next.kind == "," and given < arity:
            self._take()
            self._sum()
            given += 1
        if given < arity:
            refuse(
                token.column,
                "arguments_missing",
                _("'{name}': arguments needed: {wanted}; given: {given}"),
                name=token.text,
                wanted=arity,
                given=given,
            )
        self._close(opened)
        self._write(Apply(operation))
        if raised is not None:
            self._raise_to(raised)

    def _function_power(self) -> _Token | None:
        """Return the power between a function and its bracket; a negative one could mean two things."""
        if self._next.kind == "^":
            self._take()
        elif self._next.kind != "raised":
            return None
        token = self._take()
        if token.kind not in {"number", "raised"} or token.text.startswith("⁻"):
            refuse(
                token.column,
                "negative_power",
                _("between a function and its bracket only a positive power can stand, as in sin^2(x)"),
            )
        return token

    def _close(self, opened: _Token) -> None:
        token = self._next
        if token.kind == ",":
            refuse(token.column, "stray_comma", STRAY_COMMA)
        if token.kind == "end":
            refuse(
                token.column,
                "bracket_not_closed",
                _("')' is missing for the '{opened}' of column {at}"),
                opened=opened.text,
                at=opened.column,
            )
        if token.kind != ")":
            refuse(token.column, "operator_missing", _("an operator is missing before '{text}'"), text=token.text)
        self._take()
        self._depth -= 1


def _number(text: str, column: int) -> float:
    value = float(text)
    if not math.isfinite(value):
        refuse(column, "formula_number_too_large", _("the number {text} is too large"), text=text)
    return value


def _check_exponent(steps: list[Step], column: int) -> None:
    numbers = [step for step in steps if isinstance(step, float)]
    if numbers and max(map(abs, numbers)) > MAX_EXPONENT:
        refuse(
            column,
            "power_too_large",
            _("a power of {power:g} is too large; at most {most:g} is allowed"),
            power=max(numbers, key=abs),
            most=MAX_EXPONENT,
        )
