"""Which plane cuts a piece of a mesh best: both sides are clipped, hulled and measured for each plane, without Python.

The measure is the same as in armlab.formats.decompose: the empty space that one looks through from the surface.
"""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.collision.convex_hull import DONE, GRID_BITS, Ints, grid_into, hull_into
from armlab.kernels.jit import kernel

LEAST_SPEED = 1e-6
"""A ray that comes nearer to a plane more slowly than this does not leave through it."""
SLIVER = 1e-4
"""A triangle whose height is a smaller share of the hull's longest side gives no plane."""


@kernel
def _put(out: Floats, row: int, a: Floats, b: Floats, c: Floats) -> None:
    for k in range(3):
        out[row, 0, k], out[row, 1, k], out[row, 2, k] = a[k], b[k], c[k]


@kernel
def clip_into(
    triangles: Floats, normal: Floats, offset: float, slack: float, above: Floats, below: Floats
) -> tuple[int, int]:
    """Write what of the triangles (n, 3, 3) is above and below a plane into stores (2 n, 3, 3); return both numbers.

    A triangle in the plane goes with the solid under it: below where it looks up.
    """
    ups, downs = 0, 0
    height = np.empty(3)
    p, r = np.empty(3), np.empty(3)
    for i in range(triangles.shape[0]):
        t = triangles[i]
        is_up, is_down = 0, 0
        for j in range(3):
            h = t[j, 0] * normal[0] + t[j, 1] * normal[1] + t[j, 2] * normal[2] - offset
            height[j] = 0.0 if abs(h) <= slack else h
            is_up += height[j] > 0.0
            is_down += height[j] < 0.0
        if is_up == 0 and is_down == 0:
            ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
            vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
            cross = (uy * vz - uz * vy) * normal[0] + (uz * vx - ux * vz) * normal[1] + (ux * vy - uy * vx) * normal[2]
            is_down, is_up = int(cross > 0.0), int(cross <= 0.0)
        if is_down == 0:
            _put(above, ups, t[0], t[1], t[2])
            ups += 1
            continue
        if is_up == 0:
            _put(below, downs, t[0], t[1], t[2])
            downs += 1
            continue
        # the corner that is alone on its side, and where the plane crosses the two edges from it
        lone = 0
        for j in range(3):
            if (height[j] > 0.0) == (is_up == 1) and height[j] != 0.0:
                lone = j
        a, b, c = t[lone], t[(lone + 1) % 3], t[(lone + 2) % 3]
        ha, hb, hc = height[lone], height[(lone + 1) % 3], height[(lone + 2) % 3]
        for k in range(3):
            p[k] = a[k] + (b[k] - a[k]) * (ha / (ha - hb))
            r[k] = a[k] + (c[k] - a[k]) * (ha / (ha - hc))
        if is_up == 1:
            _put(above, ups, a, p, r)
            _put(below, downs, p, b, c)
            _put(below, downs + 1, p, c, r)
            ups, downs = ups + 1, downs + 2
        else:
            _put(below, downs, a, p, r)
            _put(above, ups, p, b, c)
            _put(above, ups + 1, p, c, r)
            ups, downs = ups + 2, downs + 1
    return ups, downs


@kernel
def bounding_planes(points: Floats, faces: Ints) -> Floats:
    """Return the planes (4, m: normals, offsets) of a hull's triangles (f, 3), and of the box round it.

    Slivers are left out: the normal of a triangle that is hardly wider than the hull's grid is not known well enough to
    stand for the whole hull, and its neighbours bound nearly the same place.
    """
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for face in range(faces.shape[0]):
        for j in range(3):
            for k in range(3):
                low[k] = min(low[k], points[faces[face, j], k])
                high[k] = max(high[k], points[faces[face, j], k])
    extent = max(high[0] - low[0], high[1] - low[1], high[2] - low[2])
    planes = np.zeros((4, faces.shape[0] + 6))
    for k in range(3):
        planes[k, 2 * k], planes[3, 2 * k] = 1.0, high[k]
        planes[k, 2 * k + 1], planes[3, 2 * k + 1] = -1.0, -low[k]
    used = 6
    for face in range(faces.shape[0]):
        p, q, r = points[faces[face, 0]], points[faces[face, 1]], points[faces[face, 2]]
        ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        wx, wy, wz = vx - ux, vy - uy, vz - uz
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        size = math.sqrt(x * x + y * y + z * z)
        longest = max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz)
        if size <= SLIVER * extent * math.sqrt(longest):
            continue
        planes[0, used], planes[1, used], planes[2, used] = x / size, y / size, z / size
        planes[3, used] = (x * p[0] + y * p[1] + z * p[2]) / size
        used += 1
    return planes[:, :used].copy()


@kernel
def _hull_planes(points: Floats, thinnest: float) -> Floats:
    """Return the planes (4, m) round points (n, 3); none if they are flat."""
    n = points.shape[0]
    grid, faces = np.empty((n, 3), np.int64), np.empty((2 * n + 16, 3), np.int64)
    if grid_into(points, grid) == 0.0:
        return np.empty((4, 0))
    status, count = hull_into(grid, thinnest * 2.0**GRID_BITS, faces)
    return bounding_planes(points, faces[:count]) if status == DONE else np.empty((4, 0))


@kernel
def empty_space_into(triangles: Floats, planes: Floats, samples: Floats, chosen: Ints, space: Floats) -> float:
    """Write sampled triangles (s,) and the empty space (s,) in m³ before each; return all of it.

    That is the area for which a sample stands, times the distance from it, straight outwards, to where the ray leaves
    the planes (4, f). `samples` (3, s) fill a cube evenly: where along the surface by area, and where in the triangle.
    """
    n, count = triangles.shape[0], samples.shape[1]
    sums, crosses = np.empty(n), np.empty((n, 3))
    total = 0.0
    for i in range(n):
        p, q, r = triangles[i, 0], triangles[i, 1], triangles[i, 2]
        ux, uy, uz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        vx, vy, vz = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        crosses[i, 0], crosses[i, 1], crosses[i, 2] = x, y, z
        total += math.sqrt(x * x + y * y + z * z) / 2.0
        sums[i] = total
    # rays (6, s): where they start, and which direction they have
    rays = np.zeros((6, count))
    for j in range(count):
        i = min(int(np.searchsorted(sums, samples[0, j] * total)), n - 1)
        chosen[j] = i
        u, v = samples[1, j], samples[2, j]
        if u + v > 1.0:
            u, v = 1.0 - u, 1.0 - v
        size = math.sqrt(crosses[i, 0] ** 2 + crosses[i, 1] ** 2 + crosses[i, 2] ** 2)
        for k in range(3):
            a = triangles[i, 0, k]
            rays[k, j] = a + u * (triangles[i, 1, k] - a) + v * (triangles[i, 2, k] - a)
            rays[3 + k, j] = crosses[i, k] / size if size > 0.0 else 0.0
        space[j] = np.inf
    # the first plane that each ray leaves: over the samples inside, which the processor does several of at once
    for i in range(planes.shape[1]):
        x, y, z, offset = planes[0, i], planes[1, i], planes[2, i], planes[3, i]
        for j in range(count):
            speed = x * rays[3, j] + y * rays[4, j] + z * rays[5, j]
            depth = offset - x * rays[0, j] - y * rays[1, j] - z * rays[2, j]
            away = depth / max(speed, LEAST_SPEED) if speed > LEAST_SPEED else np.inf
            space[j] = min(space[j], away)
    everything = 0.0
    for j in range(count):
        space[j] = space[j] * total / count if 0.0 < space[j] < np.inf else 0.0
        everything += space[j]
    return everything


@kernel
def _waste(triangles: Floats, samples: Floats, thinnest: float) -> float:
    """Return the root of the empty space before triangles (n, 3, 3) inside of their own hull; flat ones have none."""
    planes = _hull_planes(triangles.reshape(3 * triangles.shape[0], 3), thinnest)
    if planes.shape[1] == 0:
        return 0.0
    count = samples.shape[1]
    return math.sqrt(empty_space_into(triangles, planes, samples, np.empty(count, np.int64), np.empty(count)))


@kernel
def best_plane(triangles: Floats, planes: Floats, slack: float, samples: Floats, thinnest: float) -> tuple[int, float]:
    """Return which of the planes (m, 4: normal, offset) leaves least waste in triangles (n, 3, 3), and how much.

    The waste is the sum of the roots of both sides' empty space: one convex and one wasteful side are better than two
    that waste half as much each. -1 if every plane has all of them on one side.
    """
    n = triangles.shape[0]
    above, below = np.empty((2 * n, 3, 3)), np.empty((2 * n, 3, 3))
    best, least = -1, np.inf
    for m in range(planes.shape[0]):
        ups, downs = clip_into(triangles, planes[m, :3], planes[m, 3], slack, above, below)
        if ups == 0 or downs == 0:
            continue
        waste = _waste(above[:ups], samples, thinnest)
        if waste < least:
            waste += _waste(below[:downs], samples, thinnest)
        if waste < least:
            best, least = m, waste
    return best, least
