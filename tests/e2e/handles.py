"""The view as a person sees and touches it: where the handles are on the screen, and fingers to drag them by."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from e2e.bench import SETTLED
from e2e.jogging import TWO_PICTURES
from PIL import Image

from armlab.arrays import Floats

Picture: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Point: TypeAlias = tuple[float, float]

LOOKS = 20
HALF_HEIGHTS = 1.9 * 0.8 / 4
"""How long the unit of the handles is on the screen: three.js's size, times ours for a mouse, in half heights."""
ARROWS, FINGER_ARROW, RING = (0.5, 0.55, 0.6, 0.4), 0.7, 0.5
"""Where, in that unit, the head of an arrow (a finger's is larger) and a ring are."""


def picture(tab: Any) -> Picture:
    """Return the canvas as it looks now, (height, width, 3), one number per CSS pixel and colour."""
    tab.evaluate(SETTLED)
    shot = tab.locator("canvas").first.screenshot(scale="css")
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(np.int64)


def await_calm(tab: Any) -> Picture:
    """Wait until the view has drawn what there is to draw; return it."""
    before = picture(tab)
    for _ in range(LOOKS):
        now = picture(tab)
        if now.shape == before.shape and (now == before).all():
            return now
        before = now
    pytest.fail("the view never comes to rest")


def on_the_arm(tab: Any) -> tuple[float, float]:
    """Return a point of the page where the arm is: the middle of its orange."""
    now = await_calm(tab)
    rows, columns = np.nonzero((now[..., 0] - now[..., 2] > 120) & (now[..., 1] < 140))
    box = tab.locator("canvas").first.bounding_box()
    middle = np.median(rows)
    columns = columns[np.abs(rows - middle) < 2]
    return box["x"] + float(np.median(columns)), box["y"] + float(middle)


@dataclass(frozen=True)
class Arrow:
    """A handle on the screen: a point near its tip, and the direction that it points to."""

    tip: Point
    direction: Floats

    def along(self, pixels: float) -> Point:
        """Return the point that lies so many pixels beyond the tip."""
        x, y = np.array(self.tip) + pixels * self.direction
        return float(x), float(y)


def handle_arrow(tab: Any, place: Floats, axes: Floats, axis: int = 2, *, finger: bool = False) -> Arrow:
    """Return the end of an arrow of the handles at a place (mm) whose axes are columns, as the camera shows it.

    The higher end comes first; the mouse is left where it hovers over that arrow alone. A finger cannot hover.
    """
    await_view(tab)
    unit = _unit_mm(tab, place)
    shares = [FINGER_ARROW] if finger else ARROWS
    ends = [sign * share * unit * axes[:, axis] for share in shares for sign in (1, -1)]
    middle, *points = on_page(tab, [place, *(place + end for end in ends)])
    points.sort(key=lambda point: (point - middle)[1] > 0)
    found = points[0] if finger else _hovered(tab, points, "XYZ"[axis])
    return Arrow((float(found[0]), float(found[1])), (found - middle) / np.linalg.norm(found - middle))


def handle_ring(tab: Any, place: Floats) -> Arrow:
    """Return a point of the ring about the vertical at a place (mm), and the direction along it; the mouse is there."""
    await_view(tab)
    angles = np.radians(np.arange(0, 360, 5))
    circle = RING * _unit_mm(tab, place) * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    points = on_page(tab, list(place + circle))
    found = _hovered(tab, list(points), "Z")
    index = int(np.linalg.norm(points - found, axis=1).argmin())
    along = points[(index + 1) % len(points)] - found
    return Arrow((float(found[0]), float(found[1])), along / np.linalg.norm(along))


def await_view(tab: Any) -> None:
    """Wait until neither the camera nor the panels beside the view move any more."""
    corners = [1000.0 * corner for corner in np.eye(3)]
    before = on_page(tab, corners)
    for _ in range(LOOKS):
        tab.evaluate(TWO_PICTURES)
        now = on_page(tab, corners)
        if (now == before).all():
            return
        before = now
    pytest.fail("the view never comes to rest")


def _hovered(tab: Any, points: list[Floats], name: str) -> Floats:
    """Return the first of the points where the mouse is over the handle `name`, and over no other."""
    for point in points:
        tab.mouse.move(float(point[0]), float(point[1]))
        if tab.evaluate("armlab.view.value.gizmo.hovered") == name:
            return point
    pytest.fail(f"there is no handle {name} at any of {np.round(points).tolist()}")


def _unit_mm(tab: Any, place: Floats) -> float:
    """Return the length (mm) of the handles' own unit: they are as large on the screen wherever they are."""
    middle, *steps = on_page(tab, [place, *(place + np.eye(3))])
    pixels_per_mm = np.linalg.svd(np.array(steps) - middle, compute_uv=False)[0]
    return float(HALF_HEIGHTS * tab.locator("canvas").first.bounding_box()["height"] / 2 / pixels_per_mm)


def on_page(tab: Any, points: list[Floats]) -> Floats:
    """Return where on the page points of the view (mm) are, (m, 2)."""
    given = [point.tolist() for point in points]
    return np.array(tab.evaluate("points => points.map(point => armlab.view.value.onScreen(point))", given))


class Fingers:
    """Fingers on the screen of a tablet; each has a number."""

    def __init__(self, tab: Any) -> None:
        self._wire = tab.context.new_cdp_session(tab)
        self._at: dict[int, Point] = {}

    def down(self, point: Point, finger: int = 0) -> None:
        """Put a finger on the screen."""
        self._at[finger] = point
        self._tell("touchStart")

    def move(self, point: Point, finger: int = 0, *, steps: int = 8) -> None:
        """Draw a finger to a point, on a straight line."""
        start, end = np.array(self._at[finger]), np.array(point)
        for step in range(1, steps + 1):
            x, y = start + (end - start) * step / steps
            self._at[finger] = (float(x), float(y))
            self._tell("touchMove")

    def up(self, finger: int = 0) -> None:
        """Lift a finger."""
        del self._at[finger]
        self._tell("touchEnd")

    def cancel(self) -> None:
        """The system takes the touch for itself."""
        self._at.clear()
        self._tell("touchCancel")

    def _tell(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in self._at.items()]
        self._wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
