"""How other controllers write G-code: what a line means to them that it does not mean to LinuxCNC.

A dialect changes a line before it is read: it takes out what belongs to the controller alone, and says so once for each
kind. What is left is read as LinuxCNC reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from armlab.errors import UnknownName
from armlab.messages import Message, _
from armlab.program.gcode.codes import CANCEL
from armlab.program.gcode.problems import BadBlock

Name = Literal["linuxcnc", "grbl", "marlin", "reprap", "fanuc"]
DIALECTS: tuple[Name, ...] = ("linuxcnc", "grbl", "marlin", "reprap", "fanuc")

FIRST_FEEDS = {"marlin": 4000.0, "reprap": 3000.0}
"""mm/min, as Marlin (DEFAULT_FEEDRATE_MM_M) and RepRapFirmware have it when they start."""
REFERENCE = 5161
"""The first parameter of the reference point that G28 goes to."""

_CHECKSUM = re.compile(r"\*[ \t]*(\d+)[ \t]*$")
_EXTRUDER = re.compile(r"(?<![A-Za-z#<\d.])[Ee][ \t]*[-+]?(?:\d+\.?\d*|\.\d+)?")
_M_CODE = re.compile(r"^[ \t]*(?:[Nn]\d+[ \t]*)?[Mm][ \t]*(\d+)(?:\.\d+)?")
_G_CODE = re.compile(r"^[ \t]*(?:[Nn]\d+[ \t]*)?[Gg][ \t]*(\d+(?:\.\d+)?)")
_CONTROL_LETTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""What a sender puts between lines for the controller, such as a reset."""
_GRBL_M = frozenset({"56"})
"""M codes of Grbl alone: parking."""
_PAUSES = frozenset({"0", "1"})
_WORD = re.compile(r"([A-Za-z])[ \t]*([-+]?(?:\d+\.?\d*|\.\d+))")
_REPEATED_CALL = re.compile(r"([Mm][ \t]*98[ \t]*[Pp][ \t]*)(\d{1,4})(\d{4})(?!\d)")
_MACRO = re.compile(r"^[ \t]*(?:[Nn]\d+[ \t]*)?(IF|WHILE|GOTO|END|DO|G65|G66)(?![A-Za-z])", re.IGNORECASE)
_TEXT_CODES = frozenset({"117", "118"})
"""M117 and M118 show the rest of their line."""
_PRINTER_M = frozenset(
    str(code)
    for code in (
        *range(17, 19), *range(20, 31), *range(31, 48), *range(73, 99), *range(104, 117), *range(119, 1000),
    )
)  # fmt: skip
"""M codes of printers: heaters, fans, cards, settings. An arm has none of them."""
_PRINTER_G = frozenset({"10", "11", "12", "26", "27", "29", "30", "31", "32", "33", "34", "35", "42", "60", "61"})
"""G codes of printers: retraction, bed levelling, parking."""


@dataclass(slots=True)
class Dialect:
    """One program's dialect, and what it has already said."""

    name: Name = "linuxcnc"
    said: set[str] = field(default_factory=set)
    has_extruder: bool = False
    """Whether the axis E was met and left out."""

    @property
    def refuses_unused_words(self) -> bool:
        """Whether a word that no code of its line uses is a mistake."""
        return self.name in {"linuxcnc", "grbl"}

    @property
    def is_cancel_apart(self) -> bool:
        """Whether G80 is of another group than G0 … G3, so that both may stand in one line."""
        return self.name == "fanuc"

    @property
    def first_feed(self) -> float:
        """The feed rate before the first F, mm/min: printers have one, others need F."""
        return FIRST_FEEDS.get(self.name, 0.0)

    @property
    def first_motion(self) -> int:
        """The motion before the first code of one: LinuxCNC has none, Grbl and FANUC begin with G0."""
        return CANCEL if self.name == "linuxcnc" else 0

    @property
    def needs_end(self) -> bool:
        """Whether a program has to end with M2, M30 or %; what Grbl and printers are sent may just end."""
        return self.name in {"linuxcnc", "fanuc"}

    def prepared(self, text: str, report: Callable[[Message], None]) -> str:
        """Return a line as LinuxCNC would write it; `report` is told what was left out, each kind once.

        Raises:
            BadBlock: if the line's checksum is wrong.
        """
        match self.name:
            case "grbl":
                return self._grbl(text, report)
            case "marlin" | "reprap":
                return self._printer(text, report)
            case "fanuc":
                return _fanuc(text)
            case "linuxcnc":
                return text

    def _once(self, message: Message, report: Callable[[Message], None]) -> None:
        key = str(message)
        if key not in self.said:
            self.said.add(key)
            report(message)

    def _grbl(self, text: str, report: Callable[[Message], None]) -> str:
        text = _CONTROL_LETTERS.sub("", text)
        bare = text.strip()
        if bare.upper() == "$H":
            return "G28"
        if bare.startswith("$") or bare in {"?", "!", "~"}:
            message = Message("gcode_controller_line", _("'{text}' is for the controller alone; left out"), text=bare)
            self._once(message, report)
            return ""
        if (found := _M_CODE.match(text)) and found[1] in _GRBL_M:
            self._once(_left_out_by_grbl(f"M{found[1]}"), report)
            return ""
        return text

    def _printer(self, text: str, report: Callable[[Message], None]) -> str:
        text = _checked(text.partition(";")[0].rstrip())
        if found := _M_CODE.match(text):
            if found[1] in _TEXT_CODES:
                return "(MSG," + text[found.end() :].strip().replace("(", "[").replace(")", "]") + ")"
            if found[1] in _PAUSES:
                return _pause(f"M{found[1]}", text[found.end() :])
            if found[1] in _PRINTER_M:
                self._once(_left_out(f"M{found[1]}"), report)
                return ""
        if (found := _G_CODE.match(text)) and found[1] in _PRINTER_G:
            self._once(_left_out(f"G{found[1]}"), report)
            return ""
        without = _EXTRUDER.sub("", text)
        if without != text:
            self._once(Message("gcode_extruder", _("the extruder's axis E is left out")), report)
            self.has_extruder = True
        return _dwell(_origin(_homing(without)), "s")


def dialect_named(name: str) -> Dialect:
    """Return a fresh dialect.

    Raises:
        UnknownName: if there is none of that name.
    """
    for known in DIALECTS:
        if known == name:
            return Dialect(known)
    raise UnknownName("dialect", name, DIALECTS)


def _left_out(code: str) -> Message:
    return Message("gcode_printer_code", _("{code} is for printers; left out"), code=code)


def _checked(text: str) -> str:
    """Return a line without its checksum, which is the exclusive or of all bytes before the star."""
    found = _CHECKSUM.search(text)
    if found is None:
        return text
    total = 0
    for byte in text[: found.start()].encode():
        total ^= byte
    if total != int(found[1]):
        raise BadBlock(
            "checksum", _("the checksum is {given}, but the line makes {computed}"), given=int(found[1]), computed=total
        )
    return text[: found.start()]


def _left_out_by_grbl(code: str) -> Message:
    return Message("gcode_grbl_code", _("{code} is for Grbl's machines; left out"), code=code)


def _pause(code: str, rest: str) -> str:
    """M0 and M1 of printers show the rest of their line; times by P and S are left out, somebody looks anyway."""
    shown = _WORD.sub("", rest).strip() if _WORD.match(rest.strip()) else rest.strip()
    return f"{code} (MSG,{shown.replace('(', '[').replace(')', ']')})" if shown else code


def _dwell(text: str, seconds: str) -> str:
    """G4 of other controllers: P counts milliseconds, and another letter seconds."""
    found = _G_CODE.match(text)
    if found is None or float(found[1]) != 4.0:
        return text
    words = {letter.lower(): float(number) for letter, number in _WORD.findall(text[found.end() :])}
    given = [words[letter] for letter in seconds if letter in words]
    if not given and "p" not in words:
        return text
    return f"G4 P{sum(given) + words.get('p', 0.0) / 1000.0:.6f}"


def _origin(text: str) -> str:
    """G92 of printers mostly sets E alone, which is left out."""
    found = _G_CODE.match(text)
    is_empty = found is not None and found[1] == "92" and not text[found.end() :].strip()
    return "" if is_empty else text


def _fanuc(text: str) -> str:
    """M98 P32000 calls O2000 three times; G4 has seconds as X or U, milliseconds as P.

    Raises:
        BadBlock: if the line is a statement of the macro language.
    """
    code = re.sub(r"\([^)]*\)", "", text)
    if found := _MACRO.match(code):
        raise BadBlock("fanuc_macro", _("{name} of Fanuc's macro language is not understood"), name=found[1].upper())
    return _dwell(_REPEATED_CALL.sub(r"\g<1>\g<3> L\g<2>", text), "xu")


def _homing(text: str) -> str:
    """G28 of printers names the axes to home, mostly without numbers: they go to their reference point."""
    found = _G_CODE.match(text)
    if found is None or found[1] != "28":
        return text
    axes = sorted({axis.lower() for axis in re.findall(r"[XYZxyz]", text[found.end() :])})
    words = " ".join(f"{axis}#{REFERENCE + 'xyz'.index(axis)}" for axis in axes)
    return f"G53 G0 {words}" if axes else "G28"
