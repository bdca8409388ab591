"""Laws that a simulated arm keeps, whatever its structure."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from sim.machines import pendulum, turntable

from armlab.catalog import load
from armlab.dynamics import mass_matrix
from armlab.formats.urdf import urdf_text
from armlab.model.scene import Scene
from armlab.sim.drives import FREE, Drive
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure
from oracles.arms import joint_values

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
PHYSICAL: tuple[Structure, ...] = ("articulation", "joints")
each_structure = pytest.mark.parametrize("structure", PHYSICAL)


def total_energy(simulation: Simulation) -> float:
    energy = simulation.state().energy
    assert energy is not None
    return energy.total


def test_a_free_double_pendulum_keeps_its_energy() -> None:
    simulation = Simulation(Scene.of(pendulum()), drives=[FREE, FREE])
    start, worst = total_energy(simulation), 0.0
    for _ in range(100):
        simulation.step(100)
        worst = max(worst, abs(total_energy(simulation) - start))
    assert simulation.time == pytest.approx(10.0)
    assert worst <= 1e-6


def test_without_forces_the_motors_are_out_of_the_way() -> None:
    simulation = Simulation(Scene.of(pendulum()))
    simulation.step(10)
    simulation.command(tau=[0.0, 0.0])
    start = total_energy(simulation)
    simulation.step(1000)
    assert abs(total_energy(simulation) - start) <= 1e-6
    assert np.abs(simulation.state().qd).max() > 1.0


def test_a_pendulum_starts_to_fall_as_newton_says() -> None:
    simulation = Simulation(Scene.of(pendulum(1)), drives=[FREE])
    assert simulation.state().qdd[0] == pytest.approx(1.5 * 9.81, rel=1e-5)


@each_structure
def test_a_link_is_accelerated_by_the_torque_over_its_inertia_and_armature(structure: Structure) -> None:
    drive = Drive(0.0, 0.0, armature=0.3, gravity_compensation=False)
    simulation = Simulation(Scene.of(turntable(0.5)), structure, drives=[drive])
    simulation.command(tau=[1.6])
    simulation.step(500)
    assert simulation.state().qd[0] == pytest.approx(1.6 / 0.8 * 0.5, rel=1e-6)


@each_structure
@pytest.mark.parametrize(("torque", "speed"), [(5.0, 1.0), (15.0, 0.5)])
def test_a_motor_reaches_its_speed_after_inertia_times_speed_over_torque(
    structure: Structure, torque: float, speed: float
) -> None:
    robot = turntable(2.65, effort=torque)
    simulation = Simulation(Scene.of(robot), structure)
    simulation.command(qd=[speed])
    expected = 2.65 * speed / torque
    simulation.step(round(0.9 * expected / 0.001))
    assert simulation.state().qd[0] == pytest.approx(0.9 * speed, rel=0.01)
    assert simulation.state().tau[0] == pytest.approx(torque)
    simulation.step(round(0.2 * expected / 0.001))
    assert simulation.state().qd[0] == pytest.approx(speed, rel=1e-3)


@each_structure
def test_dry_friction_stops_a_turning_link_in_the_time_it_needs(structure: Structure) -> None:
    drive = Drive(0.0, 0.0, friction=0.2, gravity_compensation=False)
    simulation = Simulation(Scene.of(turntable(0.5)), structure, drives=[drive])
    simulation.command(tau=[1.2])
    simulation.step(500)  # (1.2 - 0.2) / 0.5 · 0.5 s = 1 rad/s
    simulation.command(tau=[0.0])
    simulation.step(1250)
    assert simulation.state().qd[0] == pytest.approx(0.5, rel=0.02)
    simulation.step(1500)
    assert abs(simulation.state().qd[0]) < 1e-3


@each_structure
def test_a_gear_with_backlash_lets_the_link_lag_by_at_most_half_the_play(structure: Structure) -> None:
    play, inertia = 0.02, 0.5
    drive = Drive(8000.0, 130.0, armature=0.05, backlash=play)
    simulation = Simulation(Scene.of(turntable(inertia)), structure, drives=[drive])
    lag = []
    for sign in (1.0, -1.0):
        simulation.command(qd=[sign * 0.2])
        for _ in range(80):
            simulation.step(5)
            state = simulation.state()
            lag.append(float(state.motor_q[0] - state.q[0]))
    assert max(lag) == pytest.approx(play / 2.0, rel=0.1)
    assert min(lag) == pytest.approx(-play / 2.0, rel=0.1)


@each_structure
def test_a_joint_does_not_pass_its_limit(structure: Structure) -> None:
    robot = load("planar2")
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    simulation.command(tau=[10.0, 0.0])
    simulation.step(3000)
    assert simulation.state().q[0] == pytest.approx(robot.upper[0], abs=0.01)
    assert abs(simulation.state().qd[0]) < 1e-3


def test_turns_are_counted_in_both_structures() -> None:
    for structure in PHYSICAL:
        simulation = Simulation(Scene.of(turntable(velocity=40.0)), structure)
        simulation.command(qd=[4.0 * math.pi])
        simulation.step(2000)
        assert simulation.state().q[0] == pytest.approx(8.0 * math.pi, rel=0.01)


@pytest.mark.parametrize("name", ["puma560", "stanford", "kuka-iiwa14", "scara"])
def test_accelerations_and_inertias_are_those_of_pinocchio(name: str) -> None:
    robot = load(name, tool="torch")
    model = pin.buildModelFromXML(urdf_text(robot))
    data = model.createData()
    poses = joint_values(robot, 5, seed=3)
    masses = mass_matrix(robot, poses)
    rng = np.random.default_rng(4)
    for q, M in zip(poses, masses, strict=True):
        tau = rng.uniform(-1.0, 1.0, robot.dof)
        simulation = Simulation(Scene.of(robot, q=q), contacts="none")
        simulation.command(tau=tau)
        theirs = pin.aba(model, data, q, np.zeros(robot.dof), tau)
        np.testing.assert_allclose(simulation.state().qdd, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max())
        upper = np.triu(pin.crba(model, data, q))
        np.testing.assert_allclose(np.triu(M), upper, atol=1e-6 * float(np.abs(upper).max()))


@each_structure
def test_the_drives_hold_the_weight_that_pinocchio_computes(structure: Structure) -> None:
    robot = load("ur5e", tool="torch")
    model = pin.buildModelFromXML(urdf_text(robot))
    data = model.createData()
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    simulation.step(300)
    expected = pin.computeGeneralizedGravity(model, data, robot.home)
    np.testing.assert_allclose(simulation.state().tau, expected, atol=2e-3)


@each_structure
def test_gravity_in_another_direction_pulls_another_way(structure: Structure) -> None:
    scene = Scene.of(pendulum(1))
    sideways = Scene(scene.name, scene.robots, gravity=np.array([0.0, 0.0, 2.0]))
    simulation = Simulation(sideways, structure, drives=[FREE])
    simulation.step(100)
    assert simulation.state().q[0] == pytest.approx(-0.5 * 1.5 * 2.0 * 0.01, rel=0.02)


def test_a_link_without_mass_is_named(robot: object) -> None:
    from armlab.errors import InvalidInput
    from armlab.model.robot import Robot

    assert isinstance(robot, Robot)
    with refused("link_without_mass", InvalidInput):
        Simulation(Scene.of(robot))
    assert Simulation(Scene.of(robot), "hierarchy").state().energy is None
