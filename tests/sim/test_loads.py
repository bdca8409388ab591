"""Drives and what an arm holds: chosen ones are told the load, given ones stay."""

from __future__ import annotations

import numpy as np
import pytest
from sim.machines import smooth

from armlab.catalog import load
from armlab.dynamics import OverloadMonitor
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim import choose_drives
from armlab.sim.simulation import Simulation


def holding(robot: Robot, mass: float, **options: object) -> Simulation:
    cube = Body("load", (Shape("box", (0.1, 0.1, 0.1, 0.0), np.eye(4)),), robot.fk(robot.home), mass=mass)
    simulation = Simulation(Scene.of(robot, bodies=(cube,)), contacts="none", **options)  # type: ignore[arg-type]
    simulation.attach("load")
    return simulation


def turn_of_the_last_joint(robot: Robot, simulation: Simulation) -> float:
    goal = robot.home.copy()
    goal[-1] += 1.0
    run = simulation.play(smooth(robot.home, goal, 0.5))
    drives = OverloadMonitor[None](robot)
    drives.take(0.5, simulation.timestep, run.error, run.tau, None)
    assert not any(overload.kind == "drive_saturated" for overload, _place in drives.lasted())
    return float(np.abs(run.error[:, -1]).max())


@pytest.mark.parametrize("name", ["epson-ls3", "kuka-kr6-r700"])
def test_an_arm_follows_with_the_load_that_it_is_rated_for(name: str) -> None:
    robot = load(name)
    assert robot.payload is not None
    assert turn_of_the_last_joint(robot, holding(robot, robot.payload)) < np.radians(0.2)


def test_drives_that_were_given_do_not_change_with_the_load() -> None:
    robot = load("epson-ls3")
    given = [drive.__class__(0.9 * drive.stiffness, drive.damping, drive.effort) for drive in choose_drives(robot)]
    assert turn_of_the_last_joint(robot, holding(robot, 3.0, drives=given)) > np.radians(2.0)


def test_an_arm_that_has_let_go_is_as_stiff_as_before_and_a_snapshot_keeps_the_load() -> None:
    robot = load("epson-ls3")
    bare, held = Simulation(Scene.of(robot), contacts="none"), holding(robot, 3.0)
    with_load = held.snapshot()
    loaded = turn_of_the_last_joint(robot, held)
    held.restore(with_load)
    assert turn_of_the_last_joint(robot, held) == loaded
    held.restore(with_load)
    held.release()
    assert turn_of_the_last_joint(robot, held) == pytest.approx(turn_of_the_last_joint(robot, bare), rel=1e-6)
