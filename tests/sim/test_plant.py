"""A simulation as a plant: commands by rows, outcomes, samples, snapshots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sim.machines import box, pendulum

from armlab.catalog import load
from armlab.errors import InvalidInput, NotSupported, SimulationDiverged, UnknownName
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.motion.joint import plan_joint
from armlab.sim.plant import Plant
from armlab.sim.sim_plant import SimPlant
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

STRUCTURES: tuple[Structure, ...] = ("articulation", "hierarchy", "joints")
each_structure = pytest.mark.parametrize("structure", STRUCTURES)
DT = 0.002


@pytest.fixture(scope="module")
def scara() -> Robot:
    return load("scara")


def pair(scara: Robot) -> Scene:
    far = load("planar2").with_base(pose.from_xyz([3.0, 0.0, 0.0]))
    return Scene("pair", (PlacedRobot("left", scara, scara.home), PlacedRobot("right", far, far.home)))


def plant_of(scene: Scene, structure: Structure = "articulation", **options: Any) -> SimPlant:
    return SimPlant(Simulation(scene, structure, timestep=DT, **options))


def rows_of(robot: Robot, move: float, m: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    state = plan_joint(robot, [robot.home, robot.home + move]).sample(np.arange(1, m + 1) * DT)
    return state.q, state.qd


@each_structure
def test_rows_of_two_arms_move_them_as_the_simulation_would_row_by_row(scara: Robot, structure: Structure) -> None:
    scene = pair(scara)
    plant: Plant = plant_of(scene, structure)
    plain = Simulation(scene, structure, timestep=DT)
    left, right = rows_of(scara, 0.05, 30), rows_of(scene.robot("right").robot, -0.1, 20)
    assert plant.command("left", *left).is_accepted
    assert plant.command("right", *right).is_accepted
    for seconds in (0.01, 0.04, 0.03):
        plant.step(seconds)
    for i in range(40):
        for name, rows in (("left", left), ("right", right)):
            if i < len(rows[0]):
                plain.command(q=rows[0][i], qd=rows[1][i], robot=name)
        plain.step()
    assert plant.time == plain.time == pytest.approx(40 * DT, abs=1e-15)
    for name in plant.arms:
        np.testing.assert_array_equal(plant.state(name).q, plain.state(name).q)


@each_structure
def test_samples_are_what_the_arm_did_in_each_period_of_the_last_step(scara: Robot, structure: Structure) -> None:
    scene, (q, qd) = Scene.of(scara), rows_of(scara, 0.05, 25)
    plant = plant_of(scene, structure)
    assert len(plant.samples("scara").t) == 0
    plant.command("scara", q, qd)
    plant.step(0.01)
    plant.step(0.04)
    found, plain = plant.samples("scara"), Simulation(scene, structure, timestep=DT)
    run = plain.play(plan_joint(scara, [scara.home, scara.home + 0.05]), times=np.arange(1, 26, dtype=np.float64) * DT)
    np.testing.assert_allclose(found.t, np.arange(6, 26) * DT, atol=1e-15)
    np.testing.assert_array_equal(found.q, run.q[5:])
    np.testing.assert_array_equal(found.qd, run.qd[5:])
    np.testing.assert_array_equal(found.gap, run.gap[5:])
    if structure == "hierarchy":
        assert found.tau is None
    else:
        assert found.tau is not None
        np.testing.assert_array_equal(found.tau, run.tau[5:])


def test_a_state_says_where_its_numbers_come_from(scara: Robot) -> None:
    state = plant_of(Scene.of(scara)).state("scara")
    assert state.quality.q == state.quality.qd == state.quality.tau == ("simulated",) * 4
    assert state.stamp == 0.0
    still = plant_of(Scene.of(scara), "hierarchy").state("scara")
    assert still.tau is None
    assert still.energy is None
    assert still.quality.tau == ()


def test_a_goal_beyond_the_limits_is_clipped_and_says_by_how_much(scara: Robot) -> None:
    plant = plant_of(Scene.of(scara), contacts="none")
    goal = scara.upper + np.array([0.25, -0.1, -0.01, -0.1])
    outcome = plant.command("scara", goal)
    assert outcome.kind == "clipped"
    assert outcome.finding is not None
    assert outcome.finding.code == "command_clipped"
    assert outcome.finding.message.parameters["joints"] == [scara.joints[0].name]
    assert outcome.clipped is not None
    np.testing.assert_allclose(outcome.clipped, np.outer([1.0, 0.0], [0.25, 0.0, 0.0, 0.0]), atol=1e-12)
    plant.step(6.0)
    np.testing.assert_allclose(plant.state("scara").q, np.minimum(goal, scara.upper), atol=1e-5)


def test_speeds_beyond_the_limits_are_clipped_too(scara: Robot) -> None:
    outcome = plant_of(Scene.of(scara)).command("scara", scara.home[None], 2.0 * scara.velocity[None])
    assert outcome.clipped is not None
    np.testing.assert_allclose(outcome.clipped[1], scara.velocity)


@pytest.mark.parametrize(
    ("q", "qd", "code"),
    [
        ([0.0, math.nan], None, "not_finite"),
        ([0.0, 0.0, 0.0], None, "wrong_shape"),
        ([[0.0, 0.0]], None, "wrong_shape"),
        ([0.0, 0.0], [math.inf, 0.0], "not_finite"),
        ([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0], "row_counts_differ"),
        (np.empty((0, 2)), np.empty((0, 2)), "row_counts_differ"),
    ],
)
def test_a_command_that_cannot_be_used_is_refused_and_the_last_one_stands(q: Any, qd: Any, code: str) -> None:
    robot = load("planar2")
    plant, other = plant_of(Scene.of(robot)), plant_of(Scene.of(robot))
    for each in (plant, other):
        each.command("planar2", *rows_of(robot, 0.1, 20))
        each.step(0.01)
    outcome = plant.command("planar2", q, qd)
    assert outcome.kind == "refused"
    assert outcome.finding is not None
    assert outcome.finding.code == code
    for each in (plant, other):
        each.step(0.02)
    np.testing.assert_array_equal(plant.state("planar2").q, other.state("planar2").q)


@pytest.mark.parametrize("seconds", [-0.1, math.nan, math.inf])
def test_time_that_cannot_pass_is_refused(scara: Robot, seconds: float) -> None:
    plant = plant_of(Scene.of(scara))
    with pytest.raises(InvalidInput) as caught:
        plant.step(seconds)
    assert caught.value.code == "seconds_negative"
    assert plant.time == 0.0


def test_an_unknown_arm_is_an_error(scara: Robot) -> None:
    plant = plant_of(Scene.of(scara))
    for call in (plant.command, lambda arm, _q: plant.state(arm), lambda arm, _q: plant.samples(arm)):
        with pytest.raises(UnknownName) as caught:
            call("kuka", scara.home)
        assert caught.value.code == "unknown_simulated_robot"


@each_structure
def test_a_snapshot_holds_the_rows_that_wait_and_the_signals(scara: Robot, structure: Structure) -> None:
    plant = plant_of(Scene.of(scara), structure)
    plant.command("scara", *rows_of(scara, 0.05, 40))
    plant.set_input("1", value=True)
    plant.set_output("2", 3.5)
    plant.step(0.03)
    kept = plant.snapshot()
    plant.step(0.05)
    end = plant.state("scara").q
    plant.set_input("1", value=False)
    plant.command("scara", scara.home)
    plant.step(0.1)
    plant.restore(kept)
    assert plant.inputs == {"1": True}
    assert plant.outputs == {"2": 3.5}
    plant.step(0.05)
    np.testing.assert_array_equal(plant.state("scara").q, end)
    with pytest.raises(InvalidInput) as caught:
        plant_of(Scene.of(scara)).restore(kept)
    assert caught.value.code == "foreign_snapshot"


@each_structure
def test_a_halted_arm_forgets_what_it_was_told(scara: Robot, structure: Structure) -> None:
    plant = plant_of(Scene.of(scara), structure)
    plant.command("scara", *rows_of(scara, 0.04, 100))
    plant.step(0.05)
    plant.halt()
    where = plant.state("scara").q
    plant.step(0.2)
    np.testing.assert_allclose(plant.state("scara").q, where, atol=1e-4)
    assert np.abs(where - scara.home).max() > 1e-3


def test_a_body_is_gripped_by_name_and_released(scara: Robot) -> None:
    scene = Scene.of(scara, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),))
    plant = plant_of(scene, "hierarchy")
    with pytest.raises(InvalidInput) as caught:
        plant.grip("scara")
    assert caught.value.code == "grip_without_body"
    plant.grip("scara", "part")
    assert plant.state("scara").held == ("part",)
    before = plant.bodies["part"]
    plant.command("scara", scara.home + 0.05)
    plant.step(1.0)
    assert not np.allclose(plant.bodies["part"], before)
    assert plant.release("scara") == ("part",)
    assert plant.state("scara").held == ()


def test_sensors_measure_in_a_simulated_plant(scara: Robot) -> None:
    plant = plant_of(Scene.of(scara))
    force = plant.measure().motion(scara.links[0].name, np.eye(4)).specific_force
    np.testing.assert_allclose(force, [0.0, 0.0, 9.81], atol=1e-3)
    with pytest.raises(NotSupported):
        plant_of(Scene.of(scara), "hierarchy").measure().flange_wrench()


def test_what_is_left_of_a_command_ends_with_a_simulation_that_diverges() -> None:
    robot = pendulum()
    plant = plant_of(Scene.of(robot))
    plant.simulation.command(tau=[1e9, 1e9])
    with pytest.raises(SimulationDiverged):
        plant.step(1.0)
    assert np.isfinite(plant.state("pendulum").q).all()
