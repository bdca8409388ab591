"""A check goes on behind moves that fail: nothing that follows is lost, and every move is checked or named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, at

from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.program.check import check_program
from armlab.program.executor import Event, Executor, Piece
from armlab.program.instructions import (
    Blend,
    Instruction,
    MotionSettings,
    MoveJ,
    MoveL,
    MoveUntil,
    Probe,
    Report,
    Say,
    SetOutput,
)
from armlab.program.span import Span

FAR = at(3.0, 0.0)
BEHIND = pose.from_xyz_rpy([-0.35, 0.0, 0.55], [0.0, 0.0, 0.0]) @ pose.from_xyz_rpy([0, 0, 0], [0, np.pi / 2, 0])
"""Reached by itself, but not on a line from home: the arm's column is between."""
STOPPING = replace(BLENDED, blend=None)
JOINTS = MotionSettings(blend=Blend(joints=0.2))


def line(number: int, instruction: Instruction) -> Instruction:
    return replace(instruction, span=Span("part.ngc", number))


def test_what_is_said_and_set_behind_a_move_that_fails_is_not_lost() -> None:
    program: list[Instruction] = [
        MoveL((at(0.0, 0.02),), settings=BLENDED),
        SetOutput("1", True, with_motion=True),
        MoveL((FAR,), settings=BLENDED),
        Say("behind"),
        Report(Finding("error", Message("mistake", "mistake"))),
        SetOutput("2", True, with_motion=True),
        MoveL((at(0.0, 0.04),), settings=BLENDED),
        SetOutput("3", True, with_motion=True),
        MoveL((at(0.0, 0.06),), settings=BLENDED),
        Say("last"),
    ]
    check = check_program(ARM, [line(k, one) for k, one in enumerate(program, 1)])
    assert check.messages == ["behind", "last"]
    assert check.outputs == {"1": True, "2": True, "3": True}
    assert [finding.code for finding in check.findings][1:] == ["mistake", "move_not_checked"]
    assert check.motions == 2


def test_a_run_that_ends_at_an_error_does_nothing_behind_it() -> None:
    far = MoveL((FAR,), settings=BLENDED)
    program: list[Instruction] = [MoveL((at(0.0, 0.02),), settings=BLENDED), far, Say("behind")]
    for instructions in (program, program[1:]):
        items = list(Executor(ARM, instructions, start=ARM.home))
        assert not [one for one in items if isinstance(one, Event) and isinstance(one.instruction, Say)]


def moves(seed: int, count: int) -> list[Instruction]:
    """Return moves of many kinds, of which about a third cannot be made."""
    rng = np.random.default_rng(seed)
    program: list[Instruction] = []
    for k in range(count):
        near = at(*(0.05 * rng.uniform(-1.0, 1.0, 2)))
        away = pose.from_xyz(0.01 * rng.uniform(-1.0, 1.0, 3))
        target = [near, near, near, FAR @ away, BEHIND @ away][rng.integers(5)]
        settings = [BLENDED, BLENDED, STOPPING, replace(BLENDED, task="position"), JOINTS][rng.integers(5)]
        kind = rng.integers(8)
        if kind == 0:
            move: Instruction = MoveJ((ARM.home + 0.05 * rng.uniform(-1.0, 1.0, 6),), settings=JOINTS)
        elif kind == 1:
            move = MoveJ((target,), settings=settings)
        elif kind == 2:
            move = Probe(target, settings=STOPPING)
        elif kind == 3:
            move = MoveUntil(MoveL((target,), settings=STOPPING), lambda _signals: False)
        elif kind == 4:
            move = MoveL((near, target, near @ pose.from_xyz([0.0, 0.0, 0.01])), settings=settings)
        else:
            move = MoveL((target,), settings=settings)
        program.append(line(k + 1, move))
    return program


@pytest.mark.parametrize("seed", range(6))
def test_every_move_is_planned_or_named_in_a_finding(seed: int) -> None:
    program = moves(seed, 40)
    planned: set[int] = set()
    named: set[int] = set()
    for item in Executor(ARM, program, start=ARM.home, on_error="skip", lookahead=8):
        if isinstance(item, Piece):
            planned |= {one.index + 1 for one in item.covered}
        elif isinstance(item.instruction, Report):
            named.add(int(item.instruction.finding.where["line"]))
    assert planned | named == set(range(1, len(program) + 1))
    assert planned
    assert named


def test_the_move_behind_one_that_fails_begins_at_its_end() -> None:
    program = [MoveL((at(0.0, 0.02), FAR, at(0.0, 0.04)), settings=BLENDED), MoveL((at(0.0, 0.08),), settings=BLENDED)]
    items = list(Executor(ARM, program, start=ARM.home, on_error="skip"))
    last = [item for item in items if isinstance(item, Piece)][-1]
    np.testing.assert_allclose(ARM.fk(last.trajectory.at(0.0).q), at(0.0, 0.04), atol=1e-6)
    np.testing.assert_allclose(ARM.fk(last.trajectory.end), at(0.0, 0.08), atol=1e-6)


def test_moves_that_fail_one_after_the_other_are_told_one_by_one() -> None:
    program = [line(k + 1, MoveL(((BEHIND, at(0.0, 0.0))[k % 2],), settings=BLENDED)) for k in range(30)]
    items = list(Executor(ARM, program, start=ARM.home, on_error="skip", lookahead=400))
    assert len([one for one in items if isinstance(one, Event)]) == len(program)
