"""A formula with numbers in the place of its letters: x = L₁ cos θ₁ becomes x = 50 · cos 30° = 43.301 mm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from armlab.documents.blocks import Equation
from armlab.documents.notation import (
    AND,
    CLOSE,
    COMMA,
    EQUALS,
    NEGATIVE,
    OPEN,
    Fn,
    Frac,
    Matrix,
    Node,
    Num,
    Op,
    Root,
    Row,
    Sup,
    Sym,
    Unit,
)

TIMES = Op("·", "binary")
ZERO: Row = (Num("0"),)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is put in for each letter, and what the side of an equation comes to, with its unit."""

    letters: Mapping[Sym, Row]
    results: Mapping[Row, Row]


def with_numbers(equation: Equation, numbers: Numbers) -> Row | None:
    """Return the equation with numbers put in and what comes out; None where it has no letter with a number.

    A condition that something vanishes becomes what that something is here.
    """
    if ZERO in (equation.left, equation.right):
        vanishing = equation.left if equation.right == ZERO else equation.right
        put_in = substituted(vanishing, numbers.letters)
        value = numbers.results.get(vanishing)
        return (*put_in, EQUALS, *value) if value is not None and _has_letter(vanishing, numbers.letters) else None
    if not _has_letter(equation.right, numbers.letters):
        return None
    out: Row = ()
    for left, right in _equations(equation):
        put_in = substituted(right, numbers.letters)
        value = numbers.results.get(left)
        same = value is not None and _bare(value) == _bare(put_in)
        shown = value if same and value is not None else put_in
        tail: Row = () if same or value is None else (EQUALS, *value)
        out += (*((AND,) if out else ()), *left, EQUALS, *shown, *tail)
    return out


def substituted(row: Row, letters: Mapping[Sym, Row]) -> Row:
    """Return a row with the letters' numbers put in; what was written side by side is then multiplied with a dot."""
    out: list[Node] = []
    for node in row:
        piece = _put_in(node, letters)
        if isinstance(node, Sym) and piece[0] == NEGATIVE and out and out[-1] not in (OPEN, EQUALS, COMMA):
            piece = (OPEN, *piece, CLOSE)
        if out and _ends_value(out[-1]) and _begins_value(piece[0]):
            out.append(TIMES)
        out.extend(piece)
    return tuple(out)


def _put_in(node: Node, letters: Mapping[Sym, Row]) -> Row:
    match node:
        case Sym():
            return letters.get(node, (node,))
        case Frac(above, below):
            return (Frac(substituted(above, letters), substituted(below, letters)),)
        case Root(inside):
            return (Root(substituted(inside, letters)),)
        case Sup(base, power):
            raised = substituted(base, letters)
            simple = len(raised) == 1 or base == raised
            return (Sup(raised if simple else (OPEN, *raised, CLOSE), power),)
        case Matrix(rows):
            return (Matrix(tuple(tuple(substituted(cell, letters) for cell in line) for line in rows)),)
        case _:
            return (node,)


def _has_letter(row: Row, letters: Mapping[Sym, Row]) -> bool:
    """Tell whether a row has a letter with a number, however deep."""
    for node in row:
        match node:
            case Frac(above, below):
                inside: tuple[Row, ...] = (above, below)
            case Root(inner):
                inside = (inner,)
            case Sup(base, _):
                inside = (base,)
            case Matrix(rows):
                inside = tuple(cell for line in rows for cell in line)
            case _:
                inside = ()
        if node in letters or any(_has_letter(part, letters) for part in inside):
            return True
    return False


def _equations(equation: Equation) -> list[tuple[Row, Row]]:
    """Return the equations of one line: s = sin θ, c = cos θ are two."""
    parts: list[list[Node]] = [[]]
    for node in equation.right:
        if node == AND:
            parts.append([])
        else:
            parts[-1].append(node)
    found = [(equation.left, tuple(parts[0]))]
    for part in parts[1:]:
        at = part.index(EQUALS)
        found.append((tuple(part[:at]), tuple(part[at + 1 :])))
    return found


def _bare(row: Row) -> Row:
    return tuple(node for node in row if not isinstance(node, Unit))


def _begins_value(node: Node) -> bool:
    """Tell whether a factor begins here."""
    return isinstance(node, Sym | Num | Fn | Frac | Root | Sup | Matrix) or node == OPEN


def _ends_value(node: Node) -> bool:
    """Tell whether a factor ends here: a function's name waits for its argument."""
    if isinstance(node, Sup):
        return not any(isinstance(part, Fn) for part in node.base)
    return isinstance(node, Sym | Num | Unit | Frac | Root | Matrix) or node == CLOSE
