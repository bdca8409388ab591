"""Distance between two convex solids, from Gilbert, Johnson and Keerthi's walk over their difference.

A solid is rows of `rows` (k, 6) and a ball: the hull of all rows, thickened by a radius. A row is a section at a
height, a rectangle with rounded corners: height z, half widths between the centres of the corners, corner radius,
centre x and y. A point is a row of which only z, x and y are not zero. This form is exact for boxes, cylinders, cones,
lofts, spheres, and polyhedra, which have the flag "pointed": all their rows are points.

The walk keeps two bounds that hold whatever rounding does: `lower`, by a plane between the solids, and `upper`, by one
point of each. It stops when they decide the question that was asked. Solids that overlap without their balls have the
distance 0. `place` (12,) is the second solid's frame in the first one's: rotation row by row, then the origin.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel

Integers: TypeAlias = NDArray[np.int64]

STEPS = 96
"""The walk ends after so many steps; it seldom takes more than twenty."""
ZERO = 1e-28
"""The square of a length that is rounding, and nothing else (m²)."""
SIMPLEX_ROWS = 6
"""Rows of the workspace: four corners of the simplex, the weights of each, the nearest points of both solids."""
CORNER = 9
"""Numbers per corner: its place w = a - b in the difference, the point a of the first solid, b of the second."""
WEIGHTS, NEAREST = 4, 5
"""The rows behind the corners."""


@inlined
def support(
    rows: Floats, first: int, last: int, is_pointed: bool, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the point of a solid's core that lies farthest along (x, y, z)."""
    best, value = first, -math.inf
    if is_pointed:
        for i in range(first, last):
            along = x * rows[i, 4] + y * rows[i, 5] + z * rows[i, 0]
            if along > value:
                best, value = i, along
        px, py, pz = rows[best, 4], rows[best, 5], rows[best, 0]
    else:
        across = math.sqrt(x * x + y * y)
        ax, ay = abs(x), abs(y)
        for i in range(first, last):
            along = x * rows[i, 4] + y * rows[i, 5] + z * rows[i, 0]
            along += ax * rows[i, 1] + ay * rows[i, 2] + across * rows[i, 3]
            if along > value:
                best, value = i, along
        turn = rows[best, 3] / across if across > 0.0 else 0.0
        px = rows[best, 4] + (rows[best, 1] if x > 0.0 else -rows[best, 1]) + turn * x
        py = rows[best, 5] + (rows[best, 2] if y > 0.0 else -rows[best, 2]) + turn * y
        pz = rows[best, 0]
    return px, py, pz


@kernel
def _triangle(S: Floats, i: int, j: int, k: int, weights: Floats) -> float:
    """Write the weights of the point of a triangle nearest to the origin; return its squared distance."""
    # Ericson, Real-Time Collision Detection, 5.1.5: which corner, edge or face the origin is in front of.
    # d1…d6 are the dot products of the edges u = b - a, v = c - a with the ways from a, b, c to the origin;
    # va, vb, vc are proportional to the barycentric coordinates of the origin's projection.
    ax, ay, az = S[i, 0], S[i, 1], S[i, 2]
    bx, by, bz = S[j, 0], S[j, 1], S[j, 2]
    cx, cy, cz = S[k, 0], S[k, 1], S[k, 2]
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    d1, d2 = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    d3, d4 = -(ux * bx + uy * by + uz * bz), -(vx * bx + vy * by + vz * bz)
    d5, d6 = -(ux * cx + uy * cy + uz * cz), -(vx * cx + vy * cy + vz * cz)
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    va = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx)
    vb = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax)
    vc = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
    a, b, c = 1.0, 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        a, b = 0.0, 1.0
    elif d6 >= 0.0 and d5 <= d6:
        a, c = 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        b = d1 / (d1 - d3)
        a = 1.0 - b
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        c = d2 / (d2 - d6)
        a = 1.0 - c
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        c = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        a, b = 0.0, 1.0 - c
    else:
        whole = va + vb + vc
        if whole > 0.0:
            b, c = max(vb / whole, 0.0), max(vc / whole, 0.0)
            a = max(1.0 - b - c, 0.0)
    weights[i], weights[j], weights[k] = a, b, c
    x, y, z = a * ax + b * bx + c * cx, a * ay + b * by + c * cy, a * az + b * bz + c * cz
    squared: float = x * x + y * y + z * z
    return squared


@inlined
def _volume(S: Floats, i: int, j: int, k: int) -> float:
    """Return six times the signed volume between the origin and a triangle of corners."""
    cx = S[j, 1] * S[k, 2] - S[j, 2] * S[k, 1]
    cy = S[j, 2] * S[k, 0] - S[j, 0] * S[k, 2]
    cz = S[j, 0] * S[k, 1] - S[j, 1] * S[k, 0]
    volume: float = S[i, 0] * cx + S[i, 1] * cy + S[i, 2] * cz
    return volume


@kernel
def _tetrahedron(S: Floats, weights: Floats) -> bool:
    """Write the weights of the point of a tetrahedron nearest to the origin; return True if the origin is inside."""
    # the volumes of the tetrahedra that the origin makes with each face are its barycentric coordinates
    a, b, c, d = _volume(S, 1, 3, 2), _volume(S, 0, 2, 3), _volume(S, 0, 3, 1), _volume(S, 0, 1, 2)
    whole = a + b + c + d
    if whole < 0.0:
        a, b, c, d, whole = -a, -b, -c, -d, -whole
    if whole > 0.0 and a >= 0.0 and b >= 0.0 and c >= 0.0 and d >= 0.0:
        weights[0], weights[1], weights[2], weights[3] = a / whole, b / whole, c / whole, d / whole
        return True
    # outside: the nearest point is on a face that the origin is in front of; of a flat one, on any
    is_flat = whole <= 1e-12 * (abs(a) + abs(b) + abs(c) + abs(d))
    best, w0, w1, w2, w3 = math.inf, 1.0, 0.0, 0.0, 0.0
    for face in range(4):
        outside = a if face == 0 else b if face == 1 else c if face == 2 else d
        if outside > 0.0 and not is_flat:
            continue
        weights[face] = 0.0
        i, j, k = (1 if face == 0 else 0), (1 if face > 1 else 2), (2 if face == 3 else 3)
        squared = _triangle(S, i, j, k, weights)
        if squared < best:
            best, w0, w1, w2, w3 = squared, weights[0], weights[1], weights[2], weights[3]
    weights[0], weights[1], weights[2], weights[3] = w0, w1, w2, w3
    return False


@kernel
def _nearest(S: Floats, count: int) -> int:
    """Keep the corners that carry the point nearest to the origin, with their weights; return how many, 4 if inside."""
    weights = S[WEIGHTS]
    if count == 1:
        weights[0] = 1.0
        return 1
    if count == 2:
        ux, uy, uz = S[1, 0] - S[0, 0], S[1, 1] - S[0, 1], S[1, 2] - S[0, 2]
        along, whole = -(ux * S[0, 0] + uy * S[0, 1] + uz * S[0, 2]), ux * ux + uy * uy + uz * uz
        share = min(max(along / whole, 0.0), 1.0) if whole > 0.0 else 0.0
        weights[0], weights[1] = 1.0 - share, share
    elif count == 3:
        _triangle(S, 0, 1, 2, weights)
    elif _tetrahedron(S, weights):
        return 4
    # corners without weight carry nothing: the simplex shrinks to those that do
    kept = 0
    for i in range(count):
        if weights[i] > 0.0:
            if kept != i:
                for column in range(CORNER):
                    S[kept, column] = S[i, column]
                weights[kept] = weights[i]
            kept += 1
    return kept


@kernel
def walk(
    rows: Floats,
    one: Integers,
    other: Integers,
    place: Floats,
    enough: float,
    touching: float,
    gap: float,
    S: Floats,
) -> tuple[float, float]:
    """Return bounds (lower, upper) on the distance of two cores; `one` and `other` are first row, last row, pointed.

    The walk stops when lower > enough, when upper ≤ touching, or when upper - lower ≤ gap. `S` (6, 9) is workspace;
    afterwards its last row begins with the nearest points of both cores, in the frame of the first: with the point
    that they share, twice, if they overlap.
    """
    r0, r1, r2, r3, r4, r5 = place[0], place[1], place[2], place[3], place[4], place[5]
    r6, r7, r8, tx, ty, tz = place[6], place[7], place[8], place[9], place[10], place[11]
    answer = S[NEAREST]
    # v is the point of the difference nearest to the origin so far; it starts as the way between the two frames
    vx, vy, vz = -tx, -ty, -tz
    squared = vx * vx + vy * vy + vz * vz
    if not squared > ZERO:
        vx, vy, vz, squared = 1.0, 0.0, 0.0, 1.0
    lower, upper = -math.inf, math.inf
    count = 0
    for _ in range(STEPS):
        # the point of the difference farthest against v: a of the first solid along -v, b of the second along v
        ax, ay, az = support(rows, one[0], one[1], one[2] > 0, -vx, -vy, -vz)
        lx, ly, lz = support(
            rows, other[0], other[1], other[2] > 0,
            r0 * vx + r3 * vy + r6 * vz, r1 * vx + r4 * vy + r7 * vz, r2 * vx + r5 * vy + r8 * vz,
        )  # fmt: skip
        bx = r0 * lx + r1 * ly + r2 * lz + tx
        by = r3 * lx + r4 * ly + r5 * lz + ty
        bz = r6 * lx + r7 * ly + r8 * lz + tz
        wx, wy, wz = ax - bx, ay - by, az - bz
        # all of the difference is beyond the plane through w square to v: no solid crosses it, so that its distance
        # from the origin, v·w / |v|, is a proof that they are at least so far apart
        lower = max(lower, (vx * wx + vy * wy + vz * wz) / math.sqrt(squared))
        if lower > enough or upper - lower <= gap:
            break
        # a corner that is there already: rounding ends the walk
        repeated = False
        for i in range(count):
            repeated = repeated or (S[i, 0] == wx and S[i, 1] == wy and S[i, 2] == wz)
        if repeated:
            break
        S[count, 0], S[count, 1], S[count, 2] = wx, wy, wz
        S[count, 3], S[count, 4], S[count, 5] = ax, ay, az
        S[count, 6], S[count, 7], S[count, 8] = bx, by, bz
        # with w the simplex grows, and keeps only what carries its point nearest to the origin: the next v
        count = _nearest(S, count + 1)
        if count == 0:
            break
        x, y, z = 0.0, 0.0, 0.0
        if count < 4:
            for i in range(count):
                x += S[WEIGHTS, i] * S[i, 0]
                y += S[WEIGHTS, i] * S[i, 1]
                z += S[WEIGHTS, i] * S[i, 2]
        squared = x * x + y * y + z * z
        length = math.sqrt(squared) if squared > ZERO else 0.0
        if not length < upper:  # each step must come nearer, or it is rounding
            break
        upper = length
        for column in range(6):
            answer[column] = 0.0
            for i in range(count):
                answer[column] += S[WEIGHTS, i] * S[i, 3 + column]
        if upper <= touching or upper == 0.0:
            break
        vx, vy, vz = x, y, z
    return lower, upper
