"""The simulation of arms with coupled joints: their followers keep the law, and the own drives carry everything."""

from __future__ import annotations

import numpy as np
import pytest
from coupled_arms import coupled_arm

from armlab import dynamics
from armlab.model.scene import Scene
from armlab.motion.joint import plan_joint
from armlab.sim import Simulation
from armlab.sim.state import Structure

GOAL = np.array([0.5, 0.4, -0.3, 1.0])


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_an_arm_at_rest_is_held_by_what_the_dynamics_ask_for(structure: Structure) -> None:
    robot = coupled_arm("palletiser")
    simulation = Simulation(Scene.of(robot), structure)
    simulation.command(q=GOAL)
    simulation.step(4000)
    state = simulation.state()
    np.testing.assert_allclose(state.q, GOAL, atol=1e-5)
    np.testing.assert_allclose(state.tau, dynamics.gravity_torque(robot, GOAL), atol=1e-2)
    np.testing.assert_allclose(state.frames, robot.frames(GOAL), atol=1e-4)


@pytest.mark.parametrize("structure", ["articulation", "joints", "hierarchy"])
def test_followers_keep_the_law_while_the_arm_moves(structure: Structure) -> None:
    robot = coupled_arm("palletiser")
    motion = plan_joint(robot, [robot.home, GOAL])
    simulation = Simulation(Scene.of(robot), structure)
    seen: list[float] = []
    simulation.every(50.0, lambda now: seen.append(np.abs(now.state().frames - robot.frames(now.state().q)).max()))
    run = simulation.play(motion)
    assert max(seen) < 1e-3
    np.testing.assert_allclose(run.recording.q[-1], GOAL, atol=2e-3)
    rows = motion.sample(motion.times(0.001))
    again = Simulation(Scene.of(robot), structure)
    again.follow(rows.q, rows.qd)
    np.testing.assert_allclose(again.state().q, GOAL, atol=2e-3)


def test_forces_move_a_coupled_arm_as_forward_dynamics_say() -> None:
    robot = coupled_arm("palletiser")
    simulation = Simulation(Scene.of(robot), timestep=1e-4)
    tau = dynamics.gravity_torque(robot, robot.home) + np.array([3.0, 5.0, 4.0, 0.2])
    simulation.command(tau=tau)
    simulation.step(200)
    wanted = dynamics.forward_dynamics(robot, robot.home, np.zeros(4), tau) * 0.02
    np.testing.assert_allclose(simulation.state().qd, wanted, rtol=2e-2, atol=1e-4)
