"""Write the structure of a program in a language: what its loops, decisions, calls and tables look like."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from armlab.program.translate.comparisons import CounterChoice, CounterRange, EveryNth, comparison_of, with_choices
from armlab.program.translate.nodes import (
    Decision,
    Node,
    ReadNode,
    RepeatedBlock,
    RoutineCall,
    StepLines,
)
from armlab.program.translate.values import CALL, Constant, Element, RoutineParameter, Value, filled, linear


class ShownCase(NamedTuple):
    """A case of a choice as a language writes it: the values of the counter, the condition, and the lines."""

    values: str
    condition: str
    lines: list[str]


class Renderer:
    """Writes nodes as lines; a language says what its words are."""

    indent = "  "
    first = 0
    """What tables and counters begin with."""
    dimensions = 3
    """Of a table at most; one with more is written in a row."""
    counter = "i{depth}"

    def __init__(self) -> None:
        self.tables: dict[tuple[str, tuple[int, ...], tuple[str, ...]], str] = {}
        self._counters: dict[str, str] = {CALL: "variant"}

    # -- what a language has -----------------------------------------------------------------------------------------

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return a loop that counts."""
        raise NotImplementedError

    def endless(self, body: list[str]) -> list[str]:
        """Return a loop that never ends."""
        raise NotImplementedError

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return a loop that goes on as long as an input has a value."""
        raise NotImplementedError

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return a decision."""
        raise NotImplementedError

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return at most one of several cases of a counter."""
        raise NotImplementedError

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        raise NotImplementedError

    def read(self, name: str) -> list[str]:
        """Return lines that read an input and keep it."""
        raise NotImplementedError

    def kept(self, name: str) -> str:
        """Return the condition that an input was on when it was read."""
        raise NotImplementedError

    def negated(self, condition: str) -> str:
        """Return the opposite of a condition."""
        raise NotImplementedError

    def table(self, kind: str, number: int) -> str:
        """Return the name of a table."""
        raise NotImplementedError

    def element(self, name: str, indices: list[str]) -> str:
        """Return an element of a table."""
        return name + "".join(f"[{index}]" for index in indices)

    def constant(self, value: Constant) -> str:
        """Return a constant."""
        return value.text

    def flag(self, text: str) -> str:
        """Return the condition that a value of the kind bool holds."""
        return text

    def compared(self, left: str, operator: str, right: int) -> str:
        """Return a comparison: `operator` is ==, <= or >=."""
        return f"{left} {operator} {right}"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division leaves."""
        raise NotImplementedError

    def all_of(self, conditions: list[str]) -> str:
        """Return that several conditions hold."""
        raise NotImplementedError

    def formula(self, kind: str, terms: list[str]) -> str | None:
        """Return a value that is made of formulas; None where the language has no such value."""
        del kind, terms
        return None

    # -- nodes -------------------------------------------------------------------------------------------------------

    def lines(self, nodes: Sequence[Node], used: set[str] | None = None, depth: int = 1) -> list[str]:
        """Return the lines of nodes; `used` are inputs whose values decisions look at, `depth` counts loops."""
        used = inputs_in(nodes) if used is None else used
        out: list[str] = []
        for node in with_choices(nodes):
            match node:
                case CounterChoice():
                    out += self._choice(node, used, depth)
                case StepLines(lines=lines, values=values, form=form):
                    is_constant = all(isinstance(value, Constant) for value in values)
                    texts = [self.text(value) for value in values] if form is None or not is_constant else []
                    out += form if form is not None and is_constant else filled(lines, texts)
                case RoutineCall(routine=routine, arguments=arguments):
                    out.append(self.call(routine, [self.text(value) for value in arguments]))
                case ReadNode(name=name):
                    out += self.read(name) if name in used else []
                case Decision():
                    out += self._decision(node, used, depth)
                case RepeatedBlock():
                    out += self._loop(node, used, depth)
        return out

    def _decision(self, node: Decision, used: set[str], depth: int) -> list[str]:
        condition = node.condition
        text = self.kept(condition) if isinstance(condition, str) else self._condition(condition)
        body, otherwise = self._indented(node.body, used, depth), self._indented(node.otherwise, used, depth)
        return self.decision(text, body, otherwise) if body else self.decision(self.negated(text), otherwise, [])

    def _choice(self, node: CounterChoice, used: set[str], depth: int) -> list[str]:
        cases = [
            ShownCase(
                ",".join(str(value + self.first) for value in case.values),
                self._condition(case.condition),
                self._indented(case.body, used, depth),
            )
            for case in node.cases
        ]
        return self.choice(self._counters[node.level], cases, self._indented(node.otherwise, used, depth))

    def _condition(self, value: Value) -> str:
        """Return a condition by a value: a comparison of counters where that says the same as flags."""
        found = comparison_of(value) if isinstance(value, Element) else None
        if found is None:
            return self.flag(self.text(value))
        tests = [text for test in found.tests for text in self._tests(test)]
        text = tests[0] if len(tests) == 1 else self.all_of(tests)
        return self.negated(text) if found.is_negated else text

    def _tests(self, test: CounterRange | EveryNth) -> list[str]:
        counter = self._counters[test.level]
        first = 0 if test.level == CALL else self.first
        if isinstance(test, EveryNth):
            remainder = (test.remainder + first) % test.modulus
            return [self.compared(self.remainder(counter, test.modulus), "==", remainder)]
        if test.low is not None and test.low == test.high:
            return [self.compared(counter, "==", test.low + first)]
        low = [] if test.low is None else [self.compared(counter, ">=", test.low + first)]
        return low if test.high is None else [*low, self.compared(counter, "<=", test.high + first)]

    def _loop(self, node: RepeatedBlock, used: set[str], depth: int) -> list[str]:
        counter = self.counter.format(depth=depth)
        self._counters[node.level] = counter
        body = node.body
        if node.reads is not None and node.reads[0] not in inputs_in(body):
            body = body[1:] if body and isinstance(body[0], ReadNode) else body
        lines = self._indented(body, used, depth + 1)
        if node.reads is not None:
            return self.waiting(*node.reads, lines)
        if node.count is None:
            return self.endless(lines)
        return self.loop(counter, self.text(node.count), lines)

    def _indented(self, nodes: Sequence[Node], used: set[str], depth: int) -> list[str]:
        return [f"{self.indent}{line}" for line in self.lines(nodes, used, depth)]

    # -- values ------------------------------------------------------------------------------------------------------

    def text(self, value: Value) -> str:
        """Return a value."""
        match value:
            case Constant():
                return self.constant(value)
            case RoutineParameter(name=name):
                return name
            case Element():
                rows = linear(value)
                found = None
                if rows is not None:
                    found = self.formula(value.kind, [self._term(row, value.levels) for row in rows])
                return self._in_table(value) if found is None else found

    def _term(self, row: tuple[float, ...], levels: Sequence[str]) -> str:
        """Return a formula: a number and what it grows by for each pass."""
        parts = [shown(row[0])]
        for step, level in zip(row[1:], levels, strict=True):
            if abs(step) > 1e-9:
                counter = self._counters[level]
                by = counter if self.first == 0 or level == CALL else self.grouped(f"{counter} - {self.first}")
                parts.append(f"{'-' if step < 0 else '+'} {shown(abs(step))} * {by}")
        return " ".join(parts)

    def grouped(self, text: str) -> str:
        """Return a part of a formula that is computed first."""
        return f"({text})"

    def _in_table(self, element: Element) -> str:
        sizes = tuple(max(at[i] for at, _value in element.table) + 1 for i in range(len(element.levels)))
        known, entries, last = dict(element.table), [], element.table[0][1]
        for at in product(*(range(size) for size in sizes)):
            last = known.get(at, last)  # a place that is never read has any value
            entries.append(self.constant(last))
        indices = [self._index(level) for level in element.levels]
        if len(sizes) > self.dimensions:
            row = ""
            for size, level in zip(sizes, element.levels, strict=True):
                zero = self._counters[level] if self.first == 0 or level == CALL else f"{self._counters[level]} - 1"
                row = f"{self.grouped(row)} * {size} + {zero}" if row else zero
            indices, sizes = [f"{row} + {self.first}" if self.first else row], (len(entries),)
        key = (element.kind, sizes, tuple(entries))
        name = self.tables.setdefault(key, self.table(element.kind, len(self.tables) + 1))
        return self.element(name, indices)

    def _index(self, level: str) -> str:
        counter = self._counters[level]
        return f"{counter} + {self.first}" if self.first and level == CALL else counter


def shown(number: float) -> str:
    """Return a number of a formula."""
    text = f"{number:.6f}".rstrip("0")
    return f"{text}0" if text.endswith(".") else text


def inputs_in(nodes: Sequence[Node]) -> set[str]:
    """Return the inputs that decisions look at."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case Decision(condition=condition, body=body, otherwise=otherwise):
                found |= ({condition} if isinstance(condition, str) else set()) | inputs_in((*body, *otherwise))
            case RepeatedBlock(body=body):
                found |= inputs_in(body)
            case _:
                pass
    return found


def loop_depth(nodes: Sequence[Node]) -> int:
    """Return how deep loops stand in each other."""
    deepest = 0
    for node in nodes:
        match node:
            case RepeatedBlock(body=body):
                deepest = max(deepest, 1 + loop_depth(body))
            case Decision(body=body, otherwise=otherwise):
                deepest = max(deepest, loop_depth((*body, *otherwise)))
            case _:
                pass
    return deepest
