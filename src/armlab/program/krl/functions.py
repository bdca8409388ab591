"""Functions that every controller has: trigonometry in degrees, texts, INV_POS."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from armlab.messages import _
from armlab.program.krl.data_types import BOOL, FRAME, INT, REAL, DataType, Value, set_text, text_of
from armlab.program.krl.faults import Fault
from armlab.program.krl.frames import inverted
from armlab.program.span import Span

ArgumentKind = Literal["number", "text", "letters", "frame", "case"]
"""`letters` is a CHAR array that the function writes to; `case` (#CASE_SENS, #NOT_CASE_SENS) may be left out."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A function of the controller: what it takes, what it gives, and how."""

    parameters: tuple[ArgumentKind, ...]
    result: DataType
    call: Callable[..., Value]
    """Takes the values of the arguments, and the place of the call."""


def _domain(name: str, function: Callable[[float], float]) -> Callable[[float, Span], float]:
    def call(x: float, span: Span) -> float:
        try:
            return function(float(x))
        except ValueError:
            raise Fault("krl_domain", _("{name}({value:g}) is not defined"), span, name=name, value=float(x)) from None

    return call


def _acos(x: float) -> float:
    return math.degrees(math.acos(x))


def _asin(x: float) -> float:
    return math.degrees(math.asin(x))


def _atan2(y: float, x: float, _span: Span) -> float:
    return math.degrees(math.atan2(y, x))


def _str_len(text: Value, _span: Span) -> int:
    return len(text_of(text))


def _str_declared(letters: list[Any] | str, _span: Span) -> int:
    return len(letters)


def _str_clear(letters: list[Any], _span: Span) -> bool:
    set_text(letters, "")
    return True


def _str_add(letters: list[Any], text: Value, _span: Span) -> int:
    whole = text_of(letters) + text_of(text)
    set_text(letters, whole)
    return min(len(whole), len(letters))


def _str_copy(letters: list[Any], text: Value, _span: Span) -> bool:
    set_text(letters, text_of(text))
    return len(text_of(text)) <= len(letters)


def _folded(text: Value, case: str | Span) -> str:
    return text_of(text).upper() if case == "NOT_CASE_SENS" else text_of(text)


def _str_comp(one: Value, other: Value, case: str | Span, _span: Span | None = None) -> bool:
    return _folded(one, case) == _folded(other, case)


def _str_find(start: Value, text: Value, pattern: Value, case: str | Span, _span: Span | None = None) -> int:
    return _folded(text, case).find(_folded(pattern, case), max(int(start) - 1, 0)) + 1


FUNCTIONS: dict[str, BuiltIn] = {
    "SIN": BuiltIn(("number",), REAL, lambda x, _span: math.sin(math.radians(x))),
    "COS": BuiltIn(("number",), REAL, lambda x, _span: math.cos(math.radians(x))),
    "TAN": BuiltIn(("number",), REAL, lambda x, _span: math.tan(math.radians(x))),
    "ACOS": BuiltIn(("number",), REAL, _domain("ACOS", _acos)),
    "ASIN": BuiltIn(("number",), REAL, _domain("ASIN", _asin)),
    "ATAN2": BuiltIn(("number", "number"), REAL, _atan2),
    "ABS": BuiltIn(("number",), REAL, lambda x, _span: float(abs(x))),
    "SQRT": BuiltIn(("number",), REAL, _domain("SQRT", math.sqrt)),
    "INV_POS": BuiltIn(("frame",), FRAME, lambda frame, _span: inverted(frame)),
    "STRLEN": BuiltIn(("text",), INT, _str_len),
    "STRDECLLEN": BuiltIn(("text",), INT, _str_declared),
    "STRCLEAR": BuiltIn(("letters",), BOOL, _str_clear),
    "STRADD": BuiltIn(("letters", "text"), INT, _str_add),
    "STRCOPY": BuiltIn(("letters", "text"), BOOL, _str_copy),
    "STRCOMP": BuiltIn(("text", "text", "case"), BOOL, _str_comp),
    "STRFIND": BuiltIn(("number", "text", "text", "case"), INT, _str_find),
}
