"""O-words: subroutines, loops and decisions move the place at which the next line is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from armlab.messages import _
from armlab.program.gcode.parameters import LOCALS, Parameters
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.scan import OWord
from armlab.program.gcode.source import Source, SourcePosition, o_words

MAX_CALLS = 100
"""Calls inside calls."""
SUFFIXES = (".ngc", ".nc", ".gcode", "")
PARTNER_MISSING = _("O{label} has no {keywords}")

_PERCENT_LINE = re.compile(rb"^[ \t]*%", re.MULTILINE)


@dataclass(slots=True)
class OpenBlock:
    """A loop or decision that has begun and not ended."""

    label: str
    keyword: str
    start: SourcePosition
    left: float = 0.0
    """Repeats that are left; for a decision, whether a branch was taken."""


@dataclass(slots=True)
class CallFrame:
    """A call: where it returns to, and the loops that it is in."""

    back: SourcePosition | None
    label: str
    loops: list[OpenBlock] = field(default_factory=list)
    repeats_left: int = 0
    start: SourcePosition | None = None
    """Where a call by M98 begins; None for one by an O-word."""


class Control:
    """Reads lines one after the other, and goes where O-words send it."""

    def __init__(self, source: Source, parameters: Parameters, depth: int = MAX_CALLS) -> None:
        self.place = SourcePosition(source)
        self._parameters, self._depth = parameters, depth
        self._calls = [CallFrame(None, "")]
        self._subs: dict[str, SourcePosition] = {}
        self._files: dict[Path, Source] = {}
        self.returned: float | None = None
        """What the last call returned."""
        self.on_return: Callable[[], None] = lambda: None

    @property
    def open_block(self) -> OpenBlock | None:
        """The innermost decision or loop of the present call that has not ended."""
        loops = self._calls[-1].loops
        return loops[-1] if loops else None

    @property
    def depth(self) -> int:
        """How many calls the program is in."""
        return len(self._calls) - 1

    @property
    def stack(self) -> list[tuple[str, int]]:
        """The calls that the program is in: label, and line of the call; outermost first."""
        return [(call.label, call.back.line) for call in self._calls[1:] if call.back is not None]

    def next_line(self) -> tuple[str, int] | None:
        """Return the next line and its number; None at the end of the text."""
        place = self.place
        data = place.source.data
        if place.byte >= len(data):
            if len(self._calls) == 1:
                return None
            if not self.return_from_label():
                self._return(None)
            return self.next_line()
        end = data.find(b"\n", place.byte)
        text = data[place.byte : end if end >= 0 else len(data)]
        place.byte = end + 1 if end >= 0 else len(data)
        place.line += 1
        return text.decode("utf-8", "replace"), place.line

    @property
    def line_text(self) -> str:
        """The line that was read last."""
        data, start = self.place.source.data, self._before_this_line().byte
        return data[start : self.place.byte].decode("utf-8", "replace")

    def execute(self, word: OWord) -> None:  # noqa: C901 - one case per keyword
        """Do what an O-word says.

        Raises:
            BadBlock: if it has no partner, or a subroutine is not found.
        """
        loops = self._calls[-1].loops
        match word.keyword:
            case "sub":
                self._define(word.label)
            case "endsub" | "return":
                self._return(word.arguments[0] if word.has_value else None)
            case "call":
                self._call(word)
            case "if":
                decision = OpenBlock(word.label, "if", self._here(), self._value(word) != 0.0)
                if not decision.left:
                    self._next_branch(word.label)
                loops.append(decision)
            case "elseif" | "else" | "endif":
                self._branch(word, loops)
            case "while" | "endwhile" | "do":
                self._loop(word, loops)
            case "repeat" | "endrepeat":
                self._repeat(word, loops)
            case "break":
                loop = self._innermost(word.label, loops)
                self._leave(loop, loops)
            case "continue":
                self._continue(word, loops)
            case "label":
                return

    def call_label(self, label: str, repeats: int) -> None:
        """M98: run from the line `O label` to M99, some times over; parameters are the caller's."""
        if len(self._calls) > self._depth:
            raise BadBlock("calls_too_deep", _("calls are nested more than {depth} deep"), depth=self._depth)
        found = self._scan(self.place.source, label, SourcePosition(self.place.source), "label")
        if found is None:
            raise BadBlock("sub_unknown", _("no subroutine named '{name}'"), name=label)
        self._calls.append(CallFrame(self._here(), label, repeats_left=repeats - 1, start=found))
        self._go(found)

    def return_from_label(self) -> bool:
        """M99: go on behind the call; return False in the main program, which is over then."""
        call = self._calls[-1]
        if call.start is None or call.back is None:
            return False
        if call.repeats_left > 0:
            call.repeats_left -= 1
            call.loops.clear()
            self._go(call.start)
        else:
            self._calls.pop()
            self.place = call.back
        return True

    def check_label_return(self) -> None:
        """Refuse M99 in a subroutine that an O-word called; it is left as `return` would.

        Raises:
            BadBlock: if the program is in one.
        """
        call = self._calls[-1]
        if call.back is not None and call.start is None:
            self._return(None)
            template = _("M99 does not end O<{label}> sub; write endsub or return")
            raise BadBlock("m99_in_sub", template, label=call.label)

    def abandon(self) -> None:
        """Leave all calls and loops, and skip the lines that were not run through: after an error at a console."""
        while len(self._calls) > 1:
            call = self._calls.pop()
            if call.start is None:
                self._parameters.leave()
            self.place = call.back or self.place
        self._calls[0].loops.clear()
        self.place.byte = len(self.place.source.data)

    # -- subroutines -------------------------------------------------------------------------------------------------

    def _define(self, label: str) -> None:
        """Remember where a subroutine begins, and go behind it."""
        self._subs[label] = begin = self._here()
        self._skip_to(label, ("endsub",))
        for keyword, name, after in o_words(begin.source, begin):
            if after.byte >= self.place.byte:
                return
            if keyword == "sub":
                template = _("subroutine '{name}' is defined inside of '{outer}'; write it behind O{outer} endsub")
                raise BadBlock("sub_nested", template, name=name, outer=label)

    def _call(self, word: OWord) -> None:
        if len(self._calls) > self._depth:
            raise BadBlock("calls_too_deep", _("calls are nested more than {depth} deep"), depth=self._depth)
        if len(word.arguments) > LOCALS:
            raise BadBlock("too_many_arguments", _("a call has at most {most} arguments"), most=LOCALS)
        target = self._find_sub(word.label)
        self._calls.append(CallFrame(self._here(), word.label))
        self._parameters.enter(word.arguments)
        self.place = target

    def _find_sub(self, label: str) -> SourcePosition:
        if label not in self._subs:
            found = self._scan(self.place.source, label, SourcePosition(self.place.source)) or self._in_file(label)
            if found is None:
                raise BadBlock("sub_unknown", _("no subroutine named '{name}'"), name=label)
            self._subs[label] = found
        known = self._subs[label]
        return SourcePosition(known.source, known.byte, known.line)

    def _in_file(self, label: str) -> SourcePosition | None:
        """Look for a subroutine in a file of its own name beside the program; never elsewhere."""
        folder = self.place.source.folder
        if folder is None or label != Path(label).name or label.startswith("."):
            return None
        for suffix in SUFFIXES:
            path = folder / f"{label}{suffix}"
            if path.is_file() and path.resolve().parent == folder.resolve():
                if path not in self._files:
                    self._files[path] = Source.from_file(path)
                return self._scan(self._files[path], label, SourcePosition(self._files[path]))
        return None

    def _scan(self, source: Source, label: str, start: SourcePosition, wanted: str = "sub") -> SourcePosition | None:
        """Return the place after `o<label> sub` (or after `O label` alone), or None."""
        for keyword, name, place in o_words(source, start):
            if keyword == wanted and name == label:
                if len(list(islice(_PERCENT_LINE.finditer(source.data, 0, place.byte), 2))) == 2:
                    template = _("subroutine '{name}' stands behind the second %, where the program ends")
                    raise BadBlock("sub_behind_end", template, name=label)
                return place
        return None

    def _return(self, value: float | None) -> None:
        call = self._calls[-1]
        if call.back is None or call.start is not None:
            raise BadBlock("return_outside", _("there is no call to return from"))
        self._calls.pop()
        self._parameters.leave()
        self.place = call.back
        self.returned = value
        self.on_return()

    # -- decisions and loops -----------------------------------------------------------------------------------------

    def _value(self, word: OWord) -> float:
        if not word.has_value:
            raise BadBlock("condition_missing", _("O {keyword} needs a condition in brackets"), keyword=word.keyword)
        return word.arguments[0]

    def _branch(self, word: OWord, loops: list[OpenBlock]) -> None:
        if not loops or (loops[-1].label, loops[-1].keyword) != (word.label, "if"):
            raise BadBlock("if_missing", _("O{label} {keyword} has no if"), label=word.label, keyword=word.keyword)
        decision = loops[-1]
        if word.keyword == "endif":
            loops.pop()
        elif decision.left:
            self._skip_to(word.label, ("endif",))
            loops.pop()
        elif word.keyword == "else" or self._value(word) != 0.0:
            decision.left = 1.0
        else:
            self._next_branch(word.label)

    def _next_branch(self, label: str) -> None:
        """Go to the next elseif, else or endif of a decision, so that it is read again from its beginning."""
        self._skip_to(label, ("elseif", "else", "endif"), is_read_again=True)

    def _loop(self, word: OWord, loops: list[OpenBlock]) -> None:
        is_inside = bool(loops) and (loops[-1].label, loops[-1].keyword) == (word.label, "do")
        if word.keyword == "do":
            loops.append(OpenBlock(word.label, "do", self._here()))
        elif word.keyword == "while" and is_inside:  # the end of a do loop
            if self._value(word) != 0.0:
                self._go(loops[-1].start)
            else:
                loops.pop()
        elif word.keyword == "while":
            if self._value(word) != 0.0:
                loops.append(OpenBlock(word.label, "while", self._before_this_line()))
            else:
                self._skip_to(word.label, ("endwhile",))
        else:
            loop = self._innermost(word.label, loops, "while")
            del loops[loops.index(loop) :]  # with what was begun inside and never ended
            self._go(loop.start)

    def _repeat(self, word: OWord, loops: list[OpenBlock]) -> None:
        if word.keyword == "repeat":
            count = self._value(word)
            if count < 1.0:
                self._skip_to(word.label, ("endrepeat",))
            else:
                loops.append(OpenBlock(word.label, "repeat", self._here(), round(count) - 1))
            return
        loop = self._innermost(word.label, loops, "repeat")
        del loops[loops.index(loop) + 1 :]
        if loop.left > 0:
            loop.left -= 1
            self._go(loop.start)
        else:
            loops.pop()

    def _continue(self, word: OWord, loops: list[OpenBlock]) -> None:
        loop = self._innermost(word.label, loops)
        del loops[loops.index(loop) + 1 :]
        ends = {"while": ("endwhile",), "do": ("while",), "repeat": ("endrepeat",)}[loop.keyword]
        self._skip_to(word.label, ends, is_read_again=True)

    def _innermost(self, label: str, loops: list[OpenBlock], keyword: str = "") -> OpenBlock:
        for loop in reversed(loops):
            if loop.label == label and loop.keyword != "if" and keyword in {"", loop.keyword}:
                return loop
        raise BadBlock("loop_missing", _("O{label} is not a loop that has begun"), label=label)

    def _leave(self, loop: OpenBlock, loops: list[OpenBlock]) -> None:
        del loops[loops.index(loop) :]
        ends = {"while": ("endwhile",), "do": ("while",), "repeat": ("endrepeat",)}[loop.keyword]
        self._skip_to(loop.label, ends)

    # -- places ------------------------------------------------------------------------------------------------------

    def _here(self) -> SourcePosition:
        return SourcePosition(self.place.source, self.place.byte, self.place.line)

    def _before_this_line(self) -> SourcePosition:
        """Return the place at which the line begins that was read last."""
        place = self.place
        data = place.source.data
        ended = place.byte - 1 if place.byte and data[place.byte - 1 : place.byte] == b"\n" else place.byte
        return SourcePosition(place.source, data.rfind(b"\n", 0, ended) + 1, place.line - 1)

    def _go(self, place: SourcePosition) -> None:
        self.place = SourcePosition(place.source, place.byte, place.line)

    def _skip_to(self, label: str, keywords: tuple[str, ...], *, is_read_again: bool = False) -> None:
        """Go behind the line with one of the keywords of a label, or before it."""
        for keyword, name, after in o_words(self.place.source, self.place):
            if name == label and keyword in keywords:
                self.place = after
                if is_read_again:
                    self.place = self._before_this_line()
                return
        raise BadBlock("partner_missing", PARTNER_MISSING, label=label, keywords=list(keywords))
