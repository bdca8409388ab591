"""A driver of an arm in another process fits the door that simulations have; nothing in `sim` knows of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from sim.toy_arm import SILENT, ToyPlant

from armlab.catalog import load
from armlab.errors import NotSupported
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.sim.plant import Plant
from armlab.sim.sim_plant import SimPlant
from armlab.sim.simulation import Simulation

NAME = "planar2"
GOAL = np.array([0.3, -0.2])


@pytest.fixture
def plants() -> Iterator[list[ToyPlant]]:
    made: list[ToyPlant] = []
    yield made
    for plant in made:
        plant.close()


def over(plants: list[ToyPlant], habits: Mapping[str, float]) -> ToyPlant:
    plant = ToyPlant(load(NAME), habits)
    plants.append(plant)
    return plant


def heard_up_to(plant: ToyPlant, stamp: float) -> None:
    """Wait, in real time, until a sample of that time has come."""
    for _try in range(5000):
        plant.poll()
        if plant.state(NAME).stamp >= stamp - 1e-9:
            return
        time.sleep(0.002)
    raise AssertionError(plant.state(NAME).stamp)


def drive(plant: Plant, robot: Robot, seconds: float) -> float:
    """What any user of a plant does: command, step, read; return how far the arm is from its goal."""
    outcome = plant.command(robot.name, GOAL)
    assert outcome.is_accepted
    plant.step(seconds)
    return float(np.abs(plant.state(robot.name).q - GOAL).max())


def test_the_same_program_drives_a_simulation_and_an_arm_in_another_process(plants: list[ToyPlant]) -> None:
    robot = load(NAME)
    assert drive(SimPlant(Simulation(Scene.of(robot))), robot, 3.0) < 1e-3
    toy = over(plants, {})
    drive(toy, robot, 0.5)
    heard_up_to(toy, 0.5)
    np.testing.assert_allclose(toy.state(NAME).q, GOAL, atol=1e-9)
    assert toy.age == pytest.approx(0.0, abs=1e-9)


def test_what_nobody_has_heard_of_is_only_commanded(plants: list[ToyPlant]) -> None:
    plant = over(plants, {})
    assert plant.state(NAME).quality.q == ("commanded",) * 2
    plant.step(0.02)
    heard_up_to(plant, 0.02)
    quality = plant.state(NAME).quality
    assert quality.q == ("measured",) * 2
    assert quality.qd == ("estimated",) * 2
    assert quality.tau == ()
    assert plant.state(NAME).tau is None


def test_a_late_arm_shows_its_age(plants: list[ToyPlant]) -> None:
    plant = over(plants, {"late": 0.05})
    plant.command(NAME, GOAL)
    plant.step(0.3)
    heard_up_to(plant, 0.25)
    assert plant.age == pytest.approx(0.05, abs=1e-9)
    assert plant.command(NAME, GOAL).is_accepted
    assert plant.findings == []


def test_an_arm_that_is_too_late_does_not_follow(plants: list[ToyPlant]) -> None:
    plant = over(plants, {"late": 10.0})
    plant.step(SILENT + 0.1)
    outcome = plant.command(NAME, GOAL)
    assert outcome.kind == "not_followed"
    assert outcome.finding is not None
    assert outcome.finding.code == "arm_silent"
    assert outcome.finding.message.parameters["age"] == pytest.approx(SILENT + 0.1)


def test_lost_samples_are_told_once_and_the_rest_counts(plants: list[ToyPlant]) -> None:
    plant = over(plants, {"drops": 3})
    plant.command(NAME, GOAL)
    plant.step(0.2)
    heard_up_to(plant, 0.2)
    assert [finding.code for finding in plant.findings] == ["samples_lost"]
    np.testing.assert_allclose(plant.state(NAME).q, GOAL, atol=1e-3)


def test_a_sample_that_is_not_a_number_is_told_and_left_out(plants: list[ToyPlant]) -> None:
    plant = over(plants, {"nan": 20})
    plant.command(NAME, GOAL)
    plant.step(0.19)
    heard_up_to(plant, 0.19)
    plant.step(0.01)
    for _try in range(5000):
        plant.poll()
        if plant.findings:
            break
        time.sleep(0.002)
    assert [finding.code for finding in plant.findings] == ["sample_not_finite"]
    state = plant.state(NAME)
    assert state.stamp == pytest.approx(0.19)
    assert np.isfinite(state.q).all()


def test_an_arm_that_dies_does_not_follow_and_keeps_its_last_state(plants: list[ToyPlant]) -> None:
    plant = over(plants, {"dies": 0.1})
    plant.command(NAME, GOAL)
    plant.step(0.09)
    heard_up_to(plant, 0.09)
    plant.step(0.01)
    plant.process.wait(timeout=20)
    plant.step(0.02)
    outcome = plant.command(NAME, GOAL)
    assert outcome.kind == "not_followed"
    assert outcome.finding is not None
    assert outcome.finding.code == "arm_gone"
    assert [finding.code for finding in plant.findings] == ["arm_gone"]
    assert plant.state(NAME).stamp == pytest.approx(0.09)
    assert plant.age == pytest.approx(0.03)


def test_what_an_arm_cannot_do_is_said(plants: list[ToyPlant]) -> None:
    plant: Plant = over(plants, {})
    with pytest.raises(NotSupported) as caught:
        plant.snapshot()
    assert caught.value.code == "plant_without_snapshots"
    with pytest.raises(NotSupported) as caught:
        plant.measure()
    assert caught.value.code == "plant_not_simulated"
    outcome = plant.command(NAME, [np.nan, 0.0])
    assert outcome.kind == "refused"
