"""A state that was saved at any moment is gone on from: to the same end, with nothing done twice."""

from __future__ import annotations

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, at, curve, lines

import armlab
from armlab.errors import InvalidInput
from armlab.program.executor import Event, Executor, ExecutorState, Piece
from armlab.program.gcode.instructions import instructions_of
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.source import Source
from armlab.program.instructions import Instruction, Instructions, MoveC, MoveL, Say, SetOutput, Wait
from armlab.program.place import Placement
from armlab.program.signals import InputChange, Signals

PROGRAM = b"""f3000 g64 p0.1
o<side> sub
#<_sides>=[#<_sides>+1]
g1 x#1 y#2
(msg,side)
o<side> endsub
#<_sides>=0
o<side> call [20] [0]
m66 p1 l3 q5
o10 if [#5399 eq 1]
  o<side> call [20] [20]
o10 else
  o<side> call [-90] [20]
o10 endif
m64 p2
g1 x10
g1 x0
g0 x0 y0
m65 p2
m2
"""


def program() -> Instructions:
    placement = Placement(T_world_part=ARM.fk(ARM.home), R_part_tool=np.asarray(np.eye(3)))
    return instructions_of(Interpreter(Source("a.ngc", PROGRAM)), placement)


def signals() -> Signals:
    return Signals.scripted([InputChange(1.0, "1", True)])


def executor(resume: ExecutorState | None = None) -> Executor:
    return Executor(ARM, program(), start=ARM.home, signals=signals(), lookahead=4, resume=resume)


def said(items: list[Piece | Event]) -> list[str]:
    events = [e for i in items for e in ([i] if isinstance(i, Event) else i.events)]
    return [event.instruction.text for event in events if isinstance(event.instruction, Say)]


def test_from_every_state_the_program_comes_to_the_same_end() -> None:
    whole = executor()
    items, saved = [], []
    for item in whole:
        items.append(item)
        saved.append(whole.state.to_json())
    assert len(saved) > 15
    assert any(ExecutorState.from_json(text).is_within for text in saved)
    for k, text in enumerate(saved):
        resumed = executor(ExecutorState.from_json(text))
        rest = list(resumed)
        end, expected = resumed.state, whole.state
        np.testing.assert_allclose(end.q, expected.q, atol=1e-9)
        assert (end.outputs, end.variables, end.stack) == (expected.outputs, expected.variables, expected.stack)
        assert (end.answers, end.span, end.is_done) == (expected.answers, expected.span, True)
        assert said(items[: k + 1]) + said(rest) == said(items)


def test_the_motion_goes_on_where_it_was_and_at_its_time() -> None:
    moves = lines(curve(300))
    whole = Executor(ARM, moves, start=ARM.home, lookahead=20)
    taken = [item for _number, item in zip(range(4), whole, strict=False)]
    item, state = taken[-1], whole.state
    assert state.is_within
    first = next(iter(Executor(ARM, moves, start=ARM.home, lookahead=20, resume=state)))
    assert isinstance(first, Piece)
    assert isinstance(item, Piece)
    assert first.start == item.end
    np.testing.assert_allclose(first.trajectory.start, item.trajectory.end, atol=1e-9)
    assert first.covered[0].index == state.index


def test_a_pulse_that_was_under_way_ends() -> None:
    moves: list[Instruction] = [SetOutput("7", True, pulse=2.0), Wait(0.5), Wait(0.5), Wait(3.0)]
    whole = Executor(ARM, moves, start=ARM.home)
    for item in whole:
        if isinstance(item, Piece):
            break
    state = ExecutorState.from_json(whole.state.to_json())
    resumed = Executor(ARM, moves, start=ARM.home, resume=state)
    ends = [(e.time, e.instruction.value) for i in resumed for e in ([i] if isinstance(i, Event) else i.events)]  # type: ignore[union-attr]
    assert ends == [(2.0, False)]
    assert resumed.state.outputs == {"7": False}


def test_a_state_of_another_program_and_one_within_a_curve_are_refused() -> None:
    state = ExecutorState(1.0, 7, None, (), q=tuple(ARM.home.tolist()))
    with pytest.raises(InvalidInput) as caught:
        list(Executor(ARM, [Wait(1.0)], start=ARM.home, resume=state))
    assert caught.value.code == "state_of_another_program"
    arc: list[Instruction] = [MoveC(at(0.02, 0.02)[:3, 3], at(0.0, 0.04), settings=BLENDED)]
    within = ExecutorState(1.0, 0, None, (), q=tuple(ARM.home.tolist()), is_within=True)
    with pytest.raises(InvalidInput) as caught:
        list(Executor(ARM, [*arc, MoveL((at(0.0, 0.0),), settings=BLENDED)], start=ARM.home, resume=within))
    assert caught.value.code == "state_within_curve"


@pytest.mark.parametrize(
    "text", ["", "null", "{}", "[1]", '{"time": "x"}', "\0", '{"time":1,"index":0,"span":5,"stack":[]}']
)
def test_what_is_no_state_is_refused_with_one_message(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        ExecutorState.from_json(text)
    assert caught.value.code == "state_invalid"


def test_an_arm_with_other_joints_is_refused() -> None:
    state = ExecutorState(0.0, -1, None, (), q=(0.0, 0.0))
    with pytest.raises(InvalidInput):
        Executor(armlab.load("scara"), [Wait(1.0)], start=np.zeros(4), resume=state)
