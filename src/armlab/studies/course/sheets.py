"""The lab sheets: Markdown in docs/course of the repository, and in this package where it is installed."""

from __future__ import annotations

from pathlib import Path

from armlab.errors import InvalidInput
from armlab.messages import ENGLISH, _

HERE = Path(__file__).resolve()
INSTALLED = HERE.parent / "sheets"
REPOSITORY = HERE.parents[4] / "docs" / "course"


def sheets_folder() -> Path:
    """Return where the sheets are: a folder for each language.

    Raises:
        InvalidInput: if there are none.
    """
    for folder in (INSTALLED, REPOSITORY):
        if (folder / ENGLISH).is_dir():
            return folder
    raise InvalidInput("no_sheets", _("the lab sheets are not installed"))


def sheet_text(number: int, language: str) -> str:
    """Return the sheet of a lab in a language."""
    path = sheets_folder() / language / f"lab-{number:02d}.md"
    return path.read_text(encoding="utf-8")
