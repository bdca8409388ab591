"""Which inputs a program waits for: its conditions are functions, which are tried with all values of what they read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from armlab.program.instructions import ReadInput, WaitUntil
from armlab.program.signals import Signals, TriedSignals, Value

MOST_INPUTS = 3
LATE = 1e9
"""s: a condition that holds then and not at once depends on the time."""


@dataclass(frozen=True, slots=True)
class InputCondition:
    """One of several terms must hold; a term says which digital inputs are on and which are off. None: always."""

    terms: tuple[tuple[tuple[str, bool], ...], ...] | None
    before: InputCondition | None = None
    """What must have held before: an edge."""
    timeout: float | None = None
    """s"""

    def text(self, read: Callable[[str], str], words: tuple[str, str, str]) -> str:
        """Return the condition in a language: how it reads an input, and its words for not, and, or."""
        no, both, either = words
        terms = [
            f" {both} ".join(read(name) if value else f"{no} {read(name)}" for name, value in term)
            for term in self.terms or ()
        ]
        return terms[0] if len(terms) == 1 else f" {either} ".join(f"({term})" for term in terms)


def condition_of(asked: ReadInput | WaitUntil) -> InputCondition | None:
    """Return what is waited for; None where that is not a matter of digital inputs."""
    if isinstance(asked, WaitUntil):
        return _of_function(asked.condition, asked.timeout)
    on, off = (((asked.name, True),),), (((asked.name, False),),)
    match asked.mode:
        case "now":
            return InputCondition(None)
        case "high":
            return InputCondition(on, None, asked.timeout)
        case "low":
            return InputCondition(off, None, asked.timeout)
        case "rise":
            return InputCondition(on, InputCondition(off), asked.timeout)
        case "fall":
            return InputCondition(off, InputCondition(on), asked.timeout)


def _of_function(condition: Callable[[Signals], bool], timeout: float | None) -> InputCondition | None:
    names: list[str] = []
    while True:
        table = {}
        seen = list(names)
        for values in product((False, True), repeat=len(names)):
            given: dict[str, Value] = dict(zip(names, values, strict=True))
            early, late = TriedSignals(dict(given)), TriedSignals(dict(given), time=LATE)
            table[values] = bool(condition(early))
            if table[values] != bool(condition(late)):
                return None
            seen += [name for name in early.names if name not in seen]
        if len(seen) == len(names):
            break
        if len(seen) > MOST_INPUTS or any(name.startswith("analog") for name in seen):
            return None
        names = seen
    if all(table.values()):
        return InputCondition(None, None, timeout)
    terms = tuple(tuple(zip(names, values, strict=True)) for values, holds in table.items() if holds)
    return InputCondition(_without_needless(terms), None, timeout) if terms else None


def _without_needless(terms: tuple[tuple[tuple[str, bool], ...], ...]) -> tuple[tuple[tuple[str, bool], ...], ...]:
    """Return terms without inputs whose value does not matter: of two that differ in one input only, what is common."""
    merged = set(terms)
    while True:
        pair = next(
            (
                (a, b)
                for a in sorted(merged)
                for b in sorted(merged)
                if len(a) == len(b) and len(set(a) ^ set(b)) == 2 and len({n for n, _v in set(a) ^ set(b)}) == 1
            ),
            None,
        )
        if pair is None:
            kept = [t for t in merged if not any(other != t and set(other) <= set(t) for other in merged)]
            return tuple(sorted(kept))
        a, b = pair
        merged -= {a, b}
        merged.add(tuple(sorted(set(a) & set(b))))
