"""Moves that a condition ends: the arm brakes on its path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.executor import Executor, Piece
from armlab.program.instructions import Instructions, MotionSettings, MoveC, MoveJ, MoveL, MoveSpline, MoveUntil
from armlab.program.signals import InputChange, Signals

ROBOT = armlab.load("kuka-kr6-r700")
START = np.radians([0.0, -90.0, 90.0, 0.0, 60.0, 0.0])
DEFAULT_SETTINGS = MotionSettings(tool_speed=0.2, tool_acceleration=1.0, T_flange_tool=np.eye(4))
T = ROBOT.fk(START)
DOWN = pose.from_xyz([0.0, 0.0, -0.2])
TICK = 0.012


def line() -> MoveL:
    return MoveL((DOWN @ T,), settings=DEFAULT_SETTINGS)


def arc() -> MoveC:
    return MoveC(
        (pose.from_xyz([-0.05, 0.05, 0.0]) @ T)[:3, 3], pose.from_xyz([-0.1, 0.0, 0.0]) @ T, settings=DEFAULT_SETTINGS
    )


def curve() -> MoveSpline:
    return MoveSpline((pose.from_xyz([0.0, 0.05, -0.05]) @ T, DOWN @ T), settings=DEFAULT_SETTINGS)


def joints() -> MoveJ:
    return MoveJ((START + 0.5,), settings=MotionSettings(speed=0.2, acceleration=0.3, T_flange_tool=np.eye(4)))


Make = Callable[[], MoveL | MoveC | MoveSpline | MoveJ]


def run(make: Make, script: tuple[InputChange, ...]) -> tuple[list[Piece], tuple[bool, Floats]]:
    answers = []

    def program() -> Instructions:
        answer = yield MoveUntil(make(), lambda signals: bool(signals.read("1")))
        answers.append(answer)

    executor = Executor(ROBOT, program(), start=START, signals=Signals.scripted(script))
    pieces = [item for item in executor if isinstance(item, Piece)]
    (answer,) = answers
    assert isinstance(answer, tuple)
    return pieces, answer


@pytest.mark.parametrize("make", [line, arc, curve, joints])
def test_without_the_condition_the_move_is_whole(make: Make) -> None:
    (piece,), (stopped, q) = run(make, ())
    assert not stopped
    np.testing.assert_allclose(q, piece.trajectory.end, atol=1e-9)
    move = make()
    end = (
        ROBOT.fk(move.targets[-1])
        if isinstance(move, MoveJ)
        else move.frame
        if isinstance(move, MoveC)
        else move.frames[-1]
    )
    np.testing.assert_allclose(ROBOT.fk(q), end, atol=1e-6)


@pytest.mark.parametrize("make", [line, arc, curve, joints])
def test_the_arm_passes_where_the_condition_began_and_rests_on_its_path(make: Make) -> None:
    (whole,), _answer = run(make, ())
    at = 0.4 * whole.trajectory.duration
    (piece,), (stopped, q) = run(make, (InputChange(at, "1", True),))
    assert stopped
    assert piece.trajectory.duration < whole.trajectory.duration
    moment = np.arange(0.0, at + TICK, TICK)
    seen = float(moment[moment >= at - 1e-9][0])
    np.testing.assert_allclose(q, whole.trajectory.at(seen).q, atol=1e-9)
    path = ROBOT.fk(whole.trajectory.sample(np.linspace(0.0, whole.trajectory.duration, 2000)).q)[:, :3, 3]
    driven = ROBOT.fk(piece.trajectory.sample(np.linspace(0.0, piece.trajectory.duration, 100)).q)[:, :3, 3]
    apart = np.linalg.norm(driven[:, None] - path[None], axis=2).min(axis=1)
    # sampled points of the path, a curve through some of them; joints that stop earlier go in other proportions
    assert apart.max() < (1e-2 if make is joints else 5e-4)
    assert piece.trajectory.duration > seen
    np.testing.assert_allclose(piece.trajectory.at(piece.trajectory.duration).qd, 0.0, atol=1e-6)


def test_a_straight_move_stops_within_its_braking_distance() -> None:
    (whole,), _answer = run(line, ())
    at = 0.5 * whole.trajectory.duration
    (piece,), (_stopped, q) = run(line, (InputChange(at, "1", True),))
    distance = np.linalg.norm((ROBOT.fk(piece.trajectory.end) - ROBOT.fk(q))[:3, 3])
    speed, acceleration = 0.2, 1.0
    assert distance == pytest.approx(speed**2 / (2 * acceleration), abs=2e-3)
