"""Mass, centre of mass and inertia matrix of a rigid body."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.messages import _


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """A mass (kg), its centre (m) and its inertia matrix about that centre (kg m²), in the frame of its link."""

    mass: float = 0.0
    com: Floats = field(default_factory=lambda: np.zeros(3))
    matrix: Floats = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        if not (self.mass >= 0 and math.isfinite(self.mass)):
            raise InvalidInput("mass_negative", _("mass must be ≥ 0, got {mass:g} kg"), mass=self.mass)
        com, matrix = as_floats(self.com, (3,), "com"), as_floats(self.matrix, (3, 3), "inertia")
        moments = np.linalg.eigvalsh(matrix)
        slack = 1e-9 + 1e-6 * float(np.abs(moments).max())
        if not (np.abs(matrix - matrix.T) <= slack + 1e-5 * np.abs(matrix)).all():
            raise InvalidInput("inertia_not_symmetric", _("inertia: the matrix is not symmetric"))
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack:
            raise InvalidInput(
                "inertia_impossible",
                _(
                    "inertia: no body has the principal moments {moments:.3g} kg m²; "
                    "each must be ≥ 0 and at most the sum of the other two"
                ),
                moments=moments.tolist(),
            )
        object.__setattr__(self, "com", read_only(com))
        object.__setattr__(self, "matrix", read_only(matrix))


def of_point(p: Floats) -> Floats:
    """Return the inertia matrix (3, 3) about the origin of one kilogram at the point `p` (3,)."""
    return np.asarray(p @ p * np.eye(3) - np.outer(p, p))


BALL_DENSITY = 2700.0
"""kg/m³, of aluminium: what a load is taken to be made of when nobody says more about it."""


def ball_radius(mass: float) -> float:
    """Return the radius (m) of a solid ball of aluminium of `mass` kg."""
    return math.cbrt(0.75 * mass / (math.pi * BALL_DENSITY))


def ball_inertia(mass: float) -> Floats:
    """Return the inertia matrix (3, 3) of a solid ball of aluminium about its centre: ⅖ m r² about every axis."""
    return 0.4 * mass * ball_radius(mass) ** 2 * np.eye(3)


def combined(parts: Sequence[tuple[Inertia, Floats]]) -> Inertia:
    """Return the inertia of bodies that move as one: each with its pose (4, 4) in the common frame."""
    mass = sum(part.mass for part, _pose in parts)
    centres = [T[:3, :3] @ part.com + T[:3, 3] for part, T in parts]
    com, matrix = np.zeros(3), np.zeros((3, 3))
    if mass > 0.0:
        com = sum((part.mass * centre for (part, _pose), centre in zip(parts, centres, strict=True)), com) / mass
    for (part, T), centre in zip(parts, centres, strict=True):
        matrix += T[:3, :3] @ part.matrix @ T[:3, :3].T + part.mass * of_point(centre - com)
    return Inertia(mass, com, (matrix + matrix.T) / 2.0)


def scaled(inertia: Inertia, factor: float) -> Inertia:
    """Return the inertia of the same body made of a material so many times as dense."""
    return Inertia(inertia.mass * factor, inertia.com, inertia.matrix * factor)


def from_six(mass: float, com: Floats, six: Sequence[float]) -> Inertia:
    """Return an inertia by its moments xx, yy, zz and products xy, xz, yz, as URDF and our files give them."""
    xx, yy, zz, xy, xz, yz = six
    return Inertia(mass, com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
