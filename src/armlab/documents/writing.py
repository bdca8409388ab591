"""A report as files: the document, and beside it the pictures that it does not hold itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from armlab.documents.blocks import Block, picture_files
from armlab.documents.html import to_html
from armlab.documents.latex import to_latex
from armlab.documents.markdown import to_markdown
from armlab.errors import InvalidInput
from armlab.figures.style import check_figure_path
from armlab.files import write_whole
from armlab.messages import _

SUFFIXES = (".md", ".tex", ".html")


def check_report_path(path: Path) -> Path:
    """Return `path` if a report can be written there; asked before a long computation.

    Raises:
        InvalidInput: if its name does not end in .md, .tex or .html, or nothing can be written there.
    """
    return check_figure_path(path, SUFFIXES)


def write_report(blocks: Sequence[Block], path: Path) -> list[Path]:
    """Write the report in the format that the name asks for, and return all files; whole or not at all.

    Raises:
        InvalidInput: if one of them cannot be written.
    """
    files = report_files(blocks, check_report_path(path))
    for place in files:
        if place.is_dir():
            raise InvalidInput("is_a_folder", _("{file}: is a folder"), file=str(place))
    new = [place for place in files if not place.exists()]
    try:
        for place, data in files.items():
            write_whole(place, data)
    except InvalidInput:
        for place in new:
            place.unlink(missing_ok=True)
        raise
    return list(files)


def report_files(blocks: Sequence[Block], path: Path) -> dict[Path, bytes]:
    """Return what is to be written, the document last."""
    suffix = path.suffix.lower()
    if suffix == ".html":
        return {path: to_html(blocks).encode()}
    text = to_latex(blocks, path.stem) if suffix == ".tex" else to_markdown(blocks, path.stem)
    pictures = {path.with_name(name): data for name, data in picture_files(blocks, path.stem).items()}
    return {**pictures, path: text.encode()}
