"""Determinants whose entries are polynomials in lengths, sines and cosines, as products of factors.

Every sine and cosine is a generator of its own; cos² is replaced by 1 − sin² as it comes up. What grows beyond
`LONGEST` terms is given up: nobody would read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import sympy
from sympy.polys.rings import PolyRing
from sympy.simplify.fu import TR8

Poly: TypeAlias = Any
"""An element of a SymPy polynomial ring; the package has no types."""

Indices: TypeAlias = tuple[int, ...]

LONGEST = 400
MOST_PRODUCTS = 20_000
LONGEST_TO_FACTOR = 80


class TooLong(Exception):
    """A determinant has more terms than anybody would read."""


@dataclass(frozen=True)
class Factored:
    """A product: a number, and factors as often as they come."""

    number: sympy.Expr
    factors: tuple[Poly, ...]

    @property
    def terms(self) -> int:
        """How long it is written out."""
        return sum(len(factor) for factor in self.factors)


class TrigRing:
    """Polynomials in the symbols, sines, cosines and roots of some expressions."""

    def __init__(self, expressions: Iterable[sympy.Expr]) -> None:
        together = sympy.Matrix([list(expressions)])
        angles = {f.args[0] for f in together.atoms(sympy.sin, sympy.cos)}
        self._names: dict[sympy.Expr, sympy.Symbol] = {}
        pairs = []
        for i, angle in enumerate(sorted(angles, key=sympy.default_sort_key)):
            pairs.append((sympy.Symbol(f"C{i}"), sympy.Symbol(f"S{i}")))
            self._names |= {sympy.cos(angle): pairs[-1][0], sympy.sin(angle): pairs[-1][1]}
        self._roots = {root: sympy.Symbol(f"N{i}") for i, root in enumerate(_roots(together))}
        left = together.xreplace(self._names).free_symbols - {s for pair in pairs for s in pair}
        generators = [s for pair in pairs for s in pair] + list(self._roots.values())
        generators += sorted(left, key=sympy.default_sort_key) or [sympy.Symbol("unused")]
        self.ring = PolyRing(generators, sympy.QQ)
        place = {symbol: i for i, symbol in enumerate(generators)}
        gens = self.ring.gens
        self._squares = [(place[c], 1 - gens[place[s]] ** 2) for c, s in pairs]
        self._squares += [(place[symbol], self.ring(int(root.base))) for root, symbol in self._roots.items()]
        self._meaning = {symbol: f for f, symbol in (*self._names.items(), *self._roots.items())}

    def poly(self, expression: sympy.Expr) -> Poly:
        """Return an expression as a polynomial."""
        return self.reduced(self.ring.from_expr(expression.xreplace(self._names).xreplace(self._roots)))

    def expression(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as an expression, with angles added up where that makes it shorter."""
        plain = poly.as_expr().xreplace(self._meaning)
        if len(poly) > LONGEST_TO_FACTOR:
            return plain
        return min((plain, sympy.expand(TR8(plain))), key=sympy.count_ops)

    def reduced(self, poly: Poly) -> Poly:
        """Return the same with no cosine, and no root, squared."""
        for at, square in self._squares:
            while True:
                high = {m: k for m, k in poly.items() if m[at] >= 2}
                if not high:
                    break
                rest = self.ring.from_dict({m: k for m, k in poly.items() if m[at] < 2})
                lowered = {(*m[:at], m[at] - 2, *m[at + 1 :]): k for m, k in high.items()}
                poly = rest + self.ring.from_dict(lowered) * square
        if len(poly) > LONGEST:
            raise TooLong
        return poly

    def determinant(self, M: Sequence[Sequence[Poly]]) -> Factored:
        """Return the determinant of a square matrix, block by block, each block's factored.

        Some k rows that are zero outside of k columns are a block of their own.
        """
        number, factors = sympy.S.One, []
        for rows, columns, sign in blocks(M):
            det = self._expanded(M, rows, columns, {})
            if not det:
                return Factored(sympy.S.Zero, ())
            coefficient, parts = self._factors(det)
            number *= sign * coefficient
            factors += parts
        return Factored(number, tuple(factors))

    def _expanded(self, M: Sequence[Sequence[Poly]], rows: Indices, columns: Indices, known: dict[Any, Poly]) -> Poly:
        if not rows:
            return self.ring.one
        if columns not in known:
            total = self.ring.zero
            for k, j in enumerate(columns):
                if M[rows[0]][j]:
                    minor = self._expanded(M, rows[1:], columns[:k] + columns[k + 1 :], known)
                    if len(minor) * len(M[rows[0]][j]) > MOST_PRODUCTS:
                        raise TooLong
                    total = total + M[rows[0]][j] * minor * (-1) ** k
            known[columns] = self.reduced(total)
        return known[columns]

    def _factors(self, poly: Poly) -> tuple[sympy.Expr, list[Poly]]:
        if len(poly) > LONGEST_TO_FACTOR:
            return sympy.S.One, [poly]
        coefficient, found = poly.factor_list()
        number, factors = sympy.Rational(coefficient.numerator, coefficient.denominator), []
        for factor, times in found:
            sign = -1 if factor.LC < 0 else 1
            number *= sign**times
            factors += [factor * sign] * times
        return number, factors


def blocks(M: Sequence[Sequence[Poly]]) -> list[tuple[Indices, Indices, int]]:
    """Return rows, columns and sign of the blocks whose determinants multiply to that of the matrix."""
    rows: Indices = tuple(range(len(M)))
    columns, found = rows, []
    while rows:
        some, used = _block(M, rows, columns)
        moved = sum(rows.index(i) for i in some) + sum(columns.index(j) for j in used)
        found.append((some, tuple(sorted(used)), (-1) ** moved))
        rows, columns = tuple(i for i in rows if i not in some), tuple(j for j in columns if j not in used)
    return found


def _block(M: Sequence[Sequence[Poly]], rows: Indices, columns: Indices) -> tuple[Indices, Indices]:
    """Return the smallest set of rows with as many columns outside of which they are zero."""
    for size in range(1, len(rows)):
        for some in combinations(rows, size):
            used = tuple(j for j in columns if any(M[i][j] for i in some))
            if len(used) <= size:
                return some, used + tuple(j for j in columns if j not in used)[: size - len(used)]
    return rows, columns


def _roots(together: sympy.Matrix) -> list[sympy.Expr]:
    """Return the roots in a matrix, which are generators of their own."""
    roots = {power for power in together.atoms(sympy.Pow) if power.base.is_Integer and power.exp == sympy.S.Half}
    return sorted(roots, key=sympy.default_sort_key)
