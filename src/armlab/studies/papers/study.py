"""A study: parts that run a paper's trial again and give rows, and figures that are drawn where they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from armlab.messages import Message, _, term

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value: TypeAlias = float | str | Message
Progress: TypeAlias = Callable[[int, int], object]


class StudyRow(NamedTuple):
    """One line of a table; `difference` is ours − the paper's, None where these are not numbers.

    `requires` says what must be so for the line to hold: anything else makes it fail.
    """

    what: Message
    paper: Value
    ours: Value
    difference: float | None
    requires: Message
    holds: bool


class StudyFigure(NamedTuple):
    """A figure: a short name for its file, its caption, and how it is drawn."""

    name: str
    caption: Message
    draw: Callable[[], Figure]


class StudyFile(NamedTuple):
    """A file beside the figures, such as a program or a moving picture: its name, and how it is written to a path."""

    name: str
    write: Callable[[Path], object]


class StudyTable(NamedTuple):
    """A table beside the rows, such as the steps of an iteration: numbers and words as they are shown."""

    caption: Message
    header: tuple[Message | str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PartResult:
    """What a part of a study gave."""

    rows: tuple[StudyRow, ...]
    figures: tuple[StudyFigure, ...] = ()
    files: tuple[StudyFile, ...] = ()
    tables: tuple[StudyTable, ...] = ()
    notes: tuple[Message, ...] = ()
    """What a reader should know about these rows."""


@dataclass(frozen=True, slots=True)
class PaperStudy:
    """A paper: its tag, what it is about, and the parts of its trial."""

    tag: str
    title: Message
    parts: tuple[Callable[[], PartResult], ...]


@dataclass(frozen=True, slots=True)
class StudyResult:
    """A study that was run."""

    tag: str
    title: Message
    rows: tuple[StudyRow, ...]
    figures: tuple[StudyFigure, ...] = ()
    files: tuple[StudyFile, ...] = ()
    tables: tuple[StudyTable, ...] = ()
    notes: tuple[Message, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every row does."""
        return all(row.holds for row in self.rows)


def run_study(study: PaperStudy, progress: Progress = lambda _done, _total: None) -> StudyResult:
    """Run all parts of a study; `progress` is told after each."""
    results = []
    for done, part in enumerate(study.parts):
        progress(done, len(study.parts))
        results.append(part())
    progress(len(study.parts), len(study.parts))
    return StudyResult(
        study.tag,
        study.title,
        tuple(row for one in results for row in one.rows),
        tuple(figure for one in results for figure in one.figures),
        tuple(file for one in results for file in one.files),
        tuple(table for one in results for table in one.tables),
        tuple(note for one in results for note in one.notes),
    )


def near(what: Message, paper: float, ours: float, within: float) -> StudyRow:
    """Return a row that holds where our number is the paper's within a tolerance."""
    requires = term(_("within {within:g} of the paper's"), within=within) if within else term(_("equal to the paper's"))
    return StudyRow(what, paper, float(ours), float(ours) - paper, requires, abs(float(ours) - paper) <= within)


def at_most(what: Message, paper: float, ours: float, most: float) -> StudyRow:
    """Return a row about an error: the paper's, ours, and the most that ours may be."""
    requires = term(_("at most {most:g}"), most=most)
    return StudyRow(what, paper, float(ours), float(ours) - paper, requires, float(ours) <= most)


def shown(what: Message, paper: Value, ours: Value, requires: Message, *, holds: bool) -> StudyRow:
    """Return a row about something that is not a number of the paper, with what it takes to hold."""
    difference = ours - paper if isinstance(ours, float) and isinstance(paper, float) else None
    return StudyRow(what, paper, ours, difference, requires, bool(holds))
