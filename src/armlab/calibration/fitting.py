"""Calibration: measurements of an arm → its parameters, with what is known about them and what is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from armlab.arrays import Floats
from armlab.calibration.arm import FrameError, RealArm, RealJoint
from armlab.calibration.checks import check_measurements
from armlab.calibration.error_chain import ErrorValues
from armlab.calibration.least_squares import CalibrationFit, CalibrationProblem, estimated_noise, fit, weight_on
from armlab.calibration.mastering import carried_over, zeros_first
from armlab.calibration.measurements import POSITION_NOISE, ROTATION_NOISE, AnyMeasurements
from armlab.calibration.parameters import ErrorParameter, Model, Unit, parameters_of
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.threads import one_blas_thread

OUTLIER = 5.0
"""Standard deviations: a measurement further off is left out."""
MOST_OUTLIERS = 0.25
"""Share of measurements; where more seem wrong, the model is, not they."""
ROUNDS = 4
UNSEEN_SHARE = 0.5
"""A parameter is not identifiable if what the data cannot see of it, at its typical size, exceeds this many σ."""
CONFIDENCE = 0.95
STIFF = 1e-12
"""rad per N m, or m per N: what gives less is rigid."""


class FoundParameter(NamedTuple):
    """One parameter of the arm (SI) with what is known about it."""

    name: str
    value: float
    sigma: float
    """Standard deviation; infinite where it cannot be found from these measurements."""
    lower: float
    """The 95 % bounds."""
    upper: float
    identifiable: bool
    unit: Unit


class ErrorStatistics(NamedTuple):
    """Errors of measurements, m."""

    mean: float
    max: float
    rms: float


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """What measurements say about an arm."""

    real: RealArm
    """The arm as it is; `real_fk` says where its tool is."""
    model: Model
    parameters: tuple[FoundParameter, ...]
    correlation: Floats
    """(p, p) between parameters; zero where one of them cannot be found."""
    covariance: Floats
    """(p, p) in SI."""
    singular_values: Floats
    """Of the scaled Jacobian, largest first; below 0.01 nothing is seen."""
    before: ErrorStatistics
    after: ErrorStatistics
    errors_before: Floats
    """(m,) m, for each measurement: the arm as drawn."""
    errors_after: Floats
    outliers: tuple[int, ...]
    """Measurements that were left out."""
    position_noise: float
    """Standard deviation of a measured length (m), stated or estimated."""
    rotation_noise: float | None
    freedom: int
    """Rows minus identifiable directions."""
    unknowns: tuple[Floats, ...]
    """What each kind of measurement did not know: plane, centre, anchor or point."""
    problem: CalibrationProblem
    solution: CalibrationFit

    @property
    def rank(self) -> int:
        """How many directions of the parameters the measurements see."""
        return self.solution.rank

    def parameter(self, name: str) -> FoundParameter:
        """Return a parameter by its name."""
        return next(each for each in self.parameters if each.name == name)


def calibrate(
    robot: Robot,
    measured: AnyMeasurements | Sequence[AnyMeasurements],
    *,
    model: Model = "full",
    base: Floats | None = None,
) -> Calibration:
    """Return the arm that explains the measurements best, by robust nonlinear least squares.

    Args:
        robot: the arm as drawn, with the tool that was measured.
        measured: one kind of measurement, or several of the same arm.
        model: which errors are looked for; see `armlab.calibration.parameters.Model`.
        base: where the arm stands in the frame of the measurements, (4, 4), if not at `robot.base`; see `align`.

    Raises:
        InvalidInput: if there are too few measurements, they are all alike, or no arm near the drawn one explains them.
    """
    kinds = (measured,) if not isinstance(measured, Sequence) else tuple(measured)
    placed = robot if base is None else robot.with_base(base)
    check_measurements(placed, kinds, model)
    q = np.concatenate([each.q for each in kinds])
    loads = weight_on(robot, q)  # down is down for the arm as it stands, whatever frame it was measured in
    problem = CalibrationProblem(
        placed,
        kinds,
        parameters_of(placed, model, loads),
        ErrorValues.none(placed.dof),
        loads,
    )
    with one_blas_thread():
        solution, kept, sigma = _solved(problem)
        if model != "offsets":
            lines, problem = problem, CalibrationProblem(placed, kinds, zeros_first(problem), problem.start, loads)
            solution = fit(problem, sigma, kept, carried_over(lines, solution.x, problem, sigma))
        physical = _physical(problem, solution, kept, sigma)
        return _result(robot, problem, model, solution, physical, kept, sigma)


def choose_model(
    robot: Robot, measured: AnyMeasurements | Sequence[AnyMeasurements], *, base: Floats | None = None
) -> Calibration:
    """Return the calibration with the model that the data speak for: that of the least AICc.

    Raises:
        InvalidInput: as `calibrate`, if not even the smallest model can be fitted.
    """
    found: list[Calibration] = []
    for model in get_args(Model):
        try:
            found.append(calibrate(robot, measured, model=model, base=base))
        except InvalidInput:
            if not found:
                raise
    return min(found, key=_criterion)


def _criterion(calibration: Calibration) -> float:
    """Return AICc: Σ N ln(rss / N) over lengths and angles + 2k + 2k(k + 1)/(N − k − 1); outliers count capped."""
    rows, residuals = calibration.problem.rows, calibration.solution.residuals
    total, k = 0.0, calibration.rank
    for is_length in (True, False):
        values = np.abs(residuals[rows.is_length == is_length])
        if len(values):
            capped = np.minimum(values, OUTLIER * max(float(np.median(values)) * 1.4826, 1e-12))
            total += len(values) * math.log(float((capped**2).mean()) + 1e-30)
    room = len(residuals) - k - 1
    return math.inf if room <= 0 else total + 2.0 * k + 2.0 * k * (k + 1) / room


def _solved(problem: CalibrationProblem) -> tuple[CalibrationFit, NDArray[np.bool_], Floats]:
    """Fit robustly, then without what does not belong, and with the noise that the residuals show."""
    rows = problem.rows
    sigma = np.where(np.isnan(rows.noise), np.where(rows.is_length, POSITION_NOISE, ROTATION_NOISE), rows.noise)
    kept = np.ones(len(sigma), dtype=np.bool_)
    solution = fit(problem, sigma, kept, problem.x0, loss="soft_l1")
    sigma = estimated_noise(problem, solution, kept, sigma, robust=True)
    for _round in range(ROUNDS):
        kept = _believed(problem, solution, sigma)
        solution = fit(problem, sigma, kept, solution.x)
        better = estimated_noise(problem, solution, kept, sigma, robust=False)
        settled = np.abs(better / sigma - 1.0).max() < 0.02 and (_believed(problem, solution, better) == kept).all()
        sigma = better
        if settled:
            break
    return fit(problem, sigma, kept, solution.x), kept, sigma


def _believed(problem: CalibrationProblem, solution: CalibrationFit, sigma: Floats) -> NDArray[np.bool_]:
    """Return which rows belong to measurements that are no outliers."""
    free = np.sqrt(np.maximum(1.0 - solution.leverage, 0.05))
    off = np.abs(solution.residuals) / (sigma * free)
    owners = problem.rows.measurement
    worst = np.zeros(int(owners.max()) + 1)
    np.maximum.at(worst, owners, off)
    wrong = worst > OUTLIER
    if wrong.mean() > MOST_OUTLIERS:
        wrong &= worst >= np.quantile(worst, 1.0 - MOST_OUTLIERS)
    return np.asarray(~wrong[owners])


def _physical(problem: CalibrationProblem, solution: CalibrationFit, kept: NDArray[np.bool_], sigma: Floats) -> Floats:
    """Return x with no compliance below zero: those that noise made negative are held at zero and the rest fitted."""
    x, parameters = solution.x.copy(), problem.parameters
    soft = np.array([each.place in {"compliance", "bending"} for each in parameters])
    held = np.zeros(len(parameters), dtype=np.bool_)
    for _round in range(len(parameters)):
        below = soft & ~held & (x[: len(parameters)] < 0.0)
        if not below.any():
            break
        held |= below
        left = tuple(each for each, gone in zip(parameters, held, strict=True) if not gone)
        smaller = CalibrationProblem(problem.robot, problem.measured, left, problem.start, problem.loads)
        free = np.concatenate([~held, np.ones(problem.unknown_count, dtype=np.bool_)])
        x = np.where(free, x, 0.0)
        x[free] = fit(smaller, sigma, kept, x[free]).x
    return x


def _result(
    robot: Robot,
    problem: CalibrationProblem,
    model: Model,
    solution: CalibrationFit,
    physical: Floats,
    kept: NDArray[np.bool_],
    sigma: Floats,
) -> Calibration:
    p, rows = len(problem.parameters), problem.rows
    owners = rows.measurement
    freedom = int(kept.sum()) - solution.rank
    errors = [measurement_errors(problem, problem.residuals(x)) for x in (_with_unknowns(problem), physical)]
    good = np.isin(np.arange(len(problem.q)), owners[kept])
    covariance = solution.covariance[:p, :p]
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    found = _found(problem.parameters, problem.scale[:p], solution, spread, bool(np.isnan(rows.noise).any()), freedom)
    seen = np.array([each.identifiable for each in found])
    correlation = np.where(seen[:, None] & seen, covariance / np.outer(spread, spread), 0.0)
    angles = sigma[~rows.is_length]
    at, unknowns = p, []
    for guess in problem.guesses:
        unknowns.append(physical[at : at + len(guess)])
        at += len(guess)
    return Calibration(
        real_of(robot, problem, physical, f"calibration, {len(problem.q)} measurements"),
        model,
        found,
        correlation,
        covariance,
        solution.singular,
        statistics(errors[0][good]),
        statistics(errors[1][good]),
        errors[0],
        errors[1],
        tuple(int(i) for i in np.flatnonzero(~good)),
        float(sigma[rows.is_length][0]),
        float(angles[0]) if len(angles) else None,
        freedom,
        tuple(unknowns),
        problem,
        solution,
    )


def _found(
    parameters: Sequence[ErrorParameter],
    scale: Floats,
    solution: CalibrationFit,
    spread: Floats,
    estimated: bool,
    freedom: int,
) -> tuple[FoundParameter, ...]:
    p = len(parameters)
    unseen = np.sqrt(np.maximum(1.0 - (solution.directions[:p] ** 2).sum(axis=1), 0.0)) * scale
    unseen[unseen < 1e-7 * scale] = 0.0
    quantile = (1.0 + CONFIDENCE) / 2.0
    width = float(stats.t.ppf(quantile, max(freedom, 1))) if estimated else float(stats.norm.ppf(quantile))
    found = []
    for k, each in enumerate(parameters):
        known = bool(spread[k] > 1e-150 and unseen[k] <= UNSEEN_SHARE * spread[k])
        value, s = float(solution.x[k]), float(spread[k]) if known else np.inf
        found.append(FoundParameter(each.name, value, s, value - width * s, value + width * s, known, each.unit))
    return tuple(found)


def _with_unknowns(problem: CalibrationProblem) -> Floats:
    """Return x of the arm as drawn, with planes, centres and points fitted to it."""
    if not problem.unknown_count:
        return problem.x0
    bare = CalibrationProblem(problem.robot, problem.measured, (), problem.start, problem.loads)
    sigma = np.where(problem.rows.is_length, POSITION_NOISE, ROTATION_NOISE)
    unknown = fit(bare, sigma, np.ones(len(sigma), dtype=np.bool_), bare.x0, loss="soft_l1").x
    return np.concatenate([np.zeros(len(problem.parameters)), unknown])


def measurement_errors(problem: CalibrationProblem, residuals: Floats) -> Floats:
    """Return the length of each measurement's position error, (m,) m; angles do not count."""
    squares = np.zeros(len(problem.q))
    np.add.at(squares, problem.rows.measurement, np.where(problem.rows.is_length, residuals, 0.0) ** 2)
    return np.sqrt(squares)


def statistics(errors: Floats) -> ErrorStatistics:
    """Return mean, maximum and root mean square of errors."""
    return ErrorStatistics(float(errors.mean()), float(errors.max()), float(np.sqrt((errors**2).mean())))


def real_of(robot: Robot, problem: CalibrationProblem, x: Floats, source: str) -> RealArm:
    """Return the real arm that `x` stands for."""
    values = problem.values(x)
    with np.errstate(divide="ignore"):
        stiffness, bending = (np.where(c > STIFF, 1.0 / c, np.inf) for c in (values.compliance, values.bending))
    joints = tuple(
        RealJoint(
            joint.name,
            FrameError(values.frame[i, :3], values.frame[i, 3:]),
            offset=float(values.offset[i]),
            ratio=float(values.ratio[i]),
            eccentricity=values.eccentricity[i],
            stiffness=float(stiffness[i]),
            bending_stiffness=float(bending[i]),
        )
        for i, joint in enumerate(robot.joints)
    )
    real = RealArm(
        problem.robot,
        joints,
        FrameError(values.base[:3], values.base[3:]),
        FrameError(values.tool[:3], values.tool[3:]),
        source=source,
    )
    return real if problem.robot is robot else on_base(real, robot)


def on_base(real: RealArm, robot: Robot) -> RealArm:
    """Return the same real arm as errors of `robot`, which stands elsewhere: that becomes an error of the base."""
    T = pose.inverse(robot.base) @ real.nominal.base @ real.base.pose
    return replace(real, nominal=robot, base=FrameError(T[:3, 3], pose.rotation_vector(T[:3, :3])))
