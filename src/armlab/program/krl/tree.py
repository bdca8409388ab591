"""Expressions and declarations of KRL: frozen values, each with the place in the file that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from armlab.program.span import Span

# -- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """12, 1.5E-3, 'H1F', 'B101': an INT unless it has a point or an exponent."""

    value: int | float
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """TRUE, FALSE."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class String:
    """A text in quotes; one letter is a CHAR."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class EnumValue:
    """#NAME."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, $variable or component: a name, indices, and what follows behind dots."""

    name: str
    span: Span
    indices: tuple[Expression | None, ...] = ()
    """Indices in brackets; None for an empty one, which means the whole array."""
    component: Name | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """name(arguments): None for an argument that is left out."""

    name: str
    arguments: tuple[Expression | None, ...]
    span: Span
    component: Name | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """{E6POS: X 1, Y 2}: components by name; the type is left out mostly."""

    kind: str
    fields: tuple[tuple[Name, Expression], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """-x, +x, NOT x, B_NOT x."""

    operator: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """x operator y; `:` is the geometric operator."""

    operator: str
    left: Expression
    right: Expression
    span: Span


Expression: TypeAlias = Number | Truth | String | EnumValue | Name | Call | Aggregate | Unary | Binary

# -- declarations ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """One declared variable: its type, its name, the sizes of an array, and what it begins with."""

    kind: str
    name: str
    span: Span
    sizes: tuple[Expression | None, ...] = ()
    value: Expression | None = None
    is_global: bool = False
    is_constant: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """STRUC name type a, b, type c."""

    name: str
    fields: tuple[Variable, ...]
    span: Span
    is_global: bool = False


@dataclass(frozen=True, slots=True)
class Enumeration:
    """ENUM name a, b."""

    name: str
    values: tuple[str, ...]
    span: Span
    is_global: bool = False


@dataclass(frozen=True, slots=True)
class Signal:
    """SIGNAL name $OUT[1] TO $OUT[8]."""

    name: str
    first: Name
    last: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class External:
    """EXT name(…), EXTFCT type name(…): something that another module has."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    """IMPORT type name IS /R1/module..original: a variable of another module's data list, here under this name."""

    kind: str
    name: str
    module: str
    original: str
    span: Span
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class InitialValue:
    """name = value in a data list: what a variable or one of its components begins with."""

    target: Name
    value: Expression
    span: Span


Declaration: TypeAlias = Variable | Structure | Enumeration | Signal | External | Import | InitialValue
