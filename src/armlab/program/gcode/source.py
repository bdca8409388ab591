"""The text of a program file, places in it, and the lines that begin with an O-word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.messages import _

MAX_SOURCE = 512_000_000
"""Bytes of one program file."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_CONTROL_LINE = re.compile(rb"^[ \t]*(?:/[ \t]*)?(?:n[\d. \t]+)?o", re.IGNORECASE | re.MULTILINE)
_CONTROL = re.compile(
    r"(?:/)?(?:n[\d.]+)?o(?:<([^<>]+)>|(\d+))(endsub|sub|call|return|if|elseif|else|endif|while|endwhile|do|repeat|endrepeat|break|continue)?"
)  # fmt: skip
_BLANK = str.maketrans("", "", " \t\r")


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a program file."""

    name: str
    data: bytes
    folder: Path | None = None

    @classmethod
    def from_file(cls, path: Path, name: str | None = None) -> Source:
        """Return the text of a file; `name` is what findings call it, by default its path.

        Raises:
            InvalidInput: if it cannot be read, or is no text.
        """
        return cls.from_bytes(name or str(path), read_bounded(path, MAX_SOURCE), path.parent)

    @classmethod
    def from_bytes(cls, name: str, data: bytes, folder: Path | None = None) -> Source:
        """Return the text in `data`; subroutines in files of their own are looked for in `folder`.

        Raises:
            InvalidInput: if it is not text, or empty.
        """
        data = data.removeprefix(BYTE_ORDER_MARK)
        if b"\0" in data[:4096]:
            raise InvalidInput("gcode_binary", _("{file}: is a binary file, not G-code"), file=name)
        if not data.strip():
            raise InvalidInput("gcode_empty", _("{file}: is empty"), file=name)
        return cls(name, data, folder)


@dataclass(slots=True)
class SourcePosition:
    """Where the next line begins: source, byte, number of the line."""

    source: Source
    byte: int = 0
    line: int = 0


def o_words(source: Source, start: SourcePosition) -> Iterator[tuple[str, str, SourcePosition]]:
    """Yield keyword, label and the place after it of every line with an O-word from `start` on."""
    line, counted = start.line, start.byte
    for found in _CONTROL_LINE.finditer(source.data, start.byte):
        line += source.data.count(b"\n", counted, found.start())
        counted = found.start()
        end = source.data.find(b"\n", found.start())
        stop = end if end >= 0 else len(source.data)
        text = source.data[found.start() : stop].decode("utf-8", "replace").translate(_BLANK).lower()
        word = _CONTROL.match(text)
        is_label = word is not None and word[2] and word.end() == len(text.partition("(")[0].partition(";")[0])
        if word is not None and (word[3] or is_label):
            yield (
                word[3] or "label",
                word[1] or str(int(word[2])),
                SourcePosition(source, min(stop + 1, len(source.data)), line + 1),
            )
