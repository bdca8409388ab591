"""Expressions of KRL: operators by rank, names with indices and components, calls, aggregates."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.krl.cursor import Cursor
from armlab.program.krl.tree import Aggregate, Binary, Call, EnumValue, Expression, Name, Number, String, Truth, Unary

RANK = {
    ":": 7, "*": 6, "/": 6, "+": 5, "-": 5, "AND": 4, "B_AND": 4, "EXOR": 3, "B_EXOR": 3, "OR": 2, "B_OR": 2,
    "==": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1,
}  # fmt: skip
"""Which operators bind first; those of one rank from left to right."""
UNARY = ("-", "+", "NOT", "B_NOT")
MAX_DEPTH = 60
MAX_OPERATORS = 200
"""Operators of one line: each is a level of the tree."""


def expression(c: Cursor, rank: int = 1) -> Expression:
    """Return the expression that begins here."""
    c.go_deeper(MAX_DEPTH)
    left = _unary(c)
    while (binds := RANK.get(c.text, 0)) >= rank:
        c.count_operator(MAX_OPERATORS)
        operator = c.take()
        left = Binary(operator.text, left, expression(c, binds + 1), c.span(operator))
    c.come_back()
    return left


def _unary(c: Cursor) -> Expression:
    if c.text in UNARY:
        operator = c.take()
        c.go_deeper(MAX_DEPTH)
        value = _unary(c)
        c.come_back()
        return Unary(operator.text, value, c.span(operator))
    return _primary(c)


def _primary(c: Cursor) -> Expression:  # noqa: PLR0911 - one case per kind
    token = c.token
    if token is None:
        raise c.problem("krl_expression_missing", _("an expression is missing at the end of the line"))
    match token.kind:
        case "number":
            c.take()
            return Number(_value(token.text), c.span(token))
        case "string":
            c.take()
            return String(token.text[1:-1], c.span(token))
        case "enum":
            c.take()
            return EnumValue(token.text[1:], c.span(token))
        case "name" if token.text in {"TRUE", "FALSE"}:
            c.take()
            return Truth(token.text == "TRUE", c.span(token))
        case "name":
            return name_or_call(c)
    if token.text == "(":
        c.take()
        inner = expression(c)
        c.expect(")")
        return inner
    if token.text == "{":
        return _aggregate(c)
    raise c.problem("krl_expression", _("'{found}' found where an expression is expected"), found=token.text)


def _value(text: str) -> int | float:
    if text.startswith("'"):
        return int(text[2:-1], 16 if text[1] == "H" else 2)
    return float(text) if any(letter in text for letter in ".E") else int(text)


def name(c: Cursor) -> Name:
    """Return a variable with its indices and components."""
    token = c.expect_name()
    indices: list[Expression | None] = []
    if c.text == "[":
        c.take()
        while c.text != "]":
            indices.append(None if c.text == "," else expression(c))
            if c.text == ",":
                c.take()
                if c.text == "]":
                    indices.append(None)
        c.expect("]")
        indices = indices or [None]
    component = None
    if c.text == ".":
        c.take()
        component = name(c)
    return Name(token.text, c.span(token), tuple(indices), component)


def name_or_call(c: Cursor) -> Name | Call:
    """Return a variable, or a call with its arguments."""
    following = c.peek(1)
    if following is None or following.text != "(" or following.kind != "sign":
        return name(c)
    token = c.expect_name()
    c.take()
    arguments: list[Expression | None] = []
    while c.text != ")":
        arguments.append(_channel(c) if c.text == ":" else None if c.text == "," else expression(c))
        if c.text == ",":
            c.take()
            if c.text == ")":
                arguments.append(None)
        elif c.text != ")":
            raise c.problem("krl_expected", _("'{expected}' expected"), expected=")")
    c.expect(")")
    component = None
    if c.text == ".":
        c.take()
        component = name(c)
    return Call(token.text, tuple(arguments), c.span(token), component)


def _channel(c: Cursor) -> EnumValue:
    """Return a channel, as COPEN(:SER_1, handle) names it."""
    c.take()
    token = c.expect_name()
    return EnumValue(token.text, c.span(token))


def _aggregate(c: Cursor) -> Aggregate:
    opening = c.expect("{")
    kind = ""
    following = c.peek(1)
    if c.kind == "name" and following is not None and following.text == ":":
        kind = c.take().text
        c.take()
    fields: list[tuple[Name, Expression]] = []
    while c.text != "}":
        fields.append((name(c), expression(c)))
        if c.text == ",":
            c.take()
        elif c.text != "}":
            raise c.problem("krl_expected", _("'{expected}' expected"), expected="}")
    c.expect("}")
    return Aggregate(kind, tuple(fields), c.span(opening))
