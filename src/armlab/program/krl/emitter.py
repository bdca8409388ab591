"""Adds operations to a routine: what the compilers of statements, decisions and motions share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence

from armlab.program.instructions import Answer, Instruction, Wait
from armlab.program.krl.actions import Statement
from armlab.program.krl.operations import END, Operation
from armlab.program.krl.routines import CallCompiler, RoutineCode, Routines
from armlab.program.krl.scope import Effect, Evaluate, Slots
from armlab.program.span import Span

POLL = 0.012
"""s: how long a pass of a loop takes that only looks at inputs; a controller's cycle."""


class JumpTarget:
    """An operation that others jump to, before its number is known."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = END


class StatementEmitter(CallCompiler):
    """Adds the operations of one routine."""

    def __init__(self, code: RoutineCode, program: Routines) -> None:
        super().__init__(program, self.emit)
        self.code, self.program, self.scope = code, program, code.scope
        self.scope.functions, self.scope.hoist_effect = self, self._hoist
        self.exits: list[JumpTarget] = []
        self.statement_at = code.tree.span
        """Where the statement stands that is compiled."""

    @abstractmethod
    def block(self, body: Sequence[Statement]) -> None:
        """Compile statements one after the other."""

    @abstractmethod
    def statement(self, statement: Statement) -> None:
        """Compile a statement."""

    @abstractmethod
    def count_pass(self, span: Span) -> None:
        """Add the end of a pass of an endless loop."""

    @property
    def next(self) -> int:
        """The number of the next operation."""
        return len(self.code.operations)

    def emit(self, operation: Operation, span: Span) -> int:
        """Add an operation; return its number."""
        self.code.operations.append(operation)
        self.code.spans.append(span)
        return self.next - 1

    def _replace(self, number: int, operation: Operation) -> None:
        self.code.operations[number] = operation

    def do(self, action: Callable[[Slots], None], span: Span) -> None:
        """Add an operation that takes no time."""
        following = self.next + 1

        def operation(slots: Slots) -> int:
            action(slots)
            return following

        self.emit(operation, span)

    def effect(self, effect: Effect, span: Span, slot: int | None = None) -> None:
        """Add an operation that takes part in the arm's time; its value is kept in a slot."""
        following = self.next + 1

        def steps(slots: Slots) -> Generator[Instruction, Answer, int]:
            value = yield from effect(slots)
            if slot is not None:
                slots[slot] = value
            return following

        self.emit(steps, span)

    def _hoist(self, effect: Effect, slot: int) -> None:
        self.effect(effect, self.statement_at, slot)

    def jump(self, target: JumpTarget, span: Span) -> None:
        """Add a jump."""
        self.emit(lambda _slots: target.at, span)

    def jump_unless(self, test: Evaluate, target: JumpTarget, span: Span) -> None:
        """Add a jump that is taken where a condition does not hold."""
        following = self.next + 1

        def operation(slots: Slots) -> int:
            return following if test(slots) else target.at

        self.emit(operation, span)

    def back(self, target: JumpTarget, span: Span) -> None:
        """Add the jump to the beginning of a loop; a pass that only looked at inputs takes a controller's cycle."""
        controller = self.program.controller

        def polled() -> Generator[Instruction, Answer, int]:
            controller.asked = 0
            yield Wait(POLL, span=span)
            return target.at

        def operation(_slots: Slots) -> int | Generator[Instruction, Answer, int]:
            if controller.asked and not controller.is_busy:
                return polled()
            controller.asked, controller.is_busy = 0, False
            return target.at

        self.emit(operation, span)

    def assign_plain(self, container: object, key: int | str, value: Evaluate, span: Span) -> None:
        """Add an assignment to `container[key]`; no container: to a slot."""
        following = self.next + 1
        if container is None:

            def in_slot(slots: Slots) -> int:
                slots[key] = value(slots)  # type: ignore[index]
                return following

            self.emit(in_slot, span)
            return

        def in_container(slots: Slots) -> int:
            container[key] = value(slots)  # type: ignore[index]
            return following

        self.emit(in_container, span)
