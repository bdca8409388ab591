from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.figures.arm import draw_arm, draw_path
from armlab.figures.scene import bounds_of_reach, slider_limits
from armlab.figures.style import joint_text, save_figure
from armlab.model.robot import Robot

STARTS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


def _texts(figure: Any) -> str:
    return "\n".join(text.get_text() for text in figure.texts)


def _picture(figure: Any) -> Any:
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)


@pytest.mark.parametrize("name", ["kuka-kr6-r900", "scara", "planar3", "franka-panda", "braccio"])
def test_an_arm_is_drawn_to_scale_with_its_joints_and_units(name: str) -> None:
    arm = armlab.load(name)
    figure = draw_arm(arm, arm.home)
    axes: Any = figure.axes[0]
    spans = [high - low for low, high in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    sides = axes._box_aspect  # what has no getter in Matplotlib
    np.testing.assert_allclose(sides / sides[0], np.array(spans) / spans[0], rtol=1e-9)
    assert [axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()] == ["x [mm]", "y [mm]", "z [mm]"]
    x, y, z = np.round(arm.fk(arm.home)[:3, 3] * 1e3, 1) + 0.0
    assert f"x {x:.1f}   y {y:.1f}   z {z:.1f} mm" in _texts(figure)
    for joint in arm.joints:
        assert joint.name in _texts(figure)
    low, high = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]).T
    points = arm.frames(arm.home)[:, :3, 3] * 1e3
    assert (points >= low - 1e-6).all()
    assert (points <= high + 1e-6).all()


def test_a_solid_arm_shows_the_colours_of_its_palette_and_a_stick_does_not() -> None:
    arm = armlab.load("kuka-kr6-r900")  # orange lacquer
    counts = []
    for solid in (True, False):
        red, green, blue = np.moveaxis(_picture(draw_arm(arm, arm.home, frames=False, solid=solid)), 2, 0)
        counts.append(int(((red > 180) & (green > 70) & (green < 130) & (blue < 60)).sum()))
    assert counts[0] > 3000
    assert counts[1] < counts[0] / 20


def test_frames_can_be_left_out() -> None:
    arm = armlab.load("scara")
    with_frames, without = (_picture(draw_arm(arm, arm.home, frames=frames)) for frames in (True, False))
    blue = np.array([0x00, 0x72, 0xB2])
    assert (np.abs(with_frames - blue).max(axis=2) < 8).sum() > 50
    assert (np.abs(without - blue).max(axis=2) < 8).sum() == 0


def test_an_arm_without_any_solids_is_drawn_too(robot: Robot) -> None:
    assert "turn 5.7°   slide 200 mm   bend 17.2°" in _texts(draw_arm(robot, robot.home))
    draw_path(robot, [robot.home, robot.configuration("out")])


def test_a_tool_is_drawn_where_the_flange_is() -> None:
    bare, tooled = armlab.load("ur5e"), armlab.load("ur5e", tool="gripper")
    pictures = [_picture(draw_arm(arm, arm.home, frames=False)) for arm in (bare, tooled)]
    assert (pictures[0] != pictures[1]).any()


def test_a_path_is_what_the_tool_does() -> None:
    arm = armlab.load("kuka-kr6-r900")
    rows = np.linspace(arm.home, arm.home + 0.4, 30)
    figure = draw_path(arm, rows)
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "path of the tool point"]
    drawn = np.array(line.get_data_3d()).T  # type: ignore[attr-defined]
    np.testing.assert_allclose(drawn, arm.fk(rows)[:, :3, 3] * 1e3)
    assert "path of the tool point" in _texts(figure)
    draw_path(arm, rows[:1], solid=False)


@pytest.mark.parametrize(
    ("q", "sentence"),
    [([0.0], r"expected shape \(4,\), got \(1,\)"), ([0, 0, np.nan, 0], "is not a finite number"), ("a", "not an arr")],
)
def test_wrong_joint_values_get_one_sentence(q: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        draw_arm(armlab.load("scara"), q)


def test_a_path_needs_a_row() -> None:
    with refused("empty_path", InvalidInput):
        draw_path(armlab.load("scara"), np.empty((0, 4)))


def test_the_same_arm_gives_the_same_file_in_every_format(tmp_path: Path) -> None:
    arm = armlab.load("scara")
    for suffix, start in STARTS.items():
        for name in ("a", "b"):
            save_figure(draw_arm(arm, arm.home), tmp_path / f"{name}{suffix}")
        first, second = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("a", "b"))
        assert first == second
        assert first.startswith(start)


def test_a_very_long_arm_has_a_short_title() -> None:
    arm = armlab.load("planar2")
    links = (*arm.links, *(replace(arm.links[1], name=f"more_{i}") for i in range(10)))
    joints = (*arm.joints, *(replace(arm.joints[1], name=f"j{i}") for i in range(10)))
    snake = Robot(name="snake", joints=joints, links=links, home=np.zeros(12), source="made up for tests")
    assert joint_text(snake, snake.home).endswith("   …")
    draw_arm(snake, snake.home)


def test_the_room_of_a_window_holds_the_start_and_sliders_reach_it(robot: Robot) -> None:
    beyond = robot.upper + 0.5
    lower, upper = slider_limits(robot, beyond)
    np.testing.assert_array_equal(lower, robot.lower)
    np.testing.assert_array_equal(upper, beyond)
    bounds = bounds_of_reach(robot, beyond)
    points = robot.frames(beyond)[:, :3, 3]
    assert (points >= bounds.low).all()
    assert (points <= bounds.high).all()


def test_pictures_are_made_without_pyplot_and_its_global_state(tmp_path: Path) -> None:
    code = (
        "import sys, armlab; from armlab.figures.arm import draw_arm; from armlab.figures.style import save_figure;"
        "arm = armlab.load('planar2'); save_figure(draw_arm(arm, arm.home), 'a.png');"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
