from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.model.scene import PlacedRobot, Scene
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
@pytest.mark.parametrize("arm", ["kuka-kr6-r700", "scara"])
def test_following_rows_is_commanding_and_stepping_bit_by_bit(arm: str, structure: Structure) -> None:
    robot = armlab.load(arm)
    move = armlab.plan_joint(robot, [robot.home, robot.home + 0.05])
    t = np.arange(1, 81) * 0.001
    state = move.sample(t)
    one, many = (Simulation(Scene.of(robot), structure) for _ in range(2))
    for q, qd in zip(state.q, state.qd, strict=True):
        one.command(q=q, qd=qd)
        one.step()
    for rows in np.array_split(np.arange(len(t)), 5):
        many.follow(state.q[rows], state.qd[rows])
    a, b = one.state(), many.state()
    assert a.step == b.step == len(t)
    for what in ("q", "qd", "qdd", "tau", "frames"):
        np.testing.assert_array_equal(getattr(a, what), getattr(b, what))
    one.step(20)
    many.step(20)
    np.testing.assert_array_equal(one.state().q, many.state().q)


def test_rows_that_do_not_fit_are_refused_and_nothing_moves() -> None:
    robot = armlab.load("scara")
    simulation = Simulation(Scene.of(robot))
    with refused("row_counts_differ", InvalidInput, where="scara", counts=["q 2", "qd 1"]):
        simulation.follow(np.zeros((2, 4)), np.zeros((1, 4)))
    with pytest.raises(InvalidInput, match="not a finite number"):
        simulation.follow(np.full((1, 4), np.nan), np.zeros((1, 4)))
    assert simulation.step_count == 0


def two_arms() -> Scene:
    """A KUKA, and a SCARA out of its reach."""
    left, right = armlab.load("kuka-kr6-r700"), armlab.load("scara").with_base(pose.from_xyz([2.0, 0.0, 0.0]))
    return Scene("pair", (PlacedRobot("left", left, left.home), PlacedRobot("right", right, right.home)))


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_two_arms_that_follow_together_move_as_if_commanded_one_after_the_other(structure: Structure) -> None:
    one, many = (Simulation(two_arms(), structure) for _ in range(2))
    t = np.arange(1, 41) * 0.001
    moves = {}
    for placed in two_arms().robots:
        home = placed.robot.home
        moves[placed.name] = armlab.plan_joint(placed.robot, [home, home + 0.05]).sample(t)
    for i in range(len(t)):
        for name, state in moves.items():
            one.command(q=state.q[i], qd=state.qd[i], robot=name)
        one.step()
    for rows in np.array_split(np.arange(len(t)), 3):
        many.follow_together({name: (state.q[rows], state.qd[rows]) for name, state in moves.items()})
    for name in moves:
        a, b = one.state(name), many.state(name)
        assert a.step == b.step == len(t)
        for what in ("q", "qd", "qdd", "tau", "frames"):
            np.testing.assert_array_equal(getattr(a, what), getattr(b, what))


def test_arms_that_follow_together_need_the_same_number_of_rows() -> None:
    simulation = Simulation(two_arms())
    rows = {"left": (np.zeros((2, 6)), np.zeros((2, 6))), "right": (np.zeros((3, 4)), np.zeros((3, 4)))}
    with refused("follow_counts_differ", InvalidInput):
        simulation.follow_together(rows)
    assert simulation.step_count == 0
