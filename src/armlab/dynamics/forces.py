"""Joint forces from motions, and motions from joint forces: M(q) q̈ + C(q, q̇) q̇ + g(q) = τ."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import MAX_VALUES, Floats, as_floats, as_rows, check_finite
from armlab.dynamics.bodies import chain_of
from armlab.errors import InvalidInput
from armlab.kernels import cholesky, lanes, rigid
from armlab.kernels.trig import LARGEST
from armlab.messages import _
from armlab.model.robot import Robot

GRAVITY = (0.0, 0.0, -9.81)
"""The acceleration of a falling body in the world (m/s²)."""

_STANDARD = np.array(GRAVITY)
_WEIGHTLESS = np.zeros(3)
_BOUNDS = {"q": LARGEST, "qd": lanes.FASTEST, "qdd": lanes.FASTEST}
_UNITS = {"q": ("rad", "m"), "qd": ("rad/s", "m/s"), "qdd": ("rad/s²", "m/s²")}


def inverse_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, gravity: ArrayLike = GRAVITY
) -> Floats:
    """Return the joint forces that make the arm move so: (n,) or (m, n), in N m or N.

    Args:
        robot: the arm with its tool; `with_payload` gives one that holds a load.
        q: positions (n,) or (m, n).
        qd: speeds, of the same shape; one row (n,) stands for all of them.
        qdd: accelerations, likewise.
        gravity: the acceleration of a falling body in the world (m/s²).

    Raises:
        InvalidInput: if an argument has the wrong shape or is not finite.
    """
    (rows, speeds, accelerations), single = rows_of(robot, q=q, qd=qd, qdd=qdd)
    tau = _forces(robot, rows, speeds, accelerations, gravity_row(gravity))
    return tau[0] if single else tau


def gravity_torque(robot: Robot, q: ArrayLike, *, gravity: ArrayLike = GRAVITY) -> Floats:
    """Return g(q): the joint forces that hold the arm still, (n,) or (m, n)."""
    (rows,), single = rows_of(robot, q=q)
    still = np.zeros(rows.shape)
    tau = _forces(robot, rows, still, still, gravity_row(gravity))
    return tau[0] if single else tau


def coriolis_torque(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Floats:
    """Return C(q, q̇) q̇: the joint forces that Coriolis and centrifugal effects ask for, (n,) or (m, n)."""
    (rows, speeds), single = rows_of(robot, q=q, qd=qd)
    tau = _forces(robot, rows, speeds, np.zeros(rows.shape), _WEIGHTLESS)
    return tau[0] if single else tau


def coriolis_matrix(robot: Robot, q: ArrayLike, qd: ArrayLike) -> Floats:
    """Return C(q, q̇) by Christoffel's symbols, (n, n) or (m, n, n): dM/dt − 2C is skew-symmetric.

    The vector C q̇ is a quadratic form of the speeds, so that two of its values give one column exactly.
    """
    (rows, speeds), single = rows_of(robot, q=q, qd=qd)
    m, n = rows.shape
    check_size(robot, m * n * n * 2)
    step = np.maximum(1.0, np.abs(speeds).max(axis=1))
    moved = np.stack(
        [speeds[:, None] + step[:, None, None] * np.eye(n), speeds[:, None] - step[:, None, None] * np.eye(n)]
    )
    place = np.broadcast_to(rows[:, None], moved.shape).reshape(-1, n).copy()
    tau = _forces(robot, place, moved.reshape(-1, n), np.zeros(place.shape), _WEIGHTLESS).reshape(2, m, n, n)
    columns = (tau[0] - tau[1]) / (4.0 * step[:, None, None])
    C = np.ascontiguousarray(columns.transpose(0, 2, 1))
    return C[0] if single else C


def mass_matrix(robot: Robot, q: ArrayLike) -> Floats:
    """Return M(q), symmetric: (n, n) or (m, n, n)."""
    (rows,), single = rows_of(robot, q=q)
    M = _masses(robot, rows)
    return M[0] if single else M


def forward_dynamics(
    robot: Robot, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, gravity: ArrayLike = GRAVITY
) -> Floats:
    """Return the accelerations that the joint forces `tau` cause: (n,) or (m, n).

    Raises:
        InvalidInput: if an argument has the wrong shape or is not finite, or a joint moves nothing that has inertia.
    """
    (rows, speeds, given), single = rows_of(robot, q=q, qd=qd, tau=tau)
    check_finite(given, f"{robot.name}: tau")
    qdd = given - _forces(robot, rows, speeds, np.zeros(rows.shape), gravity_row(gravity))
    joint = cholesky.solve_into(_masses(robot, rows), qdd)
    if joint >= 0:
        raise InvalidInput(
            "joint_without_inertia",
            _(
                "{robot}: joint '{joint}' moves no inertia, so that its force gives no acceleration; "
                "give its links masses and inertias"
            ),
            robot=robot.name,
            joint=robot.joints[joint].name,
        )
    return qdd[0] if single else qdd


def rows_of(robot: Robot, **given: ArrayLike) -> tuple[tuple[Floats, ...], bool]:
    """Return arguments as rows (m, n) of equal number, and whether all came as single rows.

    Plain rows of doubles are handed on as they are: the kernels look at the values.
    """
    rows: list[Floats] = []
    for value in given.values():
        if not (robot.is_plain_row(value) and value.flags.carray):
            return _converted(robot, given)
        rows.append(value.reshape(1, -1))
    return tuple(rows), True


def _converted(robot: Robot, given: dict[str, ArrayLike]) -> tuple[tuple[Floats, ...], bool]:
    pairs = {name: as_rows(value, robot.dof, f"{robot.name}: {name}") for name, value in given.items()}
    counts = {name: len(rows) for name, (rows, single) in pairs.items() if not single}
    if len(set(counts.values())) > 1:
        raise InvalidInput(
            "row_counts_differ",
            _("the numbers of rows differ: {counts}"),
            counts=[f"{name} {count}" for name, count in counts.items()],
        ).within(robot.name)
    shape = (max(counts.values(), default=1), robot.dof)
    rows = (a if a.shape == shape else np.broadcast_to(a, shape).copy() for a, _single in pairs.values())
    return tuple(rows), not counts


def gravity_row(gravity: ArrayLike) -> Floats:
    """Return gravity as kernels take it."""
    return _STANDARD if gravity is GRAVITY else as_floats(gravity, (3,), "gravity")


def _forces(robot: Robot, q: Floats, qd: Floats, qdd: Floats, gravity: Floats) -> Floats:
    if robot.coupling is not None:
        law = robot.coupling
        speeds, accelerations = law.expand_rates(qd), law.expand_rates(qdd)
        return law.fold(_forces(robot.uncoupled, law.expand(q), speeds, accelerations, gravity))
    tau = np.empty(q.shape)
    if not rigid.inverse_dynamics_into(*chain_of(robot).arrays, gravity, q, qd, qdd, tau):
        refuse(robot, q=q, qd=qd, qdd=qdd)
    return tau


def _masses(robot: Robot, q: Floats) -> Floats:
    if robot.coupling is not None:
        return robot.coupling.fold_matrix(_masses(robot.uncoupled, robot.coupling.expand(q)))
    check_size(robot, q.size * robot.dof)
    M = np.empty((len(q), robot.dof, robot.dof))
    if not rigid.mass_matrix_into(*chain_of(robot).arrays, q, M):
        refuse(robot, q=q)
    return M


def check_size(robot: Robot, values: int) -> None:
    """Raise InvalidInput if a result would hold more values than are allowed at once."""
    if values > MAX_VALUES:
        raise InvalidInput(
            "too_many_values",
            _("{who}: {count} values given; at most {most} at once"),
            who=robot.name,
            count=values,
            most=MAX_VALUES,
        )


def refuse(robot: Robot, **given: Floats) -> NoReturn:
    """Say which value the kernel could not use."""
    for name, rows in given.items():
        check_finite(rows, f"{robot.name}: {name}")
    name, rows = max(given.items(), key=lambda item: float(np.abs(item[1]).max()) / _BOUNDS[item[0]])
    row, i = np.unravel_index(int(np.argmax(np.abs(rows))), rows.shape)
    joint = robot.joints[int(i)]
    unit = _UNITS[name][0 if joint.kind == "revolute" else 1]
    raise InvalidInput(
        "joint_value_outside",
        _("joint '{joint}': {quantity} {value:g} {unit} is outside ±{most:g} {unit}; is it in another unit?"),
        joint=joint.name,
        quantity=name,
        value=float(rows[row, i]),
        unit=unit,
        most=_BOUNDS[name],
    )
