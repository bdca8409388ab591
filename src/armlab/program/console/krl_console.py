"""KRL at the console: one routine whose variables stay, in the program that was loaded last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.console.console_language import CONSOLE, OpenedProgram
from armlab.program.console.help_words import KRL
from armlab.program.console.result import ConsoleValue
from armlab.program.instructions import Instructions, Report, Stop
from armlab.program.krl.actions import Assign, Routine
from armlab.program.krl.blocks import BlockCompiler
from armlab.program.krl.cursor import SyntaxProblem
from armlab.program.krl.data_lists import declare_data, declare_types
from armlab.program.krl.data_types import ANY, ENUM, DataType, Value, copied, text_of
from armlab.program.krl.declarations import BEGINNINGS, STATEMENTS
from armlab.program.krl.evaluation import compiled
from armlab.program.krl.faults import finding_at
from armlab.program.krl.instructions import PASSES
from armlab.program.krl.interpreter import Activation, KrlInterpreter
from armlab.program.krl.library import Library, open_library
from armlab.program.krl.operations import END
from armlab.program.krl.parse import Entry, parse_entry, parse_expression
from armlab.program.krl.program import KrlProgram
from armlab.program.krl.routines import RoutineCode, declare_routine
from armlab.program.krl.scope import ModuleScope, Scope, Slots
from armlab.program.languages import ProgramSource
from armlab.program.span import Span

OPENERS = frozenset({"IF", "FOR", "WHILE", "REPEAT", "LOOP", "SWITCH", "SPLINE", "PTP_SPLINE", "DEF", "DEFFCT"})
CLOSERS = frozenset({"ENDIF", "ENDFOR", "ENDWHILE", "UNTIL", "ENDLOOP", "ENDSWITCH", "ENDSPLINE", "END", "ENDFCT"})
MOST_SHOWN = 20
"""Items of an array that are shown."""


class KrlConsole:
    """Executes statements of KRL one by one."""

    words = KRL

    def __init__(self, robot: Robot, q: Floats) -> None:
        self.value: ConsoleValue | None = None
        self._robot = robot
        self._running: KrlInterpreter | None = None
        self._begin(Library(main=CONSOLE.upper()), q)

    def _begin(self, library: Library, q: Floats) -> None:
        self._program = KrlProgram(library, self._robot, np.array(q))
        self._program.controller.passes = PASSES
        self._module = ModuleScope(CONSOLE.upper())
        routine = Routine(CONSOLE.upper(), (), "", (), (), Span(CONSOLE, 1))
        self._code = declare_routine(routine, self._module, self._program)
        self._slots: Slots = self._code.new_slots()

    # -- statements --------------------------------------------------------------------------------------------------

    def needs_more(self, lines: Sequence[str]) -> bool:
        """Tell whether a block is still open after these lines."""
        depth = 0
        for line in lines:
            words = line.partition(";")[0].replace("(", " ").upper().split()[:2]
            word = words[-1] if words[:1] == ["GLOBAL"] and len(words) > 1 else (words or [""])[0]
            depth += (word in OPENERS) - (word in CLOSERS)
        return depth > 0

    def is_value(self, text: str) -> bool:
        """Tell whether a line is an expression and not a statement: a call is one."""
        word = (text.split() or [""])[0].upper()
        if word in STATEMENTS | BEGINNINGS | OPENERS | CLOSERS or not parse_entry(text, CONSOLE, 1).findings:
            return False
        try:
            parse_expression(text, CONSOLE, 1)
        except SyntaxProblem:
            return False
        return True

    def execute(self, text: str, line: int) -> Instructions:
        """Yield the instructions of a statement or block."""
        entry = parse_entry(text, CONSOLE, line)
        for finding in entry.findings:
            yield Report(finding)
        if entry.findings:
            yield Stop()
            return
        self._declare(entry)
        yield from self._run(self._code, self._slots, lambda compiler: compiler.block(entry.body), Span(CONSOLE, line))

    def change(self, text: str, line: int) -> Instructions:
        """Execute an assignment in the routine at which a program is stopped."""
        entry = parse_entry(text, CONSOLE, line)
        span = Span(CONSOLE, line)
        for finding in entry.findings:
            yield Report(finding)
        if entry.declarations or entry.routines or not all(isinstance(one, Assign) for one in entry.body):
            template = _("a program is stopped here: only assignments and ? can be used, or continue, step, stop")
            yield Report(finding_at("error", Message("console_stopped", template), span))
        elif not entry.findings:
            code, slots = self._here()
            yield from self._run(code, slots, lambda compiler: compiler.block(entry.body), span)
            return
        yield Stop()

    def inspect(self, text: str, line: int) -> Instructions:
        """Evaluate an expression in the routine at which a program is stopped, or at the console."""
        self.value = None
        try:
            node = parse_expression(text, CONSOLE, line)
        except SyntaxProblem as problem:
            yield Report(finding_at("error", problem.message, problem.span))
            yield Stop()
            return
        code, slots = self._here()
        found: list[tuple[DataType, Value]] = []

        def evaluated(compiler: BlockCompiler) -> None:
            value = compiled(node, compiler.scope)
            compiler.do(lambda s: found.append((value.type, copied(value.evaluate(s)))), node.span)

        yield from self._run(code, slots, evaluated, node.span)
        if found:
            kind, value = found[0]
            self.value = shown_value(text.strip(), kind, value)

    def _declare(self, entry: Entry) -> None:
        scope = Scope(self._module, self._program)
        declare_types(entry.declarations, scope)
        declare_data(entry.declarations, scope, {})
        for routine in entry.routines:
            self._program.define(routine, self._module)

    def _here(self) -> tuple[RoutineCode, Slots]:
        activation = None if self._running is None else self._running.innermost
        if activation is None:
            return self._code, self._slots
        assert isinstance(activation.code, RoutineCode)
        return activation.code, activation.slots

    def _run(self, code: RoutineCode, slots: Slots, emit: Callable[[BlockCompiler], None], span: Span) -> Instructions:
        """Compile something behind a routine's own operations, and execute that alone."""
        controller = self._program.controller
        before, handlers = len(code.operations), (controller.handle, controller.fire)
        compiler = BlockCompiler(code, self._program)
        emit(compiler)
        compiler.emit(lambda _slots: END, span)
        compiler.check_labels()
        self._program.compile_all()
        slots.extend(make() for make in code.scope.initial[len(slots) :])
        found = self._program.findings.taken()
        for finding in found:
            yield Report(finding)
        if any(finding.severity == "error" for finding in found):
            del code.operations[before:], code.spans[before:]
            yield Stop()
            return
        try:
            yield from KrlInterpreter(controller).run_from(Activation(code, slots, before))
        finally:
            controller.handle, controller.fire = handlers

    # -- variables ---------------------------------------------------------------------------------------------------

    def variables(self) -> list[ConsoleValue]:
        """Return the variables of the console, and of the routine at which a program is stopped."""
        code, slots = self._here()
        found = [
            shown_value(name, binding.type, self._module.data[name])
            for name, binding in self._module.bindings.items()
            if self._module.data.get(name) is not None
        ]
        for name, binding in code.scope.locals.items():
            if binding.container is None and isinstance(binding.key, int) and binding.key < len(slots):
                value = slots[binding.key]
                if value is not None:
                    found.append(shown_value(name, binding.type, value))
        return found

    def settle(self, q: Floats, *, failed: bool) -> None:
        """Note where the arm stands."""
        del failed
        controller = self._program.controller
        controller.q, controller.T_world_flange = np.array(q), None
        self._program.findings.taken()

    # -- programs ----------------------------------------------------------------------------------------------------

    def open(self, source: ProgramSource, q: Floats) -> OpenedProgram:
        """Return a program that starts at `q` (n,)."""
        if source.language != "krl":
            template = _("{name}: is not written in {language}")
            raise InvalidInput("console_other_language", template, name=source.name, language="KRL")
        given = source.krl()
        library = given if isinstance(given, Library) else open_library(given)
        self._begin(library, q)
        main = library.modules[library.main]
        names = [file.name for file in (main.source, main.data) if file is not None]
        names += [files.source.name for files in library.modules.values() if files.source and files is not main]
        code = self._program.main()
        found = self._program.findings.taken()
        return OpenedProgram(self._instructions(code, found), tuple(names), frozenset(self._program.statement_lines()))

    def _instructions(self, code: RoutineCode | None, found: tuple[Finding, ...]) -> Instructions:
        for finding in found:
            yield Report(finding)
        if code is None or any(finding.severity == "error" for finding in found):
            yield Stop()
            return
        running = self._running = KrlInterpreter(self._program.controller, with_marks=True)
        try:
            yield from running.run(code)
        finally:
            self._running = None if self._running is running else self._running

    def close(self) -> None:
        """Leave a program before its end."""
        self._running = None

    def read_to(self) -> Span | None:
        """Return the statement that a program was read to."""
        activation = None if self._running is None else self._running.innermost
        return None if activation is None else activation.code.spans[activation.at]


def shown_value(name: str, kind: DataType, value: Value) -> ConsoleValue:
    """Return a value as KRL writes it."""
    title = "ENUM" if kind == ENUM else "" if kind == ANY else str(kind)
    return ConsoleValue(name.upper(), title, text_of_value(value, kind), _plain(value, kind))


def text_of_value(value: Value, kind: DataType) -> str:  # noqa: PLR0911 - one case per kind
    """Return a value as KRL writes it; long arrays are cut."""
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.6g}" if "e" in f"{value:.6g}" or "." in f"{value:.6g}" else f"{value:.6g}.0"
    if isinstance(value, dict):
        inner = ", ".join(f"{name} {text_of_value(item, ANY)}" for name, item in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        if kind == DataType("CHAR", 1):
            return f'"{text_of(value)}"'
        rest = ", …" if len(value) > MOST_SHOWN else ""
        return f"[{', '.join(text_of_value(item, ANY) for item in value[:MOST_SHOWN])}{rest}]"
    if isinstance(value, str):
        return f'"{value}"' if kind.name == "CHAR" else f"#{value}"
    return str(value)


def _plain(value: Value, kind: DataType) -> Any:
    return text_of(value) if kind == DataType("CHAR", 1) else copied(value)
