"""Weighted least squares over joints whose torques are measured with different noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.forces import GRAVITY
from armlab.dynamics.regressor import torque_regressor
from armlab.model.robot import Robot

SWEEPS = 3
"""How often the weights are renewed from the residuals."""
SLOW = 0.01
"""Share of its top speed below which a joint's direction, and so its friction, is not certain."""
ROWS_AT_ONCE = 20_000
DEAD, UNFELT = 1e-10, 1e-12
"""Singular values below the first share of the largest are zero; columns shorter than the second of the longest too."""


@dataclass(frozen=True, slots=True, eq=False)
class TorqueFit:
    """Values (p,) with their covariance, and what each joint's torque leaves over."""

    values: Floats
    covariance: Floats
    noise: Floats
    """(n,): standard deviation of the residuals, N m or N."""
    explained: Floats
    """(n,): share of the torque's variance that the model explains."""
    rows: int
    """How many equations were used."""
    condition: float
    """Condition number of the weighted equations, their columns being of length one."""
    dependent: tuple[int, ...]
    """Columns that the motion does not tell apart from others."""

    @property
    def sigma(self) -> Floats:
        """Standard deviations of the values."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


class Equations:
    """The equations A x = b of each joint, kept as their triangular factors: any number of rows, little memory."""

    def __init__(self, joints: int, unknowns: int) -> None:
        self._factors: list[Floats] = [np.zeros((0, unknowns + 1)) for _joint in range(joints)]
        self._counts = np.zeros(joints, dtype=np.int64)
        self._sums, self._squares = np.zeros(joints), np.zeros(joints)
        self._unknowns = unknowns

    def add(self, A: Floats, b: Floats, used: Floats) -> None:
        """Add rows: A (m, n, p), b (m, n), and which of them are used (m, n)."""
        for i in range(A.shape[1]):
            rows = used[:, i] > 0.0
            block = np.column_stack([A[rows, i], b[rows, i]])
            self._factors[i] = np.asarray(np.linalg.qr(np.vstack([self._factors[i], block]), mode="r"))
            self._counts[i] += int(rows.sum())
            self._sums[i] += b[rows, i].sum()
            self._squares[i] += (b[rows, i] ** 2).sum()

    def solve(self) -> TorqueFit:
        """Return the solution whose weights fit the noise of each joint."""
        p = self._unknowns
        counts = np.maximum(self._counts, 1)
        spread = np.sqrt(np.maximum(self._squares / counts - (self._sums / counts) ** 2, 0.0))
        noise = np.where(spread > 0.0, spread, 1.0)
        x = np.zeros(p)
        for _sweep in range(SWEEPS):
            whole = np.vstack([factor / noise[i] for i, factor in enumerate(self._factors)])
            A, b = whole[:, :p], whole[:, p]
            lengths = np.linalg.norm(A, axis=0)
            unfelt = lengths <= UNFELT * lengths.max()
            scale = np.where(unfelt, 1.0, lengths)
            U, s, Vt = np.linalg.svd(np.where(unfelt, 0.0, A / scale), full_matrices=False)
            kept = s > DEAD * s[0]
            x = Vt[kept].T @ ((U[:, kept].T @ b) / s[kept]) / scale
            left = [np.linalg.norm(factor[:, :p] @ x - factor[:, p]) for factor in self._factors]
            shares = p * counts / counts.sum()  # the unknowns that each joint's rows pay for
            noise = np.maximum(np.array(left) / np.sqrt(np.maximum(counts - shares, 1.0)), 1e-9 * (spread + 1e-12))
        inverse = (Vt[kept].T / s[kept] ** 2) @ Vt[kept] / np.outer(scale, scale)
        blind = (Vt[~kept] ** 2).sum(axis=0) > 1e-6
        explained = 1.0 - (noise / np.where(spread > 0.0, spread, np.inf)) ** 2
        condition = float(s[0] / s[-1]) if s[-1] > 0.0 else float("inf")
        dependent = tuple(int(k) for k in np.flatnonzero(blind | unfelt))
        return TorqueFit(x, inverse, noise, explained, int(counts.sum()), condition, dependent)


def regressor_blocks(
    robot: Robot, q: Floats, qd: Floats, qdd: Floats, gravity: tuple[float, float, float] = GRAVITY
) -> list[tuple[slice, Floats]]:
    """Return the regressor in blocks of rows: which rows, and Y (m, n, 13 n)."""
    found = []
    for first in range(0, len(q), ROWS_AT_ONCE):
        rows = slice(first, min(first + ROWS_AT_ONCE, len(q)))
        found.append((rows, torque_regressor(robot, q[rows], qd[rows], qdd[rows], gravity=gravity)))
    return found


def moving(qd: Floats) -> Floats:
    """Return (m, n) 1 where a joint moves fast enough for its friction to have a direction; 1 where it never does."""
    fastest = np.abs(qd).max(axis=0)
    return np.asarray(((np.abs(qd) > SLOW * fastest) | (fastest == 0.0)).astype(np.float64))
