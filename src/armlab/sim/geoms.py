"""Shapes as MuJoCo's geometry: exact where they are plain, convex meshes where they are not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import solid
from armlab.geometry.shape import Shape, ShapeKind
from armlab.messages import Message, _
from armlab.sim.engine import engine
from armlab.sim.mechanism import origin
from armlab.units import MM_PER_M

QUALITY = 5
"""Flat faces per quarter turn of a rounded shape."""
FIRM = (0.95, 0.99, 1e-3, 0.5, 2.0)
"""Impedance of contacts: firm, but not so hard that light things bounce."""
THINNEST = 2e-5
"""m: the engine takes the hull of no points that are flatter."""
SLIMMEST = 1e-6
"""Nor if they are flatter than this share of their longest side."""
ROLLING = (0.005, 0.0001)
"""m: the engine's own friction of turning on the spot and of rolling."""
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


class Owner(NamedTuple):
    """Whose a geom is: an arm's, or a body's of the scene; the other number is -1."""

    arm: int
    body: int
    is_fixed: bool
    """Whether it never moves; two that do not never touch."""


class _Geom(NamedTuple):
    name: str
    owner: Owner
    friction: float


@dataclass(slots=True)
class GeomMaker:
    """Adds shapes to bodies of a specification; equal shapes share a mesh."""

    spec: Any
    timestep: float
    _meshes: dict[tuple[object, ...], str] = field(default_factory=dict)
    _geoms: list[_Geom] = field(default_factory=list)

    def add(self, body: Any, shapes: tuple[Shape, ...], surface: Surface, owner: Owner, who: Message) -> None:
        """Add shapes to a body of the specification; `who` names it.

        Raises:
            InvalidInput: if a shape is too thin to be a solid for the engine.
        """
        for shape in shapes:
            place, turn = origin(shape.T_link_shape)
            own = _Geom(f"g{len(self._geoms)}", owner, surface.friction)
            self._geoms.append(own)
            friction = (surface.friction, *ROLLING)
            geom = body.add_geom(name=own.name, pos=place, quat=turn, friction=friction, mass=0.0)
            geom.contype, geom.conaffinity = surface.kind, surface.meets
            geom.solref, geom.solimp = (2.0 * self.timestep, 1.0), FIRM
            if surface.belt is not None:
                geom.surfacevel = (*(shape.T_link_shape[:3, :3].T @ surface.belt), 0.0, 0.0, 0.0)
            self._set_form(geom, shape, who)

    def add_frictions(self) -> dict[tuple[int, int], list[str]]:
        """Write out the contacts between surfaces of different friction; return their names by arm and body.

        The engine takes the larger of two coefficients, and so has no say for what is slippery; here two surfaces have
        the geometric mean. Where both are the same, that is what the engine takes, too.
        """
        found: dict[tuple[int, int], list[str]] = {}
        for i, one in enumerate(self._geoms):
            for other in self._geoms[:i]:
                a, b = one.owner, other.owner
                if one.friction == other.friction or a == b or (a.is_fixed and b.is_fixed) or max(a.body, b.body) < 0:
                    continue
                sliding = math.sqrt(one.friction * other.friction)
                pair = self.spec.add_pair(name=f"{one.name}.{other.name}", geomname1=one.name, geomname2=other.name)
                pair.friction = (sliding, sliding, ROLLING[0], ROLLING[1], ROLLING[1])
                pair.condim, pair.solref, pair.solimp = 3, (2.0 * self.timestep, 1.0), FIRM
                found.setdefault((max(a.arm, b.arm), max(a.body, b.body)), []).append(pair.name)
        return found

    def _set_form(self, geom: Any, shape: Shape, who: Message) -> None:
        mj = engine()
        if shape.kind == "sphere":
            geom.type, geom.size = mj.mjtGeom.mjGEOM_SPHERE, (shape.size[0], 0.0, 0.0)
        elif shape.kind == "box" and shape.size[3] == 0.0:
            geom.type, geom.size = mj.mjtGeom.mjGEOM_BOX, np.array(shape.size[:3]) / 2.0
        elif shape.kind == "cylinder" and shape.size[2] == 0.0:
            geom.type, geom.size = mj.mjtGeom.mjGEOM_CYLINDER, (shape.size[0], shape.size[1] / 2.0, 0.0)
        else:
            geom.type, geom.meshname = mj.mjtGeom.mjGEOM_MESH, self._mesh(shape, who)

    def _mesh(self, shape: Shape, who: Message) -> str:
        points = solid.surface_points(shape, QUALITY)
        _check_thickness(points, shape.kind, who)
        key = (shape.kind, points.tobytes())
        if key not in self._meshes:
            name = f"mesh{len(self._meshes)}"
            made = self.spec.add_mesh(name=name, uservert=points.ravel())
            made.inertia = engine().mjtMeshInertia.mjMESH_INERTIA_CONVEX
            self._meshes[key] = name
        return self._meshes[key]


def _check_thickness(points: Floats, kind: ShapeKind, who: Message) -> None:
    """Refuse points of which the engine can make no solid."""
    extents = np.ptp(points, axis=0)
    thickness, least = float(extents.min()), max(THINNEST, SLIMMEST * float(extents.max()))
    if thickness < least:
        raise InvalidInput(
            "shape_too_thin",
            _("{who}: a {kind} must be at least {least:g} mm thick to be simulated, got {thickness:.3g} mm"),
            who=who,
            kind=kind,
            thickness=thickness * MM_PER_M,
            least=least * MM_PER_M,
        )
