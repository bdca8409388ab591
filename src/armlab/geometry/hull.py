"""Convex hulls: the smallest convex solid round points, as triangles, with its planes, volume and moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.collision.convex_hull import DONE, GRID_BITS, grid_into, hull_into, supports_into
from armlab.messages import Message, _, term

LEAST_POINTS, MAX_POINTS = 4, 1_000_000
THINNEST = 3e-7
"""Points are flat if they are not thicker than this share of their longest side."""
SURFACE = 1e-8
"""How far outside a hull, as a share of its longest side, a point may be and still count as on its surface."""
CLOSE = 1e-3
"""`outer_hull` adds no more planes once no corner sticks out by more than this share of the longest side."""


class Hull(NamedTuple):
    """A convex solid by its corners and triangles, seen from outside counter-clockwise."""

    points: Floats
    """(k, 3), every one a corner of some triangle; no two the same."""
    faces: NDArray[np.int32]
    """(f, 3) indices of points; neighbours may lie in one plane."""


def convex_hull(points: ArrayLike, who: str | Message = "hull") -> Hull:
    """Return the convex hull of points (m, 3); those that are inside, or twice there, are left out.

    Which points are corners is decided exactly, on a grid of 2⁻²⁸ of the longest side.

    Raises:
        InvalidInput: if they are not numbers, too many, or lie in one plane, on one line or in one place.
    """
    array = as_floats(points, (None, 3), term("{who}: points", who=who))
    if len(array) > MAX_POINTS:
        raise InvalidInput(
            "too_many_points",
            _("{who}: {count} points given; at most {most}"),
            who=who,
            count=len(array),
            most=MAX_POINTS,
        )
    found = attempt_hull(array)
    if found is None:
        raise InvalidInput(
            "flat_hull",
            _("{who}: needs at least 4 points that are not in one plane, got {count} points"),
            who=who,
            count=len(array),
        )
    return found


def attempt_hull(points: Floats) -> Hull | None:
    """Return the convex hull of finite points (m, 3), or None if they are flat."""
    if len(points) < LEAST_POINTS:
        return None
    grid = np.empty((len(points), 3), dtype=np.int64)
    if grid_into(np.require(points, np.float64, ["C", "W"]), grid) == 0.0:
        return None
    faces = np.empty((2 * len(points) + 16, 3), dtype=np.int64)
    status, count = hull_into(grid, THINNEST * 2.0**GRID_BITS, faces)
    if status != DONE:
        return None
    corners, index = np.unique(faces[:count], return_inverse=True)
    return Hull(np.ascontiguousarray(points[corners]), index.reshape(-1, 3).astype(np.int32))


def planes(hull: Hull) -> tuple[Floats, Floats]:
    """Return normals (f, 3) and offsets (f,): a point p is inside where normals @ p ≤ offsets.

    Every plane touches the hull and has all of it below.
    """
    normals = face_normals(hull)
    offsets = np.empty(len(normals))
    supports_into(np.require(hull.points, requirements=["C", "W"]), normals, offsets)
    return normals, offsets


def face_normals(hull: Hull) -> Floats:
    """Return the unit normal (f, 3) of every triangle; one without area looks away from the middle."""
    a, b, c = (hull.points[hull.faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    thin = sizes[:, 0] <= 1e-14 * float(sizes.max())
    if thin.any():
        normals[thin] = (a + b + c)[thin] - 3.0 * hull.points.mean(axis=0)
        sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.ascontiguousarray(normals / sizes)


def contains(hull: Hull, points: Floats) -> NDArray[np.bool_]:
    """Return which of the points (k, 3) are inside the hull or on its surface."""
    normals, offsets = planes(hull)
    slack = SURFACE * float(np.ptp(hull.points, axis=0).max())
    return np.asarray((points @ normals.T <= offsets + slack).all(axis=1))


def moments(hull: Hull) -> tuple[float, Floats, Floats]:
    """Return volume, ∫p dV and ∫p pᵀ dV, exactly, as the sum over tetrahedra from the middle to each triangle."""
    middle = hull.points.mean(axis=0)
    corners = (hull.points - middle)[hull.faces]
    six_volumes = np.linalg.det(corners)
    sums = corners.sum(axis=1)
    volume = float(six_volumes.sum()) / 6.0
    first = six_volumes @ sums / 24.0
    second = np.einsum("i,ij,ik->jk", six_volumes, sums, sums) + np.einsum(
        "i,icj,ick->jk", six_volumes, corners, corners
    )
    cross = np.outer(first, middle)
    return (
        volume,
        first + volume * middle,
        second / 120.0 + cross + cross.T + volume * np.outer(middle, middle),
    )


def outer_hull(hull: Hull, most: int) -> Hull:
    """Return a hull of about `most` corners or fewer that contains `hull` and is little larger.

    It is what some of the planes of `hull` enclose: each one more cuts off the corner that sticks out furthest.
    """
    if len(hull.points) <= most:
        return hull
    normals, offsets = planes(hull)
    middle = hull.points.mean(axis=0)
    extent = float(np.ptp(hull.points, axis=0).max())
    box = np.concatenate([np.eye(3), -np.eye(3)])
    chosen, limits = box, (hull.points @ box.T).max(axis=0)
    tried = [hull]
    for _cut in range(most):
        outer = attempt_hull(_corners(chosen, limits - chosen @ middle, extent) + middle)
        if outer is None or len(outer.points) > most:
            break
        tried.append(outer)
        over = outer.points @ normals.T - offsets
        furthest = over.max(axis=1)
        if furthest.max() < CLOSE * extent:
            break
        new = np.unique(over[np.argsort(-furthest)[: 1 + len(over) // 16]].argmax(axis=1))
        chosen, limits = np.concatenate([chosen, normals[new]]), np.concatenate([limits, offsets[new]])
    # rounding may have cut off a corner in the last ones
    return next(outer for outer in reversed(tried) if outer is hull or contains(outer, hull.points).all())


def _corners(normals: Floats, distances: Floats, extent: float) -> Floats:
    """Return the corners of what planes round the origin enclose: the planes of the hull of their poles."""
    poles = attempt_hull(normals / distances[:, None])
    if poles is None:
        return np.empty((0, 3))
    across = face_normals(poles)
    corners = across / np.einsum("ij,ij->i", across, poles.points[poles.faces[:, 0]])[:, None]
    good = np.isfinite(corners).all(axis=1) & (corners @ normals.T <= distances + 1e-9 * extent).all(axis=1)
    return np.asarray(corners[good])
