"""All inverse kinematics of arms whose axes are all parallel: planar arms of two or three turning joints, and SCARAs.

Canonical frame: z along the common direction, the origin on the first turning axis. A sliding joint along z may stand
anywhere in the chain. The end is the third turning axis, or with two turning joints the tool's point:

    x = l1 cos θ1 + l2 cos(θ1 + θ2),   y = l1 sin θ1 + l2 sin(θ1 + θ2),   z = stroke,   rotation Rz(θ1 + θ2 [+ θ3])

Branch 0 has the elbow left of the line from the first axis to the end, seen against z; branch 1 right of it.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.steps import (
    FREE,
    LANES,
    R00,
    R02,
    R10,
    R12,
    R22,
    SIZE,
    SLACK,
    X,
    Y,
    Z,
    angles_of_pairs,
    bend,
    load_targets,
)
from armlab.kernels.closed_form.trig import wrapped
from armlab.kernels.jit import inlined, kernel

# places in `parameters`, after the common ones; JOINTS: which joints are θ1, θ2, θ3 and the stroke, -1 for none
UPPER, FORE, JOINTS, SIGNS, ZEROS = 26, 27, 28, 32, 36
PARAMETERS = 40

# rows of the workspace, after the 12 of the target
_SINE, _COSINE, _ANGLE, _PAIRS = 12, 16, 20, 4  # blocks of 4 rows each; in every block, per angle:
_T2, _WHOLE, _T1 = 0, 1, 2  # |θ2|, the end's turn (1 row each), θ1 per elbow (2)
_OK = 24  # whether an elbow is possible: 2 rows
_J1, _J2, _J3 = 26, 28, 30  # joint values, per elbow: 2 rows each
_ROWS = 32


@inlined
def _bend_elbow(parameters: Floats, elbow: int, count: int, w: Floats) -> None:
    """Find θ1 and θ2 of one elbow from the point."""
    l1, l2 = parameters[UPPER], parameters[FORE]
    least = (FREE * parameters[SIZE]) ** 2
    # bend() counts its angles from V towards U: with U = y and V = x they are the usual ones
    sign = -1.0 if elbow == 0 else 1.0
    for j in range(count):
        ok, s1, c1, s2, c2 = bend(w[Y * LANES + j], w[X * LANES + j], l1, l2, sign, least)
        w[(_OK + elbow) * LANES + j] = ok
        w[(_SINE + _T2) * LANES + j] = sign * s2
        w[(_COSINE + _T2) * LANES + j] = c2
        w[(_SINE + _WHOLE) * LANES + j] = w[R10 * LANES + j]
        w[(_COSINE + _WHOLE) * LANES + j] = w[R00 * LANES + j]
        w[(_SINE + _T1 + elbow) * LANES + j] = s1
        w[(_COSINE + _T1 + elbow) * LANES + j] = c1


@inlined
def _follow_turn(parameters: Floats, count: int, w: Floats) -> None:
    """Find θ1 and θ2 of an arm that cannot choose its end's turn: from point and turn, exact even when stretched."""
    l1, l2, slack = parameters[UPPER], parameters[FORE], parameters[SLACK]
    for j in range(count):
        c, s = w[R00 * LANES + j], w[R10 * LANES + j]
        # the elbow: the point minus the second link, whose direction is the end's turn
        x, y = w[X * LANES + j] - l2 * c, w[Y * LANES + j] - l2 * s
        length = math.sqrt(x * x + y * y)
        ok = 1.0 if abs(length - l1) <= slack else 0.0
        scale = 1.0 / (length if length > 0.0 else 1.0)
        c1, s1 = x * scale, y * scale
        s2, c2 = s * c1 - c * s1, c * c1 + s * s1
        w[_OK * LANES + j] = ok if s2 < 0.0 else 0.0
        w[(_OK + 1) * LANES + j] = ok if s2 >= 0.0 else 0.0
        w[(_SINE + _T2) * LANES + j] = abs(s2)
        w[(_COSINE + _T2) * LANES + j] = c2
        w[(_SINE + _T1) * LANES + j] = s1
        w[(_SINE + _T1 + 1) * LANES + j] = s1
        w[(_COSINE + _T1) * LANES + j] = c1
        w[(_COSINE + _T1 + 1) * LANES + j] = c1


@inlined
def _check_plane(parameters: Floats, count: int, w: Floats) -> None:
    """Refuse targets that are tilted, or above or below the plane of an arm that cannot lift."""
    slack, lifts = parameters[SLACK], parameters[JOINTS + 3] >= 0.0
    for j in range(count):
        tilt_x, tilt_y, upright = w[R02 * LANES + j], w[R12 * LANES + j], w[R22 * LANES + j]
        off = math.sqrt(tilt_x * tilt_x + tilt_y * tilt_y)
        off = off if upright > 0.0 else 2.0
        lift = 0.0 if lifts else abs(w[Z * LANES + j])
        off = lift if lift > off else off
        plane = 1.0 if off <= slack else 0.0
        w[_OK * LANES + j] *= plane
        w[(_OK + 1) * LANES + j] *= plane


@inlined
def _to_joints(parameters: Floats, elbow: int, count: int, w: Floats) -> None:
    """Write the joint values of one elbow, in the arm's own signs and zeros."""
    g1, g2, g3 = parameters[SIGNS], parameters[SIGNS + 1], parameters[SIGNS + 2]
    z1, z2, z3 = parameters[ZEROS], parameters[ZEROS + 1], parameters[ZEROS + 2]
    sign = -1.0 if elbow == 0 else 1.0
    for j in range(count):
        t1, t2 = w[(_ANGLE + _T1 + elbow) * LANES + j], sign * w[(_ANGLE + _T2) * LANES + j]
        # θ3 = the end's turn - θ1 - θ2
        t3 = wrapped(wrapped(w[(_ANGLE + _WHOLE) * LANES + j] - t1) - t2)
        w[(_J1 + elbow) * LANES + j] = wrapped(g1 * (t1 - z1))
        w[(_J2 + elbow) * LANES + j] = wrapped(g2 * (t2 - z2))
        w[(_J3 + elbow) * LANES + j] = wrapped(g3 * (t3 - z3))


@kernel
def parallel_axes_into(parameters: Floats, T: Floats, q: Floats, valid: Floats) -> None:
    """Write both solutions of the targets `T` (m, 4, 4) to `q` (m, 2, n), and to `valid` (m, 2) 1.0 or 0.0."""
    w = np.empty(_ROWS * LANES)
    joint_1, joint_2 = int(parameters[JOINTS]), int(parameters[JOINTS + 1])
    joint_3, stroke = int(parameters[JOINTS + 2]), int(parameters[JOINTS + 3])
    sign, zero = parameters[SIGNS + 3], parameters[ZEROS + 3]
    for first in range(0, T.shape[0], LANES):
        count = min(LANES, T.shape[0] - first)
        load_targets(parameters, T, first, count, w)
        _bend_elbow(parameters, 0, count, w)
        _bend_elbow(parameters, 1, count, w)
        if joint_3 < 0 and parameters[SLACK] < np.inf:
            _follow_turn(parameters, count, w)
        _check_plane(parameters, count, w)
        angles_of_pairs(w, _SINE, _COSINE, _ANGLE, _PAIRS, count)
        _to_joints(parameters, 0, count, w)
        _to_joints(parameters, 1, count, w)
        for j in range(count):
            rows, flags = q[first + j], valid[first + j]
            for k in range(2):
                rows[k, joint_1] = w[(_J1 + k) * LANES + j]
                rows[k, joint_2] = w[(_J2 + k) * LANES + j]
                if joint_3 >= 0:
                    rows[k, joint_3] = w[(_J3 + k) * LANES + j]
                if stroke >= 0:
                    rows[k, stroke] = sign * (w[Z * LANES + j] - zero)
                flags[k] = w[(_OK + k) * LANES + j]
