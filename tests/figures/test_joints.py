from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armlab
from armlab.errors import InvalidInput
from armlab.figures.joints import draw_joints
from armlab.model.robot import Robot

T = np.linspace(0.0, 2.0, 21)


def _motion(robot: Robot) -> Any:
    return robot.home + 0.1 * np.sin(T)[:, None] * np.ones(robot.dof)


def test_each_joint_has_a_row_and_each_quantity_a_column_with_its_unit() -> None:
    arm = armlab.load("scara")
    q = _motion(arm)
    figure = draw_joints(T, q, arm, qd=np.gradient(q, T, axis=0), qdd=np.zeros_like(q))
    assert len(figure.axes) == 3 * arm.dof
    assert [axes.get_title() for axes in figure.axes[:3]] == ["position", "speed", "acceleration"]
    assert [axes.get_ylabel() for axes in figure.axes[6:9]] == ["Z\n[mm]", "[mm/s]", "[mm/s²]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    np.testing.assert_allclose(np.asarray(figure.axes[0].lines[-2].get_ydata()), np.degrees(q[:, 0]))
    np.testing.assert_allclose(np.asarray(figure.axes[6].lines[-2].get_ydata()), q[:, 2] * 1e3)


def test_limits_are_in_sight_and_shaded() -> None:
    arm = armlab.load("franka-panda")
    for i, axes in enumerate(draw_joints(T, _motion(arm), arm).axes):
        low, high = axes.get_ylim()
        lower, upper = np.degrees([arm.lower[i], arm.upper[i]])
        assert low < lower < upper < high
        assert len(axes.patches) == 2


def test_limits_that_nobody_states_are_not_drawn(robot: Robot) -> None:
    q = _motion(robot)
    figure = draw_joints(T, q, robot, qdd=np.zeros_like(q))
    assert all(not axes.patches for axes in figure.axes[1::2])
    assert np.isfinite([axes.get_ylim() for axes in figure.axes]).all()


def test_what_is_outside_its_limits_is_marked(robot: Robot) -> None:
    q = _motion(robot)
    q[5, 0] = robot.upper[0] + 0.2
    outside = [np.asarray(axes.lines[-1].get_ydata()) for axes in draw_joints(T, q, robot).axes]
    assert np.flatnonzero(np.isfinite(outside[0])).tolist() == [5]
    assert np.isnan(outside[1]).all()
    assert np.isnan(outside[2]).all()


@pytest.mark.parametrize(
    ("t", "q", "sentence"),
    [
        ([0.0, 1.0], np.zeros((3, 3)), r"expected shape \(2, 3\), got \(3, 3\)"),
        ([0.0, 0.0], np.zeros((2, 3)), "each later than the one before"),
        ([0.0], np.zeros((1, 3)), "at least two times"),
        ([0.0, np.inf], np.zeros((2, 3)), "not a finite number"),
    ],
)
def test_times_grow_and_shapes_fit(robot: Robot, t: Any, q: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        draw_joints(t, q, robot)
