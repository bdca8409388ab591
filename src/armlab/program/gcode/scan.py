"""One line of text becomes a block: words, codes, parameter settings, an O-word, comments.

Blanks and case mean nothing outside of comments. Values are computed while the line is read, so every parameter has
the value that it had before the line; settings of the line take effect together, after it was read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from armlab.messages import _
from armlab.program.gcode.expressions import Values, read_integer, read_parameter_name, read_value
from armlab.program.gcode.problems import BadBlock

LONGEST_LINE = 255
"""Letters of a line, as LinuxCNC has it."""
MAX_NUMBER = 99_999

LETTERS = frozenset("abcdefhijklpqrstuvwxyz@^")
"""Words that may stand once in a block; G, M, N and O are read by themselves."""

Keyword = Literal[
    "sub", "endsub", "call", "return", "if", "elseif", "else", "endif", "while", "endwhile", "do", "repeat",
    "endrepeat", "break", "continue", "label",
]  # fmt: skip

_PLAIN = re.compile(r"(?:[ \t]*[A-NP-Za-np-z][ \t]*[-+]?(?:\d+\.?\d*|\.\d+))*[ \t]*\r?$")
"""Most lines of most programs: letters with numbers, and nothing else."""
_WORD = re.compile(r"([A-Za-z])[ \t]*([-+]?[\d.]+)")
_KEYWORD = re.compile(r"endsub|sub|call|return|if|elseif|else|endif|while|endwhile|do|repeat|endrepeat|break|continue")
_BLANK = str.maketrans("", "", " \t\r")
_O_NAME = re.compile(r"<([^<>]+)>|(\d+)")


@dataclass(slots=True)
class OWord:
    """A word of control: which one, its label, and what it takes."""

    label: str
    keyword: Keyword
    arguments: list[float] = field(default_factory=list)
    has_value: bool = False


@dataclass(slots=True)
class Block:
    """What one line says."""

    line: int
    words: dict[str, float] = field(default_factory=dict)
    g: list[int] = field(default_factory=list)
    """Ten times the number: G38.2 is 382."""
    m: list[int] = field(default_factory=list)
    settings: list[tuple[int | str, float]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    o: OWord | None = None
    number: float | None = None
    is_deleted: bool = False


def read_block(text: str, line: int, values: Values, *, skip_deleted: bool = False) -> Block:
    """Return the block in `text`; a line that begins with `/` is empty where `skip_deleted`.

    Raises:
        BadBlock: if the line is not well formed.
    """
    block = Block(line)
    if _PLAIN.match(text) and len(text) <= LONGEST_LINE:
        for letter, number in _WORD.findall(text):
            _add(block, letter.lower(), float(number), None)
        return block
    if len(text.rstrip("\r")) > LONGEST_LINE:
        raise BadBlock("line_too_long", _("the line is longer than {most} letters"), 0, most=LONGEST_LINE)
    code = _without_comments(text, block)
    place = 0
    if code.startswith("/"):
        block.is_deleted = True
        if skip_deleted:
            block.comments.clear()
            return block
        place = 1
    while place < len(code):
        place = _read_item(code, place, block, values)
        if block.o is not None and place < len(code):
            raise BadBlock("o_word_rest", _("nothing may follow the O-word on its line"), place)
    return block


def column_of(text: str, place: int | None) -> int:
    """Return the column (from 1) of the letter that is at `place` when comments and blanks are left out."""
    if place is None:
        return 1
    count = depth = 0
    for column, letter in enumerate(text, start=1):
        if letter == "(":
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
        elif depth == 0 and letter not in " \t\r":
            if count == place or letter == ";":
                return column
            count += 1
    return max(1, len(text.rstrip()))


def place_named(text: str, parameters: Mapping[str, object]) -> int | None:
    """Return where in a line, blanks and comments left out, the word stands that a message is about; None: unknown."""
    code = re.sub(r"\([^)]*\)|;.*", "", text).translate(_BLANK).lower()
    for name in ("letter", "second", "code", "first"):
        word = str(parameters.get(name, "")).lower()
        found = re.match(r"([a-z@^])([\d.]*)$", word)
        if found is None:
            continue
        number = r"0*" + re.escape(found[2]) + r"(?![\d.])" if found[2] else ""
        places = [match.start() for match in re.finditer(re.escape(found[1]) + number, code)]
        if places:
            return places[-1] if name == "second" else places[0]
    return None


def _without_comments(text: str, block: Block) -> str:
    """Return the line in lower case without blanks and comments, which go into the block."""
    out: list[str] = []
    place = 0
    while place < len(text):
        letter = text[place]
        if letter == ";":  # the rest of the line says nothing, not even to an operator
            break
        if letter == "(":
            end = text.find(")", place)
            inner = text[place + 1 : end if end >= 0 else len(text)]
            if end < 0:
                raise BadBlock("comment_open", _("a comment ( is not closed"), len("".join(out)))
            if "(" in inner:
                raise BadBlock("comment_nested", _("a comment may not hold another ("), len("".join(out)))
            block.comments.append(inner)
            place = end + 1
            continue
        start = place
        while place < len(text) and text[place] not in ";(":
            place += 1
        out.append(text[start:place].translate(_BLANK).lower())
    return "".join(out)


def _read_item(code: str, place: int, block: Block, values: Values) -> int:
    letter = code[place]
    if letter == "#":
        name, end = read_parameter_name(code, place, values)
        if code[end : end + 1] != "=":
            raise BadBlock("setting_form", _("'=' expected after the parameter"), end)
        value, end = read_value(code, end + 1, values)
        block.settings.append((name, value))
        return end
    if letter == "o":
        return _read_o_word(code, place, block, values)
    if not (letter.isascii() and letter.isalpha()) and letter not in "@^":
        raise BadBlock("letter_unknown", _("'{letter}' is not a word of G-code"), place, letter=letter)
    if letter == "n":
        found = re.compile(r"\d+(\.\d+)?").match(code, place + 1)
        if found is None:
            raise BadBlock("line_number", _("a line number is expected after N"), place)
        block.number = float(found[0])
        return found.end()
    value, end = read_value(code, place + 1, values)
    _add(block, letter, value, place)
    return end


def _add(block: Block, letter: str, value: float, place: int | None) -> None:
    """Put a word into the block."""
    if letter == "g":
        block.g.append(_code(value, 10, place, "G"))
    elif letter == "m":
        block.m.append(_code(value, 1, place, "M"))
    elif letter == "n":
        block.number = value
    elif letter in LETTERS:
        if letter in block.words:
            raise BadBlock("word_twice", _("the word {letter} stands twice in the line"), place, letter=letter.upper())
        block.words[letter] = value
    else:
        raise BadBlock("letter_unknown", _("'{letter}' is not a word of G-code"), place, letter=letter.upper())


def _code(value: float, scale: int, place: int | None, letter: str) -> int:
    code = round(value * scale)
    if value < 0 or abs(value * scale - code) > 1e-3 or code > MAX_NUMBER:
        raise BadBlock("code_unknown", _("{letter}{value:g} is not a code"), place, letter=letter, value=value)
    return code


def _read_o_word(code: str, place: int, block: Block, values: Values) -> int:
    if block.words or block.g or block.m or block.settings:
        raise BadBlock("o_word_first", _("an O-word must be the first in its line"), place)
    found = _O_NAME.match(code, place + 1)
    if found is not None:
        label, end = found[1] or str(int(found[2])), found.end()
    else:
        number, end = read_integer(code, place + 1, values)
        label = str(number)
    keyword = _KEYWORD.match(code, end)
    if keyword is None and end == len(code):
        block.o = OWord(label, "label")  # the name of a program, or where M98 goes to
        return end
    if keyword is None:
        raise BadBlock("o_word_unknown", _("an O-word needs a keyword: sub, call, if, while …"), end)
    word = OWord(label, keyword[0])  # type: ignore[arg-type]  # the pattern has no others
    end = keyword.end()
    while code[end : end + 1] == "[":
        value, end = read_value(code, end, values)
        word.arguments.append(value)
        word.has_value = True
    block.o = word
    return end
