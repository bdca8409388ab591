"""How singular an arm is, as people read it: millimetres and degrees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.singularity import SINGULAR, singularity
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, mm, rounded, rounded_all, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M

if TYPE_CHECKING:
    from armlab.kinematics.singularity import SingularKind

KUKA = "KUKA"
VANISHED = 1e-12


class EllipsoidReport(ReportModel):
    """How fast the tool point can go in each direction when all joint speeds together are 1 rad/s.

    The half axes are unit vectors in world coordinates with their lengths in mm/s, the longest first.
    """

    centre: tuple[float, float, float]
    """mm"""
    axes: tuple[tuple[float, float, float], ...]
    radii: tuple[float, float, float]


class StatusTurn(ReportModel):
    """KUKA's S (status) and T (turn) of joint values."""

    status: int
    turn: int


class NearSingularity(ReportModel):
    """The nearest singularity that was found: of what kind, how far in joint space (°), and where."""

    kind: str
    distance: float
    q: tuple[float, ...]


class SingularityReport(ReportModel):
    """Measures of the scaled Jacobian at a pose, and the ellipsoid of the tool's velocities."""

    q: tuple[float, ...]
    manipulability: float
    condition: float | None
    """None at a singularity, where it is infinite."""
    smallest: float
    singular: bool
    ellipsoid: EllipsoidReport
    kuka: StatusTurn | None
    """Of KUKA's arms."""
    kinds: tuple[str, ...] | None = None
    """What is singular here: shoulder, elbow, wrist, other; only where asked for."""
    nearest: NearSingularity | None = None
    """Only where asked for; None where none was found."""


def singularity_report(robot: Robot, q: Floats) -> SingularityReport:
    """Return the measures at `q` (n,): some microseconds of work."""
    sigma = scaled_task(robot).singular_values(q[None])[0]
    smallest = float(sigma[-1])
    return SingularityReport(
        q=shown_q(robot, q),
        manipulability=float(np.prod(sigma)),
        condition=float(sigma[0]) / smallest if smallest > VANISHED else None,
        smallest=smallest,
        singular=smallest < SINGULAR,
        ellipsoid=_ellipsoid(robot, q),
        kuka=status_turn(robot, q),
    )


def nearest_report(robot: Robot, q: Floats) -> SingularityReport:
    """Return the same, with the nearest singularity: a tenth of a second of work and more."""
    found = singularity(robot, q)
    kinds: tuple[SingularKind, ...] = found.kinds if found.kind != "none" else ()
    near = None
    if math.isfinite(found.distance):
        near = NearSingularity(
            kind=found.nearest_kind,
            distance=rounded(found.distance * DEG_PER_RAD),
            q=shown_q(robot, found.nearest_q),
        )
    return singularity_report(robot, q).model_copy(update={"kinds": kinds, "nearest": near})


def status_turn(robot: Robot, q: Floats) -> StatusTurn | None:
    """Return S and T of `q` (n,) for an arm of KUKA's with a spherical wrist, else None."""
    from armlab.kinematics.closed.status import kuka_turn, status_function

    statuses = status_function(robot) if robot.maker == KUKA else None
    return None if statuses is None else StatusTurn(status=int(statuses(q[None])[0]), turn=kuka_turn(q))


def _ellipsoid(robot: Robot, q: Floats) -> EllipsoidReport:
    columns = scaled_task(robot).column_scale
    U, sigma, _ = np.linalg.svd(robot.jacobian(q)[:3] * columns)
    U[:, 2] *= np.sign(np.linalg.det(U))
    radii = np.zeros(3)
    radii[: len(sigma)] = sigma
    return EllipsoidReport(
        centre=mm(robot.fk(q)[:3, 3]),
        axes=tuple(rounded_all(axis) for axis in U.T),
        radii=rounded_all(radii * MM_PER_M),
    )
