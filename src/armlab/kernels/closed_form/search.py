"""Search where no formula ends: the last Newton steps of a closed form.

They are the damped least-squares iteration (Levenberg 1944, Marquardt 1963) in joint space; see
armlab.kernels.chain for the form of a chain. Kernels do not raise; every loop has a cap.
"""

from __future__ import annotations

import math

from armlab.arrays import Floats
from armlab.kernels.chain import fk_into, jacobian_into
from armlab.kernels.jit import kernel
from armlab.kernels.rotation import quaternion

WORK_SIZE = 200
"""Length of the workspace of `descend_into` for up to 7 joints."""
# places in it: error (6) with room for a rotation matrix (9), the same of a trial, pose, J, JᵀJ, step, trial joints
_ERROR, _TRIAL_ERROR, _POSE, _JACOBIAN, _SQUARE, _STEP, _TRIAL = 0, 15, 30, 46, 90, 140, 150
_ERROR_SIZE, _POSE_SIZE, _SQUARE_SIZE, _STEP_SIZE = 15, 16, 49, 7
LEAST_DAMPING, MOST_DAMPING = 1e-15, 1e6


@kernel
def pose_error_into(constants: Floats, T: Floats, q: Floats, pose: Floats, e: Floats) -> float:
    """Write the pose error of the arm at `q` against `T`: metres, then rotation vector; return the larger norm.

    Returns infinity for joint values that are no numbers.
    """
    if not fk_into(constants, q, pose):
        return math.inf
    for i in range(3):
        e[i] = T[i, 3] - pose[i, 3]
    m = e[6:15]  # T_rotation · pose_rotationᵀ: the turn that is left, whose rotation vector is the error
    for i in range(3):
        for j in range(3):
            m[3 * i + j] = T[i, 0] * pose[j, 0] + T[i, 1] * pose[j, 1] + T[i, 2] * pose[j, 2]
    # logarithm of SO(3): angle = 2 atan2(|v|, w), along v
    w, x, y, z = quaternion(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
    sine = math.sqrt(x * x + y * y + z * z)
    angle = 2.0 * math.atan2(sine, w)
    scale = angle / sine if sine > 1e-300 else 2.0
    e[3], e[4], e[5] = scale * x, scale * y, scale * z
    away = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    return max(away, angle)


@kernel
def damped_step(J: Floats, e: Floats, count: int, damping: float, A: Floats, step: Floats) -> None:
    """Solve (JᵀJ + damping) step = Jᵀe for the first `count` columns of J by Cholesky's method."""
    # lower triangle of A = JᵀJ + λI, and Jᵀe
    for i in range(count):
        for j in range(i + 1):
            value = 0.0
            for k in range(6):
                value += J[k, i] * J[k, j]
            A[i, j] = value
        A[i, i] += damping
        value = 0.0
        for k in range(6):
            value += J[k, i] * e[k]
        step[i] = value
    # A = L Lᵀ; L y = Jᵀe goes along
    for i in range(count):
        for j in range(i + 1):
            value = A[i, j]
            for k in range(j):
                value -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(max(value, 1e-300)) if i == j else value / A[j, j]
        for k in range(i):
            step[i] -= A[i, k] * step[k]
        step[i] /= A[i, i]
    # Lᵀ step = y
    for back in range(count):
        i = count - 1 - back
        for k in range(i + 1, count):
            step[i] -= A[k, i] * step[k]
        step[i] /= A[i, i]


@kernel
def descend_into(
    constants: Floats,
    T: Floats,
    q: Floats,
    count: int,
    damping: float,
    steps: int,
    tolerance: float,
    work: Floats,
) -> float:
    """Move the first `count` joints of `q` (n,) until the arm is within `tolerance` of `T`, or no step helps.

    Returns the error (m, rad: the larger). Stops early where the error falls too slowly to get there. `work` has
    WORK_SIZE numbers.
    """
    n = q.shape[0]
    e, trial_e = work[_ERROR : _ERROR + _ERROR_SIZE], work[_TRIAL_ERROR : _TRIAL_ERROR + _ERROR_SIZE]
    pose = work[_POSE : _POSE + _POSE_SIZE].reshape(4, 4)
    J = work[_JACOBIAN : _JACOBIAN + 6 * n].reshape(6, n)
    A = work[_SQUARE : _SQUARE + _SQUARE_SIZE].reshape(7, 7)
    step, trial = work[_STEP : _STEP + _STEP_SIZE], work[_TRIAL : _TRIAL + n]
    error = pose_error_into(constants, T, q, pose, e)
    for _ in range(steps):
        if not error > tolerance:
            break
        jacobian_into(constants, q, J)
        improved = False
        # raise λ tenfold until the step helps; then lower it tenfold for the next one
        for _ in range(8):
            damped_step(J, e, count, damping, A, step)
            for i in range(n):
                trial[i] = q[i] + (step[i] if i < count else 0.0)
            trial_error = pose_error_into(constants, T, trial, pose, trial_e)
            if trial_error < error:
                improved = True
                break
            damping = min(max(10.0 * damping, 1e-12), MOST_DAMPING)
        if not improved:
            break
        damping = max(0.1 * damping, LEAST_DAMPING)
        error = trial_error
        for i in range(n):
            q[i] = trial[i]
        for k in range(6):
            e[k] = trial_e[k]
    return error


@kernel
def polish_into(constants: Floats, T: Floats, q: Floats, count: int, tolerance: float, work: Floats) -> float:
    """Take the last few Newton steps where a closed form was not exact enough; return the error that is left."""
    return descend_into(constants, T, q, count, 1e-14, 8, tolerance, work)
