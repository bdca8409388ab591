"""Operators of KRL: which types they take, what they give, and how they are computed."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from armlab.messages import _
from armlab.program.krl.data_types import ANY, BOOL, CHAR, ENUM, INT, REAL, TEXT, DataType, Value, family, text_of
from armlab.program.krl.faults import Fault
from armlab.program.krl.frames import composed
from armlab.program.krl.places import failing
from armlab.program.krl.scope import Compiled, Evaluate, Scope, Slots
from armlab.program.krl.tree import Binary, Unary
from armlab.program.span import Span

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_BITS: dict[str, Callable[[Any, Any], Any]] = {
    "B_AND": operator.and_, "B_OR": operator.or_, "B_EXOR": operator.xor,
}  # fmt: skip
_LOGIC: dict[str, Callable[[Any, Any], Any]] = {"AND": operator.and_, "OR": operator.or_, "EXOR": operator.xor}
_EQUAL: dict[str, Callable[[Any, Any], Any]] = {"==": operator.eq, "<>": operator.ne}
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_COMPARED = _EQUAL | _ORDER


def binary(node: Binary, left: Compiled, right: Compiled, scope: Scope) -> Compiled:
    """Return `left operator right`."""
    kind = _type_of(node, left.type, right.type, scope)
    if kind is None:
        template = _("{left} {operator} {right}: these types do not go together")
        names: dict[str, Any] = {"left": str(left.type), "operator": node.operator, "right": str(right.type)}
        scope.report("krl_operand_types", template, node.span, **names)
        return Compiled(ANY, failing(node.span))
    return Compiled(kind, _computed(node, left, right))


def _type_of(node: Binary, left: DataType, right: DataType, scope: Scope) -> DataType | None:  # noqa: C901, PLR0911
    sign = node.operator
    is_open = ANY in {left, right}
    if sign in _ARITHMETIC or sign == "/":
        if is_open:
            return ANY
        if left.is_number and right.is_number:
            return INT if left == right == INT else REAL
        return None
    if sign in _BITS:
        return INT if {left, right} <= {INT, CHAR, ANY} else None
    if sign in _LOGIC:
        return BOOL if {left, right} <= {BOOL, ANY} else None
    if sign == ":":
        both = {left, right} - {ANY}
        return right if all(family(kind) == "FRAME" for kind in both) else None
    if is_open or (left.is_number and right.is_number):
        return BOOL
    if {left, right} <= {CHAR, TEXT, INT} and CHAR in {left, right}:
        return BOOL
    if sign in _ORDER:
        return None
    if left == right == BOOL:
        return BOOL
    return BOOL if _are_enum_values(left, right, scope) else None


def _are_enum_values(left: DataType, right: DataType, scope: Scope) -> bool:
    return all(kind == ENUM or scope.enumeration(kind) is not None for kind in (left, right)) and (
        left == right or ENUM in {left, right}
    )


def _computed(node: Binary, left: Compiled, right: Compiled) -> Evaluate:
    a, b, sign, span = left.evaluate, right.evaluate, node.operator, node.span
    if sign == "/":
        return _divided(left, right, span)
    if sign == ":":
        return lambda slots: composed(a(slots), b(slots))
    if sign in _ARITHMETIC:
        return _plain(sign, a, b) if ANY not in {left.type, right.type} else _checked(_ARITHMETIC[sign], a, b, span)
    if (sign in _COMPARED or sign in _BITS) and {left.type, right.type} & {CHAR, TEXT}:
        by_code = {**_COMPARED, **_BITS}[sign]
        return lambda slots: by_code(_code(a(slots)), _code(b(slots)))
    compute = {**_BITS, **_LOGIC, **_COMPARED}[sign]
    if ANY in {left.type, right.type}:
        return _checked(compute, a, b, span)
    return lambda slots: compute(a(slots), b(slots))


def _plain(sign: str, a: Evaluate, b: Evaluate) -> Evaluate:
    if sign == "+":
        return lambda slots: a(slots) + b(slots)
    if sign == "-":
        return lambda slots: a(slots) - b(slots)
    return lambda slots: a(slots) * b(slots)


def _checked(compute: Callable[[Any, Any], Any], a: Evaluate, b: Evaluate, span: Span) -> Evaluate:
    """Return an operation on values whose types are only known when it runs."""

    def run(slots: Slots) -> Value:
        x, y = a(slots), b(slots)
        numbers = isinstance(x, int | float) and isinstance(y, int | float)
        if not numbers and (type(x) is not type(y) or isinstance(x, list | dict)):
            raise _mismatch(x, y, span)
        try:
            return compute(x, y)
        except TypeError:
            raise _mismatch(x, y, span) from None

    return run


def _mismatch(x: Value, y: Value, span: Span) -> Fault:
    template = _("the values {left} and {right} do not go together here")
    return Fault("krl_operand_values", template, span, left=str(x)[:40], right=str(y)[:40])


def _divided(left: Compiled, right: Compiled, span: Span) -> Evaluate:
    a, b = left.evaluate, right.evaluate

    def divide(slots: Slots) -> Value:
        x, y = a(slots), b(slots)
        if not (isinstance(x, int | float) and isinstance(y, int | float)):
            raise _mismatch(x, y, span)
        if y == 0:
            raise Fault("krl_division", _("division by zero"), span)
        if isinstance(x, int) and isinstance(y, int):  # INT / INT is cut off towards zero
            quotient = abs(x) // abs(y)
            return quotient if (x < 0) == (y < 0) else -quotient
        return x / y

    return divide


def _code(value: Value) -> int:
    """Return a CHAR, or a text of one letter, as its code; other texts as none that a letter has."""
    if isinstance(value, int):
        return value
    text = text_of(value)
    return ord(text) if len(text) == 1 else -1


def unary(node: Unary, value: Compiled, scope: Scope) -> Compiled:
    """Return `operator value`."""
    evaluate, kind, span = value.evaluate, value.type, node.span
    allowed = {"NOT": {BOOL, ANY}, "B_NOT": {INT, CHAR, ANY}}.get(node.operator, {INT, REAL, ANY})
    if kind not in allowed:
        template = _("{operator} {kind}: not defined for this type")
        scope.report("krl_operand_type", template, span, operator=node.operator, kind=str(kind))
        return Compiled(ANY, failing(span))
    if node.operator == "NOT":
        return Compiled(BOOL, lambda slots: not evaluate(slots))
    if node.operator == "B_NOT":
        return Compiled(INT, lambda slots: ~_code(evaluate(slots)))
    if node.operator == "+":
        return value
    return Compiled(kind, lambda slots: -evaluate(slots))
