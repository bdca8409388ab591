"""Declarations: variables, structures, enumerations, signals, and the values of data lists."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.krl.actions import Parameter
from armlab.program.krl.cursor import Cursor
from armlab.program.krl.data_types import ENUMERATIONS, STRUCTURES
from armlab.program.krl.expressions import expression, name
from armlab.program.krl.tree import (
    Declaration,
    Enumeration,
    Expression,
    External,
    Import,
    InitialValue,
    Signal,
    Structure,
    Variable,
)

BEGINNINGS = frozenset({"DECL", "EXT", "EXTP", "EXTFCT", "EXTFCTP", "STRUC", "ENUM", "SIGNAL", "IMPORT", "CONST"})
_STATEMENTS = """
PTP LIN CIRC PTP_REL LIN_REL CIRC_REL SPTP SLIN SCIRC SPL SPTP_REL SLIN_REL SCIRC_REL SPL_REL WAIT RETURN GOTO HALT
CONTINUE BRAKE RESUME EXIT INTERRUPT TRIGGER IF ELSE ENDIF FOR ENDFOR WHILE ENDWHILE REPEAT UNTIL LOOP ENDLOOP SWITCH
CASE DEFAULT ENDSWITCH ANIN ANOUT DIGIN CONFIRM ON_ERROR_PROCEED ELSEIF ELSIF ELIF
"""
STATEMENTS = frozenset(_STATEMENTS.split())
"""Words that begin a statement, even where another name follows."""
KNOWN_TYPES = frozenset({"INT", "REAL", "BOOL", "CHAR", *STRUCTURES, *ENUMERATIONS})


def begins_here(c: Cursor) -> bool:
    """Tell whether a declaration begins here: a word that says so, or two names one after the other."""
    if c.text in BEGINNINGS:
        return True
    following = c.peek(1)
    if c.text == "GLOBAL":
        return following is not None and following.text != "INTERRUPT"
    is_pair = c.kind == "name" and following is not None and following.kind == "name"
    return is_pair and c.text not in STATEMENTS


def surely_begins_here(c: Cursor) -> bool:
    """Tell whether a declaration begins here whose type every controller knows: elsewhere it is taken for a mistake."""
    return begins_here(c) and (c.text in BEGINNINGS or c.text == "GLOBAL" or c.text in KNOWN_TYPES)


def type_name(c: Cursor) -> tuple[str, int]:
    """Return the name and the dimensions of a function's result: `CHAR[8]`, `INT[]` and `INT[,]` are arrays."""
    text, dimensions = c.expect_name().text, 0
    if c.accept("["):
        dimensions = 1
        while not c.accept("]"):
            dimensions += c.take().text == ","
    return text, dimensions


def declaration(c: Cursor) -> list[Declaration]:
    """Return what a line declares."""
    is_global = is_constant = False
    while word := c.accept("DECL", "GLOBAL", "CONST"):
        is_global, is_constant = is_global or word == "GLOBAL", is_constant or word == "CONST"
    match c.text:
        case "EXT" | "EXTP" | "EXTFCT" | "EXTFCTP":
            return [_external(c)]
        case "STRUC":
            return [_structure(c, is_global=is_global)]
        case "ENUM":
            return [_enumeration(c, is_global=is_global)]
        case "SIGNAL":
            return [_signal(c)]
        case "IMPORT":
            return [_import(c)]
    kind = c.expect_name().text
    return [*_variables(c, kind, is_global=is_global, is_constant=is_constant)]


def in_data_list(c: Cursor) -> list[Declaration]:
    """Return what a line of a data list declares or sets."""
    if begins_here(c):
        return declaration(c)
    start = c.start
    target = name(c)
    c.expect("=")
    return [InitialValue(target, expression(c), start)]


def _variables(c: Cursor, kind: str, *, is_global: bool, is_constant: bool) -> list[Variable]:
    found = []
    while True:
        token = c.expect_new_name()
        sizes: list[Expression | None] = []
        if c.accept("["):
            sizes.append(None if c.text in {",", "]"} else expression(c))
            while c.accept(","):
                sizes.append(None if c.text in {",", "]"} else expression(c))
            c.expect("]")
        value = expression(c) if c.accept("=") else None
        found.append(Variable(kind, token.text, c.span(token), tuple(sizes), value, is_global, is_constant))
        if not c.accept(","):
            return found


def _external(c: Cursor) -> External:
    word = c.take().text
    if word.startswith("EXTFCT"):
        type_name(c)
    token = c.expect_name()
    if c.accept("("):  # the types of the parameters, which their own module tells better
        while not c.accept(")"):
            c.take()
    return External(token.text, c.span(token))


def _import(c: Cursor) -> Import:
    """IMPORT type name IS /R1/folder/module..name: what another module's data list has."""
    c.take()
    kind, token, dimensions = c.expect_name().text, c.expect_name(), 0
    if c.accept("["):
        dimensions = 1
        while c.accept(","):
            dimensions += 1
        c.expect("]")
    c.expect("IS")
    module = ""
    while c.accept("/"):
        module = c.expect_name().text
    if not module:
        raise c.problem("krl_import_path", _("a path like /R1/MODULE..NAME is expected after IS"))
    c.expect(".")
    c.expect(".")
    return Import(kind, token.text, module, c.expect_name().text, c.span(token), dimensions)


def _structure(c: Cursor, *, is_global: bool) -> Structure:
    start = c.start
    c.take()
    title = c.expect_new_name().text
    fields: list[Variable] = []
    kind = c.expect_name().text
    while True:
        token = c.expect_new_name()
        sizes: list[Expression | None] = []
        if c.accept("["):
            while c.text != "]":
                sizes.append(expression(c))
                c.accept(",")
            c.expect("]")
        fields.append(Variable(kind, token.text, c.span(token), tuple(sizes)))
        if not c.accept(","):
            return Structure(title, tuple(fields), start, is_global)
        following = c.peek(1)
        if c.kind == "name" and following is not None and following.kind == "name":
            kind = c.take().text


def _enumeration(c: Cursor, *, is_global: bool) -> Enumeration:
    start = c.start
    c.take()
    title = c.expect_new_name().text
    values = [c.expect_new_name().text]
    while c.accept(","):
        values.append(c.expect_new_name().text)
    return Enumeration(title, tuple(values), start, is_global)


def _signal(c: Cursor) -> Signal:
    start = c.start
    c.take()
    title = c.expect_new_name().text
    first = name(c)
    last = name(c) if c.accept("TO") else None
    return Signal(title, first, last, start)


def parameters(c: Cursor) -> tuple[Parameter, ...]:
    """Return the parameters of a routine, in their brackets."""
    c.expect("(")
    found: list[Parameter] = []
    while c.text != ")":
        token = c.expect_new_name()
        is_array = False
        if c.accept("["):
            while c.accept(","):
                pass
            c.expect("]")
            is_array = True
        is_output = False
        if c.accept(":"):
            direction = c.accept("IN", "OUT")
            if not direction:
                raise c.problem("krl_direction", _("IN or OUT expected"))
            is_output = direction == "OUT"
        found.append(Parameter(token.text, is_output, c.span(token), is_array))
        if not c.accept(",") and c.text != ")":
            raise c.problem("krl_expected", _("'{expected}' expected"), expected=")")
    c.expect(")")
    return tuple(found)
