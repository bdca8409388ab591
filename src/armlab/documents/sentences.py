"""Sentences in which the names of symbols become formulas."""

from __future__ import annotations

import re

from armlab.documents.blocks import Block, Paragraph, Text, paragraph, table
from armlab.documents.notation import GREEK, NEGATIVE, Num, Op, Row, Sup, symbol
from armlab.kinematics.symbolic.derivation import InverseStep

_GREEK = "|".join(name for name in GREEK if name != "Delta")
_SYMBOL = re.compile(rf"\b(?:(?:{_GREEK}|[A-Za-z])_\w+(?:\^\w+)?|(?:{_GREEK})\b|[BDRrhm]\b(?!'))|(?<=\W)[+-]1\b")
_BRANCHES = re.compile(r"By \((?P<signs>[^)]*)\): (?P<list>\(.*)\.")


def worded(sentence: str) -> Paragraph:
    """Return a sentence with `theta_5`, `rho`, `B` and `+1` as formulas."""
    out: list[str | Row] = []
    end = 0
    for found in _SYMBOL.finditer(sentence):
        out += [sentence[end : found.start()], _sign(found[0])]
        end = found.end()
    text: Text = tuple(part for part in (*out, sentence[end:]) if part)
    return Paragraph(text)


def _sign(name: str) -> Row:
    if name in {"+1", "-1"}:
        return (Op("+", "prefix") if name[0] == "+" else NEGATIVE, Num("1"))
    below, _, above = name.partition("^")
    return (Sup((symbol(below),), (Num(above),)),) if above else (symbol(below),)


def explained(step: InverseStep) -> list[Block]:
    """Return a step's sentence; a list of branches becomes a table."""
    found = _BRANCHES.fullmatch(step.sentence)
    if found is None:
        return [worded(step.sentence)]
    header = [(symbol(name.strip()),) for name in found["signs"].split(",")]
    rows = []
    for item in found["list"].split("; "):
        signs, _, meaning = item.partition(" is ")
        rows.append([*(_sign(sign.strip()) for sign in signs.strip("()").split(",")), meaning])
    if any(len(row) != len(header) + 1 for row in rows):
        return [worded(step.sentence)]
    head = paragraph("Each choice of signs is one way to stand.")
    return [head, table([*header, "branch"], rows, words=(len(header),))]
