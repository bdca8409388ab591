"""The steps that several closed forms of inverse kinematics share.

A block of up to LANES targets lives in one flat workspace `w`: row r, lane j is `w[r * LANES + j]`. The loops over the
lanes have no branches, so that LLVM runs them on several targets at once. Every `parameters` array begins alike: 12
numbers of T_canonical_world and 12 of T_tool_end (rotation row by row, then the point), the slack, and the size of
the arm.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.closed_form.trig import atan2, wrapped
from armlab.kernels.jit import inlined, kernel

LANES = 32

SLACK, SIZE = 24, 25
"""Places in `parameters`: how far (m, rad) a target may be off in what the arm cannot choose; a length (m)."""
OWN_PARAMETERS = 26
"""Where each closed form's own parameters begin."""

R00, R01, R02, R10, R11, R12, R20, R21, R22, X, Y, Z = range(12)
"""The first rows of a workspace: the target's rotation, row by row, and its point, in the canonical frame."""

CLIP = 5e-10
"""How far a target may be beyond the stretched arm: as the squared sine of half an angle, or relative to the size."""
SNAP = 4e-15
"""Differences of squares below this part of their sum are rounding: the arm is stretched or folded, not nearly so."""
FREE = 1e-12
"""Below this sine two axes count as one line: the turn about it is free, and the joint in question stays at zero."""


@inlined
def load_targets(parameters: Floats, T: Floats, first: int, count: int, w: Floats) -> None:
    """Write the targets `T[first : first + count]` to the pose rows of `w`, in the canonical frame.

    T_canonical_end = T_canonical_world · T_world_tool · T_tool_end.
    """
    b0, b1, b2 = parameters[0], parameters[1], parameters[2]
    b3, b4, b5 = parameters[3], parameters[4], parameters[5]
    b6, b7, b8 = parameters[6], parameters[7], parameters[8]
    bx, by, bz = parameters[9], parameters[10], parameters[11]
    e0, e1, e2 = parameters[12], parameters[13], parameters[14]
    e3, e4, e5 = parameters[15], parameters[16], parameters[17]
    e6, e7, e8 = parameters[18], parameters[19], parameters[20]
    ex, ey, ez = parameters[21], parameters[22], parameters[23]
    for j in range(count):
        pose = T[first + j]
        for row in range(3):
            w[(3 * row) * LANES + j] = pose[row, 0]
            w[(3 * row + 1) * LANES + j] = pose[row, 1]
            w[(3 * row + 2) * LANES + j] = pose[row, 2]
            w[(X + row) * LANES + j] = pose[row, 3]
    # with T_world_tool = (t, p): the point is b (t e + p) + b_point, the rotation b t e
    for j in range(count):
        t0, t1, t2 = w[R00 * LANES + j], w[R01 * LANES + j], w[R02 * LANES + j]
        t3, t4, t5 = w[R10 * LANES + j], w[R11 * LANES + j], w[R12 * LANES + j]
        t6, t7, t8 = w[R20 * LANES + j], w[R21 * LANES + j], w[R22 * LANES + j]
        x = w[X * LANES + j] + t0 * ex + t1 * ey + t2 * ez
        y = w[Y * LANES + j] + t3 * ex + t4 * ey + t5 * ez
        z = w[Z * LANES + j] + t6 * ex + t7 * ey + t8 * ez
        w[X * LANES + j] = bx + b0 * x + b1 * y + b2 * z
        w[Y * LANES + j] = by + b3 * x + b4 * y + b5 * z
        w[Z * LANES + j] = bz + b6 * x + b7 * y + b8 * z
        u0, u1, u2 = t0 * e0 + t1 * e3 + t2 * e6, t0 * e1 + t1 * e4 + t2 * e7, t0 * e2 + t1 * e5 + t2 * e8
        u3, u4, u5 = t3 * e0 + t4 * e3 + t5 * e6, t3 * e1 + t4 * e4 + t5 * e7, t3 * e2 + t4 * e5 + t5 * e8
        u6, u7, u8 = t6 * e0 + t7 * e3 + t8 * e6, t6 * e1 + t7 * e4 + t8 * e7, t6 * e2 + t7 * e5 + t8 * e8
        w[R00 * LANES + j] = b0 * u0 + b1 * u3 + b2 * u6
        w[R01 * LANES + j] = b0 * u1 + b1 * u4 + b2 * u7
        w[R02 * LANES + j] = b0 * u2 + b1 * u5 + b2 * u8
        w[R10 * LANES + j] = b3 * u0 + b4 * u3 + b5 * u6
        w[R11 * LANES + j] = b3 * u1 + b4 * u4 + b5 * u7
        w[R12 * LANES + j] = b3 * u2 + b4 * u5 + b5 * u8
        w[R20 * LANES + j] = b6 * u0 + b7 * u3 + b8 * u6
        w[R21 * LANES + j] = b6 * u1 + b7 * u4 + b8 * u7
        w[R22 * LANES + j] = b6 * u2 + b7 * u5 + b8 * u8


@kernel
def _angles_into(sines: Floats, cosines: Floats, out: Floats) -> None:
    for j in range(out.shape[0]):
        out[j] = atan2(sines[j], cosines[j])


@inlined
def angles_of_pairs(w: Floats, sines: int, cosines: int, out: int, pairs: int, count: int) -> None:
    """Write the angles of `pairs` rows of sines and cosines to the rows from `out` on.

    Three views, not three places in one array: then LLVM sees that they do not overlap, and takes many lanes at once.
    Of a single target the pairs go side by side, through lanes of the first rows that it leaves free.
    """
    if count == 1:
        s, c, o = 1, LANES + 1, 2 * LANES + 1
        for k in range(pairs):
            w[s + k], w[c + k] = w[(sines + k) * LANES], w[(cosines + k) * LANES]
        _angles_into(w[s : s + pairs], w[c : c + pairs], w[o : o + pairs])
        for k in range(pairs):
            w[(out + k) * LANES] = w[o + k]
        return
    for k in range(pairs):
        s, c, o = (sines + k) * LANES, (cosines + k) * LANES, (out + k) * LANES
        _angles_into(w[s : s + count], w[c : c + count], w[o : o + count])


@inlined
def joint_row(
    w: Floats, source: int, factor: float, shift: float, sign: float, zero: float, out: int, count: int
) -> None:
    """Turn a row of canonical angles, times `factor` plus `shift`, into values of a joint with its sign and zero."""
    for j in range(count):
        w[out * LANES + j] = wrapped(sign * (wrapped(factor * w[source * LANES + j] + shift) - zero))


@inlined
def turn_shoulder(
    size: float, b: float, sign: float, count: int, w: Floats, x: int, ok: int, sine: int, cosine: int
) -> None:
    """Turn joint 1 so that the target's point comes to y = `b`, and to x ≥ 0 or x ≤ 0 as `sign` says.

    Writes x, 1.0 where there is a solution, sine and cosine of the angle to the rows named. A point on the axis itself
    leaves the angle free: it is then zero, or half a turn.
    """
    slack = -4.0 * CLIP * abs(b) * size
    least = (FREE * size) ** 2
    for j in range(count):
        px, py = w[X * LANES + j], w[Y * LANES + j]
        # (px, py) is (x, b) turned by θ1: x² = px² + py² - b²; then sin θ1 ~ py x - px b and cos θ1 ~ px x + py b
        r2 = px * px + py * py
        x2 = r2 - b * b
        reach = sign * math.sqrt(x2 if x2 > SNAP * (r2 + b * b) else 0.0)
        larger = r2 if r2 > b * b else b * b
        on_axis = r2 < least
        scale = 1.0 / math.sqrt(1.0 if on_axis else r2 * larger)
        w[x * LANES + j] = reach
        w[ok * LANES + j] = 1.0 if x2 >= slack else 0.0
        w[sine * LANES + j] = 0.0 if on_axis else (py * reach - px * b) * scale
        w[cosine * LANES + j] = sign if on_axis else (px * reach + py * b) * scale


@inlined
def look_from_shoulder(sine: int, cosine: int, turned: int, count: int, w: Floats) -> None:
    """Write the upper two rows of the target's rotation, seen from the turned joint 1, to six rows from `turned` on."""
    for j in range(count):
        s1, c1 = w[sine * LANES + j], w[cosine * LANES + j]
        for k in range(3):
            r0, r3 = w[(R00 + k) * LANES + j], w[(R10 + k) * LANES + j]
            w[(turned + k) * LANES + j] = c1 * r0 + s1 * r3
            w[(turned + 3 + k) * LANES + j] = c1 * r3 - s1 * r0


@inlined
def bend(
    U: float, V: float, l2: float, l3: float, sign: float, least: float
) -> tuple[float, float, float, float, float]:
    """Solve U = l2 sin θ2 + l3 sin(θ2 + θ3), V = l2 cos θ2 + l3 cos(θ2 + θ3) with sin θ3 of the given sign.

    Returns 1.0 if (U, V) is in reach, then sin θ2, cos θ2, sin θ3, cos θ3. Half angles keep full precision when the
    arm is stretched or folded. `least`: below this squared distance θ2 is free, and counts as zero.
    """
    # law of cosines by half angles: sin²(θ3/2) = ((l2 + l3)² - d²) / 4 l2 l3, cos²(θ3/2) = (d² - (l2 - l3)²) / 4 l2 l3
    d2 = U * U + V * V
    quarter = 0.25 / (l2 * l3)
    outer, inner = (l2 + l3) * (l2 + l3), (l2 - l3) * (l2 - l3)
    half_s2 = (outer - d2) * quarter
    half_c2 = (d2 - inner) * quarter
    ok = 1.0 if (half_s2 >= -CLIP) and (half_c2 >= -CLIP) else 0.0
    half_s2 = half_s2 if outer - d2 > SNAP * outer else 0.0
    half_c2 = half_c2 if d2 - inner > SNAP * (d2 + inner) else 0.0
    whole = half_s2 + half_c2
    scale = 1.0 / (whole if whole > 0.0 else 1.0)
    s3 = sign * 2.0 * math.sqrt(half_s2 * half_c2) * scale
    c3 = (half_c2 - half_s2) * scale
    # the end seen from link 2, l2 + l3 cos θ3 and l3 sin θ3; θ2 turns it onto (U, V)
    along, across = (l2 - l3) + 2.0 * l3 * half_c2 * scale, l3 * s3
    s2, c2 = U * along - V * across, V * along + U * across
    length = math.sqrt(s2 * s2 + c2 * c2)
    free = d2 < least
    scale = 1.0 / (1.0 if free else length)
    s2 = 0.0 if free else s2 * scale
    c2 = 1.0 if free else c2 * scale
    return ok, s2, c2, s3, c3
