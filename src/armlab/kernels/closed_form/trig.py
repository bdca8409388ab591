"""The arcus tangent as plain arithmetic that LLVM can vectorise, and the wrapping of angles."""

from __future__ import annotations

import math

from armlab.kernels.jit import inlined

PI = math.pi
HALF_PI = 0.5 * math.pi
QUARTER_PI = 0.25 * math.pi
TURN = 2.0 * math.pi
TAN_PI_8 = 0.4142135623730951
TINIEST = 1e-300


@inlined
def atan2(y: float, x: float) -> float:
    """Return the angle of (x, y) in [-pi, pi] to 4e-16; 0 for (0, 0).

    The argument is brought to [-tan(pi/8), tan(pi/8)], where a polynomial of degree 10 in its square, found by
    Chebyshev interpolation, is exact to 1e-17.
    """
    # into the first octant, then past π/8 by tan(a - π/4) = (t - 1) / (t + 1)
    across, up = abs(x), abs(y)
    steep = up > across
    short = across if steep else up
    long = up if steep else across
    middle = short > TAN_PI_8 * long
    top = short - long if middle else short
    bottom = short + long if middle else long
    t = top / (bottom if bottom > TINIEST else TINIEST)
    z = t * t
    # Horner in z = t²
    p = 0.03923044778479309 - z * 0.019175404711104932
    p = -0.050854078345894844 + z * p
    p = 0.05858140904866328 + z * p
    p = -0.06664510525508936 + z * p
    p = 0.07692183125376892 + z * p
    p = -0.0909090457530649 + z * p
    p = 0.11111111015187018 + z * p
    p = -0.14285714284665682 + z * p
    p = 0.19999999999995516 + z * p
    p = -0.3333333333333333 + z * p
    angle = t + t * (z * p)
    # back to the octant, the half, the sign
    angle = QUARTER_PI + angle if middle else angle
    angle = HALF_PI - angle if steep else angle
    angle = PI - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@inlined
def wrapped(angle: float) -> float:
    """Return `angle`, at most one turn off, in (-pi, pi]."""
    angle = angle - TURN if angle > PI else angle
    return angle + TURN if angle <= -PI else angle
