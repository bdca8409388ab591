"""An execution plans a bounded time ahead of a clock; however it is pulled, the motions are the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, at, curve, lines

from armlab.errors import InvalidInput
from armlab.motion.limits import limits_of
from armlab.program.execution import Execution, Statement
from armlab.program.execution.execution import AHEAD, KEPT_S
from armlab.program.executor import Event, Executor, ExecutorState, Piece
from armlab.program.gcode.shipped import program_names
from armlab.program.instructions import (
    Answer,
    Instruction,
    Instructions,
    MoveJ,
    MoveL,
    MoveUntil,
    Pause,
    ReadInput,
    Say,
    SetOutput,
    Wait,
    WaitUntil,
)
from armlab.program.languages import program_source
from armlab.program.prepare import cell_of, prepare
from armlab.program.signals import InputChange, Signals
from armlab.program.span import Span

TICK = 1.0 / 60.0
Q = ARM.home


def played(execution: Execution, tick: float = TICK) -> Iterator[Event]:
    """Let time pass to the end, and yield what is due."""
    for _ in range(1_000_000):
        execution.look_ahead()
        yield from execution.advance(tick)
        if execution.is_over:
            return
    raise AssertionError(execution.time)


def items_of(name: str) -> Executor:
    cell = cell_of("kuka-kr6-r700", None)
    signals = Signals({"1": True, "2": True}, script=(InputChange(2.5, "3", True),))
    prepared = prepare(program_source(name), cell)
    return Executor(cell.robot, prepared.instructions, start=prepared.start, signals=signals)


@pytest.mark.parametrize("name", [name for suffix in (".ngc", ".src", ".py") for name in program_names(suffix)])
def test_programs_that_come_with_armlab_move_the_same_however_they_are_pulled(name: str) -> None:
    whole = list(Execution(items_of(name)))
    ticked: list[Piece | Event] = []
    execution = Execution(items_of(name), listeners=(ticked.append,))
    furthest = 0.0
    while not execution.is_over:
        execution.look_ahead()
        furthest = max([furthest, *(piece.start - execution.time for piece in execution.pieces)])
        if execution.is_still:
            execution.resume()
        execution.advance(0.1)
    assert furthest < AHEAD
    assert len(ticked) == len(whole)
    for a, b in zip(ticked, whole, strict=True):
        if isinstance(a, Event) or isinstance(b, Event):
            assert type(a) is type(b)
            continue
        assert a.start == pytest.approx(b.start, abs=1e-9)
        assert a.trajectory.duration == pytest.approx(b.trajectory.duration, abs=1e-9)
        times = np.linspace(0.0, a.trajectory.duration, 9)
        np.testing.assert_allclose(a.trajectory.sample(times).q, b.trajectory.sample(times).q, atol=1e-12)


def test_time_passes_as_planned_and_every_event_is_due_once() -> None:
    program: list[Instruction] = [MoveJ((Q + 0.3,)), Say("one"), Wait(0.5), Say("two"), MoveJ((Q,)), Say("three")]
    execution = Execution(Executor(ARM, program, start=Q))
    said = [event.instruction.text for event in played(execution) if isinstance(event.instruction, Say)]
    assert said == ["one", "two", "three"]
    np.testing.assert_allclose(execution.state().q, Q, atol=1e-9)


def test_a_pause_slows_down_on_the_path_and_a_rate_makes_it_slower() -> None:
    execution = Execution(Executor(ARM, [MoveJ((Q + 0.4,)), MoveJ((Q,))], start=Q))
    execution.rate = 0.5
    path = []
    for k in range(2000):
        execution.look_ahead()
        execution.advance(0.001)
        execution.is_paused = k > 400
        path.append(execution.state())
    assert execution.is_still
    q, qd = np.array([one.q for one in path]), np.array([one.qd for one in path])
    np.testing.assert_allclose(np.diff(q, axis=0) / 0.001, (qd[1:] + qd[:-1]) / 2.0, atol=0.02)
    assert (np.abs(qd) <= 0.5 * ARM.velocity).all()


def test_an_execution_holds_at_breakpoints_pauses_of_the_program_and_steps() -> None:
    frames = enumerate(curve(40, size=0.04), 1)
    program: list[Instruction] = [MoveL((T,), settings=BLENDED, span=span(k)) for k, T in frames]
    program += [Pause(span=span(50)), MoveJ((Q,), span=span(51))]
    execution = Execution(Executor(ARM, program, start=Q))
    begins = {s.span.line: s.time for s in statements(Execution(Executor(ARM, program, start=Q))) if s.span}
    execution.set_breakpoints(frozenset({(None, 12)}))
    assert held(execution) == pytest.approx(begins[12], abs=1e-6)
    execution.step()
    assert held(execution) == pytest.approx(begins[13], abs=1e-6)
    execution.run_to(20)
    assert held(execution) == pytest.approx(begins[20], abs=1e-6)
    execution.resume()
    assert held(execution) == pytest.approx(begins[50], abs=1e-6)


def span(line: int) -> Span:
    return Span("a.ngc", line)


def statements(execution: Execution) -> Iterator[Statement]:
    while (one := execution.go("into")) is not None:
        yield one


def held(execution: Execution) -> float:
    """Let time pass until it holds."""
    for _ in range(10_000):
        execution.look_ahead()
        execution.advance(TICK)
        if execution.is_still or execution.is_over:
            return execution.time
    raise AssertionError(execution.time)


# -- inputs that are switched while time passes ------------------------------------------------------------------------


def toggling(rounds: int, answers: list[Answer]) -> Instructions:
    """Move to and fro; switch an output on as soon as an input is, and off when that is off again."""
    for _ in range(rounds):
        yield MoveJ((Q + 0.05,))
        answers.append((yield ReadInput("1", "high")))
        yield SetOutput("2", True)
        yield MoveJ((Q,))
        answers.append((yield ReadInput("1", "low")))
        yield SetOutput("2", False)


def test_a_switched_input_is_seen_within_one_tick() -> None:
    signals = Signals(is_live=True)
    execution = Execution(Executor(ARM, toggling(3, []), start=Q, signals=signals))
    seen = 0
    for value in (True, False, True, False):
        for _ in range(120):  # it arrives, and waits
            execution.look_ahead()
            assert not [e for e in execution.advance(TICK) if isinstance(e.instruction, SetOutput)]
        signals.inputs["1"] = value
        execution.look_ahead()
        due = [e.instruction for e in execution.advance(TICK) if isinstance(e.instruction, SetOutput)]
        seen += [one.value for one in due] == [value]
    assert seen == 4


def test_an_input_is_read_when_the_arm_is_there_and_not_before() -> None:
    signals, answers = Signals(is_live=True), list[Answer]()

    def program() -> Instructions:
        yield MoveJ((Q + 0.5,))
        answers.append((yield ReadInput("1")))
        yield MoveJ((Q,))

    execution = Execution(Executor(ARM, program(), start=Q, signals=signals))
    execution.look_ahead(100.0)
    assert answers == []
    arrives = execution.end
    while execution.time < arrives - 2 * TICK:
        execution.advance(TICK)
        execution.look_ahead()
    signals.inputs["1"] = True
    list(played(execution))
    assert answers == [True]


def test_a_wait_for_live_inputs_ends_with_its_time() -> None:
    answers: list[Answer] = []

    def program() -> Instructions:
        answers.append((yield ReadInput("1", "rise", timeout=0.5)))
        answers.append((yield WaitUntil(lambda s: bool(s.read("1")), timeout=0.25)))

    execution = Execution(Executor(ARM, program(), start=Q, signals=Signals(is_live=True)))
    list(played(execution))
    assert answers == [None, None]
    assert execution.time == pytest.approx(0.75)


def test_a_move_that_a_live_input_ends_brakes_on_its_path_within_the_limits() -> None:
    signals, answers = Signals(is_live=True), list[Answer]()

    def program() -> Instructions:
        answers.append((yield MoveUntil(MoveJ((Q + 1.2 * np.eye(6)[0],)), lambda s: bool(s.read("1")))))

    execution = Execution(Executor(ARM, program(), start=Q, signals=signals))
    states = []
    for k in range(2000):
        signals.inputs["1"] = k >= 250
        execution.look_ahead()
        execution.advance(0.001)
        states.append(execution.state())
        if execution.is_over:
            break
    (answer,) = answers
    assert isinstance(answer, tuple)
    assert answer[0] is True
    q, qd, qdd = (np.array(part) for part in zip(*states, strict=True))
    assert np.abs(qd[-1]).max() < 1e-9
    np.testing.assert_array_equal(q[:, 1:], np.tile(Q[1:], (len(q), 1)))
    assert float(answer[1][0]) < q[-1, 0] < Q[0] + 1.1
    assert np.abs(qdd[200:, 0]).max() <= 1.01 * limits_of(ARM).acceleration[0]
    np.testing.assert_allclose(np.gradient(q[200:, 0], 0.001)[1:-1], qd[200:, 0][1:-1], atol=0.02)


# -- back and forth ----------------------------------------------------------------------------------------------------


def long_program() -> Instructions:
    for k in range(60):
        yield MoveJ((Q + 0.02 * (k % 5 + 1),))
        yield SetOutput("1", bool(k % 2))
        yield from lines([at(0.0, 0.02), at(0.02, 0.02)])
        yield Wait(0.2)


def again(state: ExecutorState | None) -> Executor:
    return Executor(ARM, long_program(), start=Q, resume=state)


def test_any_time_can_be_gone_to_and_the_arm_is_where_it_was() -> None:
    whole = Execution(again(None), kept=np.inf)
    assert whole.go_to("no file", 1) is None
    execution = Execution(again(None), again=again)
    rng = np.random.default_rng(3)
    for time in [*rng.uniform(0.0, whole.end, 12), 0.0, whole.end, 0.5 * whole.end]:
        execution.seek(float(time))
        assert execution.time == pytest.approx(time)
        np.testing.assert_allclose(execution.state().q, whole.at(float(time)).q, atol=1e-7)
        assert execution.is_still
    execution.resume()
    assert len(list(played(execution))) > 10
    assert execution.end == pytest.approx(whole.end, abs=1e-6)


def test_what_was_travelled_long_ago_is_forgotten() -> None:
    execution = Execution(again(None))
    list(played(execution))
    assert execution.pieces[0].end >= execution.time - KEPT_S - AHEAD - 1.0
    with pytest.raises(InvalidInput) as caught:
        execution.seek(1.0)
    assert caught.value.code == "execution_forgotten"
