"""Grippers that hold by friction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from sim.machines import box

from armlab.arrays import Floats
from armlab.catalog import load, load_tool
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kinematics.ik import solve_ik
from armlab.model.hand import hand_of
from armlab.model.jaws import GRIP_FORCE
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

PART = 0.04


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load("ur5e", tool="gripper")


def looking_down(x: float, y: float, z: float) -> Floats:
    T = pose.from_xyz([x, y, z])
    T[:3, :3] = np.diag([1.0, -1.0, -1.0])
    return T


def pick_scene(robot: Robot, friction: float = 0.6) -> tuple[Scene, Floats]:
    """A part on a table between the open fingers, and joint values 0.2 m above."""
    start = solve_ik(robot, looking_down(0.45, 0.1, 0.12), start=robot.home)
    above = solve_ik(robot, looking_down(0.45, 0.1, 0.32), start=start)
    table = box("table", [0.45, 0.1, 0.05], None, (0.6, 0.6, 0.1))
    shape = Shape("box", (PART, 0.03, 0.06), np.eye(4))
    part = Body("part", (shape,), pose.from_xyz([0.45, 0.1, 0.13]), 0.3, friction=friction)
    return Scene.of(robot, q=start, bodies=(table, part)), above


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_a_part_is_gripped_lifted_held_and_dropped(robot: Robot, structure: Structure) -> None:
    scene, above = pick_scene(robot)
    simulation = Simulation(scene, structure, grasp="friction")
    width = simulation.state().width
    assert width == pytest.approx(0.059)
    simulation.grip()
    simulation.step(500)
    state = simulation.state()
    assert state.width == pytest.approx(PART, abs=2e-3)
    pressed = sum(c.force for c in state.contacts if "ur5e: finger_1" in (c.first, c.second))
    assert pressed == pytest.approx(GRIP_FORCE, rel=0.05)
    simulation.command(q=above)
    simulation.step(1500)
    held = simulation.state()
    assert held.bodies["part"][2, 3] == pytest.approx(0.33, abs=2e-3)
    np.testing.assert_allclose(held.bodies["part"][:2, 3], [0.45, 0.1], atol=2e-3)
    simulation.step(500)
    assert simulation.state().bodies["part"][2, 3] == pytest.approx(held.bodies["part"][2, 3], abs=2e-4)
    simulation.open()
    simulation.step(500)
    assert simulation.state().width == pytest.approx(0.059, abs=1e-4)
    assert simulation.state().bodies["part"][2, 3] < 0.2


def test_a_slippery_part_is_not_carried_by_rougher_fingers(robot: Robot) -> None:
    scene, above = pick_scene(robot, friction=0.001)
    simulation = Simulation(scene, grasp="friction")
    simulation.grip()
    simulation.step(500)
    simulation.command(q=above)
    simulation.step(1500)
    assert simulation.state().bodies["part"][2, 3] < 0.2


def test_a_held_part_of_another_friction_does_not_press_on_the_hand(robot: Robot) -> None:
    scene, above = pick_scene(robot, friction=0.3)
    simulation = Simulation(scene)
    simulation.attach("part")
    simulation.command(q=above)
    simulation.step(1500)
    touching = [c for c in simulation.state().contacts if "part" in (c.first, c.second)]
    assert touching == []
    simulation.release()
    simulation.step(500)
    assert {frozenset((c.first, c.second)) for c in simulation.state().contacts} == {frozenset(("table", "part"))}


def test_the_same_grip_gives_the_same_bits_after_a_snapshot(robot: Robot) -> None:
    simulation = Simulation(pick_scene(robot)[0], grasp="friction")
    simulation.grip()
    simulation.step(100)
    kept = simulation.snapshot()
    simulation.step(200)
    first = simulation.state().bodies["part"].tobytes()
    simulation.restore(kept)
    simulation.step(200)
    assert simulation.state().bodies["part"].tobytes() == first


def test_fingers_stop_at_the_width_that_is_asked_for(robot: Robot) -> None:
    simulation = Simulation(Scene.of(robot), grasp="friction")
    simulation.grip(0.03)
    simulation.step(500)
    assert simulation.state().width == pytest.approx(0.03, abs=1e-5)
    np.testing.assert_allclose(simulation.state().q, robot.home, atol=np.radians(0.01))
    assert simulation.state().q.shape == (6,)
    assert simulation.state().frames.shape == (8, 4, 4)


def test_the_hand_and_the_arm_weigh_what_the_whole_did(robot: Robot) -> None:
    hand = hand_of(robot.tool, robot.flange)
    assert hand is not None
    total = hand.palm_inertia.mass + sum(finger.inertia.mass for finger in hand.jaws.fingers)
    assert total == pytest.approx(robot.tool.inertia.mass)
    assert len(hand.jaws.palm) + sum(len(finger.shapes) for finger in hand.jaws.fingers) == len(robot.tool.shapes)
    assert hand_of(load_tool("pen"), robot.flange) is None


def test_grips_that_cannot_be_are_refused(robot: Robot) -> None:
    with refused("no_fingers", InvalidInput, robot="ur5e"):
        Simulation(Scene.of(robot)).grip()
    with refused("no_friction", NotSupported):
        Simulation(Scene.of(robot), "hierarchy", grasp="friction")
    simulation = Simulation(Scene.of(robot), grasp="friction")
    for width in (-0.01, math.nan):
        with refused("negative_width", InvalidInput, robot="ur5e"):
            simulation.grip(width)
    unknown: object = "glue"
    with refused("unknown_grasp", UnknownName, name="glue"):
        Simulation(Scene.of(robot), grasp=unknown)  # type: ignore[arg-type]
