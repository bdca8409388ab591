"""Files from outside are read once, whole and bounded; files of ours are written beside and renamed."""

from __future__ import annotations

import csv
import io
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from armlab.errors import InvalidInput
from armlab.messages import _

LONGEST_NAME = 200
MOST_TEXT_BYTES = 500_000_000
"""Of a table of text: its numbers take about as much memory again."""


def read_bounded(path: Path, most: int) -> bytes:
    """Return the bytes of an ordinary file of at most `most` bytes.

    Raises:
        InvalidInput: if there is none, it is a folder or a device, it is too large, or it cannot be read.
    """
    try:
        return bounded_bytes(path, most)
    except InvalidInput as error:
        raise error.within(_shown(path)) from None


def bounded_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of an ordinary file; like `read_bounded`, but its errors do not name the file."""
    try:
        about = path.stat()
        mode, size = about.st_mode, min(about.st_size, most)
        if stat.S_ISDIR(mode):
            raise InvalidInput("file_is_folder", _("is a folder, not a file"))  # noqa: TRY301
        if not stat.S_ISREG(mode):
            raise InvalidInput("file_not_regular", _("not a regular file"))  # noqa: TRY301
        with path.open("rb") as stream:
            data = stream.read(size + 1)  # room for what is there, not for all that may be
            if size < len(data) <= most:  # it grows, or does not know its size
                data += stream.read(most + 1 - len(data))
    except FileNotFoundError:
        raise InvalidInput("file_missing", _("no such file")) from None
    except OSError as error:
        raise InvalidInput("file_unreadable", _("cannot be read ({reason})"), reason=error.strerror) from None
    except InvalidInput:
        raise
    except ValueError:  # a NUL in the name, a name that cannot be encoded
        raise _impossible_name() from None
    if len(data) > most:
        raise InvalidInput("file_too_large", _("larger than the {most:g} MB allowed"), most=most / 1e6)
    return data


def text_lines(data: bytes) -> io.TextIOWrapper:
    """Return the lines of a text: UTF-8, other bytes replaced, with the line ends of any system."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", errors="replace", newline=None)


def csv_rows(lines: Iterable[str], separator: str = ",", *, first: int = 1) -> Iterator[list[str]]:
    """Return the cells of each line of a table of text; a quoted cell may have several lines.

    `first` is the number of the first line in messages.

    Raises:
        InvalidInput: if a cell is too long, as when a quotation mark is not closed; it names the line.
    """
    rows = csv.reader(lines, delimiter=separator)
    try:
        yield from rows
    except csv.Error:
        raise InvalidInput(
            "table_cell_too_long",
            _("line {line}: a cell has more than {most} characters; is a quotation mark not closed?"),
            line=first - 1 + rows.line_num,
            most=csv.field_size_limit(),
        ) from None


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all.

    Raises:
        InvalidInput: if it cannot be written.
    """
    with written_whole(path) as beside:
        beside.write_bytes(data)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a new path beside `path` to write to; at the end of the block that file takes the place of `path`.

    If the block fails, `path` stays as it was and the other file is removed.

    Raises:
        InvalidInput: if it cannot be written.
    """
    if len(path.name) > LONGEST_NAME:
        template = _("{file}…: a file name has at most {most} letters")
        raise InvalidInput("file_name_too_long", template, file=path.name[:40], most=LONGEST_NAME)
    try:
        beside = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
        try:
            yield beside
            beside.replace(path)
        finally:
            with suppress(OSError, ValueError):
                beside.unlink(missing_ok=True)
    except OSError as error:
        unwritable = InvalidInput("file_unwritable", _("cannot be written ({reason})"), reason=error.strerror)
        raise unwritable.within(_shown(path)) from None
    except InvalidInput:
        raise
    except ValueError:
        if _shown(path) == str(path):
            raise
        raise _impossible_name().within(_shown(path)) from None


def checked_suffix(path: Path, suffixes: Sequence[str]) -> Path:
    """Return `path` if its name ends in one of `suffixes`.

    Raises:
        InvalidInput: if it does not.
    """
    if path.suffix.lower() not in suffixes:
        template = _("{file}: the file name must end in {suffixes}")
        raise InvalidInput("file_suffix", template, file=str(path), suffixes=list(suffixes))
    return path


def _impossible_name() -> InvalidInput:
    return InvalidInput("file_name", _("no file can have this name"))


def _shown(path: Path) -> str:
    text = str(path)
    return text if text.isprintable() else repr(text)
