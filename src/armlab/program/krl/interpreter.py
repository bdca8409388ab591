"""The interpreter: runs the operations of routines, with calls, interrupts and triggers, and yields instructions."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from armlab.messages import Message, _
from armlab.program.instructions import Answer, Instruction, Mark, Stop, WaitUntil
from armlab.program.krl.controller import Controller
from armlab.program.krl.events import Handler, Interrupt, LoopEnded, PendingTrigger, Resumed
from armlab.program.krl.faults import COMPUTING, Fault
from armlab.program.krl.operations import Invocation, OperationList
from armlab.program.krl.routines import RoutineCode
from armlab.program.krl.scope import Slots
from armlab.program.signals import Signals
from armlab.program.span import Span

MOST_STEPS = 1_000_000
"""Operations without a motion, a wait or a question to the arm."""
MOST_POLLS = 100_000
"""Questions without a motion."""
ENDLESS = frozenset({"krl_no_motion", "krl_no_answer", "krl_too_deep", "krl_handlers_too_deep"})
DEEPEST = 200
"""Calls inside each other."""
DEEPEST_HANDLERS = 8
"""Handlers of interrupts and triggers inside each other."""


@dataclass(slots=True, eq=False)
class Activation:
    """A routine that is being executed: where it is, and how it was called."""

    code: OperationList
    slots: Slots
    at: int = 0
    invocation: Invocation | None = None


class KrlInterpreter:
    """Executes a routine of a program."""

    def __init__(self, controller: Controller, *, with_marks: bool = False) -> None:
        self._controller, self._with_marks = controller, with_marks
        self._steps, self._polls = MOST_STEPS, MOST_POLLS
        self._depth = 0
        self._shown: dict[int, dict[str, bool | float]] = {}
        """Variables of the routines by their depth, as marks have told them."""
        self._stacks: list[list[Activation]] = []
        """The calls that are under way: those of the program, then those of each handler."""
        controller.handle, controller.fire = self._handle_all, self._fire_ahead

    def run(self, code: RoutineCode) -> Generator[Instruction, Answer, None]:
        """Yield the instructions of a routine; an error ends it with a report and `Stop`."""
        yield from self.run_from(Activation(code, code.new_slots()))

    def run_from(self, activation: Activation) -> Generator[Instruction, Answer, None]:
        """Yield the instructions of a routine from an operation on, with the variables of its call."""
        try:
            yield from self._execute(activation)
        except Fault as fault:
            yield from self._end("error", fault.message, fault.span)
        except LoopEnded as ended:
            yield from self._end("note", ended.message, ended.span)
        except Resumed as resumed:
            message = Message("krl_resume", _("RESUME stands outside of the handler of an interrupt"))
            yield from self._end("error", message, resumed.span)

    @property
    def innermost(self) -> Activation | None:
        """The routine that is being executed."""
        return self._stacks[-1][-1] if self._stacks and self._stacks[-1] else None

    def _end(self, severity: str, message: Message, span: Span) -> Generator[Instruction, Answer, None]:
        yield from self._controller.tell(severity, message, span)  # type: ignore[arg-type]  # one of two
        yield Stop(span)

    # -- the loop ----------------------------------------------------------------------------------------------------

    def _execute(self, first: Activation) -> Generator[Instruction, Answer, None]:
        stack = [first]
        self._stacks.append(stack)
        try:
            yield from self._execute_all(stack)
        finally:
            self._stacks.pop()

    def _execute_all(self, stack: list[Activation]) -> Generator[Instruction, Answer, None]:
        while stack:
            activation = stack[-1]
            try:
                result = yield from self._run_activation(activation)
                if isinstance(result, Interrupt):
                    yield from self._handle(result, activation.code.spans[activation.at])
                    continue
            except Resumed as resumed:
                self._unwind(stack, resumed)
                continue
            except Fault as fault:
                self._forgive(activation, fault)
                continue
            except COMPUTING as error:
                span = activation.code.spans[activation.at]
                template = _("this statement cannot be computed ({reason})")
                self._forgive(activation, Fault("krl_arithmetic", template, span, reason=type(error).__name__))
                continue
            if result is not None:
                self._push(stack, result)
                continue
            stack.pop()
            self._depth -= 1 if stack else 0
            if stack and activation.invocation is not None:
                activation.invocation.finish(stack[-1].slots, activation.slots)

    def _forgive(self, activation: Activation, fault: Fault) -> None:
        """Go on behind a statement that cannot be executed where ON_ERROR_PROCEED stands before it."""
        ends = [end for begin, end in activation.code.forgiven if begin <= activation.at < end]
        if not ends or fault.code in ENDLESS:
            raise fault
        activation.at = ends[0]
        self._controller.system["$ERR"] |= {"NUMBER": 1, "LINE_NR": fault.span.line}

    def _push(self, stack: list[Activation], invocation: Invocation) -> None:
        self._depth += 1
        if self._depth >= DEEPEST:
            span = stack[-1].code.spans[stack[-1].at - 1]
            template = _("calls are nested more than {most} deep")
            raise Fault("krl_too_deep", template, span, most=DEEPEST)
        stack.append(Activation(invocation.code, invocation.slots, 0, invocation))

    def _run_activation(self, activation: Activation) -> Generator[Instruction, Answer, Invocation | Interrupt | None]:
        """Execute operations until the routine calls another (which it gives), an interrupt comes, or it ends."""
        operations, slots, at = activation.code.operations, activation.slots, activation.at
        starts, controller, with_marks = activation.code.starts, self._controller, self._with_marks
        steps = self._steps
        try:
            while True:
                if with_marks and at in starts:
                    activation.at = at  # for whoever looks at the variables
                    changes = self._changes(activation)
                    yield Mark(activation.code.spans[at], activation.code.name, self._depth, changes)
                result = operations[at](slots)
                if type(result) is int:
                    if result < 0:
                        return None
                    at = result
                    steps -= 1
                    if steps <= 0:
                        raise self._idle(activation.code.spans[at])
                    continue
                if isinstance(result, Invocation):
                    at += 1
                    return result
                assert not isinstance(result, int)
                activation.at = at  # should the arm ask, or something go wrong
                try:
                    at = yield from result
                except Resumed:
                    at += 1
                    raise
                steps = MOST_STEPS
                if controller.triggers:
                    yield from self._fire_triggers()
                interrupt = yield from self._look_at_interrupts(activation.code.spans[activation.at])
                self._count_poll(activation.code.spans[activation.at])
                if interrupt is not None:
                    return interrupt
        finally:
            activation.at, self._steps = at, steps

    def _changes(self, activation: Activation) -> tuple[tuple[str, bool | float | None], ...]:
        """Return the variables that have got another value, or are no longer there, since the last mark."""
        slots = activation.slots
        named = {name: slots[key] for name, key in activation.code.variables.items() if key < len(slots)}
        now = {name: value for name, value in named.items() if isinstance(value, bool | int | float)}
        shown, depth = self._shown, self._depth
        gone = {name for deeper in [d for d in shown if d > depth] for name in shown.pop(deeper)}
        gone |= set(shown.get(depth, {})) - set(now)
        new = [(name, value) for name, value in now.items() if shown.get(depth, {}).get(name) != value or name in gone]
        shown[depth] = now
        others = {name for values in shown.values() for name in values}
        return (*((name, None) for name in sorted(gone - others)), *new)

    def _idle(self, span: Span) -> Fault:
        template = _("{most} steps without a motion: the program does not get on")
        return Fault("krl_no_motion", template, span, most=MOST_STEPS)

    def _count_poll(self, span: Span) -> None:
        self._polls = MOST_POLLS if self._controller.has_moved else self._polls - 1
        self._controller.has_run = self._controller.has_run or self._controller.has_moved
        self._controller.has_moved = False
        if self._polls <= 0:
            template = _("{most} looks at inputs without a motion: the program does not get on")
            raise Fault("krl_no_answer", template, span, most=MOST_POLLS)

    # -- triggers and interrupts -------------------------------------------------------------------------------------

    def _handler(self, handler: Handler, span: Span) -> Generator[Instruction, Answer, None]:
        self._controller.handlers += 1
        if self._controller.handlers > DEEPEST_HANDLERS:
            template = _("handlers of interrupts and triggers are nested more than {most} deep")
            raise Fault("krl_handlers_too_deep", template, span, most=DEEPEST_HANDLERS)
        depth = self._depth
        try:
            yield from self._execute(Activation(handler.code, handler.slots, handler.at))
        finally:
            self._controller.handlers -= 1
            self._depth = depth

    def _fire_triggers(self) -> Generator[Instruction, Answer, None]:
        controller = self._controller
        ready = [t for t in controller.triggers if t.when == "now" or controller.has_moved]
        controller.triggers = [t for t in controller.triggers if t not in ready]
        for trigger in ready:
            yield from self._trigger(trigger)

    def _fire_ahead(self, travel: float) -> Generator[Instruction, Answer, None]:
        """Run the triggers of a motion before it: their shifts count from its beginning then."""
        ready, self._controller.triggers = self._controller.triggers, []
        for trigger in ready:
            if trigger.when == "after":
                trigger.shift.distance += travel
            yield from self._trigger(trigger)

    def _trigger(self, trigger: PendingTrigger) -> Generator[Instruction, Answer, None]:
        controller, moved = self._controller, self._controller.has_moved
        controller.shift = trigger.shift
        try:
            yield from self._handler(trigger.handler, trigger.handler.code.spans[trigger.handler.at])
        finally:
            controller.shift, controller.has_moved = None, moved

    def _look_at_interrupts(self, span: Span) -> Generator[Instruction, Answer, Interrupt | None]:
        """Return the interrupt that comes now, if one does: of several the one with the lowest number."""
        controller = self._controller
        active = [i for i in controller.interrupts.values() if i.is_on and i.is_enabled and not i.is_running]
        if not active:
            return None
        if any(interrupt.is_live for interrupt in active) and (controller.is_busy or controller.asked):
            yield from self._look_at_signals(span)
        running = [i.priority for i in controller.interrupts.values() if i.is_running]
        fired = None
        for interrupt in sorted(active, key=lambda i: i.priority):
            holds = bool(interrupt.test(interrupt.handler.slots))
            begins, interrupt.held = holds and not interrupt.held, holds
            if begins and fired is None and all(interrupt.priority < other for other in running):
                fired = interrupt
            elif begins:
                interrupt.held = False  # it still waits
        return fired

    def _look_at_signals(self, span: Span) -> Generator[Instruction, Answer, None]:
        controller = self._controller

        def look(signals: Signals) -> bool:
            controller.signals = signals
            return True

        yield WaitUntil(look, span=span)

    def _handle_all(self, span: Span) -> Generator[Instruction, Answer, None]:
        """Run the handlers of all interrupts that come now."""
        while (interrupt := (yield from self._look_at_interrupts(span))) is not None:
            yield from self._handle(interrupt, span)

    def _handle(self, interrupt: Interrupt, span: Span) -> Generator[Instruction, Answer, None]:
        controller = self._controller
        if controller.q_interrupted is None and controller.q is not None:
            controller.q_interrupted = np.array(controller.q)
        interrupt.is_running = True
        try:
            yield from self._handler(interrupt.handler, span)
        except Resumed as resumed:
            resumed.slots = resumed.slots or interrupt.handler.slots
            raise
        finally:
            interrupt.is_running = False
            controller.q_interrupted = None

    def _unwind(self, stack: list[Activation], resumed: Resumed) -> None:
        """End every routine above the one that declared the interrupt."""
        if all(activation.slots is not resumed.slots for activation in stack):
            raise resumed
        while stack[-1].slots is not resumed.slots:
            stack.pop()
            self._depth -= 1
