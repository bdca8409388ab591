"""What was measured: poses, positions, distances, touches of a plane or sphere, and loops that close.

Each kind turns where the tools would be into residuals, and says how these change with the tool and with what is itself
unknown: a plane's place, a sphere's centre, the anchor of a draw-wire, the point that a closed loop holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _

POSITION_NOISE = 5e-5
"""m: assumed until the residuals tell; only the ratio to the other matters then."""
ROTATION_NOISE = 2e-4
"""rad."""


class MeasurementResiduals(NamedTuple):
    """Measured against computed, in m and rad, for k components of each of m measurements."""

    values: Floats
    """(m, k)."""
    by_tool: Floats
    """(m, k, 6): with the tool's position and its small turns in the world."""
    by_unknowns: Floats
    """(m, k, u): with the unknowns of this measurement."""


class Measurements(Protocol):
    """One kind of measurement of one arm."""

    @property
    def q(self) -> Floats:
        """Commanded joint values, (m, n)."""

    @property
    def noise(self) -> float | None:
        """Standard deviation of lengths (m); None: to be estimated."""

    @property
    def kinds(self) -> tuple[bool, ...]:
        """For each of k components whether it is a length; the others are angles."""

    def unknowns(self, tools: Floats) -> Floats:
        """Return a first guess (u,) of what this measurement does not know, from nominal tools (m, 4, 4)."""

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:
        """Return computed minus measured for tools (m, 4, 4)."""


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Full poses of the tool, as a laser tracker with a probe sees them: T_world_tool (m, 4, 4)."""

    q: Floats
    T: Floats
    noise: float | None = None
    rotation_noise: float | None = None
    """rad."""

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None), T=(None, 4, 4))
        object.__setattr__(self, "T", pose.as_pose(self.T, "T"))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """Three lengths, three angles."""
        return (True,) * 3 + (False,) * 3

    def unknowns(self, tools: Floats) -> Floats:  # noqa: ARG002 - part of the protocol
        """Nothing is unknown."""
        return np.empty(0)

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:  # noqa: ARG002
        """Return position errors and rotation vectors from measured to computed, in the world."""
        m = len(tools)
        turn = pose.rotation_vector(tools[:, :3, :3] @ np.swapaxes(self.T[:, :3, :3], 1, 2))
        by_tool = np.zeros((m, 6, 6))
        by_tool[:, [0, 1, 2], [0, 1, 2]] = 1.0
        by_tool[:, 3:, 3:] = inverse_left_jacobian(turn)
        values = np.concatenate([tools[:, :3, 3] - self.T[:, :3, 3], turn], axis=1)
        return MeasurementResiduals(values, by_tool, np.empty((m, 6, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """Positions of the tool point in the world, (m, 3)."""

    q: Floats
    points: Floats
    noise: float | None = None

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None), points=(None, 3))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """Three lengths."""
        return (True,) * 3

    def unknowns(self, tools: Floats) -> Floats:  # noqa: ARG002
        """Nothing is unknown."""
        return np.empty(0)

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:  # noqa: ARG002
        """Return position errors."""
        return MeasurementResiduals(tools[:, :3, 3] - self.points, _of_point(len(tools)), np.empty((len(tools), 3, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """Distances (m,) of the tool point from an anchor: a ball bar, or a draw-wire whose zero may be unknown too."""

    q: Floats
    distances: Floats
    anchor: Floats | None = None
    """Where the anchor is in the world (3,); None: to be found."""
    unknown_zero: bool = False
    noise: float | None = None

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None), distances=(None,))
        if self.anchor is not None:
            object.__setattr__(self, "anchor", as_floats(self.anchor, (3,), "anchor"))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """One length."""
        return (True,)

    def unknowns(self, tools: Floats) -> Floats:
        """Return the anchor by linear least squares, if it is unknown, and the zero of the wire."""
        zero = [0.0] if self.unknown_zero else []
        return np.array(zero if self.anchor is not None else [*_centre(tools[:, :3, 3], self.distances), *zero])

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:
        """Return computed minus measured distances."""
        anchor = unknowns[:3] if self.anchor is None else self.anchor
        zero = float(unknowns[-1]) if self.unknown_zero else 0.0
        away, length = _direction(tools[:, :3, 3] - anchor)
        columns = ([-away] if self.anchor is None else []) + ([np.ones((len(tools), 1))] if self.unknown_zero else [])
        by_unknowns = np.concatenate(columns, axis=1) if columns else np.empty((len(tools), 0))
        return MeasurementResiduals((length + zero - self.distances)[:, None], _along(away), by_unknowns[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class PlaneTouches:
    """Configurations in which the tool point touches a plane n·p = d, given as (4,) or to be found."""

    q: Floats
    plane: Floats | None = None
    noise: float | None = None

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None))
        if self.plane is not None:
            plane = as_floats(self.plane, (4,), "plane")
            object.__setattr__(self, "plane", plane / np.linalg.norm(plane[:3]))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """One length."""
        return (True,)

    def unknowns(self, tools: Floats) -> Floats:
        """Return n / d of the plane through the points: it does not go through the world's origin."""
        if self.plane is not None:
            return np.empty(0)
        points = tools[:, :3, 3]
        middle = points.mean(axis=0)
        normal = np.linalg.svd(points - middle)[2][2]
        d = float(normal @ middle)
        if abs(d) < 1e-3:
            raise InvalidInput(
                "plane_through_origin",
                _("the touched plane goes through the origin of the world; give it, or place the arm's base elsewhere"),
            )
        return np.asarray(normal / d)

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:
        """Return the distances of the points from the plane."""
        p = tools[:, :3, 3]
        if self.plane is not None:
            normal = np.broadcast_to(self.plane[:3], p.shape)
            return MeasurementResiduals(
                (p @ self.plane[:3] - self.plane[3])[:, None], _along(normal), np.empty((len(p), 1, 0))
            )
        size = float(np.linalg.norm(unknowns))
        values = (p @ unknowns - 1.0) / size
        normal = unknowns / size
        by_unknowns = p / size - values[:, None] * normal / size
        return MeasurementResiduals(values[:, None], _along(np.broadcast_to(normal, p.shape)), by_unknowns[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class SphereTouches:
    """Configurations in which the tool point touches a sphere of known radius (m), whose centre may be unknown."""

    q: Floats
    radius: float
    centre: Floats | None = None
    noise: float | None = None

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None))
        if self.centre is not None:
            object.__setattr__(self, "centre", as_floats(self.centre, (3,), "centre"))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """One length."""
        return (True,)

    def unknowns(self, tools: Floats) -> Floats:
        """Return the centre by linear least squares, if it is unknown."""
        if self.centre is not None:
            return np.empty(0)
        return _centre(tools[:, :3, 3], np.full(len(tools), self.radius))

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:
        """Return the distances of the points from the sphere."""
        centre = unknowns if self.centre is None else self.centre
        away, length = _direction(tools[:, :3, 3] - centre)
        by_unknowns = -away[:, None] if self.centre is None else np.empty((len(tools), 1, 0))
        return MeasurementResiduals((length - self.radius)[:, None], _along(away), by_unknowns)


@dataclass(frozen=True, slots=True, eq=False)
class ClosedLoops:
    """Configurations that hold the tool point in one and the same place: a ball in a socket, a pin in a hole."""

    q: Floats
    point: Floats | None = None
    """Where that place is in the world (3,); None: to be found."""
    noise: float | None = None

    def __post_init__(self) -> None:
        _as_array(self, q=(None, None))
        if self.point is not None:
            object.__setattr__(self, "point", as_floats(self.point, (3,), "point"))

    @property
    def kinds(self) -> tuple[bool, ...]:
        """Three lengths."""
        return (True,) * 3

    def unknowns(self, tools: Floats) -> Floats:
        """Return the middle of the points."""
        return np.empty(0) if self.point is not None else np.asarray(tools[:, :3, 3].mean(axis=0))

    def residuals(self, tools: Floats, unknowns: Floats) -> MeasurementResiduals:
        """Return how far the points are from the place."""
        m = len(tools)
        place = unknowns if self.point is None else self.point
        by = np.empty((m, 3, 0)) if self.point is not None else np.broadcast_to(-np.eye(3), (m, 3, 3))
        return MeasurementResiduals(tools[:, :3, 3] - place, _of_point(m), np.asarray(by))


AnyMeasurements = Poses | Positions | Distances | PlaneTouches | SphereTouches | ClosedLoops


def inverse_left_jacobian(w: Floats) -> Floats:
    """Return J_l⁻¹ (m, 3, 3): log(exp(δ) exp(w)) = w + J_l⁻¹ δ for small δ."""
    angle = np.linalg.norm(w, axis=1)
    x, y, z = w.T
    K = np.zeros((len(w), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -z, y, -x
    K -= np.swapaxes(K, 1, 2)
    a = np.maximum(angle, 1e-4)
    # 1/θ² − (1 + cos θ)/(2 θ sin θ), whose limit at zero is 1/12
    factor = np.where(angle > 1e-4, 1.0 / a**2 - (1.0 + np.cos(a)) / (2.0 * a * np.sin(a)), 1.0 / 12.0)
    return np.asarray(np.eye(3) - K / 2.0 + factor[:, None, None] * (K @ K))


def _as_array(measured: object, **shapes: tuple[int | None, ...]) -> None:
    rows: dict[str, int] = {}
    for name, shape in shapes.items():
        array = as_floats(getattr(measured, name), shape, name)
        object.__setattr__(measured, name, array)
        rows[name] = len(array)
    if len(set(rows.values())) > 1:
        raise InvalidInput(
            "measurement_rows",
            _("measurements: the numbers of rows differ: {counts}"),
            counts=[f"{name} {count}" for name, count in rows.items()],
        )
    noise = getattr(measured, "noise", None)
    if noise is not None and not noise > 0.0:
        raise InvalidInput("measurement_noise", _("noise must be > 0, got {noise:g} m"), noise=float(noise))


def _of_point(m: int) -> Floats:
    by_tool = np.zeros((m, 3, 6))
    by_tool[:, [0, 1, 2], [0, 1, 2]] = 1.0
    return by_tool


def _along(direction: ArrayLike) -> Floats:
    rows = np.asarray(direction, dtype=np.float64)
    by_tool = np.zeros((len(rows), 1, 6))
    by_tool[:, 0, :3] = rows
    return by_tool


def _direction(away: Floats) -> tuple[Floats, Floats]:
    length = np.linalg.norm(away, axis=1)
    return away / np.maximum(length, 1e-12)[:, None], length


def _centre(points: Floats, distances: Floats) -> Floats:
    """Return the point at these distances from `points`: |p|² − d² = 2 c·p − (|c|² …), linear in c and one more."""
    rows = np.column_stack([2.0 * points, np.ones(len(points))])
    squares = (points**2).sum(axis=1) - distances**2
    solution = np.linalg.lstsq(rows, squares, rcond=None)[0]
    return np.asarray(solution[:3])
