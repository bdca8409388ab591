"""The convex hull of points on an integer grid, by quickhull with exact arithmetic: no point is judged by rounding.

Coordinates are whole numbers from 0 to 2^28. The normal of three of them then needs 57 bits, and its product with a
fourth is formed in two halves, so that the side on which a point lies is always known exactly in 64-bit integers.
Points in the plane of a face count as not above it, so that no face of zero area ever comes into being.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.jit import kernel

GRID_BITS = 28
DONE, FLAT, FULL = 0, 1, 2
"""What `hull_into` returns: a hull, points that lie in one plane, a store too small, which 2 n + 16 rows never are."""

Ints = NDArray[np.int64]


@kernel
def grid_into(points: Floats, grid: Ints) -> float:
    """Write points (n, 3) as places on the grid of `hull_into`; return their longest side, 0 where there is none."""
    n = points.shape[0]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for i in range(n):
        for k in range(3):
            low[k] = min(low[k], points[i, k])
            high[k] = max(high[k], points[i, k])
    extent = max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
    if not 0.0 < extent < np.inf:
        return 0.0
    cells = float(2**GRID_BITS) / extent
    for i in range(n):
        for k in range(3):
            grid[i, k] = np.int64(np.rint((points[i, k] - low[k]) * cells))
    return float(extent)


@kernel
def _height(points: Ints, normals: Ints, faces: Ints, face: int, p: int) -> tuple[int, int]:
    """Return how far point `p` is above the plane of `face`, as high and low half: value = high 2^28 + low."""
    # n · (p - a) needs 29 + 2 · 29 bits: n is split so that no product overflows 63
    a = faces[face, 0]
    high = np.int64(0)
    low = np.int64(0)
    for k in range(3):
        d = points[p, k] - points[a, k]
        n = normals[face, k]
        high += (n >> 28) * d
        low += (n & 268435455) * d
    high += low >> 28
    return int(high), int(low & 268435455)


@kernel
def _is_above(points: Ints, normals: Ints, faces: Ints, face: int, p: int) -> bool:
    high, low = _height(points, normals, faces, face, p)
    return high > 0 or (high == 0 and low > 0)


@kernel
def _distance(points: Ints, normals: Ints, faces: Ints, face: int, p: int) -> float:
    """Return the same as a float, in grid units."""
    high, low = _height(points, normals, faces, face, p)
    x, y, z = float(normals[face, 0]), float(normals[face, 1]), float(normals[face, 2])
    return (float(high) * 268435456.0 + float(low)) / math.sqrt(x * x + y * y + z * z)


@kernel
def _set_face(points: Ints, normals: Ints, faces: Ints, face: int, a: int, b: int, c: int) -> None:
    faces[face, 0], faces[face, 1], faces[face, 2] = a, b, c
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    normals[face, 0] = uy * vz - uz * vy
    normals[face, 1] = uz * vx - ux * vz
    normals[face, 2] = ux * vy - uy * vx


@kernel
def _first_four(points: Ints, corners: Ints, thinnest: float) -> bool:
    """Put four points into `corners` that span a tetrahedron, the last below the first three; False if all are flat."""
    n = points.shape[0]
    # the two points farthest apart along an axis
    widest = np.int64(-1)
    for k in range(3):
        low, high = 0, 0
        for i in range(n):
            if points[i, k] < points[low, k]:
                low = i
            if points[i, k] > points[high, k]:
                high = i
        if points[high, k] - points[low, k] > widest:
            widest = points[high, k] - points[low, k]
            corners[0], corners[1] = low, high
    a, b = corners[0], corners[1]
    length = 0.0
    for k in range(3):
        length += float(points[b, k] - points[a, k]) ** 2
    # the third: farthest from their line
    best = 0.0
    for i in range(n):
        cross = 0.0
        for k in range(3):
            k1, k2 = (k + 1) % 3, (k + 2) % 3
            u1, u2 = points[b, k1] - points[a, k1], points[b, k2] - points[a, k2]
            v1, v2 = points[i, k1] - points[a, k1], points[i, k2] - points[a, k2]
            cross += float(u1 * v2 - u2 * v1) ** 2
        if cross > best:
            best = cross
            corners[2] = i
    if widest <= 0 or best <= thinnest * thinnest * length:
        return False
    # the fourth: farthest from the plane of the three
    face, normal = np.empty((1, 3), np.int64), np.empty((1, 3), np.int64)
    _set_face(points, normal, face, 0, a, b, corners[2])
    best, side = 0.0, 0.0
    for i in range(n):
        height = _distance(points, normal, face, 0, i)
        if abs(height) > best:
            best, side = abs(height), height
            corners[3] = i
    if best <= thinnest:
        return False
    # it has to be below them
    if side > 0.0:
        corners[1], corners[2] = corners[2], corners[1]
    return True


@kernel
def hull_into(points: Ints, thinnest: float, faces: Ints) -> tuple[int, int]:
    """Write the hull's triangles, outwards counter-clockwise, into `faces` (2 n + 16, 3); return status and number.

    `points` (n, 3) are on the grid; a hull that is not thicker than `thinnest` grid units is FLAT.
    """
    n, room = points.shape[0], faces.shape[0]
    corners = np.zeros(4, np.int64)
    if not _first_four(points, corners, thinnest):
        return FLAT, 0
    normals = np.empty((room, 3), np.int64)
    beside = np.empty((room, 3), np.int64)  # the face beyond the edge from corner i to corner i + 1
    first = np.full(room, -1, np.int64)  # the points above each face, as a list that goes on in `after`
    after = np.full(n, -1, np.int64)
    mark = np.full(room, -1, np.int64)  # the round in which a face was found visible; -2: not in use
    free, todo, listed = np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(room, np.bool_)
    edge_a, edge_b, edge_face = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    stack, made, at_corner = np.empty(room, np.int64), np.empty(room, np.int64), np.full(n, -1, np.int64)
    # the first tetrahedron, and which face is beyond which edge
    a, b, c, d = corners[0], corners[1], corners[2], corners[3]
    _set_face(points, normals, faces, 0, a, b, c)
    _set_face(points, normals, faces, 1, b, a, d)
    _set_face(points, normals, faces, 2, c, b, d)
    _set_face(points, normals, faces, 3, a, c, d)
    beside[0, 0], beside[0, 1], beside[0, 2] = 1, 2, 3
    beside[1, 0], beside[1, 1], beside[1, 2] = 0, 3, 2
    beside[2, 0], beside[2, 1], beside[2, 2] = 0, 1, 3
    beside[3, 0], beside[3, 1], beside[3, 2] = 0, 2, 1
    used, frees, todos = 4, 0, 0
    # every point above some face goes into the list of the first one (Barber, Dobkin, Huhdanpaa 1996: outside sets)
    for i in range(n):
        for face in range(4):
            if _is_above(points, normals, faces, face, i):
                after[i] = first[face]
                first[face] = i
                break
    for face in range(4):
        todo[todos] = face
        todos += 1
        listed[face] = True
    for turn in range(n):  # each turn adds a point to the hull
        # a face that still has points above it, and the highest of them, p
        while todos > 0 and (mark[todo[todos - 1]] == -2 or first[todo[todos - 1]] < 0):
            todos -= 1
            listed[todo[todos]] = False
        if todos == 0:
            break
        start = todo[todos - 1]
        p, furthest = first[start], -1.0
        i = first[start]
        while i >= 0:
            height = _distance(points, normals, faces, start, i)
            if height > furthest:
                p, furthest = i, height
            i = after[i]
        # the faces that p sees, and the edges round them
        orphans, edges, depth = np.int64(-1), 0, 1
        stack[0] = start
        mark[start] = turn
        seen = 0
        while depth > 0:
            depth -= 1
            face = stack[depth]
            # its points are without a face for now
            i = first[face]
            while i >= 0:
                following = after[i]
                if i != p:
                    after[i] = orphans
                    orphans = i
                i = following
            first[face] = -1
            made[seen] = face
            seen += 1
            for k in range(3):
                other = beside[face, k]
                if mark[other] == turn:
                    continue
                if _is_above(points, normals, faces, other, p):
                    mark[other] = turn
                    stack[depth] = other
                    depth += 1
                else:
                    edge_a[edges], edge_b[edges] = faces[face, k], faces[face, (k + 1) % 3]
                    edge_face[edges] = other
                    edges += 1
        # the visible faces are gone; their rows can be used again
        for k in range(seen):
            free[frees] = made[k]
            frees += 1
            mark[made[k]] = -2
        if used + max(edges - frees, 0) > room:
            return FULL, 0
        # a new face over each of these edges
        for e in range(edges):
            if frees > 0:
                frees -= 1
                face = free[frees]
            else:
                face = used
                used += 1
            made[e] = face
            mark[face] = -1
            first[face] = -1
            _set_face(points, normals, faces, face, edge_a[e], edge_b[e], p)
            at_corner[edge_a[e]] = face
            outer = edge_face[e]
            beside[face, 0] = outer
            for k in range(3):
                if faces[outer, k] == edge_b[e] and faces[outer, (k + 1) % 3] == edge_a[e]:
                    beside[outer, k] = face
        # new faces beside each other, round p
        for e in range(edges):
            following = at_corner[edge_b[e]]
            beside[made[e], 1] = following
            beside[following, 2] = made[e]
        # the points without a face find a new one, or are inside
        while orphans >= 0:
            orphan = int(orphans)
            orphans = after[orphan]
            for e in range(edges):
                if _is_above(points, normals, faces, made[e], orphan):
                    after[orphan] = first[made[e]]
                    first[made[e]] = orphan
                    break
        for e in range(edges):
            if first[made[e]] >= 0 and not listed[made[e]]:
                todo[todos] = made[e]
                todos += 1
                listed[made[e]] = True
    # pack what is in use
    count = 0
    for face in range(used):
        if mark[face] != -2:
            for k in range(3):
                faces[count, k] = faces[face, k]
            count += 1
    return DONE, count


@kernel
def supports_into(points: Floats, normals: Floats, offsets: Floats) -> None:
    """Write for each of the `normals` (f, 3) how far the `points` (n, 3) reach along it, into `offsets` (f,)."""
    for i in range(normals.shape[0]):
        x, y, z = normals[i, 0], normals[i, 1], normals[i, 2]
        furthest = -np.inf
        for j in range(points.shape[0]):
            furthest = max(furthest, x * points[j, 0] + y * points[j, 1] + z * points[j, 2])
        offsets[i] = furthest
