"""Shaded triangles on 3D axes, each pixel showing the nearest one.

Matplotlib has no depth buffer: it draws whole faces from back to front, which shows wrong things where solids touch. So
the solids of an arm are painted here, into an image as fine as the figure, which Matplotlib then puts in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.artist import Artist

FINE_DPI = 200
"""Above this many dots per inch, each dot is looked at once, below it four times, so that edges are smooth."""
_DEPTHS = 2**30


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Triangles in the coordinates of the axes, each with its colour and how bright it is at its corners."""

    corners: Floats
    """(k, 3, 3)."""
    colours: Floats
    """(k, 3) red, green, blue from 0 to 1."""
    light: Floats
    """(k, 3) factors on the colour."""


NOTHING = Triangles(np.empty((0, 3, 3)), np.empty((0, 3)), np.empty((0, 3)))


def nearest(corners: Floats, width: int, height: int) -> NDArray[np.int64]:
    """Return for each pixel (height, width) the number of the triangle that is nearest there, or -1.

    `corners` (k, 3, 3) are x, y in pixels and the depth; a pixel belongs to a triangle if its centre does.
    """
    z = corners[:, :, 2]
    span = max(float(np.ptp(z)), 1e-300) if z.size else 1.0
    row_of, rows = _expanded(*_pixels(corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1), height))
    left, right = _crossings(corners[row_of], rows.astype(np.float64) + 0.5)
    which, columns = _expanded(*_pixels(left, right, width))
    triangle, row = row_of[which], rows[which]
    slope_x, slope_y, level = _planes(corners, (z - (z.min() if z.size else 0.0)) / span)
    depth = slope_x[triangle] * (columns + 0.5) + slope_y[triangle] * (row + 0.5) + level[triangle]
    key = (np.clip(depth, 0.0, 1.0) * _DEPTHS).astype(np.int64) << 32 | triangle
    buffer = np.full(width * height, np.iinfo(np.int64).max)
    np.minimum.at(buffer, row * width + columns, key)
    found = np.where(buffer == np.iinfo(np.int64).max, -1, buffer & 0xFFFFFFFF)
    return found.reshape(height, width)


def painted(triangles: Triangles, corners: Floats, width: int, height: int, samples: int) -> NDArray[np.uint8]:
    """Return the picture (height, width, 4) of triangles whose `corners` are in pixels, as in `nearest`.

    Each pixel is the mean of `samples` × `samples` places in it.
    """
    fine = corners * np.array([samples, samples, 1.0])
    found = nearest(fine, width * samples, height * samples)
    rows, columns = np.nonzero(found >= 0)
    which = found[rows, columns]
    slope_x, slope_y, level = _planes(fine, triangles.light)
    light = slope_x[which] * (columns + 0.5) + slope_y[which] * (rows + 0.5) + level[which]
    light = np.clip(light, triangles.light.min(axis=1)[which], triangles.light.max(axis=1)[which])
    picture = np.zeros((height * samples, width * samples, 4), dtype=np.float32)
    picture[rows, columns, :3] = np.clip(triangles.colours[which] * light[:, None], 0.0, 1.0)
    picture[rows, columns, 3] = 1.0
    places = [picture[i::samples, j::samples] for i in range(samples) for j in range(samples)]
    mean = np.sum(places, axis=0) / len(places)
    mean[..., :3] /= np.maximum(mean[..., 3:], 1e-6)
    return np.asarray(mean * 255.0 + 0.5, dtype=np.uint8)


def new_painting(**looks: Any) -> Artist:
    """Return an artist for 3D axes that paints `Triangles`: its `show(triangles)` says which."""
    from matplotlib.artist import Artist, allow_rasterization

    class Painting(Artist):
        """Triangles that are drawn again whenever the axes are drawn, as they are seen then."""

        triangles = NOTHING

        def show(self, triangles: Triangles) -> None:
            self.triangles = triangles
            self.stale = True

        @allow_rasterization  # type: ignore[untyped-decorator]
        def draw(self, renderer: Any) -> None:
            if self.get_visible() and len(self.triangles.corners):
                self._paint(renderer)
            self.stale = False

        def _paint(self, renderer: Any) -> None:
            axes: Any = self.axes
            flat = projected(np.asarray(axes.M), self.triangles.corners)
            flat[..., :2] = axes.transData.transform(flat[..., :2].reshape(-1, 2)).reshape(flat.shape[0], 3, 2)
            figure = axes.get_figure(root=True)
            seen, corners = _facing(self.triangles, flat)
            if not len(corners):
                return
            low = np.maximum(np.floor(corners[..., :2].min(axis=(0, 1))), 0.0)
            high = np.minimum(np.ceil(corners[..., :2].max(axis=(0, 1))), np.ceil(figure.bbox.size))
            width, height = (high - low).astype(int).tolist()
            if width > 0 and height > 0:
                corners[..., :2] -= low
                picture = painted(seen, corners, width, height, 1 if figure.dpi > FINE_DPI else 2)
                gc = renderer.new_gc()
                renderer.draw_image(gc, *low, picture)
                gc.restore()

    painting = Painting()
    painting.set(rasterized=True, **looks)
    return painting


def projected(M: Floats, points: Floats) -> Floats:
    """Return points (…, 3) under the projection M (4, 4): x and y on the paper, z the depth."""
    whole = points @ M[:3, :3].T + M[:3, 3]
    return np.asarray(whole / (points @ M[3, :3] + M[3, 3])[..., None])


def _facing(triangles: Triangles, flat: Floats) -> tuple[Triangles, Floats]:
    """Return the triangles that look at the camera, and where they are on the paper."""
    ab, ac = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    front = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] > 1e-9
    return Triangles(triangles.corners[front], triangles.colours[front], triangles.light[front]), flat[front]


def _pixels(low: Floats, high: Floats, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first pixel whose centre is in [low, high) and how many there are, within 0 … most - 1."""
    first = np.clip(np.ceil(low - 0.5), 0, most).astype(np.int64)
    end = np.clip(np.ceil(high - 0.5), 0, most).astype(np.int64)
    return first, np.maximum(end - first, 0)


def _expanded(first: NDArray[np.int64], count: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all numbers first … first + count - 1 of each run, after the number of the run that each is from."""
    run = np.repeat(np.arange(len(count)), count)
    start = np.cumsum(count) - count
    return run, first[run] + np.arange(len(run)) - start[run]


def _crossings(corners: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return where the lines at height `y` (k,) enter and leave the triangles (k, 3, 3)."""
    order = np.argsort(corners[:, :, 1], axis=1)
    (x0, x1, x2), (y0, y1, y2) = (np.take_along_axis(corners[:, :, i], order, axis=1).T for i in (0, 1))
    along = x0 + (x2 - x0) * (y - y0) / np.maximum(y2 - y0, 1e-12)
    below = x0 + (x1 - x0) * (y - y0) / np.maximum(y1 - y0, 1e-12)
    above = x1 + (x2 - x1) * (y - y1) / np.maximum(y2 - y1, 1e-12)
    across = np.where(y < y1, below, above)
    return np.minimum(along, across), np.maximum(along, across)


def _planes(corners: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a, b, c (k,) of value = a x + b y + c, with `values` (k, 3) at the corners."""
    (ax, bx, cx), (ay, by, cy), (a, b, c) = corners[:, :, 0].T, corners[:, :, 1].T, values.T
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    slope_x = ((b - a) * (cy - ay) - (c - a) * (by - ay)) / area
    slope_y = ((c - a) * (bx - ax) - (b - a) * (cx - ax)) / area
    return slope_x, slope_y, a - slope_x * ax - slope_y * ay
