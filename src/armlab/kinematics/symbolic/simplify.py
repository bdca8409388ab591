"""Short names for what comes back often: s_23 for sin(theta_2 + theta_3), k_1, k_2, … for longer pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import sympy

if TYPE_CHECKING:
    from armlab.kinematics.symbolic.derivation import Derivation

Definitions = list[tuple[sympy.Symbol, sympy.Expr]]


def share_trigonometry(
    matrices: Sequence[sympy.Matrix], variables: Sequence[sympy.Symbol]
) -> tuple[list[sympy.Matrix], Definitions]:
    """Return the matrices with s_i and c_i for the sines and cosines of joint values, and what those stand for."""
    found = {f for matrix in matrices for f in matrix.atoms(sympy.sin, sympy.cos) if f.has(*variables)}
    names: dict[sympy.Expr, sympy.Symbol] = {}
    taken: set[str] = set()
    for function in sorted(found, key=lambda f: (_indices(f.args[0], variables), sympy.default_sort_key(f))):
        name = ("s_" if isinstance(function, sympy.sin) else "c_") + _subscript(function.args[0], variables)
        while name in taken:
            name += "p"
        taken.add(name)
        names[function] = sympy.Symbol(name, real=True)
    return [matrix.xreplace(names) for matrix in matrices], [(symbol, f) for f, symbol in names.items()]


def share_pieces(matrix: sympy.Matrix) -> tuple[sympy.Matrix, Definitions]:
    """Return the matrix with k_1, k_2, … for the sub-expressions that come back in it, and what those stand for."""
    symbols = (sympy.Symbol(f"k_{i}", real=True) for i in range(1, 10_000))
    definitions, (short,) = sympy.cse([matrix], symbols=symbols, order="canonical")
    return _keep_worthwhile(short, definitions)


def meanings(derivation: Derivation) -> dict[sympy.Symbol, sympy.Expr]:
    """Return what each shared symbol stands for, in joint values and parameters."""
    known: dict[sympy.Symbol, sympy.Expr] = {}
    for symbol, definition in derivation.shared:
        known[symbol] = definition.xreplace(known)
    return known


def used(definitions: Definitions, matrices: Iterable[sympy.Matrix]) -> Definitions:
    """Return the definitions that the matrices need, directly or through another definition."""
    wanted = {symbol for matrix in matrices for symbol in matrix.free_symbols}
    kept = []
    for symbol, expression in reversed(definitions):
        if symbol in wanted:
            kept.append((symbol, expression))
            wanted |= expression.free_symbols
    return kept[::-1]


def _keep_worthwhile(matrix: sympy.Matrix, definitions: Definitions) -> tuple[sympy.Matrix, Definitions]:
    """Put back the pieces that are no longer than two operations, and number the others again."""
    meaning: dict[sympy.Symbol, sympy.Expr] = {}
    kept: Definitions = []
    for symbol, definition in definitions:
        expression = definition.xreplace(meaning)
        if sympy.count_ops(expression) <= 2:
            meaning[symbol] = expression
        else:
            meaning[symbol] = sympy.Symbol(f"k_{len(kept) + 1}", real=True)
            kept.append((meaning[symbol], expression))
    return matrix.xreplace(meaning), kept


def _indices(angle: sympy.Expr, variables: Sequence[sympy.Symbol]) -> tuple[int, ...]:
    return tuple(i for i, variable in enumerate(variables, 1) if angle.has(variable))


def _subscript(angle: sympy.Expr, variables: Sequence[sympy.Symbol]) -> str:
    """Return 23 for theta_2 + theta_3 and {2-3} for theta_2 - theta_3."""
    parts: Mapping[sympy.Expr, sympy.Expr] = angle.as_coefficients_dict()
    indices = _indices(angle, variables)
    signs = ["-" if parts[variables[i - 1]] < 0 else "+" for i in indices]
    if "-" in signs or max(indices) > 9:
        return "{" + "".join(f"{sign}{i}" for sign, i in zip(signs, indices, strict=True)).lstrip("+") + "}"
    return "".join(map(str, indices))
