"""The executor's state while a G-code program runs: line, calls, variables, outputs, what is held."""

from __future__ import annotations

import numpy as np

import armlab
from armlab.program.execution import Execution
from armlab.program.executor import Executor
from armlab.program.executor.state import ExecutorState
from armlab.program.gcode.instructions import instructions_of
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.source import Source
from armlab.program.instructions import Pick, Place
from armlab.program.place import Placement

ARM = armlab.load("kuka-kr6-r700")
CALLS = """\
#1=5 #<_count>=0
o<leg> sub
#<half>=[#1/2]
g1 x#<half>
#<_count>=[#<_count>+1]
o<leg> endsub
f600
o<leg> call [20]
m64 p2
g1 y#1
"""


def executor(text: str) -> Executor:
    T = ARM.fk(ARM.home)
    placement = Placement(T_world_part=T, R_part_tool=np.asarray(np.eye(3)))
    return Executor(ARM, instructions_of(Interpreter(Source("a.ngc", text.encode())), placement), start=ARM.home)


def states(text: str) -> list[ExecutorState]:
    runs = executor(text)
    return [runs.state for _item in runs] + [runs.state]


def at_line(found: list[ExecutorState], line: int) -> ExecutorState:
    return next(state for state in found if state.span is not None and state.span.line == line)


def test_variables_are_those_of_the_call_that_runs() -> None:
    found = states(CALLS)
    inside, after = at_line(found, 5), found[-1]
    assert at_line(found, 1).variables == {"#1": 5.0, "#<_count>": 0.0, "#5599": 1.0}
    assert (inside.variables["#1"], inside.variables["#<half>"]) == (20.0, 10.0)
    assert after.variables["#1"] == 5.0
    assert "#<half>" not in after.variables
    assert after.variables["#<_count>"] == 1.0


def test_the_call_stack_ends_with_the_call() -> None:
    found = states(CALLS)
    assert [frame.routine for frame in at_line(found, 4).stack] == ["", "leg"]
    assert [frame.span.line for frame in at_line(found, 5).stack] == [8, 5]
    assert [frame.routine for frame in found[-1].stack] == [""]
    assert found[-1].outputs == {"2": True}


def test_every_state_can_be_saved_and_read_back() -> None:
    for state in states(CALLS):
        assert ExecutorState.from_json(state.to_json()) == state


def test_a_step_over_a_call_goes_to_the_line_behind_it() -> None:
    stepped = Execution(executor(CALLS))
    assert stepped.go_to("a.ngc", 8) is not None
    over = stepped.go("over")
    assert over is not None
    assert over.span is not None
    assert over.span.line == 9


def test_every_line_that_says_something_can_be_stopped_at() -> None:
    stepped = Execution(executor("g21 g90\nf600\n(note)\n\ng0 x1\n#1=2\ng1 x2\n"))
    lines = []
    while (now := stepped.go("into")) is not None:
        assert now.span is not None
        lines.append(now.span.line)
    assert lines == [1, 2, 3, 5, 6, 7]


def test_what_was_measured_is_a_variable_too() -> None:
    assert states("m66 p1\n")[-1].variables["#5399"] == 0.0


def test_what_a_program_holds_is_part_of_its_state() -> None:
    runs = Executor(ARM, [Pick("cube"), Place()], start=ARM.home)
    assert [runs.state.held for _item in runs] == ["cube", "cube", None, None]
