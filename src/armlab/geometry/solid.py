"""What a convex solid is made of: its surface as triangles, its volume, its inertia, its inside.

Every solid except the sphere and the hull of points is a stack of rings: sections at growing heights, each a rectangle
with rounded corners, and between two rings everything (half widths, corner radius, centre) changes linearly. Two
neighbouring sections then have the same outward directions, so that the flat faces between them are flat indeed and
the whole is convex.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.geometry import hull, pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape, ShapeKind

QUALITY = 9
"""Flat faces per quarter turn of a round surface, unless told otherwise."""
HULL_QUALITY = 4
"""The same for the points of `hull_points`."""
DENSITY = 1200.0
"""kg/m³ of a solid arm that weighs as much as a cast housing with motors and gears in it and air between."""

KEPT = 2048
"""Of how many shapes the rings are kept."""

_SMALLEST_CORNER = 1e-3
"""The least corner radius of a loft, as a share of its smaller half width."""

_BOX_CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
_Z, _X, _Y, _R, _OX, _OY = range(6)
"""A ring's numbers: height, half widths, corner radius, centre."""


class Mesh(NamedTuple):
    """Triangles in the frame of the link: closed, seen from outside counter-clockwise.

    Where two flat faces meet in a sharp edge, the vertices on it are there twice, with one normal each.
    """

    vertices: Floats
    """(v, 3) metres."""
    faces: NDArray[np.int32]
    """(f, 3) indices of vertices."""
    normals: Floats
    """(v, 3) unit vectors outwards, smooth over round parts and bevels."""


def mesh(shape: Shape, quality: int = QUALITY) -> Mesh:
    """Return the surface of `shape`; a round surface has `quality` flat faces per quarter turn, all touching it.

    The polyhedron contains the solid: it is larger by a share of about (π / 4 quality)² / 2 of the radius.
    """
    if shape.kind == "hull":
        points, faces, normals = _flat_faces(shape.hull)
    elif shape.kind == "box" and shape.size[3] == 0.0:
        points, faces, normals = _sharp_box(shape.size)
    else:
        rings = _sphere_rings(shape.size[0], quality) if shape.kind == "sphere" else rings_of(shape)
        points, faces = _points(_with_caps(rings), quality), _faces(rings, quality)
        if shape.kind == "sphere":
            normals = points / np.linalg.norm(points, axis=-1, keepdims=True)
        else:
            normals = _normals(rings, quality)
        points, normals = points.reshape(-1, 3), normals.reshape(-1, 3)
        _turn_outward(points, faces, normals)
    R_link_shape = shape.T_link_shape[:3, :3]
    return Mesh(pose.transform(shape.T_link_shape, points), faces, normals @ R_link_shape.T)


def volume(shape: Shape) -> float:
    """Return the exact volume (m³) of the solid, not of its triangles."""
    return _moments(shape)[0]


def inertia(shapes: Sequence[Shape], *, mass: float | None = None, density: float = DENSITY) -> Inertia:
    """Return mass, centre of mass and inertia about it of solids that are one body, in the frame of the link.

    A given `mass` is spread over the volume; otherwise it comes from `density` (kg/m³). What two of the solids share
    counts twice. No solids, no volume: a given mass is then a point at the origin.
    """
    moments = [_moments(shape) for shape in shapes]
    total = sum(part[0] for part in moments)
    if total <= 0.0:
        return Inertia(mass or 0.0)
    scale = density if mass is None else mass / total
    com = sum((part[1] for part in moments), np.zeros(3)) / total
    second = sum((part[2] for part in moments), np.zeros((3, 3))) - total * np.outer(com, com)
    matrix = scale * (np.trace(second) * np.eye(3) - second)
    return Inertia(scale * total, com, 0.5 * (matrix + matrix.T))


def contains(shape: Shape, points_link: Floats) -> NDArray[np.bool_]:
    """Return which of `points_link` (k, 3) are inside the solid or on its surface."""
    p = pose.transform(pose.inverse(shape.T_link_shape), np.atleast_2d(points_link))
    if shape.kind == "sphere":
        return np.asarray(np.linalg.norm(p, axis=-1) <= shape.size[0])
    if shape.kind == "hull":
        return hull.contains(shape.hull, p)
    rings = rings_of(shape)
    x, y, r, ox, oy = (np.interp(p[:, 2], rings[:, _Z], rings[:, i]) for i in (_X, _Y, _R, _OX, _OY))
    beyond_x = np.maximum(np.abs(p[:, 0] - ox) - (x - r), 0.0)
    beyond_y = np.maximum(np.abs(p[:, 1] - oy) - (y - r), 0.0)
    level = (p[:, 2] >= rings[0, _Z]) & (p[:, 2] <= rings[-1, _Z])
    return np.asarray(level & (np.hypot(beyond_x, beyond_y) <= r + 1e-12))


def hull_points(shape: Shape) -> Floats:
    """Return points (k, 3) in the frame of the link whose hull contains the solid, and little more."""
    return pose.transform(shape.T_link_shape, surface_points(shape, HULL_QUALITY))


def surface_points(shape: Shape, quality: int = QUALITY) -> Floats:
    """Return the corners (k, 3) of `mesh`, each once, in the shape's own frame."""
    if shape.kind == "hull":
        return shape.hull.points
    if shape.kind == "box" and shape.size[3] == 0.0:
        return np.asarray(_BOX_CORNERS * shape.size[:3])
    rings = _sphere_rings(shape.size[0], quality) if shape.kind == "sphere" else rings_of(shape)
    return _points(rings, quality).reshape(-1, 3)


def rings_of(shape: Shape) -> Floats:
    """Return the rings (k, 6) of a box, cylinder or loft; an edge radius is a ring that stands back at each end."""
    return _rings(shape.kind, shape.size)


@lru_cache(maxsize=KEPT)
def _rings(kind: ShapeKind, size: tuple[float, ...]) -> Floats:
    """Return the rings of a shape; its surface, its moments and its collisions all ask for them."""
    if kind == "loft":
        bx, by, tx, ty, length, br, tr, edge, ox, oy = size
    elif kind == "cylinder":
        radius, length, edge = size
        bx = by = tx = ty = br = tr = radius
        ox = oy = 0.0
    else:
        bx, by = tx, ty = size[0] / 2, size[1] / 2
        length, edge = size[2:]
        br = tr = min(edge, bx, by)
        ox = oy = 0.0
    sharp = kind == "box" and edge == 0.0
    ends = np.array([[-length / 2, bx, by, br, 0.0, 0.0], [length / 2, tx, ty, tr, ox, oy]])
    if not sharp:
        ends[:, _R] = np.clip(ends[:, _R], _SMALLEST_CORNER * ends[:, 1:3].min(axis=1), ends[:, 1:3].min(axis=1))
    edge = min(edge, 0.45 * length, 0.5 * float(ends[:, 1:3].min()))
    if edge <= 0.0:
        return read_only(ends)
    back = ends.copy()
    back[:, 1:3] -= edge
    back[:, _R] = np.minimum(np.maximum(ends[:, _R] - edge, 0.25 * ends[:, _R]), back[:, 1:3].min(axis=1))
    share = edge / length
    return read_only(np.array([back[0], _between(ends, share), _between(ends, 1.0 - share), back[1]]))


def _between(ends: Floats, share: float) -> Floats:
    row: Floats = ends[0] + share * (ends[1] - ends[0])
    return row


def _sphere_rings(radius: float, quality: int) -> Floats:
    """Return rings round a sphere; the last ones are small and closed by a flat face that touches the pole."""
    step = math.pi / 2 / quality
    latitudes = (np.arange(2 * quality) + 0.5) * step - math.pi / 2
    rings = np.zeros((2 * quality, 6))
    outside = radius / math.cos(step / 2)
    rings[:, _Z] = outside * np.sin(latitudes)
    rings[:, _X] = rings[:, _Y] = rings[:, _R] = outside * np.cos(latitudes)
    return rings


def _with_caps(rings: Floats) -> Floats:
    """Return the rings with the first and last twice where the edge is sharp: once for the side, once for the cap."""
    return rings[[0, 0, 1, 1]] if len(rings) == 2 else rings


def _directions(quality: int) -> Floats:
    """Return the angles of the 4 q corners of a ring; the faces between them look along multiples of 90°/q."""
    return np.asarray((np.arange(4 * quality) + 0.5) * (math.pi / 2 / quality))


def _points(rings: Floats, quality: int) -> Floats:
    """Return the corners (k, 4 q, 3) of all rings."""
    c, s, sign_c, sign_s = _corners(quality)
    z, x, y, r, ox, oy = rings.T[:, :, None]
    reach = r / math.cos(math.pi / 4 / quality)
    points = np.empty((len(rings), 4 * quality, 3))
    points[..., 0] = ox + sign_c * (x - r) + reach * c
    points[..., 1] = oy + sign_s * (y - r) + reach * s
    points[..., 2] = z
    return points


@lru_cache(maxsize=32)
def _corners(quality: int) -> Floats:
    """Return cosine and sine of the corners' directions, and the signs of both, (4, 4 q)."""
    angles = _directions(quality)
    c, s = np.cos(angles), np.sin(angles)
    return read_only(np.array([c, s, np.sign(c), np.sign(s)]))


def _normals(rings: Floats, quality: int) -> Floats:
    """Return the normals (k, 4 q, 3): caps look along z, sides square to the surface, bevels from one to the other.

    The corner next to a flat face takes that face's normal, which keeps it looking flat.
    """
    rows = _with_caps(rings)
    angles = np.broadcast_to(_directions(quality), (len(rows), 4 * quality)).copy()
    half_step = math.pi / 4 / quality
    index = np.arange(4 * quality)
    quarter, place = index // quality, index % quality
    looks_along_y = (quarter + (place == quality - 1)) % 2 == 1
    width = np.where(looks_along_y, rows[:, _X, None], rows[:, _Y, None]) - rows[:, _R, None]
    turn = np.select([place == quality - 1, place == 0], [half_step, -half_step])
    angles += np.where(width > 1e-3 * rows[:, _R, None], turn, 0.0)
    c, s = np.cos(angles), np.sin(angles)
    low, high = rows[1], rows[-2]
    change = (high - low) / (high[_Z] - low[_Z])
    slope = np.abs(c) * (change[_X] - change[_R]) + np.abs(s) * (change[_Y] - change[_R]) + change[_R]
    slope += c * change[_OX] + s * change[_OY]
    normals = np.stack([c, s, -slope], axis=-1)
    normals[0], normals[-1] = (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
    return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True))


def _turn_outward(points: Floats, faces: NDArray[np.int32], normals: Floats) -> None:
    """Replace normals that look into a face beside them, on steep bevelled lofts, by ones that look into none."""
    a, b, c = (points[faces[:, i]] for i in range(3))
    areas = np.cross(b - a, c - a)
    sizes = np.linalg.norm(areas, axis=1)
    large = sizes > 1e-8 * sizes.max()
    units, corners = areas[large] / sizes[large, None], faces[large]
    looks_in = np.einsum("ij,icj->ic", units, normals[corners]) < 0.0
    for vertex in np.unique(corners[looks_in]):
        normals[vertex] = _between_faces(units[(corners == vertex).any(axis=1)])


def _between_faces(units: Floats) -> Floats:
    """Return the direction whose angle to the furthest of the face normals (k, 3) is least.

    It is one of them, or as far from two or three of them as they are from each other: all are tried.
    """
    _, first = np.unique(units.round(9), axis=0, return_index=True)
    distinct = units[first]
    pairs = [a + b for a, b in combinations(distinct, 2)]
    triples = [np.cross(b - a, c - a) for a, b, c in combinations(distinct, 3)]
    tried = np.array([*distinct, *pairs, *triples, *(-triple for triple in triples)])
    sizes = np.linalg.norm(tried, axis=1)
    tried = tried[sizes > 1e-12] / sizes[sizes > 1e-12, None]
    return np.asarray(tried[(tried @ distinct.T).min(axis=1).argmax()])


def _faces(rings: Floats, quality: int) -> NDArray[np.int32]:
    """Return the triangles between neighbouring rings, and over the first and the last."""
    rows, n = _with_caps(rings), 4 * quality
    here = np.arange(n)
    ahead = (here + 1) % n
    square = np.concatenate([np.stack([here, ahead, ahead + n], axis=1), np.stack([here, ahead + n, here + n], axis=1)])
    gaps = [k for k in range(len(rows) - 1) if rows[k + 1, _Z] > rows[k, _Z]]
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    parts = [square + k * n for k in gaps]
    return np.concatenate([fan[:, ::-1], *parts, fan + (len(rows) - 1) * n]).astype(np.int32)


def _sharp_box(size: tuple[float, ...]) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return a box with four vertices for each of its six faces."""
    corners = np.array([[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]], dtype=np.float64)
    look = np.array([1.0, 0.0, 0.0])
    turned = [sign * np.roll(corners, axis, axis=1) for axis in range(3) for sign in (1.0, -1.0)]
    normals = [sign * np.roll(look, axis) for axis in range(3) for sign in (1.0, -1.0)]
    square = np.array([[0, 1, 2], [0, 2, 3]])
    faces = [4 * i + (square if i % 2 == 0 else square[:, ::-1]) for i in range(6)]
    points = np.concatenate(turned) * np.array(size[:3]) / 2
    return points, np.concatenate(faces).astype(np.int32), np.repeat(normals, 4, axis=0)


def _flat_faces(solid_hull: hull.Hull) -> tuple[Floats, NDArray[np.int32], Floats]:
    """Return the triangles of a hull with three vertices each, that look along its normal."""
    points = solid_hull.points[solid_hull.faces].reshape(-1, 3)
    normals = np.repeat(hull.face_normals(solid_hull), 3, axis=0)
    return points, np.arange(len(points), dtype=np.int32).reshape(-1, 3), normals


def _moments(shape: Shape) -> tuple[float, Floats, Floats]:
    """Return volume, ∫p dV and ∫p pᵀ dV of the solid in the frame of the link."""
    if shape.kind == "sphere":
        size = 4.0 / 3.0 * math.pi * shape.size[0] ** 3
        first, second = np.zeros(3), np.eye(3) * size * shape.size[0] ** 2 / 5.0
    elif shape.kind == "hull":
        size, first, second = hull.moments(shape.hull)
    else:
        size, first, second = _stack_moments(rings_of(shape))
    R, p = shape.T_link_shape[:3, :3], shape.T_link_shape[:3, 3]
    turned = R @ first
    cross = np.outer(turned, p)
    return size, turned + size * p, R @ second @ R.T + cross + cross.T + size * np.outer(p, p)


_GAUSS_NODES, _GAUSS_WEIGHTS = np.array([-math.sqrt(0.6), 0.0, math.sqrt(0.6)]), np.array([5.0, 8.0, 5.0]) / 9.0


def _stack_moments(rings: Floats) -> tuple[float, Floats, Floats]:
    """Return the moments of a stack: polynomials of the height up to z⁴, so three Gauss points are exact."""
    low, high = rings[:-1, None], rings[1:, None]
    rows = (low + (high - low) * (_GAUSS_NODES[None, :, None] + 1.0) / 2.0).reshape(-1, 6)
    weight = (np.diff(rings[:, _Z])[:, None] / 2.0 * _GAUSS_WEIGHTS).ravel()
    z, x, y, r, ox, oy = rows.T
    inner = weight * (4.0 * x * y - (4.0 - math.pi) * r**2)  # weighted areas
    centre = np.array([ox, oy, z])
    second = (inner * centre) @ centre.T
    second[0, 0] += weight @ _spread(x, y, r)
    second[1, 1] += weight @ _spread(y, x, r)
    return float(inner.sum()), centre @ inner, second


def _spread(x: Floats, y: Floats, r: Floats) -> Floats:
    """Return ∫x² dA of a rectangle with half widths x, y and corner radius r about its centre."""
    # of the rectangle, less the four square corners of side r, more the quarter discs in them; c: where a corner begins
    c = x - r
    corner = (1.0 - math.pi / 4.0) * c * c + c * r / 3.0 + (1.0 / 3.0 - math.pi / 16.0) * r * r
    return 4.0 / 3.0 * x * x * x * y - 4.0 * r * r * corner
