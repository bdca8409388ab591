"""An arm on 3D axes that can be shown at one pose after another: for pictures, paths, animations and the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armlab.arrays import Floats
from armlab.figures.faces import COARSE, FINE, arm_size, arm_solids, paled, placed, shadow
from armlab.figures.raster import new_painting
from armlab.figures.style import ARM, BLUE, FAINT, GREEN, INK, ORANGE, PAPER, QUIET, in_style
from armlab.messages import tr
from armlab.model.robot import Robot
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRIAD, TOOL_TRIAD = 0.055, 0.10
"""How long the axes of a frame are drawn, as a share of the arm's size."""
MARGIN, LEAST_SPAN = 0.06, 0.45
ELEVATION, ELEVATION_FLAT, AZIMUTH_FLAT = 22.0, 52.0, -75.0
FLAT = 0.35
"""An arm whose height is below this share of its spread is looked at from further above."""
_SHADOW, _GHOST, _SKIN, _STICK, _FRAMES, _LABELS = 1, 2, 4, 5, 7, 9
"""What is drawn over what."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneBounds:
    """The box (m) that is shown, and from where: azimuth and elevation in degrees."""

    low: Floats
    high: Floats
    azimuth: float
    elevation: float


_SAMPLES, _SEED = 400, 1


class ArmScene:
    """3D axes with an arm on them, solid or as sticks, with or without its frames; `show(q)` moves it."""

    def __init__(
        self,
        figure: Figure,
        robot: Robot,
        bounds: SceneBounds,
        *,
        frames: bool = True,
        solid: bool = True,
        quality: int = FINE,
        box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 0.92),
    ) -> None:
        self.robot = robot
        self.size = arm_size(robot)
        self.axes = _new_axes(figure, bounds, box)
        self._floor = float(bounds.low[2]) * MM_PER_M
        self._solids = arm_solids(robot, quality) if solid else None
        self._has_frames = frames
        with in_style():
            self._add_artists()

    def _add_artists(self) -> None:
        axes = self.axes
        self._skin: Any = new_painting(zorder=_SKIN)
        self._shadow: Any = new_painting(zorder=_SHADOW)
        for painting in (self._skin, self._shadow):
            axes.add_artist(painting)
        self._triads = [
            axes.plot([], [], [], color=colour, linewidth=1.8, zorder=_FRAMES)[0] for colour in (ORANGE, GREEN, BLUE)
        ]
        thin = self._solids is not None
        stick: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round"}
        self._halo = axes.plot([], [], [], color=PAPER, linewidth=7.0, zorder=_STICK - 1, visible=not thin, **stick)[0]
        self._stick = axes.plot([], [], [], color=ARM, linewidth=3.6, zorder=_STICK, visible=not thin, **stick)[0]
        self._pins = axes.plot(
            [], [], [], "o", color=PAPER, markeredgecolor=INK, markersize=4.5 if thin else 7.0, zorder=_FRAMES - 1
        )[0]
        self._tool = axes.plot([], [], [], "D", color=ARM, markeredgecolor=PAPER, markersize=6.0, zorder=_LABELS)[0]
        self._names = [
            axes.text(0, 0, 0, name, color=colour, fontsize=10, fontweight="bold", ha="center", va="center")
            for name, colour in zip("xyz", (ORANGE, GREEN, BLUE), strict=True)
        ]
        for artist in (*self._triads, self._pins, *self._names):
            artist.set_visible(self._has_frames or (artist is self._pins and not thin))
        for name in self._names:
            name.set_zorder(_LABELS)

    @property
    def tool_point(self) -> Floats:
        """The tool point (3,) that is drawn, in metres."""
        return np.array([float(values[0]) for values in self._tool.get_data_3d()]) / MM_PER_M

    def show(self, q: Floats) -> None:
        """Put the arm at the joints `q`."""
        frames = self.robot.frames(q)
        points = frames[:, :3, 3] * MM_PER_M
        for line, rows in ((self._halo, points), (self._stick, points), (self._pins, points[1:-1])):
            line.set_data_3d(*rows.T)
        self._tool.set_data_3d(*points[-1:].T)
        if self._solids is not None:
            triangles = placed(self._solids, self.robot, q)
            self._skin.show(triangles)
            self._shadow.show(shadow(triangles, self._floor))
        self._show_frames(frames)

    def _show_frames(self, frames: Floats) -> None:
        lengths = np.full(len(frames), TRIAD * self.size)
        lengths[-1] = TOOL_TRIAD * self.size
        origins = np.repeat(frames[:, None, :3, 3], 3, axis=1)
        tips = origins + np.swapaxes(frames[:, :3, :3], 1, 2) * lengths[:, None, None]
        gaps = np.full_like(origins, np.nan)
        for line, rows in zip(self._triads, np.stack([origins, tips, gaps], axis=2).swapaxes(0, 1), strict=True):
            line.set_data_3d(*rows.reshape(-1, 3).T * MM_PER_M)
        beyond = (origins[-1] + (tips[-1] - origins[-1]) * 1.28) * MM_PER_M
        for name, at in zip(self._names, beyond, strict=True):
            name.set_position_3d(at)

    def add_ghost(self, q: Floats) -> None:
        """Also show the arm at `q`, pale and behind everything, and leave it there."""
        points = self.robot.frames(q)[:, :3, 3] * MM_PER_M
        if self._solids is not None:
            ghost: Any = new_painting(zorder=_GHOST)
            ghost.show(paled(placed(self._solids, self.robot, q)))
            self.axes.add_artist(ghost)
        else:
            self.axes.plot(*points.T, color=FAINT, linewidth=3.6, solid_capstyle="round", zorder=_GHOST)

    def add_path(self, points: Floats) -> None:
        """Also draw a path (m, 3) in metres, from its start (a circle) to its end (the tool's mark)."""
        x, y, z = points.T * MM_PER_M
        self.axes.plot(x, y, z, color=PAPER, linewidth=4.0, zorder=_FRAMES)
        self.axes.plot(x, y, z, color=BLUE, linewidth=1.8, zorder=_FRAMES, label=tr("path of the tool point"))
        marks: dict[str, Any] = {"linestyle": "none", "zorder": _LABELS, "markersize": 7.0}
        self.axes.plot(x[:1], y[:1], z[:1], marker="o", color=PAPER, markeredgecolor=BLUE, label=tr("start"), **marks)
        self.axes.plot(x[-1:], y[-1:], z[-1:], marker="D", color=ARM, markeredgecolor=PAPER, label=tr("end"), **marks)


def bounds_around(robot: Robot, q: Floats, *, solid: bool = True, points: Floats | None = None) -> SceneBounds:
    """Return the bounds for an arm at all of the joints `q` (m, n), and for more `points` (k, 3)."""
    solids = arm_solids(robot, COARSE) if solid else None
    inside = [robot.frames(q)[..., :3, 3].reshape(-1, 3)]
    if solids is not None:
        inside += [placed(solids, robot, row).corners.reshape(-1, 3) / MM_PER_M for row in q[:: 1 + len(q) // 40]]
    if points is not None:
        inside.append(points)
    cloud = np.concatenate(inside)
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    low[2] = min(low[2], float(robot.base[2, 3]))
    spread = float((high - low)[:2].max())
    is_flat = high[2] - low[2] < FLAT * spread
    span = float((high - low).max())
    wide = np.maximum(high - low, LEAST_SPAN * span) + 2 * MARGIN * span
    middle = (low + high) / 2
    floor = low[2]
    low, high = middle - wide / 2, middle + wide / 2
    low[2], high[2] = floor, floor + max(float(wide[2]) * (0.4 if is_flat else 1.0), 0.2 * span)
    if is_flat:
        return SceneBounds(low, high, AZIMUTH_FLAT, ELEVATION_FLAT)
    return SceneBounds(low, high, _azimuth(robot, q[-1]), ELEVATION)


def bounds_of_reach(robot: Robot, q: Floats) -> SceneBounds:
    """Return the bounds for an arm that will be moved by hand: where its frames mostly are, and where they are now."""
    rng = np.random.default_rng(_SEED)
    lower, upper = slider_limits(robot, q)
    anywhere = robot.frames(rng.uniform(lower, upper, (_SAMPLES, robot.dof)))[..., :3, 3].reshape(-1, 3)
    low, high = np.percentile(anywhere, [4.0, 96.0], axis=0)
    low[2] = max(low[2], float(robot.base[2, 3]))
    high = np.maximum(high, low)
    return bounds_around(robot, q[None], points=np.array([low, high]))


def slider_limits(robot: Robot, q: Floats) -> tuple[Floats, Floats]:
    """Return from where to where each joint can be moved by hand: between its limits, and to `q`."""
    return np.minimum(robot.lower, q), np.maximum(robot.upper, q)


def _azimuth(robot: Robot, q: Floats) -> float:
    """Return from where the arm is seen from the side and a little from the front, in steps of 15°."""
    x, y = robot.fk(q)[:2, 3] - robot.base[:2, 3]
    ahead = np.degrees(np.arctan2(y, x)) if np.hypot(x, y) > 0.05 * arm_size(robot) else 0.0
    return float(np.round((ahead - 60.0) / 15.0) * 15.0)


def _new_axes(figure: Figure, bounds: SceneBounds, box: tuple[float, float, float, float]) -> Any:
    from matplotlib.ticker import MaxNLocator

    with in_style():
        axes: Any = figure.add_axes(box, projection="3d", computed_zorder=False)
    axes.set_proj_type("persp", focal_length=1.6)
    axes.view_init(elev=bounds.elevation, azim=bounds.azimuth)
    low, high = bounds.low * MM_PER_M, bounds.high * MM_PER_M
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low)
    for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
        axis.set_pane_color((1.0, 1.0, 1.0, 1.0))
        axis.line.set_color(QUIET)
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_tick_params(labelsize=8, colors=QUIET, pad=1)
        axis.set_label_text(f"{name} [{tr('mm')}]", fontsize=9, color=INK)
    return axes
