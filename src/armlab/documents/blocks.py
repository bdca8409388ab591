"""What a document is made of, before anybody knows in which format it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from armlab.documents.notation import Row

Text: TypeAlias = tuple[str | Row, ...]
"""Words, and formulas among them."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title (level 1), a section (2) or a part of one (3)."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: Text


@dataclass(frozen=True, slots=True)
class Equation:
    """Left side = right side."""

    left: Row
    right: Row


@dataclass(frozen=True, slots=True)
class Formulas:
    """Equations under each other, their equals signs in line."""

    equations: tuple[Equation, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the columns `words` are text, the others numbers."""

    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    words: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG with a short name (`arm`) and a sentence for who cannot see it, which is also its caption."""

    name: str
    png: bytes
    alt: str


@dataclass(frozen=True, slots=True)
class Links:
    """A list of links: what each leads to, and its address."""

    items: tuple[tuple[str, str], ...]


Block: TypeAlias = Heading | Paragraph | Formulas | Table | Picture | Links


def paragraph(*text: str | Row) -> Paragraph:
    """Return a paragraph of words and formulas."""
    return Paragraph(text)


def formulas(*equations: tuple[Row, Row]) -> Formulas:
    """Return equations, given as left and right sides."""
    return Formulas(tuple(Equation(left, right) for left, right in equations))


def table(header: Iterable[str | Row], rows: Iterable[Iterable[str | Row]], *, words: Sequence[int] = (0,)) -> Table:
    """Return a table whose cells are each a word or a formula."""
    cells = tuple(tuple((cell,) for cell in row) for row in rows)
    return Table(tuple((cell,) for cell in header), cells, tuple(words))


def title_of(blocks: Iterable[Block]) -> str:
    """Return the first heading's text."""
    return next((block.text for block in blocks if isinstance(block, Heading)), "")


def picture_files(blocks: Iterable[Block], stem: str) -> dict[str, bytes]:
    """Return the pictures that a document called `stem` has beside it, by file name."""
    return {picture_name(block, stem): block.png for block in blocks if isinstance(block, Picture)}


def picture_name(picture: Picture, stem: str) -> str:
    """Return a picture's file name: letters that every format and every disk takes."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-") or "report"
    return f"{plain}-{picture.name}.png"
