"""Polynomials in the symbols of an arm, fast to multiply and to differentiate, and their way back to short formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import sympy

from armlab.kinematics.symbolic import trigonometry
from armlab.kinematics.symbolic.derivation import SymbolicRow

LONGEST = 12
"""Sums of more parts than this, as skew axes make them, are not factored: slow, and no shorter for it."""


class Algebra:
    """Polynomials in lengths, masses, rates, and a sine and a cosine for each turning joint.

    Whatever else appears in a table (the sine of an odd angle, a number that is no fraction) gets a stand-in.
    """

    def __init__(
        self,
        rows: Sequence[SymbolicRow],
        masses: Sequence[sympy.Symbol],
        lengths: Sequence[sympy.Symbol],
        rates: Sequence[sympy.Symbol],
        constants: Sequence[sympy.Expr],
    ) -> None:
        self._stand_ins: dict[sympy.Expr, sympy.Symbol] = {}
        self._turning = [i for i, row in enumerate(rows) if row.kind == "revolute"]
        self._angles = [rows[i].theta for i in self._turning]
        self._masses, self._rates = list(masses), set(rates)
        fixed = [part for row in rows for part in _fixed_parts(row)]
        found = {symbol for part in (*fixed, *constants) for symbol in self._plain(part).free_symbols}
        trig = [sympy.Dummy(f"{kind}{i}") for kind in "sc" for i in self._turning]
        others = sorted({*found, *lengths, *rates}, key=lambda symbol: symbol.name)
        self._ring, *generators = sympy.ring([*trig, *masses, *others], sympy.QQ)
        self._generator = dict(zip(self._ring.symbols, generators, strict=True))
        k = len(self._turning)
        self._sine = {i: generators[at] for at, i in enumerate(self._turning)}
        self._cosine = {i: generators[k + at] for at, i in enumerate(self._turning)}
        self._variables = [row.variable for row in rows]
        pairs = [(self._sine[i], self._cosine[i]) for i in self._turning]
        pairs += [self.tilt(row) for row in rows if not sympy.sin(row.alpha).is_Integer]
        self._circles = [s**2 + c**2 - 1 for s, c in pairs]
        self._written_waves: dict[frozenset[tuple[trigonometry.Wave, Fraction]], tuple[Any, Any]] = {}

    def of(self, expression: Any) -> Any:
        """Return an expression as a polynomial."""
        return self._ring.from_expr(self._plain(sympy.sympify(expression)))

    def sum(self, terms: Iterable[Any]) -> Any:
        """Return the sum of polynomials."""
        return sum(terms, self._ring.zero)

    def reduced(self, polynomial: Any) -> Any:
        """Return the same without squares of sines."""
        return polynomial.rem(self._circles) if self._circles else polynomial

    def turn(self, row: SymbolicRow, i: int) -> tuple[Any, Any]:
        """Return sine and cosine of a row's angle."""
        if i in self._sine:
            return self._sine[i], self._cosine[i]
        return self.of(sympy.sin(row.theta)), self.of(sympy.cos(row.theta))

    def tilt(self, row: SymbolicRow) -> tuple[Any, Any]:
        """Return sine and cosine of a row's alpha."""
        return self.of(sympy.sin(row.alpha)), self.of(sympy.cos(row.alpha))

    def diff(self, polynomial: Any, i: int) -> Any:
        """Return the derivative by joint `i`'s variable."""
        if i not in self._sine:
            return polynomial.diff(self._generator[self._variables[i]])
        s, c = self._sine[i], self._cosine[i]
        return polynomial.diff(s) * c - polynomial.diff(c) * s

    def written(self, polynomial: Any) -> sympy.Expr:
        """Return a polynomial as an expression: mass by mass, with merged angles and factored lengths."""
        by_mass: dict[Any, dict[Any, Any]] = {}
        for (mass, rest), terms in self._sorted(polynomial).items():
            waves = trigonometry.normal_form(terms, len(self._turning))
            if not waves:
                continue
            lead = waves[min(waves)]
            shape = frozenset((wave, factor / lead) for wave, factor in waves.items())
            lengths = sympy.Mul(*(symbol**power for symbol, power in rest))
            shapes = by_mass.setdefault(mass, {})
            shapes[shape] = shapes.get(shape, 0) + sympy.Rational(lead.numerator, lead.denominator) * lengths
        masses = (self._written_mass(mass, shapes) for mass, shapes in by_mass.items())
        return sympy.Add(*masses).xreplace({symbol: part for part, symbol in self._stand_ins.items()})

    def _written_mass(self, mass: Any, shapes: dict[Any, Any]) -> sympy.Expr:
        """Return one mass's part; a gravity or a rate that all of it has goes outside the brackets."""
        parts = []
        for shape, lengths in shapes.items():
            if shape not in self._written_waves:
                self._written_waves[shape] = trigonometry.written(dict(shape), self._angles).primitive()
            content, wave = self._written_waves[shape]
            parts.append((wave, self._factored(content * lengths)))
        total = sympy.Add(*(wave * lengths for wave, lengths in parts))
        return mass * (sympy.gcd_terms(total, clear=False) if len(parts) <= LONGEST else total)

    def _factored(self, lengths: sympy.Expr) -> sympy.Expr:
        """Return a sum of products with each part factored that has no length in common with another."""
        if len(sympy.Add.make_args(lengths)) > LONGEST:
            return lengths
        groups: list[tuple[set[sympy.Symbol], sympy.Expr]] = []
        for term in sympy.Add.make_args(sympy.expand(lengths)):
            own, total = term.free_symbols - self._rates, term
            for group in [group for group in groups if group[0] & own]:
                groups.remove(group)
                own, total = own | group[0], total + group[1]
            groups.append((own, total))
        apart = sympy.Add(*(sympy.factor(total) for _, total in groups))
        together = sympy.factor(lengths)
        return min(together, apart, key=sympy.count_ops)

    def _sorted(self, polynomial: Any) -> dict[tuple[Any, Any], list[tuple[Any, Any, Fraction]]]:
        """Return (mass, [(symbol, power), …]) → [(powers of sines, of cosines, factor), …]."""
        k = len(self._turning)
        first, last = 2 * k, 2 * k + len(self._masses)
        found: dict[tuple[Any, Any], list[tuple[Any, Any, Fraction]]] = {}
        for powers, factor in polynomial.terms():
            mass = sympy.Mul(*(s**p for s, p in zip(self._masses, powers[first:last], strict=True) if p))
            rest = tuple((s, p) for s, p in zip(self._ring.symbols[last:], powers[last:], strict=True) if p)
            fraction = Fraction(int(factor.numerator), int(factor.denominator))
            found.setdefault((mass, rest), []).append((powers[:k], powers[k : 2 * k], fraction))
        return found

    def _plain(self, expression: sympy.Expr) -> sympy.Expr:
        """Return the expression itself where it is a polynomial with fractions, otherwise a stand-in."""
        if expression.is_number and expression == int(expression):
            return sympy.Integer(int(expression))
        if expression.is_Rational or (expression.free_symbols and expression.is_polynomial()):
            return expression
        if expression not in self._stand_ins:
            self._stand_ins[expression] = sympy.Dummy(f"part{len(self._stand_ins)}")
        return self._stand_ins[expression]


def _fixed_parts(row: SymbolicRow) -> list[sympy.Expr]:
    """Return what a row brings in besides the sine and the cosine of a turning joint's angle."""
    parts = [row.d, row.a, sympy.sin(row.alpha), sympy.cos(row.alpha)]
    return parts if row.kind == "revolute" else [*parts, sympy.sin(row.theta), sympy.cos(row.theta)]
