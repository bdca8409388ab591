from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.figures.trajectory import SERIES, draw_trajectory
from armlab.motion.joint import plan_joint
from armlab.motion.limits import limits_of
from armlab.motion.trajectory import Trajectory


def _motion(name: str) -> tuple[armlab.Robot, Trajectory]:
    robot = armlab.load(name)
    return robot, plan_joint(robot, [robot.home, robot.home + 0.3 * (robot.upper - robot.home)], scheme="quintic")


@pytest.mark.parametrize(("name", "units"), [("ur5e", ["°"]), ("planar3", ["°"]), ("scara", ["°", "mm"])])
def test_there_is_a_row_for_each_kind_of_position_each_derivative_and_the_tool(name: str, units: list[str]) -> None:
    robot, trajectory = _motion(name)
    labels = [axes.get_ylabel() for axes in draw_trajectory(trajectory, robot, limits_of(robot)).axes]
    shares = [f"{what}\n[% of limit]" for what in ("speed", "acceleration", "jerk")]
    assert labels == [*(f"position\n[{unit}]" for unit in units), *shares, "tool speed\n[mm/s]"]


def test_positions_are_shown_in_degrees_and_rates_as_shares_of_their_limits() -> None:
    robot, trajectory = _motion("ur5e")
    limits = limits_of(robot)
    axes = draw_trajectory(trajectory, robot, limits).axes
    t = np.asarray(axes[0].lines[0].get_xdata())
    assert (t[0], t[-1]) == (0.0, trajectory.duration)
    state = trajectory.sample(t)
    for i in range(robot.dof):
        np.testing.assert_allclose(np.asarray(axes[0].lines[i].get_ydata()), np.degrees(state.q[:, i]))
        np.testing.assert_allclose(np.asarray(axes[1].lines[i].get_ydata()), 100 * state.qd[:, i] / limits.velocity[i])
    speed = np.linalg.norm(np.einsum("mij,mj->mi", robot.jacobian(state.q)[:, :3], state.qd), axis=1)
    np.testing.assert_allclose(np.asarray(axes[-1].lines[0].get_ydata()), 1e3 * speed)


def test_limits_are_always_in_sight_and_have_no_joint_s_colour() -> None:
    robot, trajectory = _motion("scara")
    for axes in draw_trajectory(trajectory.stretched(10.0), robot, limits_of(robot)).axes[2:5]:
        low, high = axes.get_ylim()
        assert low < -100.0 < 100.0 < high
        edges = [line for line in axes.lines if abs(float(np.asarray(line.get_ydata())[0])) == 100.0]
        assert len(edges) == 2
        assert all(line.get_color() not in SERIES for line in edges)


def test_a_title_can_be_chosen() -> None:
    robot, trajectory = _motion("planar3")
    for title, shown in (("", f"{robot.title}: motion"), ("Carry", "Carry")):
        figure = draw_trajectory(trajectory, robot, limits_of(robot), title=title)
        assert figure.get_suptitle() == shown
