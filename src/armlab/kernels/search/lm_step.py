"""One projected Levenberg–Marquardt step towards a pose.

From q: e = the rows of [p_target − p; turn from R to R_target] that matter, J its Jacobian without the columns of
joints that are held by a limit; then (J Jᵀ + λI) y = e, Δq = Jᵀ y, and q + Δq clamped to the limits. That is the same
Δq as from (JᵀJ + λI) Δq = Jᵀe, but the system is 6×6 for any number of joints.

Lengths count relative to `length`, about the arm's size: the steps are the same for a large and a small arm. The
rotation part of e is 2 sin(angle/2) · axis, which has the direction, the zero and the slope of the SO(3) logarithm but
needs no arctangent; at a half turn it is 2 · axis, not zero. A mask that leaves out a rotation row uses the logarithm
itself: what is left out may stay large, and then only the logarithm's own derivative leads to the target.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.chain import first_pose, next_pose
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.rotation import quaternion_between
from armlab.kernels.six import Six, solve_six

WORLD_ROWS, TOOL_AXIS = 0, 1
"""How a task is read: rows along the world's axes, or the tool's z axis with the turn about it left free."""
FREE, PLAIN, MIXED = 0, 1, 2
"""What the rotation rows are: not asked for, all three, or mixed by a 3×3 matrix (a part of them, an axis)."""

POSITION, ERROR, COSINE, MIXING, COLUMNS = 9, 12, 18, 19, 28
"""Places in the workspace `w`: the end's rotation R row by row in front, then its 3 coordinates, 6 errors,
cos(angle/2), 3×3 mixing matrix, and from COLUMNS on 6 values per joint (first axis and origin, then the column of J);
behind them `nearest_place` and `saved_place`, n values each."""


@inlined
def kind_of_turning(weights: Floats, mode: int) -> int:
    """Return FREE, PLAIN or MIXED for a task."""
    asked = weights[3] + weights[4] + weights[5]
    if asked == 0.0:
        return FREE
    return PLAIN if asked == 3.0 and mode == WORLD_ROWS else MIXED


@inlined
def work_size(n: int) -> int:
    """Return the length of the workspace for n joints."""
    return COLUMNS + 8 * n


@inlined
def nearest_place(n: int, w: Floats) -> Floats:
    """Return the view of the workspace that holds the nearest joints (n,) of all searches."""
    return w[COLUMNS + 6 * n : COLUMNS + 7 * n]


@inlined
def saved_place(n: int, w: Floats) -> Floats:
    """Return the view of the workspace that holds the best joints (n,) of one search."""
    return w[COLUMNS + 7 * n : COLUMNS + 8 * n]


@kernel
def forward_into(constants: Floats, revolute: Floats, q: Floats, w: Floats) -> None:
    """Write the end pose at `q` to w[:12], and each joint's z axis and origin to w[COLUMNS:]."""
    pose = first_pose(constants)
    for i in range(q.shape[0]):
        k = COLUMNS + 6 * i
        # axis z_i (third column of R in front of the joint), origin o_i
        w[k], w[k + 1], w[k + 2] = pose[2], pose[5], pose[8]
        w[k + 3], w[k + 4], w[k + 5] = pose[9], pose[10], pose[11]
        pose = next_pose(pose, revolute[i] > 0.5, q[i], constants[i + 1])
    w[0], w[1], w[2], w[3], w[4], w[5] = pose[0], pose[1], pose[2], pose[3], pose[4], pose[5]
    w[6], w[7], w[8], w[9], w[10], w[11] = pose[6], pose[7], pose[8], pose[9], pose[10], pose[11]


@kernel
def turn_error(target: Floats, w: Floats) -> float:
    """Write 2 sin(angle/2) · axis of the turn to the target to w[ERROR + 3:]; return its square."""
    t = (
        target[0, 0],
        target[0, 1],
        target[0, 2],
        target[1, 0],
        target[1, 1],
        target[1, 2],
        target[2, 0],
        target[2, 1],
        target[2, 2],
    )
    # quaternion of R_target Rᵀ: (cos(angle/2), sin(angle/2) · axis)
    cosine, x, y, z = quaternion_between(t, (w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]))
    w[COSINE] = cosine
    w[ERROR + 3], w[ERROR + 4], w[ERROR + 5] = 2.0 * x, 2.0 * y, 2.0 * z
    return 4.0 * (x * x + y * y + z * z)


@kernel
def mixed_turn_error(target: Floats, weights: Floats, w: Floats) -> float:
    """Write the rows asked for of the logarithm, and the matrix that takes angular velocities to their change."""
    # |error| = 2 sin(angle/2); bend = (1 - (angle/2) cot(angle/2)) / angle², which tends to 1/12
    half_sine = 0.5 * math.sqrt(turn_error(target, w))
    angle = 2.0 * math.atan2(half_sine, w[COSINE])
    longer, bend = 1.0, 1.0 / 12.0
    if half_sine > 1e-5:
        longer = 0.5 * angle / half_sine
        bend = (1.0 - 0.5 * angle * w[COSINE] / half_sine) / (angle * angle)
    # log = longer · error; its change per angular velocity is 1 + ½ [log]× + bend [log]×²; each row times its weight
    x, y, z = longer * w[ERROR + 3], longer * w[ERROR + 4], longer * w[ERROR + 5]
    a, b, c = weights[3], weights[4], weights[5]
    w[MIXING] = a * (1.0 - bend * (y * y + z * z))
    w[MIXING + 1], w[MIXING + 2] = a * (bend * x * y - 0.5 * z), a * (bend * x * z + 0.5 * y)
    w[MIXING + 4] = b * (1.0 - bend * (x * x + z * z))
    w[MIXING + 3], w[MIXING + 5] = b * (bend * x * y + 0.5 * z), b * (bend * y * z - 0.5 * x)
    w[MIXING + 8] = c * (1.0 - bend * (x * x + y * y))
    w[MIXING + 6], w[MIXING + 7] = c * (bend * x * z - 0.5 * y), c * (bend * y * z + 0.5 * x)
    x, y, z = a * x, b * y, c * z
    w[ERROR + 3], w[ERROR + 4], w[ERROR + 5] = x, y, z
    return float(x * x + y * y + z * z)


@kernel
def axis_error(target: Floats, w: Floats) -> float:
    """Write 2 sin(angle/2) · axis of the smallest turn from the tool's z axis to the target's; the spin is left out."""
    # u: the tool's z axis, v: the target's; |u + v| = 2 cos(angle/2), u × v = sin(angle) · axis
    ux, uy, uz = w[2], w[5], w[8]
    vx, vy, vz = target[0, 2], target[1, 2], target[2, 2]
    half_cosine = 0.5 * math.sqrt((ux + vx) ** 2 + (uy + vy) ** 2 + (uz + vz) ** 2)
    if half_cosine > 1e-7:
        x = (uy * vz - uz * vy) / half_cosine
        y = (uz * vx - ux * vz) / half_cosine
        z = (ux * vy - uy * vx) / half_cosine
    else:  # opposite axes: any turn across the axis will do, the tool's x axis is one
        x, y, z = 2.0 * w[0], 2.0 * w[3], 2.0 * w[6]
    w[COSINE] = half_cosine
    # 1 - u uᵀ: a turn about the tool's own axis u changes nothing
    w[MIXING], w[MIXING + 1], w[MIXING + 2] = 1.0 - ux * ux, -ux * uy, -ux * uz
    w[MIXING + 3], w[MIXING + 4], w[MIXING + 5] = -ux * uy, 1.0 - uy * uy, -uy * uz
    w[MIXING + 6], w[MIXING + 7], w[MIXING + 8] = -ux * uz, -uy * uz, 1.0 - uz * uz
    w[ERROR + 3], w[ERROR + 4], w[ERROR + 5] = x, y, z
    return float(x * x + y * y + z * z)


@kernel
def error_into(
    target: Floats, weights: Floats, mode: int, turning: int, scale: float, w: Floats
) -> tuple[float, float]:
    """Write six rows of error to w[ERROR:], lengths times `scale`; return its squares in m² and (nearly) rad²."""
    # position rows: weight · (p_target - p)
    x = weights[0] * (target[0, 3] - w[POSITION])
    y = weights[1] * (target[1, 3] - w[POSITION + 1])
    z = weights[2] * (target[2, 3] - w[POSITION + 2])
    w[ERROR], w[ERROR + 1], w[ERROR + 2] = scale * x, scale * y, scale * z
    # rotation rows, as the task asks for them
    rotation = 0.0
    if turning == PLAIN:
        rotation = turn_error(target, w)
    elif turning == FREE:
        w[ERROR + 3], w[ERROR + 4], w[ERROR + 5] = 0.0, 0.0, 0.0
    elif mode == TOOL_AXIS:
        rotation = axis_error(target, w)
    else:
        rotation = mixed_turn_error(target, weights, w)
    return x * x + y * y + z * z, rotation


@kernel
def true_angle(mode: int, turning: int, square: float, w: Floats) -> float:
    """Return the rotation error in rad from what `error_into` returned."""
    if turning == FREE:
        return 0.0
    if turning == MIXED and mode == WORLD_ROWS:
        return math.sqrt(square)
    return 2.0 * math.atan2(0.5 * math.sqrt(square), w[COSINE])


@kernel
def columns_into(
    revolute: Floats, lower: Floats, upper: Floats, weights: Floats, turning: int, length: float, w: Floats, q: Floats
) -> None:
    """Turn the joints' axes and origins into the columns of J; zero for a joint that a limit holds."""
    x, y, z = w[POSITION], w[POSITION + 1], w[POSITION + 2]
    e0, e1, e2 = w[ERROR], w[ERROR + 1], w[ERROR + 2]
    e3, e4, e5 = w[ERROR + 3], w[ERROR + 4], w[ERROR + 5]
    s0, s1, s2 = weights[0] / length, weights[1] / length, weights[2] / length
    for i in range(q.shape[0]):
        k = COLUMNS + 6 * i
        zx, zy, zz = w[k], w[k + 1], w[k + 2]
        if revolute[i] > 0.5:  # column [z × (p - origin); z], its rows weighed and mixed
            dx, dy, dz = x - w[k + 3], y - w[k + 4], z - w[k + 5]
            j0, j1, j2 = s0 * (zy * dz - zz * dy), s1 * (zz * dx - zx * dz), s2 * (zx * dy - zy * dx)
            j3, j4, j5 = zx, zy, zz
            if turning == MIXED:
                j3 = w[MIXING] * zx + w[MIXING + 1] * zy + w[MIXING + 2] * zz
                j4 = w[MIXING + 3] * zx + w[MIXING + 4] * zy + w[MIXING + 5] * zz
                j5 = w[MIXING + 6] * zx + w[MIXING + 7] * zy + w[MIXING + 8] * zz
            elif turning == FREE:
                j3 = j4 = j5 = 0.0
        else:  # a sliding joint is counted in `length`, too
            j0, j1, j2 = weights[0] * zx, weights[1] * zy, weights[2] * zz
            j3 = j4 = j5 = 0.0
        if q[i] <= lower[i] or q[i] >= upper[i]:
            # the slope of ½|e|² along the joint: where it leads out of the limit, the joint is held
            push = j0 * e0 + j1 * e1 + j2 * e2 + j3 * e3 + j4 * e4 + j5 * e5
            if (push < 0.0 and q[i] <= lower[i]) or (push > 0.0 and q[i] >= upper[i]):
                j0 = j1 = j2 = j3 = j4 = j5 = 0.0
        w[k], w[k + 1], w[k + 2], w[k + 3], w[k + 4], w[k + 5] = j0, j1, j2, j3, j4, j5


@kernel
def least_move(n: int, damping: float, w: Floats) -> Six:
    """Return y of (J Jᵀ + λI) y = e."""
    a00 = a11 = a22 = a33 = a44 = a55 = damping
    a10 = a20 = a21 = a30 = a31 = a32 = a40 = a41 = a42 = a43 = a50 = a51 = a52 = a53 = a54 = 0.0
    # lower triangle of A = J Jᵀ + λI: the sum of the outer products of J's columns
    for i in range(n):
        k = COLUMNS + 6 * i
        j0, j1, j2, j3, j4, j5 = w[k], w[k + 1], w[k + 2], w[k + 3], w[k + 4], w[k + 5]
        a00 += j0 * j0
        a10 += j1 * j0
        a11 += j1 * j1
        a20 += j2 * j0
        a21 += j2 * j1
        a22 += j2 * j2
        a30 += j3 * j0
        a31 += j3 * j1
        a32 += j3 * j2
        a33 += j3 * j3
        a40 += j4 * j0
        a41 += j4 * j1
        a42 += j4 * j2
        a43 += j4 * j3
        a44 += j4 * j4
        a50 += j5 * j0
        a51 += j5 * j1
        a52 += j5 * j2
        a53 += j5 * j3
        a54 += j5 * j4
        a55 += j5 * j5
    a = (a00, a10, a11, a20, a21, a22, a30, a31, a32, a33, a40, a41, a42, a43, a44, a50, a51, a52, a53, a54, a55)
    e = (w[ERROR], w[ERROR + 1], w[ERROR + 2], w[ERROR + 3], w[ERROR + 4], w[ERROR + 5])
    return solve_six(a, e)


@kernel
def step_into(
    revolute: Floats,
    lower: Floats,
    upper: Floats,
    weights: Floats,
    turning: int,
    length: float,
    damping: float,
    passes: int,
    w: Floats,
    q: Floats,
) -> None:
    """Take one step from `q` with what `forward_into` and `error_into` left in the workspace.

    With more than one pass, joints at their limits that the step would push outward, though their own slope does not,
    are held and the step is computed again: that gains nothing far from the target, but the last digits near it.
    """
    columns_into(revolute, lower, upper, weights, turning, length, w, q)
    for _ in range(passes):
        y0, y1, y2, y3, y4, y5 = least_move(q.shape[0], damping, w)
        held = False
        # Δq_i = J_iᵀ y of the joints at a limit
        for i in range(q.shape[0]):
            k = COLUMNS + 6 * i
            if q[i] <= lower[i] or q[i] >= upper[i]:
                d = w[k] * y0 + w[k + 1] * y1 + w[k + 2] * y2 + w[k + 3] * y3 + w[k + 4] * y4 + w[k + 5] * y5
                if (d < 0.0 and q[i] <= lower[i]) or (d > 0.0 and q[i] >= upper[i]):
                    w[k], w[k + 1], w[k + 2], w[k + 3], w[k + 4], w[k + 5] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    held = True
        if not held:
            break
    # q ← clamp(q + Jᵀ y); a sliding joint's step is counted in `length`
    for i in range(q.shape[0]):
        k = COLUMNS + 6 * i
        d = w[k] * y0 + w[k + 1] * y1 + w[k + 2] * y2 + w[k + 3] * y3 + w[k + 4] * y4 + w[k + 5] * y5
        d = d if revolute[i] > 0.5 else d * length
        q[i] = min(max(q[i] + d, lower[i]), upper[i])
