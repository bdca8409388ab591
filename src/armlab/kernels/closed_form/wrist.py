"""All inverse kinematics of arms with a spherical wrist: three joints carry its centre, three more turn about it.

Canonical frame: z along axis 1; axes 2 and 3 point along y once joint 1 has turned; the origin is on axis 1 at the
height of axis 2. With θ2 and θ3 counted from z towards x, the wrist centre is, in the frame that turns with joint 1,

    x = a1 + l2 sin θ2 + l3 sin(θ2 + θ3),   y = b,   z = l2 cos θ2 + l3 cos(θ2 + θ3)

or, when joint 3 slides by d, x = a1 + d sin θ2 + e cos θ2, y = b, z = d cos θ2 - e sin θ2. The target's rotation is
Rz(θ1) Ry(θ2 + θ3) A Rz(θ4) Ry(θ5) Rz(θ6), with a fixed A. (Parameters in the spirit of Brandstötter, Angerer and
Hofbaur, "An analytical solution of the inverse kinematics problem of industrial serial manipulators with an ortho-
parallel basis and a spherical wrist", 2014.)

Every step uses the sines and cosines of the steps before it, never a second, independent arcus tangent: close to a
singular pose the single angles are ill-determined, but together they still meet the target.

Branch 4·shoulder + 2·elbow + wrist; 0 is front, up (slide: out) and no-flip.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.steps import (
    CLIP,
    FREE,
    LANES,
    R20,
    R21,
    R22,
    SIZE,
    SNAP,
    Z,
    angles_of_pairs,
    bend,
    joint_row,
    load_targets,
    look_from_shoulder,
    turn_shoulder,
)
from armlab.kernels.closed_form.trig import PI
from armlab.kernels.jit import inlined, kernel

# places in `parameters`, after the common ones
WRIST_FRAME, SHOULDER, OFFSET, UPPER, FORE, SLIDES, SIGNS, ZEROS = 26, 35, 36, 37, 38, 39, 40, 46
PARAMETERS = 52

# rows of the workspace, after the 12 of the target
_TURNED = 12  # the target's rotation seen from the turned joint 1: 6 rows
_X, _IN_FRONT = 18, 19  # x of the wrist centre there, and whether there is a solution
_SINE, _COSINE, _ANGLE, _PAIRS = 20, 40, 60, 20  # blocks of 20 rows each; in every block, per angle:
_T1, _T3, _T2, _T4, _T5, _T6 = 0, 2, 4, 8, 12, 16  # θ1 and |θ3| per side (2 rows), the others per side and elbow (4)
_OK = 80  # whether a side and elbow is possible: 4 rows
_STROKE = 84  # |d| of a sliding joint 3, per side: 2 rows
_C23, _S23 = 86, 87  # cosine and sine of θ2 + θ3 of the branch at hand
_J1, _J2, _J3, _J4, _J5, _J6 = 88, 90, 94, 98, 106, 114  # joint values: 2, 4, 4, 8, 8, 8 rows
_ROWS = 122
_WRIST_ANGLES = _J5 - _J4  # rows from one joint of the wrist to the next


@inlined
def _bend_elbow(parameters: Floats, side: int, elbow: int, count: int, w: Floats) -> None:
    """Find θ2 and θ3 of two turning joints; the elbow is up (0) or down (1), seen in the direction of reach."""
    a1, l2, l3 = parameters[SHOULDER], parameters[UPPER], parameters[FORE]
    branch = 2 * side + elbow
    sign = 1.0 if side == elbow else -1.0
    least = (FREE * parameters[SIZE]) ** 2
    for j in range(count):
        ok, s2, c2, s3, c3 = bend(w[_X * LANES + j] - a1, w[Z * LANES + j], l2, l3, sign, least)
        w[(_OK + branch) * LANES + j] = ok * w[_IN_FRONT * LANES + j]
        w[(_SINE + _T3 + side) * LANES + j] = sign * s3
        w[(_COSINE + _T3 + side) * LANES + j] = c3
        w[(_SINE + _T2 + branch) * LANES + j] = s2
        w[(_COSINE + _T2 + branch) * LANES + j] = c2
        w[_S23 * LANES + j] = s2 * c3 + c2 * s3
        w[_C23 * LANES + j] = c2 * c3 - s2 * s3


@inlined
def _slide_out(parameters: Floats, side: int, elbow: int, count: int, w: Floats) -> None:
    """Find θ2 and the stroke d of a sliding joint 3; it goes out (0) or through to the other side (1)."""
    a1, e = parameters[SHOULDER], parameters[UPPER]
    branch = 2 * side + elbow
    sign = 1.0 if elbow == 0 else -1.0
    slack = -4.0 * CLIP * abs(e) * parameters[SIZE]
    least = (FREE * parameters[SIZE]) ** 2
    for j in range(count):
        U, V = w[_X * LANES + j] - a1, w[Z * LANES + j]
        # (U, V) is (d, e) turned by θ2, so d² = U² + V² - e²; then sin θ2 ~ U d - V e and cos θ2 ~ V d + U e
        far2 = U * U + V * V
        d2 = far2 - e * e
        d = sign * math.sqrt(d2 if d2 > SNAP * (far2 + e * e) else 0.0)
        s2, c2 = U * d - V * e, V * d + U * e
        length2 = s2 * s2 + c2 * c2
        free = length2 < least * least
        scale = 1.0 / math.sqrt(1.0 if free else length2)
        s2 = 0.0 if free else s2 * scale
        c2 = 1.0 if free else c2 * scale
        w[(_OK + branch) * LANES + j] = w[_IN_FRONT * LANES + j] if d2 >= slack else 0.0
        w[(_SINE + _T3 + side) * LANES + j] = 0.0
        w[(_COSINE + _T3 + side) * LANES + j] = 1.0
        w[(_STROKE + side) * LANES + j] = abs(d)
        w[(_SINE + _T2 + branch) * LANES + j] = s2
        w[(_COSINE + _T2 + branch) * LANES + j] = c2
        w[_S23 * LANES + j] = s2
        w[_C23 * LANES + j] = c2


@inlined
def _turn_wrist(parameters: Floats, branch: int, count: int, w: Floats) -> None:
    """Find θ4, θ5 ≥ 0 and θ6 from what is left of the target's rotation."""
    a0, a1, a2 = parameters[WRIST_FRAME], parameters[WRIST_FRAME + 1], parameters[WRIST_FRAME + 2]
    a3, a4, a5 = parameters[WRIST_FRAME + 3], parameters[WRIST_FRAME + 4], parameters[WRIST_FRAME + 5]
    a6, a7, a8 = parameters[WRIST_FRAME + 6], parameters[WRIST_FRAME + 7], parameters[WRIST_FRAME + 8]
    for j in range(count):
        s, c = w[_S23 * LANES + j], w[_C23 * LANES + j]
        p0, p1, p2 = w[_TURNED * LANES + j], w[(_TURNED + 1) * LANES + j], w[(_TURNED + 2) * LANES + j]
        y0, y1, y2 = w[(_TURNED + 3) * LANES + j], w[(_TURNED + 4) * LANES + j], w[(_TURNED + 5) * LANES + j]
        r6, r7, r8 = w[R20 * LANES + j], w[R21 * LANES + j], w[R22 * LANES + j]
        # Ry(θ2 + θ3)ᵀ Rz(θ1)ᵀ R: its rows x, y, z; p, y and r are the rows of Rz(θ1)ᵀ R
        x0, x1, x2 = c * p0 - s * r6, c * p1 - s * r7, c * p2 - s * r8
        z0, z1, z2 = s * p0 + c * r6, s * p1 + c * r7, s * p2 + c * r8
        # m = Aᵀ times that = Rz(θ4) Ry(θ5) Rz(θ6): its last column is (c4 s5, s4 s5, c5)
        m02 = a0 * x2 + a3 * y2 + a6 * z2
        m12 = a1 * x2 + a4 * y2 + a7 * z2
        m22 = a2 * x2 + a5 * y2 + a8 * z2
        m00, m01 = a0 * x0 + a3 * y0 + a6 * z0, a0 * x1 + a3 * y1 + a6 * z1
        m10, m11 = a1 * x0 + a4 * y0 + a7 * z0, a1 * x1 + a4 * y1 + a7 * z1
        s5 = math.sqrt(m02 * m02 + m12 * m12)
        straight = s5 < FREE
        scale = 1.0 / (1.0 if straight else s5)
        s4 = 0.0 if straight else m12 * scale
        c4 = 1.0 if straight else m02 * scale
        # the second row of Rz(θ4)ᵀ m is (s6, c6, 0)
        w[(_SINE + _T4 + branch) * LANES + j] = s4
        w[(_COSINE + _T4 + branch) * LANES + j] = c4
        w[(_SINE + _T5 + branch) * LANES + j] = s5
        w[(_COSINE + _T5 + branch) * LANES + j] = m22
        w[(_SINE + _T6 + branch) * LANES + j] = c4 * m10 - s4 * m00
        w[(_COSINE + _T6 + branch) * LANES + j] = c4 * m11 - s4 * m01


@inlined
def _to_joints(parameters: Floats, count: int, w: Floats) -> None:
    """Write the joint values: θ1 (2 rows), θ2 (4), θ3 (4), θ4, θ5, θ6 (8 each), a flipped wrist beside the other."""
    for side in range(2):
        joint_row(w, _ANGLE + _T1 + side, 1.0, 0.0, parameters[SIGNS], parameters[ZEROS], _J1 + side, count)
    for k in range(4):
        side, elbow = k // 2, k % 2
        joint_row(w, _ANGLE + _T2 + k, 1.0, 0.0, parameters[SIGNS + 1], parameters[ZEROS + 1], _J2 + k, count)
        sign, zero = parameters[SIGNS + 2], parameters[ZEROS + 2]
        if parameters[SLIDES] > 0.5:
            factor = 1.0 if elbow == 0 else -1.0
            for j in range(count):
                w[(_J3 + k) * LANES + j] = sign * (factor * w[(_STROKE + side) * LANES + j] - zero)
        else:
            factor = 1.0 if side == elbow else -1.0
            joint_row(w, _ANGLE + _T3 + side, factor, 0.0, sign, zero, _J3 + k, count)
        for joint in range(3, 6):
            sign, zero = parameters[SIGNS + joint], parameters[ZEROS + joint]
            source, out = _ANGLE + _T4 + 4 * (joint - 3) + k, _J4 + _WRIST_ANGLES * (joint - 3) + 2 * k
            joint_row(w, source, 1.0, 0.0, sign, zero, out, count)
            # a flipped wrist: θ4 + π, -θ5, θ6 + π
            if joint == 4:
                joint_row(w, source, -1.0, 0.0, sign, zero, out + 1, count)
            else:
                joint_row(w, source, 1.0, PI, sign, zero, out + 1, count)


@kernel
def spherical_wrist_into(parameters: Floats, T: Floats, q: Floats, valid: Floats) -> None:
    """Write all eight solutions of the targets `T` (m, 4, 4) to `q` (m, 8, 6), and to `valid` (m, 8) 1.0 or 0.0."""
    w = np.empty(_ROWS * LANES)
    slides = parameters[SLIDES] > 0.5
    for first in range(0, T.shape[0], LANES):
        count = min(LANES, T.shape[0] - first)
        load_targets(parameters, T, first, count, w)
        # θ1, then θ2 and θ3 (or d), then the wrist; the last loop copies rows to solutions
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            sine, cosine = _SINE + _T1 + side, _COSINE + _T1 + side
            turn_shoulder(parameters[SIZE], parameters[OFFSET], sign, count, w, _X, _IN_FRONT, sine, cosine)
            look_from_shoulder(sine, cosine, _TURNED, count, w)
            for elbow in range(2):
                if slides:
                    _slide_out(parameters, side, elbow, count, w)
                else:
                    _bend_elbow(parameters, side, elbow, count, w)
                _turn_wrist(parameters, 2 * side + elbow, count, w)
        angles_of_pairs(w, _SINE, _COSINE, _ANGLE, _PAIRS, count)
        _to_joints(parameters, count, w)
        for j in range(count):
            rows, flags = q[first + j], valid[first + j]
            for k in range(8):
                rows[k, 0] = w[(_J1 + k // 4) * LANES + j]
                rows[k, 1] = w[(_J2 + k // 2) * LANES + j]
                rows[k, 2] = w[(_J3 + k // 2) * LANES + j]
                rows[k, 3] = w[(_J4 + k) * LANES + j]
                rows[k, 4] = w[(_J5 + k) * LANES + j]
                rows[k, 5] = w[(_J6 + k) * LANES + j]
                flags[k] = w[(_OK + k // 2) * LANES + j]
