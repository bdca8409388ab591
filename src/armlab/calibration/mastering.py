"""Which of equivalent explanations of measurements is told: zeros of joints (mastering) before the places of axes.

A turn of a joint's zero moves all that comes after it, so that axes and tool further out could explain it as well: a
zero of A2 is a shift of A3 and a turn of the tool. Lines alone are minimal (see parameters.py), and the same arms are
described if each zero takes the place of the one parameter that it is most like.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.least_squares import UNSEEN as SEEN
from armlab.calibration.least_squares import CalibrationProblem
from armlab.calibration.parameters import ErrorParameter, offset_parameters

ALIKE = 1e-6
"""Share of a zero's effect that other parameters may leave over."""
UNSEEN = 1e-9
"""Share of the largest singular value: what is below it is rounding."""
ROUNDS, SETTLED = 8, 1e-6
"""Of Gauss-Newton; a step, as a share of typical errors."""


def zeros_first(problem: CalibrationProblem) -> tuple[ErrorParameter, ...]:
    """Return the parameters of a problem, each joint's zero in place of the shift, tilt or turn that it is most like.

    As many parameters are returned, and they describe the same arms; a zero that moves nothing is left out.
    """
    zeros = offset_parameters(problem.robot)
    parameters = problem.parameters
    both = CalibrationProblem(problem.robot, problem.measured, (*parameters, *zeros), problem.start, problem.loads)
    p = len(parameters)
    _residuals, J = both.at(both.x0)
    J = J * both.scale
    lines = np.array([k for k, each in enumerate(parameters) if each.place in {"frame", "tool"}])
    effects = J[:, p : p + len(zeros)]
    # J_zero = J_lines a: what the zeros are made of, in typical sizes
    a = np.zeros((p, len(zeros)))
    a[lines] = np.linalg.lstsq(J[:, lines], effects, rcond=UNSEEN)[0]
    left = np.linalg.norm(effects - J[:, :p] @ a, axis=0)
    found: list[ErrorParameter | None] = list(parameters)
    is_tool = np.array([each.place == "tool" for each in parameters])
    for i, zero in enumerate(zeros):
        if left[i] > ALIKE * np.linalg.norm(effects[:, i]) or np.abs(a[:, i]).max() < ALIKE:
            continue
        size = np.abs(a[:, i])
        best = int(np.argmax(np.where(is_tool, 0.0, size)))
        if size[best] < ALIKE * size.max() or size[best] < ALIKE:  # the last joint: only the tool comes after it
            best = int(np.argmax(size))
        found[best] = None
        # the parameter that is gone is taken out of what the other zeros are made of: Gauss-Jordan, one column each
        pivot = a[:, i] / a[best, i]
        for j in range(i + 1, len(zeros)):
            a[:, j] -= pivot * a[best, j]
            a[best, j] = 0.0
        found.append(zero)
    left = [each for each in found if each is not None]
    return tuple(sorted(left, key=lambda each: each.place != "offset"))


def carried_over(problem: CalibrationProblem, x: Floats, other: CalibrationProblem, sigma: Floats) -> Floats:
    """Return x of the `other` problem for the same arm as `x` of this one, in what the data see: by Gauss-Newton."""
    target, found = problem.residuals(x), other.x0
    for _round in range(ROUNDS):
        residuals, J = other.at(found)
        U, S, Vt = np.linalg.svd(J * other.scale / sigma[:, None], full_matrices=False)
        seen = max(SEEN, UNSEEN * S[0]) < S
        step = Vt[seen].T @ ((U[:, seen].T @ ((target - residuals) / sigma)) / S[seen])
        found = found + other.scale * step
        if np.abs(step).max() < SETTLED:
            break
    return np.asarray(found)
