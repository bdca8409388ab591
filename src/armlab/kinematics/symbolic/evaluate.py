"""The numbers of a derivation: every matrix at a pose, from the symbols and not from the kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import sympy
from numpy.typing import ArrayLike

from armlab.arrays import as_floats
from armlab.kinematics.symbolic.derivation import Derivation, NumericDerivation
from armlab.kinematics.symbolic.simplify import meanings

Compiled: TypeAlias = Callable[..., list[float]]

_compiled: WeakKeyDictionary[Derivation, Compiled] = WeakKeyDictionary()
"""A derivation is compared by identity, so that each is compiled once and forgotten with it."""
_compiled_shared: WeakKeyDictionary[Derivation, Compiled] = WeakKeyDictionary()


def evaluate(derivation: Derivation, q: ArrayLike) -> NumericDerivation:
    """Return every matrix of `derivation` at `q` (n,), in m and rad.

    Raises:
        InvalidInput: if `q` has another shape or is not finite.
    """
    n = len(derivation.rows)
    values = as_floats(q, (n,), f"{derivation.robot}: q")
    function = _compiled.get(derivation)
    if function is None:
        function = _compiled[derivation] = _compile(derivation)
    numbers = np.array(function(*values.tolist(), *derivation.parameters.values()), dtype=np.float64)
    links, products, tool, jacobian, rest = np.split(numbers, np.cumsum([16 * n, 16 * (n + 1), 16, 6 * n]))
    return NumericDerivation(
        q=values,
        links=links.reshape(n, 4, 4),
        products=products.reshape(n + 1, 4, 4),
        tool=tool.reshape(4, 4),
        jacobian=jacobian.reshape(6, n),
        determinant=float(rest[0]) if len(rest) else None,
    )


def shared_values(derivation: Derivation, numbers: Mapping[sympy.Symbol, float]) -> dict[sympy.Symbol, float]:
    """Return the value of every shared symbol; `numbers` has those of the variables and of the parameters."""
    arguments = [*derivation.variables, *derivation.parameters]
    function = _compiled_shared.get(derivation)
    if function is None:
        known = meanings(derivation)
        function = sympy.lambdify(arguments, list(known.values()), modules="math", cse=True)
        _compiled_shared[derivation] = function
    found = function(*(numbers[argument] for argument in arguments))
    return {symbol: float(value) for (symbol, _), value in zip(derivation.shared, found, strict=True)}


def _compile(derivation: Derivation) -> Compiled:
    """Return one function of the joint values and the parameters, for all entries one after another."""
    matrices = [*derivation.links, *derivation.products, derivation.tool, derivation.jacobian]
    entries = [entry for matrix in matrices for entry in matrix.flat()]
    if derivation.determinant is not None:
        entries.append(derivation.determinant)
    known = meanings(derivation)
    function: Compiled = sympy.lambdify(
        [*derivation.variables, *derivation.parameters],
        [entry.xreplace(known) for entry in entries],
        modules="math",
        cse=lambda expressions: sympy.cse(expressions, order="none"),
    )
    return function
