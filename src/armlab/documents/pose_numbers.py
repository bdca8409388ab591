"""The numbers of every letter of a derivation at one pose, as they are put into its formulas: mm and degrees."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from armlab.documents import values
from armlab.documents.notation import Fn, Row, Sym, Unit, decimal, from_sympy, number, symbol
from armlab.documents.substitution import Numbers
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.evaluate import evaluate, shared_values
from armlab.kinematics.symbolic.inverse import evaluate_steps, joint_values, signs_of, target_values
from armlab.units import DEG_PER_RAD, MM_PER_M

DEG_PLACES, RATIO_PLACES = 2, 4
ANGLES = frozenset({"theta", "phi", "psi", "alpha", "beta", "gamma", "delta"})
"""Letters that stand for an angle."""
BESIDE = 1e-6
"""rad or m"""


def forward_numbers(derivation: Derivation, at: NumericDerivation) -> Numbers:
    """Return the numbers of the forward formulas, lengths in mm."""
    known = values.numbers_at(derivation, at.q, MM_PER_M)
    letters = {symbol(letter.name): _number(letter, value, derivation) for letter, value in known.items()}
    shared = {symbol(s.name): v for s, v in shared_values(derivation, known).items()}
    letters |= {letter: decimal(value, RATIO_PLACES) for letter, value in shared.items()}
    results: dict[Row, Row] = {(letter,): number(value, 6) for letter, value in shared.items()}
    results |= {(Sym(axis),): values.mm(float(at.tool[i, 3])) for i, axis in enumerate("xyz")}
    results |= _entries("r", at.tool[:3, :3], values.TURN_PLACES)
    results |= _entries("J", values.jacobian_mm(derivation, at.jacobian), values.MM_PLACES)
    return Numbers(letters, results)


def singular_numbers(derivation: Derivation, at: NumericDerivation) -> Numbers:
    """Return the same, and what the determinant and each singular condition are."""
    results: dict[Row, Row] = {}
    letters = forward_numbers(derivation, at).letters
    first, *others = _powers(derivation)
    if at.determinant is not None:
        results[Fn("det"), Sym("J")] = values.in_mm(at.determinant, first)
    plain = values.numbers_at(derivation, at.q)
    for condition, power in zip(derivation.singular, others, strict=True):
        value = values.value_at(derivation, condition.expression, plain)
        results[from_sympy(condition.expression)] = values.in_mm(value, power)
    return Numbers(letters, results)


@lru_cache(maxsize=32)
def _powers(derivation: Derivation) -> tuple[int, ...]:
    """Return how many lengths are multiplied in the determinant, and in each singular condition."""
    first = 0 if derivation.determinant is None else values.length_power(derivation, derivation.determinant)
    return first, *(values.length_power(derivation, c.expression) for c in derivation.singular)


def inverse_numbers(derivation: Derivation, at: NumericDerivation) -> Numbers:
    """Return the numbers of the inverse problem for the pose that the tool has, on the branch that the arm is on.

    Where rounding leaves a stretched arm without a solution, they are those of a pose a hair beside it.
    """
    given, found = _followed(derivation, at)
    if not found:
        given, found = _followed(derivation, evaluate(derivation, at.q + BESIDE))
    slides = {s.name for s, row in zip(derivation.variables, derivation.rows, strict=True) if row.kind != "revolute"}
    letters = {symbol(name): _by_name(name, value, name in slides) for name, value in (given | found).items()}
    results: dict[Row, Row] = {(symbol(name),): letters[symbol(name)] for name in found}
    return Numbers(letters if found else {}, results)


def _followed(derivation: Derivation, at: NumericDerivation) -> tuple[dict[str, float], dict[str, float]]:
    """Return the numbers that the steps start with, and those that they find with the signs of the arm's branch."""
    T = np.array(at.tool)
    T[:3, 3] *= MM_PER_M
    known = values.numbers_at(derivation, at.q, MM_PER_M)
    given = {s.name: v for s, v in known.items() if s in derivation.parameters} | target_values(T)
    scale = np.array([1.0 if row.kind == "revolute" else MM_PER_M for row in derivation.rows])
    found: dict[str, float] = {}
    nearest = np.inf
    for signs in signs_of(derivation.inverse) if derivation.inverse else ():
        tried = evaluate_steps(derivation.inverse, given, signs)
        apart = joint_values(derivation, tried) - at.q * scale
        away = float(np.abs(np.where(scale == 1.0, np.angle(np.exp(1j * apart)), apart)).max())
        if away < nearest:
            nearest = away
            found = tried | {f"sigma_{k}": float(sign) for k, sign in enumerate(signs, 1)}
    return given, found


def dynamic_numbers(derivation: Derivation, at: NumericDerivation) -> Numbers:
    """Return the numbers of the dynamics in kg, m and s; speeds stay letters."""
    known: dict[Any, float] = values.numbers_at(derivation, at.q)
    letters = {
        symbol(s.name): _degrees(v) if _is_turn(s, derivation) or values.is_angle(s) else number(v, 4)
        for s, v in known.items()
    }
    own = {} if derivation.dynamics is None else derivation.dynamics.parameters
    return Numbers(letters | {symbol(s.name): number(v, 4) for s, v in own.items()}, {})


def _entries(letter: str, matrix: Any, places: int) -> dict[Row, Row]:
    rows, columns = matrix.shape
    separator = "," if max(rows, columns) > 9 else ""
    return {
        (Sym(letter, f"{i + 1}{separator}{j + 1}"),): decimal(float(matrix[i, j]), places)
        for i in range(rows)
        for j in range(columns)
    }


def _number(letter: Any, value: float, derivation: Derivation) -> Row:
    if _is_turn(letter, derivation) or values.is_angle(letter):
        return _degrees(value)
    return decimal(value, values.MM_PLACES)


def _is_turn(letter: Any, derivation: Derivation) -> bool:
    return any(letter == row.variable and row.kind == "revolute" for row in derivation.rows)


def _by_name(name: str, value: float, slides: bool) -> Row:
    if symbol(name).base in ANGLES and not slides:
        return _degrees(value)
    return decimal(value, RATIO_PLACES if abs(value) < 1.5 else values.MM_PLACES)


def _degrees(value: float) -> Row:
    return (*decimal(value * DEG_PER_RAD, DEG_PLACES), Unit("°"))
