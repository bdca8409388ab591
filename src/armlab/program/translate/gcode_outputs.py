"""Outputs, waits and messages in G-code."""

from __future__ import annotations

from dataclasses import dataclass, field

from armlab.messages import _, term
from armlab.program.instructions import SetOutput
from armlab.program.translate.conditions import InputCondition
from armlab.program.translate.record import RecordedStep
from armlab.program.translate.text import Flattening, number

LONG = 3600.0
"""s: M66 needs a time; so long waits what has none."""
LONGEST_TEXT = 120
SWITCHES = {("mist", True): "M7", ("flood", True): "M8", ("mist", False): "M9", ("flood", False): "M9"}


@dataclass(slots=True)
class OutputLines:
    """Writes outputs; what has a name that LinuxCNC does not know gets a number that nothing else has."""

    flattening: Flattening
    _numbers: dict[str, int] = field(default_factory=dict)

    def lines(self, output: SetOutput, step: RecordedStep) -> list[str]:
        """Return what sets an output."""
        name, value = output.name, output.value
        if output.delay or output.distance or output.pulse is not None:
            self.flattening.add(term(_("shifts and pulses of outputs")), step)
        if (name, value) in SWITCHES:
            return [SWITCHES[name, bool(value)]]
        if name == "spindle":
            return ["M5"] if not value else [f"S{number(abs(float(value)))} {'M3' if value > 0.0 else 'M4'}"]
        if name == "tool":
            return [f"T{int(value)} M6"]
        if isinstance(value, bool):
            on, off = ("M62", "M63") if output.with_motion else ("M64", "M65")
            return [f"{on if value else off} P{self._number(name)}"]
        return [f"{'M67' if output.with_motion else 'M68'} E{self._number(name)} Q{number(value, 6)}"]

    def grip(self, *, is_on: bool) -> str:
        """Return what closes or opens the gripper."""
        return f"{'M64' if is_on else 'M65'} P{self._number('gripper')}"

    def _number(self, name: str) -> int:
        digits = name.removeprefix("analog ")
        if digits.isdigit():
            return int(digits)
        return self._numbers.setdefault(name, len(self._numbers))


def message_line(text: str, kind: str) -> str:
    """Return a comment that tells the operator something."""
    plain = "".join(c for c in text if c.isprintable() and c not in "()#%").encode("ascii", "replace").decode()
    word = kind.upper() if kind in {"print", "debug", "log"} else "MSG"
    return f"({word}, {plain[:LONGEST_TEXT].strip()})"


def waits(awaited: InputCondition | None) -> list[str]:
    """Return M66 for one input; LinuxCNC cannot wait for several."""
    if awaited is None or awaited.terms is None or len(awaited.terms) != 1 or len(awaited.terms[0]) != 1:
        return []
    ((name, value),) = awaited.terms[0]
    if not name.isdigit():
        return []
    mode = (1 if value else 2) if awaited.before is not None else (3 if value else 4)
    return [f"M66 P{name} L{mode} Q{number(LONG if awaited.timeout is None else awaited.timeout, 6)}"]
