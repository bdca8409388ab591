"""Blocks are executed in the order that RS-274 lays down, and become canonical motions and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from armlab.messages import Message, _
from armlab.model.finding import Finding, Severity
from armlab.program.gcode import arcs, commands, cycles, modes, moves, predefined, saved, splines
from armlab.program.gcode.canon import Canonical, InputWait, Point, StraightProbe, Text
from armlab.program.gcode.codes import AXIS_WORDS, CANCEL, CYCLES, LENGTH, MOTION, ONCE, group_codes, name_of
from armlab.program.gcode.control import MAX_CALLS, PARTNER_MISSING, Control
from armlab.program.gcode.dialects import dialect_named
from armlab.program.gcode.machine import MM_PER_INCH, Machine, ToolEntry
from armlab.program.gcode.parameters import Parameters
from armlab.program.gcode.plain import take_plain
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run
from armlab.program.gcode.scan import Block, column_of, place_named, read_block
from armlab.program.gcode.source import Source
from armlab.program.gcode.unused import check_words

MOST_STEPS = 3_000_000
"""Lines that a program may run through more often than once, so that an endless loop ends."""
MOST_SILENT = 300_000
"""Lines in a row that may tell a machine nothing."""
MOST_FINDINGS = 1000
MOST_REPEATS = 100_000
DEBUGS = 5599
"""The parameter that lets (DEBUG,) say something while it is above 0."""

SHOWN_DIGITS, PRINTED_DIGITS = 6, 4
"""Digits of a parameter in a message, and behind %f."""
_SHOWN = re.compile(r"#<([^<>]+)>|#(\d{1,9})|%(?:d|(?:\.(\d))?f)")
"""A parameter in a message, or how those behind are written."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a program is read."""

    skip_deleted: bool = False
    """Leave out lines that begin with a slash."""
    steps: int | None = None
    """Lines that may be run through; None: all lines of the program, and MOST_STEPS in loops and calls."""
    depth: int = MAX_CALLS
    """Calls inside calls."""
    dialect: str = "linuxcnc"
    """One of `dialects.DIALECTS`."""
    is_whole: bool = False
    """Whether the text is a whole program, which has to say where it ends; lines at a console do not."""
    tools: dict[int, ToolEntry] = field(default_factory=dict)
    """The tool table, in mm; empty: there is none."""
    parameters: dict[int, float] = field(default_factory=dict)
    is_inch_machine: bool = False
    """Whether the machine counts in inches: its parameters, and what it says of tools."""


class Interpreter:
    """Runs a program; iterating over it gives the canonical motions and commands, line by line.

    A line that cannot be read or executed becomes a finding, and the next one is taken. What a probe or an input gives
    is known only to the machine: after a line that asks, `run.question` is set, and `answer` must be called before the
    next `advance`. Iterating answers by itself: a probe touches at its end, and inputs are 0.
    """

    def __init__(self, source: Source, options: Options | None = None) -> None:
        self.options = options or Options()
        self.parameters = Parameters({DEBUGS: 1.0, **self.options.parameters})
        self.run = Run(machine_of(self.parameters, self.options))
        self.control = Control(source, self.parameters, self.options.depth)
        self.control.on_return = lambda: saved.call_returned(self.run, self.control.returned)
        self.findings: list[Finding] = []
        self._has_opened = self._has_ended = False
        self._file, self._steps, self._silent = source.name, 0, 0
        self._main = source.name
        self._warned: set[str] = set()
        steps = self.options.steps
        self._most_steps = MOST_STEPS + source.data.count(b"\n") if steps is None else steps
        self._dialect = dialect_named(self.options.dialect)
        active = self.run.machine.modes
        active.feed, active.motion = self._dialect.first_feed, self._dialect.first_motion
        predefined.define(self.run, self.control)

    def __iter__(self) -> Iterator[Canonical]:
        """Run the program."""
        out = self.run.out
        while self.advance():
            if out:
                if self.run.question is not None:
                    self.answer(None, 0.0)
                yield from out
                out.clear()

    def advance(self) -> bool:
        """Run through the next line; `run.out` then has what it tells. Return False where the program is over."""
        run = self.run
        if self._has_ended:
            return False
        if not run.is_over:
            self._steps += 1
            if self._steps > self._most_steps or self._silent > MOST_SILENT:
                template = _("the program runs through more than {steps} lines")
                self._report(Message("gcode_endless", template, steps=self._steps - 1), "", run.line, None)
            elif take_plain(run, self.control.place):
                self._file = self.control.place.source.name
                return True
            elif (following := self.control.next_line()) is not None:
                told = len(run.out)
                self._take(*following)
                self._silent = 0 if len(run.out) > told else self._silent + 1
                return True
            else:
                self._check_ends()
        self._has_ended, run.end = True, 0
        run.flush()
        return True

    def _check_ends(self) -> None:
        """Report the decision or loop that the text ends in, and a program that does not say that it ends."""
        left = self.control.open_block
        if left is None and self.options.is_whole and self._dialect.needs_end:
            template = _("the program ends without M2, M30 or %: some controllers stop there with an error")
            self._report(Message("gcode_end_missing", template), "", max(1, self.run.line), None, "warning")
        if left is not None:
            keywords = [{"if": "endif", "while": "endwhile", "do": "while", "repeat": "endrepeat"}[left.keyword]]
            message = Message("gcode_partner_missing", PARTNER_MISSING, label=left.label, keywords=keywords)
            self._report(message, "", max(1, left.start.line), None)

    def feed(self, text: str) -> None:
        """Add lines behind those that were run through, as a console does; a program that was over goes on."""
        place = self.control.place
        place.source = Source(place.source.name, place.source.data + text.encode() + b"\n", place.source.folder)
        self._has_ended = self.run.is_over = False
        self._steps = 0

    def answer(self, point: Point | None, value: float) -> None:
        """Say what the machine gave to `run.question`: the value of an input, or whether a probe touched.

        `point` is where the probe ended, in program coordinates; None: it touched where it should end.
        """
        run, question = self.run, self.run.question
        run.question = None
        if isinstance(question, InputWait):
            self.parameters.put(5399, value)
        elif isinstance(question, StraightProbe):
            run.machine.position = list(question.end if point is None else point)
            for i, coordinate in enumerate(run.machine.position):
                self.parameters.put(5061 + i, coordinate)
            has_touched = point is None or value != 0.0
            self.parameters.put(5070, float(has_touched))
            if question.needed and not has_touched:
                code = name_of(384 if question.away else 382)
                message = Message("gcode_probe_missed", _("{code} has met no contact"), code=code)
                self._report(message, "", question.line, None)

    @property
    def file(self) -> str:
        """The file that the line which was run through last stands in."""
        return self._file

    def _take(self, text: str, line: int) -> None:
        run = self.run
        run.line = line
        run.column, run.end = len(text) - len(text.lstrip()) + 1, len(text.rstrip()) + 1
        self._file = self.control.place.source.name
        try:
            text = self._dialect.prepared(text, lambda message: self._report(message, text, line, None, "note"))
            run.ignores_e = self._dialect.has_extruder
            if text.lstrip().startswith("%"):
                self._percent()
                return
            self._execute(read_block(text, line, self.parameters, skip_deleted=self.options.skip_deleted))
        except BadBlock as problem:
            place = place_named(text, problem.message.parameters) if problem.place is None else problem.place
            self._report(problem.message, text, line, place)
            run.is_over |= problem.code == "gcode_abort"
        for message in run.warnings:
            if str(message) not in self._warned:
                self._warned.add(str(message))
                self._report(message, text, line, place_named(text, message.parameters), "warning")
        run.warnings.clear()

    def _percent(self) -> None:
        """Take a line with %: the first opens a program, the second ends it; those of other files say nothing."""
        if self._file != self._main:
            return
        if self._has_opened:
            self.run.set("finish")
            self.run.is_over = True
        self._has_opened = True

    def _report(
        self,
        message: Message,
        text: str,
        line: int,
        place: int | None,
        severity: Severity = "error",
    ) -> None:
        if len(self.findings) >= MOST_FINDINGS:
            self.run.is_over = True
            return
        where: dict[str, float | int | str] = {"file": self._file, "line": line, "column": column_of(text, place)}
        self.findings.append(Finding(severity, message, where))

    def _execute(self, block: Block) -> None:
        """Do everything that a block says, in RS-274's order."""
        run = self.run
        for name, value in block.settings:
            self.parameters.set(name, value)
        if block.o is not None:  # LinuxCNC says nothing of what comments beside an O-word hold
            self.control.execute(block.o)
            return
        if not (block.g or block.m or block.words):
            self._say(block)
            return
        g, m = group_codes(block, is_cancel_apart=self._dialect.is_cancel_apart)
        motion = self._motion(block, g)
        if self._dialect.refuses_unused_words:
            check_words(block, g, motion)
        if g.get(ONCE) == 530 and self._dialect.name == "linuxcnc":
            modes.check_machine_move(run, g)
        self._say(block)
        commands.feed_and_speed(run, block, g, has_motion=motion is not None)
        commands.ports(run, block, m)
        commands.tool_and_spindle(run, block, m)
        saved.saved_modes(run, m)
        commands.switches(run, block, m)
        modes.set_modes(run, block, g)
        modes.set_once(run, block, g.get(ONCE))
        if motion is not None:
            self._move(block, motion, is_machine=g.get(ONCE) == 530)
        elif g.get(MOTION) == CANCEL:
            run.note("motion mode set to none")
        commands.stop(run, m)
        self._call(block, m)

    def _call(self, block: Block, m: dict[str, list[int]]) -> None:
        """M98 P number L repeats, M99."""
        for code in m.get("call", ()):
            if code == 99:
                self.control.check_label_return()
                self.run.is_over = not self.control.return_from_label()
                continue
            number, repeats = block.words.get("p", -1.0), block.words.get("l", 1.0)
            if number < 0.0 or number != round(number) or repeats != round(repeats) or not 0 <= repeats <= MOST_REPEATS:
                raise BadBlock("m98_words", _("M98 needs the number of a subroutine as P, and whole repeats as L"))
            if repeats:
                self.control.call_label(str(round(number)), round(repeats))

    def _motion(self, block: Block, g: dict[str, int]) -> int | None:
        """Return the motion that the block makes, or None; remember the mode that it sets."""
        words, active = block.words, self.run.machine.modes
        has_axes = bool(AXIS_WORDS & words.keys()) or "@" in words or "^" in words
        once, code = g.get(ONCE), g.get(MOTION)
        takes_axes = once in {100, 280, 300, 520, 920} or g.get(LENGTH) == 431
        if has_axes and takes_axes:
            if code not in {None, CANCEL}:
                raise BadBlock(
                    "axes_twice",
                    _("{first} and {second} both use the axis words"),
                    first=name_of(once or 431),
                    second=name_of(code or 0),
                )
            has_axes = False
        if code is not None:
            active.motion = code
        if has_axes and active.motion == CANCEL:
            raise BadBlock("axes_without_motion", _("axis words without a motion that uses them"))
        if has_axes:
            return active.motion
        is_circle = active.motion in {20, 30} and not takes_axes and bool(words.keys() & set("ijkr"))
        needs_axes = code is not None and code not in {0, 10, CANCEL}
        return active.motion if is_circle or needs_axes else None

    def _say(self, block: Block) -> None:
        """Tell the comment of a line; of several, the last one."""
        if block.comments:
            told = self._comment(block.comments[-1].lstrip(), block.line)
            if told.kind != "debug" or self.parameters.number(DEBUGS) > 0.0:
                self.run.tell(told)

    def _comment(self, comment: str, line: int) -> Text:
        head, comma, rest = comment.partition(",")
        kind = head.strip().lower() if comma else ""
        match kind:
            case "msg":
                return Text(line, "message", rest)
            case "debug" | "print" | "log":
                return Text(line, kind, self._with_values(rest))
            case "abort":
                text = self._with_values(rest).strip()
                raise BadBlock("abort", _("the program ends itself: {text}"), text=text)
            case _:
                return Text(line, "comment", comment)

    def _with_values(self, text: str) -> str:
        """Return a message with the values of its parameters; %d, %f and %.3f say how those behind them are written."""
        out, place, digits = [], 0, SHOWN_DIGITS
        for found in _SHOWN.finditer(text):
            out.append(text[place : found.start()])
            place = found.end()
            if found[1] or found[2]:
                out.append(self._value_shown(found, digits))
            else:
                digits = 0 if found[0] == "%d" else int(found[3] or PRINTED_DIGITS)
        return "".join([*out, text[place:]])

    def _value_shown(self, found: re.Match[str], digits: int) -> str:
        """Return the value of a parameter that a message names."""
        try:
            named = self.parameters.named(found[1].lower()) if found[1] else self.parameters.number(int(found[2]))
        except BadBlock:
            return "######"
        return f"{named:.{digits}f}"

    def _move(self, block: Block, motion: int, *, is_machine: bool) -> None:
        run, words = self.run, block.words
        if motion not in CYCLES:
            run.cycle_memory.forget()
        if motion != splines.CUBIC:
            run.spline_memory.tangent = None
        if motion in {0, 10}:
            moves.straight(run, words, motion, is_machine=is_machine)
        elif motion in {20, 30}:
            arcs.arc(run, words, motion)
        elif motion in {50, 51}:
            splines.spline(run, words, motion)
        elif motion in CYCLES:
            cycles.cycle(run, words, motion)
        else:
            moves.probe(run, words, motion)


def machine_of(parameters: Parameters, options: Options) -> Machine:
    """Return the machine that a program starts on."""
    unit = MM_PER_INCH if options.is_inch_machine else 1.0
    return Machine(parameters, tools=dict(options.tools), has_table=bool(options.tools), kept_unit=unit)


def interpret(path: Path, options: Options | None = None) -> Interpreter:
    """Return an interpreter of a program file.

    Raises:
        InvalidInput: if the file cannot be read.
    """
    return Interpreter(Source.from_file(path), options)
