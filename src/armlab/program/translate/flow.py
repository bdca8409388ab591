"""What a run went through: calls, the statements of each, and which of them were repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from armlab.program.instructions import Mark, Report
from armlab.program.translate.record import RecordedStep

Key: TypeAlias = tuple[int, ...]
"""Where a statement stands in its text; what comes later there is larger."""


@dataclass(slots=True, eq=False)
class CalledRoutine:
    """One call of a routine, or of the main program, and the statements that were executed in it."""

    routine: str
    number: int
    statements: list[ExecutedStatement] = field(default_factory=list)
    endless_from: int | None = None
    """The line of a loop that never ends, where the run was in one when it was cut off."""


@dataclass(slots=True, eq=False)
class ExecutedStatement:
    """One execution of a statement: the steps and calls that it made, in their order."""

    key: Key
    items: list[RecordedStep | CalledRoutine] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Passes:
    """A loop: what was executed in each pass."""

    key: Key
    passes: list[list[FlowItem]]
    is_endless: bool = False


FlowItem: TypeAlias = ExecutedStatement | Passes


def flow_of(trace: Sequence[RecordedStep]) -> CalledRoutine:
    """Return the main program as it was executed; without marks every step is a statement of its own."""
    main = CalledRoutine("", 0)
    frames = [main]
    calls, has_marks = 0, any(isinstance(step.instruction, Mark) for step in trace)
    for position, step in enumerate(trace):
        mark = step.instruction
        if isinstance(mark, Mark):
            del frames[mark.depth + 1 :]
            if 0 < mark.depth < len(frames) and frames[mark.depth].routine != mark.routine:
                del frames[mark.depth :]
            if mark.depth >= len(frames):
                calls += 1
                called = CalledRoutine(mark.routine, calls)
                if not frames[-1].statements:
                    frames[-1].statements.append(ExecutedStatement((0,)))
                frames[-1].statements[-1].items.append(called)
                frames.append(called)
            frames[-1].statements.append(ExecutedStatement((mark.span.line, mark.span.column)))
        elif isinstance(mark, Report):
            if mark.finding.code.endswith("endless_loop"):
                line = int(mark.finding.where.get("line", 0))
                frames[-1].endless_from = line
        else:
            if not frames[-1].statements or not has_marks:
                frames[-1].statements.append(ExecutedStatement((position,)))
            frames[-1].statements[-1].items.append(step)
    return main


def calls_in(routine: CalledRoutine) -> Iterator[CalledRoutine]:
    """Yield all calls below a call, the deepest first."""
    for statement in routine.statements:
        for item in statement.items:
            if isinstance(item, CalledRoutine):
                yield from calls_in(item)
                yield item


def has_structure(routine: CalledRoutine) -> bool:
    """Tell whether anything was called or repeated."""
    return any(True for _call in calls_in(routine)) or any(isinstance(item, Passes) for item in nested(routine))


def nested(routine: CalledRoutine) -> list[FlowItem]:
    """Return the statements of a call with its loops."""
    statements = routine.statements
    if routine.endless_from is None:
        return _nested(statements)
    begin = len(statements)
    while begin > 0 and statements[begin - 1].key[0] > routine.endless_from:
        begin -= 1
    inside = _nested(statements[begin:])
    if len(inside) == 1 and isinstance(inside[0], Passes):
        inside[0].is_endless = True
        return [*_nested(statements[:begin]), inside[0]]
    return [*_nested(statements[:begin]), Passes((routine.endless_from,), [inside], is_endless=True)]


def _nested(run: Sequence[ExecutedStatement]) -> list[FlowItem]:
    """Return statements with loops: a jump back to a statement begins another pass of a loop from there.

    The outermost loop has the earliest of all statements that are jumped back to; it reaches as far as the last
    statement that jumps there.
    """
    back = [i for i in range(1, len(run)) if run[i].key <= run[i - 1].key]
    if not back:
        return list(run)
    head = min(run[i].key for i in back)
    tail = max(run[i - 1].key for i in back if run[i].key == head)
    starts = [i for i, statement in enumerate(run) if statement.key == head]
    end = next((i for i in range(starts[-1], len(run)) if run[i].key > tail), len(run))
    passes = [_nested(run[a:b]) for a, b in zip(starts, [*starts[1:], end], strict=True)]
    return [*_nested(run[: starts[0]]), Passes(head, passes), *_nested(run[end:])]
