"""Pictures in a notebook: `%load_ext armlab` lets robots, motions, simulations and figures show themselves."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.sim.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 80


def register(shell: Any) -> None:
    """Tell an IPython shell how to draw armlab's values and its figures as PNG."""
    from matplotlib.figure import Figure

    pictures = shell.display_formatter.formatters["image/png"]
    pictures.for_type(Figure, figure_png)
    pictures.for_type(Robot, robot_png)
    pictures.for_type(Simulation, simulation_png)
    pictures.for_type(Trajectory, trajectory_png)


def figure_png(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DOTS_PER_INCH)
    return stream.getvalue()


def robot_png(robot: Robot) -> bytes:
    """Return the arm at home."""
    from armlab.figures.arm import draw_arm

    return figure_png(draw_arm(robot, robot.home))


def simulation_png(simulation: Simulation) -> bytes:
    """Return the simulated arm where it is now: its links as lines."""
    from armlab.figures.style import in_style, new_figure

    figure = new_figure(4.5, 4.5)
    with in_style():
        axes = figure.add_subplot(projection="3d")
    for name in simulation.robots:
        x, y, z = simulation.state(name).frames[:, :3, 3].T
        axes.plot(x, y, z, marker="o")
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title=f"t = {simulation.time:.3f} s")
    axes.set_aspect("equal")
    return figure_png(figure)


def trajectory_png(trajectory: Trajectory) -> bytes:
    """Return joint values, speeds and accelerations over time."""
    from armlab.figures.style import in_style, new_figure

    figure = new_figure(7.0, 5.0)
    with in_style():
        rows = figure.subplots(3, 1, sharex=True)
    t = trajectory.times(max(trajectory.duration / 400.0, 1e-6))
    for axes, values, label in zip(rows, trajectory.sample(t), ("q", "q̇", "q̈"), strict=True):
        axes.plot(t, values)
        axes.set_ylabel(label)
    rows[-1].set_xlabel("t [s]")
    return figure_png(figure)
