"""The solution of six linear equations with a symmetric, positive matrix, written out."""

from __future__ import annotations

import math
from typing import TypeAlias

from armlab.kernels.jit import inlined

Six: TypeAlias = tuple[float, float, float, float, float, float]
Triangle: TypeAlias = tuple[
    float, float, float, float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float, float, float,
]  # fmt: skip
"""The lower triangle of a symmetric 6×6 matrix, row by row."""

LEAST_PIVOT = 1e-300
"""keeps the square roots finite where a matrix is not positive"""


@inlined
def solve_six(a: Triangle, e: Six) -> Six:
    """Return y with A y = e by Cholesky's method; no branches, so that LLVM can solve one system per vector lane.

    Element (r, c) of A is a[r (r + 1) / 2 + c].
    """
    # A = L Lᵀ column by column; d_i = 1 / L_ii, and a pivot that rounding made negative counts as LEAST_PIVOT
    d0 = 1.0 / math.sqrt(max(a[0], LEAST_PIVOT))
    l10, l20, l30, l40, l50 = a[1] * d0, a[3] * d0, a[6] * d0, a[10] * d0, a[15] * d0
    d1 = 1.0 / math.sqrt(max(a[2] - l10 * l10, LEAST_PIVOT))
    l21, l31 = (a[4] - l20 * l10) * d1, (a[7] - l30 * l10) * d1
    l41, l51 = (a[11] - l40 * l10) * d1, (a[16] - l50 * l10) * d1
    d2 = 1.0 / math.sqrt(max(a[5] - l20 * l20 - l21 * l21, LEAST_PIVOT))
    l32 = (a[8] - l30 * l20 - l31 * l21) * d2
    l42 = (a[12] - l40 * l20 - l41 * l21) * d2
    l52 = (a[17] - l50 * l20 - l51 * l21) * d2
    d3 = 1.0 / math.sqrt(max(a[9] - l30 * l30 - l31 * l31 - l32 * l32, LEAST_PIVOT))
    l43 = (a[13] - l40 * l30 - l41 * l31 - l42 * l32) * d3
    l53 = (a[18] - l50 * l30 - l51 * l31 - l52 * l32) * d3
    d4 = 1.0 / math.sqrt(max(a[14] - l40 * l40 - l41 * l41 - l42 * l42 - l43 * l43, LEAST_PIVOT))
    l54 = (a[19] - l50 * l40 - l51 * l41 - l52 * l42 - l53 * l43) * d4
    rest = a[20] - l50 * l50 - l51 * l51 - l52 * l52 - l53 * l53 - l54 * l54
    d5 = 1.0 / math.sqrt(max(rest, LEAST_PIVOT))
    # L z = e, from the first row
    z0 = e[0] * d0
    z1 = (e[1] - l10 * z0) * d1
    z2 = (e[2] - l20 * z0 - l21 * z1) * d2
    z3 = (e[3] - l30 * z0 - l31 * z1 - l32 * z2) * d3
    z4 = (e[4] - l40 * z0 - l41 * z1 - l42 * z2 - l43 * z3) * d4
    z5 = (e[5] - l50 * z0 - l51 * z1 - l52 * z2 - l53 * z3 - l54 * z4) * d5
    # Lᵀ y = z, from the last row
    y5 = z5 * d5
    y4 = (z4 - l54 * y5) * d4
    y3 = (z3 - l43 * y4 - l53 * y5) * d3
    y2 = (z2 - l32 * y3 - l42 * y4 - l52 * y5) * d2
    y1 = (z1 - l21 * y2 - l31 * y3 - l41 * y4 - l51 * y5) * d1
    y0 = (z0 - l10 * y1 - l20 * y2 - l30 * y3 - l40 * y4 - l50 * y5) * d0
    return y0, y1, y2, y3, y4, y5
