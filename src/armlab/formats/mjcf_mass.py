"""What the geoms of MJCF weigh, and what <compiler> makes of a body's inertia: MuJoCo's own rules.

A mesh weighs what its `inertia` attribute says: what is inside the surface ("exact"), the sum of the tetrahedra under
its triangles with their signs left out ("legacy"), the inside of its convex hull ("convex"), or a skin ("shell").
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.formats.mesh_parts import TriangleMesh
from armlab.geometry import hull
from armlab.geometry.inertia import Inertia

SKIN = 1e-6
"""m: how thick MuJoCo takes the skin of an ellipsoid to be."""
KNUD_THOMSEN = 1.6075
"""The exponent of the approximate surface of an ellipsoid."""


class Content(NamedTuple):
    """What a density is multiplied with: volume or surface, centre (3,) and second moments about it (3, 3)."""

    amount: float
    centre: Floats
    second: Floats

    def inertia(self, mass: float | None, density: float) -> Inertia:
        """Return the inertia with a given mass, or else by the density."""
        if self.amount <= 0.0:
            return Inertia(max(mass or 0.0, 0.0), self.centre)
        weight = density * self.amount if mass is None else mass
        second = self.second * (weight / self.amount)
        return Inertia(weight, self.centre, np.trace(second) * np.eye(3) - second)

    def half_box(self) -> Floats:
        """Return half the sides (3,) of the box with the same moments along the principal axes, the shortest first."""
        moments = np.linalg.eigvalsh(self.second)
        return np.asarray(np.sqrt(3.0 * np.maximum(moments, 0.0) / self.amount))

    def principal_axes(self) -> Floats:
        """Return the axes of `half_box` as the columns of a rotation (3, 3)."""
        axes = np.linalg.eigh(self.second)[1]
        return np.asarray(axes * [1.0, 1.0, np.linalg.det(axes)])


NOTHING = Content(0.0, np.zeros(3), np.zeros((3, 3)))


def mesh_content(mesh: TriangleMesh, mode: str) -> Content:
    """Return what a mesh contains; nothing if it is flat."""
    if mode == "convex":
        found = hull.attempt_hull(mesh.vertices)
        if found is None:
            return NOTHING
        mesh = TriangleMesh(found.points, found.faces.astype(np.int64))
    corners = mesh.vertices[mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    surface = float(areas.sum())
    if surface <= 0.0:
        return NOTHING
    middle = areas @ corners.mean(axis=1) / surface
    if mode == "shell":
        return Content(surface, middle, _second(corners - middle, areas / 12.0))
    volumes = _tetrahedra(corners - middle, mode)
    volume = float(volumes.sum())
    if volume <= 0.0:
        return NOTHING
    # a tetrahedron's centre: three quarters of the way from its apex, `middle`, to its triangle's centre
    centre = middle + volumes @ (0.75 * (corners.mean(axis=1) - middle)) / volume
    # tetrahedra with their apex in the centre, V/20 (Σ x xᵀ + (Σ x)(Σ x)ᵀ) each; without signs, their sum is another
    volumes = _tetrahedra(corners - centre, mode)
    return Content(float(volumes.sum()), centre, _second(corners - centre, volumes / 20.0))


def _tetrahedra(corners: Floats, mode: str) -> Floats:
    """Return the volumes of the tetrahedra between the origin and each triangle (f, 3, 3)."""
    volumes: Floats = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    if mode == "legacy":
        return np.asarray(np.abs(volumes))
    return np.asarray(volumes * np.sign(volumes.sum()))  # a negative scale turns the triangles round


def _second(corners: Floats, weights: Floats) -> Floats:
    """Return Σ w (Σ x xᵀ + (Σ x)(Σ x)ᵀ) over triangles (f, 3, 3)."""
    points = [corners[:, 0], corners[:, 1], corners[:, 2], corners.sum(axis=1)]
    return np.asarray(sum(np.einsum("i,ij,ik->jk", weights, x, x) for x in points))


def solid_content(kind: str, size: tuple[float, ...]) -> Content:
    """Return what a geom contains; its size as MJCF has it: radii and halves of lengths."""
    match kind:
        case "sphere" | "ellipsoid":
            x, y, z = (*size, *size[:1] * 2)[:3]
            volume = 4.0 / 3.0 * math.pi * x * y * z
            return _centred(volume, [volume * each * each / 5.0 for each in (x, y, z)])
        case "box":
            x, y, z = size
            volume = 8.0 * x * y * z
            return _centred(volume, [volume * each * each / 3.0 for each in size])
        case "cylinder":
            r, half = size
            volume = 2.0 * math.pi * r * r * half
            return _centred(volume, [volume * r * r / 4.0] * 2 + [volume * half * half / 3.0])
        case "capsule":
            r, half = size
            body, ball = solid_content("cylinder", size), solid_content("sphere", (r,))
            # ∫ z² of half a ball whose flat side is at `half`: m (half² + ¾ r half + r²/5)
            along = ball.amount * (half * half + 0.75 * r * half + r * r / 5.0)
            across = body.second[0, 0] + ball.second[0, 0]
            return _centred(body.amount + ball.amount, [across, across, body.second[2, 2] + along])
        case _:
            return NOTHING


def shell_content(kind: str, size: tuple[float, ...]) -> Content:
    """Return the surface of a geom, as if it were a thin skin."""
    match kind:
        case "sphere":
            area = 4.0 * math.pi * size[0] ** 2
            return _centred(area, [area * size[0] ** 2 / 3.0] * 3)
        case "ellipsoid":
            return _ellipsoid_shell(size)
        case "box":
            pairs = [(i, 8.0 * size[j] * size[k]) for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
            moments = [
                sum(area * size[axis] ** 2 * (1.0 if axis == normal else 1.0 / 3.0) for normal, area in pairs)
                for axis in range(3)
            ]
            return _centred(sum(area for _normal, area in pairs), moments)
        case "cylinder" | "capsule":
            r, half = size
            side = 4.0 * math.pi * r * half
            ends = 2.0 * math.pi * r * r * (1.0 if kind == "cylinder" else 2.0)
            # ∫ x² of a disc: m r²/4, of half a sphere: m r²/3
            # ∫ z² of half a sphere on top of `half`: m (half² + r half + r²/3)
            across = side * r * r / 2.0 + ends * r * r * (0.25 if kind == "cylinder" else 1.0 / 3.0)
            lift = 0.0 if kind == "cylinder" else r * half + r * r / 3.0
            return _centred(side + ends, [across, across, side * half * half / 3.0 + ends * (half * half + lift)])
        case _:
            return NOTHING


def _ellipsoid_shell(size: tuple[float, ...]) -> Content:
    """Return the skin of an ellipsoid: Knud Thomsen's surface, and the moments between it and one a little larger."""
    x, y, z = (each**KNUD_THOMSEN for each in size)
    area = 4.0 * math.pi * ((x * y + y * z + z * x) / 3.0) ** (1.0 / KNUD_THOMSEN)
    inner = solid_content("ellipsoid", size)
    outer = solid_content("ellipsoid", (size[0] + SKIN, size[1] + SKIN, size[2] + SKIN))
    scale = area / (outer.amount - inner.amount)
    return Content(area, np.zeros(3), (outer.second - inner.second) * scale)


def _centred(amount: float, moments: list[float]) -> Content:
    return Content(amount, np.zeros(3), np.diag(moments))


def fitted(kind: str, content: Content, scale: float) -> tuple[float, ...]:
    """Return the size of a geom that has about the moments of a mesh, times `scale`."""
    x, y, z = content.half_box().tolist()
    radius = (x + y) / 2.0
    sizes = {
        "sphere": ((x + y + z) / 3.0,),
        "capsule": (radius, max(0.0, z - radius / 2.0)),
        "cylinder": (radius, z),
    }
    return tuple(scale * each for each in sizes.get(kind, (x, y, z)))


class InertiaRules(NamedTuple):
    """What <compiler> makes of the inertias of all bodies."""

    from_geoms: str = "auto"
    """Whether geoms count where a body states its inertia ("true"), or never ("false")."""
    groups: tuple[float, float] = (0.0, 5.0)
    """The first and last group of geoms that weigh something."""
    total: float = -1.0
    """kg of the whole model, if > 0."""
    least_mass: float = 0.0
    least_moment: float = 0.0
    is_balanced: bool = False
    """Whether principal moments that no body has become equal."""

    def applied(self, inertia: Inertia) -> Inertia:
        """Return the inertia of a body with the least mass and principal moments that one may have."""
        mass = max(inertia.mass, self.least_mass)
        if self.least_moment <= 0.0:
            return inertia if mass == inertia.mass else Inertia(mass, inertia.com, inertia.matrix)
        moments, axes = np.linalg.eigh(inertia.matrix)
        return Inertia(mass, inertia.com, (axes * np.maximum(moments, self.least_moment)) @ axes.T)

    def balanced(self, matrix: Floats) -> Floats:
        """Return an inertia matrix, or a multiple of one where no body has its principal moments."""
        moments = np.linalg.eigvalsh(matrix)
        if self.is_balanced and moments[0] + moments[1] < moments[2]:
            return np.asarray(np.eye(3) * moments.mean())
        return matrix
