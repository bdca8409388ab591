"""Every posture of a 7R arm with a spherical shoulder, once its last joint is given.

Axes 1, 2, 3 meet at right angles in the shoulder S, axes 5 and 6 meet at right angles in the wrist point W, and S and
W stay in one plane across axis 4. With joint 7 known, W is known in the world: its distance from S gives joint 4
(two values), joints 5 and 6 turn the known direction from W to S of the forearm onto that of link 6 (two values), and
what is left of the orientation are the three Euler angles of the shoulder (two values). The steps are the canonical
subproblems of Paden and Kahan, in the form of Elias and Wen, "IK-Geo" (2022).

All sines and cosines of joints 4 and 7 enter linearly, so an arm is a row of numbers (see `seven.py`, which fills
it), and so is a target (`aim_into`).

Branches are numbered 4 * shoulder + 2 * elbow + wrist, each 0 or 1.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.jit import kernel
from armlab.kernels.trig import sincos

# the row of an arm: offsets of its parts
CONSTANT, RANGE, STRETCHED, FORWARD, LEAN, TILT, STRAIGHT, LENGTH = 0, 1, 2, 3, 4, 5, 6, 7
SHOULDER_4 = 8  # from W to S seen from link 4: three vectors, times 1, cos q4, sin q4
TURN_4 = 17  # link 4 to shoulder: three matrices, times 1, cos q4, sin q4
SHOULDER, WRIST = 44, 47
FRAME_S, FRAME_6, AXIS_7, POINT_7 = 50, 59, 68, 71
HOME = 74  # inverse of the tool's pose at zero: rotation row by row, then origin
ARM_SIZE = 86

# the row of a target
SHOULDER_6 = 0  # from W to S seen from link 6: three vectors, times 1, cos q7, sin q7
TURN_6 = 9  # shoulder to link 6: three matrices, times 1, cos q7, sin q7
TARGET_SIZE = 36

SLACK_ELBOW = 1e-14  # of cos q4
SLACK_WRIST = 1e-12  # of the distance from S to W
ALIGNED = 1e-11  # sine of the shoulder's lean below which axes 1 and 3 are one


@kernel
def aim_into(arm: Floats, T: Floats, target: Floats) -> None:
    """Write what the kernels below need of the pose `T` (4, 4) to `target` (TARGET_SIZE,)."""
    g = target[TURN_6 : TURN_6 + 9]  # the tool's motion from zero, for a while
    for i in range(3):
        for j in range(3):
            g[3 * i + j] = T[i, 0] * arm[HOME + j] + T[i, 1] * arm[HOME + 3 + j] + T[i, 2] * arm[HOME + 6 + j]
    # G = T T_home⁻¹ is the tool's motion from zero: S minus its translation here, times Gᵀ below
    px = arm[SHOULDER] - T[0, 3] - T[0, 0] * arm[HOME + 9] - T[0, 1] * arm[HOME + 10] - T[0, 2] * arm[HOME + 11]
    py = arm[SHOULDER + 1] - T[1, 3] - T[1, 0] * arm[HOME + 9] - T[1, 1] * arm[HOME + 10] - T[1, 2] * arm[HOME + 11]
    pz = arm[SHOULDER + 2] - T[2, 3] - T[2, 0] * arm[HOME + 9] - T[2, 1] * arm[HOME + 10] - T[2, 2] * arm[HOME + 11]
    kx, ky, kz = arm[AXIS_7], arm[AXIS_7 + 1], arm[AXIS_7 + 2]
    # S seen from link 7 at its zero, relative to a point on axis 7
    hx = g[0] * px + g[3] * py + g[6] * pz - arm[POINT_7]
    hy = g[1] * px + g[4] * py + g[7] * pz - arm[POINT_7 + 1]
    hz = g[2] * px + g[5] * py + g[8] * pz - arm[POINT_7 + 2]
    # Rodrigues about axis 7 (k): h turned by q7 is axial + cos q7 (h - axial) + sin q7 (k × h). So `target` gets the
    # part without q7, that with its cosine and that with its sine, in the frame of link 6
    along = hx * kx + hy * ky + hz * kz
    ax, ay, az = along * kx, along * ky, along * kz
    cx, cy, cz = ky * hz - kz * hy, kz * hx - kx * hz, kx * hy - ky * hx
    ox = arm[POINT_7] + ax - arm[WRIST]
    oy = arm[POINT_7 + 1] + ay - arm[WRIST + 1]
    oz = arm[POINT_7 + 2] + az - arm[WRIST + 2]
    for j in range(3):
        fx, fy, fz = arm[FRAME_6 + j], arm[FRAME_6 + 3 + j], arm[FRAME_6 + 6 + j]
        target[SHOULDER_6 + j] = fx * ox + fy * oy + fz * oz
        target[SHOULDER_6 + 3 + j] = fx * (hx - ax) + fy * (hy - ay) + fz * (hz - az)
        target[SHOULDER_6 + 6 + j] = fx * cx + fy * cy + fz * cz
    # the same for rotations: FRAME_Sᵀ G Rot(k, -q7) FRAME_6, row by row
    g0, g1, g2, g3, g4, g5, g6, g7, g8 = g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7], g[8]
    for i in range(3):
        sx, sy, sz = arm[FRAME_S + i], arm[FRAME_S + 3 + i], arm[FRAME_S + 6 + i]
        rx, ry, rz = sx * g0 + sy * g3 + sz * g6, sx * g1 + sy * g4 + sz * g7, sx * g2 + sy * g5 + sz * g8
        on = rx * kx + ry * ky + rz * kz
        tx, ty, tz = ry * kz - rz * ky, rz * kx - rx * kz, rx * ky - ry * kx  # row times -[k]: a turn by -q7
        for j in range(3):
            fx, fy, fz = arm[FRAME_6 + j], arm[FRAME_6 + 3 + j], arm[FRAME_6 + 6 + j]
            axial = on * (kx * fx + ky * fy + kz * fz)
            target[TURN_6 + 3 * i + j] = axial
            target[TURN_6 + 9 + 3 * i + j] = rx * fx + ry * fy + rz * fz - axial
            target[TURN_6 + 18 + 3 * i + j] = -(tx * fx + ty * fy + tz * fz)


@kernel
def elbow_of(arm: Floats, target: Floats, q7: float, elbow: int) -> tuple[float, float, float, float, float, float]:
    """Return (cos of joint 4 from stretched, before any clamping; q4; S seen from link 6: x, y, z; side of S).

    The last number is how far S lies from axis 5, with its sign.
    """
    s7, c7 = sincos(q7)
    # S - W seen from link 6
    x = target[0] + target[3] * c7 + target[6] * s7
    y = target[1] + target[4] * c7 + target[7] * s7
    z = target[2] + target[5] * c7 + target[8] * s7
    # law of cosines: |S - W|² = CONSTANT + RANGE · cos(q4 - STRETCHED)
    cosine = (x * x + y * y + z * z - arm[CONSTANT]) / arm[RANGE]
    if abs(cosine) > 1.0 - SLACK_ELBOW:  # stretched or folded: what is left of the square root is rounding
        bend = 0.0 if cosine > 0.0 else math.pi
    else:
        bend = math.atan2(math.sqrt((1.0 - cosine) * (1.0 + cosine)), cosine)
    sign = arm[FORWARD] if elbow == 0 else -arm[FORWARD]
    q4 = arm[STRETCHED] + sign * bend
    s4, c4 = sincos(q4)
    # x of S - W seen from link 4, whose z is axis 5
    side = arm[SHOULDER_4] + arm[SHOULDER_4 + 3] * c4 + arm[SHOULDER_4 + 6] * s4
    return cosine, q4, x, y, z, side


@kernel
def shoulder_of(
    arm: Floats, target: Floats, q7: float, q4: float, c5: float, s5: float, c6: float, s6: float
) -> tuple[float, float, float, float]:
    """Return (q1, q2, q3, sine of the lean) with the shoulder in front; c5, s5 count joint 5 from STRAIGHT.

    Where axes 1 and 3 are one, only the sum (or difference) of q1 and q3 is known: it is given as q1, with q3 = 0.
    """
    s7, c7 = sincos(q7)
    s4, c4 = sincos(q4)
    # M is what the shoulder has to turn, in its own frame: Euler angles q1, q2 + TILT, q3 about z, y, z. Its third
    # column and third row are enough: m02 = c1 s2, m12 = s1 s2, m22 = c2, m20 = -s2 c3, m21 = s2 s3
    ex = arm[TURN_4 + 2] + arm[TURN_4 + 11] * c4 + arm[TURN_4 + 20] * s4
    ey = arm[TURN_4 + 5] + arm[TURN_4 + 14] * c4 + arm[TURN_4 + 23] * s4
    ez = arm[TURN_4 + 8] + arm[TURN_4 + 17] * c4 + arm[TURN_4 + 26] * s4
    # the third column: back through joints 5 and 6, then to the shoulder's frame
    ux, uy = c5 * ex + s5 * ey, c5 * ey - s5 * ex
    vx, vz = c6 * ux - s6 * ez, s6 * ux + c6 * ez
    n0, n1, n2 = TURN_6, TURN_6 + 9, TURN_6 + 18
    a = target
    m02 = (
        (a[n0] + a[n1] * c7 + a[n2] * s7) * vx
        + (a[n0 + 1] + a[n1 + 1] * c7 + a[n2 + 1] * s7) * uy
        + (a[n0 + 2] + a[n1 + 2] * c7 + a[n2 + 2] * s7) * vz
    )
    m12 = (
        (a[n0 + 3] + a[n1 + 3] * c7 + a[n2 + 3] * s7) * vx
        + (a[n0 + 4] + a[n1 + 4] * c7 + a[n2 + 4] * s7) * uy
        + (a[n0 + 5] + a[n1 + 5] * c7 + a[n2 + 5] * s7) * vz
    )
    rx = a[n0 + 6] + a[n1 + 6] * c7 + a[n2 + 6] * s7
    ry = a[n0 + 7] + a[n1 + 7] * c7 + a[n2 + 7] * s7
    rz = a[n0 + 8] + a[n1 + 8] * c7 + a[n2 + 8] * s7
    m22 = rx * vx + ry * uy + rz * vz
    # the third row, forward through joints 6 and 5
    wx, wz = rx * c6 + rz * s6, rz * c6 - rx * s6
    tx, ty = wx * c5 - ry * s5, wx * s5 + ry * c5
    f0, f1, f2 = TURN_4, TURN_4 + 9, TURN_4 + 18
    m20 = (
        tx * (arm[f0] + arm[f1] * c4 + arm[f2] * s4)
        + ty * (arm[f0 + 3] + arm[f1 + 3] * c4 + arm[f2 + 3] * s4)
        + wz * (arm[f0 + 6] + arm[f1 + 6] * c4 + arm[f2 + 6] * s4)
    )
    m21 = (
        tx * (arm[f0 + 1] + arm[f1 + 1] * c4 + arm[f2 + 1] * s4)
        + ty * (arm[f0 + 4] + arm[f1 + 4] * c4 + arm[f2 + 4] * s4)
        + wz * (arm[f0 + 7] + arm[f1 + 7] * c4 + arm[f2 + 7] * s4)
    )
    # sine of q2 + TILT; the other shoulder has its other sign
    lean = math.sqrt(m02 * m02 + m12 * m12)
    if lean < ALIGNED:
        return _aligned_sum(arm, target, q7, q4, c5, s5, c6, s6), (0.0 if m22 > 0.0 else math.pi) - arm[TILT], 0.0, lean
    sign = arm[LEAN]
    q1 = math.atan2(sign * m12, sign * m02)
    q2 = math.atan2(sign * lean, m22) - arm[TILT]
    q3 = math.atan2(sign * m21, -sign * m20)
    return q1, q2, q3, lean


@kernel
def _aligned_sum(
    arm: Floats, target: Floats, q7: float, q4: float, c5: float, s5: float, c6: float, s6: float
) -> float:
    """Return the one angle that counts where axes 1 and 3 are one: of the second column, -sin and cos of it."""
    s7, c7 = sincos(q7)
    s4, c4 = sincos(q4)
    # the second column of the same M
    ex = arm[TURN_4 + 1] + arm[TURN_4 + 10] * c4 + arm[TURN_4 + 19] * s4
    ey = arm[TURN_4 + 4] + arm[TURN_4 + 13] * c4 + arm[TURN_4 + 22] * s4
    ez = arm[TURN_4 + 7] + arm[TURN_4 + 16] * c4 + arm[TURN_4 + 25] * s4
    ux, uy = c5 * ex + s5 * ey, c5 * ey - s5 * ex
    vx, vz = c6 * ux - s6 * ez, s6 * ux + c6 * ez
    n0, n1, n2 = TURN_6, TURN_6 + 9, TURN_6 + 18
    a = target
    m01 = (
        (a[n0] + a[n1] * c7 + a[n2] * s7) * vx
        + (a[n0 + 1] + a[n1 + 1] * c7 + a[n2 + 1] * s7) * uy
        + (a[n0 + 2] + a[n1 + 2] * c7 + a[n2 + 2] * s7) * vz
    )
    m11 = (
        (a[n0 + 3] + a[n1 + 3] * c7 + a[n2 + 3] * s7) * vx
        + (a[n0 + 4] + a[n1 + 4] * c7 + a[n2 + 4] * s7) * uy
        + (a[n0 + 5] + a[n1 + 5] * c7 + a[n2 + 5] * s7) * vz
    )
    return math.atan2(-m01, m11)


@kernel
def place_into(arm: Floats, target: Floats, q7: float, branch: int, q: Floats) -> tuple[float, float, float, float]:
    """Write one branch's joints at `q7` to `q` (7,), each within a turn of zero.

    Returns (elbow, wrist, lean, side): the posture exists where the first two are ≤ 0; beyond that, `q` is the
    nearest thing, so that everything stays continuous in `q7`. `lean` is the sine of the angle between axes 1 and 3,
    `side` the distance of S from axis 5.
    """
    cosine, q4, x, y, z, side = elbow_of(arm, target, q7, (branch >> 1) & 1)
    length = arm[LENGTH]
    s4, c4 = sincos(q4)
    # S - W is (side, 0, height) seen from link 4 and (x, y, z) from link 6. Joint 5 turns about z, joint 6 about y,
    # which keeps y: y = -side sin q5 has two solutions (subproblem 4), and joint 6 follows (subproblem 1)
    height = arm[SHOULDER_4 + 2] + arm[SHOULDER_4 + 5] * c4 + arm[SHOULDER_4 + 8] * s4
    square = (abs(side) - abs(y)) * (abs(side) + abs(y))
    across = math.sqrt(square) if square > 0.0 else 0.0
    if (side < 0.0) != ((branch & 1) == 1):
        across = -across
    # joint 5, counted from STRAIGHT
    radius = math.sqrt(across * across + y * y)
    c5, s5 = 1.0, 0.0
    if radius > 1e-12 * length:
        flip = 1.0 if side >= 0.0 else -1.0
        c5, s5 = flip * across / radius, -flip * y / radius
    elif branch & 1:
        c5 = -1.0
    # joint 6: turns (across, height) onto (x, z)
    c6, s6 = height * z + across * x, across * z - height * x
    reach = math.sqrt(c6 * c6 + s6 * s6)
    if reach > 1e-15 * length * length:
        c6, s6 = c6 / reach, s6 / reach
    else:
        c6, s6 = 1.0, 0.0
    q1, q2, q3, lean = shoulder_of(arm, target, q7, q4, c5, s5, c6, s6)
    # the shoulder at the back: the second set of Euler angles
    back = branch >> 2 == 1
    if back and lean >= ALIGNED:
        q1, q3 = q1 - math.copysign(math.pi, q1), q3 - math.copysign(math.pi, q3)
        q2 = -(q2 + arm[TILT]) - arm[TILT]
    q[0], q[1], q[2], q[3] = q1, wrapped(q2), q3, wrapped(q4)
    q[4], q[5], q[6] = wrapped(math.atan2(s5, c5) + arm[STRAIGHT]), math.atan2(s6, c6), q7
    return abs(cosine) - 1.0 - SLACK_ELBOW, (abs(y) - abs(side)) / length - SLACK_WRIST, lean, side


@kernel
def wrapped(angle: float) -> float:
    """Return the angle within (-pi, pi]."""
    return angle - 2.0 * math.pi * math.ceil(angle / (2.0 * math.pi) - 0.5)


@kernel
def branch_of(arm: Floats, q: Floats) -> int:
    """Return the number of the branch that the joints `q` (7,) belong to."""
    back = arm[LEAN] * math.sin(q[1] + arm[TILT]) < 0.0
    backward = arm[FORWARD] * math.sin(q[3] - arm[STRETCHED]) < 0.0
    turned = math.cos(q[4] - arm[STRAIGHT]) < 0.0
    return 4 * int(back) + 2 * int(backward) + int(turned)
