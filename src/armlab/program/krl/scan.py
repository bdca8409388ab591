"""A file becomes lines of tokens. KRL ends a statement with its line, and case means nothing.

Controllers wrote these files on Windows: CRLF, code page 1252 or UTF-8 with a byte order mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.program.krl.actions import Fold

Kind = Literal["name", "number", "string", "enum", "sign"]

_TOKEN = re.compile(
    r"""[ \t]*(?:
      (?P<number>'[HBhb][0-9A-Fa-f]+' | \d+(?:\.\d*)?(?:[Ee][-+]?\d+)? | \.\d+(?:[Ee][-+]?\d+)?)
    | (?P<string>"[^"\n]*")
    | (?P<enum>\#[ \t]*[A-Za-z_$]\w*)
    | (?P<name>\$?[A-Za-z_][\w$]*)
    | (?P<sign>==|<>|<=|>=|[-+*/:=<>()\[\]{},.?])
    )""",
    re.VERBOSE,
)
_FOLD = re.compile(r"[ \t]*;[ \t]*FOLD\b[ \t]*(.*?)(?:;%.*)?$", re.IGNORECASE)
_ENDFOLD = re.compile(r"[ \t]*;[ \t]*ENDFOLD\b", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
LONGEST_LINE = 10_000


class Token(NamedTuple):
    """One word: names and signs in upper case, numbers and strings as they stand."""

    kind: Kind
    text: str
    column: int
    end: int


@dataclass(slots=True)
class Line:
    """The tokens of one line that has any."""

    number: int
    tokens: list[Token]


@dataclass(slots=True)
class Scanned:
    """A file: its lines, folds, header, and what could not be read."""

    file: str
    lines: list[Line] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """Names in lines that could not be read: what they declare or assign is not known."""


def decoded(data: bytes) -> str:
    """Return the text of a file of any controller."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def scan(data: bytes, file: str, first: int = 1) -> Scanned:
    """Return the lines of a file; a letter that KRL does not know is a finding, and its line is left out.

    `first` is the number of the first line.
    """
    out = Scanned(file)
    open_folds: list[tuple[str, int]] = []
    for number, text in enumerate(_LINE_END.split(decoded(data)), start=first):
        if text.startswith("&"):
            key, _blank, value = text[1:].partition(" ")
            out.header[key.upper()] = value.strip()
            continue
        if ";" in text:
            _fold(text, number, open_folds, out.folds)
        line = _tokens(text, number, out)
        if line is None:
            out.unread.update(name.upper() for name in _NAME.findall(text[:LONGEST_LINE]))
        elif line.tokens:
            out.lines.append(line)
    return out


def _fold(text: str, number: int, open_folds: list[tuple[str, int]], folds: list[Fold]) -> None:
    if found := _FOLD.match(text):
        open_folds.append((found[1].strip(), number))
    elif _ENDFOLD.match(text) and open_folds:
        title, first = open_folds.pop()
        folds.append(Fold(title, first, number))


def _tokens(text: str, number: int, out: Scanned) -> Line | None:
    line = Line(number, [])
    place, end = 0, len(text.rstrip())
    if end > LONGEST_LINE:
        _report(
            out, number, 1, Message("krl_line_too_long", _("the line is longer than {most} letters"), most=LONGEST_LINE)
        )
        return None
    while place < end:
        found = _TOKEN.match(text, place)
        if found is None:
            rest = text[place:end].lstrip()
            if not rest or rest[0] == ";":
                break
            column = end - len(rest) + 1
            _report(out, number, column, Message("krl_letter", _("'{letter}' is not a sign of KRL"), letter=rest[0]))
            return None
        kind: Kind = found.lastgroup  # type: ignore[assignment]  # one of the groups
        word = found[kind]
        if kind == "enum":
            word = "#" + word[1:].lstrip()
        line.tokens.append(
            Token(kind, word if kind == "string" else word.upper(), found.start(kind) + 1, found.end() + 1)
        )
        place = found.end()
    return line


def _report(out: Scanned, line: int, column: int, message: Message) -> None:
    out.findings.append(Finding("error", message, {"file": out.file, "line": line, "column": column}))
