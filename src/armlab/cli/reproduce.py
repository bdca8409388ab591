"""`armlab reproduce`: the papers, run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson
from armlab.cli.text import console, print_json, progress_bar, table
from armlab.errors import UnknownName
from armlab.messages import Message, _, term, tr

if TYPE_CHECKING:
    from armlab.documents.blocks import Links
    from armlab.studies.papers.study import StudyResult

ALL = "all"
NOT_HOLDING = 1
MANUAL = (
    (_("manual control: sliders"), "panel=jog&mode=sliders"),
    (_("manual control: keyboard and gamepad, joint by joint"), "panel=jog&mode=joints"),
    (_("manual control: keyboard and gamepad, at the tool"), "panel=jog&mode=tool"),
)
"""S1's manual control in the workbench: what, and the part of the address that opens it."""


class ReproducedRow(BaseModel):
    """One line: the paper's, ours, ours − theirs where these are numbers, what it takes to hold, whether it does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: Message
    paper: float | str | Message
    ours: float | str | Message
    difference: float | None
    requires: Message
    holds: bool


class ReproducedPaper(BaseModel):
    """A paper's table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    paper: str
    rows: tuple[ReproducedRow, ...]


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=_("S1, S2, S3, S4, S5 or all."), show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help=_("For one page with everything, its figures and files."),
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab reproduce`."""
    from armlab.studies.papers import PAPERS, run_study
    from armlab.studies.papers.page import write_results

    known = {tag.lower(): [study] for tag, study in PAPERS.items()} | {ALL: list(PAPERS.values())}
    if paper.lower() not in known:
        raise UnknownName("paper", paper, (*PAPERS, ALL))
    chosen = known[paper.lower()]
    total, done = sum(len(study.parts) for study in chosen), 0
    results = []
    with progress_bar(tr("the papers, run again"), as_json=as_json) as progress:
        for study in chosen:
            results.append(run_study(study, lambda part, _parts, done=done: progress(done + part, total)))  # type: ignore[misc]
            done += len(study.parts)
    files: list[Path] = []
    if output is not None:
        with progress_bar(tr("figures"), as_json=as_json) as progress:
            files = write_results(results, output, progress, _links())
    if as_json:
        print_json([_report(result) for result in results])
    else:
        _print(results)
        if files:
            console().print(tr("{file}: written", file=str(files[-1])), soft_wrap=True)
    if not all(result.holds for result in results):
        raise typer.Exit(NOT_HOLDING)


def _links() -> dict[str, Links]:
    """Return links to the workbench by the papers' tags: their experiments, and S1's manual control."""
    from armlab.cli.serve import DEFAULT_PORT
    from armlab.documents.blocks import Links
    from armlab.server.paper_projects import paper_rows

    workbench = f"http://127.0.0.1:{DEFAULT_PORT}/#"
    items: dict[str, list[tuple[str, str]]] = {}
    for row in paper_rows():
        items.setdefault(row.paper, []).append((row.title.localized(), f"{workbench}paper={row.name}"))
    items["S1"] += [(term(text).localized(), workbench + where) for text, where in MANUAL]
    return {tag: Links(tuple(each)) for tag, each in items.items()}


def _report(result: StudyResult) -> ReproducedPaper:
    rows = [ReproducedRow(**row._asdict()) for row in result.rows]
    return ReproducedPaper(paper=result.tag, rows=tuple(rows))


def _print(results: list[StudyResult]) -> None:
    from armlab.studies.papers.page import columns, row_texts

    out = console()
    for result in results:
        title = f"{result.tag}. {result.title.localized()}"
        out.print(table(title, columns(), [row_texts(row) for row in result.rows], words=(0, 1, 2, 4, 5)))
        for one in result.tables:
            header = [cell.localized() if isinstance(cell, Message) else cell for cell in one.header]
            out.print(table(one.caption.localized(), header, one.rows, words=()))
        for note in result.notes:
            out.print(note.localized(), soft_wrap=True)
            out.print()
    good, count = (sum(row.holds for r in results for row in r.rows), sum(len(r.rows) for r in results))
    out.print(tr("{good} of {count} lines hold.", good=good, count=count))
