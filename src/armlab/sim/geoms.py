"""Shapes as MuJoCo's geometry: exact where they are plain, convex meshes where they are not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.model import pose, solid
from armlab.model.shape import Shape
from armlab.sim.engine import engine
from armlab.sim.mechanism import origin

QUALITY = 5
"""Flat faces per quarter turn of a rounded shape."""
FIRM = (0.95, 0.99, 1e-3, 0.5, 2.0)
"""Impedance of contacts: firm, but not so hard that light things bounce."""
EVERYTHING = -1
"""All bits of a contact mask."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What touches: friction, belt speed (m/s, in the frame of the body) and the masks that say what it touches."""

    friction: float
    kind: int = EVERYTHING
    meets: int = EVERYTHING
    belt: Floats | None = None


def robot_surface(index: int, friction: float) -> Surface:
    """Return the surface of the arm with that index: it meets everything but what it holds."""
    return Surface(friction, mask(index), EVERYTHING & ~mask(index + 16))


def held_masks(index: int) -> tuple[int, int]:
    """Return the masks of a body that the arm with that index holds: it meets everything but that arm."""
    return mask(index + 16), EVERYTHING & ~mask(index)


def mask(bit: int) -> int:
    """Return a 32-bit mask with one bit, as the signed number that the engine keeps."""
    return 1 << bit if bit < 31 else -(1 << 31)


@dataclass(slots=True)
class GeomMaker:
    """Adds shapes to bodies of a specification; equal shapes share a mesh."""

    spec: Any
    timestep: float
    _meshes: dict[tuple[object, ...], str] = field(default_factory=dict)

    def add(self, body: Any, shapes: tuple[Shape, ...], surface: Surface) -> None:
        """Add shapes to a body."""
        for shape in shapes:
            place, turn = origin(shape.T_link_shape)
            geom = body.add_geom(pos=place, quat=turn, friction=(surface.friction, 0.005, 0.0001), mass=0.0)
            geom.contype, geom.conaffinity = surface.kind, surface.meets
            geom.solref, geom.solimp = (2.0 * self.timestep, 1.0), FIRM
            if surface.belt is not None:
                geom.surfacevel = (*(shape.T_link_shape[:3, :3].T @ surface.belt), 0.0, 0.0, 0.0)
            self._set_form(geom, shape)

    def _set_form(self, geom: Any, shape: Shape) -> None:
        mj = engine()
        if shape.kind == "sphere":
            geom.type, geom.size = mj.mjtGeom.mjGEOM_SPHERE, (shape.size[0], 0.0, 0.0)
        elif shape.kind == "box" and shape.size[3] == 0.0:
            geom.type, geom.size = mj.mjtGeom.mjGEOM_BOX, np.array(shape.size[:3]) / 2.0
        elif shape.kind == "cylinder" and shape.size[2] == 0.0:
            geom.type, geom.size = mj.mjtGeom.mjGEOM_CYLINDER, (shape.size[0], shape.size[1] / 2.0, 0.0)
        else:
            geom.type, geom.meshname = mj.mjtGeom.mjGEOM_MESH, self._mesh(shape)

    def _mesh(self, shape: Shape) -> str:
        points = pose.transform(pose.inverse(shape.T_link_shape), solid.mesh(shape, QUALITY).vertices)
        points = np.unique(points.round(9), axis=0)
        key = (shape.kind, points.tobytes())
        if key not in self._meshes:
            name = f"mesh{len(self._meshes)}"
            made = self.spec.add_mesh(name=name, uservert=points.ravel())
            made.inertia = engine().mjtMeshInertia.mjMESH_INERTIA_CONVEX
            self._meshes[key] = name
        return self._meshes[key]
