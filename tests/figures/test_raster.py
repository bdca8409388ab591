from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.figures.raster import NOTHING, Triangles, nearest, new_painting, painted, projected
from armlab.figures.style import new_figure

WIDE, HIGH = 40, 30


def _slow_nearest(corners: Floats, width: int, height: int) -> Floats:
    """The same question answered pixel by pixel, with barycentric coordinates; no ties."""
    found = np.full((height, width), -1)
    for row in range(height):
        for column in range(width):
            best = np.inf
            for k, corner in enumerate(corners):
                A = np.vstack([corner[:, :2].T, np.ones(3)])
                share = np.linalg.solve(A, [column + 0.5, row + 0.5, 1.0])
                depth = float(share @ corner[:, 2])
                if (share >= 0.0).all() and depth < best:
                    best, found[row, column] = depth, k
    return found


def _triangles(corners: Floats, colour: tuple[float, float, float] = (1.0, 0.0, 0.0)) -> Triangles:
    return Triangles(corners, np.tile(colour, (len(corners), 1)), np.ones((len(corners), 3)))


@pytest.mark.parametrize("seed", range(4))
def test_each_pixel_shows_the_triangle_that_is_nearest_at_its_centre(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = rng.uniform([-10, -10, -1], [WIDE + 10, HIGH + 10, 1], (7, 3, 3))
    np.testing.assert_array_equal(nearest(corners, WIDE, HIGH), _slow_nearest(corners, WIDE, HIGH))


def test_triangles_that_share_an_edge_leave_no_gap_between_them() -> None:
    a, b, c, d = [0, 0, 0], [8, 0.5, 0], [8, 8, 0], [0, 8, 0]
    found = nearest(np.array([[a, b, c], [a, c, d]], dtype=float), 8, 8)
    assert (found[1:] >= 0).all()


def test_triangles_that_pass_through_one_another_are_parted_where_they_meet() -> None:
    level = [[-50, -50, 0.0], [90, -50, 0.0], [20, 90, 0.0]]
    tilted = [[-50, -50, -70.0], [90, -50, 70.0], [20, 90, 0.0]]  # depth = x - 20
    found = nearest(np.array([level, tilted]), WIDE, HIGH)
    assert (found[:, :19] == 1).all()
    assert (found[:, 21:] == 0).all()


def test_what_is_beside_the_picture_is_not_in_it() -> None:
    aside = np.array([[[50, 5, 0], [60, 5, 0], [55, 20, 0]]], dtype=float)
    assert (nearest(aside, WIDE, HIGH) == -1).all()
    assert (nearest(NOTHING.corners, WIDE, HIGH) == -1).all()


def test_light_goes_evenly_from_corner_to_corner_and_edges_are_smooth() -> None:
    corners = np.array([[[0, 0, 0], [20, 0, 0], [0, 20, 0]]], dtype=float)
    triangles = Triangles(corners, np.array([[1.0, 0.5, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
    picture = painted(triangles, corners, 20, 20, 2).astype(float)
    np.testing.assert_allclose(picture[0, :18, 0], (np.arange(18) + 0.5) / 20 * 255, atol=2.0)
    np.testing.assert_allclose(picture[0, :18, 1], (np.arange(18) + 0.5) / 40 * 255, atol=2.0)
    assert picture[5, 5, 3] == 255
    assert picture[15, 15, 3] == 0
    assert 0 < picture[10, 9, 3] < 255


def test_a_painting_is_where_matplotlib_puts_the_same_point() -> None:
    figure = new_figure(4.0, 4.0, layout=None)
    axes: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d", computed_zorder=False)
    axes.set(xlim=(0, 10), ylim=(0, 10), zlim=(0, 10))
    axes.set_axis_off()
    point = np.array([8.0, 3.0, 9.0])
    painting: Any = new_painting(zorder=5)
    axes.add_artist(painting)
    canvas: Any = figure.canvas

    def pixel() -> list[int]:
        canvas.draw()
        x, y = axes.transData.transform(projected(np.asarray(axes.M), point)[:2])
        picture = np.asarray(canvas.buffer_rgba())
        values: list[int] = picture[picture.shape[0] - 1 - int(y), int(x), :3].tolist()
        return values

    assert pixel() == [255, 255, 255]
    (marker,) = axes.plot(*point[:, None], "s", color=(0.0, 0.0, 1.0), markersize=5)
    assert pixel() == [0, 0, 255]
    marker.remove()
    side = point + np.array([[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.0, 0.0, 0.8]])
    painting.show(_triangles(np.array([side])))
    assert pixel() == [255, 0, 0]
    painting.show(_triangles(np.array([side[::-1]])))  # looks away
    assert pixel() == [255, 255, 255]
    painting.show(NOTHING)
    assert pixel() == [255, 255, 255]
    painting.show(_triangles(np.array([side + np.array([0.0, 0.0, 40.0])])))  # above the figure's edge
    assert pixel() == [255, 255, 255]
