"""The project with its history: edits, undo and redo."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from armlab.assets import references_in
from armlab.cell.events import Changed, Document
from armlab.cell.patch import Change, applied, difference
from armlab.cell.project import Project
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.validation import refusal

MAX_UNDO = 100
MAX_UNDO_BYTES = 4_000_000
"""Of all kept projects together, as JSON: in memory they take about three times as much."""


class Stale(InvalidInput):
    """A command for a project that somebody else has changed in the meantime."""

    def __init__(self, revision: int) -> None:
        super().__init__("stale", _("the project has changed; try again"), revision=revision)


def as_json(project: Project) -> Any:
    """Return the document as pages and files have it."""
    return project.model_dump(mode="json", by_alias=True)


def edited(project: Project, changes: Sequence[Change]) -> Project:
    """Return a project with changes.

    Raises:
        InvalidInput: if they are about what is not there, or what comes of them is no project.
    """
    try:
        return Project.model_validate_json(json.dumps(applied(as_json(project), changes)))
    except ValidationError as error:
        raise refusal(error) from None


def change_between(before: Document, now: Document) -> Changed:
    """Return what pages are told that know the document as it was before its last change."""
    return Changed(
        changes=difference(as_json(before.project), as_json(now.project)),
        revision=now.revision,
        layout=None if now.layout == before.layout else now.layout,
        selected=now.selected,
        undo=now.undo,
        redo=now.redo,
    )


class HistoryEntry(NamedTuple):
    """A project to go back to, and what would be undone by that."""

    label: str
    project: Project
    size: int
    """Bytes as JSON."""
    assets: tuple[str, ...]
    """Names of the files that it refers to."""

    @classmethod
    def of(cls, label: str, project: Project) -> HistoryEntry:
        """Return a step with its size."""
        text = project.model_dump_json()
        return cls(label, project, len(text), tuple(references_in(text)))


class Saved(NamedTuple):
    """All of a history."""

    project: Project
    revision: int
    past: list[HistoryEntry]
    future: list[HistoryEntry]


def changed_arms(before: Project, after: Project) -> set[str]:
    """Return the names of the arms that are not the same in both."""
    old, new = ({arm.name: arm for arm in project.arms} for project in (before, after))
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def _newest(steps: list[HistoryEntry]) -> list[HistoryEntry]:
    """Return as many of the newest steps as may be kept; the last one always."""
    kept, size = 0, 0
    for step in reversed(steps[-MAX_UNDO:]):
        size += step.size
        if kept and size > MAX_UNDO_BYTES:
            break
        kept += 1
    return steps[-kept:]


class History:
    """The project as it is, what it was, and what was taken back; every change raises `revision`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.revision = 1
        self._past: list[HistoryEntry] = []
        self._future: list[HistoryEntry] = []

    @property
    def undo_label(self) -> str | None:
        """What undo would take back."""
        return self._past[-1].label if self._past else None

    @property
    def redo_label(self) -> str | None:
        """What redo would redo."""
        return self._future[-1].label if self._future else None

    @property
    def undo_project(self) -> Project | None:
        """What the project would be after undo."""
        return self._past[-1].project if self._past else None

    @property
    def redo_project(self) -> Project | None:
        """What the project would be after redo."""
        return self._future[-1].project if self._future else None

    def edit(self, project: Project, label: str, *, coalesce: bool = False) -> None:
        """Take a changed project; what had been undone is forgotten.

        One that coalesces continues the last edit, if that has the same label: a hand that pulls a slider makes many
        changes, and one undo takes all of them back. If they end where they began, nothing is left to undo. The same
        done to another arm is another edit.
        """
        if project == self.project:
            return
        goes_on = coalesce and label == self.undo_label and not self._future
        if goes_on and changed_arms(self._past[-1].project, self.project) == changed_arms(self.project, project):
            if project == self._past[-1].project:
                self._past.pop()
        else:
            self._past = _newest([*self._past, HistoryEntry.of(label, self.project)])
        self._future = []
        self._set(project)

    def undo(self) -> None:
        """Go back by one edit."""
        if not self._past:
            raise InvalidInput("nothing_to_undo", _("there is nothing to undo"))
        step = self._past.pop()
        self._future.append(HistoryEntry.of(step.label, self.project))
        self._set(step.project)

    def redo(self) -> None:
        """Take the last undo back."""
        if not self._future:
            raise InvalidInput("nothing_to_redo", _("there is nothing to redo"))
        step = self._future.pop()
        self._past.append(HistoryEntry.of(step.label, self.project))
        self._set(step.project)

    def assets(self) -> set[str]:
        """Return the names of all files that the project refers to, also after undo and redo."""
        steps = (HistoryEntry.of("", self.project), *self._past, *self._future)
        return {name for step in steps for name in step.assets}

    def saved(self) -> Saved:
        """Return all of it, to go back to."""
        return Saved(self.project, self.revision, list(self._past), list(self._future))

    def restore(self, saved: Saved) -> None:
        """Be as it was when `saved` was taken."""
        self.project, self.revision, self._past, self._future = saved

    def _set(self, project: Project) -> None:
        self.project = project
        self.revision += 1
