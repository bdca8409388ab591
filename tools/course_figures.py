"""Draw the figures of the lab sheets: docs/images/course/lab-01.png … lab-10.png.

python tools/course_figures.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import armlab
from armlab import pose
from armlab.figures.arm import draw_arm, draw_path
from armlab.figures.compare import draw_comparison
from armlab.figures.convergence import draw_convergence
from armlab.figures.sensing import draw_imu
from armlab.figures.trajectory import draw_trajectory
from armlab.program.prepare import cell_of
from armlab.sensing.experiments import carousel
from armlab.sim.compare import compare
from armlab.studies.papers.s1 import GCODE, executed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "course"
DOTS_PER_INCH = 70


def elbows() -> Figure:
    """Both elbows of a target."""
    robot = armlab.load("planar2")
    return draw_path(robot, [one.q for one in armlab.all_ik(robot, pose.from_xyz([0.32, 0.18, 0.0]))])


def steps() -> Figure:
    """A run of Levenberg–Marquardt."""
    robot = armlab.load("planar3")
    return draw_convergence(armlab.lm_trace(robot, pose.from_xyz([-0.010, 0.035, 0.0]), np.radians([30, 30, 20])))


def motion() -> Figure:
    """A motion with limited jerk."""
    robot = armlab.load("planar2")
    return draw_trajectory(armlab.plan_joint(robot, np.radians([[0, 0], [90, 10]])), robot, armlab.limits_of(robot))


def program() -> Figure:
    """The path of a G-code program."""
    cell = cell_of("scara", None)
    q = [piece.trajectory.sample(piece.trajectory.times(0.01)).q for piece in executed(cell, GCODE)]
    return draw_path(cell.robot, np.concatenate(q))


def around() -> Figure:
    """An arm that draws back, turns, and reaches out again."""
    robot = armlab.load("kuka-kr6-r700")
    stops = [[0, -60, 90, 0, 60, 0], [0, -135, 110, 0, 60, 0], [70, -135, 110, 0, 60, 0], [70, -60, 90, 0, 60, 0]]
    plan = armlab.plan_joint(robot, np.radians(stops))
    return draw_path(robot, plan.sample(plan.times(0.02)).q)


def zero_off() -> Figure:
    """The same path with a joint zero that is off by 1°."""
    robot = armlab.load("planar2")
    share = np.linspace(0.0, 1.0, 60)[:, None]
    q = np.radians([20.0, 40.0]) + share * np.radians([60.0, 30.0])
    return draw_path(robot, np.concatenate([q, (q + np.radians([1.0, 0.0]))[::-1]]))


FIGURES: dict[int, Callable[[], Figure]] = {
    1: lambda: draw_arm(armlab.load("puma560"), armlab.load("puma560").home),
    2: lambda: draw_arm(armlab.load("planar2"), np.radians([30, 45])),
    3: elbows,
    4: steps,
    5: motion,
    6: program,
    7: lambda: draw_comparison(compare(armlab.load("scara"))),
    8: around,
    9: lambda: draw_imu(carousel().records[0]),
    10: zero_off,
}


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, draw in FIGURES.items():
        path = FOLDER / f"lab-{number:02d}.png"
        draw().savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
        print(path.name)


if __name__ == "__main__":
    main()
