"""Tables and numbers on the screen; plain text when the output is not a terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from armlab.messages import ENGLISH, Message, reader, tr

if TYPE_CHECKING:
    from armlab.model.finding import Finding
    from armlab.model.robot import Robot

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Characters that control a terminal or turn the direction of writing; tabs and ends of lines do neither."""
WIDE = 200
"""Columns where the output is a file or a pipe: tables are not squeezed into 80."""


def visible(text: str) -> str:
    """Return a text in which nothing controls a terminal or turns the direction of writing: ESC is shown as x1b."""
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def in_one_line(text: str) -> str:
    """Return a text from outside that nothing in it can end."""
    return visible(text).replace("\n", "\\n")


def say(text: str = "", *, err: bool = False) -> None:
    """Write a line to standard output or standard error; what files bring into it controls nothing."""
    print(visible(text), file=sys.stderr if err else sys.stdout, flush=err)


class VisibleConsole(Console):
    """A console on which texts show what would control it."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print objects; strings are from files as likely as not."""
        super().print(*(visible(one) if isinstance(one, str) else one for one in objects), **settings)


def console() -> Console:
    """Return the console for standard output."""
    out = VisibleConsole(highlight=False, markup=False, emoji=False)  # names come from files: nothing in them is markup
    return out if out.is_terminal else VisibleConsole(highlight=False, markup=False, emoji=False, width=WIDE)


def heading(text: str) -> Text:
    """Return a line that stands out."""
    return Text(visible(text), style="bold")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = (0,)) -> Table:
    """Return a table whose columns `words` are text, and whose others are numbers."""
    out = Table(title=visible(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        out.add_column(column, justify="left" if i in words else "right", overflow="fold")
    for row in rows:
        out.add_row(*(visible(cell) for cell in row))
    return out


def number(value: float | None, digits: int = 3) -> str:
    """Return a number without needless zeros and with the reader's decimal sign, or a dash for None."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return "0" if text in {"-0", ""} else decimal(text)


def fixed(value: float, digits: int) -> str:
    """Return a number with that many places, with the reader's decimal sign."""
    return decimal(f"{value:.{digits}f}")


def decimal(text: str) -> str:
    """Return a number that was written with a point with the reader's decimal sign."""
    return text if reader.get() == ENGLISH else text.replace(".", ",")


def joints_text(robot: Robot, q: Sequence[float], digits: int = 3) -> str:
    """Return joint values (° and mm) in a line: A1 10°, Z 20 mm."""
    shown = []
    for joint, value in zip(robot.joints, q, strict=True):
        shown.append(f"{joint.name} {number(value, digits)}{'°' if joint.kind == 'revolute' else ' ' + tr('mm')}")
    return ", ".join(shown)


def joint_kind(kind: str) -> str:
    """Return the word for a kind of joint."""
    return {"revolute": tr("revolute"), "prismatic": tr("prismatic")}.get(kind, kind)


def severity(name: str) -> str:
    """Return how bad a finding is, as a word."""
    return {"error": tr("error"), "warning": tr("warning"), "note": tr("note")}[name]


def note(message: Message) -> None:
    """Write a note to standard error."""
    say(f"{tr('note')}: {message.localized()}", err=True)


@contextmanager
def progress_bar(title: str, *, as_json: bool = False) -> Iterator[Callable[[int, int], object]]:
    """Give a `progress(done, total)` that draws a bar on standard error, if a person is looking."""
    if as_json or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(escape(in_one_line(title)), total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


@contextmanager
def activity(*, as_json: bool = False) -> Iterator[Callable[[str], object]]:
    """Give a `show(text)` that says on standard error what is being done, and since when, if a person is looking."""
    if as_json or not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=None)
        yield lambda text: bars.update(bar, description=in_one_line(text))


def print_json(report: BaseModel | Sequence[BaseModel]) -> None:
    """Write a report, or a list of them, as JSON to standard output."""
    if isinstance(report, BaseModel):
        print_json_text(report.model_dump_json(indent=2, exclude_none=True))
    else:
        print_json_text(json.dumps([one.model_dump(mode="json") for one in report], indent=2, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """Write a JSON text to standard output; in its strings, controls are escaped as JSON has it."""
    print(CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text), flush=True)


def place_of(finding: Finding) -> str:
    """Return where a finding is in a file, as compilers write it: `file:line:column: `."""
    where = finding.where
    if "line" not in where:
        return ""
    parts = [str(where[key]) for key in ("file", "line", "column") if key in where]
    return ":".join(parts) + ": "
