"""Programs run on a real arm as on a simulated one; what must not be is refused before anything moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from link.lockstep import TICK, LockStep

from armlab.geometry.shape import Shape
from armlab.link.gate import Gate
from armlab.link.guard import LinkState
from armlab.link.link_plant import LinkPlant
from armlab.link.program_run import ArmRun, connect_plant, run_on_arm
from armlab.model.scene import Body, Scene
from armlab.motion.joint import plan_joint
from armlab.program.instructions import Instruction, MoveJ, Say
from armlab.sim.plant import Plant

MOVE = np.radians([20.0, 15.0, 0.0, -10.0, 0.0])


def plant_of(step: LockStep) -> LinkPlant:
    def passed(seconds: float) -> float:
        for _tick in range(round(seconds / TICK)):
            step.now += TICK
            step.wire.advance(TICK)
        return step.now

    return LinkPlant(step.link, passed)


def program(*instructions: Instruction) -> Iterable[Instruction]:
    return iter(instructions)


def run(plant: LinkPlant, *instructions: Instruction, scene: Scene | None = None) -> ArmRun:
    robot = plant.link.file.robot
    return run_on_arm(plant, scene or Scene.of(robot), lambda: program(*instructions), override=1.0)


def test_a_program_runs_on_a_real_arm_and_ends_where_it_says(tmp_path: Path) -> None:
    step = LockStep(tmp_path)
    plant: Plant = plant_of(step)
    assert isinstance(plant, LinkPlant)
    start = connect_plant(plant)
    goal = step.file.robot.home + MOVE
    done = run(plant, MoveJ((start,)), MoveJ((goal,)), Say("there"), MoveJ((step.file.robot.home,)))
    assert not [one for one in done.findings if one.severity == "error"]
    assert done.messages == ["there"]
    assert done.is_whole
    assert done.duration == pytest.approx(done.took * 0.5, rel=0.2)
    assert step.board.servos.q == pytest.approx(step.file.robot.home, abs=0.01)
    assert step.link.state is LinkState.ARMED
    assert step.board.servos.fastest < 0.6 * step.file.robot.velocity.max()
    assert plant.state("braccio").quality.q == ("measured",) * 5


def test_the_outcome_of_a_command_is_refused_until_the_arm_is_armed_and_not_followed_when_it_holds(
    tmp_path: Path,
) -> None:
    step = LockStep(tmp_path)
    plant = plant_of(step)
    q = connect_plant(plant)
    assert plant.command("braccio", q, 0.0 * q).kind == "refused"
    assert step.link.arm("program", plant.now) is None
    plant.step(0.1)
    assert plant.command("braccio", q, 0.0 * q).kind == "accepted"
    far = plant.command("braccio", q + 1.0, 0.0 * q)
    assert (far.kind, far.finding.code if far.finding else "") == ("refused", "setpoint_jumps")
    plant.halt()
    assert plant.command("braccio", q, 0.0 * q).kind == "not_followed"


def test_a_joint_that_sticks_in_a_program_ends_it_with_its_name(tmp_path: Path) -> None:
    step = LockStep(tmp_path, faults=("stuck:elbow@2",))
    plant = plant_of(step)
    connect_plant(plant)
    goal = step.file.robot.home + np.radians([0.0, 0.0, 60.0, 0.0, 0.0])
    done = run(plant, *(MoveJ((q,)) for _time in range(5) for q in (goal, step.file.robot.home)))
    assert [one.code for one in done.findings if one.code == "joint_not_followed"]
    assert step.link.state is LinkState.HOLDING
    assert done.findings[-1].message.parameters["joint"] == "elbow"


def blocked(robot_scene: Scene, step: LockStep) -> Scene:
    """A post where the tool would pass."""
    goal = step.file.robot.home + np.radians([60.0, 0.0, 0.0, 0.0, 0.0])
    T = np.eye(4)
    T[:3, 3] = step.file.robot.fk(goal)[:3, 3]
    post = Body("post", (Shape("box", (0.05, 0.05, 0.3), np.eye(4)),), T)
    return replace(robot_scene, bodies=(post,))


def test_a_motion_into_something_is_refused_by_its_line_before_anything_moves(tmp_path: Path) -> None:
    step = LockStep(tmp_path)
    plant = plant_of(step)
    connect_plant(plant)
    before = step.board.servos.q.copy()
    scene = blocked(Scene.of(step.file.robot), step)
    goal = step.file.robot.home + np.radians([90.0, 0.0, 0.0, 0.0, 0.0])
    done = run(plant, MoveJ((goal,)), scene=scene)
    assert {one.code for one in done.findings} & {"contact", "clearance"}
    assert not done.has_moved
    assert not done.is_whole
    assert step.link.state is LinkState.MONITOR
    assert np.array_equal(before, step.board.servos.q)
    gate = Gate(step.file, scene)
    found = gate.check(plan_joint(step.file.robot, [step.file.robot.home, goal]), step.file.robot.home)
    assert [one.code for one in found] == ["gate_contact"]


def test_the_gate_refuses_what_begins_elsewhere_and_what_breaks_a_limit(tmp_path: Path) -> None:
    step = LockStep(tmp_path)
    robot = step.file.robot
    gate = Gate(step.file, Scene.of(robot))
    good = plan_joint(robot, [robot.home, robot.home + MOVE])
    assert gate.check(good, robot.home) == []
    assert [one.code for one in gate.check(good, robot.home + np.radians([2.0, 0, 0, 0, 0]))] == ["start_away"]
    fast = plan_joint(robot, [robot.home, robot.home + MOVE], scheme="quintic", times=[0.1])
    codes = {one.code for one in gate.check(fast, robot.home)}
    assert {"velocity_limit", "acceleration_limit"} <= codes


def test_an_arm_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    from armlab.errors import LinkRefused

    step = LockStep(tmp_path)
    step.wire.is_cut = True
    with pytest.raises(LinkRefused) as refused:
        connect_plant(plant_of(step))
    assert refused.value.code == "port_not_opened"
