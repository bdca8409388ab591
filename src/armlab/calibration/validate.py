"""How good a calibration is where nothing was measured: cross-validation, and a map of errors over the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.calibration.error_chain import chain_poses, joint_values
from armlab.calibration.fitting import (
    Calibration,
    ErrorStatistics,
    calibrate,
    measurement_errors,
    on_base,
    statistics,
)
from armlab.calibration.least_squares import CalibrationProblem, weight_on
from armlab.calibration.measurements import POSITION_NOISE, ROTATION_NOISE, AnyMeasurements, Distances, Poses, Positions
from armlab.calibration.parameters import Model, tool_jacobian
from armlab.calibration.static_pose import real_fk, values_of
from armlab.errors import NotSupported
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.robot import Robot

FOLDS = 5
MAP_POINTS = 400


def cross_validate(
    robot: Robot,
    measured: AnyMeasurements | Sequence[AnyMeasurements],
    *,
    model: Model = "full",
    base: Floats | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> ErrorStatistics:
    """Return the errors of measurements that the fit did not see: each fold is predicted from the others.

    Outliers of the whole calibration are left out.

    Raises:
        NotSupported: for measurements with unknowns of their own, which a fold cannot be predicted without.
    """
    kinds = (measured,) if not isinstance(measured, Sequence) else tuple(measured)
    if any(not isinstance(each, Poses | Positions) and not _has_all(each) for each in kinds):
        raise NotSupported(
            "cross_validation_unknowns",
            _("cross-validation needs poses, positions, or distances from a known anchor"),
        )
    whole = calibrate(robot, kinds, model=model, base=base)
    count = len(whole.problem.q)
    order = np.random.default_rng(seed).permutation(np.setdiff1d(np.arange(count), whole.outliers))
    errors = []
    for fold in np.array_split(order, folds):
        others = np.setdiff1d(order, fold)
        trained = calibrate(robot, _picked(kinds, others), model=model, base=base)
        seen = _picked(kinds, fold)
        loads = weight_on(robot, np.concatenate([each.q for each in seen]))
        test = CalibrationProblem(trained.problem.robot, seen, (), values_of(_placed(trained)), loads)
        errors.append(measurement_errors(test, test.residuals(test.x0)))
    return statistics(np.concatenate(errors))


def simulated_poses(
    real: RealArm, q: Floats, *, noise: float = POSITION_NOISE, rotation_noise: float = ROTATION_NOISE, seed: int
) -> Poses:
    """Return what a tracker would measure on a real arm at rest at `q` (m, n): its tool poses, with noise (m, rad)."""
    rng = np.random.default_rng(seed)
    T = real_fk(real, q)
    turn = rng.normal(0.0, rotation_noise, (len(q), 3))
    small = pose.from_xyz_axis_angle(np.zeros(3), turn, np.linalg.norm(turn, axis=1))
    T[:, :3, :3] = small[:, :3, :3] @ T[:, :3, :3]
    T[:, :3, 3] += rng.normal(0.0, noise, (len(q), 3))
    return Poses(q, T)


@dataclass(frozen=True, slots=True, eq=False)
class ResidualMap:
    """Position errors of an arm over its workspace, at seeded configurations."""

    q: Floats
    points: Floats
    """Where the nominal tool is, (m, 3) m."""
    before: Floats
    """How far the real tool is from the nominal one, (m,) m."""
    after: Floats
    """What is left after the calibration, (m,) m: against the true arm if it is known, else its standard deviation."""


def residual_map(
    calibration: Calibration, *, truth: RealArm | None = None, count: int = MAP_POINTS, seed: int = 0
) -> ResidualMap:
    """Return the errors of the arm before and after calibration over its whole workspace.

    Without a `truth` (a simulated arm), `before` is what the calibration says, and `after` what it does not know: the
    root of the trace of the tool position's covariance.
    """
    robot = calibration.real.nominal
    q = np.random.default_rng(seed).uniform(robot.lower, robot.upper, (count, robot.dof))
    nominal, found = robot.fk(q)[:, :3, 3], real_fk(calibration.real, q)[:, :3, 3]
    if truth is not None:
        actual = real_fk(truth, q)[:, :3, 3]
        before, after = np.linalg.norm(actual - nominal, axis=1), np.linalg.norm(actual - found, axis=1)
    else:
        before, after = np.linalg.norm(found - nominal, axis=1), _spread(calibration, q)
    return ResidualMap(q, nominal, before, after)


def _spread(calibration: Calibration, q: Floats) -> Floats:
    problem = calibration.problem
    robot, values = problem.robot, problem.values(calibration.solution.x)
    loads = weight_on(calibration.real.nominal, q)
    poses = chain_poses(robot, values, joint_values(values, q, loads), loads.across)
    J = tool_jacobian(robot, problem.parameters, values, poses, q, loads)[:, :3]
    return np.asarray(np.sqrt(np.einsum("mka,ab,mkb->m", J, calibration.covariance, J)))


def _placed(calibration: Calibration) -> RealArm:
    """Return the real arm as errors of the robot that stands where the measurements have it."""
    return on_base(calibration.real, calibration.problem.robot)


def _has_all(measured: AnyMeasurements) -> bool:
    return isinstance(measured, Distances) and measured.anchor is not None and not measured.unknown_zero


def _picked(kinds: Sequence[AnyMeasurements], rows: Floats) -> tuple[AnyMeasurements, ...]:
    """Return the measurements with these numbers, counted over all kinds."""
    out: list[AnyMeasurements] = []
    start = 0
    for each in kinds:
        mine = np.asarray(rows[(rows >= start) & (rows < start + len(each.q))] - start, dtype=np.int64)
        start += len(each.q)
        if not len(mine):
            continue
        match each:
            case Poses():
                out.append(replace(each, q=each.q[mine], T=each.T[mine]))
            case Positions():
                out.append(replace(each, q=each.q[mine], points=each.points[mine]))
            case Distances():
                out.append(replace(each, q=each.q[mine], distances=each.distances[mine]))
            case _:
                out.append(replace(each, q=each.q[mine]))
    return tuple(out)
