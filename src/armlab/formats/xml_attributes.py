"""Attributes of URDF elements: texts and numbers, checked; errors say where they stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.validation import SHOWN_LETTERS

MAX_LETTERS = 200
"""The longest name."""
UNLIMITED = 1e9
"""Stands for "no limit" in files: URDF has no word for it. Values from here on are read as infinite."""


def attribute_text(element: Any, key: str, where: str | Message) -> str:
    """Return a name; it must be there."""
    text: str = element.get(key, "").strip()
    if not text:
        raise InvalidInput(
            "urdf_attribute_empty", _("{where}: attribute '{key}' is missing or empty"), where=where, key=key
        )
    if not text.isprintable() or len(text) > MAX_LETTERS:
        raise InvalidInput(
            "urdf_name",
            _('{where}: {key}="{given}" is not a name of at most {most} printable letters'),
            where=where,
            key=key,
            given=printable(text),
            most=MAX_LETTERS,
        )
    return text


def attribute_number(element: Any, key: str, default: float | None, where: Message) -> float:
    """Return one number; without `default` it must be there."""
    return attribute_numbers(element, key, 1, None if default is None else (default,), where)[0]


def attribute_limit(element: Any, key: str, where: Message) -> float:
    """Return a limit; what is not given is zero, and UNLIMITED or more is infinite."""
    (value,) = _values(element, key, 1, (0.0,), where)
    return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value


def attribute_numbers(
    element: Any, key: str, count: int, default: Sequence[float] | None, where: Message
) -> Sequence[float]:
    """Return `count` numbers within ±UNLIMITED; without `default` they must be there."""
    values = _values(element, key, count, default, where)
    if any(abs(value) >= UNLIMITED for value in values):
        raise InvalidInput(
            "urdf_number_too_large",
            _('{where}: {key}="{given}" is outside ±{largest:g}'),
            where=where,
            key=key,
            given=printable(element.get(key)),
            largest=UNLIMITED,
        )
    return values


def _values(element: Any, key: str, count: int, default: Sequence[float] | None, where: Message) -> Sequence[float]:
    """Return the numbers of an attribute, however large; without `default` it must be there."""
    text = element.get(key)
    if text is None:
        if default is None:
            raise InvalidInput(
                "urdf_attribute_missing", _("{where}: attribute '{key}' is missing"), where=where, key=key
            )
        return default
    words = text.split()
    if len(words) != count:
        raise InvalidInput(
            "urdf_value_count",
            _('{where}: {key}="{given}": expected {expected} values, got {count}'),
            where=where,
            key=key,
            given=printable(text),
            expected=count,
            count=len(words),
        )
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [math.nan]
    if any(math.isnan(value) for value in values):
        raise InvalidInput(
            "urdf_not_a_number",
            _('{where}: {key}="{given}" is not a number'),
            where=where,
            key=key,
            given=printable(text),
        )
    return values


def printable(text: object) -> str:
    """Return the beginning of a text as a message can show it."""
    plain = "".join(char if char.isprintable() else "?" for char in str(text)[: SHOWN_LETTERS + 1])
    return plain if len(plain) <= SHOWN_LETTERS else plain[: SHOWN_LETTERS - 1] + "…"


def digits(*values: float) -> str:
    """Return values so that reading them gives the same doubles; never a minus zero."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def new_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken: itself, or with underscores behind."""
    used = set(taken)
    while name in used:
        name += "_"
    return name
