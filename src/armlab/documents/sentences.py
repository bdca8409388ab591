"""Texts in the reader's language in which some parameters are formulas."""

from __future__ import annotations

import re
from typing import Any

from armlab.documents.blocks import Block, Paragraph, Text, table
from armlab.documents.notation import NEGATIVE, Num, Op, Row, from_sympy, symbol
from armlab.kinematics.symbolic.derivation import InverseStep
from armlab.messages import Message, reader, tr, translated

_MARK = re.compile("\ue000(\\d+)\ue001")
"""Where a formula goes while the words around it are rendered: letters that no text has."""


def said(template: str, /, **parameters: Any) -> Paragraph:
    """Return a text with its parameters filled in; those that are rows of signs or SymPy expressions as formulas."""
    formulas: list[Row] = []
    shown = {}
    for name, value in parameters.items():
        row = _formula(value)
        if row is None:
            shown[name] = value
        else:
            shown[name] = f"\ue000{len(formulas)}\ue001"
            formulas.append(row)
    parts = _MARK.split(translated(template, reader.get(), shown))
    text: Text = tuple(formulas[int(part)] if i % 2 else part for i, part in enumerate(parts))
    return Paragraph(tuple(part for part in text if part))


def worded(message: Message) -> Paragraph:
    """Return a message whose parameters may be formulas."""
    return said(message.template, **message.parameters)


def _formula(value: Any) -> Row | None:
    if isinstance(value, tuple) and not any(isinstance(part, str | int | float | Message) for part in value):
        return value
    return from_sympy(value) if hasattr(value, "free_symbols") else None


def explained(step: InverseStep) -> list[Block]:
    """Return a step's text; a table of the branches where it has them."""
    out: list[Block] = [worded(step.text)]
    if step.choices:
        signs = range(1, len(step.choices[0].signs) + 1)
        header: list[str | Row] = [*((symbol(f"sigma_{k}"),) for k in signs), tr("branch")]
        rows: list[list[str | Row]] = [[*map(_sign, choice.signs), choice.branch] for choice in step.choices]
        out.append(table(header, rows, words=(len(signs),)))
    return out


def _sign(value: int) -> Row:
    return (Op("+", "prefix") if value > 0 else NEGATIVE, Num("1"))
