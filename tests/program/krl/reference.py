"""A second evaluator of KRL expressions, written apart from the compiler: it walks the tree by plain rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armlab.geometry import pose
from armlab.program.krl.tree import Aggregate, Binary, Call, Expression, Name, Number, String, Truth, Unary


class Undefined(Exception):
    """The expression has no value."""


def evaluate(node: Expression, names: dict[str, Any]) -> Any:
    """Return the value of an expression; frames are 4 × 4 matrices in mm."""
    match node:
        case Number() | Truth() | String():
            return node.value
        case Name():
            return names[node.name]
        case Unary():
            return _unary(node.operator, evaluate(node.value, names))
        case Binary():
            return _binary(node.operator, evaluate(node.left, names), evaluate(node.right, names))
        case Aggregate():
            six = {part.name: evaluate(value, names) for part, value in node.fields}
            return _matrix(six)
        case Call():
            return _call(node.name, [evaluate(argument, names) for argument in node.arguments if argument is not None])
        case _:
            raise AssertionError(node)


def _matrix(six: dict[str, float]) -> Any:
    T = pose.from_mm_deg([six.get(name, 0.0) for name in "XYZABC"])
    T[:3, 3] *= 1000.0
    return T


def _unary(sign: str, value: Any) -> Any:
    if sign == "NOT":
        return value is False
    return {"-": -value, "+": value, "B_NOT": -value - 1}[sign]


def _binary(sign: str, x: Any, y: Any) -> Any:
    if sign == ":":
        return x @ y
    if sign == "/":
        if y == 0:
            raise Undefined
        return math.trunc(x / y) if type(x) is int and type(y) is int else x / y
    bits = {"B_AND": "&", "B_OR": "|", "B_EXOR": "^", "AND": "&", "OR": "|", "EXOR": "^", "<>": "!="}
    return eval(f"x {bits.get(sign, sign)} y", {"x": x, "y": y})


def _call(name: str, given: list[Any]) -> Any:
    if name == "INV_POS":
        return np.linalg.inv(given[0])
    if name == "ATAN2":
        return math.atan2(given[0], given[1]) * 180.0 / math.pi
    if name == "SQRT" and given[0] < 0:
        raise Undefined
    if name == "ACOS" and not -1.0 <= given[0] <= 1.0:
        raise Undefined
    turn = math.pi / 180.0
    functions: dict[str, Callable[..., float]] = {
        "SIN": lambda x: math.sin(x * turn),
        "COS": lambda x: math.cos(x * turn),
        "TAN": lambda x: math.tan(x * turn),
        "ACOS": lambda x: math.acos(x) / turn,
        "ABS": math.fabs,
        "SQRT": lambda x: x**0.5,
    }
    return functions[name](*given)
