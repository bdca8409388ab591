"""Trigonometric polynomials in one normal form, and written as shortly as a textbook would.

A polynomial in sines and cosines of several angles is also a sum of cosines and sines of whole combinations of those
angles, in one way only. In that form sin² + cos² = 1 and every addition theorem hold by themselves; two terms that are
the two halves of a product are then written as that product again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import sympy

Frequency = tuple[int, ...]
Wave = tuple[Frequency, Literal["cos", "sin"]]
Complex = tuple[Fraction, Fraction]


def normal_form(terms: Iterable[tuple[Frequency, Frequency, Fraction]], count: int) -> dict[Wave, Fraction]:
    """Return the waves of Σ factor · Π sin^a · Π cos^b, given as (a, b, factor), for `count` angles.

    A constant is the cosine of no angle at all. The first number of a frequency that is not zero is positive.
    """
    waves: dict[Wave, Fraction] = {}
    for sines, cosines, factor in terms:
        for frequency, (real, imaginary) in _exponentials(sines, cosines).items():
            if frequency < (0,) * count:
                continue
            twice = 2 if any(frequency) else 1
            for kind, part in (("cos", real), ("sin", -imaginary)):
                wave: Wave = (frequency, kind)  # type: ignore[assignment]
                waves[wave] = waves.get(wave, Fraction(0)) + factor * twice * part
    return {wave: factor for wave, factor in waves.items() if factor}


@lru_cache(maxsize=4096)
def _exponentials(sines: Frequency, cosines: Frequency) -> dict[Frequency, Complex]:
    """Return Π sin^a Π cos^b as frequency → factor of e^(i · frequency · angles)."""
    half = Fraction(1, 2)
    product: dict[Frequency, Complex] = {(0,) * len(sines): (Fraction(1), Fraction(0))}
    for i in range(len(sines)):
        for power, way in ((sines[i], "sin"), (cosines[i], "cos")):
            for _ in range(power):
                longer: dict[Frequency, Complex] = {}
                for frequency, (real, imaginary) in product.items():
                    for step in (1, -1):
                        shifted = (*frequency[:i], frequency[i] + step, *frequency[i + 1 :])
                        # sin = (e^it - e^-it) / 2i: times -i/2 or i/2
                        part = (real, imaginary) if way == "cos" else (step * imaginary, -step * real)
                        old = longer.get(shifted, (Fraction(0), Fraction(0)))
                        longer[shifted] = (old[0] + half * part[0], old[1] + half * part[1])
                product = longer
    return product


def written(waves: dict[Wave, Fraction], angles: Sequence[sympy.Expr]) -> sympy.Expr:
    """Return the sum of `waves`, with products where two waves are the halves of one."""
    left = dict(sorted(waves.items(), reverse=True))
    total = sympy.Integer(0)
    while left:
        (frequency, kind), factor = left.popitem()
        partner = next((wave for wave in left if _pairs((frequency, kind), wave, factor, left[wave])), None)
        if partner is not None:
            same = left.pop(partner) == factor
            total += 2 * _rational(factor) * _product(frequency, partner[0], kind, same, angles)
        elif kind == "sin" and all(f % 2 == 0 for f in frequency):
            half = _angle(tuple(f // 2 for f in frequency), angles)
            total += 2 * _rational(factor) * sympy.sin(half) * sympy.cos(half)
        else:
            total += _rational(factor) * getattr(sympy, kind)(_angle(frequency, angles))
    return total


def _pairs(one: Wave, other: Wave, factor: Fraction, other_factor: Fraction) -> bool:
    """Tell whether two waves are the sum, or the difference, that makes a product."""
    if one[1] != other[1] or abs(factor) != abs(other_factor):
        return False
    return all((f + g) % 2 == 0 for f, g in zip(one[0], other[0], strict=True))


def _product(frequency: Frequency, other: Frequency, kind: str, same: bool, angles: Sequence[sympy.Expr]) -> sympy.Expr:
    """Return half of wave(frequency) ± wave(other) as a product of two."""
    mean = _angle(tuple((f + g) // 2 for f, g in zip(frequency, other, strict=True)), angles)
    half = _angle(tuple((f - g) // 2 for f, g in zip(frequency, other, strict=True)), angles)
    if kind == "cos":
        return sympy.cos(mean) * sympy.cos(half) if same else -sympy.sin(mean) * sympy.sin(half)
    return sympy.sin(mean) * sympy.cos(half) if same else sympy.cos(mean) * sympy.sin(half)


def _angle(frequency: Frequency, angles: Sequence[sympy.Expr]) -> sympy.Expr:
    return sympy.Add(*(f * angle for f, angle in zip(frequency, angles, strict=True) if f))


def _rational(factor: Fraction) -> sympy.Rational:
    return sympy.Rational(factor.numerator, factor.denominator)
