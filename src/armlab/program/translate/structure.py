"""The structure of a flat program: calls of routines that always do the same, and blocks that are repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from armlab.program.translate.record import CallSite, RecordedStep
from armlab.program.translate.text import StepBlock, identifier

LONGEST_PERIOD = 200
"""Nodes of a repeated block at most."""
MOST_NODES = 20_000
"""In longer programs no repetitions are looked for."""
LEAST_SAVED = 2
"""Lines that a loop must save."""


@dataclass(frozen=True, slots=True)
class StepLines:
    """The lines of one step."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoutineCall:
    """A routine is called."""

    routine: str


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A block that is repeated."""

    count: int
    body: tuple[Node, ...]


Node: TypeAlias = StepLines | RoutineCall | RepeatedBlock


@dataclass(slots=True)
class ProgramStructure:
    """A main program and its routines; `inlined` are routines that do something else in each call."""

    main: tuple[Node, ...] = ()
    routines: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    inlined: dict[str, int] = field(default_factory=dict)


def flat(blocks: Sequence[StepBlock]) -> ProgramStructure:
    """Return blocks one after the other."""
    return ProgramStructure(tuple(StepLines(block.lines) for block in blocks))


def structured(
    blocks: Sequence[StepBlock], steps: Sequence[RecordedStep], taken: Callable[[str], str] = identifier
) -> ProgramStructure:
    """Return blocks with the routines of the source where each call of one does the same, and with loops."""
    found = ProgramStructure()
    tree = _tree([(steps[block.step].stack, block.lines) for block in blocks], 0)
    bodies: dict[str, dict[object, int]] = {}
    _count(tree, bodies)
    names: dict[tuple[str, object], str] = {}
    used: set[str] = set()
    for routine, variants in bodies.items():
        for body, count in variants.items():
            if count == 1 and len(variants) > 1:
                found.inlined[routine] = found.inlined.get(routine, 0) + 1
                continue
            names[routine, body] = _free(taken(routine), used)
    found.main = _folded(_nodes(tree, names, found))
    return found


_Tree: TypeAlias = "tuple[StepLines | _Called, ...]"


@dataclass(frozen=True, slots=True)
class _Called:
    routine: str
    body: _Tree


def _tree(items: Sequence[tuple[tuple[CallSite, ...], tuple[str, ...]]], depth: int) -> _Tree:
    out: list[StepLines | _Called] = []
    i = 0
    while i < len(items):
        stack, lines = items[i]
        if len(stack) <= depth:
            if lines:
                out.append(StepLines(lines))
            i += 1
            continue
        j = i
        while j < len(items) and len(items[j][0]) > depth and items[j][0][depth] == stack[depth]:
            j += 1
        body = _tree(items[i:j], depth + 1)
        if body:
            out.append(_Called(stack[depth].routine, body))
        i = j
    return tuple(out)


def _count(tree: _Tree, bodies: dict[str, dict[object, int]]) -> None:
    for node in tree:
        if isinstance(node, _Called):
            variants = bodies.setdefault(node.routine, {})
            variants[node.body] = variants.get(node.body, 0) + 1
            _count(node.body, bodies)


def _free(name: str, used: set[str]) -> str:
    candidate, k = name, 1
    while candidate.lower() in used:
        k += 1
        candidate = f"{name}_{k}"
    used.add(candidate.lower())
    return candidate


def _nodes(tree: _Tree, names: dict[tuple[str, object], str], found: ProgramStructure) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in tree:
        if isinstance(node, StepLines):
            out.append(node)
            continue
        name = names.get((node.routine, node.body))
        if name is None:
            out += _nodes(node.body, names, found)
            continue
        if name not in found.routines:
            found.routines[name] = _folded(_nodes(node.body, names, found))
        out.append(RoutineCall(name))
    return tuple(out)


def _folded(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return nodes with blocks that follow each other several times as loops; shorter blocks first."""
    if len(nodes) > MOST_NODES:
        return nodes
    for period in range(1, min(LONGEST_PERIOD, len(nodes) // 2) + 1):
        nodes = _folded_by(nodes, period)
    return nodes


def _folded_by(nodes: tuple[Node, ...], period: int) -> tuple[Node, ...]:
    out: list[Node] = []
    i = 0
    while i < len(nodes):
        body, count = nodes[i : i + period], 1
        while nodes[i + count * period : i + (count + 1) * period] == body:
            count += 1
        if count > 1 and len(body) == period and (count - 1) * _size(body) >= LEAST_SAVED:
            out.append(RepeatedBlock(count, body))
            i += count * period
        else:
            out.append(nodes[i])
            i += 1
    return tuple(out)


def _size(nodes: tuple[Node, ...]) -> int:
    return sum(len(node.lines) if isinstance(node, StepLines) else 1 for node in nodes)
