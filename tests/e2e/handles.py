"""The view as a person sees and touches it: where the handles are on the screen, and fingers to drag them by."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pytest
from e2e.jogging import TWO_PICTURES
from PIL import Image

from armlab.arrays import Floats

Picture: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Point: TypeAlias = tuple[float, float]

CHANNELS = {"red": 0, "green": 1, "blue": 2}
MANY_PX = 20
LOOKS = 20


def picture(tab: Any) -> Picture:
    """Return the canvas as it looks now, (height, width, 3), one number per CSS pixel and colour."""
    tab.evaluate(TWO_PICTURES)  # what was changed before is drawn then
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


def upper_arrow(tab: Any, plain: Picture, colour: str) -> Arrow:
    """Return the arrow of a colour that has come into the view, at its higher end."""
    points = _handle(tab, plain, colour)
    middle = np.median(points, axis=0)
    upper = points[points[:, 1] <= middle[1]]
    away = np.linalg.norm(upper - middle, axis=1)
    tip = upper[away > away.max() - 8].mean(axis=0)
    direction = (tip - middle) / np.linalg.norm(tip - middle)
    return Arrow(_on_page(tab, tip - 4.0 * direction), direction)


def ring_arrow(tab: Any, plain: Picture, colour: str) -> Arrow:
    """Return a point on the left of a ring, away from where rings cross, and the direction along it."""
    points = _handle(tab, plain, colour)
    points = points[np.argsort(points[:, 0])]
    behind, at, ahead = (points[int(share * len(points))] for share in (0.05, 0.15, 0.25))
    return Arrow(_on_page(tab, at), (ahead - behind) / np.linalg.norm(ahead - behind))


def _handle(tab: Any, plain: Picture, colour: str) -> Floats:
    """Return the pixels (m, 2) of a handle that has come into the view."""
    for _ in range(LOOKS):
        rows, columns = np.nonzero(_is_new(picture(tab), plain, colour))
        if rows.size > MANY_PX:
            return np.stack([columns, rows], axis=1).astype(np.float64)
    pytest.fail(f"no {colour} handle has come into the view")


def _on_page(tab: Any, point: Floats) -> Point:
    """Return where on the page a pixel of the view is."""
    box = tab.locator("canvas").first.bounding_box()
    return box["x"] + float(point[0]), box["y"] + float(point[1])


def _is_new(now: Picture, plain: Picture, colour: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    own = now[..., CHANNELS[colour]]
    others = [now[..., channel] for name, channel in CHANNELS.items() if name != colour]
    is_coloured = (own - others[0] > 40) & (own - others[1] > 40)
    return np.asarray((np.abs(now - plain).sum(axis=2) > 60) & is_coloured)


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
