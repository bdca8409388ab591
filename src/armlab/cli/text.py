"""Tables and numbers on the screen; plain text when the output is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pydantic import BaseModel, TypeAdapter
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 200
"""Columns where the output is a file or a pipe: tables are not squeezed into 80."""


def console() -> Console:
    """Return the console for standard output."""
    out = Console(highlight=False, markup=False)  # names come from files: nothing in them is markup
    return out if out.is_terminal else Console(highlight=False, markup=False, width=WIDE)


def heading(text: str) -> Text:
    """Return a line that stands out."""
    return Text(text, style="bold")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, words: Sequence[int] = (0,)) -> Table:
    """Return a table whose columns `words` are text, and whose others are numbers."""
    out = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        out.add_column(column, justify="left" if i in words else "right", overflow="fold")
    for row in rows:
        out.add_row(*row)
    return out


def number(value: float | None, digits: int = 3) -> str:
    """Return a number without needless zeros, or a dash for None."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return "0" if text in {"-0", ""} else text


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], object]]:
    """Give a `progress(done, total)` that draws a bar on standard error, if a person is looking."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


def print_json(report: BaseModel | Sequence[BaseModel]) -> None:
    """Write a report, or a list of them, as JSON to standard output."""
    if isinstance(report, BaseModel):
        print(report.model_dump_json(indent=2, exclude_none=True))
    else:
        print(TypeAdapter(list[BaseModel]).dump_json(list(report), indent=2, serialize_as_any=True).decode())
