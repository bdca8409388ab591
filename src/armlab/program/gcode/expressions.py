"""Values in a block: numbers, parameters, bracketed expressions and functions of them.

Operators bind as in RS-274: `**`, then `* / MOD`, then `+ -`, then comparisons, then `AND OR XOR`; all from left to
right. Angles are degrees. The text is lower case and without blanks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from armlab.messages import _
from armlab.program.gcode.problems import BadBlock

EQUAL = 1e-6
"""Numbers nearer than this are equal to `EQ`, `NE`, `GE` and `LE`."""
MAX_DEPTH = 50
"""Brackets inside brackets, and parameters of parameters."""

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_NAME = re.compile(r"<([^<>]*)>")
_OPERATOR = re.compile(r"\*\*|mod|and|xor|or|eq|ne|ge|gt|le|lt|[-+*/]")
_FUNCTION = re.compile(r"abs|acos|asin|atan|cos|exists|exp|fix|fup|ln|round|sin|sqrt|tan")

_RANK = {"**": 5, "*": 4, "/": 4, "mod": 4, "+": 3, "-": 3}
_RANK |= dict.fromkeys(("eq", "ne", "gt", "ge", "lt", "le"), 2) | dict.fromkeys(("and", "or", "xor"), 1)


class Values(Protocol):
    """Where the values of parameters come from."""

    def number(self, index: int) -> float:
        """Return #index."""

    def named(self, name: str) -> float:
        """Return #<name>."""

    def exists(self, name: str) -> bool:
        """Tell whether #<name> is there."""

    def has_number(self, index: int) -> bool:
        """Tell whether there is a parameter #index."""


class Read(NamedTuple):
    """A value, and the place in the text after it."""

    value: float
    end: int


def read_value(text: str, start: int, values: Values, depth: int = 0) -> Read:
    """Return the real value that begins at `start`.

    Raises:
        BadBlock: if there is none, or it cannot be computed.
    """
    if depth > MAX_DEPTH:
        raise BadBlock("brackets_too_deep", _("brackets are nested more than {depth} deep"), start, depth=MAX_DEPTH)
    if found := _NUMBER.match(text, start):
        return Read(float(found[0]), found.end())
    first = text[start : start + 1]
    if first == "[":
        return _read_bracket(text, start, values, depth)
    if first == "#":
        return _read_parameter(text, start, values, depth)
    if first in {"+", "-"}:
        value, end = read_value(text, start + 1, values, depth + 1)
        return Read(-value if first == "-" else value, end)
    if found := _FUNCTION.match(text, start):
        return _read_function(found[0], text, found.end(), values, depth)
    if not first:
        raise BadBlock("value_missing", _("a value is missing at the end of the line"), start)
    raise BadBlock("gcode_value_expected", _("'{letter}' found where a value is expected"), start, letter=first)


def read_integer(text: str, start: int, values: Values) -> tuple[int, int]:
    """Return the value at `start`, which must be whole, and the place after it."""
    value, end = read_value(text, start, values)
    if abs(value - round(value)) > 1e-4:
        raise BadBlock("not_a_whole_number", _("{value:g} is not a whole number"), start, value=value)
    return round(value), end


def read_parameter_name(text: str, start: int, values: Values, depth: int = 0) -> tuple[int | str, int]:
    """Return the index or the name of the parameter whose `#` is at `start`, and the place after it."""
    if found := _NAME.match(text, start + 1):
        if not found[1]:
            raise BadBlock("name_empty", _("the name of a parameter is empty"), start)
        return found[1], found.end()
    if text[start + 1 : start + 2] == "<":
        raise BadBlock("name_open", _("the name of a parameter has no closing >"), start)
    value, end = read_value(text, start + 1, values, depth + 1)
    if abs(value - round(value)) > 1e-4:
        raise BadBlock("not_a_whole_number", _("{value:g} is not a whole number"), start + 1, value=value)
    return round(value), end


def _read_parameter(text: str, start: int, values: Values, depth: int) -> Read:
    name, end = read_parameter_name(text, start, values, depth)
    try:
        return Read(values.named(name) if isinstance(name, str) else values.number(name), end)
    except BadBlock as problem:
        problem.place = start
        raise


def _read_bracket(text: str, start: int, values: Values, depth: int) -> Read:
    """Return the value of `[…]`: operands and operators are put on two stacks, and joined as soon as rank allows."""
    operands: list[float] = []
    operators: list[tuple[str, int]] = []
    place = start + 1
    while True:
        value, place = read_value(text, place, values, depth + 1)
        operands.append(value)
        if text[place : place + 1] == "]":
            break
        found = _OPERATOR.match(text, place)
        if found is None:
            if place >= len(text):
                raise BadBlock("bracket_open", _("a bracket [ is not closed"), start)
            raise BadBlock("operator_unknown", _("'{letter}' is not an operator"), place, letter=text[place])
        _join(operands, operators, _RANK[found[0]])
        operators.append((found[0], place))
        place = found.end()
    _join(operands, operators, 0)
    return Read(operands[0], place + 1)


def _join(operands: list[float], operators: list[tuple[str, int]], rank: int) -> None:
    """Apply all waiting operators that bind at least as strongly as `rank`."""
    while operators and _RANK[operators[-1][0]] >= rank:
        operator, place = operators.pop()
        right = operands.pop()
        operands[-1] = _finite(_applied(operator, operands[-1], right, place), place)


def _applied(operator: str, left: float, right: float, place: int) -> float:  # noqa: C901, PLR0911 - one case per operator
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" | "mod" if right == 0.0:
            raise BadBlock("division_by_zero", _("division by zero"), place)
        case "/":
            return left / right
        case "mod":
            return math.fmod(left, right) % abs(right)
        case "**":
            return _power(left, right, place)
        case "and":
            return float(left != 0.0 and right != 0.0)
        case "or":
            return float(left != 0.0 or right != 0.0)
        case "xor":
            return float((left != 0.0) != (right != 0.0))
        case "eq" | "ne":
            return float((abs(left - right) < EQUAL) == (operator == "eq"))
        case _:
            same = abs(left - right) < EQUAL
            return float(
                {"gt": left > right, "ge": same or left >= right, "lt": left < right, "le": same or left <= right}[
                    operator
                ]
            )


def _power(left: float, right: float, place: int) -> float:
    if left < 0.0 and right != math.floor(right):
        raise BadBlock(
            "power_of_negative", _("{base:g} cannot be raised to the power {power:g}"), place, base=left, power=right
        )
    try:
        return float(left**right)
    except OverflowError:
        return math.inf
    except ZeroDivisionError:
        raise BadBlock("division_by_zero", _("division by zero"), place) from None


def _read_function(name: str, text: str, start: int, values: Values, depth: int) -> Read:
    if text[start : start + 1] != "[":
        raise BadBlock("function_without_bracket", _("{name} needs its value in brackets"), start, name=name.upper())
    if name == "exists":
        return _read_exists(text, start, values, depth)
    value, end = _read_bracket(text, start, values, depth)
    if name == "atan":
        if text[end : end + 2] != "/[":
            raise BadBlock("atan_form", _("ATAN needs two values: ATAN[y]/[x]"), end)
        x, end = _read_bracket(text, end + 1, values, depth)
        return Read(math.degrees(math.atan2(value, x)), end)
    try:
        return Read(_finite(_FUNCTIONS[name](value), start), end)
    except (ValueError, OverflowError):
        template = _("{name} of {value:g} does not exist")
        raise BadBlock("function_domain", template, start, name=name.upper(), value=value) from None


def _read_exists(text: str, start: int, values: Values, depth: int) -> Read:
    form = BadBlock("exists_form", _("EXISTS needs a parameter: EXISTS[#<name>] or EXISTS[#1]"), start)
    if text[start : start + 2] != "[#":
        raise form
    name, end = read_parameter_name(text, start + 1, values, depth + 1)
    if text[end : end + 1] != "]":
        raise form
    return Read(float(values.exists(name) if isinstance(name, str) else values.has_number(name)), end + 1)


def _finite(value: float, place: int) -> float:
    if not math.isfinite(value):
        raise BadBlock("value_too_large", _("the value is too large"), place)
    return value


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "acos": lambda x: math.degrees(math.acos(x)),
    "asin": lambda x: math.degrees(math.asin(x)),
    "cos": lambda x: math.cos(math.radians(x)),
    "exp": math.exp,
    "fix": lambda x: float(math.floor(x)),
    "fup": lambda x: float(math.ceil(x)),
    "ln": math.log,
    "round": lambda x: float(math.floor(abs(x) + 0.5)) * (1.0 if x >= 0.0 else -1.0),
    "sin": lambda x: math.sin(math.radians(x)),
    "sqrt": math.sqrt,
    "tan": lambda x: math.tan(math.radians(x)),
}
