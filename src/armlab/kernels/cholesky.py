"""Small symmetric systems, solved by Cholesky's factors in place: M = L Lᵀ, then L y = x and Lᵀ z = y."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

SMALLEST_PIVOT = 1e-13
"""A joint's own inertia below this share of the largest one is rounding: there is none."""


@kernel
def solve_into(M: Floats, x: Floats) -> int:
    """Replace the rows of `x` (m, n) by M⁻¹ x for the symmetric matrices `M` (m, n, n), which are overwritten.

    Returns -1, or the first joint at which a matrix is not positive definite.
    """
    n = x.shape[1]
    for m in range(x.shape[0]):
        L, b = M[m], x[m]
        least = 0.0
        for i in range(n):
            least = max(least, SMALLEST_PIVOT * L[i, i])
        # L row by row, below the diagonal; the diagonal holds 1 / L_ii; L y = x goes along
        for i in range(n):
            rest = L[i, i]
            for j in range(i):
                value = L[i, j]
                for k in range(j):
                    value -= L[i, k] * L[j, k]
                value *= L[j, j]
                L[i, j] = value
                rest -= value * value
            if not rest > least:
                return i
            L[i, i] = 1.0 / np.sqrt(rest)
            value = b[i]
            for k in range(i):
                value -= L[i, k] * b[k]
            b[i] = value * L[i, i]
        # Lᵀ z = y
        for i in range(n - 1, -1, -1):
            value = b[i]
            for k in range(i + 1, n):
                value -= L[k, i] * b[k]
            b[i] = value * L[i, i]
    return -1
