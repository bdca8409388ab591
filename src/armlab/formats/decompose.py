"""A mesh as several convex hulls that together contain all of it: what collision checks and simulations work with.

The mesh is cut by planes, its triangles clipped, and each piece replaced by its hull. The piece that wastes most is cut
next, along the plane that leaves least waste, until the pieces are nearly convex or there are enough of them. The waste
of a piece is the empty space that one looks through from its surface: the distance from each place on it, straight
outwards, to where the ray leaves the hull, summed over the surface. It is zero for convex pieces and needs no closed
surface.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.meshes import as_mesh
from armlab.geometry import hull
from armlab.geometry.shape import Finish, Shape
from armlab.kernels.collision.cuts import best_plane, bounding_planes, empty_space_into
from armlab.messages import _
from armlab.validation import shown

PARTS = 16
MOST_PARTS = 256
MOST_CORNERS = 160
"""A part with more is replaced by a slightly larger one with fewer."""
ENOUGH = 0.01
"""Pieces whose waste is below this share of the whole hull's volume stay as they are."""

_SAMPLES = 320
_SPREAD = 1.2207440846057596 ** -np.arange(1.0, 4.0)
"""Multiples of these, modulo one, fill a cube evenly; the number solves x⁴ = x + 1."""
_SPOTS = np.ascontiguousarray(np.outer(_SPREAD, np.arange(1, _SAMPLES + 1)) % 1.0)
_TRIED_TRIANGLES = 4000
_TRIED_AT_ALL = 64_000
"""Planes are tried on this many of a piece's triangles, all cuts together on so many; a cut itself is made with all."""
_CUT_AT_ALL, _CUT_AT_LEAST, _CUT_PER_TRIANGLE = 20_000_000, 2_000_000, 20
"""No piece is cut any more once cuts were made through so many triangles; a mesh that needs more stays coarser.

A surface loses half of its triangles at each cut; loose triangles in a heap are cut themselves, and become ever more.
"""
_MOST_MERGES_TRIED = 5000
"""Hulls round two pieces that are computed at most."""
_FACE_PLANES = 12
_MERGED = 1.005
"""Two pieces become one again if that makes their volume grow by less."""
_NEAR = 0.01
"""Pieces farther apart than this share of the mesh's longest side cannot: the space between them is too large."""
_PAD = 1e-4
"""Half the thickness that a flat piece gets, as a share of the mesh's longest side."""


@dataclass(frozen=True)
class _Piece:
    triangles: Floats
    """(k, 3, 3)."""
    hull: hull.Hull | None
    """None while it is flat."""
    waste: float
    """The empty space before all of it, m³."""
    chosen: NDArray[np.int64]
    """Triangles (s,) that were sampled, and the empty space (s,) before each."""
    space: Floats

    @cached_property
    def volume(self) -> float:
        """Of the hull."""
        return 0.0 if self.hull is None else hull.moments(self.hull)[0]

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """The least and the greatest coordinates."""
        points = self.triangles.reshape(-1, 3)
        return points.min(axis=0), points.max(axis=0)


def decompose(
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    parts: int = PARTS,
    finish: Finish = "body",
    tried: int = _TRIED_TRIANGLES,
) -> tuple[Shape, ...]:
    """Return at most `parts` convex shapes, in the frame of the vertices (v, 3), that contain every triangle (f, 3).

    Planes are chosen by looking at `tried` of a piece's triangles: fewer are faster, and cut a little worse.

    Raises:
        InvalidInput: if the mesh is empty, too large or wrong, or `parts` is not 1 to 256.
    """
    if not isinstance(parts, int) or not 1 <= parts <= MOST_PARTS:
        raise InvalidInput(
            "part_count",
            _("parts must be a whole number from 1 to {most}, got {given}"),
            most=MOST_PARTS,
            given=shown(parts),
        )
    mesh = as_mesh(vertices, faces)
    extent = float(np.ptp(mesh.vertices, axis=0).max())
    pieces = [_piece(mesh.vertices[mesh.faces])]
    enough = ENOUGH * pieces[0].volume
    tried = max(min(tried, _TRIED_AT_ALL // parts), 1)
    left = min(_CUT_AT_ALL, max(_CUT_AT_LEAST, _CUT_PER_TRIANGLE * len(mesh.faces)))
    done: list[_Piece] = []
    while pieces and len(pieces) + len(done) < parts and left > 0:
        pieces.sort(key=lambda piece: piece.waste)
        piece = pieces.pop()
        left -= len(piece.triangles)
        halves = _best_cut(piece, extent, tried) if piece.waste > enough else None
        if halves is None:
            done.append(piece)
        else:
            pieces.extend(halves)
    return tuple(
        Shape("hull", (), np.eye(4), finish, points=_corners(piece, _PAD * extent))
        for piece in _merged([*done, *pieces], extent)
    )


def _piece(triangles: Floats) -> _Piece:
    found = hull.attempt_hull(triangles.reshape(-1, 3))
    if found is None:
        return _Piece(triangles, None, 0.0, np.zeros(0, dtype=np.int64), np.zeros(0))
    planes = bounding_planes(found.points, found.faces.astype(np.int64))
    chosen, space = np.empty(_SAMPLES, dtype=np.int64), np.empty(_SAMPLES)
    waste = empty_space_into(triangles, planes, _SPOTS, chosen, space)
    return _Piece(triangles, found, waste, chosen, space)


def _best_cut(piece: _Piece, extent: float, most: int) -> tuple[_Piece, _Piece] | None:
    """Return the two sides of the plane that leaves least waste, or None if no plane is of use.

    Planes are tried on at most `most` of the triangles.
    """
    step = -(-len(piece.triangles) // most)
    tried = np.ascontiguousarray(piece.triangles[::step])
    planes = _candidates(piece)
    slack = 1e-9 * extent
    best, _waste = best_plane(
        tried, np.array([[*normal, offset] for normal, offset in planes]), slack, _SPOTS, hull.THINNEST
    )
    if best < 0:
        return None
    plane = planes[best]
    above, below = _clip(piece.triangles, *plane, slack)
    return _piece(above), _piece(below)


def _candidates(piece: _Piece) -> list[tuple[Floats, float]]:
    """Return planes to cut along: through the faces with most empty space before them, and across the long axes."""
    assert piece.hull is not None
    space, corners = piece.space, piece.triangles[piece.chosen]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    offsets = np.einsum("ij,ij->i", normals, corners[:, 0])
    size = float(np.ptp(piece.hull.points, axis=0).max())
    keys = np.column_stack([normals, offsets / size]).round(2)
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(-np.bincount(group.reshape(-1), weights=space))[:_FACE_PLANES]
    planes = [(normals[i], float(offsets[i])) for i in first[order] if space[i] > 0.0]
    points = piece.hull.points
    own_axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    for axis in (*np.eye(3), *own_axes):
        low, high = float((points @ axis).min()), float((points @ axis).max())
        planes.extend((axis, low + share * (high - low)) for share in (0.25, 0.5, 0.75))
    return planes


def _clip(triangles: Floats, normal: Floats, offset: float, slack: float) -> tuple[Floats, Floats]:
    """Return what of the triangles is above and what is below the plane; those in it go with the solid under them."""
    height = triangles @ normal - offset
    height[np.abs(height) <= slack] = 0.0
    highest, lowest = height.max(axis=1), height.min(axis=1)
    level = (highest == 0.0) & (lowest == 0.0)
    flat = triangles[level]
    up = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]) @ normal > 0.0
    crossing = (highest > 0.0) & (lowest < 0.0)
    tip_side, other_side, is_up = _split(triangles[crossing], height[crossing])
    above = (triangles[(lowest >= 0.0) & ~level], flat[~up], tip_side[is_up], *(part[~is_up] for part in other_side))
    below = (triangles[(highest <= 0.0) & ~level], flat[up], tip_side[~is_up], *(part[is_up] for part in other_side))
    return np.concatenate(above), np.concatenate(below)


def _split(triangles: Floats, height: Floats) -> tuple[Floats, tuple[Floats, Floats], NDArray[np.bool_]]:
    """Return for each triangle the one at its lone corner, the two beyond the cut, and whether the lone one is up."""
    is_up = (height > 0.0).sum(axis=1) == 1
    lone = np.where(is_up, height.argmax(axis=1), height.argmin(axis=1))
    rows = np.arange(len(triangles))
    order = (lone[:, None] + np.arange(3)) % 3
    a, b, c = (triangles[rows, order[:, i]] for i in range(3))
    ha, hb, hc = (height[rows, order[:, i], None] for i in range(3))
    ab, ac = a + (b - a) * (ha / (ha - hb)), a + (c - a) * (ha / (ha - hc))
    tip = np.stack([a, ab, ac], axis=1)
    return tip, (np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)), is_up


def _merged(pieces: list[_Piece], extent: float) -> list[_Piece]:
    """Return the pieces with those made one whose common hull is hardly larger than the two."""
    kept = dict(enumerate(pieces))
    waiting = list(combinations(kept, 2))
    growths: dict[tuple[int, int], float] = {}
    tries = 0
    while True:
        for i, j in waiting:
            if tries < _MOST_MERGES_TRIED and _are_near(kept[i], kept[j], _NEAR * extent):
                tries += 1
                growths[i, j] = _growth(kept[i], kept[j])
        pair = min(growths, key=growths.__getitem__, default=None)
        if pair is None or growths[pair] >= _MERGED:
            return list(kept.values())
        one, two = (kept.pop(k) for k in pair)
        new = max(*pair, *kept, 0) + 1
        growths = {other: growth for other, growth in growths.items() if not set(other) & set(pair)}
        waiting = [(k, new) for k in kept]
        kept[new] = _piece(np.concatenate([one.triangles, two.triangles]))


def _are_near(one: _Piece, two: _Piece, distance: float) -> bool:
    """Return whether the boxes round two pieces with an inside are no farther apart than `distance`."""
    if one.hull is None or two.hull is None:
        return False
    (low, high), (other_low, other_high) = one.box, two.box
    return bool((low <= other_high + distance).all() and (other_low <= high + distance).all())


def _growth(one: _Piece, two: _Piece) -> float:
    """Return the volume of the hull round two pieces, as a share of their own hulls' volumes."""
    assert one.hull is not None
    assert two.hull is not None
    both = hull.attempt_hull(np.concatenate([one.hull.points, two.hull.points]))
    return hull.moments(both)[0] / (one.volume + two.volume) if both else np.inf


def _corners(piece: _Piece, pad: float) -> Floats:
    """Return not too many corners of a hull round the piece; one that is flat, or nearly so, is padded first."""
    around = piece.hull
    if around is None or _thickness(around.points) < pad:
        around = hull.convex_hull(_padded(piece, pad), "mesh")
    return hull.outer_hull(around, MOST_CORNERS).points


def _thickness(points: Floats) -> float:
    """Return the least extent of points (k, 3) along their own axes."""
    centred = points - points.mean(axis=0)
    _values, axes = np.linalg.eigh(centred.T @ centred)
    return float(np.ptp(centred @ axes, axis=0).min())


def _padded(piece: _Piece, pad: float) -> Floats:
    points = piece.triangles.reshape(-1, 3)
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return np.asarray((points[:, None] + pad * signs @ axes).reshape(-1, 3))
