"""All inverse kinematics of six turning joints of which 2, 3 and 4 are parallel, as in Universal Robots' arms.

Canonical frame: z along axis 1; axes 2, 3 and 4 point along y once joint 1 has turned; the origin is on axis 1 at the
height of axis 2. The wrist centre is where axes 5 and 6 meet. With φ = θ2 + θ3 + θ4, all counted from z towards x,
it is, in the frame that turns with joint 1,

    x = a1 + l2 sin θ2 + l3 sin(θ2 + θ3) + h sin φ + e cos φ,   y = b,
    z = l2 cos θ2 + l3 cos(θ2 + θ3) + h cos φ - e sin φ

and the target's rotation is Rz(θ1) Ry(φ) Rz(θ5) Ry(θ6). The order of the steps is that of Hawkins, "Analytic inverse
kinematics for the Universal Robots UR-5/UR-10 arms", 2013; each step uses the sines and cosines of the steps before
it, so that the angles fit together even where they are ill-determined one by one.

Branch 4·shoulder + 2·elbow + wrist; 0 is left, up and out.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.steps import (
    FREE,
    LANES,
    R20,
    R22,
    SIZE,
    Z,
    angles_of_pairs,
    bend,
    joint_row,
    load_targets,
    look_from_shoulder,
    turn_shoulder,
)
from armlab.kernels.closed_form.trig import PI, TURN, wrapped
from armlab.kernels.jit import inlined, kernel

# places in `parameters`, after the common ones
SHOULDER, OFFSET, UPPER, FORE, HAND, HAND_OFFSET, SIGNS, ZEROS = 26, 27, 28, 29, 30, 31, 32, 38
PARAMETERS = 44

# rows of the workspace, after the 12 of the target
_TURNED = 12  # the upper rows of the target's rotation seen from the turned joint 1: 6 rows
_X, _IN_FRONT = 18, 19
_SINE, _COSINE, _ANGLE, _PAIRS = 20, 40, 60, 20  # blocks of 20 rows each; in every block, per angle:
_T1, _T5, _T6, _PHI, _T3, _T2 = 0, 2, 4, 6, 8, 12  # per side (2 rows each), |θ3| per side and wrist (4), θ2 (8)
_OK = 80  # whether a branch is possible: 8 rows
_J1, _J2, _J3, _J4, _J5, _J6 = 88, 90, 98, 106, 114, 122  # joint values: 2 rows, then 8 each
_ROWS = 130
_BRANCHES = _J3 - _J2  # rows from one joint to the next, after the first

_NEARLY_FREE = 1e-6
"""Below this sine of θ5 the turn of joint 6 has a rounding error that a stretched elbow cannot make up for."""
_SAME_ROTATION = 2e-10
"""rad: rotations this near to each other count as one here."""


@inlined
def _turn_wrist(side: int, count: int, w: Floats) -> None:
    """Find θ5 ≥ 0, θ6 and φ; where axis 6 is parallel to axis 4, joint 6 stays at its zero."""
    for j in range(count):
        x0, x2 = w[_TURNED * LANES + j], w[(_TURNED + 2) * LANES + j]
        y0, y1, y2 = w[(_TURNED + 3) * LANES + j], w[(_TURNED + 4) * LANES + j], w[(_TURNED + 5) * LANES + j]
        z0, z2 = w[R20 * LANES + j], w[R22 * LANES + j]
        # Ry(φ) Rz(θ5) Ry(θ6) has the second row (s5 c6, c5, s5 s6); x, y, z are the rows of Rz(θ1)ᵀ R
        s5 = math.sqrt(y0 * y0 + y2 * y2)
        parallel = s5 < FREE
        scale = 1.0 / (1.0 if parallel else s5)
        s6 = 0.0 if parallel else y2 * scale
        c6 = 1.0 if parallel else y0 * scale
        w[(_SINE + _T5 + side) * LANES + j] = s5
        w[(_COSINE + _T5 + side) * LANES + j] = y1
        w[(_SINE + _T6 + side) * LANES + j] = s6
        w[(_COSINE + _T6 + side) * LANES + j] = c6
        # times Ry(θ6)ᵀ, its third column is (sin φ, 0, cos φ)
        w[(_SINE + _PHI + side) * LANES + j] = c6 * x2 - s6 * x0
        w[(_COSINE + _PHI + side) * LANES + j] = c6 * z2 - s6 * z0


@kernel
def _free_wrist(parameters: Floats, side: int, j: int, w: Floats) -> None:
    """Where the turn of joint 6 is free, or lost in rounding, choose one that the elbow can reach, if its own cannot.

    A turn by Δ of φ, and of joint 6 against it, leaves the rotation as it is but for Δ sin θ5.
    """
    l2, l3, h, e = parameters[UPPER], parameters[FORE], parameters[HAND], parameters[HAND_OFFSET]
    U, V = w[_X * LANES + j] - parameters[SHOULDER], w[Z * LANES + j]
    s5 = w[(_SINE + _T5 + side) * LANES + j]
    s, c = w[(_SINE + _PHI + side) * LANES + j], w[(_COSINE + _PHI + side) * LANES + j]
    # distance from the shoulder to the wrist's axis 4, for both wrists, and what the two links reach
    lowest, highest = abs(l2 - l3), l2 + l3
    out, back = math.hypot(U - h * s - e * c, V - h * c + e * s), math.hypot(U + h * s + e * c, V + h * c - e * s)
    far, hand = math.hypot(U, V), math.hypot(h, e)
    is_reached = (lowest <= out <= highest) or (lowest <= back <= highest)
    if is_reached or far < FREE * parameters[SIZE] or hand < FREE * parameters[SIZE]:
        return
    # law of cosines in the triangle shoulder, axis 4, wrist centre, for a distance in the middle of what is possible,
    # or the nearest one; an arm stretched or folded as far as it goes has one left, which rounding must not take away
    lowest, highest = max(lowest, abs(far - hand)), min(highest, far + hand)
    if lowest > highest + FREE * parameters[SIZE]:
        return
    for flip in range(2):
        middle = 0.5 * (lowest + highest)
        wanted = middle if s5 < FREE else min(max(back if flip else out, lowest), highest)
        cosine = min(max((far * far + hand * hand - wanted * wanted) / (2.0 * far * hand), -1.0), 1.0)
        phi, centre, opening = math.atan2(s, c), math.atan2(U, V) - math.atan2(e, h), math.acos(cosine)
        # the smaller of the two turns to there, each brought into half a turn
        first, second = centre + opening - phi - PI * flip, centre - opening - phi - PI * flip
        first, second = first - TURN * math.floor(first / TURN + 0.5), second - TURN * math.floor(second / TURN + 0.5)
        turn = first if abs(first) <= abs(second) else second
        if s5 * abs(turn) < _SAME_ROTATION:
            phi += turn
            whole = math.atan2(w[(_TURNED + 2) * LANES + j], w[R22 * LANES + j])
            t6 = whole - phi if w[(_COSINE + _T5 + side) * LANES + j] > 0.0 else phi - whole
            w[(_SINE + _T6 + side) * LANES + j], w[(_COSINE + _T6 + side) * LANES + j] = math.sin(t6), math.cos(t6)
            w[(_SINE + _PHI + side) * LANES + j], w[(_COSINE + _PHI + side) * LANES + j] = math.sin(phi), math.cos(phi)
            return


@inlined
def _bend_elbow(parameters: Floats, side: int, elbow: int, wrist: int, count: int, w: Floats) -> None:
    """Find θ2 and θ3 of one elbow (0 up, seen in the direction of reach) and wrist (0 out)."""
    a1, l2, l3 = parameters[SHOULDER], parameters[UPPER], parameters[FORE]
    h, e = parameters[HAND], parameters[HAND_OFFSET]
    branch = 4 * side + 2 * elbow + wrist
    pair = 2 * side + wrist
    sign = 1.0 if side == elbow else -1.0
    flip = -1.0 if side == wrist else 1.0
    least = (FREE * parameters[SIZE]) ** 2
    for j in range(count):
        # the other wrist has θ5 of the other sign, and φ and θ6 half a turn on
        s, c = flip * w[(_SINE + _PHI + side) * LANES + j], flip * w[(_COSINE + _PHI + side) * LANES + j]
        # the end of link 3: the wrist centre without the hand (h, e), which φ turns
        U = w[_X * LANES + j] - a1 - h * s - e * c
        V = w[Z * LANES + j] - h * c + e * s
        ok, s2, c2, s3, c3 = bend(U, V, l2, l3, sign, least)
        w[(_OK + branch) * LANES + j] = ok * w[_IN_FRONT * LANES + j]
        w[(_SINE + _T3 + pair) * LANES + j] = sign * s3
        w[(_COSINE + _T3 + pair) * LANES + j] = c3
        w[(_SINE + _T2 + branch) * LANES + j] = s2
        w[(_COSINE + _T2 + branch) * LANES + j] = c2


@inlined
def _to_joints(parameters: Floats, count: int, w: Floats) -> None:
    """Write the joint values of every branch, in the arm's own signs and zeros."""
    for side in range(2):
        joint_row(w, _ANGLE + _T1 + side, 1.0, 0.0, parameters[SIGNS], parameters[ZEROS], _J1 + side, count)
    g2, g3, g4 = parameters[SIGNS + 1], parameters[SIGNS + 2], parameters[SIGNS + 3]
    z2, z3, z4 = parameters[ZEROS + 1], parameters[ZEROS + 2], parameters[ZEROS + 3]
    for branch in range(8):
        side, elbow, wrist = branch // 4, (branch // 2) % 2, branch % 2
        bent = 1.0 if side == elbow else -1.0
        flip = -1.0 if side == wrist else 1.0
        half = PI if side == wrist else 0.0
        pair = 2 * side + wrist
        for j in range(count):
            t2 = w[(_ANGLE + _T2 + branch) * LANES + j]
            t3 = bent * w[(_ANGLE + _T3 + pair) * LANES + j]
            phi = w[(_ANGLE + _PHI + side) * LANES + j] + half
            t4 = wrapped(wrapped(wrapped(phi) - t2) - t3)
            w[(_J2 + branch) * LANES + j] = wrapped(g2 * (t2 - z2))
            w[(_J3 + branch) * LANES + j] = wrapped(g3 * (t3 - z3))
            w[(_J4 + branch) * LANES + j] = wrapped(g4 * (t4 - z4))
        g5, z5 = parameters[SIGNS + 4], parameters[ZEROS + 4]
        g6, z6 = parameters[SIGNS + 5], parameters[ZEROS + 5]
        joint_row(w, _ANGLE + _T5 + side, flip, 0.0, g5, z5, _J5 + branch, count)
        joint_row(w, _ANGLE + _T6 + side, 1.0, half, g6, z6, _J6 + branch, count)


@kernel
def three_parallel_into(parameters: Floats, T: Floats, q: Floats, valid: Floats) -> None:
    """Write all eight solutions of the targets `T` (m, 4, 4) to `q` (m, 8, 6), and to `valid` (m, 8) 1.0 or 0.0."""
    w = np.empty(_ROWS * LANES)
    for first in range(0, T.shape[0], LANES):
        count = min(LANES, T.shape[0] - first)
        load_targets(parameters, T, first, count, w)
        # θ1, then θ5, θ6, φ, then θ2, θ3; θ4 = φ - θ2 - θ3 is in `_to_joints`
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            sine, cosine = _SINE + _T1 + side, _COSINE + _T1 + side
            turn_shoulder(parameters[SIZE], parameters[OFFSET], sign, count, w, _X, _IN_FRONT, sine, cosine)
            look_from_shoulder(sine, cosine, _TURNED, count, w)
            _turn_wrist(side, count, w)
            for j in range(count):
                if w[(_SINE + _T5 + side) * LANES + j] < _NEARLY_FREE:
                    _free_wrist(parameters, side, j, w)
            for elbow in range(2):
                for wrist in range(2):
                    _bend_elbow(parameters, side, elbow, wrist, count, w)
        angles_of_pairs(w, _SINE, _COSINE, _ANGLE, _PAIRS, count)
        _to_joints(parameters, count, w)
        for j in range(count):
            rows, flags = q[first + j], valid[first + j]
            for k in range(8):
                rows[k, 0] = w[(_J1 + k // 4) * LANES + j]
                for joint in range(1, 6):
                    rows[k, joint] = w[(_J2 + _BRANCHES * (joint - 1) + k) * LANES + j]
                flags[k] = w[(_OK + k) * LANES + j]
