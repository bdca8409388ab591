"""Markdown with LaTeX between dollar signs, as GitHub, GitLab, Jupyter and Pandoc show it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from armlab.documents.blocks import Block, Formulas, Heading, Links, Paragraph, Picture, Table, Text, picture_name
from armlab.documents.latex import equation_lines, row_latex

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|$~])")


def to_markdown(blocks: Sequence[Block], stem: str) -> str:
    """Return a document; its pictures are called as `picture_files(blocks, stem)` says."""
    return "\n\n".join(_block(block, stem) for block in blocks) + "\n"


def _block(block: Block, stem: str) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {as_markdown(text)}"
        case Paragraph(text):
            return _text(text)
        case Formulas():
            rows = equation_lines(block)
            inside = " \\\\\n".join(rows)
            return f"$$\n\\begin{{aligned}}\n{inside}\n\\end{{aligned}}\n$$"
        case Table():
            return _table(block)
        case Picture(_, _, alt):
            return f"![{as_markdown(alt)}]({picture_name(block, stem)})"
        case Links(items):
            return "\n".join(f"- [{as_markdown(words)}](<{address}>)" for words, address in items)


def as_markdown(text: str) -> str:
    """Return words in which nothing is taken for a mark."""
    return _MARKS.sub(r"\\\1", " ".join(text.split(" "))).replace("\n", " ")


def _text(text: Text) -> str:
    return "".join(as_markdown(part) if isinstance(part, str) else f"${row_latex(part)}$" for part in text)


def _table(table: Table) -> str:
    rule = [":--" if i in table.words else "--:" for i in range(len(table.header))]
    head = [_text(cell) for cell in table.header]
    rows = [[_text(cell).replace("\\|\\|", "‖") for cell in row] for row in table.rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])
