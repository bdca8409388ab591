"""Steps that are made in blocks: the same motion as one by one, whatever else is on its way."""

from __future__ import annotations

import numpy as np
import pytest
from sim.machines import box

from armlab.catalog import load, load_tool
from armlab.geometry import pose
from armlab.model.scene import PlacedRobot, Scene
from armlab.motion.joint import plan_joint
from armlab.sim.drives import Drive
from armlab.sim.setpoints import Setpoints
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

STRUCTURES: tuple[Structure, ...] = ("articulation", "hierarchy", "joints")
each_structure = pytest.mark.parametrize("structure", STRUCTURES)


def two_arms() -> Scene:
    left, right = load("kuka-kr6-r700"), load("scara").with_base(pose.from_xyz([2.0, 0.0, 0.0]))
    return Scene("pair", (PlacedRobot("left", left, left.home), PlacedRobot("right", right, right.home)))


@each_structure
def test_one_arm_follows_rows_while_another_is_on_its_way_to_a_goal(structure: Structure) -> None:
    one, many = (Simulation(two_arms(), structure) for _ in range(2))
    robot = load("kuka-kr6-r700")
    rows = plan_joint(robot, [robot.home, robot.home + 0.03]).sample(np.arange(1, 121) * 0.001)
    for simulation in (one, many):
        simulation.command(q=load("scara").home + np.array([0.01, 0.2, -0.02, 0.1]), robot="right")
    for q, qd in zip(rows.q, rows.qd, strict=True):
        one.command(q=q, qd=qd, robot="left")
        one.step()
    many.follow(rows.q, rows.qd, robot="left")
    for name in one.robots:
        np.testing.assert_allclose(many.state(name).q, one.state(name).q, atol=1e-12)
        np.testing.assert_allclose(many.state(name).qd, one.state(name).qd, atol=1e-9)


@pytest.mark.parametrize("structure", ["articulation", "joints"])
def test_a_goal_is_reached_the_same_in_one_block_and_step_by_step(structure: Structure) -> None:
    robot = load("ur5e").with_tool(load_tool("gripper"))
    scene = Scene.of(robot, bodies=(box("part", [0.9, 0.9, 0.2], 1.0),))
    one, many = (Simulation(scene, structure, grasp="friction", timestep=0.002) for _ in range(2))
    for simulation in (one, many):
        simulation.command(q=robot.home + 0.2)
        simulation.grip(0.01)
    for _ in range(300):
        one.step()
    many.step(300)
    np.testing.assert_allclose(many.state().q, one.state().q, atol=1e-12)
    assert many.state().width == pytest.approx(one.state().width, abs=1e-12)


def test_setpoints_arrive_after_what_trapezoids_take() -> None:
    joints = load("ur5e").joints[:2]
    setpoints = Setpoints(list(joints), [Drive(1.0, 0.0)] * 2, 0.001)
    goal = np.array([0.5, -0.02])
    setpoints.send(np.arange(2), goal)
    q, qd = setpoints.advance(100_000)
    np.testing.assert_array_equal(q[-1], goal)
    np.testing.assert_array_equal(qd[-1], 0.0)
    assert not setpoints.moving
    for i, joint in enumerate(joints):
        v, a = joint.velocity, joint.velocity / 0.25  # as fast as it may in a quarter of a second
        distance = abs(goal[i])
        expected = distance / v + v / a if distance > v * v / a else 2.0 * np.sqrt(distance / a)
        arrived = int(np.argmax(q[:, i] == goal[i])) + 1
        assert arrived * 0.001 == pytest.approx(expected, abs=0.01)  # braking in whole steps
        assert np.abs(qd[:, i]).max() <= v + 1e-12
        assert np.abs(np.diff(qd[:, i], prepend=0.0)).max() <= a * 0.001 * (1.0 + 1e-9)


@each_structure
def test_a_played_motion_tells_of_every_step_what_the_state_tells(structure: Structure) -> None:
    robot = load("scara")
    path = plan_joint(robot, [robot.home, robot.home + np.array([0.1, 0.1, -0.02, 0.1])])
    times = np.arange(1.0, 41.0) * 0.001
    run = Simulation(Scene.of(robot), structure).play(path, times=times)
    again = Simulation(Scene.of(robot), structure)
    rows = path.sample(times)
    for i in range(len(times)):
        again.command(q=rows.q[i], qd=rows.qd[i])
        again.step()
        state = again.state()
        np.testing.assert_allclose(run.q[i], state.q, atol=1e-12)
        np.testing.assert_allclose(run.qd[i], state.qd, atol=1e-9)
        np.testing.assert_allclose(run.tau[i], state.tau, atol=1e-6)
        assert run.gap[i] == pytest.approx(state.gap, abs=1e-12)
