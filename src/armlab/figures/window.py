"""A window with an arm and a slider for each of its joints.

`ArmWindow` lives on any figure, also on one that no screen shows; `open_window` puts it on the screen.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.figures.scene import ArmScene, bounds_of_reach, slider_limits
from armlab.figures.style import BLUE, FAINT, INK, QUIET, decimal, in_style, plain_text, shown_name
from armlab.geometry import pose
from armlab.messages import tr
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 11.0, 6.6
_LEFT, _SLIDER, _TOP, _BOTTOM = 0.13, 0.17, 0.86, 0.32
_ROW = 0.075
"""The most height of the figure for one slider."""


class ArmWindow:
    """The sliders, the read-out of the tool's pose and the arm, on `figure`."""

    def __init__(self, figure: Figure, robot: Robot, q: ArrayLike, *, frames: bool = True, solid: bool = True) -> None:
        self.robot = robot
        self.start = as_floats(q, (robot.dof,), f"{robot.name}: q")
        self._figure = figure
        self._scales = joint_scales(robot.joints)
        bounds = bounds_of_reach(robot, self.start)
        self._scene = ArmScene(figure, robot, bounds, frames=frames, solid=solid, box=(0.37, 0.01, 0.60, 0.97))
        with in_style():
            figure.text(0.03, 0.95, shown_name(robot), fontsize=13, fontweight="bold", color=INK, va="center")
            self._pose = figure.text(0.03, 0.24, "", fontsize=10, family="monospace", color=INK, va="top")
            self.sliders = self._add_sliders()
            self._button = self._add_button()
        self._show()

    @property
    def q(self) -> Floats:
        """The joint values that the sliders stand at, in rad and m."""
        return np.asarray(np.array([slider.val for slider in self.sliders]) * self._scales)

    @property
    def tool_point(self) -> Floats:
        """The tool point (3,) as it is drawn, in metres."""
        return self._scene.tool_point

    @property
    def pose_text(self) -> str:
        """The read-out: where the tool is, in millimetres and degrees."""
        return self._pose.get_text()

    def reset(self) -> None:
        """Put all sliders back to where they were at first."""
        for slider, value in zip(self.sliders, self.start / self._scales, strict=True):
            slider.eventson = False
            slider.set_val(value)
            slider.eventson = True
        self._show()

    def _add_sliders(self) -> list[Any]:
        from matplotlib.widgets import Slider

        lower, upper = (limit / self._scales for limit in slider_limits(self.robot, self.start))
        row = min(_ROW, (_TOP - _BOTTOM) / self.robot.dof)
        sliders = []
        for i, joint in enumerate(self.robot.joints):
            axes = self._figure.add_axes((_LEFT, _TOP - (i + 0.8) * row, _SLIDER, 0.6 * row))
            unit = joint_unit(joint.kind)
            slider = Slider(
                axes,
                plain_text(joint.name),
                float(lower[i]),
                float(upper[i]),
                valinit=float(self.start[i] / self._scales[i]),
                valfmt=f"%.1f{unit}" if unit == "°" else f"%.1f {unit}",
                color=BLUE,
                track_color=FAINT,
                initcolor="none",
            )
            slider.label.set(fontsize=9, color=INK)
            slider.valtext.set(fontsize=9, color=INK)
            self._write_limits(axes, (lower[i], upper[i]))
            slider.on_changed(self._show)
            sliders.append(slider)
        return sliders

    def _write_limits(self, axes: Any, limits: tuple[float, float]) -> None:
        for x, value, side in zip((0.0, 1.0), limits, ("left", "right"), strict=True):
            axes.text(
                x, -0.05, f"{value:.0f}", transform=axes.transAxes, fontsize=7, color=QUIET, ha=side, va="top"
            )  # fmt: skip

    def _add_button(self) -> Any:
        from matplotlib.widgets import Button

        axes = self._figure.add_axes((0.03, 0.03, 0.09, 0.055))
        button = Button(axes, "Reset", color="#f1f3f5", hovercolor=FAINT)
        button.on_clicked(lambda _: self.reset())
        return button

    def _show(self, _: float | None = None) -> None:
        q = self.q
        self._scene.show(q)
        T = self.robot.fk(q)
        xyz, abc = np.round(T[:3, 3] * MM_PER_M, 1) + 0.0, np.round(pose.as_abc(T) * DEG_PER_RAD, 1) + 0.0
        abc = np.where(abc == -180.0, 180.0, abc)
        lines = [
            decimal(f"{name} {length:9.1f} {tr('mm')}    {turn} {angle:7.1f}°")
            for name, length, turn, angle in zip("XYZ", xyz, "ABC", abc, strict=True)
        ]
        self._pose.set_text(tr("tool") + "\n" + "\n".join(lines))
        self._figure.canvas.draw_idle()


def can_open_window() -> bool:
    """Tell whether there is a screen, and a way for Matplotlib to open a window on it."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import matplotlib.pyplot as plt
    from matplotlib.backends.registry import BackendFilter, backend_registry

    opening: list[str] = backend_registry.list_builtin(BackendFilter.INTERACTIVE)  # type: ignore[no-untyped-call]
    return plt.get_backend().lower() in opening


def open_window(robot: Robot, q: ArrayLike, *, frames: bool = True, solid: bool = True) -> ArmWindow:
    """Open the window and wait until it is closed; return it as it was then."""
    import matplotlib.pyplot as plt

    with in_style():
        figure = plt.figure(f"armlab: {robot.title or robot.name}", figsize=(WIDTH, HEIGHT))
        window = ArmWindow(figure, robot, q, frames=frames, solid=solid)
        plt.show(block=True)
    return window
