"""Mathematics as it is set on paper: a row of signs, made from SymPy's expressions, the same for every format.

A row is flat: brackets are signs like any other, so that a long formula may be broken at every plus and minus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

OpKind: TypeAlias = Literal["binary", "prefix", "relation", "open", "close", "comma", "list"]


@dataclass(frozen=True, slots=True)
class Sym:
    """A letter, perhaps Greek (`theta`), with what stands below it, and with a dot for a speed."""

    base: str
    sub: str = ""
    dot: bool = False


@dataclass(frozen=True, slots=True)
class Num:
    """A number without sign, as it is to be read."""

    text: str


@dataclass(frozen=True, slots=True)
class Op:
    """A sign between or before others: plus, minus, equals, brackets, commas."""

    text: str
    kind: OpKind


@dataclass(frozen=True, slots=True)
class Fn:
    """The name of a function."""

    name: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Upright letters after a number: mm, °."""

    text: str


@dataclass(frozen=True, slots=True)
class Frac:
    """One row over another."""

    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    inside: Row


@dataclass(frozen=True, slots=True)
class Sup:
    """A row with another one raised behind it."""

    base: Row
    power: Row


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in square brackets."""

    rows: tuple[tuple[Row, ...], ...]


Node: TypeAlias = Sym | Num | Op | Fn | Unit | Frac | Root | Sup | Matrix
Row: TypeAlias = tuple[Node, ...]

PLUS, MINUS = Op("+", "binary"), Op("−", "binary")
NEGATIVE, EQUALS, COMMA, AND = Op("−", "prefix"), Op("=", "relation"), Op(",", "comma"), Op(",", "list")
OPEN, CLOSE = Op("(", "open"), Op(")", "close")
GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "theta": "θ",
    "lambda": "λ",
    "phi": "φ",
    "psi": "ψ",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "pi": "π",
    "Delta": "Δ",
}
_NAMES = {"acos": "arccos", "asin": "arcsin", "atan": "arctan"}
_NAME = re.compile(r"(?P<base>[A-Za-z]+?)(?P<dot>dot)?(?:_\{(?P<braced>[^}]*)\}|_(?P<below>\w+)|(?P<digits>\d+))?")


def symbol(name: str) -> Sym:
    """Return how a symbol of that name is set: `theta_1`, `thetadot_2`, `c_{2-3}`, `r13`, `I_1zz`."""
    found = _NAME.fullmatch(name)
    if found is None:
        return Sym(name)
    below = found["braced"] or found["below"] or found["digits"] or ""
    below = re.sub(r"^(\d+)([a-z]+)$", r"\1,\2", below).replace("-", "−")
    return Sym(found["base"], below, dot=found["dot"] is not None)


def number(value: float, digits: int = 6) -> Row:
    """Return a number with that many significant digits; very large and small ones with a power of ten."""
    text = f"{abs(value):.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    sign: Row = (NEGATIVE,) if value < 0.0 and float(text) != 0.0 else ()
    if not exponent:
        return (*sign, Num(mantissa))
    power = int(exponent)
    raised: Row = (NEGATIVE, Num(str(-power))) if power < 0 else (Num(str(power)),)
    return (*sign, Num(mantissa), Op("·", "binary"), Sup((Num("10"),), raised))


def decimal(value: float, places: int) -> Row:
    """Return a number with that many places, without needless zeros and without a negative zero."""
    text = f"{abs(value):.{places}f}"
    text = text.rstrip("0").rstrip(".") if places else text
    return (NEGATIVE, Num(text)) if value < 0.0 and text != "0" else (Num(text),)


def grid(values: Iterable[Iterable[Row]]) -> Row:
    """Return a matrix of rows."""
    return (Matrix(tuple(tuple(line) for line in values)),)


def from_sympy(expression: Any) -> Row:
    """Return how a SymPy expression is set."""
    import sympy

    if isinstance(expression, sympy.MatrixBase):
        return grid([from_sympy(entry) for entry in line] for line in expression.tolist())
    if isinstance(expression, sympy.Add):
        return _sum(expression.as_ordered_terms())
    coefficient, rest = expression.as_coeff_Mul()
    sign: Row = (NEGATIVE,) if coefficient.is_negative else ()
    return sign + _product(abs(coefficient), rest)


def _sum(terms: Sequence[Any]) -> Row:
    """Return a sum; one that begins with a minus begins with its first plus instead, if there is one."""
    ordered = list(terms)
    first = next((term for term in ordered if not term.as_coeff_Mul()[0].is_negative), ordered[0])
    ordered.remove(first)
    out = from_sympy(first)
    for term in ordered:
        coefficient, rest = term.as_coeff_Mul()
        out += (MINUS if coefficient.is_negative else PLUS, *_product(abs(coefficient), rest))
    return out


def _product(coefficient: Any, rest: Any) -> Row:
    """Return a positive number times the rest, as a fraction where something divides."""
    import sympy

    above: list[Any] = []
    below: list[Any] = []
    for factor in rest.as_ordered_factors() if isinstance(rest, sympy.Mul) else [rest]:
        base, power = factor.as_base_exp()
        if power.is_number and power.is_negative:
            below.append(base**-power)
        elif factor != 1:
            above.append(factor)
    whole, part = (coefficient.p, coefficient.q) if coefficient.is_Rational else (coefficient, 1)
    upper = _factors(whole, above, alone=part != 1 or bool(below))
    if part == 1 and not below:
        return upper
    return (Frac(upper, _factors(part, below, alone=True)),)


def _factors(whole: Any, factors: list[Any], *, alone: bool) -> Row:
    out: Row = () if whole == 1 and factors else number(float(whole), 15 if whole == int(whole) else 6)
    if alone and whole == 1 and len(factors) == 1 and factors[0].is_Add:
        return from_sympy(factors[0])
    for factor in sorted(factors, key=_rank):
        out += _bracketed(from_sympy(factor)) if factor.is_Add else _power(factor)
    return out


def _rank(factor: Any) -> int:
    """Numbers and letters first, then brackets, functions last: no bracket looks like a function's argument."""
    if factor.is_Add:
        return 1
    return 2 if factor.as_base_exp()[0].is_Function else 0


def _power(factor: Any) -> Row:
    base, power = factor.as_base_exp()
    if power == 1:
        return _atom(base)
    if power.is_Rational and power.q == 2:
        root: Row = (Root(from_sympy(base)),)
        return root if power.p == 1 else (Sup(root, from_sympy(2 * power)),)
    if base.is_Function:
        name, *arguments = _atom(base)
        return (Sup((name,), from_sympy(power)), *arguments)
    inside = _atom(base) if base.is_Symbol or base.is_Integer else _bracketed(from_sympy(base))
    return (Sup(inside, from_sympy(power)),)


def _atom(expression: Any) -> Row:
    if expression.is_Symbol:
        return (symbol(expression.name),)
    if expression.is_Function:
        name = Fn(_NAMES.get(expression.func.__name__, expression.func.__name__))
        arguments = [from_sympy(argument) for argument in expression.args]
        if len(arguments) == 1 and expression.args[0].is_Symbol:
            return (name, *arguments[0])
        return (name, *_bracketed(separated(arguments)))
    if expression.is_Rational and expression.q != 1:
        return (Frac(number(float(expression.p), 15), number(float(expression.q), 15)),)
    if expression.is_number and not expression.is_NumberSymbol:
        return number(float(expression))
    return (Sym(str(expression)),)


def separated(rows: Sequence[Row]) -> Row:
    """Return rows with commas between them."""
    out: Row = ()
    for i, row in enumerate(rows):
        out += ((COMMA,) if i else ()) + row
    return out


def _bracketed(row: Row) -> Row:
    return (OPEN, *row, CLOSE)
