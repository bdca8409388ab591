"""Python-like statements at the console: one interpreter whose variables and functions stay."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.program.console.console_language import CONSOLE, OpenedProgram
from armlab.program.console.help_words import PYTHON
from armlab.program.console.result import ConsoleValue
from armlab.program.instructions import Instructions, Report, Stop
from armlab.program.languages import ProgramSource
from armlab.program.python.commands import Commands
from armlab.program.python.instructions import checked_script, script_instructions, statement_lines
from armlab.program.python.interpreter import ScriptInterpreter
from armlab.program.python.reading import finding_at
from armlab.program.python.script_values import ScriptFault, ScriptValue, text_of, type_name
from armlab.program.span import Span

CONTINUED = ("else:", "elif ")


class PythonConsole:
    """Executes statements one by one."""

    words = PYTHON

    def __init__(self, robot: Robot, q: Floats) -> None:
        self.value: ConsoleValue | None = None
        self._robot = robot
        self._interpreter = ScriptInterpreter(Commands(robot, q))
        self._program: ScriptInterpreter | None = None

    # -- statements --------------------------------------------------------------------------------------------------

    def needs_more(self, lines: Sequence[str]) -> bool:
        """Tell whether a block goes on: until an empty line, or a statement that is not indented behind its body."""
        if not lines[-1].strip():
            return False
        if _open_brackets(lines):
            return True
        if not any(line.rstrip().endswith(":") for line in lines):
            return False
        last = lines[-1]
        is_outside = len(lines) > 1 and last[:1] not in {" ", "\t", "#"} and not last.startswith(CONTINUED)
        return not is_outside or last.rstrip().endswith(":")

    def is_value(self, text: str) -> bool:
        """Tell whether a line is an expression; a call may do something, and is executed."""
        try:
            tree = ast.parse(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return not any(isinstance(node, ast.Call) for node in ast.walk(tree))

    def execute(self, text: str, line: int) -> Instructions:
        """Yield the instructions of statements; the value of an expression is left in `value`."""
        script = checked_script(text, CONSOLE, line, known=self._known())
        if not script.findings and len(script.tree.body) == 1 and isinstance(script.tree.body[0], ast.Expr):
            yield from self.inspect(text, line)
            return
        yield from script_instructions(script, self._interpreter)

    def change(self, text: str, line: int) -> Instructions:
        """Execute an assignment of numbers, texts or lists in the function at which a program is stopped."""
        script = checked_script(text, CONSOLE, line, known=self._known())
        body = script.tree.body
        for finding in script.findings:
            yield Report(finding)
        if script.findings:
            yield Stop()
            return
        target = body[0].targets[0] if len(body) == 1 and isinstance(body[0], ast.Assign) else None
        if not isinstance(target, ast.Name) or self._program is None:
            template = _("a program is stopped here: only assignments and ? can be used, or continue, step, stop")
            yield Report(finding_at(Message("console_stopped", template), Span(CONSOLE, line)))
            yield Stop()
            return
        assert isinstance(body[0], ast.Assign)
        try:
            self._program.frames[-1][target.id] = yield from self._program.evaluate(body[0].value, CONSOLE, line)
        except ScriptFault as problem:
            yield from _refused(problem)

    def inspect(self, text: str, line: int) -> Instructions:
        """Evaluate an expression in the function at which a program is stopped, or at the console."""
        self.value = None
        script = checked_script(text.strip(), CONSOLE, line, known=self._known())
        for finding in script.findings:
            yield Report(finding)
        body = script.tree.body
        if script.findings:
            yield Stop()
            return
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            message = Message("script_expression", _("this expression cannot be used here"))
            yield Report(finding_at(message, Span(CONSOLE, line)))
            yield Stop()
            return
        try:
            value = yield from self._here().evaluate(body[0].value, CONSOLE, line)
        except ScriptFault as problem:
            yield from _refused(problem)
            return
        if value is not None:
            self.value = _shown(text.strip(), value)

    def _here(self) -> ScriptInterpreter:
        return self._program or self._interpreter

    def _known(self) -> set[str]:
        here = self._here()
        return {*here.variables, *here.frames[-1], *here.functions}

    def variables(self) -> list[ConsoleValue]:
        """Return the variables of the console, or of the function at which a program is stopped."""
        here = self._here()
        return [_shown(name, value) for name, value in {**here.variables, **here.frames[-1]}.items()]

    def settle(self, q: Floats, *, failed: bool) -> None:
        """Note where the arm stands."""
        del failed
        self._interpreter.commands.stand_at(q)

    # -- programs ----------------------------------------------------------------------------------------------------

    def open(self, source: ProgramSource, q: Floats) -> OpenedProgram:
        """Return a program that starts at `q` (n,)."""
        if source.language != "python":
            template = _("{name}: is not written in {language}")
            raise InvalidInput("console_other_language", template, name=source.name, language="Python")
        file, text = source.python()
        script = checked_script(text, file)
        program = self._program = ScriptInterpreter(Commands(self._robot, q), with_marks=True)
        lines = frozenset((file, line) for line in statement_lines(script))
        return OpenedProgram(script_instructions(script, program), (file,), lines)

    def close(self) -> None:
        """Leave a program: its variables and functions are the console's from then on."""
        if self._program is not None:
            self._interpreter.variables.update(self._program.variables)
            self._interpreter.functions.update(self._program.functions)
        self._program = None

    def read_to(self) -> Span | None:
        """Return the statement that a program was read to."""
        return None if self._program is None else self._program.at


def _refused(problem: ScriptFault) -> Instructions:
    yield Report(finding_at(problem.message, problem.span), problem.span)
    yield Stop(problem.span)


def _shown(name: str, value: ScriptValue) -> ConsoleValue:
    plain = list(value) if isinstance(value, range) else value
    return ConsoleValue(name, type_name(value), repr(value) if isinstance(value, str) else text_of(value), plain)


def _open_brackets(lines: Sequence[str]) -> bool:
    """Tell whether a bracket is open; texts and comments are rare enough here to be looked at letter by letter."""
    depth, quote = 0, ""
    for letter in "\n".join(lines):
        if quote:
            quote = "" if letter in {quote, "\n"} else quote
        elif letter in "\"'#":
            quote = "\n" if letter == "#" else letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
    return depth > 0
