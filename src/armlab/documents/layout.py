"""How wide a formula is, and where a long one is broken."""

from __future__ import annotations

from armlab.documents.notation import GREEK, Fn, Frac, Matrix, Node, Num, Op, Root, Row, Sup, Sym, Unit

LETTER, SMALL, DIGIT = 0.56, 0.42, 0.5
"""Widths in em of a letter, of one below or above the line, and of a digit."""
COLUMN_GAP = 1.0
_SIGNS = {"binary": 1.25, "relation": 1.25, "prefix": 0.78, "open": 0.4, "close": 0.4, "comma": 0.45, "list": 1.3}
LINE = 44.0
"""What fits on a line of paper, in em."""
_EARLIEST = 0.45
"""A line is not broken before this part of it, unless there is no other place."""


def width(row: Row) -> float:
    """Return about how wide a row is, in em."""
    return sum(_width(node) for node in row)


def _width(node: Node) -> float:
    match node:
        case Frac(above, below):
            return max(width(above), width(below)) + 0.3
        case Root(inside):
            return width(inside) + 0.9
        case Sup(base, power):
            return width(base) + width(power) * 0.75
        case Matrix(rows):
            columns = zip(*rows, strict=True)
            return sum(max(map(width, column)) + COLUMN_GAP for column in columns)
        case _:
            return _leaf_width(node)


def _leaf_width(node: Sym | Num | Op | Fn | Unit) -> float:
    match node:
        case Sym(base, sub, _):
            return LETTER * (1 if base in GREEK else len(base)) + SMALL * len(sub)
        case Op(_, kind):
            return _SIGNS[kind]
        case Fn(text):
            return DIGIT * len(text) + 0.17
        case Num(text) | Unit(text):
            return DIGIT * len(text)


def lines(row: Row, limit: float) -> list[Row]:
    """Return the row in lines of at most `limit` where it can be broken before a plus or minus, outer ones first."""
    out: list[Row] = []
    rest = row
    while width(rest) > limit:
        at = _break(rest, limit)
        if at is None:
            break
        out.append(rest[:at])
        rest = rest[at:]
    return [*out, rest]


def _break(row: Row, limit: float) -> int | None:
    """Return where to break: the outermost place in the later part of the line, or else the last or first one."""
    depth, so_far = 0, 0.0
    places: list[tuple[int, int, float]] = []
    for i, node in enumerate(row):
        if isinstance(node, Op):
            depth += (node.kind == "open") - (node.kind == "close")
            if node.kind == "binary" and node.text in "+−" and i > 0:
                places.append((i, depth, so_far))
        so_far += _width(node)
    fitting = [place for place in places if place[2] <= limit]
    late = [place for place in fitting if place[2] >= _EARLIEST * limit]
    if late:
        return min(late, key=lambda place: (place[1], -place[0]))[0]
    if fitting:
        return fitting[-1][0]
    return places[0][0] if places else None
