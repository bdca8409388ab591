"""The results of studies as one HTML page, with their figures and files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from armlab.documents.blocks import Block, Heading, Links, Picture, paragraph, table
from armlab.documents.html import to_html
from armlab.documents.pictures import png_of
from armlab.errors import InvalidInput
from armlab.files import write_whole, written_whole
from armlab.messages import ENGLISH, Message, _, reader, tr
from armlab.studies.papers.study import StudyResult, StudyRow, Value

PAGE = "papers.html"


def value_text(value: Value | None) -> str:
    """Return a value as the reader sees it: a number with few digits, a message in the reader's language."""
    if value is None:
        return "–"
    if isinstance(value, Message):
        return value.localized()
    if isinstance(value, str):
        return value
    text = f"{value:.6g}"
    return text if reader.get() == ENGLISH else text.replace(".", ",")


def row_texts(row: StudyRow) -> tuple[str, str, str, str, str, str]:
    """Return the cells of a row."""
    difference = None if row.difference is None else float(f"{row.difference:.2g}")
    holds = tr("yes") if row.holds else tr("NO")
    numbers = value_text(row.paper), value_text(row.ours), value_text(difference)
    return row.what.localized(), *numbers, row.requires.localized(), holds


def columns() -> tuple[str, str, str, str, str, str]:
    """Return the heads of the columns."""
    return tr("what"), tr("paper"), tr("armlab"), tr("difference"), tr("holds if"), tr("confirmed")


def write_results(
    results: Sequence[StudyResult],
    folder: Path,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
    links: Mapping[str, Links] | None = None,
) -> list[Path]:
    """Write the page, every figure as PNG and every file to a folder, which is made if need be; return all of them.

    `links` lead from a paper, by its tag, to the workbench.

    Raises:
        InvalidInput: if the folder cannot be made or written to.
    """
    _make(folder)
    written: list[Path] = []
    pictures: dict[tuple[str, str], bytes] = {}
    total = sum(len(result.figures) + len(result.files) for result in results)
    for result in results:
        for figure in result.figures:
            progress(len(written), total)
            data = png_of(figure.draw())
            pictures[result.tag, figure.name] = data
            written.append(folder / f"{result.tag}-{figure.name}.png")
            write_whole(written[-1], data)
        for file in result.files:
            progress(len(written), total)
            written.append(folder / f"{result.tag}-{file.name}")
            with written_whole(written[-1]) as beside:
                file.write(beside)
    page = folder / PAGE
    write_whole(page, to_html(page_blocks(results, pictures, links or {})).encode())
    return [*written, page]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        unwritable = InvalidInput("file_unwritable", _("cannot be written ({reason})"), reason=reason)
        raise unwritable.within(str(folder)) from None


def page_blocks(
    results: Sequence[StudyResult], pictures: dict[tuple[str, str], bytes], links: Mapping[str, Links]
) -> list[Block]:
    """Return the page as blocks."""
    rows = [row for result in results for row in result.rows]
    good = sum(row.holds for row in rows)
    out: list[Block] = [
        Heading(1, tr("The papers, run again")),
        paragraph(tr("{good} of {count} lines hold.", good=good, count=len(rows))),
    ]
    for result in results:
        out.append(Heading(2, f"{result.tag}. {result.title.localized()}"))
        out.append(table(columns(), [row_texts(row) for row in result.rows], words=(0, 1, 2, 4, 5)))
        out += [paragraph(note.localized()) for note in result.notes]
        if result.tag in links:
            out.append(paragraph(tr("See it move in the workbench (while `armlab serve` runs):")))
            out.append(links[result.tag])
        for one in result.tables:
            out.append(Heading(3, one.caption.localized()))
            header = [cell.localized() if isinstance(cell, Message) else cell for cell in one.header]
            out.append(table(header, one.rows, words=()))
        out += [
            Picture(figure.name, pictures[result.tag, figure.name], figure.caption.localized())
            for figure in result.figures
        ]
        if result.files:
            out.append(paragraph(tr("Files: {files}", files=[f"{result.tag}-{file.name}" for file in result.files])))
    return out
