"""Things round the arm: they fall, rest, slide, ride on belts, are pushed and are carried."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from sim.machines import box, with_bodies

from armlab.catalog import load
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.scene import Body, Scene
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

STRUCTURES: tuple[Structure, ...] = ("articulation", "hierarchy", "joints")
SIDE = 0.1
FLOOR = box("floor", [0.0, 0.0, -0.05], None, (4.0, 4.0, 0.1))


def place(simulation: Simulation, name: str) -> np.ndarray:
    return simulation.state().bodies[name][:3, 3]


def test_a_loose_body_falls_as_galilei_says() -> None:
    simulation = Simulation(with_bodies(box("stone", [0.0, 0.0, 5.0], 3.0)))
    simulation.step(500)
    assert place(simulation, "stone")[2] == pytest.approx(5.0 - 0.5 * 9.81 * 0.25, abs=5e-3)


def test_a_body_rests_on_the_floor_with_its_weight() -> None:
    simulation = Simulation(with_bodies(FLOOR, box("crate", [0.0, 0.0, 0.06], 2.0)))
    simulation.step(1000)
    state = simulation.state()
    assert state.bodies["crate"][2, 3] == pytest.approx(SIDE / 2.0, abs=2e-4)
    assert {(c.first, c.second) for c in state.contacts} == {("floor", "crate")}
    assert sum(c.force for c in state.contacts) == pytest.approx(2.0 * 9.81, rel=1e-3)
    np.testing.assert_allclose([np.abs(c.normal[2]) for c in state.contacts], 1.0, atol=1e-6)


@pytest.mark.parametrize(("friction", "slides"), [(0.2, True), (0.6, False)])
def test_a_body_slides_on_a_slope_if_it_is_steeper_than_its_friction(friction: float, slides: bool) -> None:
    angle = math.atan(0.4)
    tilt = [0.0, angle, 0.0]
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    slope = box("slope", -0.05 * normal, None, (8.0, 1.0, 0.1), rpy=tilt, friction=friction)
    block = box("block", (SIDE / 2.0) * normal, 1.0, rpy=tilt, friction=friction)
    simulation = Simulation(with_bodies(slope, block))
    simulation.step(1000)
    way = float(np.linalg.norm(place(simulation, "block") - SIDE / 2.0 * normal))
    expected = 0.5 * 9.81 * (math.sin(angle) - friction * math.cos(angle)) if slides else 0.0
    assert way == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("below", "above"), [(0.05, 0.8), (0.8, 0.05), (0.001, 0.6), (0.6, 0.001), (0.3, 0.3)])
@pytest.mark.parametrize("slides", [True, False])
def test_two_surfaces_have_the_geometric_mean_of_their_friction(below: float, above: float, slides: bool) -> None:
    friction = math.sqrt(below * above)
    angle = math.atan(friction * (1.3 if slides else 0.8))
    tilt = [0.0, angle, 0.0]
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    slope = box("slope", -0.05 * normal, None, (8.0, 1.0, 0.1), rpy=tilt, friction=below)
    block = box("block", (SIDE / 2.0) * normal, 1.0, rpy=tilt, friction=above)
    simulation = Simulation(with_bodies(slope, block))
    simulation.step(1000)
    way = float(np.linalg.norm(place(simulation, "block") - SIDE / 2.0 * normal))
    expected = 0.5 * 9.81 * (math.sin(angle) - friction * math.cos(angle)) if slides else 0.0
    assert way == pytest.approx(expected, rel=0.05, abs=0.002)


@pytest.mark.parametrize("edge", [(), (0.01,)])
def test_a_belt_carries_a_body_along_at_its_speed(edge: tuple[float, ...]) -> None:
    turned = pose.from_xyz_rpy([0.0, 0.0, 0.0], [0.0, 0.0, 0.3])
    shape = Shape("box", (3.0, 0.6, 0.1, *edge), turned)
    at = pose.from_xyz_rpy([1.0, 1.0, 0.0], [0.0, 0.0, 0.5])
    belt = Body("belt", (shape,), at, belt=np.array([0.2, 0.0, 0.0]))
    simulation = Simulation(with_bodies(belt, box("parcel", [1.0, 1.0, 0.1], 1.0)))
    simulation.step(500)
    before = place(simulation, "parcel")
    simulation.step(1000)
    went = place(simulation, "parcel") - before
    np.testing.assert_allclose(went, 0.2 * np.array([math.cos(0.5), math.sin(0.5), 0.0]), atol=2e-3)


@pytest.mark.parametrize(
    "shape",
    [
        Shape("sphere", (0.05,), np.eye(4)),
        Shape("cylinder", (0.05, 0.1), np.eye(4)),
        Shape("cylinder", (0.05, 0.1, 0.01), np.eye(4)),
        Shape("box", (0.1, 0.1, 0.1, 0.01), np.eye(4)),
        Shape("loft", (0.05, 0.05, 0.03, 0.04, 0.1), np.eye(4)),
    ],
)
def test_every_shape_stands_on_the_floor_at_its_height(shape: Shape) -> None:
    body = Body("thing", (shape,), pose.from_xyz([0.0, 0.0, 0.06]), 1.0)
    simulation = Simulation(with_bodies(FLOOR, body))
    simulation.step(800)
    assert place(simulation, "thing")[2] == pytest.approx(0.05, abs=5e-4)


def test_things_inside_each_other_at_the_start_are_named_with_the_depth() -> None:
    deep = box("crate", [0.0, 0.0, 0.03], 1.0)
    with pytest.raises(InvalidInput) as caught:
        Simulation(with_bodies(FLOOR, deep))
    assert caught.value.code == "overlap_at_start"
    facts = caught.value.parameters
    assert (facts["first"], facts["second"]) == ("floor", "crate")
    assert facts["depth"] == pytest.approx(20.0, abs=0.01)
    robot = load("kuka-kr6-r700")
    with refused("overlap_at_start", InvalidInput, first="crate"):
        Simulation(Scene.of(robot, bodies=(box("crate", [0.0, 0.0, 0.3]),)))


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_an_arm_stops_at_a_wall_and_pushes_with_what_it_has(structure: Structure) -> None:
    robot = load("planar2")
    tip = robot.fk(robot.home + np.array([0.8, 0.0]))[:3, 3]
    wall = box("wall", tip, None, (0.06, 0.06, 0.3))
    simulation = Simulation(Scene.of(robot, bodies=(wall,)), structure)
    simulation.command(q=robot.home + np.array([1.2, 0.0]))
    simulation.step(1500)
    state = simulation.state()
    assert robot.home[0] + 0.4 < state.q[0] < robot.home[0] + 0.8
    assert any("wall" in (c.first, c.second) for c in state.contacts)
    assert max(c.depth for c in state.contacts) < 2e-3
    assert np.abs(state.tau[0]) == pytest.approx(robot.effort[0], rel=0.01)


def test_an_arm_pushes_a_loose_body_away() -> None:
    robot = load("planar2")
    start = robot.fk(robot.home + np.array([0.6, 0.0]))[:3, 3]
    alone = Scene.of(robot, bodies=(box("cube", start, 0.2, (0.1, 0.1, 0.12)),))
    simulation = Simulation(Scene("weightless", alone.robots, alone.bodies, gravity=np.zeros(3)))
    simulation.command(q=robot.home + np.array([0.8, 0.0]))
    simulation.step(1500)
    np.testing.assert_allclose(simulation.state().q, robot.home + np.array([0.8, 0.0]), atol=1e-3)
    assert np.linalg.norm(place(simulation, "cube")[:2] - start[:2]) > 0.02


@pytest.mark.parametrize("structure", STRUCTURES)
def test_an_attached_body_keeps_its_place_in_the_hand_until_it_is_released(structure: Structure) -> None:
    robot = load("ur5e", tool="gripper")
    tip = robot.fk(robot.home)
    part = Body("part", (Shape("box", (0.05, 0.03, 0.04), np.eye(4)),), tip, 0.5)
    simulation = Simulation(Scene.of(robot, bodies=(part,)), structure)
    simulation.attach("part")
    assert simulation.state().held == ("part",)
    start = pose.inverse(tip) @ part.T_world_body
    simulation.command(q=robot.home + 0.4)
    worst = 0.0
    for _ in range(20):
        simulation.step(60)
        state = simulation.state()
        now = pose.inverse(state.frames[-1]) @ state.bodies["part"]
        worst = max(worst, float(np.abs(now - start).max()))
    assert worst < 1e-4
    assert np.linalg.norm(state.bodies["part"][:3, 3] - tip[:3, 3]) > 0.1
    np.testing.assert_allclose(state.q, robot.home + 0.4, atol=np.radians(0.05))
    let_go = state.bodies["part"][:3, 3].copy()
    assert simulation.release() == ("part",)
    simulation.step(1)
    assert simulation.state().held == ()
    kept = simulation.snapshot()
    simulation.attach("part")
    simulation.restore(kept)
    assert simulation.state().held == ()
    if structure == "hierarchy":
        simulation.step(100)
        np.testing.assert_allclose(simulation.state().bodies["part"][:3, 3], let_go, atol=1e-12)
    else:
        arm_gone = robot.home + 0.1
        simulation.command(q=arm_gone)
        simulation.step(700)
        assert simulation.state().bodies["part"][2, 3] < let_go[2] - 0.1


def test_only_loose_bodies_that_nobody_holds_can_be_attached() -> None:
    simulation = Simulation(with_bodies(FLOOR, box("crate", [0.0, 0.0, 0.06], 2.0)))
    with refused("unknown_simulated_body", UnknownName, name="box"):
        simulation.attach("box")
    with refused("body_is_fixed", InvalidInput, body="floor"):
        simulation.attach("floor")
    simulation.attach("crate")
    with refused("body_is_held", InvalidInput, body="crate", robot="turntable"):
        simulation.attach("crate")
    assert simulation.release() == ("crate",)
    assert simulation.release() == ()
