"""A program as a tree: lines of steps, calls, loops and decisions, with values that may change from pass to pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from armlab.program.translate.record import RecordedStep
from armlab.program.translate.values import CALL, Constant, Element, RoutineParameter, Value

VARIANT = Element((), (((), Constant("int", "0")),))
"""Stands for the number of the call, which is a parameter where a table needs it."""
TRUE, FALSE = Constant("bool", "TRUE"), Constant("bool", "FALSE")


class StepBlock(NamedTuple):
    """The lines of one step; `form` takes their place where nothing in them changes."""

    step: int
    lines: tuple[str, ...]
    form: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class StepLines:
    """The lines of one step, with a mark for each of the values."""

    lines: tuple[str, ...]
    values: tuple[Value, ...] = ()
    form: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RoutineCall:
    """A routine is called."""

    routine: str
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A loop: `count` passes (none: for ever), or as long as an input that is read has a value."""

    level: str
    count: Value | None
    body: tuple[Node, ...]
    reads: tuple[str, bool] | None = None


@dataclass(frozen=True, slots=True)
class ReadNode:
    """An input is read, and kept for decisions."""

    name: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One of two blocks: by an input that was read, or by a value."""

    condition: Value | str
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


Node: TypeAlias = StepLines | RoutineCall | RepeatedBlock | ReadNode | Decision


@dataclass(frozen=True, slots=True)
class WrittenRoutine:
    """A routine: the kinds of its parameters, and what it does."""

    parameters: tuple[RoutineParameter, ...] = ()
    body: tuple[Node, ...] = ()


@dataclass(slots=True)
class ProgramStructure:
    """A main program and its routines, and what of the source could not be kept."""

    main: tuple[Node, ...] = ()
    routines: dict[str, WrittenRoutine] = field(default_factory=dict)
    inlined: list[str] = field(default_factory=list)
    """Routines that stand where they were called."""
    unrolled: list[RecordedStep] = field(default_factory=list)
    """The first step of each loop that was written pass by pass."""


def flat(blocks: Iterable[tuple[str, ...]]) -> ProgramStructure:
    """Return lines one after the other."""
    return ProgramStructure(tuple(StepLines(lines) for lines in blocks))


def values_of(node: Node) -> Iterator[Value]:
    """Yield all values in a node."""
    match node:
        case StepLines(values=values):
            yield from values
        case RoutineCall(arguments=arguments):
            yield from arguments
        case RepeatedBlock(count=count, body=body):
            if count is not None:
                yield count
            for inner in body:
                yield from values_of(inner)
        case Decision(condition=condition, body=body, otherwise=otherwise):
            if not isinstance(condition, str):
                yield condition
            for inner in (*body, *otherwise):
                yield from values_of(inner)
        case _:
            return


def size(nodes: Iterable[Node]) -> int:
    """Return how many lines nodes take, about."""
    total = 0
    for node in nodes:
        match node:
            case StepLines(lines=lines):
                total += len(lines)
            case RepeatedBlock(body=body):
                total += 1 + size(body)
            case Decision(body=body, otherwise=otherwise):
                total += 1 + size(body) + size(otherwise)
            case _:
                total += 1
    return total


def joined(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return nodes with decisions that follow each other, and have the same condition, as one."""
    out: list[Node] = []
    for node in nodes:
        last = out[-1] if out else None
        if isinstance(node, Decision) and isinstance(last, Decision) and node.condition == last.condition:
            both = (*last.body, *node.body), (*last.otherwise, *node.otherwise)
            out[-1] = Decision(node.condition, joined(both[0]), joined(both[1]))
        elif isinstance(node, Decision) and isinstance(last, Decision) and _are_opposite(last, node):
            out[-1] = replace(last, otherwise=node.body)
        else:
            out.append(node)
    return tuple(out)


def _are_opposite(first: Decision, second: Decision) -> bool:
    a, b = first.condition, second.condition
    if not isinstance(a, Element) or not isinstance(b, Element) or first.otherwise or second.otherwise:
        return False
    others = tuple((at, FALSE if value == TRUE else TRUE) for at, value in b.table)
    return a.levels == b.levels and a.table == others


def with_parameters(node: Node, given: dict[Element, RoutineParameter]) -> Node:
    """Return a node of a routine in which what depends on the call is a parameter."""

    def changed(value: Value) -> Value:
        if not isinstance(value, Element) or CALL not in value.levels:
            return value
        if value.levels == (CALL,):
            return given.setdefault(value, RoutineParameter(f"a{len(given) + 1}", value.kind))
        given.setdefault(VARIANT, RoutineParameter("variant", "int"))
        return value

    match node:
        case StepLines(values=values):
            return replace(node, values=tuple(changed(value) for value in values))
        case RoutineCall(arguments=arguments):
            return replace(node, arguments=tuple(changed(value) for value in arguments))
        case RepeatedBlock(count=count, body=body):
            inner = tuple(with_parameters(one, given) for one in body)
            return replace(node, count=None if count is None else changed(count), body=inner)
        case Decision(condition=condition):
            return Decision(
                condition if isinstance(condition, str) else changed(condition),
                tuple(with_parameters(one, given) for one in node.body),
                tuple(with_parameters(one, given) for one in node.otherwise),
            )
        case _:
            return node
