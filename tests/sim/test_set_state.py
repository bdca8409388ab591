"""States that no motion has led to: arms and bodies are put somewhere, and everything goes on from there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coupled_arms import coupled_arm
from formats.test_loops import brought
from sim.machines import box, pendulum

from armlab.catalog import load
from armlab.dynamics import kinetic_energy, potential_energy
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.geometry import pose
from armlab.model.linkage import four_bar
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.sim.drives import FREE
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

STRUCTURES: tuple[Structure, ...] = ("articulation", "hierarchy", "joints")
each_structure = pytest.mark.parametrize("structure", STRUCTURES)
with_physics = pytest.mark.parametrize("structure", ["articulation", "joints"])


def wander(simulation: Simulation, robot: Robot) -> None:
    simulation.command(q=robot.home + 0.1)
    simulation.step(120)


@each_structure
@pytest.mark.parametrize("name", ["ur5e", "scara", "kuka-kr6-r700", "palletiser", "loops"])
def test_after_a_reset_to_joints_the_same_happens_as_in_a_fresh_simulation(
    name: str, structure: Structure, tmp_path: Path
) -> None:
    robot = coupled_arm(name) if name == "palletiser" else brought(tmp_path).robot if name == "loops" else load(name)
    q = np.clip(robot.home + 0.07, robot.lower, robot.upper)
    bodies = (box("part", [4.0, 4.0, 0.5], 1.0),)
    used = Simulation(Scene.of(robot, bodies=bodies), structure)
    wander(used, robot)
    used.attach("part")
    used.step(5)
    used.reset(q)
    fresh = Simulation(Scene.of(robot, q=q, bodies=bodies), structure)
    assert used.time == 0.0
    assert used.state().held == ()
    for _ in range(3):
        a, b = used.state(), fresh.state()
        for what in ("q", "qd", "qdd", "tau", "frames"):
            np.testing.assert_allclose(getattr(a, what), getattr(b, what), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(a.q, b.q, atol=1e-12)
        np.testing.assert_allclose(a.bodies["part"], b.bodies["part"], atol=1e-12)
        for simulation in (used, fresh):
            simulation.command(q=robot.home)
            simulation.step(40)


@each_structure
def test_the_state_is_what_it_was_set_to(structure: Structure) -> None:
    robot = load("ur5e")
    scene = Scene.of(robot, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),))
    simulation = Simulation(scene, structure, contacts="none")
    wander(simulation, robot)
    rng = np.random.default_rng(4)
    q, qd = robot.home + rng.uniform(-0.5, 0.5, 6), rng.uniform(-1.0, 1.0, 6)
    T = pose.from_xyz_rpy([1.5, 0.2, 0.7], [0.3, -0.2, 0.1])
    time = simulation.time
    simulation.set_state(q, qd, bodies={"part": T})
    state = simulation.state()
    assert state.time == time
    np.testing.assert_allclose(state.q, q, atol=1e-12)
    np.testing.assert_allclose(state.qd, qd, atol=1e-12)
    np.testing.assert_allclose(state.frames, robot.frames(q), atol=1e-9)
    np.testing.assert_allclose(state.bodies["part"], T, atol=1e-9)


@with_physics
def test_the_energy_of_a_set_state_is_that_of_rigid_body_dynamics(structure: Structure) -> None:
    robot = load("ur5e")
    simulation = Simulation(Scene.of(robot), structure, contacts="none", drives=[FREE] * 6)
    q, qd = robot.home + 0.2, np.array([0.5, -0.3, 0.8, 0.1, -0.6, 0.9])
    simulation.set_state(q, qd)
    energy = simulation.state().energy
    assert energy is not None
    assert energy.kinetic == pytest.approx(kinetic_energy(robot, q, qd), rel=1e-6)
    still = Simulation(Scene.of(robot), structure, contacts="none").state().energy
    assert still is not None
    gained = potential_energy(robot, q) - potential_energy(robot, robot.home)
    assert energy.potential - still.potential == pytest.approx(gained, abs=1e-6)


def test_a_pendulum_keeps_the_energy_that_it_was_set_off_with() -> None:
    simulation = Simulation(Scene.of(pendulum()), drives=[FREE] * 2, contacts="none")
    simulation.set_state([0.4, -0.3], [1.0, 2.0])
    before = simulation.state().energy
    simulation.step(2000)
    after = simulation.state().energy
    assert before is not None
    assert after is not None
    assert after.total == pytest.approx(before.total, abs=1e-5)
    assert after.kinetic != pytest.approx(before.kinetic, abs=1e-2)


@with_physics
def test_links_that_are_set_in_motion_keep_together(structure: Structure) -> None:
    robot = load("ur5e")
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    qd = np.array([0.5, -0.3, 0.4, 0.1, -0.6, 0.9])
    simulation.set_state(robot.home, qd)
    simulation.command(qd=qd)
    simulation.step(20)
    assert simulation.state().gap < 1e-4
    np.testing.assert_allclose(simulation.state().qd, qd, atol=0.02)


@each_structure
def test_what_an_arm_holds_goes_with_it(structure: Structure) -> None:
    robot = load("ur5e")
    simulation = Simulation(Scene.of(robot, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),)), structure, contacts="none")
    simulation.attach("part")
    before = simulation.state()
    simulation.set_state(robot.home + 0.3)
    after = simulation.state()
    held = [pose.inverse(state.frames[-1]) @ state.bodies["part"] for state in (before, after)]
    np.testing.assert_allclose(held[0], held[1], atol=1e-9)
    assert after.held == ("part",)
    with pytest.raises(InvalidInput) as caught:
        simulation.set_state(bodies={"part": np.eye(4)})
    assert caught.value.code == "held_body_not_placed"


@each_structure
@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"q": [0.0, 99.0]}, "joint_outside"),
        ({"q": [0.0, np.nan]}, "not_finite"),
        ({"q": [0.0]}, "wrong_shape"),
        ({"qd": [0.0, 0.0]}, "speeds_without_positions"),
        ({"bodies": {"nothing": np.eye(4)}}, "unknown_simulated_body"),
        ({"bodies": {"part": np.ones((4, 4))}}, "pose_last_row"),
        ({"bodies": {"table": np.eye(4)}}, "fixed_body_not_placed"),
    ],
)
def test_a_state_that_cannot_be_is_refused_and_nothing_changes(
    structure: Structure, given: dict[str, Any], code: str
) -> None:
    robot = load("planar2")
    bodies = (box("part", [3.0, 0.0, 0.5], 1.0), box("table", [0.0, 5.0, 0.5]))
    simulation = Simulation(Scene.of(robot, bodies=bodies), structure)
    wander(simulation, robot)
    before = simulation.state()
    with pytest.raises((InvalidInput, UnknownName)) as caught:
        simulation.set_state(**given)
    assert caught.value.code == code
    np.testing.assert_array_equal(simulation.state().q, before.q)
    np.testing.assert_array_equal(simulation.state().bodies["part"], before.bodies["part"])


def test_arms_that_would_be_inside_each_other_stay_where_they_are() -> None:
    left = load("ur5e")
    right = left.with_base(pose.from_xyz([0.9, 0.0, 0.0]))
    up = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    simulation = Simulation(Scene("pair", (PlacedRobot("left", left, up), PlacedRobot("right", right, up))))
    simulation.step(10)
    before = simulation.state("left").q
    with pytest.raises(InvalidInput) as caught:
        simulation.reset({"left": np.array([np.pi, 0.0, 0.0, 0.0, 0.0, 0.0])})
    assert caught.value.code == "overlap_at_start"
    np.testing.assert_array_equal(simulation.state("left").q, before)
    assert simulation.step_count == 10


def test_a_closed_chain_is_not_put_elsewhere() -> None:
    simulation = Simulation.of_linkage(four_bar(0.1, 0.3, 0.25, 0.3))
    with pytest.raises(NotSupported) as caught:
        simulation.set_state([0.3])
    assert caught.value.code == "closed_chain_not_placed"
