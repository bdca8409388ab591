"""The project with its history: edits, undo and redo."""

from __future__ import annotations

from armlab.errors import InvalidInput
from armlab.runtime.project import Project

MAX_UNDO = 100


class Stale(InvalidInput):
    """An edit of a project that somebody else has changed in the meantime."""

    code = "stale"


class History:
    """The project as it is, what it was, and what was taken back; every change raises `revision`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.revision = 1
        self._past: list[tuple[str, Project]] = []
        self._future: list[tuple[str, Project]] = []

    @property
    def undo_label(self) -> str | None:
        """What undo would take back."""
        return self._past[-1][0] if self._past else None

    @property
    def redo_label(self) -> str | None:
        """What redo would do again."""
        return self._future[-1][0] if self._future else None

    def edit(self, project: Project, label: str, *, joins: bool = False) -> None:
        """Take a changed project; what had been undone is forgotten.

        One that joins goes on with the last edit, if that has the same label: a hand that pulls a slider makes many
        changes, and one undo takes all of them back. If they end where they began, nothing is left to undo.
        """
        if project == self.project:
            return
        if joins and label == self.undo_label and not self._future:
            if project == self._past[-1][1]:
                self._past.pop()
        else:
            self._past = [*self._past[1 - MAX_UNDO :], (label, self.project)]
        self._future = []
        self._set(project)

    def undo(self) -> None:
        """Go back by one edit."""
        if not self._past:
            raise InvalidInput("there is nothing to undo")
        label, project = self._past.pop()
        self._future.append((label, self.project))
        self._set(project)

    def redo(self) -> None:
        """Take the last undo back."""
        if not self._future:
            raise InvalidInput("there is nothing to do again")
        label, project = self._future.pop()
        self._past.append((label, self.project))
        self._set(project)

    def saved(self) -> tuple[Project, int, list[tuple[str, Project]], list[tuple[str, Project]]]:
        """Return all of it, to go back to."""
        return self.project, self.revision, list(self._past), list(self._future)

    def restore(self, saved: tuple[Project, int, list[tuple[str, Project]], list[tuple[str, Project]]]) -> None:
        """Be as it was when `saved` was taken."""
        self.project, self.revision, self._past, self._future = saved

    def _set(self, project: Project) -> None:
        self.project = project
        self.revision += 1
