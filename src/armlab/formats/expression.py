"""Expressions of templates (xacro's ${…}): read by a grammar, worked out step by step, never run as Python."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from armlab.errors import InvalidInput
from armlab.formats.xml_attributes import printable
from armlab.messages import _

Value: TypeAlias = Any
"""A number, truth value, text, list, or table (dict) of values."""

MAX_LETTERS = 2000
MAX_DEPTH = 60
MAX_TEXT = 10_000
LARGEST = 1e18
MOST_PLACES = 400
"""Decimal places beyond which rounding changes no number."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda a, b: float(a) ** float(b),
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
}


def text_of(value: Value) -> str:
    """Return a value as a template writes it into a document."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return str(value)


def _rounded(value: Value, places: Value = None) -> Value:
    """Return a number rounded as Python does it, which takes for ever over places that no number has."""
    if places is None:
        return round(value)
    return round(value, max(-MOST_PLACES, min(operator.index(places), MOST_PLACES)))


def _summed(parts: list[Value]) -> Value:
    """Return the sum of numbers: of lists, Python would make each of the sums on the way."""
    if not all(isinstance(part, int | float) for part in parts):
        raise TypeError
    return sum(parts)


_MATH = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "degrees", "radians", "hypot", "log", "exp")
FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{name: getattr(math, name) for name in _MATH},
    "fabs": math.fabs,
    "floor": math.floor,
    "ceil": math.ceil,
    "fmod": math.fmod,
    "pow": math.pow,
    "copysign": math.copysign,
    "abs": abs,
    "min": min,
    "max": max,
    "round": _rounded,
    "len": len,
    "str": text_of,
    "float": float,
    "int": int,
    "bool": bool,
    "list": list,
    "sum": _summed,
}
CONSTANTS: dict[str, Value] = {
    "pi": math.pi,
    "tau": math.tau,
    "e": math.e,
    "inf": math.inf,
    "True": True,
    "False": False,
    "None": None,
}


def _free(_amount: int) -> None:
    """Count nothing."""


def evaluate(
    text: str,
    names: Callable[[str], Value],
    functions: Mapping[str, Callable[..., Value]] = {},
    spend: Callable[[int], None] = _free,
) -> Value:
    """Return the value of an expression; `names` gives that of a name and raises KeyError for one that is unknown.

    `spend` is told the work of it: the letters that are read and the parts of each value that is made.

    Raises:
        InvalidInput: if it cannot be read or worked out.
    """
    if len(text) > MAX_LETTERS:
        raise InvalidInput("expression_too_long", _("expression: longer than {most} letters"), most=MAX_LETTERS)
    try:
        spend(len(text))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice on how it is written
            tree = ast.parse(text.strip(), mode="eval")
        return _Reader(names, functions, spend).value(tree.body, 0)
    except InvalidInput:
        raise
    except KeyError as error:
        raise InvalidInput(
            "expression_name",
            _("expression '{text}': '{name}' is not known"),
            text=printable(text),
            name=printable(error.args[0] if error.args else ""),
        ) from None
    except (SyntaxError, RecursionError, MemoryError):
        raise InvalidInput(
            "expression_syntax", _("expression '{text}': cannot be read"), text=printable(text)
        ) from None
    except (TypeError, ValueError, ArithmeticError, IndexError) as error:
        raise InvalidInput(
            "expression_value",
            _("expression '{text}': cannot be worked out"),
            text=printable(text),
            reason=printable(str(error)),
        ) from None


def size_of(value: Value, most: int) -> int:
    """Return the letters and items of a value with all that is in it, however often; more than `most` is most + 1."""
    size, rest = 0, [value]
    while rest and size <= most:
        each = rest.pop()
        size += len(each) if isinstance(each, str) else 1
        if isinstance(each, list | dict):
            if len(each) > most - size:
                return most + 1
            rest += each if isinstance(each, list) else [part for pair in each.items() for part in pair]
    return min(size, most + 1)


class _Reader:
    """Works out one syntax tree; only what is listed here means anything."""

    def __init__(
        self,
        names: Callable[[str], Value],
        functions: Mapping[str, Callable[..., Value]],
        spend: Callable[[int], None],
    ) -> None:
        self._names, self._functions, self._spend = names, {**FUNCTIONS, **functions}, spend

    def value(self, node: ast.expr, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise RecursionError
        found = self._worked_out(node, depth + 1)
        if (
            isinstance(found, int | float)
            and not isinstance(found, bool)
            and math.isfinite(found)
            and abs(found) > LARGEST
        ):
            raise OverflowError(_large())
        if isinstance(found, str | list):
            size = size_of(found, MAX_TEXT)
            self._spend(size)
            if size > MAX_TEXT:
                raise OverflowError(_large())
        return found

    def _worked_out(self, node: ast.expr, depth: int) -> Value:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as constant):
                return constant
            case ast.Name(id=name):
                return self._name(name)
            case ast.Subscript(value=owner, slice=index):
                return self._item(self.value(owner, depth), self.value(index, depth))
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(owner, name, depth)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._call(function, [self.value(each, depth) for each in arguments], depth)
            case _:
                return self._operation(node, depth)

    def _operation(self, node: ast.expr, depth: int) -> Value:
        match node:
            case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
                return _UNARY[type(sign)](self.value(operand, depth))
            case ast.BinOp(left=left, op=sign, right=right):
                return self._binary(sign, self.value(left, depth), self.value(right, depth))
            case ast.BoolOp(op=sign, values=parts):
                return self._logical(isinstance(sign, ast.And), parts, depth)
            case ast.Compare(left=left, ops=signs, comparators=rights):
                return self._compared(left, signs, rights, depth)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.value(part, depth) for part in parts]
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.value(test, depth) else other, depth)
            case _:
                raise SyntaxError

    def _name(self, name: str) -> Value:
        try:
            return self._names(name)
        except KeyError:
            return CONSTANTS[name]

    @staticmethod
    def _binary(sign: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(sign, ast.Mult) and (isinstance(left, str | list) or isinstance(right, str | list)):
            raise TypeError
        if isinstance(sign, ast.Mod) and isinstance(left, str):
            raise TypeError
        return _BINARY[type(sign)](left, right) if type(sign) in _BINARY else _unreadable()

    def _logical(self, is_and: bool, parts: list[ast.expr], depth: int) -> Value:
        found: Value = is_and
        for part in parts:
            found = self.value(part, depth)
            if bool(found) != is_and:
                return found
        return found

    def _compared(self, left: ast.expr, signs: list[ast.cmpop], rights: list[ast.expr], depth: int) -> bool:
        first = self.value(left, depth)
        for sign, right in zip(signs, rights, strict=True):
            second = self.value(right, depth)
            if not _COMPARE[type(sign)](first, second):
                return False
            first = second
        return True

    @staticmethod
    def _item(owner: Value, index: Value) -> Value:
        if not isinstance(owner, dict | list | str):
            raise TypeError
        return owner[index]

    def _attribute(self, owner: ast.expr, name: str, depth: int) -> Value:
        if isinstance(owner, ast.Name) and owner.id in {"math", "xacro", "python"}:
            return self._name(name)
        table = self.value(owner, depth)
        return table[name] if isinstance(table, dict) else _unreadable()

    def _call(self, function: ast.expr, arguments: list[Value], depth: int) -> Value:
        match function:
            case ast.Name(id=name) if name in self._functions:
                return self._functions[name](*arguments)
            case ast.Attribute(value=ast.Name(id="math" | "xacro" | "python"), attr=name) if name in self._functions:
                return self._functions[name](*arguments)
            case ast.Attribute(value=owner, attr="get"):
                table = self.value(owner, depth)
                return table.get(*arguments) if isinstance(table, dict) else _unreadable()
            case ast.Attribute(value=owner, attr="split" | "lower" | "upper" | "strip" as name):
                text = self.value(owner, depth)
                return getattr(text, name)(*arguments) if isinstance(text, str) else _unreadable()
            case _:
                raise SyntaxError


def _unreadable() -> Value:
    raise SyntaxError


def _large() -> str:
    return "too large"
