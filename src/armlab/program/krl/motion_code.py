"""Statements that move the arm, or act while it moves: motions, spline blocks, TRIGGER, INTERRUPT."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from armlab.messages import Message, _
from armlab.program.instructions import Answer, Instruction
from armlab.program.krl.actions import (
    CallStatement,
    InterruptDeclaration,
    InterruptSwitch,
    Motion,
    Routine,
    SplineBlock,
    Statement,
    Trigger,
)
from armlab.program.krl.data_types import ANY, POSITION_COMPONENTS, Value, copied, family
from armlab.program.krl.emitter import JumpTarget, StatementEmitter
from armlab.program.krl.evaluation import assigned_value, compiled, condition, number
from armlab.program.krl.events import Handler, Interrupt, LoopEnded, PendingTrigger, Resumed, Shift
from armlab.program.krl.faults import Fault
from armlab.program.krl.guarded import guarded, stops_the_arm
from armlab.program.krl.motions import MotionMaker
from armlab.program.krl.places import failing, locate_variable
from armlab.program.krl.ranges import in_range, is_priority, plain_number, wrong_priority
from armlab.program.krl.scope import Evaluate, Scope, Slots
from armlab.program.krl.tree import Aggregate, Expression, Name
from armlab.program.span import Span
from armlab.units import M_PER_MM

MS = 1e-3
TRIGGER_PRIORITIES = ((-1, -1), (1, 2), (4, 39), (81, 128))
"""Those from 40 to 80 the controller gives itself, for PRIO = -1."""
Setting: TypeAlias = tuple[str, Callable[[Slots], None]]
"""A system variable, and what changes it."""

IN_SPLINE = frozenset({"SPL", "SLIN", "SCIRC", "SPL_REL", "SLIN_REL", "SCIRC_REL"})
IN_JOINT_SPLINE = frozenset({"SPTP", "SPTP_REL"})
"""Motions that may stand inside SPLINE and PTP_SPLINE."""


class MotionCompiler:
    """Compiles such statements for the compiler of a routine."""

    def __init__(self, blocks: StatementEmitter) -> None:
        self._blocks = blocks
        self._controller = blocks.program.controller
        self._mover = MotionMaker(self._controller)

    @property
    def _scope(self) -> Scope:
        return self._blocks.scope

    def compile(self, statement: Motion | SplineBlock | Trigger | InterruptDeclaration | InterruptSwitch) -> None:
        """Compile a statement."""
        match statement:
            case Motion():
                self._motion(statement)
            case SplineBlock():
                self._spline(statement)
            case Trigger():
                self._trigger(statement)
            case InterruptDeclaration():
                self._declare(statement)
            case InterruptSwitch():
                self._switch(statement)

    # -- motions -----------------------------------------------------------------------------------------------------

    def _position(self, node: Expression) -> Evaluate:
        value = compiled(node, self._scope)
        if value.type != ANY and family(value.type) not in {"FRAME", "AXIS"}:
            template = _("a position is expected, got {kind}")
            self._scope.report("krl_position", template, node.span, kind=str(value.type))
            return failing(node.span)
        if value.type == ANY and isinstance(node, Aggregate):
            template = _("no type of position has the components {names}")
            names = [part.name for part, _value in node.fields]
            names = [name for name in names if name not in POSITION_COMPONENTS] or names
            self._scope.report("krl_position_components", template, node.span, names=names)
        evaluate, span = value.evaluate, node.span

        def checked(slots: Slots) -> Value:
            found = evaluate(slots)
            if not isinstance(found, dict):
                raise Fault("krl_not_a_position", _("this is not a position"), span)
            return found

        return checked if value.type == ANY else evaluate

    def _settings(self, settings: Sequence[tuple[Name, Expression]]) -> list[Setting]:
        """Return what WITH changes for one motion."""
        found: list[Setting] = []
        for target, value in settings:
            binding = self._scope.lookup(target.name)
            if binding is None or not target.name.startswith("$"):
                compiled(value, self._scope)
                continue
            kind, locate = locate_variable(binding, target, self._scope, compiled)
            new = in_range(target, value, kind, assigned_value(value, kind, self._scope), self._scope)
            found.append((target.name, _setter(locate, new, target)))
        return found

    @contextmanager
    def _with(self, settings: list[Setting], slots: Slots) -> Generator[None]:
        system = self._controller.system
        saved = {name: copied(system[name]) for name, _change in settings}
        for _name, change in settings:
            change(slots)
        try:
            yield
        finally:
            system.update(saved)

    def _motion(self, node: Motion) -> None:
        points = [self._position(point) for point in node.points]
        angle = None if node.angle is None else number(node.angle, self._scope)
        settings = self._settings(node.settings)
        mover, controller = self._mover, self._controller

        def move(slots: Slots) -> Generator[Instruction, Answer, None]:
            with self._with(settings, slots):
                yield from controller.tell_all(node.span)
                steps = mover.move(
                    node.kind,
                    [point(slots) for point in points],
                    node.span,
                    angle=None if angle is None else float(angle(slots)),
                    approximations=node.approximations,
                    reference=node.reference,
                )
                yield from guarded(steps, controller, node.span)
            controller.has_moved = controller.is_busy = True

        self._blocks.effect(move, node.span)

    def _spline(self, node: SplineBlock) -> None:
        segments: list[tuple[Motion, list[Evaluate]]] = []
        triggers: list[tuple[int, Trigger, Callable[[Slots], PendingTrigger]]] = []
        for statement in node.body:
            if isinstance(statement, Motion) and statement.kind in (IN_JOINT_SPLINE if node.is_joint else IN_SPLINE):
                segments.append((statement, [self._position(point) for point in statement.points]))
            elif isinstance(statement, Trigger):
                triggers.append((len(segments), statement, self._pending(statement)))
            else:
                self._scope.report("krl_in_spline", _("this cannot stand inside a spline block"), statement.span)
        settings, mover, controller = self._settings(node.settings), self._mover, self._controller

        def move(slots: Slots) -> Generator[Instruction, Answer, None]:
            with self._with(settings, slots):
                yield from controller.tell_all(node.span)
                given = [(motion.kind, [point(slots) for point in points]) for motion, points in segments]
                for number_of, _statement, pending in triggers:
                    trigger = pending(slots)
                    trigger.shift.distance -= _rest([points[-1] for _kind, points in given], number_of, trigger.when)
                    trigger.when = "after"
                    controller.triggers.append(trigger)
                if node.is_joint:
                    ends = [points[-1] for _kind, points in given]
                    steps = mover.joint_spline(ends, node.span, node.approximations)
                else:
                    steps = mover.spline(given, node.span, node.approximations)
                yield from guarded(steps, controller, node.span)
            controller.has_moved = controller.is_busy = True

        self._blocks.effect(move, node.span)

    # -- TRIGGER -----------------------------------------------------------------------------------------------------

    def _out_of_line(self, action: Statement, span: Span) -> int:
        """Emit a statement that is not executed where it stands; return the number of its first operation."""
        after = JumpTarget()
        self._blocks.jump(after, span)
        at = self._blocks.next
        self._blocks.statement(action)
        self._blocks.emit(lambda _slots: -1, span)
        after.at = self._blocks.next
        return at

    def _pending(self, node: Trigger) -> Callable[[Slots], PendingTrigger]:
        where, delay = number(node.where, self._scope), number(node.delay, self._scope)
        check_priority = self._trigger_priority(node)
        at, code = self._out_of_line(node.action, node.span), self._blocks.code
        is_path = node.what == "PATH"

        def pending(slots: Slots) -> PendingTrigger:
            place = float(where(slots))
            check_priority(slots)
            shift = Shift(float(delay(slots)) * MS, place * M_PER_MM if is_path else 0.0)
            is_now = node.is_from_start if is_path else place == 0.0
            return PendingTrigger(Handler(code, at, slots), shift, "now" if is_now else "after")

        return pending

    def _trigger_priority(self, node: Trigger) -> Callable[[Slots], None]:
        """Return what checks PRIO: a routine that a trigger calls needs one, an assignment or PULSE does not."""
        if node.priority is None:
            if isinstance(node.action, CallStatement) and node.action.call.name != "PULSE":
                template = _("a TRIGGER that calls a routine needs PRIO, as in PRIO = -1")
                self._scope.report("krl_trigger_priority", template, node.action.call.span)
            return lambda _slots: None
        value, span = number(node.priority, self._scope), node.priority.span

        def check(slots: Slots) -> None:
            found = int(value(slots))
            if not any(first <= found <= last for first, last in TRIGGER_PRIORITIES):
                template = _("PRIO of a TRIGGER is -1, 1, 2, 4 … 39 or 81 … 128, got {value}")
                raise Fault("krl_trigger_priority_value", template, span, value=found)

        return check

    def _trigger(self, node: Trigger) -> None:
        pending, controller = self._pending(node), self._controller

        def register(slots: Slots) -> Generator[Instruction, Answer, None]:
            controller.triggers.append(pending(slots))
            yield from ()

        self._blocks.effect(register, node.span)

    # -- INTERRUPT ---------------------------------------------------------------------------------------------------

    def _priority(self, node: Expression) -> Callable[[Slots], int]:
        value, span = number(node, self._scope), node.span
        if (given := plain_number(node)) is not None and not is_priority(given):
            wrong = wrong_priority(given, span)
            self._scope.report(wrong.code, wrong.message.template, span, **wrong.parameters)

        def priority(slots: Slots) -> int:
            found = int(value(slots))
            if not is_priority(found):
                raise wrong_priority(found, span)
            return found

        return priority

    def _tree(self, name: str) -> Routine | None:
        code = self._blocks.program.routine(name, self._scope.module)
        return None if code is None else code.tree

    def _declare(self, node: InterruptDeclaration) -> None:
        scope, controller, code = self._scope, self._controller, self._blocks.code
        priority = self._priority(node.priority)
        reads, scope.is_live = scope.live_reads, True
        test = condition(node.condition, scope)
        scope.is_live = False
        is_live, at = scope.live_reads > reads, self._out_of_line(node.action, node.span)
        stops = stops_the_arm(node.action, self._tree)

        def declare(slots: Slots) -> None:
            number_of = priority(slots)
            old = controller.interrupts.get(number_of)
            new = Interrupt(number_of, test, Handler(code, at, slots), is_live, stops)
            new.is_on = old is not None and old.is_on
            controller.interrupts[number_of] = new

        self._blocks.do(declare, node.span)

    def _switch(self, node: InterruptSwitch) -> None:
        priority = None if node.priority is None else self._priority(node.priority)
        controller, span = self._controller, node.span

        def switch(slots: Slots) -> None:
            chosen = None if priority is None else priority(slots)
            if chosen is not None and chosen not in controller.interrupts:
                raise Fault("krl_no_interrupt", _("no interrupt {number} is declared"), span, number=chosen)
            for number_of, interrupt in controller.interrupts.items():
                if chosen in {None, number_of}:
                    _switched(interrupt, node.mode)

        self._blocks.do(switch, span)

    def resume(self, span: Span) -> None:
        """Compile RESUME."""

        def leave(_slots: Slots) -> None:
            raise Resumed(span)

        self._blocks.do(leave, span)

    def count_pass(self, span: Span) -> None:
        """Compile the end of a loop without an exit: after some passes the program may be over."""
        controller, passes = self._controller, self._scope.slot(lambda: 0)

        def count(slots: Slots) -> None:
            slots[passes] += 1
            if controller.passes is not None and slots[passes] >= controller.passes and controller.has_run:
                template = _("this loop never ends; it was followed for {count} passes")
                raise LoopEnded(Message("krl_endless_loop", template, count=controller.passes), span)

        self._blocks.do(count, span)


def _switched(interrupt: Interrupt, mode: str) -> None:
    if mode in {"ON", "OFF"}:
        interrupt.is_on = mode == "ON"
        interrupt.held = False
    else:
        interrupt.is_enabled = mode == "ENABLE"


def _setter(locate: Callable[[Slots], tuple[Value, Value]], value: Evaluate, target: Name) -> Callable[[Slots], None]:
    every = len(target.indices) == 1  # an inline form sets the first axis, and means all

    def change(slots: Slots) -> None:
        container, key = locate(slots)
        found = value(slots)
        if every and key == 0 and isinstance(container, list):
            container[:] = [found] * len(container)
        else:
            container[key] = found

    return change


def _rest(points: list[dict[str, Value]], start: int, when: str) -> float:
    """Return how far it is (m) from where a trigger stands to the end of its spline block, from point to point."""
    places = np.array([[point.get(name) or 0.0 for name in ("X", "Y", "Z")] for point in points])
    first = start if when == "after" else max(start - 1, 0)
    steps = np.linalg.norm(np.diff(places[first:], axis=0), axis=1)
    return float(steps.sum()) * M_PER_MM
