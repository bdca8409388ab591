"""What can be wrong with measurements, said before anything is fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import factorial

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.frames import align
from armlab.calibration.measurements import AnyMeasurements, Poses, Positions
from armlab.calibration.parameters import Model
from armlab.errors import InvalidInput
from armlab.messages import Message, _, term
from armlab.model.joint_limits import MEASURED_SLACK, check_joint_limits
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, RAD_PER_DEG

ALIKE = 1e-3
"""rad or m: configurations that differ by less are the same."""
FAR = 0.1
"""Share of the arm's size: a larger mean error is no error of this arm, but of units, order or frame."""
CURED = 0.2
"""A supposed mistake is named if without it less than this share of the error is left."""
MOST_ORDERS = 800
ROWS_FOR_GUESS = 60


def check_measurements(robot: Robot, measured: Sequence[AnyMeasurements], model: Model) -> None:
    """Raise an error that says what is wrong with measurements and what to do, if they cannot be used.

    Raises:
        InvalidInput: if there are too few, all are alike, or the errors are so large that units, the order of the
            joints or the frame must be wrong; which one is found out and said.
        LimitViolation: if a row is outside the joints' limits.
    """
    for each in measured:
        if each.q.shape[1] != robot.dof:
            raise InvalidInput(
                "measurement_joints",
                _("{robot} has {expected} joints; the measurements have {given}"),
                robot=robot.name,
                expected=robot.dof,
                given=each.q.shape[1],
            )
    q = np.concatenate([each.q for each in measured])
    _check_count(robot, q, measured, model)
    placed = [each for each in measured if isinstance(each, Poses | Positions)]
    if placed:
        rows = np.concatenate([each.q for each in placed])
        points = np.concatenate([each.T[:, :3, 3] if isinstance(each, Poses) else each.points for each in placed])
        wrong = explain(robot, rows, points)
        if wrong is not None:
            raise InvalidInput(wrong)
    check_joint_limits(robot, q, lambda k: term(_("row {row}"), row=k + 1), slack=MEASURED_SLACK)


def needed_rows(robot: Robot, measured: Sequence[AnyMeasurements], model: Model) -> int:
    """Return how many measurements the smallest set that fixes the model's geometry has."""
    turning = sum(joint.kind == "revolute" for joint in robot.joints)
    numbers = robot.dof + 6 if model == "offsets" else 4 * turning + 2 * (robot.dof - turning) + 6
    return -(-numbers // max(len(each.kinds) for each in measured))


def _check_count(robot: Robot, q: Floats, measured: Sequence[AnyMeasurements], model: Model) -> None:
    needed = needed_rows(robot, measured, model)
    if len(q) < needed:
        raise InvalidInput(
            "too_few_measurements",
            _(
                "{count} measurements are too few: the model '{model}' of {robot} needs at least {needed}, "
                "better {better}; measure more, or use the model 'offsets'"
            ),
            count=len(q),
            model=model,
            robot=robot.name,
            needed=needed,
            better=4 * needed,
        )
    different = len(np.unique(np.round(q / ALIKE), axis=0))
    if different < needed:
        raise InvalidInput(
            "measurements_alike",
            _(
                "only {different} of {count} configurations differ; move every joint between measurements, over as "
                "much of its range as can be measured"
            ),
            different=different,
            count=len(q),
        )


def explain(robot: Robot, q: Floats, points: Floats) -> Message | None:
    """Return what explains errors too large for any arm: units, the order or sign of joints, or the frame; or None."""
    size = float(np.ptp(robot.fk(_inside(robot))[:, :3, 3], axis=0).max())
    some = np.linspace(0, len(q) - 1, min(len(q), ROWS_FOR_GUESS)).astype(np.int64)
    q, points = q[some], points[some]
    error = _mean_error(robot, q, points)
    if error <= FAR * size:
        return None
    enough = CURED * error
    units = _units(robot, q, points, error)
    if units is not None:
        return units
    ordered = _order(robot, q, points, enough)
    if ordered is not None:
        return Message(
            "measurement_joint_order",
            _("the measured points are {error:.0f} mm off on average; the columns of joints seem to be {order}"),
            error=error * MM_PER_M,
            order=[robot.joints[i].name for i in ordered],
        )
    flipped = _signs(robot, q, points, enough)
    if flipped:
        return Message(
            "measurement_joint_signs",
            _("the measured points are {error:.0f} mm off on average; joints {joints} seem to count the other way"),
            error=error * MM_PER_M,
            joints=[robot.joints[i].name for i in flipped],
        )
    moved = _aligned_error(robot, q, points)
    if moved < enough:
        return Message(
            "measurement_frame",
            _(
                "the measured points are {error:.0f} mm off on average, but fit after a motion of the whole frame; "
                "they are not in the arm's base frame: use --align"
            ),
            error=error * MM_PER_M,
        )
    return Message(
        "measurements_far_off",
        _(
            "the measured points are {error:.0f} mm off on average: check that joints are in degrees (sliding ones in "
            "mm) and positions in mm, the order of the columns, the tool, and the frame (--align)"
        ),
        error=error * MM_PER_M,
    )


def _units(robot: Robot, q: Floats, points: Floats, error: float) -> Message | None:
    """Return which unit explains the errors."""
    enough = CURED * error
    turning = np.array([joint.kind == "revolute" for joint in robot.joints])
    for factor, what in (
        (DEG_PER_RAD, _("the joint values seem to be radians where degrees are expected")),
        (RAD_PER_DEG, _("the joint values seem to be degrees where radians are expected")),
    ):
        if _mean_error(robot, np.where(turning, q * factor, q), points) < enough:
            return _far("measurement_units", error, what)
    for factor, what in (
        (MM_PER_M, _("the positions seem to be metres where millimetres are expected")),
        (1.0 / MM_PER_M, _("the positions seem to be a thousand times too large: micrometres, or converted twice")),
        (0.0254, _("the positions seem to be inches")),
        (25.4, _("the positions seem to be inches")),
    ):
        if _mean_error(robot, q, points * factor) < enough:
            return _far("measurement_units", error, what)
    return None


def _far(code: str, error: float, what: str) -> Message:
    template = _("the measured points are {error:.0f} mm off on average: {what}")
    return Message(code, template, error=error * MM_PER_M, what=Message(code, what))


def _order(robot: Robot, q: Floats, points: Floats, enough: float) -> tuple[int, ...] | None:
    """Return the order of the columns that explains the errors: column k holds joint order[k]; all are tried."""
    n = robot.dof
    if factorial(n) > MOST_ORDERS:
        orders = [tuple(range(n))[::-1], *(_swapped(n, i, j) for i in range(n) for j in range(i))]
    else:
        orders = list(permutations(range(n)))
    errors = [_mean_error(robot, q[:, np.argsort(order)], points) for order in orders]
    best = int(np.argmin(errors))
    return orders[best] if errors[best] < enough else None


def _swapped(n: int, i: int, j: int) -> tuple[int, ...]:
    order = list(range(n))
    order[i], order[j] = j, i
    return tuple(order)


def _signs(robot: Robot, q: Floats, points: Floats, enough: float) -> list[int]:
    """Return the joints whose sign explains the errors."""
    n = min(robot.dof, 9)
    choices = [[i for i in range(n) if bits >> i & 1] for bits in range(1, 2**n)]
    errors = []
    for flipped in choices:
        signed = q.copy()
        signed[:, flipped] *= -1.0
        errors.append(_mean_error(robot, signed, points))
    best = int(np.argmin(errors))
    return choices[best] if errors[best] < enough else []


def _mean_error(robot: Robot, q: Floats, points: Floats) -> float:
    if np.abs(q).max() > 1e5:
        return np.inf
    return float(np.linalg.norm(robot.fk(np.ascontiguousarray(q))[:, :3, 3] - points, axis=1).mean())


def _aligned_error(robot: Robot, q: Floats, points: Floats) -> float:
    try:
        base = align(q, robot, points)
    except InvalidInput:
        return np.inf
    return _mean_error(robot.with_base(base), q, points)


def _inside(robot: Robot) -> Floats:
    return np.random.default_rng(0).uniform(robot.lower, robot.upper, (64, robot.dof))
