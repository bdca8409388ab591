"""What a link shows where a file brings its own surface: triangles with a colour, not convex and not always closed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.geometry.solid import Mesh

CREASE = math.cos(math.radians(40.0))
"""Where faces turn by more than this at a corner, the edge is drawn sharp."""

MOST_NEIGHBOURS = 64
"""Faces round one corner that its normal is made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Visual:
    """Triangles in the frame of the link, seen from outside counter-clockwise."""

    vertices: Floats
    """(v, 3) metres."""
    faces: NDArray[np.int64]
    """(f, 3) indices of vertices."""
    colour: str | None = None
    """`#rrggbb`; where it is None the arm's palette says."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", read_only(np.asarray(self.vertices, dtype=np.float64)))
        faces = np.array(self.faces, dtype=np.int64)
        faces.setflags(write=False)
        object.__setattr__(self, "faces", faces)


def placed(visual: Visual, T: Floats) -> Visual:
    """Return the triangles moved by an affine transform (4, 4); one that mirrors also turns the faces round."""
    A = T[:3, :3]
    faces = visual.faces if np.linalg.det(A) > 0.0 else visual.faces[:, ::-1]
    return Visual(visual.vertices @ A.T + T[:3, 3], faces, visual.colour)


def clustered(visual: Visual, cell: float) -> Visual | None:
    """Return a coarser surface: corners in the same cube of side `cell` (m) become one; None if nothing is left.

    Triangles whose corners do are left out, and so is the second of two that then are the same; 0 changes nothing.
    """
    if cell <= 0.0:
        return visual
    cells = np.floor((visual.vertices - visual.vertices.min(axis=0)) / cell).astype(np.int64)
    _unique, owner = np.unique(cells @ np.array([1, 1 << 20, 1 << 40]), return_inverse=True)
    owner = owner.reshape(-1)
    counts = np.bincount(owner)
    vertices = np.stack([np.bincount(owner, column) / counts for column in visual.vertices.T], axis=1)
    faces = owner[visual.faces]
    is_whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[is_whole]
    _same, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    if len(first) == 0:
        return None
    used, faces = np.unique(faces[np.sort(first)], return_inverse=True)
    return Visual(vertices[used], faces.reshape(-1, 3), visual.colour)


def shaded(visual: Visual) -> Mesh:
    """Return the triangles with normals: smooth where the surface is round, and corners twice where it has edges."""
    corners = visual.vertices[visual.faces]
    flat = _units(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    ways = _units((np.roll(corners, -1, axis=1) - corners).reshape(-1, 3)).reshape(-1, 3, 3)
    angles = np.arccos(np.clip(-np.einsum("fck,fck->fc", ways, np.roll(ways, 1, axis=1)), -1.0, 1.0))
    weighted = (flat[:, None] * angles[..., None]).reshape(-1, 3)
    owner = visual.faces.ravel()
    smooth = _units(np.stack([np.bincount(owner, column, len(visual.vertices)) for column in weighted.T], axis=1))
    is_sharp = (np.einsum("ck,ck->c", smooth[owner], np.repeat(flat, 3, axis=0)) < CREASE).astype(np.float64)
    has_edge = np.bincount(owner, is_sharp, len(visual.vertices)) > 0.0
    split = np.flatnonzero(has_edge[owner])
    faces = owner.copy()
    faces[split] = len(visual.vertices) + np.arange(len(split))
    return Mesh(
        np.concatenate([visual.vertices, corners.reshape(-1, 3)[split]]),
        faces.reshape(-1, 3).astype(np.int32),
        np.concatenate([smooth, _creased(owner[split], np.repeat(flat, 3, axis=0)[split], weighted[split])]),
    )


def _creased(owner: NDArray[np.int64], flat: Floats, weighted: Floats) -> Floats:
    """Return normals of corners: each takes part in those of its vertex whose faces turn by less than a crease."""
    order = np.argsort(owner, kind="stable")
    owner, flat, sums = owner[order], flat[order], weighted[order].copy()
    for step in range(1, min(MOST_NEIGHBOURS, len(owner))):
        first = np.flatnonzero(owner[step:] == owner[:-step])
        if not len(first):
            break
        first = first[np.einsum("ck,ck->c", flat[first], flat[first + step]) > CREASE]
        sums[first] += weighted[order[first + step]]
        sums[first + step] += weighted[order[first]]
    out = np.empty_like(sums)
    out[order] = _units(sums)
    return out


def _units(vectors: Floats) -> Floats:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(sizes > 0.0, vectors / np.where(sizes > 0.0, sizes, 1.0), [0.0, 0.0, 1.0])


def is_closed(visual: Visual) -> bool:
    """Tell whether every edge is shared by two triangles that run along it in opposite directions."""
    a, b = visual.faces[:, [0, 1, 2]].ravel(), visual.faces[:, [1, 2, 0]].ravel()
    n = len(visual.vertices)
    there, back = np.sort(a * n + b), np.sort(b * n + a)
    return bool(np.array_equal(there, back)) and not bool((there[1:] == there[:-1]).any())


def moments(visual: Visual) -> tuple[float, Floats, Floats]:
    """Return volume, centre and second moments ∫ x xᵀ dV (3, 3) about the centre of what a closed surface contains."""
    corners = visual.vertices[visual.faces]
    shift = visual.vertices.mean(axis=0)
    a, b, c = (corners[:, i] - shift for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    if volume == 0.0:
        return 0.0, shift, np.zeros((3, 3))
    total = a + b + c
    centre = (volumes[:, None] * total).sum(axis=0) / (4.0 * volume)
    # a tetrahedron with one corner in the origin: V/20 (Σ x xᵀ + (Σ x)(Σ x)ᵀ)
    second = sum(np.einsum("i,ij,ik->jk", volumes, x, x) for x in (a, b, c, total)) / 20.0
    return volume, centre + shift, second - volume * np.outer(centre, centre)
