"""G-code at the console: lines are fed to one interpreter, whose modes and parameters stay."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kinematics.reach import reach
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.console.console_language import CONSOLE, OpenedProgram
from armlab.program.console.help_words import GCODE
from armlab.program.console.result import ConsoleValue
from armlab.program.gcode.expressions import read_value
from armlab.program.gcode.instructions import LineRange, translated_lines
from armlab.program.gcode.interpreter import Interpreter, Options
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.source import Source
from armlab.program.gcode.translator import CanonTranslator
from armlab.program.instructions import Instructions, Report, Stop
from armlab.program.languages import ProgramSource
from armlab.program.place import Placement, default_placement
from armlab.program.prepare import survey
from armlab.program.span import Span

MOST_STEPS = 200_000
"""Lines that one entry may run through, so that an endless loop ends soon."""
SHARE = 0.1
"""Half of the box that a place is chosen for, as a share of the arm's reach."""
_OPENERS = re.compile(r"\s*o\s*(<[^<>]+>|\d+)\s*(sub|if|while|do|repeat)\b", re.IGNORECASE)
_CLOSERS = re.compile(r"\s*o\s*(<[^<>]+>|\d+)\s*(endsub|endif|endwhile|endrepeat)\b", re.IGNORECASE)
_PARAMETER = re.compile(r"#(\d+|<[^<>]+>)")
_SETTING = re.compile(r"\s*#")
LISTED = range(1, 31)
"""Numbered parameters that are listed where they are not 0."""


class GcodeConsole:
    """Executes lines of G-code one by one. The part's frame lies where the arm reaches a box round it."""

    words = GCODE

    def __init__(self, robot: Robot, q: Floats) -> None:
        del q
        self.value: ConsoleValue | None = None
        self._robot = robot
        self._interpreter = Interpreter(Source(CONSOLE, b""), Options(steps=MOST_STEPS))
        side = SHARE * reach(robot)
        box = np.array([(x, y, z) for x in (-side, side) for y in (-side, side) for z in (0.0, side)])
        placement, self._said = default_placement(robot, box)
        self._translator = self._translated(self._interpreter, placement)
        self._program: Interpreter | None = None

    def _translated(self, interpreter: Interpreter, placement: Placement) -> CanonTranslator:
        return CanonTranslator(interpreter, placement, self._robot.tool.T_flange_tool)

    # -- statements --------------------------------------------------------------------------------------------------

    def needs_more(self, lines: Sequence[str]) -> bool:
        """Tell whether a block of O-words is still open; the `while` of a `do` closes it."""
        blocks: list[tuple[str, str]] = []
        for line in lines:
            if opened := _OPENERS.match(line):
                label, word = opened[1].lower(), opened[2].lower()
                if word == "while" and (label, "do") in blocks:
                    blocks.remove((label, "do"))
                else:
                    blocks.append((label, word))
            elif closed := _CLOSERS.match(line):
                pair = (closed[1].lower(), closed[2].lower().removeprefix("end"))
                if pair in blocks:
                    blocks.remove(pair)
        return bool(blocks)

    def is_value(self, text: str) -> bool:
        """Tell whether a line is a parameter: #5420, #<width>."""
        return _PARAMETER.fullmatch(text.strip()) is not None

    def execute(self, text: str, line: int) -> Instructions:
        """Yield the instructions of a line or block."""
        interpreter = self._interpreter
        for finding in self._said:
            yield Report(finding)
        self._said = ()
        interpreter.findings.clear()
        interpreter.feed(text)
        interpreter.control.place.line = line - 1
        yield from translated_lines(interpreter, self._translator, LineRange(), stops_at_errors=True)

    def change(self, text: str, line: int) -> Instructions:
        """Set a parameter of the program that is stopped."""
        if self._program is None or not _SETTING.match(text):
            template = _("a program is stopped here: only assignments and ? can be used, or continue, step, stop")
            yield from _refused(Message("console_stopped", template), line)
            return
        name, _sign, expression = text.partition("=")
        try:
            index = self._parameter(name.strip().removeprefix("#"))
            self._program.parameters.set(index, self._evaluated(expression))
        except BadBlock as problem:
            yield from _refused(problem.message, line)

    def inspect(self, text: str, line: int) -> Instructions:
        """Evaluate an expression: #1, #<name>, [#1 * 2]."""
        self.value = None
        try:
            value = self._evaluated(text)
        except BadBlock as problem:
            yield from _refused(problem.message, line)
            return
        self.value = _shown(text, value)

    def _parameter(self, name: str) -> int | str:
        if name.startswith("<") and name.endswith(">"):
            return name[1:-1].strip().lower()
        return round(self._evaluated(name))

    def _evaluated(self, text: str) -> float:
        code = f"[{text.strip().lower().replace(' ', '')}]"
        value, place = read_value(code, 0, (self._program or self._interpreter).parameters)
        if place != len(code):
            raise BadBlock("gcode_rest", _("'{found}' is too much here"), place, found=code[place:])
        return value

    def variables(self) -> list[ConsoleValue]:
        """Return the named parameters, and the first numbered ones that are not 0."""
        parameters = (self._program or self._interpreter).parameters
        numbered = [(f"#{index}", parameters.number(index)) for index in LISTED if parameters.number(index)]
        return [_shown(name, value) for name, value in [*numbered, *parameters.names_set()]]

    def settle(self, q: Floats, *, failed: bool) -> None:
        """Note where the arm stands: after a failure the machine is there, and not where it was sent."""
        self._interpreter.findings.clear()
        self._interpreter.run.out.clear()
        if failed:
            self._translator.stand_at(self._robot.fk(q))
            self._interpreter.control.abandon()

    # -- programs ----------------------------------------------------------------------------------------------------

    def open(self, source: ProgramSource, q: Floats) -> OpenedProgram:
        """Return a program; it lies where the arm reaches it."""
        del q
        if source.language != "gcode":
            template = _("{name}: is not written in {language}")
            raise InvalidInput("console_other_language", template, name=source.name, language="G-code")
        text = source.gcode()
        placement, said = default_placement(self._robot, survey(Interpreter(text)))
        self._program = interpreter = Interpreter(text)
        translator = self._translated(interpreter, placement)
        rows = text.data.decode("utf-8", "replace").splitlines()
        lines = {(text.name, i) for i, row in enumerate(rows, 1) if row.strip() and row.strip()[0] not in "(;%"}
        return OpenedProgram(_after(said, interpreter, translator), (text.name,), frozenset(lines))

    def close(self) -> None:
        """Leave a program before its end."""
        self._program = None

    def read_to(self) -> Span | None:
        """Return the line that a program was read to."""
        return None if self._program is None else Span(self._program.file, self._program.run.line)


def _after(said: Sequence[Finding], interpreter: Interpreter, translator: CanonTranslator) -> Instructions:
    for finding in said:
        yield Report(finding)
    yield from translated_lines(interpreter, translator, LineRange(), stops_at_errors=True)


def _refused(message: Message, line: int) -> Instructions:
    yield Report(Finding("error", message, {"file": CONSOLE, "line": line, "column": 1}))
    yield Stop()


def _shown(name: str, value: float) -> ConsoleValue:
    return ConsoleValue(name.strip(), "", f"{value:.6g}", value)
