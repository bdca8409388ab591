"""The structure of a program, found in its run: routines with parameters, loops, decisions by inputs.

All executions of a statement are laid over each other. What is the same in all of them is written once; a value that is
not becomes a parameter of its routine, depends on the counters of its loops, or on an input that was read before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from armlab.program.instructions import ReadInput
from armlab.program.translate.flow import CalledRoutine, ExecutedStatement, FlowItem, Key, Passes, calls_in, nested
from armlab.program.translate.nodes import (
    FALSE,
    TRUE,
    Decision,
    Node,
    ProgramStructure,
    ReadNode,
    RepeatedBlock,
    RoutineCall,
    StepLines,
    WrittenRoutine,
    joined,
    size,
    values_of,
    with_parameters,
)
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.values import CALL, RUN, Constant, Context, Element, RoutineParameter, Value, explained

LONGEST_TABLE = 1000


class _Instance(NamedTuple):
    """Something that was executed in a context, and the inputs that had been read there."""

    context: Context
    items: Sequence[FlowItem]
    read: Mapping[str, bool] = {}


class _Unit(NamedTuple):
    """A step, call or loop within a context, and the inputs that had been read there."""

    key: Key
    context: Context
    what: RecordedStep | CalledRoutine | Passes
    read: Mapping[str, bool]


class _Layer(NamedTuple):
    """All contexts in which a block was executed, and the inputs that had been read in each when it came to a place."""

    contexts: Sequence[Context]
    reads: Mapping[Context, Sequence[tuple[Key, Mapping[str, bool]]]]

    def read_at(self, context: Context, key: Key) -> Mapping[str, bool]:
        """Return the inputs that had been read before a place."""
        known = [read for at, read in self.reads[context] if at <= key]
        return known[-1] if known else {}

    def in_main_run(self) -> _Layer:
        """Return the contexts of the first run alone."""
        return _Layer([context for context in self.contexts if _is_main(context)], self.reads)


Lines: TypeAlias = Callable[[RecordedStep], StepLines]
"""What the language writes for a step, with constants."""


class Structuring:
    """Finds the structure of the runs of one program."""

    def __init__(self, runs: Sequence[CalledRoutine], lines_of: Lines, named: Callable[[str], str], most: int) -> None:
        self._lines_of, self._most = lines_of, most
        self.found = ProgramStructure()
        self._parameters: dict[int, tuple[Constant, ...]] = {}
        """The arguments of each call, by its number."""
        self._routine_of: dict[int, str] = {}
        self._trials = 0
        calls: dict[str, list[tuple[int, CalledRoutine]]] = {}
        numbered = 0
        for run, main in enumerate(runs):
            for call in calls_in(main):
                numbered += 1
                call.number = numbered
                calls.setdefault(call.routine, []).append((run, call))
        used: set[str] = set()
        for routine, own in calls.items():  # the deepest calls come first
            self._routine(routine, _free(named(routine), used), own)
        instances = [_Instance(((RUN, run),), nested(main)) for run, main in enumerate(runs)]
        self.found.main = self._merged(instances)

    # -- routines ----------------------------------------------------------------------------------------------------

    def _routine(self, routine: str, name: str, calls: list[tuple[int, CalledRoutine]]) -> None:
        """Lay all calls of a routine over each other; with little in common it stands where it is called."""
        if any(inner.routine == routine for _run, call in calls for inner in calls_in(call)):
            self.found.inlined.append(routine)
            return
        instances = [_Instance(((RUN, run), (CALL, number)), nested(call)) for number, (run, call) in enumerate(calls)]
        body = self._merged(instances)
        if not body:
            for _run, call in calls:
                self._routine_of[call.number] = ""
            return
        bodies = set(self._tried(instances))
        if len(bodies) > 1 and size(body) >= sum(size(one) for one in bodies):
            self.found.inlined.append(routine)
            return
        given: dict[Element, RoutineParameter] = {}
        body = tuple(with_parameters(node, given) for node in body)
        if len(given) > self._most:
            self.found.inlined.append(routine)
            return
        tables = {element: dict(element.table) for element in given}
        for number, (_run, call) in enumerate(calls):
            self._routine_of[call.number] = name
            self._parameters[call.number] = tuple(
                table.get((number,)) or element.table[0][1] if element.levels == (CALL,) else _number(number)
                for element, table in tables.items()
            )
        self.found.routines[name] = WrittenRoutine(tuple(given.values()), body)

    def _tried(self, instances: Sequence[_Instance]) -> list[tuple[Node, ...]]:
        """Return what instances do, each on its own."""
        self._trials += 1
        bodies = [self._merged([one]) for one in instances]
        self._trials -= 1
        return bodies

    # -- laying executions over each other ---------------------------------------------------------------------------

    def _merged(self, instances: Sequence[_Instance]) -> tuple[Node, ...]:
        """Return what instances do, once."""
        groups: dict[tuple[Key, object], list[_Unit]] = {}
        reads: dict[Context, list[tuple[Key, Mapping[str, bool]]]] = {}
        for instance in instances:
            known = reads.setdefault(instance.context, [((), instance.read)])
            for unit in self._units(instance):
                groups.setdefault((unit.key, self._shape(unit)), []).append(unit)
                if _is_read(unit.what):
                    known.append((unit.key, {**known[-1][1], **_answer(unit.what)}))
        layer = _Layer([instance.context for instance in instances], reads)
        out: list[Node] = []
        for (key, _shape), group in sorted(groups.items(), key=lambda entry: entry[0][0]):
            out += self._placed(key, group, layer)
        return joined(out)

    def _units(self, instance: _Instance) -> Iterator[_Unit]:
        read = dict(instance.read)
        for item in instance.items:
            if isinstance(item, Passes):
                yield _Unit(item.key, instance.context, item, dict(read))
                continue
            for number, one in enumerate(item.items):
                key = (*item.key, number)
                if isinstance(one, CalledRoutine) and one.number not in self._routine_of:  # stands where it is called
                    for unit in self._units(_Instance(instance.context, nested(one), read)):
                        yield unit._replace(key=(*key, *unit.key))
                    continue
                yield _Unit(key, instance.context, one, dict(read))
                if _is_read(one):
                    read.update(_answer(one))

    def _shape(self, unit: _Unit) -> object:
        match unit.what:
            case Passes(is_endless=is_endless):
                return "loop", is_endless
            case CalledRoutine(number=number):
                return "call", self._routine_of[number]
            case step:
                if _is_read(step):
                    return "read", *_answer(step)
                lines = self._lines_of(step)
                return "lines", lines.lines, tuple(value.kind for value in _constants(lines))

    def _placed(self, key: Key, group: Sequence[_Unit], layer: _Layer) -> tuple[Node, ...]:
        """Return what a group of units does, behind a condition where it is not always done."""
        if _is_read(group[0].what):
            (name,) = _answer(group[0].what)
            nodes: tuple[Node, ...] = (ReadNode(name),)
        else:
            nodes = self._nodes(key, group, layer)
        done = {unit.context for unit in group}
        if not nodes or len(done) == len(layer.contexts):
            return nodes
        for name, value in group[0].read.items():
            if all(layer.read_at(context, key).get(name) == (value == (context in done)) for context in layer.contexts):
                return (Decision(name, nodes),) if value else (Decision(name, (), nodes),)
        flags = {context: TRUE if context in done else FALSE for context in layer.contexts}
        condition = explained(flags, RUN)
        if condition is not None:
            return (Decision(condition, nodes),)
        main = [unit for unit in group if _is_main(unit.context)]
        return self._placed(key, main, layer.in_main_run()) if main else ()

    def _nodes(self, key: Key, group: Sequence[_Unit], layer: _Layer) -> tuple[Node, ...]:
        match group[0].what:
            case Passes():
                return self._loop(key, group, layer)
            case CalledRoutine(number=number):
                name = self._routine_of[number]
                if not name:
                    return ()
                given = {u.context: self._parameters[u.what.number] for u in group if isinstance(u.what, CalledRoutine)}
                return _by_values(key, given, layer, lambda values: RoutineCall(name, values))
            case step:
                lines = self._lines_of(step)
                if not lines.lines:
                    return ()
                found = {u.context: self._lines_of(u.what) for u in group if isinstance(u.what, RecordedStep)}
                forms = {one.values: one.form for one in found.values()}
                constants = {context: _constants(one) for context, one in found.items()}
                return _by_values(
                    key, constants, layer, lambda values: StepLines(lines.lines, values, forms.get(values))
                )

    # -- loops -------------------------------------------------------------------------------------------------------

    def _loop(self, key: Key, group: Sequence[_Unit], layer: _Layer) -> tuple[Node, ...]:
        loops = {unit.context: unit.what for unit in group if isinstance(unit.what, Passes)}
        reads = _awaited(list(loops.values()))
        is_endless = next(iter(loops.values())).is_endless
        level = "loop_" + "_".join(str(part) for part in key)
        passes: list[_Instance] = []
        counts: dict[Context, tuple[Constant, ...]] = {}
        for unit in group:
            assert isinstance(unit.what, Passes)
            own = [one for one in unit.what.passes if reads is None or one is not unit.what.passes[-1]]
            own = own if reads is not None else _without_empty_end(own)
            counts[unit.context] = (Constant("int", str(len(own)), (float(len(own)),)),)
            read = layer.read_at(unit.context, key)
            passes += [_Instance((*unit.context, (level, i)), items, read) for i, items in enumerate(own)]
        if not passes:
            return ()
        body = self._merged(passes)
        if not body or is_endless:
            return (RepeatedBlock(level, None, body),) if body else ()
        if reads is not None:
            return (RepeatedBlock(level, None, body, reads),)
        longest = max(dict(one.context)[level] for one in passes) + 1
        if longest == 1:
            return self._unrolled(level, passes)
        if size(body) >= sum(map(size, self._tried(passes[:longest]))) or _is_long(body):
            if not self._trials:
                self.found.unrolled += [step for one in passes for step in _steps(one.items)][:1]
            return self._unrolled(level, passes)
        return _by_values(key, counts, layer, lambda count: RepeatedBlock(level, count[0], body))

    def _unrolled(self, level: str, passes: Sequence[_Instance]) -> tuple[Node, ...]:
        """Return the passes of a loop one after the other."""
        longest = max(dict(one.context)[level] for one in passes) + 1
        out: list[Node] = []
        for number in range(longest):
            own = [one._replace(context=one.context[:-1]) for one in passes if one.context[-1] == (level, number)]
            out += self._merged(own)
        return joined(out)


def structured(
    runs: Sequence[CalledRoutine], lines_of: Lines, named: Callable[[str], str], most_parameters: int = 1000
) -> ProgramStructure:
    """Return the structure of a program that was run once, and once more for each input with its other value."""
    return Structuring(runs, lines_of, named, most_parameters).found


def _constants(lines: StepLines) -> tuple[Constant, ...]:
    return tuple(value for value in lines.values if isinstance(value, Constant))


def _is_main(context: Context) -> bool:
    return context[0] == (RUN, 0)


def _is_read(what: object) -> bool:
    return (
        isinstance(what, RecordedStep)
        and isinstance(what.instruction, ReadInput)
        and what.instruction.mode == "now"
        and isinstance(what.answer, bool)
    )


def _answer(what: object) -> dict[str, bool]:
    assert isinstance(what, RecordedStep)
    assert isinstance(what.instruction, ReadInput)
    return {what.instruction.name: bool(what.answer)}


def _by_values(
    key: Key,
    given: Mapping[Context, tuple[Constant, ...]],
    layer: _Layer,
    make: Callable[[tuple[Value, ...]], Node],
) -> tuple[Node, ...]:
    """Return a node with values that are constant or follow counters; or one for each value of an input."""
    values = _explained(given)
    if values is not None and all(isinstance(value, Constant) for value in values):
        return (make(values),)
    for name in dict.fromkeys(name for context in given for name in layer.read_at(context, key)):
        sides = [
            {context: one for context, one in given.items() if layer.read_at(context, key).get(name) is value}
            for value in (True, False)
        ]
        both = [_explained(side) if side else None for side in sides]
        if sum(len(side) for side in sides) < len(given) or both[0] is None or both[1] is None:
            continue
        if values is None or all(isinstance(value, Constant) for value in (*both[0], *both[1])):
            return (Decision(name, (make(both[0]),), (make(both[1]),)),)
    if values is not None:
        return (make(values),)
    main = {context: one for context, one in given.items() if _is_main(context)}
    values = _explained(main) if main else None
    return () if values is None else (make(values),)


def _explained(given: Mapping[Context, tuple[Constant, ...]]) -> tuple[Value, ...] | None:
    out: list[Value] = []
    for i in range(len(next(iter(given.values())))):
        value = explained({context: values[i] for context, values in given.items()}, RUN)
        if value is None:
            return None
        out.append(value)
    return tuple(out)


def _awaited(loops: Sequence[Passes]) -> tuple[str, bool] | None:
    """Return the input that a loop reads before each pass, and the value with which it goes on; None: another loop."""
    found: set[tuple[str, bool]] = set()
    for loop in loops:
        heads = [_head(one) for one in loop.passes]
        if None in heads or len(_steps(loop.passes[-1])) > 1 or len(heads) < 2:
            return None
        answers = [_answer(head) for head in heads]
        if any(one != answers[0] for one in answers[:-1]) or answers[-1] == answers[0]:
            return None
        if list(answers[-1]) != list(answers[0]):
            return None
        found.update(answers[0].items())
    return found.pop() if len(found) == 1 else None


def _head(items: Sequence[FlowItem]) -> RecordedStep | None:
    """Return the read with which a pass begins."""
    first = items[0] if items else None
    if not isinstance(first, ExecutedStatement) or not first.items or not _is_read(first.items[0]):
        return None
    assert isinstance(first.items[0], RecordedStep)
    return first.items[0]


def _without_empty_end(passes: list[list[FlowItem]]) -> list[list[FlowItem]]:
    """Return passes without a last one that only found out that the loop is over."""
    return passes[:-1] if len(passes) > 1 and not _steps(passes[-1]) else passes


def _steps(items: Sequence[FlowItem]) -> list[RecordedStep]:
    out: list[RecordedStep] = []
    for item in items:
        if isinstance(item, Passes):
            out += [step for one in item.passes for step in _steps(one)]
            continue
        for one in item.items:
            out += [one] if isinstance(one, RecordedStep) else _steps(one.statements)
    return out


def _number(number: int) -> Constant:
    return Constant("int", str(number), (float(number),))


def _is_long(nodes: Iterable[Node]) -> bool:
    """Tell whether a table in these nodes would be too long."""
    return any(
        len(value.table) > LONGEST_TABLE for node in nodes for value in values_of(node) if isinstance(value, Element)
    )


def _free(name: str, used: set[str]) -> str:
    candidate, k = name, 1
    while candidate.lower() in used:
        k += 1
        candidate = f"{name}_{k}"
    used.add(candidate.lower())
    return candidate
