"""Grippers whose fingers are in their files: how far and how hard they close, and what they hold by that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from sim.machines import box

import armlab
from armlab.arrays import Floats
from armlab.catalog import load_tool
from armlab.errors import CatalogError
from armlab.geometry import pose
from armlab.geometry.inertia import combined
from armlab.geometry.shape import Shape
from armlab.kinematics.ik import solve_ik
from armlab.model.hand import hand_of
from armlab.model.jaws import jaws_of
from armlab.model.scene import Body, Scene
from armlab.sim.simulation import Simulation

HEAD = """schema = 1
name = "chuck"
title = "A chuck"
kind = "gripper"
source = "made up for tests"
mass = 0.5
tip = { xyz = [0, 0, 100], rpy = [0, 0, 0] }
"""
GRIP = "[grip]\nopening = 80\ntravel = 30\nforce = 25\nspeed = 50\n"
ROD = 0.05
"""m: the diameter of what is held."""


def finger(degrees: float, mass: float = 0.05) -> str:
    """Return a finger that stands in that direction and closes towards the middle."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    shape = (
        f'{{ kind = "box", size = [10, 20, 60, 1], xyz = [{45 * c:.6f}, {45 * s:.6f}, 80], rpy = [0, 0, {degrees}] }}'
    )
    return f"[[finger]]\naxis = [{-c:.9f}, {-s:.9f}, 0]\nmass = {mass}\nshapes = [{shape}]\n"


def chuck(tmp_path: Path, *angles: float) -> Path:
    path = tmp_path / "chuck.toml"
    path.write_text(HEAD + GRIP + "".join(finger(angle) for angle in angles))
    return path


def looking_down(x: float, y: float, z: float) -> Floats:
    T = pose.from_xyz([x, y, z])
    T[:3, :3] = np.diag([1.0, -1.0, -1.0])
    return T


def test_three_fingers_press_a_rod_as_hard_as_the_file_says_and_lift_it(tmp_path: Path) -> None:
    robot = armlab.load("ur5e", tool=chuck(tmp_path, 0.0, 120.0, 240.0))
    start = solve_ik(robot, looking_down(0.45, 0.1, 0.14), start=robot.home)
    above = solve_ik(robot, looking_down(0.45, 0.1, 0.34), start=start)
    table = box("table", [0.45, 0.1, 0.05], None, (0.6, 0.6, 0.1))
    shape = Shape("cylinder", (ROD / 2.0, 0.08), np.eye(4))
    rod = Body("rod", (shape,), pose.from_xyz([0.45, 0.1, 0.14]), 0.4, friction=0.6)
    simulation = Simulation(Scene.of(robot, q=start, bodies=(table, rod)), grasp="friction")
    assert simulation.state().width == pytest.approx(0.08)
    simulation.grip()
    simulation.step(1000)
    gripped = simulation.state()
    assert gripped.width == pytest.approx(ROD, abs=1e-3)
    np.testing.assert_allclose(gripped.bodies["rod"][:2, 3], [0.45, 0.1], atol=1e-3)
    for k in (1, 2, 3):
        pressed = sum(c.force for c in gripped.contacts if f"ur5e: finger_{k}" in (c.first, c.second))
        assert pressed == pytest.approx(25.0, rel=0.1)
    simulation.command(q=above)
    simulation.step(1500)
    held = simulation.state()
    assert held.bodies["rod"][2, 3] == pytest.approx(0.34, abs=2e-3)
    simulation.open()
    simulation.step(1000)
    assert simulation.state().bodies["rod"][2, 3] < 0.25


def test_fingers_are_coupled_what_two_of_them_touch_bears_the_force_of_all(tmp_path: Path) -> None:
    """A rod that is fixed off the middle stops three fingers of 25 N when two touch it: these press with 75 N."""
    robot = armlab.load("ur5e", tool=chuck(tmp_path, 0.0, 120.0, 240.0))
    start = solve_ik(robot, looking_down(0.45, 0.1, 0.14), start=robot.home)
    shape = Shape("cylinder", (ROD / 2.0, 0.08), np.eye(4))
    post = Body("post", (shape,), pose.from_xyz([0.458, 0.1, 0.14]))
    simulation = Simulation(Scene.of(robot, q=start, bodies=(post,)), grasp="friction")
    simulation.grip()
    simulation.step(1000)
    state = simulation.state()
    pressed = {k: sum(c.force for c in state.contacts if f"ur5e: finger_{k}" in (c.first, c.second)) for k in (1, 2, 3)}
    assert min(pressed.values()) == 0.0
    assert sum(pressed.values()) == pytest.approx(75.0, rel=0.1)


def test_the_fingers_of_the_braccio_press_as_hard_as_its_servo_can() -> None:
    robot = armlab.load("braccio", tool="braccio-gripper")
    T = robot.fk(robot.home)
    cube = Body("cube", (Shape("box", (0.04, 0.02, 0.02), np.eye(4)),), T, 0.02, friction=0.8)
    simulation = Simulation(
        replace(Scene.of(robot, q=robot.home, bodies=(cube,)), gravity=np.zeros(3)), grasp="friction"
    )
    assert simulation.state().width == pytest.approx(0.09)
    simulation.grip()
    simulation.step(1000)
    state = simulation.state()
    assert state.width == pytest.approx(0.04, abs=1e-3)
    for k in (1, 2):
        pressed = sum(c.force for c in state.contacts if f"braccio: finger_{k}" in (c.first, c.second))
        assert pressed == pytest.approx(5.0, rel=0.1)


def test_fingers_close_at_the_speed_of_the_file_and_no_farther_than_they_go(tmp_path: Path) -> None:
    robot = armlab.load("ur5e", tool=chuck(tmp_path, 0.0, 180.0))
    simulation = Simulation(Scene.of(robot), grasp="friction")
    simulation.grip()
    simulation.step(300)
    halfway = simulation.state().width
    assert halfway is not None
    assert 0.08 - halfway <= 2.0 * 0.05 * simulation.time + 1e-6
    simulation.step(700)
    assert simulation.state().width == pytest.approx(0.02, abs=1e-4)


def test_fingers_are_part_of_the_tool_and_of_its_weight(tmp_path: Path) -> None:
    tool = load_tool(chuck(tmp_path, 0.0, 180.0))
    jaws, hand = jaws_of(tool), hand_of(tool, np.eye(4))
    assert jaws is not None
    assert hand is not None
    assert {id(shape) for one in jaws.fingers for shape in one.shapes} <= {id(shape) for shape in tool.shapes}
    assert hand.palm_inertia.mass + 2 * 0.05 == pytest.approx(tool.inertia.mass)


@pytest.mark.parametrize("name", ["gripper", "braccio-gripper"])
def test_palm_and_fingers_together_have_the_inertia_of_the_tool(name: str) -> None:
    tool = load_tool(name)
    hand = hand_of(tool, np.eye(4))
    assert hand is not None
    parts = [hand.palm_inertia, *(finger.inertia for finger in hand.jaws.fingers)]
    whole = combined([(part, np.eye(4)) for part in parts])
    assert whole.mass == pytest.approx(tool.inertia.mass)
    np.testing.assert_allclose(whole.com, tool.inertia.com, atol=1e-12)
    np.testing.assert_allclose(whole.matrix, tool.inertia.matrix, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GRIP, "grip_and_fingers"),
        (finger(0.0) + finger(180.0), "grip_and_fingers"),
        (GRIP + finger(0.0), "grip_and_fingers"),
        (GRIP + finger(0.0, 0.3) + finger(180.0, 0.3), "fingers_too_heavy"),
        (GRIP.replace("travel = 30", "travel = 41") + finger(0.0) + finger(180.0), "grip_travel"),
        (
            GRIP + finger(0.0) + finger(180.0).replace("axis = [1.000000000, -0.000000000, 0]", "axis = [0, 0, 0]"),
            "finger_axis",
        ),
    ],
)
def test_a_hand_that_cannot_be_is_refused_with_the_reason(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "chuck.toml"
    path.write_text(HEAD + text)
    with pytest.raises(CatalogError) as refused:
        load_tool(path)
    assert code in str(refused.value.parameters) + refused.value.code + str(refused.value.message)


def test_only_grippers_have_fingers(tmp_path: Path) -> None:
    path = tmp_path / "chuck.toml"
    path.write_text(HEAD.replace('"gripper"', '"pen"') + GRIP + finger(0.0) + finger(180.0))
    with refused("fingers_of_gripper", CatalogError):
        load_tool(path)
