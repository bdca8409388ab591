"""Sine and cosine together, as plain arithmetic that LLVM can vectorise."""

from __future__ import annotations

import numpy as np

from armlab.kernels.jit import inlined

LARGEST = 1e5
"""Joint values beyond ±LARGEST (rad or m) are refused: the reduction below is exact to the last bits only inside."""

TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts, 33 bits each in the first two: k times a part is exact for |k| < 2**20 (Cody and Waite 1980)
HALF_PI_1 = 1.57079632673412561417e00
HALF_PI_2 = 6.07710050630396597660e-11
HALF_PI_3 = 2.02226624879595063154e-21


@inlined
def sincos(x: float) -> tuple[float, float]:
    """Return (sin x, cos x) to 3e-16 for |x| ≤ LARGEST: Taylor polynomials on [-pi/4, pi/4], then the quadrant."""
    # x = k π/2 + r with |r| ≤ π/4
    k = np.floor(x * TWO_OVER_PI + 0.5)
    r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3
    # Taylor by Horner: sin r to r¹⁵, cos r to r¹⁶
    z = r * r
    s = r + r * z * (
        -1.0 / 6.0
        + z
        * (
            1.0 / 120.0
            + z
            * (
                -1.0 / 5040.0
                + z
                * (1.0 / 362880.0 + z * (-1.0 / 39916800.0 + z * (1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0))))
            )
        )
    )
    c = (1.0 - 0.5 * z) + z * z * (
        1.0 / 24.0
        + z
        * (
            -1.0 / 720.0
            + z
            * (
                1.0 / 40320.0
                + z
                * (
                    -1.0 / 3628800.0
                    + z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0)))
                )
            )
        )
    )
    # quadrant k mod 4: odd ones swap sine and cosine; then the signs
    quadrant = k - 4.0 * np.floor(k * 0.25)
    odd = quadrant - 2.0 * np.floor(quadrant * 0.5)
    sine = c if odd > 0.5 else s
    cosine = s if odd > 0.5 else c
    sine = -sine if quadrant > 1.5 else sine
    cosine = -cosine if (quadrant > 0.5) and (quadrant < 2.5) else cosine
    return sine, cosine
