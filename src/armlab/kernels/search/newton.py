"""Newton's method towards a pose that may be out of reach, inside the limits.

Minimised is F(q) = ½ W² ‖p_target − p‖² + ½ f, lengths counted relative to `length`, with f = 4 sin²(angle/2) of the
turn that is missing, or what the task asks for of it. Where the target cannot be reached, what is left of the error is
not small, and Gauss–Newton stalls: the steps take the exact second derivatives. λ is added until a step leads down
(Marquardt 1963); joints that a step would take out of their limits go to them, and the rest is computed again.

With z_i, a_i the columns of the Jacobian (rotation, position), for joints i ≤ k of a chain:
∂²p/∂q_i∂q_k = z_i × a_k and ∂²R/∂q_i∂q_k = [z_i]× [z_k]× R; a joint that slides has no z here.
"""

from __future__ import annotations

from typing import NamedTuple

from armlab.arrays import Floats
from armlab.kernels.cholesky import solve_into
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.search.lm import copy_into
from armlab.kernels.search.lm_step import (
    COLUMNS,
    COSINE,
    ERROR,
    FREE,
    MIXED,
    MIXING,
    PLAIN,
    POSITION,
    TOOL_AXIS,
    error_into,
    forward_into,
    kind_of_turning,
)
from armlab.kernels.search.problem import SearchTask

SETTLED, SETTLED_SHARE = 1e-10, 1e-2
"""A descent ends when a step lowers F by less than SETTLED and less than this share: an angle is then as small as it
gets to 1e-5 rad and better, and one that can become zero does."""
SMALLEST_MOVE = 1e-9
"""rad, or this part of `length`: a step that is no longer and still leads up is rounding."""
DAMPING, LEAST_DAMPING, MOST_DAMPING, EASIER, HARDER = 1e-2, 1e-9, 1e9, 0.2, 6.0
"""λ at the start of a stage, its bounds, and its change after a step down and after one up."""


class NewtonChain(NamedTuple):
    """An arm as the descents take it: a chain of k joints that follow the arm's n as C q + c."""

    constants: Floats
    """(k + 1, 13), see kernels.chain."""
    revolute: Floats
    """(k,)"""
    matrix: Floats
    """C, (k, n); the unit matrix for an arm without coupled joints."""
    offset: Floats
    """c, (k,)"""
    turning: Floats
    """(n,): 1.0 where a joint of the arm turns, 0.0 where it slides."""
    lower: Floats
    """(n,): limits in rad or m."""
    upper: Floats
    length: float
    """m that weigh as much as one radian, and the unit of sliding joints."""


class Workspace(NamedTuple):
    """Scratch of the descent, for a chain of k joints and an arm of n."""

    w: Floats
    """See kernels.search.lm_step."""
    values: Floats
    """(k,): C q + c."""
    slope: Floats
    """(k,): ∂F of the chain's joints."""
    bend: Floats
    """(k, k): ∂²F of the chain's joints."""
    gradient: Floats
    """(n,)"""
    hessian: Floats
    """(n, n)"""
    factors: Floats
    """(1, n, n), see kernels.cholesky."""
    move: Floats
    """(n,)"""
    trial: Floats
    """(n,)"""


@kernel
def value_at(
    arm: NewtonChain, target: Floats, task: SearchTask, square: float, s: Workspace, q: Floats
) -> tuple[float, float, float]:
    """Return F for W² = `square`, and the squares of the errors in m² and (nearly) rad²; the workspace keeps them."""
    for i in range(s.values.shape[0]):
        value = arm.offset[i]
        for j in range(q.shape[0]):
            value += arm.matrix[i, j] * q[j]
        s.values[i] = value
    forward_into(arm.constants, arm.revolute, s.values, s.w)
    turning = kind_of_turning(task.weights, task.mode)
    position, rotation = error_into(target, task.weights, task.mode, turning, 1.0 / arm.length, s.w)
    return 0.5 * (square * position / (arm.length * arm.length) + rotation), position, rotation


@kernel
def slopes_into(arm: NewtonChain, target: Floats, task: SearchTask, square: float, s: Workspace) -> None:
    """Write ∂F and ∂²F by the chain's joints to `slope` and `bend`, for what `value_at` left in the workspace."""
    w, k = s.w, s.slope.shape[0]
    turning = kind_of_turning(task.weights, task.mode)
    scale = 1.0 / arm.length
    m0, m1, m2 = task.weights[0], task.weights[1], task.weights[2]
    # W² e, e the position error in `length`
    p0, p1, p2 = square * w[ERROR], square * w[ERROR + 1], square * w[ERROR + 2]
    e3, e4, e5, cosine = w[ERROR + 3], w[ERROR + 4], w[ERROR + 5], w[COSINE]
    ux, uy, uz = w[2], w[5], w[8]
    vx, vy, vz = target[0, 2], target[1, 2], target[2, 2]
    for b in range(k):
        o = COLUMNS + 6 * b
        zx, zy, zz, turns = w[o], w[o + 1], w[o + 2], arm.revolute[b] > 0.5
        # a_b = z × (p − origin) where the joint turns, z where it slides, in `length`
        ax, ay, az = scale * zx, scale * zy, scale * zz
        if turns:
            dx, dy, dz = w[POSITION] - w[o + 3], w[POSITION + 1] - w[o + 4], w[POSITION + 2] - w[o + 5]
            ax, ay, az = scale * (zy * dz - zz * dy), scale * (zz * dx - zx * dz), scale * (zx * dy - zy * dx)
        w[o + 3], w[o + 4], w[o + 5] = ax, ay, az
        slope = -(p0 * ax + p1 * ay + p2 * az)
        if turns and turning == PLAIN:
            # ½ ∂f = −cos(angle/2) e · z, with e = 2 sin(angle/2) · axis
            slope -= cosine * (e3 * zx + e4 * zy + e5 * zz)
        elif turns and turning == MIXED and task.mode == TOOL_AXIS:
            # f = 2 (1 − u · v): ½ ∂f = −v · (z × u)
            slope -= vx * (zy * uz - zz * uy) + vy * (zz * ux - zx * uz) + vz * (zx * uy - zy * ux)
        elif turns and turning == MIXED:
            slope -= e3 * (w[MIXING] * zx + w[MIXING + 1] * zy + w[MIXING + 2] * zz)
            slope -= e4 * (w[MIXING + 3] * zx + w[MIXING + 4] * zy + w[MIXING + 5] * zz)
            slope -= e5 * (w[MIXING + 6] * zx + w[MIXING + 7] * zy + w[MIXING + 8] * zz)
        s.slope[b] = slope
        for a in range(b + 1):
            i = COLUMNS + 6 * a
            yx, yy, yz = w[i], w[i + 1], w[i + 2]
            # W² (a_a · a_b − e · (z_a × a_b))
            bend = square * (m0 * w[i + 3] * ax + m1 * w[i + 4] * ay + m2 * w[i + 5] * az)
            if arm.revolute[a] > 0.5:
                bend -= p0 * (yy * az - yz * ay) + p1 * (yz * ax - yx * az) + p2 * (yx * ay - yy * ax)
                if turns:
                    bend += turn_bend(w, turning, task.mode, (yx, yy, yz), (zx, zy, zz), (vx, vy, vz))
            s.bend[a, b] = bend
            s.bend[b, a] = bend


@inlined
def turn_bend(
    w: Floats,
    turning: int,
    mode: int,
    y: tuple[float, float, float],
    z: tuple[float, float, float],
    v: tuple[float, float, float],
) -> float:
    """Return ½ ∂²f for the axes y and z of two turning joints, z not in front of y; v is the target's z axis."""
    along = y[0] * z[0] + y[1] * z[1] + y[2] * z[2]
    if turning == PLAIN:
        # cos² y · z − (h · y) (h · z) + cos y · (h × z), with h = sin(angle/2) · axis and cos = cos(angle/2)
        c, h0, h1, h2 = w[COSINE], 0.5 * w[ERROR + 3], 0.5 * w[ERROR + 4], 0.5 * w[ERROR + 5]
        across = y[0] * (h1 * z[2] - h2 * z[1]) + y[1] * (h2 * z[0] - h0 * z[2]) + y[2] * (h0 * z[1] - h1 * z[0])
        along_y, along_z = h0 * y[0] + h1 * y[1] + h2 * y[2], h0 * z[0] + h1 * z[1] + h2 * z[2]
        return float(c * c * along - along_y * along_z + c * across)
    if turning == FREE:
        return 0.0
    if mode == TOOL_AXIS:
        # −v · (y × (z × u)) = (u · v) (y · z) − (v · z) (y · u)
        u0, u1, u2 = w[2], w[5], w[8]
        uv, uy = u0 * v[0] + u1 * v[1] + u2 * v[2], u0 * y[0] + u1 * y[1] + u2 * y[2]
        return float(uv * along - (v[0] * z[0] + v[1] * z[1] + v[2] * z[2]) * uy)
    # a part of the rows: the product of the slopes alone (Gauss–Newton), which is exact where the rows are met
    bend = 0.0
    for r in range(3):
        a, b, c = w[MIXING + 3 * r], w[MIXING + 3 * r + 1], w[MIXING + 3 * r + 2]
        bend += (a * y[0] + b * y[1] + c * y[2]) * (a * z[0] + b * z[1] + c * z[2])
    return bend


@kernel
def fold_into(arm: NewtonChain, s: Workspace) -> None:
    """Write gradient and Hessian by the arm's joints: Cᵀ ∂F and Cᵀ ∂²F C, sliding joints in `length`."""
    k, n = arm.matrix.shape
    for i in range(n):
        unit = 1.0 if arm.turning[i] > 0.5 else arm.length
        value = 0.0
        for a in range(k):
            value += arm.matrix[a, i] * s.slope[a]
        s.gradient[i] = unit * value
        for j in range(i + 1):
            other = 1.0 if arm.turning[j] > 0.5 else arm.length
            value = 0.0
            for a in range(k):
                if arm.matrix[a, i] != 0.0:
                    for b in range(k):
                        value += arm.matrix[a, i] * s.bend[a, b] * arm.matrix[b, j]
            s.hessian[i, j] = unit * other * value
            s.hessian[j, i] = s.hessian[i, j]


@kernel
def newton_move(arm: NewtonChain, damping: float, s: Workspace, q: Floats) -> bool:
    """Write the step that minimises the quadratic model ∂F d + ½ dᵀ (∂²F + λ) d inside the limits, nearly, to `move`.

    Joints whose step would leave the limits go to them, and the rest is computed again. Returns False where ∂²F + λ is
    not positive definite.
    """
    n = q.shape[0]
    lower, upper, g, H = arm.lower, arm.upper, s.gradient, s.hessian
    fixed = s.trial  # as numbers: 1.0 for a joint whose move is decided
    for i in range(n):
        is_held = (q[i] <= lower[i] and g[i] > 0.0) or (q[i] >= upper[i] and g[i] < 0.0)
        fixed[i], s.move[i] = (1.0 if is_held else 0.0), 0.0
    for _ in range(n):
        # rows of the free joints: (H + λ) d = −g − H d_fixed; of the others: d = d_fixed
        for i in range(n):
            if fixed[i] < 0.5:
                value = -g[i]
                for j in range(n):
                    if fixed[j] > 0.5:
                        value -= H[i, j] * s.move[j]
                s.move[i] = value
        for i in range(n):
            for j in range(i):
                s.factors[0, i, j] = 0.0 if fixed[i] > 0.5 or fixed[j] > 0.5 else H[i, j]
            s.factors[0, i, i] = 1.0 if fixed[i] > 0.5 else H[i, i] + damping
        if solve_into(s.factors, s.move.reshape(1, n)) >= 0:
            return False
        is_done = True
        for i in range(n):
            unit = 1.0 if arm.turning[i] > 0.5 else arm.length
            value = q[i] + unit * s.move[i]
            if fixed[i] < 0.5 and not (value >= lower[i] and value <= upper[i]):
                s.move[i] = ((lower[i] if value < lower[i] else upper[i]) - q[i]) / unit
                fixed[i], is_done = 1.0, False
        if is_done:
            break
    return True


@kernel
def descend(
    arm: NewtonChain, target: Floats, task: SearchTask, square: float, steps: int, s: Workspace, q: Floats
) -> float:
    """Move `q` (n,) to a local minimum of F for W² = `square` inside the limits; return F there."""
    n = q.shape[0]
    damping = DAMPING
    best, _, _ = value_at(arm, target, task, square, s, q)
    is_new = True
    for _ in range(steps):
        if is_new:
            slopes_into(arm, target, task, square, s)
            fold_into(arm, s)
        is_new = False
        is_usable = newton_move(arm, damping, s, q)
        while not is_usable and damping < MOST_DAMPING * (1.0 + square):
            damping *= HARDER
            is_usable = newton_move(arm, damping, s, q)
        if not is_usable:
            break
        largest = 0.0
        for i in range(n):
            unit = 1.0 if arm.turning[i] > 0.5 else arm.length
            largest = max(largest, abs(s.move[i]))
            s.trial[i] = min(max(q[i] + unit * s.move[i], arm.lower[i]), arm.upper[i])
        value, _, _ = value_at(arm, target, task, square, s, s.trial)
        if value < best:
            gain = best - value
            best, damping, is_new = value, max(damping * EASIER, LEAST_DAMPING), True
            copy_into(s.trial, q)
            if gain < SETTLED and gain <= SETTLED_SHARE * best:
                break
        else:
            damping *= HARDER
            if damping > MOST_DAMPING * (1.0 + square) or largest < SMALLEST_MOVE:
                break
    return best
