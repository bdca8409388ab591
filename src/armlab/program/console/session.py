"""A session of the console: takes lines, executes statements, steps through programs, and returns what happened.

Nothing is printed and nothing waits: a command line, a page or a test shows the results as it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from armlab.arrays import Floats, as_floats
from armlab.errors import ArmlabError, InvalidInput
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.console.console_language import (
    CONSOLE,
    ConsoleLanguage,
    OpenedProgram,
    help_message,
    without_reports,
)
from armlab.program.console.happened import LONGEST_LINE, MOST_LINES, Happened, block_goes_on, signal_value, too_long
from armlab.program.console.help_words import COMMANDS
from armlab.program.console.loaded import LoadedProgram, breakpoint_of
from armlab.program.console.plant import ConsolePlant
from armlab.program.console.result import ConsoleResult, HelpLine
from armlab.program.execution import Execution
from armlab.program.executor import Executor, ExecutorState
from armlab.program.instructions import Instructions
from armlab.program.languages import ProgramSource
from armlab.program.signals import Signals

OpenProgram: TypeAlias = Callable[[str], ProgramSource]
"""Finds the program that a name means; raises InvalidInput where there is none, or it must not be read."""
MOST_COMPLETIONS = 100
SAME = 1e-6
"""rad or m: an arm that is nearer to where it was has not been moved."""


class ConsoleSession:
    """One operator at one simulated arm.

    Args:
        robot: the arm
        language: what is spoken
        start: joints (n,) at the beginning; none: home
        signals: inputs, outputs and time
        open_program: finds the programs that `load` names; without it nothing can be loaded
        plant: a simulation that follows; none: the arm is where it is told to be
    """

    def __init__(
        self,
        robot: Robot,
        language: ConsoleLanguage,
        *,
        start: Floats | None = None,
        signals: Signals | None = None,
        open_program: OpenProgram | None = None,
        plant: ConsolePlant | None = None,
    ) -> None:
        self.robot, self.language = robot, language
        self.signals = Signals() if signals is None else signals
        self._open_program, self._plant = open_program, plant
        q = robot.home if start is None else as_floats(start, (robot.dof,), "start")
        self._q: Floats = np.array(q)
        self._time = 0.0
        self._line, self._first = 0, 1
        self._block: list[str] = []
        self._source: ProgramSource | None = None
        self._loaded: LoadedProgram | None = None
        self._opened: OpenedProgram | None = None
        self._breakpoints: set[tuple[str, int]] = set()

    # -- what a client asks ------------------------------------------------------------------------------------------

    @property
    def is_block_open(self) -> bool:
        """Whether the next line belongs to a block that has begun."""
        return bool(self._block)

    @property
    def is_stopped(self) -> bool:
        """Whether a program is under way."""
        return self._loaded is not None

    @property
    def state(self) -> ExecutorState:
        """Time (s), joint values, outputs, and the statement of a program that is under way."""
        if self._loaded is not None:
            return self._loaded.state()
        q = tuple(self._q.tolist())
        return ExecutorState(self._time, -1, None, (), dict(self.signals.outputs), None, q, is_done=True)

    def stand_at(self, q: Floats) -> None:
        """Note that the arm was moved to `q` (n,) by somebody else; a program that is under way goes on from there."""
        if self._loaded is None and np.abs(q - self._q).max() > SAME:
            self._q = np.array(q)
            self.language.settle(self._q, failed=True)

    def complete(self, prefix: str) -> list[str]:
        """Return the words that begin like this, whatever their case: of the console, the language, and variables."""
        names = {*COMMANDS, *self.language.words, *(value.name for value in self.language.variables())}
        found = sorted(name for name in names if name.upper().startswith(prefix.upper()))
        return found[:MOST_COMPLETIONS]

    def cancel(self) -> None:
        """Forget a block that has begun."""
        self._block = []

    # -- lines -------------------------------------------------------------------------------------------------------

    def enter(self, line: str) -> ConsoleResult:
        """Carry out a line; an error is a finding, and everything before it stays."""
        self._line += 1
        line = line.rstrip("\r\n")
        if not self._block:
            self._first = self._line
            word, _blank, rest = line.strip().partition(" ")
            if (command := self._command(word)) is not None:
                return self._result(line, lambda happened: command(rest.strip(), happened))
            asked = line.strip()
            if asked.startswith("?") or (len(line) <= LONGEST_LINE and self.language.is_value(asked)):
                return self._result(line, lambda happened: self._ask(asked.removeprefix("?").strip(), happened))
        if len(line) > LONGEST_LINE or len(self._block) >= MOST_LINES:
            self.cancel()
            return self._result(line[:80], too_long)
        if not line.strip() and not self._block:
            return self._result("", lambda _happened: None)
        self._block.append(line)
        if self.language.needs_more(self._block):
            return self._result(line, block_goes_on)
        return self._flushed()

    def finish(self) -> ConsoleResult | None:
        """Say that no more lines come: a block that is still open is executed, or its end is missed."""
        return self._flushed() if self._block else None

    def _flushed(self) -> ConsoleResult:
        text, self._block = "\n".join(self._block), []
        return self._result(text, lambda happened: self._statement(text, happened))

    def _result(self, text: str, act: Callable[[Happened], None]) -> ConsoleResult:
        happened = Happened()
        try:
            act(happened)
        except ArmlabError as error:
            happened.findings.append(Finding("error", error.message, {"file": CONSOLE, "line": self._first}))
        if happened.has_failed and happened.outcome in {"done", "more"}:
            happened.outcome = "failed"
        return ConsoleResult(
            self._first,
            text,
            happened.outcome,
            self.state,
            tuple(happened.findings),
            tuple(happened.pieces),
            tuple(happened.messages),
            tuple(happened.values),
            tuple(happened.help),
            happened.stopped_at,
            happened.read_to,
            tuple(happened.notes),
            tuple(happened.grips),
        )

    # -- statements --------------------------------------------------------------------------------------------------

    def _statement(self, text: str, happened: Happened) -> None:
        if self._loaded is not None:
            self._carry_out(self.language.change(text, self._first), happened)
        else:
            self.language.value = None
            self._carry_out(self.language.execute(text, self._first), happened)
            if self.language.value is not None:
                happened.values.append(self.language.value)

    def _carry_out(self, instructions: Instructions, happened: Happened) -> None:
        """Run instructions from where the arm stands, to rest; while a program is stopped they move nothing."""
        loaded = self._loaded
        start = self._q if loaded is None else np.array(loaded.state().q)
        time = self._time if loaded is None else self.signals.time
        stream = without_reports(instructions, happened.findings)
        contact = None if self._plant is None else self._plant.contact
        executor = Executor(self.robot, stream, start=start, signals=self.signals, time=time, contact=contact)
        execution = Execution(executor, follower=self._plant, listeners=(happened.note,))
        try:
            for _item in execution:
                if happened.has_failed:
                    break
        finally:
            happened.findings += execution.findings
            instructions.close()
            if loaded is None:
                state = executor.state
                self._q, self._time = np.array(state.q), state.time
                self.language.settle(self._q, failed=happened.has_failed)

    # -- commands ----------------------------------------------------------------------------------------------------

    def _command(self, word: str) -> Callable[[str, Happened], None] | None:
        """Return what a word at the beginning of a line does; None if it belongs to the language."""
        commands: dict[str, Callable[[str, Happened], None]] = {
            "help": self._help,
            "?": self._ask,
            "vars": lambda _rest, happened: happened.values.extend(self.language.variables()),
            "input": self._input,
            "load": self._load,
            "run": self._run,
            "step": self._step,
            "break": self._break,
            "where": self._where,
            "stop": self._stop,
            "quit": self._quit,
        }
        if self._loaded is not None:  # otherwise it is a statement of the language
            commands["continue"] = lambda _rest, happened: self._go("on", happened)
        return commands.get(word.lower())

    def _help(self, word: str, happened: Happened) -> None:
        known = {**COMMANDS, **self.language.words}
        if word:
            found = {name: text for name, text in known.items() if name.lower() == word.lower()}
            if not found:
                template = _("there is no help for '{word}'")
                raise InvalidInput("console_no_help", template, word=word)
            known = found
        happened.help.extend(HelpLine(name, help_message(text)) for name, text in known.items())

    def _ask(self, text: str, happened: Happened) -> None:
        if not text or any(text.lower() == name.lower() for name in (*COMMANDS, *self.language.words)):
            is_value = text.startswith("$")  # also a variable of the controller
            if not is_value:
                self._help(text, happened)
                return
        self.language.value = None
        self._carry_out(self.language.inspect(text, self._first), happened)
        if self.language.value is not None:
            happened.values.append(self.language.value)

    def _input(self, text: str, happened: Happened) -> None:
        name, _blank, value = text.rpartition(" ")
        name = name.strip().strip("\"'").removeprefix("$IN[").removesuffix("]")
        if not name:
            raise InvalidInput("console_input", _("input needs a name and a value: input 1 true"))
        self.signals.inputs[name] = signal_value(value)
        note = _("input {name}: {value}")
        happened.notes.append(Message("console_input_set", note, name=name, value=str(self.signals.inputs[name])))

    def _quit(self, _rest: str, happened: Happened) -> None:
        happened.outcome = "quit"

    # -- programs ----------------------------------------------------------------------------------------------------

    def _load(self, name: str, happened: Happened) -> None:
        if self._open_program is None:
            raise InvalidInput("console_load", _("programs cannot be loaded here"))
        if not name:
            raise InvalidInput("console_load_name", _("load needs the name of a program"))
        self._leave()
        self._source = self._open_program(name.strip("\"'"))
        self._opened = self.language.open(self._source, self._q)
        files = self._opened.files
        self._breakpoints = {one for one in self._breakpoints if one[0] in files}
        happened.notes.append(Message("console_loaded", _("{file}: loaded; run or step starts it"), file=files[0]))

    def _begin(self) -> LoadedProgram:
        if self._source is None:
            raise InvalidInput("console_no_program", _("no program was loaded: load FILE"))
        self._opened = self.language.open(self._source, self._q)
        self._loaded = LoadedProgram(self.robot, self._opened, self._q, self.signals, self._time, self._plant)
        return self._loaded

    def _run(self, _rest: str, happened: Happened) -> None:
        self._leave()
        self._begin()
        self._go("on", happened)

    def _step(self, how: str, happened: Happened) -> None:
        if self._loaded is None:
            self._begin()
        self._go(how or "into", happened)

    def _go(self, how: str, happened: Happened) -> None:
        loaded = self._loaded
        assert loaded is not None
        statement = loaded.go(how, self._breakpoints, happened)
        if statement is None:
            self._leave()
            happened.notes.append(Message("console_over", _("the program is over")))
            return
        happened.outcome = "stopped"
        self._place(happened)

    def _place(self, happened: Happened) -> None:
        """Tell at which statement a program is stopped, and how far it was read ahead."""
        now = None if self._loaded is None else self._loaded.now
        happened.stopped_at = None if now is None else now.span
        read_to = self.language.read_to()
        if happened.stopped_at is not None and read_to is not None and read_to[:2] != happened.stopped_at[:2]:
            happened.read_to = read_to

    def _leave(self) -> None:
        """Take over where a program left the arm."""
        if self._loaded is None:
            return
        state = self._loaded.state()
        self._q, self._time, self._loaded = np.array(state.q), max(state.time, self.signals.time), None
        self.language.close()
        self.language.settle(self._q, failed=True)

    def _stop(self, _rest: str, happened: Happened) -> None:
        if self._loaded is None:
            raise InvalidInput("console_nothing_runs", _("no program is under way"))
        self._leave()
        happened.notes.append(Message("console_left", _("the program was left; the arm stays where it is")))

    def _break(self, text: str, happened: Happened) -> None:
        if text:
            if self._opened is None:
                raise InvalidInput("console_no_program", _("no program was loaded: load FILE"))
            self._breakpoints ^= {breakpoint_of(text, self._opened)}
        places = [f"{file}:{line}" for file, line in sorted(self._breakpoints)]
        none, some = _("no breakpoints"), _("breakpoints: {places}")
        happened.notes.append(Message("console_breakpoints", some if places else none, places=places))

    def _where(self, _rest: str, happened: Happened) -> None:
        if self._loaded is not None:
            happened.outcome = "stopped"
            self._place(happened)
