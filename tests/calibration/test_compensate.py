"""Compensation: what the real arm then does is what was meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from calibration.measuring import joint_path, mean_distance

import armlab
from armlab.arrays import Floats
from armlab.calibration import (
    RealArm,
    RealJoint,
    RealSimulation,
    compensate_joints,
    compensated,
    compensated_program,
    path_errors,
    program_errors,
    real_arm,
    real_fk,
)
from armlab.cli.programs import gcode_options, part_place, source_of_name
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.program.instructions import Instruction, MoveJ, MoveL, Pick, Place, Say
from armlab.program.prepare import PreparedProgram, RunOptions, cell_of, prepare

SIX = "kuka-kr6-r700"


def prepared(name: str, robot: str | None, tool: str | None) -> PreparedProgram:
    cell = None if robot is None else cell_of(robot, None, None if tool is None else armlab.load_tool(tool))
    options = RunOptions(gcode_options("linuxcnc", None, None, block_delete=False), stops_at_errors=False)
    return prepare(source_of_name(name, None), cell, part_place(None, None), options)


@pytest.mark.parametrize(("name", "tolerance"), [(SIX, "industrial"), ("ur5e", "industrial"), (SIX, "hobby")])
def test_compensated_joints_put_the_real_tool_where_the_nominal_one_is(name: str, tolerance: str) -> None:
    robot = armlab.load(name)
    real = real_arm(robot, tolerance, seed=4)
    q = robot.home + np.random.default_rng(1).uniform(-0.3, 0.3, (40, 6))
    regular = armlab.manipulability(robot, q) > 0.02
    assert regular.sum() > 15
    meant = robot.fk(q[regular])
    done = real_fk(real, compensate_joints(real, q[regular]))
    np.testing.assert_allclose(done, meant, atol=1e-7)


def test_four_axes_put_the_tool_point_there() -> None:
    robot = armlab.load("scara")
    real = real_arm(robot, "industrial", seed=4)
    q = np.array([0.5, 0.8, robot.home[2], 0.3])
    assert np.linalg.norm((real_fk(real, compensate_joints(real, q)) - robot.fk(q))[:3, 3]) < 1e-7


def test_a_perfect_arm_needs_no_compensation() -> None:
    robot = armlab.load(SIX)
    q = robot.home + np.random.default_rng(2).uniform(-0.3, 0.3, (10, 6))
    np.testing.assert_array_equal(compensate_joints(RealArm(robot), q), q)


def test_straight_moves_are_straight_again() -> None:
    robot = armlab.load(SIX)
    real = real_arm(robot, "industrial", seed=5)
    A = robot.fk(robot.home)
    B = A.copy()
    B[:3, 3] += [0.05, 0.25, -0.1]
    program: list[Instruction] = [MoveL((B,)), Say("done")]
    nominal = joint_path(robot, program, robot.home)
    stream = list(compensated(real, program, robot.home))
    assert isinstance(stream[-1], Say)
    corrected = joint_path(robot, stream, compensate_joints(real, robot.home))
    errors = path_errors(real, nominal, corrected)
    assert errors.max_before > 5e-4
    assert errors.max_after < 1e-5
    assert mean_distance(real_fk(real, corrected[-1:]), B[None]) < 1e-6


def test_joint_moves_end_where_they_should() -> None:
    robot = armlab.load(SIX)
    real = real_arm(robot, "industrial", seed=6)
    goal = robot.home + 0.2
    (move,) = compensated(real, [MoveJ((goal,))], robot.home)
    assert isinstance(move, MoveJ)
    assert mean_distance(real_fk(real, move.targets[-1][None]), robot.fk(goal[None])) < 1e-8


@pytest.mark.parametrize(("name", "robot", "tool"), [("drawing", SIX, "pen"), ("windscreen", None, None)])
def test_shipped_programs_become_at_least_twenty_times_better(name: str, robot: str | None, tool: str | None) -> None:
    first, second = prepared(name, robot, tool), prepared(name, robot, tool)
    real = real_arm(first.cell.robot, "industrial", seed=1)
    errors = program_errors(real, first, compensated_program(real, second))
    assert errors.mean_after < 0.05 * errors.mean_before


def test_a_move_that_cannot_be_made_is_passed_on() -> None:
    robot = armlab.load(SIX)
    far = robot.fk(robot.home)
    far[:3, 3] = [5.0, 0.0, 0.0]
    move = MoveL((far,))
    assert list(compensated(RealArm(robot), [move], robot.home)) == [move]


def soft_arm() -> RealArm:
    """Return an arm that is as drawn but for gears that give."""
    robot = armlab.load(SIX)
    return replace(RealArm(robot), joints=tuple(RealJoint(joint.name, stiffness=2e4) for joint in robot.joints))


def scene_with_weight(robot: Robot, q: Floats, mass: float) -> Scene:
    """Return a scene in which a cube of some mass is at the tool when the arm is at `q`."""
    cube = Body("cube", (Shape("box", (0.05, 0.05, 0.05), np.eye(4)),), robot.fk(q), mass)
    return Scene("weight", (PlacedRobot(robot.name, robot, q),), (cube,))


def test_what_the_tool_holds_bends_the_arm_and_is_compensated() -> None:
    soft, mass = soft_arm(), 3.0
    robot = soft.nominal
    goal = robot.home + 0.2
    program: list[Instruction] = [Pick("cube"), MoveJ((goal,)), Place(), MoveJ((robot.home,))]
    scene = scene_with_weight(robot, robot.home, mass)
    _pick, loaded, _place, empty = compensated(soft, program, robot.home, scene)
    assert isinstance(loaded, MoveJ)
    assert isinstance(empty, MoveJ)
    heavy = soft.with_load(Inertia(mass, robot.tool.T_flange_tool[:3, 3]), np.eye(4))
    sag = np.linalg.norm((real_fk(heavy, goal) - real_fk(soft, goal))[:3, 3])
    assert sag > 2e-4
    target = np.asarray(loaded.targets[-1])
    assert np.linalg.norm((real_fk(heavy, target) - robot.fk(goal))[:3, 3]) < 0.02 * sag
    back = np.asarray(empty.targets[-1])
    np.testing.assert_allclose(real_fk(soft, back), robot.fk(robot.home), atol=1e-7)


def test_a_simulated_real_arm_sags_under_what_it_holds_and_rises_when_it_lets_go() -> None:
    soft, mass = soft_arm(), 3.0
    robot, q = soft.nominal, soft.nominal.home
    simulation = RealSimulation(scene_with_weight(robot, q, mass), {robot.name: soft}, "hierarchy")

    def height() -> float:
        simulation.command(q=q)
        simulation.step(200)
        return float(simulation.state().frames[-1][2, 3])

    empty = height()
    simulation.attach("cube")
    kept = simulation.snapshot()
    loaded = height()
    expected = soft.with_load(Inertia(mass, robot.tool.T_flange_tool[:3, 3]), np.eye(4))
    fallen = real_fk(soft, q)[2, 3] - real_fk(expected, q)[2, 3]
    assert fallen > 2e-4
    assert empty - loaded == pytest.approx(fallen, rel=0.05)
    simulation.release()
    assert height() == pytest.approx(empty, abs=1e-6)
    simulation.restore(kept)
    assert height() == pytest.approx(loaded, abs=1e-6)
