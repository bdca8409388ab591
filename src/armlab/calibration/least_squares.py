"""The least-squares problem of a calibration: residuals, their analytic Jacobian, and a fit within what can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from armlab.arrays import Floats
from armlab.calibration.error_chain import ChainPoses, ErrorValues, chain_poses, joint_values
from armlab.calibration.loads import GravityLoads, gravity_loads
from armlab.calibration.measurements import AnyMeasurements
from armlab.calibration.parameters import ErrorParameter, tool_jacobian, with_parameters
from armlab.dynamics.forces import GRAVITY
from armlab.model.robot import Robot

UNSEEN = 0.01
"""A direction in which an error of typical size changes all data together by less than this share of the noise."""
UNKNOWN_SCALE = 0.01
"""m: typical error of the first guess of a plane, centre or point."""
ROBUST = 3.0
"""Residuals beyond so many standard deviations count less and less in the robust fit."""
LEAST_FREEDOM = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class ProblemRows:
    """What the N rows of the problem are."""

    is_length: NDArray[np.bool_]
    measurement: NDArray[np.int64]
    """The measurement (configuration) that each row belongs to, counted over all kinds."""
    noise: Floats
    """Stated standard deviations; NaN where they are to be estimated."""


class CalibrationProblem:
    """Measurements of one arm, and the parameters that should explain them; x are these, then what is unknown."""

    def __init__(
        self,
        robot: Robot,
        measured: Sequence[AnyMeasurements],
        parameters: Sequence[ErrorParameter],
        start: ErrorValues,
        loads: GravityLoads,
    ) -> None:
        self.robot, self.measured, self.parameters, self.start = robot, tuple(measured), tuple(parameters), start
        self.q = np.concatenate([each.q for each in measured])
        self.loads = loads
        counts = [len(each.q) for each in measured]
        ends = np.cumsum(counts)
        self._slices = [slice(int(end - count), int(end)) for end, count in zip(ends, counts, strict=True)]
        nominal = self._chain(start).tool
        self.guesses = [each.unknowns(nominal[part]) for each, part in zip(measured, self._slices, strict=True)]
        self.unknown_count = sum(map(len, self.guesses))
        self.x0 = np.concatenate([np.zeros(len(self.parameters)), *self.guesses])
        self.scale = np.array([each.scale for each in parameters] + [UNKNOWN_SCALE] * self.unknown_count)
        self.rows = self._rows()

    def values(self, x: Floats) -> ErrorValues:
        """Return the errors of the arm that `x` stands for."""
        return with_parameters(self.start, self.parameters, x[: len(self.parameters)])

    def tools(self, x: Floats) -> Floats:
        """Return where the tools are, (m, 4, 4)."""
        return self._chain(self.values(x)).tool

    def at(self, x: Floats) -> tuple[Floats, Floats]:
        """Return residuals (N,) and their Jacobian (N, p + u)."""
        p = len(self.parameters)
        values = self.values(x)
        poses = self._chain(values)
        J_tool = tool_jacobian(self.robot, self.parameters, values, poses, self.q, self.loads)
        residuals, blocks, at = [], [], p
        for each, part, guess in zip(self.measured, self._slices, self.guesses, strict=True):
            u = len(guess)
            found = each.residuals(poses.tool[part], x[at : at + u])
            m, k = found.values.shape
            block = np.zeros((m * k, p + self.unknown_count))
            block[:, :p] = (found.by_tool @ J_tool[part]).reshape(m * k, p)
            block[:, at : at + u] = found.by_unknowns.reshape(m * k, u)
            residuals.append(found.values.ravel())
            blocks.append(block)
            at += u
        return np.concatenate(residuals), np.concatenate(blocks)

    def residuals(self, x: Floats) -> Floats:
        """Return the residuals alone, (N,)."""
        tools, at, out = self.tools(x), len(self.parameters), []
        for each, part, guess in zip(self.measured, self._slices, self.guesses, strict=True):
            out.append(each.residuals(tools[part], x[at : at + len(guess)]).values.ravel())
            at += len(guess)
        return np.concatenate(out)

    def _chain(self, values: ErrorValues) -> ChainPoses:
        return chain_poses(self.robot, values, joint_values(values, self.q, self.loads), self.loads.across)

    def _rows(self) -> ProblemRows:
        lengths, owners, noise = [], [], []
        for each, part in zip(self.measured, self._slices, strict=True):
            m, k = part.stop - part.start, len(each.kinds)
            lengths.append(np.tile(each.kinds, m))
            owners.append(np.repeat(np.arange(part.start, part.stop), k))
            stated = [each.noise if is_length else getattr(each, "rotation_noise", None) for is_length in each.kinds]
            noise.append(np.tile([np.nan if value is None else value for value in stated], m))
        return ProblemRows(np.concatenate(lengths), np.concatenate(owners), np.concatenate(noise))


def weight_on(robot: Robot, q: Floats) -> GravityLoads:
    """Return what the weight of the arm and its declared tool does to each joint at `q` (m, n)."""
    return gravity_loads(robot, robot.tool.inertia, q, np.array(GRAVITY))


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationFit:
    """The solution of a problem for given weights."""

    x: Floats
    residuals: Floats
    """(N,), m and rad."""
    directions: Floats
    """(p + u, r): what can be seen, orthonormal in scaled parameters."""
    singular: Floats
    """(p + u,): singular values of the scaled, weighted Jacobian, largest first; in units of 1/σ."""
    leverage: Floats
    """(N,): how much of each row the fit can follow, 0 … 1; zero for rows that were left out."""
    covariance: Floats
    """(p + u, p + u) of x, for the noise of the weights."""

    @property
    def rank(self) -> int:
        """How many directions can be seen."""
        return int(self.directions.shape[1])


def fit(
    problem: CalibrationProblem, sigma: Floats, kept: NDArray[np.bool_], x: Floats, *, loss: str = "linear"
) -> CalibrationFit:
    """Return the solution from `x` on, for rows with standard deviations `sigma` (N,) of which `kept` count.

    Only directions that the data can see are moved along, so that the problem always has one solution.
    """
    scale = problem.scale
    weights = (1.0 / sigma)[kept]

    def weighted(at: Floats) -> tuple[Floats, Floats]:
        residuals, J = problem.at(at)
        return residuals[kept] * weights, J[kept] * weights[:, None] * scale

    r0, J0 = weighted(x)
    U, S, Vt = np.linalg.svd(J0, full_matrices=False)
    seen = UNSEEN < S
    basis = Vt[seen].T / S[seen]  # the Jacobian of r with respect to y is U at first: as well scaled as can be
    size = float(np.linalg.norm(U[:, seen].T @ r0)) + 1.0

    def at(y: Floats) -> Floats:
        return np.asarray(x + scale * (basis @ (size * y)))

    solved = least_squares(
        lambda y: problem.residuals(at(y))[kept] * weights,
        np.zeros(basis.shape[1]),
        jac=lambda y: weighted(at(y))[1] @ basis * size,
        loss=loss,
        f_scale=ROBUST,
        xtol=1e-9,
        ftol=1e-10,
        gtol=1e-10,
        max_nfev=40,
    )
    found = at(solved.x)
    residuals, J = problem.at(found)
    U, S, Vt = np.linalg.svd(J[kept] * weights[:, None] * scale, full_matrices=False)
    seen = UNSEEN < S
    V = Vt[seen].T
    leverage = np.zeros(len(residuals))
    leverage[kept] = (U[:, seen] ** 2).sum(axis=1)
    half = scale[:, None] * V / S[seen]
    singular = np.zeros(len(scale))
    singular[: len(S)] = S
    return CalibrationFit(found, residuals, V, singular, leverage, half @ half.T)


def estimated_noise(
    problem: CalibrationProblem, solution: CalibrationFit, kept: NDArray[np.bool_], sigma: Floats, *, robust: bool
) -> Floats:
    """Return the standard deviation of each row (N,): as stated or, for lengths and angles apart, from residuals."""
    rows, out = problem.rows, sigma.copy()
    for is_length in (True, False):
        group = kept & (rows.is_length == is_length) & np.isnan(rows.noise)
        if not group.any():
            continue
        values, freedom = solution.residuals[group], float((1.0 - solution.leverage[group]).sum())
        freedom = max(freedom, LEAST_FREEDOM * group.sum())
        if robust:
            spread = 1.4826 * float(np.median(np.abs(values))) * np.sqrt(group.sum() / freedom)
        else:
            spread = float(np.sqrt((values**2).sum() / freedom))
        out[(rows.is_length == is_length) & np.isnan(rows.noise)] = max(spread, 1e-9)
    return out
