"""Events along motions, questions, waits, errors and state."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from program.executor.runs import ARM, BLENDED, T_HOME, at, curve, executed, lines, whole

from armlab.arrays import Floats
from armlab.errors import CatalogError
from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.model.parts import Tool
from armlab.motion.verify import verify
from armlab.program.check import check_program
from armlab.program.executor import Event, Executor, ExecutorState, Piece
from armlab.program.instructions import (
    Answer,
    Blend,
    Instruction,
    Instructions,
    Mark,
    MotionSettings,
    MoveJ,
    MoveL,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
    WaitUntil,
    WhereIs,
)
from armlab.program.signals import InputChange, Signals, read_signals
from armlab.program.span import Span

FAR = at(5.0, 0.0)


def spanned(frame: Floats, line: int, settings: MotionSettings = BLENDED) -> MoveL:
    return MoveL((frame,), settings=settings, span=Span("part.ngc", line))


def answers_to(*asked: Instruction, signals: Signals | None = None) -> tuple[list[Answer], list[Piece | Event]]:
    given: list[Answer] = []

    def program() -> Instructions:
        for one in asked:
            given.append((yield one))

    items = list(Executor(ARM, program(), start=ARM.home, signals=signals))
    return given, items


def test_what_a_program_asks_waits_until_the_motions_are_over() -> None:
    given, items = answers_to(*lines(curve(10)[:5]), WhereIs())
    assert given[:5] == [None] * 5
    where = given[5]
    assert isinstance(where, np.ndarray)
    assert isinstance(items[-1], Piece)
    np.testing.assert_array_equal(where, items[-1].trajectory.end)
    np.testing.assert_allclose(items[-1].trajectory.at(items[-1].trajectory.duration).qd, 0.0, atol=1e-9)


def test_an_output_with_motion_happens_where_its_line_ends_without_a_stop() -> None:
    frames = [at(0.0, 0.02), at(0.0, 0.04), at(0.02, 0.04)]
    first, second, third = lines(frames)
    pieces, events = executed([first, second, SetOutput("1", True, with_motion=True), third])
    assert not events
    (piece,) = pieces
    (event,) = piece.events
    assert event.time == pytest.approx(piece.covered[1].end)
    assert np.abs(piece.trajectory.at(event.time).qd).max() > 1e-3


def test_an_output_without_motion_waits_for_the_stop() -> None:
    first, second = lines([at(0.0, 0.02), at(0.02, 0.02)])
    pieces, events = executed([first, SetOutput("1", True), second])
    assert len(pieces) == 2
    assert events[0].time == pieces[0].end
    np.testing.assert_allclose(pieces[0].trajectory.at(pieces[0].trajectory.duration).qd, 0.0, atol=1e-9)


def test_a_pulse_ends_by_itself() -> None:
    signals = Signals()
    items = list(Executor(ARM, [SetOutput("7", True, pulse=0.2), Wait(1.0)], start=ARM.home, signals=signals))
    changes = [item for item in items if isinstance(item, Event)]
    changes += [event for item in items if isinstance(item, Piece) for event in item.events]
    assert [(event.time, event.instruction.value) for event in changes if isinstance(event.instruction, SetOutput)] == [
        (0.0, True),
        (0.2, False),
    ]
    assert signals.outputs == {"7": False}


def test_a_wait_for_an_input_ends_when_the_script_changes_it() -> None:
    signals = Signals.scripted([InputChange(2.5, "3", True)])
    given, items = answers_to(Wait(1.0), ReadInput("3"), ReadInput("3", "high"), ReadInput("3"), signals=signals)
    assert given == [None, False, True, True]
    last = items[-1]
    assert isinstance(last, Piece)
    assert last.end == pytest.approx(2.5)


def test_a_wait_that_runs_out_answers_none() -> None:
    given, items = answers_to(ReadInput("3", "rise", timeout=0.5))
    assert given == [None]
    assert sum(item.trajectory.duration for item in items if isinstance(item, Piece)) == pytest.approx(0.5)


def test_a_condition_reads_signals_and_time() -> None:
    given, items = answers_to(SetOutput("2", 4.0), WaitUntil(lambda s: s.outputs["2"] == 4.0 and s.time >= 1.0))
    assert given == [None, True]
    last = items[-1]
    assert isinstance(last, Piece)
    assert last.end == pytest.approx(1.0, abs=0.02)


def test_a_wait_that_nothing_ends_is_an_error() -> None:
    _, items = answers_to(WaitUntil(lambda _s: False), Wait(1.0))
    (event,) = items
    assert isinstance(event, Event)
    assert isinstance(event.instruction, Report)
    assert event.instruction.finding.code == "wait_never_ends"


def test_an_error_ends_a_run_where_the_last_good_move_ends() -> None:
    frames = [at(0.0, 0.02), at(0.02, 0.02), FAR, at(0.0, 0.0)]
    items = list(Executor(ARM, [spanned(T, k) for k, T in enumerate(frames, 1)], start=ARM.home))
    last = items[-1]
    assert isinstance(last, Event)
    assert isinstance(last.instruction, Report)
    finding = last.instruction.finding
    assert finding.severity == "error"
    assert (finding.where["file"], finding.where["line"]) == ("part.ngc", 3)
    pieces = [item for item in items if isinstance(item, Piece)]
    np.testing.assert_allclose(ARM.fk(whole(pieces).end), frames[1], atol=1e-6)
    assert verify(whole(pieces), ARM) == []


def test_a_check_goes_on_behind_each_error() -> None:
    frames = [at(0.0, 0.02), FAR, FAR @ pose.from_xyz_rpy([0.0, 0.1, 0.0], [0, 0, 0]), at(0.0, 0.04), FAR, at(0.0, 0.0)]
    check = check_program(ARM, [spanned(T, k) for k, T in enumerate(frames, 1)])
    found = [(finding.where["line"], finding.severity) for finding in check.findings]
    assert found == [(2, "error"), (3, "error"), (4, "warning"), (5, "error"), (6, "warning")]
    assert {finding.code for finding in check.findings if finding.severity == "warning"} == {"move_not_checked"}
    assert not check.is_good


def test_findings_of_the_language_are_passed_on() -> None:
    finding = Finding("warning", Message("odd", "odd"))
    check = check_program(ARM, [Report(finding), Say("hello"), *lines(curve(5)[:2]), Stop(), *lines([FAR])])
    assert check.findings == [finding]
    assert check.messages == ["hello"]
    assert check.motions == 2


def test_the_times_of_all_lines_add_up_to_the_cycle_time() -> None:
    program = [spanned(T, k % 7 + 1) for k, T in enumerate(curve(60))]
    check = check_program(ARM, [*program, Wait(0.5, Span("part.ngc", 99))])
    assert sum(line.time for line in check.lines) == pytest.approx(check.cycle_time)
    assert {line.line: line.count for line in check.lines} == {**{k: 9 if k <= 4 else 8 for k in range(1, 8)}, 99: 1}
    assert check.box is not None
    points = np.array([T[:3, 3] for T in (T_HOME, *curve(60))])
    np.testing.assert_allclose(check.box, [points.min(axis=0), points.max(axis=0)], atol=1e-3)


def test_the_state_tells_where_a_program_is_and_can_be_saved() -> None:
    def program() -> Generator[Instruction, Answer, None]:
        yield Mark(Span("a.src", 1), "main", 0)
        yield Mark(Span("b.src", 4), "sub", 1)
        yield MoveJ((ARM.home + 0.1,), span=Span("b.src", 5))
        yield SetOutput("1", True)
        yield Mark(Span("a.src", 2), "main", 0)

    executor = Executor(ARM, program(), start=ARM.home)
    stacks = []
    for _ in executor:
        state = executor.state
        assert ExecutorState.from_json(state.to_json()) == state
        stacks.append([frame.routine for frame in state.stack])
    assert stacks == [["main"], ["main", "sub"], ["main", "sub"], ["main", "sub"], ["main"]]
    assert executor.state.is_done
    assert executor.state.outputs == {"1": True}
    np.testing.assert_allclose(executor.state.q, ARM.home + 0.1)


def test_blended_joint_moves_do_not_stop_and_keep_their_limits() -> None:
    rng = np.random.default_rng(3)
    targets = [ARM.home + 0.3 * rng.uniform(-1, 1, ARM.dof) for _ in range(40)]
    settings = MotionSettings(blend=Blend(joints=0.3))
    joined, _ = executed([MoveJ((q,), settings=settings) for q in targets], lookahead=10)
    exact, _ = executed([MoveJ((q,)) for q in targets])
    motion = whole(joined)
    assert verify(motion, ARM) == []
    assert motion.duration < 0.8 * whole(exact).duration
    np.testing.assert_allclose(motion.end, targets[-1], atol=1e-9)


def test_another_tool_is_moved_along_its_own_line() -> None:
    T_flange_tool = pose.from_xyz_rpy([0.02, 0.0, 0.1], [0.0, 0.0, 0.0])
    settings = MotionSettings(tool_speed=0.05, blend=Blend(tolerance=1e-4), T_flange_tool=T_flange_tool)
    arm = ARM.with_tool(armlab_tool(T_flange_tool))
    T = arm.fk(ARM.home)
    ends = [T @ pose.from_xyz_rpy([0.0, 0.02 * k, 0.0], [0, 0, 0]) for k in (1, 2, 3)]
    pieces, _ = executed([MoveL((end,), settings=settings) for end in ends])
    motion = whole(pieces)
    points = pose.transform(pose.inverse(T), arm.fk(motion.sample(motion.times(0.01)).q)[:, :3, 3])
    np.testing.assert_allclose(points[:, [0, 2]], 0.0, atol=1e-6)


def armlab_tool(T_flange_tool: Floats) -> Tool:
    return replace(ARM.tool, T_flange_tool=T_flange_tool)


def test_a_script_of_inputs_is_a_toml_file(tmp_path: Path) -> None:
    path = tmp_path / "script.toml"
    path.write_text('[[input]]\nname = "3"\nvalue = true\nat = 1.5\n\n[[input]]\nname = "analog 1"\nvalue = 2.5\n')
    signals = read_signals(path)
    assert signals.inputs == {"analog 1": 2.5}
    signals.advance(1.5)
    assert signals.read("3") is True
    path.write_text('[[input]]\nname = "3"\n')
    with pytest.raises(CatalogError):
        read_signals(path)
