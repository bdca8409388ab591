"""Decisions by counters: flags that a loop's counter tells apart by a comparison are written as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from armlab.program.translate.nodes import TRUE, Decision, Node, RepeatedBlock
from armlab.program.translate.values import CALL, Element

LARGEST_MODULUS = 6
FEWEST_CASES = 3
"""Decisions by a counter that make a choice between cases."""
Place: TypeAlias = tuple[int, ...]


class CounterRange(NamedTuple):
    """A counter (0 …) lies between two passes, both included; None where that side is open."""

    level: str
    low: int | None
    high: int | None


class EveryNth(NamedTuple):
    """A counter (0 …) divided by `modulus` leaves `remainder`."""

    level: str
    modulus: int
    remainder: int


class CounterComparison(NamedTuple):
    """All tests hold; or not all of them, where it is negated."""

    tests: tuple[CounterRange | EveryNth, ...]
    is_negated: bool = False


def comparison_of(element: Element) -> CounterComparison | None:
    """Return the comparison by which counters decide; None where only a table of flags says it."""
    flags = {at: value == TRUE for at, value in element.table}
    ranges = _box(flags, element.levels)
    if ranges is not None:
        return CounterComparison(ranges)
    nth = _every_nth(flags, element.levels)
    if nth is not None:
        return CounterComparison((nth,))
    ranges = _box({at: not value for at, value in flags.items()}, element.levels)
    return None if ranges is None else CounterComparison(ranges, is_negated=True)


def has_flags(nodes: Sequence[Node]) -> bool:
    """Tell whether any decision is written by flags of the passes, and not by an input or a counter."""
    for node in nodes:
        match node:
            case Decision(condition=condition, body=body, otherwise=otherwise):
                is_compared = isinstance(condition, Element) and comparison_of(condition) is not None
                if not (isinstance(condition, str) or is_compared) or has_flags((*body, *otherwise)):
                    return True
            case RepeatedBlock(body=body):
                if has_flags(body):
                    return True
            case _:
                pass
    return False


def _box(flags: Mapping[Place, bool], levels: tuple[str, ...]) -> tuple[CounterRange, ...] | None:
    """Return ranges of the counters inside which all flags are set, and outside of which none is."""
    inside = [at for at, value in flags.items() if value]
    ranges, bounds = [], []
    for i, level in enumerate(levels):
        known = {at[i] for at in flags}
        low, high = min(at[i] for at in inside), max(at[i] for at in inside)
        bounds.append((low, high))
        if low > min(known) or high < max(known):
            is_one = low == high
            least = low if is_one or low > min(known) else None
            ranges.append(CounterRange(level, least, high if is_one or high < max(known) else None))
    for at, value in flags.items():
        if value != all(low <= index <= high for index, (low, high) in zip(at, bounds, strict=True)):
            return None
    return tuple(ranges)


def _every_nth(flags: Mapping[Place, bool], levels: tuple[str, ...]) -> EveryNth | None:
    """Return that every second, third … pass has the flag."""
    if len(levels) != 1:
        return None
    passes = {at[0]: value for at, value in flags.items()}
    first = min(number for number, value in passes.items() if value)
    for modulus in range(2, min(LARGEST_MODULUS, len(passes) // 2) + 1):
        if all(value == (number % modulus == first % modulus) for number, value in passes.items()):
            return EveryNth(levels[0], modulus, first % modulus)
    return None


class CounterCase(NamedTuple):
    """What is done where a counter (0 …) has one of some values; `condition` says the same by flags."""

    condition: Element
    values: tuple[int, ...]
    body: tuple[Node, ...]


class CounterChoice(NamedTuple):
    """At most one of several cases."""

    level: str
    cases: tuple[CounterCase, ...]
    otherwise: tuple[Node, ...]


def with_choices(nodes: Sequence[Node]) -> list[Node | CounterChoice]:
    """Return nodes with decisions in a row of which a counter takes one as a choice."""
    out: list[Node | CounterChoice] = []
    cases: list[CounterCase] = []
    for node in (*nodes, None):
        case = None if node is None else _case(node)
        if cases and (case is None or not _goes_with(case, cases)):
            out += _chosen(cases)
            cases = []
        if case is not None:
            cases.append(case)
        elif node is not None:
            out.append(node)
    return out


def _case(node: Node) -> CounterCase | None:
    if not isinstance(node, Decision) or not isinstance(node.condition, Element) or node.otherwise:
        return None
    element = node.condition
    if len(element.levels) != 1 or element.levels[0] == CALL or comparison_of(element) is None:
        return None
    return CounterCase(element, tuple(at[0] for at, value in element.table if value == TRUE), node.body)


def _goes_with(case: CounterCase, cases: Sequence[CounterCase]) -> bool:
    if case.condition.levels != cases[0].condition.levels:
        return False
    return all(set(case.values).isdisjoint(other.values) for other in cases)


def _chosen(cases: Sequence[CounterCase]) -> list[Node | CounterChoice]:
    if len(cases) < FEWEST_CASES:
        return [Decision(case.condition, case.body) for case in cases]
    known = {at[0] for case in cases for at, _value in case.condition.table}
    is_all = known == {value for case in cases for value in case.values}
    given = tuple(cases[:-1] if is_all else cases)
    return [CounterChoice(cases[0].condition.levels[0], given, cases[-1].body if is_all else ())]
