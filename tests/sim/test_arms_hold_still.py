"""Chosen drives on every arm of the catalog: it stands, it goes where it is sent, it does not shake."""

from __future__ import annotations

import numpy as np
import pytest
from sim.machines import smooth, towards_the_middle

from armlab.catalog import load, robot_names
from armlab.model.scene import Scene
from armlab.motion.trajectory import Trajectory
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

HUNDREDTH_OF_A_DEGREE = np.radians(0.01)
SHARE_OF_SPEED = 0.3
PHYSICAL: tuple[Structure, ...] = ("articulation", "joints")

each_arm = pytest.mark.parametrize("name", robot_names())
each_structure = pytest.mark.parametrize("structure", PHYSICAL)


@each_arm
@each_structure
def test_an_arm_stays_where_it_is(name: str, structure: Structure) -> None:
    robot = load(name)
    simulation = Simulation(Scene.of(robot), structure, contacts="none")
    simulation.step(300)
    state = simulation.state()
    assert np.abs(state.q - robot.home).max() < HUNDREDTH_OF_A_DEGREE
    assert np.abs(state.qd).max() < 1e-6
    assert state.gap < 1e-5  # 0.01 mm
    assert (np.abs(state.tau) <= robot.effort * (1.0 + 1e-9)).all()


@each_arm
@each_structure
def test_a_small_jump_of_the_setpoints_dies_out_without_ringing(name: str, structure: Structure) -> None:
    robot = load(name)
    goal = towards_the_middle(robot, 1e-4, 1e-4)
    run = Simulation(Scene.of(robot), structure, contacts="none").play(Trajectory.rest(goal, 0.2))
    left = (run.q - goal) / (robot.home - goal)
    settled = 1e-3 if structure == "articulation" else 0.03  # of 0.1 mrad: tied links give way a little to weight
    assert np.abs(left[-1]).max() < settled
    crossings = (np.diff(np.sign(np.where(np.abs(left) > settled, left, 0.0)), axis=0) != 0).sum(axis=0)
    assert crossings.max() <= 3  # one way through zero, perhaps, where another joint pushes; never back and forth


@each_arm
def test_an_arm_that_is_sent_far_away_arrives_without_swinging(name: str) -> None:
    robot = load(name)
    goal = towards_the_middle(robot, 0.3, 0.05)
    simulation = Simulation(Scene.of(robot), contacts="none")
    simulation.command(q=goal)
    beyond = fastest = 0.0
    for _ in range(75):
        simulation.step(20)
        state = simulation.state()
        beyond = max(beyond, float(((state.q - robot.home) / (goal - robot.home)).max()) - 1.0)
        fastest = max(fastest, float((np.abs(state.qd) / robot.velocity).max()))
    assert beyond < 0.05
    assert fastest < 1.05
    assert np.abs(simulation.state().q - goal).max() < HUNDREDTH_OF_A_DEGREE


@each_arm
def test_both_structures_move_and_pull_alike_and_the_tied_one_stays_together(name: str) -> None:
    robot = load(name)
    way = SHARE_OF_SPEED * robot.velocity * 0.6 / 1.875  # a quintic's top speed is 1.875 times its mean
    goal = np.clip(
        np.where(robot.home + way <= robot.upper, robot.home + way, robot.home - way), robot.lower, robot.upper
    )
    runs = []
    for structure in PHYSICAL:
        simulation = Simulation(Scene.of(robot), structure, contacts="none")
        simulation.step(50)  # until the ties bear the weight
        runs.append(simulation.play(smooth(robot.home, goal, 0.6)))
    reduced, tied = runs
    assert tied.gap.max() < 1e-5  # 0.01 mm
    assert reduced.gap.max() == 0.0
    assert np.abs(tied.q - reduced.q).max() < 2e-4
    share = np.abs(tied.tau - reduced.tau) / np.abs(reduced.tau).max(axis=0)
    assert share.max() < 0.05
