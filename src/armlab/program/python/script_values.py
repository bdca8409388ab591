"""Values of scripts: numbers, truths, texts, lists, nothing; operators and functions that give values."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.program.span import Span

ScriptValue: TypeAlias = Any
"""A `bool`, `int`, `float`, `str`, `list`, `range` or None."""
LARGEST = 1e15
"""No number is larger, so that none takes long to compute."""
MOST_ITEMS = 20_000
"""Items of a list."""
MOST_INNER = 100
"""Items of a list that is an item of another, with all that is in it."""
MOST_SHOWN = 1000
DIGITS = 15
LONGEST_TEXT = 10_000


class ScriptFault(ArmlabError):
    """A statement that cannot be executed; `span` is where it stands."""

    def __init__(self, message: Message, span: Span) -> None:
        super().__init__(message)
        self.span = span


def fault(span: Span, code: str, template: str, **parameters: Any) -> ScriptFault:
    """Return what to raise where a statement cannot be executed."""
    return ScriptFault(Message(code, template, **parameters), span)


def is_number(value: ScriptValue) -> bool:
    """Tell whether a value is a number; a truth is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def checked(value: ScriptValue, span: Span) -> ScriptValue:
    """Return a value that is not too large."""
    if isinstance(value, int | float) and not abs(value) <= LARGEST:
        raise fault(span, "script_too_large", _("a number is larger than {most:g}"), most=LARGEST)
    if isinstance(value, list | range) and len(value) > MOST_ITEMS:
        raise fault(span, "script_list_too_long", _("a list has more than {most} items"), most=MOST_ITEMS)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise fault(span, "script_text_too_long", _("a text is longer than {most} letters"), most=LONGEST_TEXT)
    return value


def item(value: ScriptValue, span: Span) -> ScriptValue:
    """Return a value as an item of a list: a list is copied, so that no list holds itself or grows without bounds."""
    if not isinstance(value, list):
        return value
    budget = [MOST_INNER]

    def copied(items: list[ScriptValue]) -> list[ScriptValue]:
        budget[0] -= len(items)
        if budget[0] < 0:
            template = _("a list inside a list has more than {most} items")
            raise fault(span, "script_inner_too_long", template, most=MOST_INNER)
        return [copied(one) if isinstance(one, list) else one for one in items]

    return copied(value)


def _power(a: float, b: float) -> float:
    value = math.pow(a, b)
    return int(value) if isinstance(a, int) and isinstance(b, int) and b >= 0 and value <= LARGEST else value


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def binary(kind: ast.operator, a: ScriptValue, b: ScriptValue, span: Span) -> ScriptValue:
    """Return a + b and so on: of numbers; + also joins lists, and texts."""
    joins = isinstance(kind, ast.Add) and type(a) is type(b) and isinstance(a, list | str)
    if not joins and not (is_number(a) and is_number(b)):
        template = _("{a} and {b} cannot be combined so")
        raise fault(span, "script_operands", template, a=type_name(a), b=type_name(b))
    try:
        return checked(_BINARY[type(kind)](a, b), span)
    except (ArithmeticError, ValueError):
        raise fault(span, "script_arithmetic", _("this cannot be computed")) from None


def compare(kind: ast.cmpop, a: ScriptValue, b: ScriptValue, span: Span) -> bool:
    """Return a < b and so on."""
    try:
        return bool(_COMPARE[type(kind)](a, b))
    except TypeError:
        template = _("{a} and {b} cannot be combined so")
        raise fault(span, "script_operands", template, a=type_name(a), b=type_name(b)) from None


def type_name(value: ScriptValue) -> str:
    """Return what Python calls the type of a value."""
    return type(value).__name__


def _each(function: Callable[[float], float]) -> Callable[..., ScriptValue]:
    """Return a function of one number, of several, or of a list of them."""

    def of(*values: ScriptValue) -> ScriptValue:
        if len(values) == 1 and not isinstance(values[0], list):
            return function(values[0])
        return [function(value) for value in (values[0] if len(values) == 1 else values)]

    return of


def _round(value: float, digits: int = 0) -> float:
    if not isinstance(digits, int) or abs(digits) > DIGITS:
        raise ValueError
    return round(value, digits) if digits else round(value)


def _range(*bounds: int) -> range:
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds):
        raise TypeError
    return range(*bounds)


FUNCTIONS: Mapping[str, Callable[..., ScriptValue]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan2": math.atan2,
    "sqrt": math.sqrt, "hypot": math.hypot, "floor": math.floor, "abs": abs, "min": min, "max": max, "round": _round,
    "len": len, "sum": sum, "int": int, "float": float, "bool": bool, "list": list, "range": _range,
    "radians": _each(math.radians), "degrees": _each(math.degrees), "mm": _each(lambda value: value * 1e-3),
}  # fmt: skip
"""Functions that only compute."""
CONSTANTS: Mapping[str, ScriptValue] = {"pi": math.pi}


def call(name: str, arguments: list[ScriptValue], span: Span) -> ScriptValue:
    """Return the value of a function that only computes."""
    for argument in arguments:
        if isinstance(argument, str):
            raise fault(span, "script_argument", _("{name}: {kind} is not taken here"), name=name, kind="str")
    try:
        return checked(FUNCTIONS[name](*arguments), span)
    except (TypeError, ValueError, ArithmeticError):
        template = _("{name} cannot be computed of what it is given")
        raise fault(span, "script_function", template, name=name) from None


def text_of(value: ScriptValue) -> str:
    """Return a value as a text; numbers are rounded to nine digits."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list):
        shown = [repr(one) if isinstance(one, str) else text_of(one) for one in value[:MOST_SHOWN]]
        return f"[{', '.join([*shown, '…'] if len(value) > MOST_SHOWN else shown)}]"
    return str(value)
