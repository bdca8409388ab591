"""An execution stops at breakpoints, steps into, over and out of routines, and goes back along what was travelled."""

from __future__ import annotations

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, at

from armlab.errors import InvalidInput
from armlab.program.execution import Execution
from armlab.program.execution.statements import Step
from armlab.program.executor import Executor
from armlab.program.instructions import Instruction, Mark, MoveJ, MoveL
from armlab.program.span import Span

Q = ARM.home


def statement(line: int, routine: str = "main", depth: int = 0) -> Mark:
    return Mark(Span("a.src", line), routine, depth)


def program() -> list[Instruction]:
    """Return lines 1 and 2, a routine with lines 11 and 12, and line 3."""
    moves = [MoveJ((Q + 0.05 * k,), span=Span("a.src", line)) for k, line in enumerate((2, 11, 12, 3), 1)]
    return [
        statement(1),
        moves[0],
        statement(11, "sub", 1),
        moves[1],
        moves[2],
        statement(3),
        moves[3],
    ]


def stepped(instructions: list[Instruction]) -> Execution:
    return Execution(Executor(ARM, instructions, start=Q))


def lines(execution: Execution, step: Step) -> list[int]:
    out = []
    while (now := execution.go(step)) is not None:
        assert now.span is not None
        out.append(now.span.line)
    return out


def test_steps_go_into_over_and_out_of_a_routine() -> None:
    assert lines(stepped(program()), "into") == [1, 2, 11, 12, 3]
    assert lines(stepped(program()), "over") == [1, 2, 3]
    inside = stepped(program())
    assert inside.go_to("a.src", 12) is not None
    out = inside.go("out")
    assert out is not None
    assert out.span == Span("a.src", 3)


def test_a_breakpoint_stops_a_run() -> None:
    stopped = stepped(program())
    stopped.breakpoints = {("a.src", 12), ("a.src", 3)}
    assert lines(stopped, "on") == [12, 3]


def test_the_time_of_a_line_in_a_joined_motion_is_when_it_begins() -> None:
    frames = [at(0.0, 0.02), at(0.02, 0.02), at(0.02, 0.0)]
    moves: list[Instruction] = [MoveL((T,), settings=BLENDED, span=Span("a.ngc", k)) for k, T in enumerate(frames, 1)]
    stopped = stepped(moves)
    now = stopped.go_to("a.ngc", 2)
    assert now is not None
    assert now.time == pytest.approx(0.02 / 0.05, rel=0.05)
    back = stopped.back(10.0)
    np.testing.assert_allclose(ARM.fk(back.start)[:3, 3], frames[0][:3, 3], atol=1e-3)
    np.testing.assert_allclose(back.end, Q, atol=1e-9)
    assert stopped.back(0.1).duration == pytest.approx(0.1)


def test_there_is_no_way_back_before_the_first_motion() -> None:
    with pytest.raises(InvalidInput) as caught:
        stepped(program()).back(1.0)
    assert caught.value.code == "nothing_travelled"


def test_a_part_of_a_trajectory_is_the_same_motion() -> None:
    (piece,) = [item for item in Executor(ARM, [MoveJ((Q + 0.4,))], start=Q) if hasattr(item, "trajectory")]
    whole = piece.trajectory
    part = whole.between(0.2 * whole.duration, 0.7 * whole.duration)
    t = np.linspace(0.0, part.duration, 50)
    for a, b in zip(part.sample(t), whole.sample(t + 0.2 * whole.duration), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
