"""Statements become operations: assignments, decisions, loops, jumps, calls, waits."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from armlab.messages import _
from armlab.program.instructions import Answer, Instruction, Pause, Wait, WaitUntil
from armlab.program.krl import control, special
from armlab.program.krl.actions import (
    Assign,
    CallStatement,
    Confirm,
    Exit,
    For,
    Goto,
    If,
    InterruptDeclaration,
    InterruptSwitch,
    Label,
    Loop,
    Motion,
    Repeat,
    Return,
    Simple,
    SplineBlock,
    Statement,
    Switch,
    Trigger,
    WaitFor,
    WaitSeconds,
    While,
)
from armlab.program.krl.controller import Controller
from armlab.program.krl.data_types import TEXT, set_text, text_of
from armlab.program.krl.emitter import JumpTarget, StatementEmitter
from armlab.program.krl.evaluation import assigned_value, compiled, condition, number
from armlab.program.krl.faults import COMPUTING, Fault
from armlab.program.krl.motion_code import MotionCompiler
from armlab.program.krl.operations import END, RESULT
from armlab.program.krl.places import locate_variable
from armlab.program.krl.procedures import compile_procedure
from armlab.program.krl.ranges import in_range
from armlab.program.krl.routines import RoutineCode, Routines
from armlab.program.krl.scope import Evaluate, Scope, Slots
from armlab.program.signals import Signals
from armlab.program.span import Span

LONGEST_WAIT = 1e6
"""s"""
IGNORED = frozenset(
    {"$GEAR_JERK", "$JERK", "$COLLMON_TOL_PRO", "$TORQMON", "$TORQMON_DEF", "$EX_AX_IGNORE", "$CP_STATMON"}
)
"""System variables that change nothing here."""


class BlockCompiler(StatementEmitter):
    """Compiles the body of one routine."""

    def __init__(self, code: RoutineCode, program: Routines) -> None:
        super().__init__(code, program)
        self._labels: dict[str, JumpTarget] = {}
        self._gotos: list[tuple[Goto, tuple[int, ...]]] = []
        self._label_paths: dict[str, tuple[int, ...]] = {}
        """The blocks round each label, the outermost first."""
        self._path: tuple[int, ...] = ()
        self._blocks = 0
        self.motions = MotionCompiler(self)

    def count_pass(self, span: Span) -> None:
        """Add the end of a pass of an endless loop."""
        self.motions.count_pass(span)

    def compile(self) -> None:
        """Compile all statements, and check what can be seen of the whole."""
        self.block(self.code.tree.body)
        self.emit(lambda _slots: END, self.code.tree.span)
        self.check_labels()
        for name, span in self.scope.read.items():
            if name not in self.scope.assigned:
                template = _("'{name}' is read, but nothing is ever assigned to it")
                self.scope.report("krl_never_assigned", template, span, name=name)

    def check_labels(self) -> None:
        """Report jumps to labels that were not compiled."""
        for goto, path in self._gotos:
            if self._labels[goto.label].at == END:
                template = _("GOTO {label}: there is no such label in this routine")
                self.scope.report("krl_unknown_label", template, goto.span, label=goto.label)
                continue
            into = self._label_paths[goto.label]
            if path[: len(into)] != into:
                template = _("GOTO {label}: a jump into a loop or a decision from outside is not allowed")
                self.scope.report("krl_goto_into", template, goto.span, label=goto.label)

    # -- statements --------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[Statement]) -> None:
        """Compile statements one after the other."""
        controller, is_continued, outside = self.program.controller, False, self._path
        self._blocks += 1
        self._path = (*outside, self._blocks)
        proceeds = False
        for statement in body:
            self.code.starts.add(self.next)
            begin, read = self.next, dict(self.scope.read)
            self.statement(statement)
            if proceeds:
                self.code.forgiven.append((begin, self.next))
                self.scope.read = read
            proceeds = isinstance(statement, Simple) and statement.word == "ON_ERROR_PROCEED"
            if is_continued:
                self.do(lambda _slots: setattr(controller, "is_continued", False), statement.span)
            is_continued = isinstance(statement, Simple) and statement.word == "CONTINUE"
        self._path = outside

    def statement(self, statement: Statement) -> None:
        """Compile a statement; one that initialises an option which the controller lacks is left out."""
        before, outside, self.statement_at = self.next, self.scope.lacks_option, statement.span
        self.scope.lacks_option = False
        self._statement(statement)
        if self.scope.lacks_option:
            del self.code.operations[before:], self.code.spans[before:]
        self.scope.lacks_option = outside

    def _statement(self, statement: Statement) -> None:  # noqa: C901, PLR0912 - one case per kind
        match statement:
            case Assign():
                self._assign(statement)
            case CallStatement():
                self._call(statement)
            case Motion() | SplineBlock() | Trigger() | InterruptDeclaration() | InterruptSwitch():
                self.motions.compile(statement)
            case If():
                control.compile_if(self, statement)
            case Switch():
                control.compile_switch(self, statement)
            case For():
                control.compile_for(self, statement)
            case While():
                control.compile_while(self, statement)
            case Repeat():
                control.compile_repeat(self, statement)
            case Loop():
                control.compile_loop(self, statement)
            case Exit():
                self._exit(statement)
            case Goto():
                self._gotos.append((statement, self._path))
                if control.is_endless_goto(statement, self.code.tree.body):
                    self.motions.count_pass(statement.span)
                self.jump(self._labels.setdefault(statement.label, JumpTarget()), statement.span)
            case Label():
                self._label(statement)
            case WaitSeconds():
                self._wait(statement)
            case WaitFor():
                self._wait_for(statement)
            case Return():
                self._return(statement)
            case Confirm():
                confirmed = number(statement.number, self.scope)
                self.do(lambda slots: confirmed(slots) and None, statement.span)
            case Simple():
                self._simple(statement)

    def _assign(self, node: Assign) -> None:
        target, scope = node.target, self.scope
        written = special.writer(target, scope, compiled)
        binding = scope.lookup(target.name) if written is None else None
        if binding is not None and binding.signal is not None:
            written = special.write_signal(binding.signal, scope, target.span)
        if written is not None:
            kind, write = written
            value = assigned_value(node.value, kind, scope)
            self.effect(lambda slots: write(slots, value(slots)), node.span)
            return
        if binding is None:
            self._assign_unknown(node)
            return
        if binding.is_constant:
            scope.report("krl_constant", _("'{name}' is constant"), target.span, name=target.name)
        scope.assigned.add(target.name)
        kind, locate = locate_variable(binding, target, scope, compiled)
        value = in_range(target, node.value, kind, assigned_value(node.value, kind, scope), scope)
        if kind == TEXT:
            self.do(lambda slots: _put_text(locate(slots), text_of(value(slots))), node.span)
        elif target.indices or target.component is not None:
            self.do(lambda slots: _put(locate(slots), value(slots)), node.span)
        else:
            self.assign_plain(binding.container, binding.key, value, node.span)

    def _assign_unknown(self, node: Assign) -> None:
        target, scope = node.target, self.scope
        if target.name in IGNORED:
            return
        if target.name.startswith("$"):
            template = _("the system variable '{name}' changes nothing here; the assignment is ignored")
            scope.report("krl_system_ignored", template, target.span, "note", name=target.name)
        else:
            scope.report_unknown(target)

    def _call(self, node: CallStatement) -> None:
        call = node.call
        if compile_procedure(call, self):
            return
        code = self.program.routine(call.name, self.scope.module)
        if code is not None:
            self.emit_call(call, code, self.scope)
            return
        value = compiled(call, self.scope)
        self.do(lambda slots: value.evaluate(slots) and None, node.span)

    def _exit(self, node: Exit) -> None:
        if not self.exits:
            self.scope.report("krl_exit", _("EXIT stands outside of a loop"), node.span)
            return
        self.jump(self.exits[-1], node.span)

    def _label(self, node: Label) -> None:
        target = self._labels.setdefault(node.name, JumpTarget())
        if target.at != END:
            self.scope.report(
                "krl_label_twice", _("label '{name}' stands here a second time"), node.span, name=node.name
            )
        target.at = self.next
        self._label_paths[node.name] = self._path

    # -- waits and ends ----------------------------------------------------------------------------------------------

    def _wait(self, node: WaitSeconds) -> None:
        seconds, span, controller = number(node.seconds, self.scope), node.span, self.program.controller

        def wait(slots: Slots) -> Generator[Instruction, Answer, None]:
            value = float(seconds(slots))
            if not value <= LONGEST_WAIT:
                raise Fault("krl_wait_too_long", _("WAIT SEC: at most {most:g} s"), span, most=LONGEST_WAIT)
            controller.is_busy = True
            yield Wait(max(value, 0.0), span=span)

        self.effect(wait, span)

    def _wait_for(self, node: WaitFor) -> None:
        span, controller = node.span, self.program.controller
        self.scope.is_live = True
        test = condition(node.condition, self.scope)
        self.scope.is_live = False

        def wait(slots: Slots) -> Generator[Instruction, Answer, None]:
            controller.is_busy = True
            yield WaitUntil(live_condition(test, slots, self.scope), span=span)
            test(slots)  # one that cannot be computed ends the program here, with its line

        self.effect(wait, span)

    def _return(self, node: Return) -> None:
        if self.code.result is None and node.value is not None:
            self.scope.report("krl_return_value", _("a procedure returns no value"), node.span)
        if self.code.result is not None:
            if node.value is None:
                self.scope.report("krl_return_missing", _("RETURN needs a value in a function"), node.span)
                return
            value = assigned_value(node.value, self.code.result, self.scope)
            self.assign_plain(None, RESULT, value, node.span)
        self.emit(lambda _slots: END, node.span)

    def _simple(self, node: Simple) -> None:
        span, controller = node.span, self.program.controller
        match node.word:
            case "CONTINUE":
                self.do(lambda _slots: setattr(controller, "is_continued", True), span)
            case "HALT":
                self.effect(lambda _slots: _once(Pause(span=span)), span)
            case "RESUME":
                self.motions.resume(span)
            case "ON_ERROR_PROCEED":
                self.do(lambda _slots: controller.no_error(), span)
            case _:  # BRAKE: the motion was stopped when the interrupt came
                self.do(lambda _slots: _in_handler(controller, node.word, span), span)


def live_condition(test: Evaluate, slots: Slots, scope: Scope) -> Callable[[Signals], bool]:
    """Return a condition that the executor looks at while the arm moves or waits; it holds if it cannot be computed."""
    controller = scope.universe.controller

    def holds(signals: Signals) -> bool:
        controller.signals = signals
        try:
            return bool(test(slots))
        except (Fault, *COMPUTING):
            return True

    return holds


def _in_handler(controller: Controller, word: str, span: Span) -> None:
    if not controller.handlers:
        raise Fault("krl_brake", _("{word} stands outside of the handler of an interrupt"), span, word=word)


def _once(instruction: Instruction) -> Generator[Instruction, Answer, None]:
    yield instruction


def _put(place: tuple[object, object], value: object) -> None:
    container, key = place
    container[key] = value  # type: ignore[index]


def _put_text(place: tuple[object, object], text: str) -> None:
    container, key = place
    letters = container[key]  # type: ignore[index]
    if isinstance(letters, list):
        set_text(letters, text)
    else:
        container[key] = list(text)  # type: ignore[index]
