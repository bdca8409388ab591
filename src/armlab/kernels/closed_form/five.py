"""All inverse kinematics of five turning joints: a yaw, three parallel ones, and a roll, as in the Braccio.

Canonical frame: z along axis 1; axes 2, 3 and 4 point along y once joint 1 has turned; the origin is on axis 1 at the
height of axis 2. The wrist point is the point of axis 5 closest to axis 4. With φ = θ2 + θ3 + θ4, all counted from
z towards x, it is, in the frame that turns with joint 1,

    x = a1 + l2 sin θ2 + l3 sin(θ2 + θ3) + e cos φ,   y = b,   z = l2 cos θ2 + l3 cos(θ2 + θ3) - e sin φ

and the target's rotation is Rz(θ1) Ry(φ) Rz(θ5). Axis 5 stays in the arm's plane: other targets have no solution.

Branch 2·shoulder + elbow; 0 is front and up.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.steps import (
    FREE,
    LANES,
    R02,
    R12,
    R22,
    SIZE,
    SLACK,
    X,
    Y,
    Z,
    angles_of_pairs,
    bend,
    joint_row,
    load_targets,
    look_from_shoulder,
    turn_shoulder,
)
from armlab.kernels.closed_form.trig import wrapped
from armlab.kernels.jit import inlined, kernel

# places in `parameters`, after the common ones
SHOULDER, OFFSET, UPPER, FORE, HAND_OFFSET, SIGNS, ZEROS = 26, 27, 28, 29, 30, 31, 36
PARAMETERS = 41

# rows of the workspace, after the 12 of the target
_TURNED = 12  # the upper rows of the target's rotation seen from the turned joint 1: 6 rows
_X, _IN_FRONT = 18, 19
_SINE, _COSINE, _ANGLE, _PAIRS = 20, 32, 44, 12  # blocks of 12 rows each; in every block, per angle:
_T1, _PHI, _T5, _T3, _T2 = 0, 2, 4, 6, 8  # per side (2 rows each), θ2 per side and elbow (4)
_OK = 56  # whether a branch is possible: 4 rows
_J1, _J5, _J2, _J3, _J4 = 60, 62, 64, 68, 72  # joint values: 2, 2, 4, 4, 4 rows
_ROWS = 76


@inlined
def _aim_by_roll_axis(parameters: Floats, side: int, count: int, w: Floats) -> None:
    """Turn joint 1 by the direction of axis 5 where that says more than the wrist point: close above axis 1."""
    size = parameters[SIZE]
    sign = 1.0 if side == 0 else -1.0
    for j in range(count):
        px, py, ax, ay = w[X * LANES + j], w[Y * LANES + j], w[R02 * LANES + j], w[R12 * LANES + j]
        # (ax, ay): axis 5 seen from above; `level` is its sine with the vertical
        level = math.sqrt(ax * ax + ay * ay)
        better = level * size > abs(w[_X * LANES + j])
        scale = 1.0 / (level if better else 1.0)
        c1, s1 = ax * scale, ay * scale
        reach = c1 * px + s1 * py
        turn = sign if reach >= 0.0 else -sign
        w[_X * LANES + j] = turn * reach if better else w[_X * LANES + j]
        w[(_SINE + _T1 + side) * LANES + j] = turn * s1 if better else w[(_SINE + _T1 + side) * LANES + j]
        w[(_COSINE + _T1 + side) * LANES + j] = turn * c1 if better else w[(_COSINE + _T1 + side) * LANES + j]


@inlined
def _roll(parameters: Floats, side: int, count: int, w: Floats) -> None:
    """Find φ and θ5, and whether axis 5 lies in the arm's plane."""
    b, slack = parameters[OFFSET], parameters[SLACK]
    for j in range(count):
        s1, c1 = w[(_SINE + _T1 + side) * LANES + j], w[(_COSINE + _T1 + side) * LANES + j]
        # how far the wrist point is beside the plane, and how much axis 5 leans out of it
        beside = abs(c1 * w[Y * LANES + j] - s1 * w[X * LANES + j] - b)
        askew = abs(w[(_TURNED + 5) * LANES + j])
        off = beside if beside > askew else askew
        ok = w[_IN_FRONT * LANES + j]
        w[_IN_FRONT * LANES + j] = ok if off <= slack else 0.0
        # third column of Rz(θ1)ᵀ R = Ry(φ) Rz(θ5): (sin φ, 0, cos φ); its second row: (s5, c5, 0)
        s, c = w[(_TURNED + 2) * LANES + j], w[R22 * LANES + j]
        length = math.sqrt(s * s + c * c)
        scale = 1.0 / (length if length > FREE else 1.0)
        w[(_SINE + _PHI + side) * LANES + j] = s * scale
        w[(_COSINE + _PHI + side) * LANES + j] = c * scale
        w[(_SINE + _T5 + side) * LANES + j] = w[(_TURNED + 3) * LANES + j]
        w[(_COSINE + _T5 + side) * LANES + j] = w[(_TURNED + 4) * LANES + j]


@inlined
def _bend_elbow(parameters: Floats, side: int, elbow: int, count: int, w: Floats) -> None:
    """Find θ2 and θ3; the elbow is up (0) or down (1), seen in the direction of reach."""
    a1, l2, l3, e = parameters[SHOULDER], parameters[UPPER], parameters[FORE], parameters[HAND_OFFSET]
    branch = 2 * side + elbow
    sign = 1.0 if side == elbow else -1.0
    least = (FREE * parameters[SIZE]) ** 2
    for j in range(count):
        s, c = w[(_SINE + _PHI + side) * LANES + j], w[(_COSINE + _PHI + side) * LANES + j]
        ok, s2, c2, s3, c3 = bend(w[_X * LANES + j] - a1 - e * c, w[Z * LANES + j] + e * s, l2, l3, sign, least)
        w[(_OK + branch) * LANES + j] = ok * w[_IN_FRONT * LANES + j]
        w[(_SINE + _T3 + side) * LANES + j] = sign * s3
        w[(_COSINE + _T3 + side) * LANES + j] = c3
        w[(_SINE + _T2 + branch) * LANES + j] = s2
        w[(_COSINE + _T2 + branch) * LANES + j] = c2


@inlined
def _to_joints(parameters: Floats, count: int, w: Floats) -> None:
    """Write the joint values of every branch, in the arm's own signs and zeros."""
    g2, g3, g4 = parameters[SIGNS + 1], parameters[SIGNS + 2], parameters[SIGNS + 3]
    z2, z3, z4 = parameters[ZEROS + 1], parameters[ZEROS + 2], parameters[ZEROS + 3]
    for side in range(2):
        joint_row(w, _ANGLE + _T1 + side, 1.0, 0.0, parameters[SIGNS], parameters[ZEROS], _J1 + side, count)
        g5, z5 = parameters[SIGNS + 4], parameters[ZEROS + 4]
        joint_row(w, _ANGLE + _T5 + side, 1.0, 0.0, g5, z5, _J5 + side, count)
        for elbow in range(2):
            branch = 2 * side + elbow
            bent = 1.0 if side == elbow else -1.0
            for j in range(count):
                t2 = w[(_ANGLE + _T2 + branch) * LANES + j]
                t3 = bent * w[(_ANGLE + _T3 + side) * LANES + j]
                t4 = wrapped(wrapped(w[(_ANGLE + _PHI + side) * LANES + j] - t2) - t3)
                w[(_J2 + branch) * LANES + j] = wrapped(g2 * (t2 - z2))
                w[(_J3 + branch) * LANES + j] = wrapped(g3 * (t3 - z3))
                w[(_J4 + branch) * LANES + j] = wrapped(g4 * (t4 - z4))


@kernel
def yaw_and_roll_into(parameters: Floats, T: Floats, q: Floats, valid: Floats) -> None:
    """Write all four solutions of the targets `T` (m, 4, 4) to `q` (m, 4, 5), and to `valid` (m, 4) 1.0 or 0.0."""
    w = np.empty(_ROWS * LANES)
    for first in range(0, T.shape[0], LANES):
        count = min(LANES, T.shape[0] - first)
        load_targets(parameters, T, first, count, w)
        # θ1, φ and θ5, then θ2 and θ3; θ4 = φ - θ2 - θ3 is in `_to_joints`
        for side in range(2):
            sign = 1.0 if side == 0 else -1.0
            sine, cosine = _SINE + _T1 + side, _COSINE + _T1 + side
            turn_shoulder(parameters[SIZE], parameters[OFFSET], sign, count, w, _X, _IN_FRONT, sine, cosine)
            _aim_by_roll_axis(parameters, side, count, w)
            look_from_shoulder(sine, cosine, _TURNED, count, w)
            _roll(parameters, side, count, w)
            _bend_elbow(parameters, side, 0, count, w)
            _bend_elbow(parameters, side, 1, count, w)
        angles_of_pairs(w, _SINE, _COSINE, _ANGLE, _PAIRS, count)
        _to_joints(parameters, count, w)
        for j in range(count):
            rows, flags = q[first + j], valid[first + j]
            for k in range(4):
                rows[k, 0] = w[(_J1 + k // 2) * LANES + j]
                rows[k, 1] = w[(_J2 + k) * LANES + j]
                rows[k, 2] = w[(_J3 + k) * LANES + j]
                rows[k, 3] = w[(_J4 + k) * LANES + j]
                rows[k, 4] = w[(_J5 + k // 2) * LANES + j]
                flags[k] = w[(_OK + k) * LANES + j]
