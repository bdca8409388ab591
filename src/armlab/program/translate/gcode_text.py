"""O-words of G-code, and lines without the words that are in force already."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from armlab.program.translate.nodes import WrittenRoutine
from armlab.program.translate.render import Renderer, ShownCase
from armlab.program.translate.values import CALL, Constant, RoutineParameter, Value

FIRST_PARAMETER = 100
"""Numbered parameters from here on have tables."""
MOST_ARGUMENTS = 30
AXES = "XYZABC"
OPERATORS = {"==": "EQ", "<=": "LE", ">=": "GE"}
MOTIONS = frozenset({"G0", "G1", "G2", "G3", "G38.3", "G38.5"})
MODES = {"G61": "path", "G61.1": "path", "G64": "path", "G17": "plane", "G18": "plane", "G19": "plane", "G93": "feed",
         "G94": "feed", "G49": "tool", "G43.1": "tool"}  # fmt: skip


class GcodeRenderer(Renderer):
    """Loops, decisions and calls by O-words; tables are numbered parameters."""

    dimensions = 1
    counter = "#<i{depth}>"

    def __init__(self, inputs: Callable[[str], int]) -> None:
        super().__init__()
        self._input = inputs
        self._label = 100
        self._places: dict[str, int] = {}

    def _labelled(self) -> str:
        self._label += 1
        return f"o{self._label}"

    def loop(self, counter: str, count: str, body: list[str]) -> list[str]:
        """Return while or repeat."""
        o = self._labelled()
        if not any(counter in line for line in body):
            return [f"{o} repeat [{count}]", *body, f"{o} endrepeat"]
        end = [f"  {counter} = [{counter} + 1]", f"{o} endwhile"]
        return [f"{counter} = 0", f"{o} while [{counter} LT {count}]", *body, *end]

    def endless(self, body: list[str]) -> list[str]:
        """Return one pass: a machine's program ends."""
        return body

    def waiting(self, name: str, value: bool, body: list[str]) -> list[str]:
        """Return a loop that reads an input before each pass."""
        o, read = self._labelled(), f"M66 P{self._input(name)} L0"
        test = f"#5399 {'GT' if value else 'LT'} 0.5"
        return [read, f"{o} while [{test}]", *body, f"  {read}", f"{o} endwhile"]

    def decision(self, condition: str, body: list[str], otherwise: list[str]) -> list[str]:
        """Return if … endif."""
        o = self._labelled()
        return [f"{o} if [{condition}]", *body, *([f"{o} else", *otherwise] if otherwise else []), f"{o} endif"]

    def choice(self, counter: str, cases: list[ShownCase], otherwise: list[str]) -> list[str]:
        """Return if … elseif … else … endif."""
        del counter
        o = self._labelled()
        words = ("if", *("elseif" for _case in cases[1:]))
        lines = [f"{o} {w} [{case.condition}]" for w, case in zip(words, cases, strict=True)]
        body = [line for first, case in zip(lines, cases, strict=True) for line in (first, *case.lines)]
        return [*body, *([f"{o} else", *otherwise] if otherwise else []), f"{o} endif"]

    def call(self, routine: str, arguments: list[str]) -> str:
        """Return a call."""
        return " ".join([f"o<{routine}> call", *(f"[{argument}]" for argument in arguments)])

    def read(self, name: str) -> list[str]:
        """Return lines that read an input and keep it."""
        return [f"M66 P{self._input(name)} L0", f"#<in_{self._input(name)}> = #5399"]

    def kept(self, name: str) -> str:
        """Return the condition that an input was on."""
        return f"#<in_{self._input(name)}> GT 0.5"

    def negated(self, condition: str) -> str:
        """Return the opposite."""
        return f"[{condition}] EQ 0"

    def flag(self, text: str) -> str:
        """Return the condition that a value is 1."""
        return f"{text} EQ 1"

    def compared(self, left: str, operator: str, right: int) -> str:
        """Return a comparison."""
        return f"{left} {OPERATORS[operator]} {right}"

    def remainder(self, counter: str, modulus: int) -> str:
        """Return what a division leaves."""
        return f"[{counter} MOD {modulus}]"

    def all_of(self, conditions: list[str]) -> str:
        """Return … AND …."""
        return " AND ".join(f"[{one}]" for one in conditions)

    def table(self, kind: str, number: int) -> str:
        """Return what stands for the first parameter of a table until all are known."""
        del kind
        return f"@{number}@"

    def element(self, name: str, indices: list[str]) -> str:
        """Return a parameter."""
        return f"#[{name} + {indices[0]}]"

    def constant(self, value: Constant) -> str:
        """Return a constant."""
        return str(int(value.text == "TRUE")) if value.kind == "bool" else value.text

    def formula(self, kind: str, terms: list[str]) -> str | None:
        """Return a formula in brackets."""
        return f"[{terms[0]}]" if kind in {"number", "int"} else None

    def grouped(self, text: str) -> str:
        """Return brackets: what is in parentheses is a comment."""
        return f"[{text}]"

    def text(self, value: Value) -> str:
        """Return a value; parameters of routines have numbers."""
        return f"#{self._places[value.name]}" if isinstance(value, RoutineParameter) else super().text(value)

    def sub(self, name: str, routine: WrittenRoutine) -> list[str]:
        """Return a subroutine."""
        self._places = {one.name: i + 1 for i, one in enumerate(routine.parameters)}
        self._counters[CALL] = f"#{self._places.get('variant', 0)}"
        return [f"o<{name}> sub", *(f"  {line}" for line in self.lines(routine.body)), f"o<{name}> endsub", ""]

    def with_tables(self, lines: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the assignments of all tables, and lines that read them."""
        first, given, places = FIRST_PARAMETER, [], {}
        for (_kind, _sizes, entries), name in self.tables.items():
            places[name] = str(first)
            given += [f"#{first + i} = {entry}" for i, entry in enumerate(entries)]
            first += len(entries)
        return given, [re.sub(r"@\d+@", lambda found: places[found[0]], line) for line in lines]


def compacted(lines: Sequence[str]) -> list[str | None]:
    """Return lines without words that are in force already; None for a line that has nothing left.

    What is in force is not known behind an O-word, which may be reached from elsewhere.
    """
    used = {letter for line in lines for letter, value in _words(line) if letter in AXES and value != "0"}
    begin = {"plane": "G17", "feed": "G94", "tool": "G49"}
    modes = {(MODES[line.split()[0]], line.strip()) for line in lines if line.split()[:1] and line.split()[0] in MODES}
    steady = {group: text for group, text in begin.items() if all(t == text for g, t in modes if g == group)}
    known = dict(begin)
    out: list[str | None] = []
    for line in lines:
        text = line.strip()
        code = text.split(" ")[0]
        if code.startswith("o"):
            known = dict(steady)
            out.append(line)
        elif code in MODES:
            out.append(None if known.get(MODES[code]) == text else line)
            known[MODES[code]] = text
            if MODES[code] == "tool" and out[-1] is not None:
                known = {group: value for group, value in known.items() if group not in AXES}
        else:
            out.append(_motion(line, code, known, used) if code in MOTIONS else line)
    return out


def _motion(line: str, code: str, known: dict[str, str], used: set[str]) -> str | None:
    kept: list[str] = []
    dropped: list[str] = []
    has_axes = False
    for word in line.split():
        letter = word[0]
        if letter in AXES:
            is_new = known.get(letter) != word and letter in used
            has_axes = has_axes or is_new
            (kept if is_new else dropped).append(word)
            known[letter] = word if not {"#", "["} & set(word) else ""
        elif letter == "F" and known.get("feed") == "G94":
            if known.get("F") != word:
                kept.append(word)
            known["F"] = word
        else:
            if letter == "F":
                known["F"] = ""
            kept.append(word)
    if code.startswith("G38"):
        for letter in AXES:
            known.pop(letter, None)
    if not has_axes and code in {"G0", "G1"}:
        if all(known.get(letter) for letter in AXES if letter in used):
            return None
        kept[1:1] = dropped[:1]
    return line[: len(line) - len(line.lstrip())] + " ".join(kept)


def _words(line: str) -> list[tuple[str, str]]:
    parts = line.split()
    return [(word[0], word[1:]) for word in parts[1:] if word] if parts and parts[0] in MOTIONS else []
