"""What a notebook shows: light HTML without a plotting library, pictures after `%load_ext armlab`."""

from __future__ import annotations

import io
import subprocess
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import armlab
from armlab.figures.arm import draw_arm
from armlab.geometry.sketch import lines_svg


class Formatter:
    """Keeps what IPython's own formatter would."""

    def __init__(self) -> None:
        self.known: dict[type, Any] = {}

    def for_type(self, kind: type, draw: Any) -> None:
        self.known[kind] = draw


@pytest.mark.parametrize("name", ["planar2", "scara", "ur5e"])
def test_a_robot_shows_its_joints_and_a_sketch(name: str) -> None:
    robot = armlab.load(name)
    shown = robot._repr_html_()
    root = ET.fromstring(shown)
    assert len(root.findall(".//tr")) == robot.dof + 1
    assert "polyline" in shown


def test_a_trajectory_shows_a_curve_for_each_joint() -> None:
    robot = armlab.load("planar2")
    shown = armlab.plan_joint(robot, [[0.0, 0.0], [1.0, 0.5]])._repr_html_()
    ET.fromstring(shown)
    assert shown.count("<polyline") == 2


def test_a_sketch_keeps_circles_round() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 50)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    text = lines_svg([circle], 300.0, 100.0, same_scale=True)
    points = np.array([pair.split(",") for pair in text.split('points="')[1].split('"')[0].split()], dtype=float)
    width, height = np.ptp(points, axis=0)
    assert width == pytest.approx(height, abs=0.2)


def test_every_kind_of_value_becomes_a_picture() -> None:
    formatter, pages = Formatter(), Formatter()
    formatters = {"image/png": formatter, "text/html": pages}
    shell = SimpleNamespace(display_formatter=SimpleNamespace(formatters=formatters))
    armlab.load_ipython_extension(shell)
    robot = armlab.load("planar2")
    values = [
        robot,
        armlab.plan_joint(robot, [[0.0, 0.0], [1.0, 0.5]]),
        armlab.Simulation(armlab.Scene.of(robot), contacts="none"),
        draw_arm(robot, robot.home),
    ]
    assert len(formatter.known) == len(values)
    assert list(pages.known) == [armlab.Robot]
    for value in values:
        draw = next(draw for kind, draw in formatter.known.items() if isinstance(value, kind))
        with Image.open(io.BytesIO(draw(value))) as picture:
            assert picture.width > 200


def test_showing_a_robot_needs_no_plotting_library() -> None:
    code = "import armlab, sys; armlab.load('planar2')._repr_html_(); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
