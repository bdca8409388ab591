"""Every posture of a 6R arm whose axes 2 and 3 are parallel and whose axes 4 and 5 meet, by a sweep of the last joint.

With joint 6 given, the point W where axes 4 and 5 meet is known: joint 1 brings W into the plane of the two parallel
axes (two values), joints 2 and 3 are a planar two-link arm (two values), and then axis 4 must make its own angle with
axis 5, whose direction is known too. That is one equation in one unknown for each of four branches. The sweep looks for
its zeros; what it finds is only a start: Newton's method on the whole pose decides, so nothing wrong gets out.

A step of the sweep is (q6, reach, miss, q1, q2, q3, edge): the branch exists where reach ≤ 0, miss must become zero,
and edge is 1 where the branch begins or ends; joints move like a square root there, so steps are shorter.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.closed_form.search import WORK_SIZE, descend_into
from armlab.kernels.closed_form.seven import wrapped
from armlab.kernels.jit import kernel
from armlab.kernels.trig import sincos

# the row of an arm
K1, K2, K4, K5, K6, POINT_1, POINT_2, U, V, POINT_6, WRIST, HOME = 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33
UPPER, FORE, UPPER_AT, FORE_AT, SENSE, ASIDE, SLOPE, ANGLE, FLAT_4, STRAIGHT, NO_FLIP = (
    45, 46, 47, 48, 49, 50, 51, 52, 53, 56, 57,
)  # fmt: skip
ARM_SIZE = 58
# the row of a target: W from axis 1, direction of axis 5 (each times 1, cos q6, sin q6), the tool's turn from zero
W, N5, TURN, TARGET_SIZE = 0, 9, 18, 27

X, REACH, MISS, Q1, Q2, Q3, EDGE, STEP_SIZE = 0, 1, 2, 3, 4, 5, 6, 7
LONGEST_TURN, SHORTEST_STEP = 0.35, 1e-11
NEAR, NEAR_REACH = 0.3, 0.1
JUMP_STARTS, ISLAND_STARTS, EDGE_STEPS = 8, 12, 12
GOOD, FINE, SAME = 1e-10, 1e-13, 1e-6
MOST_SOLUTIONS = 32


@kernel
def dot(a: Floats, i: int, b: Floats, j: int) -> float:
    """Return the scalar product of a[i:i+3] and b[j:j+3]."""
    product: float = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]
    return product


@kernel
def turned(a: Floats, i: int, angle: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the vector turned by `angle` about the unit vector a[i:i+3] (Rodrigues)."""
    s, c = sincos(angle)
    kx, ky, kz = a[i], a[i + 1], a[i + 2]
    along = (kx * x + ky * y + kz * z) * (1.0 - c)
    return (
        c * x + s * (ky * z - kz * y) + along * kx,
        c * y + s * (kz * x - kx * z) + along * ky,
        c * z + s * (kx * y - ky * x) + along * kz,
    )


@kernel
def aim_into(arm: Floats, T: Floats, target: Floats) -> None:
    """Write what the sweep needs of the pose `T` (4, 4) to `target` (TARGET_SIZE,)."""
    g = target[TURN : TURN + 9]
    for i in range(3):
        for j in range(3):
            g[3 * i + j] = T[i, 0] * arm[HOME + j] + T[i, 1] * arm[HOME + 3 + j] + T[i, 2] * arm[HOME + 6 + j]
    # w: from a point on axis 6 to W, at zero
    w = np.empty(3)
    for k in range(3):
        w[k] = arm[WRIST + k] - arm[POINT_6 + k]
    along_w, along_5 = dot(w, 0, arm, K6), dot(arm, K5, arm, K6)
    for i in range(3):
        # row i of G = T T_home⁻¹: where it takes the point on axis 6, relative to axis 1
        shift = T[i, 3] - arm[POINT_1 + i]
        for k in range(3):
            shift += T[i, k] * arm[HOME + 9 + k] + g[3 * i + k] * arm[POINT_6 + k]
        on_axis = g[3 * i] * arm[K6] + g[3 * i + 1] * arm[K6 + 1] + g[3 * i + 2] * arm[K6 + 2]
        # joint 6 turns back: the sine gets minus the cross product
        for start, off, k5 in ((W, along_w, False), (N5, along_5, True)):
            vx = arm[K5] if k5 else w[0]
            vy = arm[K5 + 1] if k5 else w[1]
            vz = arm[K5 + 2] if k5 else w[2]
            whole = g[3 * i] * vx + g[3 * i + 1] * vy + g[3 * i + 2] * vz
            cx = arm[K6 + 1] * vz - arm[K6 + 2] * vy
            cy = arm[K6 + 2] * vx - arm[K6] * vz
            cz = arm[K6] * vy - arm[K6 + 1] * vx
            target[start + i] = on_axis * off + (0.0 if k5 else shift)
            target[start + 3 + i] = whole - on_axis * off
            target[start + 6 + i] = -(g[3 * i] * cx + g[3 * i + 1] * cy + g[3 * i + 2] * cz)


@kernel
def step_into(arm: Floats, target: Floats, branch: int, q6: float, out: Floats) -> None:
    """Write the step of a branch (2 * shoulder + elbow) at `q6`; where it does not exist, the nearest thing to it."""
    s6, c6 = sincos(q6)
    # W - POINT_1 at this q6
    px = target[W] + target[W + 3] * c6 + target[W + 6] * s6
    py = target[W + 1] + target[W + 4] * c6 + target[W + 7] * s6
    pz = target[W + 2] + target[W + 5] * c6 + target[W + 8] * s6
    k1x, k1y, k1z, k2x, k2y, k2z = arm[K1], arm[K1 + 1], arm[K1 + 2], arm[K2], arm[K2 + 1], arm[K2 + 2]
    # joint 1 (subproblem 4): k2 · Rot(k1, -q1) p = ASIDE, that is a cos q1 + b sin q1 = c
    height = px * k1x + py * k1y + pz * k1z
    a = px * k2x + py * k2y + pz * k2z - height * arm[SLOPE]
    b = (
        px * (k1y * k2z - k1z * k2y)
        + py * (k1z * k2x - k1x * k2z)
        + pz * (k1x * k2y - k1y * k2x)
    )  # fmt: skip
    c = arm[ASIDE] - height * arm[SLOPE]
    square = a * a + b * b - c * c
    off = math.sqrt(square) if square > 0.0 else 0.0
    q1 = math.atan2(b, a) + (math.atan2(off, c) if branch >> 1 == 0 else -math.atan2(off, c))
    # joints 2 and 3: a planar arm of two links, UPPER and FORE, in the plane (U, V) across axis 2
    x, y, z = turned(arm, K1, -q1, px, py, pz)
    x, y, z = (
        x + arm[POINT_1] - arm[POINT_2],
        y + arm[POINT_1 + 1] - arm[POINT_2 + 1],
        z + arm[POINT_1 + 2] - arm[POINT_2 + 2],
    )
    wu, wv = x * arm[U] + y * arm[U + 1] + z * arm[U + 2], x * arm[V] + y * arm[V + 1] + z * arm[V + 2]
    upper, fore = arm[UPPER], arm[FORE]
    # law of cosines, then the angle of the first link
    cosine = (wu * wu + wv * wv - upper * upper - fore * fore) / (2.0 * upper * fore)
    inside = (1.0 - cosine) * (1.0 + cosine)
    bend = math.atan2(math.sqrt(inside) if inside > 0.0 else 0.0, cosine)
    bend = bend if branch & 1 == 0 else -bend
    s3, c3 = sincos(bend)
    lu, lv = upper + fore * c3, fore * s3
    t2 = math.atan2(wv, wu) - math.atan2(lv, lu) - arm[UPPER_AT]
    t3 = bend + arm[UPPER_AT] - arm[FORE_AT]
    out[X], out[EDGE], out[Q1], out[Q2], out[Q3] = q6, 0.0, wrapped(q1), wrapped(t2), wrapped(arm[SENSE] * t3)
    out[REACH] = max(abs(cosine) - 1.0, abs(c) - math.sqrt(a * a + b * b))
    # miss: the cosine between axes 4 and 5, as joints 1 to 3 put them, against what the arm has (ANGLE)
    s, c = sincos(t2 + t3)
    nx = target[N5] + target[N5 + 3] * c6 + target[N5 + 6] * s6
    ny = target[N5 + 1] + target[N5 + 4] * c6 + target[N5 + 7] * s6
    nz = target[N5 + 2] + target[N5 + 5] * c6 + target[N5 + 8] * s6
    nx, ny, nz = turned(arm, K1, -q1, nx, ny, nz)
    nu, nv = nx * arm[U] + ny * arm[U + 1] + nz * arm[U + 2], nx * arm[V] + ny * arm[V + 1] + nz * arm[V + 2]
    nk = nx * k2x + ny * k2y + nz * k2z
    fu, fv, fk = arm[FLAT_4], arm[FLAT_4 + 1], arm[FLAT_4 + 2]
    out[MISS] = (c * fu - s * fv) * nu + (s * fu + c * fv) * nv + fk * nk - arm[ANGLE]


@kernel
def turn_of(a: Floats, b: Floats) -> float:
    """Return the larger of the turns of joint 1 and of the forearm from one step to the next."""
    fore = abs(wrapped(b[Q2] - a[Q2])) + abs(wrapped(b[Q3] - a[Q3]))
    return max(abs(wrapped(b[Q1] - a[Q1])), fore)


@kernel
def joints_into(arm: Floats, target: Floats, q6: float, q1: float, q2: float, q3: float, q: Floats) -> None:
    """Write all joints to `q` (6,): 4 and 5 are those that bring axes 4 and 5 nearest to where they must be."""
    # axis 5 in the world, then back through joints 1 to 3
    s6, c6 = sincos(q6)
    nx = target[N5] + target[N5 + 3] * c6 + target[N5 + 6] * s6
    ny = target[N5 + 1] + target[N5 + 4] * c6 + target[N5 + 7] * s6
    nz = target[N5 + 2] + target[N5 + 5] * c6 + target[N5 + 8] * s6
    nx, ny, nz = turned(arm, K1, -q1, nx, ny, nz)
    fore = q2 + arm[SENSE] * q3
    nx, ny, nz = turned(arm, K2, -fore, nx, ny, nz)  # axis 5 seen from link 3
    q4 = turn_about(arm, K4, arm[K5], arm[K5 + 1], arm[K5 + 2], nx, ny, nz)
    ax, ay, az = turned(arm, K2, fore, arm[K4], arm[K4 + 1], arm[K4 + 2])
    ax, ay, az = turned(arm, K1, q1, ax, ay, az)  # axis 4 in the world, then seen from link 5
    g = target[TURN : TURN + 9]
    bx, by, bz = (
        g[0] * ax + g[3] * ay + g[6] * az,
        g[1] * ax + g[4] * ay + g[7] * az,
        g[2] * ax + g[5] * ay + g[8] * az,
    )
    bx, by, bz = turned(arm, K6, q6, bx, by, bz)
    q5 = -turn_about(arm, K5, arm[K4], arm[K4 + 1], arm[K4 + 2], bx, by, bz)
    q[0], q[1], q[2], q[3], q[4], q[5] = q1, q2, q3, q4, q5, q6


@kernel
def turn_about(a: Floats, i: int, ux: float, uy: float, uz: float, vx: float, vy: float, vz: float) -> float:
    """Return the angle about a[i:i+3] that turns u nearest to v."""
    kx, ky, kz = a[i], a[i + 1], a[i + 2]
    sine = kx * (uy * vz - uz * vy) + ky * (uz * vx - ux * vz) + kz * (ux * vy - uy * vx)
    cosine = ux * vx + uy * vy + uz * vz - (kx * ux + ky * uy + kz * uz) * (kx * vx + ky * vy + kz * vz)
    return math.atan2(sine, cosine)


@kernel
def try_start(
    arm: Floats,
    constants: Floats,
    T: Floats,
    target: Floats,
    start: Floats,
    work: Floats,
    out: Floats,
    count: int,
) -> int:
    """Go from the step `start` to the nearest posture by Newton's method; add it to `out` if it is new."""
    if count >= out.shape[0]:
        return count
    # the row behind the last solution is scratch until it is accepted
    q = out[count]
    joints_into(arm, target, start[X], start[Q1], start[Q2], start[Q3], q)
    error = descend_into(constants, T, q, 6, 1e-6, 40, FINE, work)
    if not error <= GOOD:
        return count
    for i in range(6):
        q[i] = wrapped(q[i])
    for k in range(count):
        away = 0.0
        for i in range(6):
            away = max(away, abs(wrapped(out[k, i] - q[i])))
        if away < SAME:
            return count
    return count + 1


@kernel
def narrow_into(arm: Floats, target: Floats, branch: int, k: int, a: Floats, b: Floats, out: Floats) -> None:
    """Write the step where element `k` (REACH or MISS) changes its sign between `a` and `b`; for REACH, on a's side."""
    # bisection
    left, right, fl = a[X], b[X], a[k]
    for _ in range(40 if k == REACH else 22):
        middle = 0.5 * (left + right)
        step_into(arm, target, branch, middle, out)
        if (out[k] > 0.0) == (fl > 0.0):
            left = middle
        else:
            right = middle
    step_into(arm, target, branch, left if k == REACH else 0.5 * (left + right), out)


@kernel
def dip_into(arm: Floats, target: Floats, branch: int, k: int, a: Floats, c: Floats, out: Floats) -> None:
    """Write the step where |element k| is lowest between `a` and `c` (golden section), or the first of another sign."""
    sign, ratio = (1.0 if a[k] > 0.0 else -1.0), 0.6180339887498949
    left, right = a[X], c[X]
    inner, outer = right - ratio * (right - left), left + ratio * (right - left)
    step_into(arm, target, branch, outer, out)
    fo = sign * out[k]
    step_into(arm, target, branch, inner, out)
    fi = sign * out[k]
    for _ in range(40):
        if fi < 0.0 or right - left < 1e-9:
            break
        if fo < 0.0:
            step_into(arm, target, branch, outer, out)
            break
        if fi < fo:
            right, outer, fo = outer, inner, fi
            inner = right - ratio * (right - left)
        else:
            left, inner, fi = inner, outer, fo
            outer = left + ratio * (right - left)
            step_into(arm, target, branch, outer, out)
            fo = sign * out[k]
        step_into(arm, target, branch, inner, out)
        fi = sign * out[k]


@kernel
def begin_edge(
    arm: Floats, target: Floats, branch: int, left: Floats, right: Floats, inner: Floats, stack: Floats, depth: int
) -> int:
    """Put steps on the stack between `left` and `right`, of which one exists: short ones near the edge, and the edge.

    The next step is on top. Returns the new depth.
    """
    # the edge lies between the step that exists and the one that does not
    enters = right[REACH] <= 0.0
    valid, outside = (right, left) if enters else (left, right)
    narrow_into(arm, target, branch, REACH, valid, outside, inner)
    inner[EDGE] = 1.0
    edge, width = inner[X], valid[X] - inner[X]
    if depth + EDGE_STEPS >= stack.shape[0]:
        stack[depth, :] = inner
        return depth + 1
    if not enters:
        stack[depth, :] = inner
        depth += 1
    # steps that grow with the square of the distance from the edge: joints move like its square root
    for k in range(1, EDGE_STEPS):
        part = (EDGE_STEPS - k if enters else k) / EDGE_STEPS
        step_into(arm, target, branch, edge + width * part * part, stack[depth])
        depth += 1
    if enters:
        stack[depth, :] = inner
        depth += 1
    return depth


@kernel
def sweep_into(arm: Floats, constants: Floats, T: Floats, samples: int, out: Floats) -> int:
    """Write every posture found for the pose `T` (4, 4) to `out` (MOST_SOLUTIONS, 6), wrapped; return how many."""
    target, work = np.empty(TARGET_SIZE), np.empty(WORK_SIZE)
    steps = np.empty((96, STEP_SIZE))
    before, left, right, inner, dip, stack = (
        steps[0], steps[1], steps[2], steps[3], steps[4], steps[5:],
    )  # fmt: skip
    aim_into(arm, T, target)
    count = 0
    for branch in range(4):
        # three neighbouring steps: before, left, right; `stack` holds those that are to come, the next on top
        step_into(arm, target, branch, -math.pi - 2.0 * math.pi / samples, before)
        step_into(arm, target, branch, -math.pi, left)
        for i in range(1, samples + 1):
            step_into(arm, target, branch, -math.pi + 2.0 * math.pi * i / samples, stack[0])
            depth = 1
            while depth > 0:
                right[:] = stack[depth - 1]
                both = left[REACH] <= 0.0 and right[REACH] <= 0.0
                # the branch begins or ends between left and right
                if (left[REACH] <= 0.0) != (right[REACH] <= 0.0) and left[EDGE] + right[EDGE] == 0.0:
                    depth = begin_edge(arm, target, branch, left, right, inner, stack, depth)
                    if right[REACH] <= 0.0:
                        before[:], left[:] = left, stack[depth - 1]
                        depth -= 1
                    continue
                # joints turn too far in one step: halve it
                turning = turn_of(left, right) > LONGEST_TURN and (left[REACH] <= 0.0 or right[REACH] <= 0.0)
                if turning and right[X] - left[X] > SHORTEST_STEP and depth < stack.shape[0]:
                    step_into(arm, target, branch, 0.5 * (left[X] + right[X]), stack[depth])
                    depth += 1
                    continue
                if turning:  # W is on axis 1: joint 1 may have any value between
                    for k in range(JUMP_STARTS):
                        inner[:] = left
                        part = (k + 0.5) / JUMP_STARTS
                        inner[Q1] = left[Q1] + part * wrapped(right[Q1] - left[Q1])
                        inner[Q2] = left[Q2] + part * wrapped(right[Q2] - left[Q2])
                        inner[Q3] = left[Q3] + part * wrapped(right[Q3] - left[Q3])
                        count = try_start(arm, constants, T, target, inner, work, out, count)
                # a change of sign of `miss`: a solution
                elif both and (left[MISS] > 0.0) != (right[MISS] > 0.0):
                    narrow_into(arm, target, branch, MISS, left, right, inner)
                    count = try_start(arm, constants, T, target, inner, work, out, count)
                # an edge near a solution
                if left[EDGE] == 1.0 and abs(left[MISS]) < NEAR:
                    count = try_start(arm, constants, T, target, left, work, out, count)
                # a minimum of |miss| at `left`: it touches zero once, or crosses it twice between the steps
                same = (before[MISS] > 0.0) == (left[MISS] > 0.0) and (left[MISS] > 0.0) == (right[MISS] > 0.0)
                is_lowest = same and abs(left[MISS]) <= min(abs(before[MISS]), abs(right[MISS]))
                if left[REACH] <= 0.0 and is_lowest and abs(left[MISS]) < NEAR:
                    dip_into(arm, target, branch, MISS, before, right, dip)
                    if (dip[MISS] > 0.0) == (before[MISS] > 0.0):
                        count = try_start(arm, constants, T, target, dip, work, out, count)
                    else:
                        narrow_into(arm, target, branch, MISS, before, dip, inner)
                        count = try_start(arm, constants, T, target, inner, work, out, count)
                        narrow_into(arm, target, branch, MISS, dip, right, inner)
                        count = try_start(arm, constants, T, target, inner, work, out, count)
                # a branch that nearly exists: it may exist between two steps
                if 0.0 < left[REACH] < NEAR_REACH and left[REACH] <= min(before[REACH], right[REACH]):
                    dip_into(arm, target, branch, REACH, before, right, dip)
                    count = try_start(arm, constants, T, target, dip, work, out, count)
                    low, high = dip[X], dip[X]
                    if dip[REACH] <= 0.0:  # the branch exists between two steps only: look all over it
                        narrow_into(arm, target, branch, REACH, dip, before, inner)
                        low = inner[X]
                        narrow_into(arm, target, branch, REACH, dip, right, inner)
                        high = inner[X]
                    for k in range(ISLAND_STARTS if high > low else 0):
                        part = 0.5 - 0.5 * math.cos(math.pi * k / (ISLAND_STARTS - 1))
                        step_into(arm, target, branch, low + (high - low) * part, inner)
                        count = try_start(arm, constants, T, target, inner, work, out, count)
                before[:] = left
                left[:] = right
                depth -= 1
    return count
