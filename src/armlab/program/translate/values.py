"""Values of a program that is written: constants, and what depends on the counters of loops or the call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

RUN, CALL = "run", "call"
"""Levels beside loops: which run of the program, which call of the routine."""
SLOT = "\x1f"
"""Stands before and behind the number of a constant in a line."""
_SLOTS = re.compile(f"{SLOT}(\\d+){SLOT}")
ROUNDED = 2e-4
"""mm or degrees: how far a formula may be from the numbers, which are rounded themselves."""
Context: TypeAlias = tuple[tuple[str, int], ...]
"""Which pass of which loop (and which call) something was executed in, the outermost first."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value as the language writes it, and the numbers in it where a formula may take their place."""

    kind: str
    text: str
    numbers: tuple[float, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Element:
    """A value that is another one in each pass: by the counters (0 …) of loops, or the number of a call."""

    levels: tuple[str, ...]
    table: tuple[tuple[tuple[int, ...], Constant], ...]

    @property
    def kind(self) -> str:
        """What kind of value it is."""
        return self.table[0][1].kind


@dataclass(frozen=True, slots=True)
class RoutineParameter:
    """A parameter of the routine."""

    name: str
    kind: str


Value: TypeAlias = Constant | Element | RoutineParameter


class Slots:
    """Constants of one program; a line has their numbers until it is known whether they stay constant."""

    def __init__(self) -> None:
        self.constants: list[Constant] = []
        self._numbers: dict[Constant, int] = {}

    def put(self, kind: str, text: str, numbers: Sequence[float] = ()) -> str:
        """Return what stands for a value in a line."""
        constant = Constant(kind, text, tuple(numbers))
        number = self._numbers.setdefault(constant, len(self.constants))
        if number == len(self.constants):
            self.constants.append(constant)
        return f"{SLOT}{number}{SLOT}"

    def taken_apart(self, lines: Sequence[str]) -> tuple[tuple[str, ...], tuple[Constant, ...]]:
        """Return lines with a bare mark where a value stands, and the values."""
        values = [self.constants[int(found)] for line in lines for found in _SLOTS.findall(line)]
        return tuple(_SLOTS.sub(SLOT, line) for line in lines), tuple(values)

    def plain(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return lines with their constants."""
        return tuple(_SLOTS.sub(lambda found: self.constants[int(found[1])].text, line) for line in lines)


def filled(lines: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return lines with texts where values stand."""
    rest = iter(texts)
    return [re.sub(SLOT, lambda _found: next(rest), line) for line in lines]


def explained(values: Mapping[Context, Constant], ignored: str) -> Constant | Element | None:
    """Return values as a constant or by the fewest counters that tell them apart; None where only `ignored` does."""
    found = set(values.values())
    if len(found) == 1:
        return found.pop()
    levels = [level for level, _index in next(iter(values)) if level != ignored]
    if _table(values, levels) is None:
        return None
    for level in list(levels):
        fewer = [other for other in levels if other != level]
        if fewer and _table(values, fewer) is not None:
            levels = fewer
    table = _table(values, levels)
    assert table is not None
    return Element(tuple(levels), tuple(sorted(table.items(), key=lambda entry: entry[0])))


def _table(values: Mapping[Context, Constant], levels: Sequence[str]) -> dict[tuple[int, ...], Constant] | None:
    """Return values by counters; None where other things than these tell them apart."""
    out: dict[tuple[int, ...], Constant] = {}
    for context, value in values.items():
        at = dict(context)
        if out.setdefault(tuple(at[level] for level in levels), value) != value:
            return None
    return out


def linear(element: Element) -> list[tuple[float, ...]] | None:
    """Return, for each number of a value, what it begins with and grows by for each counter; None where it does not."""
    rows = [constant.numbers for _at, constant in element.table]
    if not rows[0] or len({len(row) for row in rows}) > 1 or len({c.kind for _at, c in element.table}) > 1:
        return None
    places = [at for at, _constant in element.table]
    out = []
    for column in zip(*rows, strict=True):
        base = dict(zip(places, column, strict=True))
        zero = base.get((0,) * len(element.levels))
        if zero is None:
            return None
        steps = []
        for axis in range(len(element.levels)):
            one = tuple(int(i == axis) for i in range(len(element.levels)))
            if one not in base:
                return None
            steps.append(base[one] - zero)
        for at, value in base.items():
            if abs(zero + sum(k * step for k, step in zip(at, steps, strict=True)) - value) > ROUNDED:
                return None
        out.append((zero, *steps))
    return out
