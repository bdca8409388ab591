from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.figures.style import new_figure
from armlab.figures.window import ArmWindow, can_open_window, open_window
from armlab.model.robot import Robot


def _window(robot: Robot, **options: Any) -> ArmWindow:
    return ArmWindow(new_figure(11.0, 6.6, layout=None), robot, robot.home, **options)


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "scara", "planar3"])
def test_moving_a_slider_moves_the_drawn_arm_to_where_the_joints_put_it(name: str) -> None:
    arm = armlab.load(name)
    window = _window(arm)
    np.testing.assert_allclose(window.tool_point, arm.fk(arm.home)[:3, 3], atol=1e-12)
    window.sliders[0].set_val(25.0)
    expected = arm.home.copy()
    expected[0] = np.radians(25.0)
    np.testing.assert_allclose(window.q, expected, atol=1e-12)
    np.testing.assert_allclose(window.tool_point, arm.fk(expected)[:3, 3], atol=1e-12)


def test_the_read_out_is_the_pose_of_the_tool() -> None:
    window = _window(armlab.load("scara"))
    before = window.pose_text
    window.sliders[2].set_val(-120.0)  # mm
    assert window.pose_text != before
    assert "230.0 mm" in window.pose_text
    assert window.pose_text.splitlines()[0] == "tool"


def test_sliders_have_limits_and_units(robot: Robot) -> None:
    window = _window(robot, solid=False)
    turn, slide, _ = window.sliders
    assert (turn.valmin, turn.valmax) == pytest.approx(np.degrees([-2.5, 2.5]))
    assert (slide.valmin, slide.valmax) == pytest.approx((0.0, 400.0))
    assert turn.valtext.get_text().endswith("°")
    assert slide.valtext.get_text().endswith(" mm")


def test_reset_brings_the_first_pose_back(robot: Robot) -> None:
    window = _window(robot, solid=False, frames=False)
    for slider in window.sliders:
        slider.set_val(slider.valmax)
    assert not np.allclose(window.q, robot.home)
    window.reset()
    np.testing.assert_allclose(window.q, robot.home, atol=1e-12)
    np.testing.assert_allclose(window.tool_point, robot.fk(robot.home)[:3, 3], atol=1e-12)


def test_the_start_must_fit_the_arm(robot: Robot) -> None:
    with refused("wrong_shape", InvalidInput, expected="(3,)", got="(2,)"):
        ArmWindow(new_figure(11.0, 6.6, layout=None), robot, [0.0, 0.0])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a screen")
def test_without_a_display_there_is_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not can_open_window()


def test_a_backend_that_only_writes_files_opens_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(plt, "get_backend", lambda: "agg")
    assert not can_open_window()
    monkeypatch.setattr(plt, "get_backend", lambda: "TkAgg")
    assert can_open_window()


def test_the_window_is_shown_until_it_is_closed(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    shown: list[bool] = []
    monkeypatch.setattr(plt, "show", lambda *, block: shown.append(block))
    window = open_window(robot, robot.home, solid=False)
    plt.close("all")
    assert shown == [True]
    np.testing.assert_allclose(window.q, robot.home)
