"""Bodies that can exist: masses above zero and inertias of a real distribution of mass, nearest to what was identified.

A body is possible exactly if its pseudo-inertia P (4 × 4: second moments, mass times centre, mass) is positive definite
(Wensing, Kim and Slotine 2018). With P = U Uᵀ, U upper triangular and its diagonal written as exponentials (Rucker and
Wensing 2022, log-Cholesky), every vector of ten numbers is a possible body, so that an ordinary search finds one.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from armlab.arrays import Floats
from armlab.calibration.identification.base import BaseParameters
from armlab.kernels.regressor import BODY, DRIVE

SIZE = 0.01
"""m: a body that is a point gets second moments of so much around it, and SHARE of the arm's mass at least."""
SHARE = 1e-3
WIDTHS = np.array([0.5, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05])
"""How far each of a body's ten numbers is expected from the nominal: logarithms, then lengths (m). The torques know far
better wherever they know anything."""
MOST_EVALUATIONS = 200


def possible_parameters(base: BaseParameters, values: Floats, covariance: Floats, nominal: Floats) -> Floats:
    """Return parameters (13 n,) of bodies that can exist, whose combinations are as near to `values` as they can be.

    Args:
        base: which combinations the values are of.
        values: (b,), identified.
        covariance: (b, b), of them.
        nominal: (10 n,), the bodies as drawn; decides what no torque shows.
    """
    n = len(base.parameters) // (BODY + DRIVE)
    spread, directions = np.linalg.eigh(covariance)
    sharp = np.maximum(spread, 1e-12 * spread.max() + 1e-300) ** -0.5
    whiten = sharp[:, None] * directions.T
    A, b = whiten @ base.combination, whiten @ values
    start = _numbers_of(_made_possible(nominal.reshape(n, BODY)))
    widths = np.tile(WIDTHS, n)

    def residuals(x: Floats) -> Floats:
        parameters = np.concatenate([bodies_of(x[: BODY * n].reshape(n, BODY)).ravel(), x[BODY * n :]])
        return np.concatenate([A @ parameters - b, (x[: BODY * n] - start.ravel()) / widths])

    def slopes(x: Floats) -> Floats:
        # torques know bodies through A alone, and each body has numbers of its own: blocks of A times its derivatives
        per_body = A[:, : BODY * n].reshape(-1, n, BODY).transpose(1, 0, 2) @ body_slopes(
            x[: BODY * n].reshape(n, BODY)
        )
        of_bodies = per_body.transpose(1, 0, 2).reshape(-1, BODY * n)
        return np.block([[of_bodies, A[:, BODY * n :]], [np.diag(1.0 / widths), np.zeros((BODY * n, DRIVE * n))]])

    drives = np.full(DRIVE * n, 1e-3)
    lower = np.concatenate([np.full(BODY * n, -np.inf), np.zeros(DRIVE * n)])
    with np.errstate(over="ignore", invalid="ignore"):  # a trial step too far costs infinitely much, and is taken back
        found = least_squares(
            residuals,
            np.concatenate([start.ravel(), drives]),
            slopes,
            bounds=(lower, np.inf),
            x_scale="jac",
            max_nfev=MOST_EVALUATIONS,
        )
    return np.concatenate([bodies_of(found.x[: BODY * n].reshape(n, BODY)).ravel(), found.x[BODY * n :]])


def bodies_of(numbers: Floats) -> Floats:
    """Return `BODY_PARAMETERS` (k, 10) of bodies given by their log-Cholesky numbers (k, 10)."""
    U = _factors(numbers)
    return _bodies_of_inertias(np.exp(2.0 * numbers[:, 0])[:, None, None] * U @ U.transpose(0, 2, 1))


def body_slopes(numbers: Floats) -> Floats:
    """Return the derivatives (k, 10, 10) of `bodies_of`: column j is the one by the j-th number."""
    U = _factors(numbers)
    # dP = e²ᵃ (dU Uᵀ + U dUᵀ); one entry of U changes with each number but the first: row[j], column[j]
    row, column = np.array([0, 1, 2, 0, 0, 1, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 2, 3, 3, 3])
    dU = np.zeros((len(numbers), 9, 4, 4))
    dU[:, np.arange(9), row, column] = 1.0
    dU[:, :3] *= np.exp(numbers[:, 1:4])[:, :, None, None]
    half = dU @ U.transpose(0, 2, 1)[:, None]
    by_a = 2.0 * (U @ U.transpose(0, 2, 1))[:, None]
    dP = np.concatenate([by_a, half + half.swapaxes(2, 3)], axis=1) * np.exp(2.0 * numbers[:, 0])[:, None, None, None]
    return _bodies_of_inertias(dP).swapaxes(1, 2)


def _factors(numbers: Floats) -> Floats:
    """Return U (k, 4, 4) of log-Cholesky numbers (k, 10); the first of them, the size, is not in it."""
    _a, d1, d2, d3, s12, s13, s23, t1, t2, t3 = numbers.T
    U = np.zeros((len(numbers), 4, 4))
    U[:, 0, 0], U[:, 1, 1], U[:, 2, 2], U[:, 3, 3] = np.exp(d1), np.exp(d2), np.exp(d3), 1.0
    U[:, 0, 1], U[:, 0, 2], U[:, 1, 2] = s12, s13, s23
    U[:, 0, 3], U[:, 1, 3], U[:, 2, 3] = t1, t2, t3
    return U


def _bodies_of_inertias(P: Floats) -> Floats:
    """Return `BODY_PARAMETERS` (…, 10) of pseudo-inertias (…, 4, 4), in which they are linear."""
    xx, yy, zz = P[..., 0, 0], P[..., 1, 1], P[..., 2, 2]
    inertia = (yy + zz, -P[..., 0, 1], -P[..., 0, 2], xx + zz, -P[..., 1, 2], xx + yy)
    return np.stack([P[..., 3, 3], P[..., 0, 3], P[..., 1, 3], P[..., 2, 3], *inertia], axis=-1)


def pseudo_inertias(bodies: Floats) -> Floats:
    """Return the pseudo-inertias (k, 4, 4) of `BODY_PARAMETERS` (k, 10)."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = bodies.T
    half = (xx + yy + zz) / 2.0
    rows = [[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]]
    return np.array(rows).transpose(2, 0, 1)


def _made_possible(bodies: Floats) -> Floats:
    """Return bodies with some mass and some size."""
    least = SHARE * max(float(bodies[:, 0].sum()), 1.0)
    P = pseudo_inertias(bodies)
    P[:, 3, 3] = np.maximum(P[:, 3, 3], least)
    centre = P[:, :3, 3] / P[:, 3, 3, None]
    about = P[:, :3, :3] - P[:, 3, 3, None, None] * centre[:, :, None] * centre[:, None, :]
    values, vectors = np.linalg.eigh(about)
    values = np.maximum(values, P[:, 3, 3, None] * SIZE**2)
    about = (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1)
    P[:, :3, :3] = about + P[:, 3, 3, None, None] * centre[:, :, None] * centre[:, None, :]
    return P


def _numbers_of(P: Floats) -> Floats:
    """Return the log-Cholesky numbers (k, 10) of pseudo-inertias (k, 4, 4)."""
    flipped = np.linalg.cholesky(P[:, ::-1, ::-1])
    U = flipped[:, ::-1, ::-1]
    size = U[:, 3, 3]
    U = U / size[:, None, None]
    diagonal = np.log(np.stack([U[:, 0, 0], U[:, 1, 1], U[:, 2, 2]], axis=1))
    rest = np.stack([U[:, 0, 1], U[:, 0, 2], U[:, 1, 2], U[:, 0, 3], U[:, 1, 3], U[:, 2, 3]], axis=1)
    return np.column_stack([np.log(size), diagonal, rest])
