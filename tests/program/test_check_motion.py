"""What a check says about drives, against limits that are made too small for a program on purpose."""

from __future__ import annotations

import numpy as np

import armlab
from armlab.dynamics.along import torques_along
from armlab.dynamics.bodies import with_payload
from armlab.model.robot import Robot
from armlab.program.check import check_program
from armlab.program.executor import Executor, Piece
from armlab.program.instructions import Instruction, MotionSettings, MoveL
from armlab.program.span import Span

ARM = armlab.load("ur5e")


def line(number: int, *, x: float, turn: float = 0.0, speed: float = 0.05) -> Instruction:
    T = ARM.fk(ARM.home)
    c, s = np.cos(turn), np.sin(turn)
    T[:3, :3] = T[:3, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    T[0, 3] += x
    return MoveL((T,), settings=MotionSettings(tool_speed=speed), span=Span("a.ngc", number))


def found(robot: Robot, *moves: Instruction) -> list[tuple[str, str, object]]:
    check = check_program(robot, moves, start=ARM.home)
    return [(finding.code, finding.severity, finding.where.get("line")) for finding in check.findings]


def test_a_feed_that_a_joint_cannot_hold_is_told_with_its_line() -> None:
    assert found(ARM, line(1, x=-0.02), line(2, x=0.0, turn=2.9)) == [("feed_not_held", "warning", 2)]
    check = check_program(ARM, [line(2, x=0.02, turn=2.9)], start=ARM.home)
    told = check.findings[0].message.parameters
    assert told["joint"] == "wrist 3"
    assert told["speed"] < told["feed"] == 3000.0


def test_a_feed_that_is_held_is_not_told() -> None:
    assert found(ARM, line(1, x=-0.05), line(2, x=0.0)) == []


def test_torques_beyond_the_drives_are_errors_at_the_line_that_needs_them() -> None:
    heavy = with_payload(ARM, 60.0)
    first, *told = found(heavy, line(1, x=-0.02), line(2, x=0.0))
    assert first == ("payload_exceeded", "error", None)
    assert {(code, severity) for code, severity, _line in told} >= {("torque_limit", "error")}
    assert {number for _code, _severity, number in told} == {1, 2}


def test_the_time_of_a_torque_is_that_of_the_program() -> None:
    heavy = with_payload(ARM, 60.0)
    moves = [line(1, x=-0.02), line(2, x=0.0)]
    second = [item for item in Executor(heavy, moves, start=ARM.home) if isinstance(item, Piece)][1]
    worst = torques_along(heavy, second.trajectory, step=0.01).findings[0]
    check = check_program(heavy, moves, start=ARM.home)
    same = next(f for f in check.findings if f.where.get("line") == 2 and f.where["joint"] == worst.where["joint"])
    assert abs(float(same.where["time"]) - second.start - float(worst.where["time"])) < 1e-9
