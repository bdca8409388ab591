"""Programs in a session: planned ahead of the arm, played line by line, held at breakpoints and at lines."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from refusals import refused

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.events import Failed, PlayerProgress
from armlab.cell.prepared import prepared_program
from armlab.cell.program_player import program_player
from armlab.cell.project import ArmChoice, ProgramText, Project
from armlab.cell.session import Session
from armlab.errors import ArmlabError
from armlab.model.joint_units import joint_scales
from armlab.model.scene import Scene
from armlab.program.execution import Execution, Statement
from armlab.program.execution.execution import AHEAD, KEPT_PIECES
from armlab.program.executor import Executor, Piece
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.instructions import SetOutput
from armlab.program.languages import program_source
from armlab.program.prepare import RunOptions, cell_of, prepare

SQUARE = """G21 G90
G0 X0 Y0 Z0
G1 X60 F3000
G1 Y60
G1 X0
G1 Y0
M2
"""
TICK = 1.0 / 60.0
MOST_AHEAD = 200
"""Pieces of 2 s: those of a wait last 12 ms."""


def drawing() -> Session:
    """Return a session whose arm has a program, without physics."""
    program = ProgramText(language="gcode", text=SQUARE)
    return Session(Project.of_arm(ArmChoice(name="scara"), structure="hierarchy", program=program))


def told(session: Session, **command: object) -> None:
    """Give a session a command."""
    CommandHandler(session).handle(COMMAND.validate_python(command))


def until_held(session: Session) -> float:
    """Let time pass until the player holds; return its time."""
    for _ in range(6000):
        session.advance(TICK)
        player = session.arm().playing()
        if not session.arm().is_approaching and (player.is_still or player.is_over):
            return player.time
    raise AssertionError("the player never held")


def begins(text: str, language: str = "gcode", arm: str = "scara") -> dict[int, Statement]:
    """Return when each line of a program begins, as its execution has it."""
    program = ProgramText.model_validate({"language": language, "text": text})
    ready = prepared_program(program, Scene.of(load(arm)), RunOptions(with_marks=True))
    execution = Execution(Executor(ready.cell.robot, ready.instructions, start=ready.start))
    found: dict[int, Statement] = {}
    while (one := execution.go("into")) is not None:
        if one.span is not None:
            found.setdefault(one.span.line, one)
    return found


def test_the_tool_goes_round_and_the_page_is_told_each_line() -> None:
    session = drawing()
    told(session, type="play", what="program")
    robot, corners, lines = session.robot, dict[int, Floats](), []
    while not session.arm().playing().is_over:
        session.advance(TICK)
        lines += [event.line for event in session.take_events() if isinstance(event, PlayerProgress)]
        at = session.arm().playing().statement_at(session.arm().playing().time)
        if at is not None and at.span is not None:
            corners[at.span.line] = robot.fk(session.arm().playing().at(at.time).q)[:3, 3]
    assert [line for line in dict.fromkeys(lines) if line in {3, 4, 5, 6}] == [3, 4, 5, 6]
    np.testing.assert_allclose(np.linalg.norm(corners[4] - corners[3]), 0.06, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(corners[5] - corners[4]), 0.06, atol=1e-3)
    session.close()


def test_the_player_holds_at_breakpoints_steps_and_runs_to_a_line() -> None:
    session = drawing()
    line = begins(SQUARE)
    told(session, type="set_breakpoints", lines=[4])
    told(session, type="play", what="program")
    assert until_held(session) == pytest.approx(line[4].time, abs=1e-6)
    told(session, type="single_step")
    assert until_held(session) == pytest.approx(line[5].time, abs=1e-6)
    told(session, type="run_to_line", line=6)
    assert until_held(session) == pytest.approx(line[6].time, abs=1e-6)
    told(session, type="single_step", how="back")
    assert session.arm().playing().time == pytest.approx(line[5].time, abs=1e-6)
    told(session, type="set_breakpoints", lines=[])
    told(session, type="resume")
    assert until_held(session) == pytest.approx(session.arm().report.duration, abs=1e-6)
    session.close()


def test_the_report_of_the_player_says_which_line_is_played_when_and_what_is_known_of_the_end() -> None:
    session = drawing()
    told(session, type="play", what="program")
    report = session.arm().report
    assert report.what == "program"
    assert {segment.line for segment in report.segments} >= {3, 4, 5, 6}
    until_held(session)
    assert report.ending == "known"
    assert report.duration == pytest.approx(session.arm().playing().time, abs=1e-6)
    np.testing.assert_allclose(
        report.q[-1], np.array(session.arm().playing().state().q) / joint_scales(session.robot.joints)
    )
    session.close()


@pytest.mark.parametrize(
    ("language", "text", "code"),
    [
        ("gcode", "", "no_program"),
        ("gcode", "M2\n", "program_without_motion"),
        ("scenario", "{", "json_syntax"),
    ],
)
def test_a_program_that_cannot_be_played_is_refused(language: str, text: str, code: str) -> None:
    program = ProgramText.model_validate({"language": language, "text": text})
    with refused(code):
        program_player(program, Scene.of(load("scara")))


def test_a_scenario_is_a_program_too() -> None:
    text = '{"schema": 1, "name": "t", "title": "t", "arm": "scara", "steps": [{"do": "move", "to": [30, 20, -50, 0]}]}'
    player = program_player(ProgramText(language="scenario", text=text), Scene.of(load("scara")))
    player.seek(1e3)
    np.testing.assert_allclose(player.state().q[:2], np.radians([30, 20]), atol=1e-9)


def test_gcode_is_read_as_the_controller_reads_it_that_the_project_names() -> None:
    text = "G21 G90\nM117 on the way to the corner\nG1 X20 Y0 F1200\nM2\n"
    scene = Scene.of(load("scara"))
    with pytest.raises(ArmlabError):
        program_player(ProgramText(language="gcode", text=text), scene)
    player = program_player(ProgramText(language="gcode", text=text, dialect="marlin"), scene)
    assert player.duration > 0.0


# -- programs that stream ----------------------------------------------------------------------------------------------

HOME = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}"
TOGGLING = f"""DEF job()
  {HOME}
  LOOP
    PTP_REL {{A1 10}}
    WAIT SEC 30
    WAIT FOR $IN[1]
    $OUT[2] = TRUE
    PTP_REL {{A1 -10}}
    WAIT SEC 30
    WAIT FOR NOT $IN[1]
    $OUT[2] = FALSE
  ENDLOOP
END
"""


def test_an_endless_loop_that_toggles_an_output_by_an_input_plays_for_an_hour_and_keeps_no_more() -> None:
    program = ProgramText(language="krl", text=TOGGLING)
    player = program_player(program, Scene.of(load("kuka-kr6-r700")))
    toggled, kept, objects = 0, 0, list[int]()
    while player.time < 3600.0:
        player.look_ahead()
        toggled += sum(isinstance(event.instruction, SetOutput) for event in player.advance(0.5))
        waits = player.progress().waits
        assert waits in {None, ("1",)}
        if waits is not None:
            player.switch("1", not player.values.outputs.get("2", False))
        kept = max(kept, len(player.pieces))
        if player.time > 900.0 * (len(objects) + 1):
            gc.collect()
            objects.append(len(gc.get_objects()))
    assert toggled > 100
    assert kept <= KEPT_PIECES + MOST_AHEAD
    assert objects[-1] - objects[0] < 5000
    player.seek(1800.0)
    assert player.time == pytest.approx(1800.0)


def test_many_lines_begin_at_once_and_no_more_of_them_are_read_than_are_needed() -> None:
    seen = 0

    def counted() -> Iterator[str]:
        for k in range(200_000):
            yield f"G1 X{30.0 + 0.1 * (k % 300):.1f} Y{0.1 * (k % 7):.1f}"

    text = "G21 G90\nG1 F3000\n" + "\n".join(islice(counted(), 8000)) + "\nM2\n"
    player = program_player(ProgramText(language="gcode", text=text), Scene.of(load("scara")))
    assert not player.is_whole
    for _ in range(300):
        player.look_ahead()
        player.advance(TICK)
        seen = max(seen, sum(len(piece.covered) for piece in player.pieces if piece.start > player.time))
    ahead = [piece.start - player.time for piece in player.pieces]
    assert player.time > 4.0
    assert max(ahead) < AHEAD
    assert seen < 2000
    last = max(one.index for piece in player.pieces for one in piece.covered)
    assert last < 4000


@pytest.mark.parametrize(
    ("language", "name", "arm"),
    [("krl", "star", "kuka-kr6-r700"), ("gcode", "drawing", "kuka-kr6-r700"), ("python", "stack", "kuka-kr6-r700")],
)
def test_the_motions_played_are_those_of_a_run(language: str, name: str, arm: str) -> None:
    suffix = {"krl": ".src", "gcode": ".ngc", "python": ".py"}[language]
    cell = cell_of(arm, None)
    prepared = prepare(program_source(str(PROGRAMS / (name + suffix))), cell)
    whole = list(Execution(Executor(cell.robot, prepared.instructions, start=prepared.start)))
    run = [item for item in whole if isinstance(item, Piece)]
    text = (PROGRAMS / (name + suffix)).read_text()
    player = program_player(ProgramText.model_validate({"language": language, "text": text}), cell.scene, anyway=True)
    played: dict[float, Piece] = {}
    while not player.is_over and player.waits_for is None and len(played) < len(run):
        player.look_ahead()
        if player.is_still:
            player.resume()
        player.advance(0.5)
        played |= {piece.start: piece for piece in player.pieces}
    assert len(played) >= len(run) > 1
    for a, b in zip(played.values(), run, strict=False):
        assert a.start == pytest.approx(b.start, abs=1e-9)
        assert a.trajectory.duration == pytest.approx(b.trajectory.duration, abs=1e-9)
        times = np.linspace(0.0, b.trajectory.duration, 9)
        np.testing.assert_allclose(a.trajectory.sample(times).q, b.trajectory.sample(times).q, atol=1e-12)


def test_a_line_that_cannot_be_done_ends_the_program_when_the_arm_is_there_and_the_session_lives() -> None:
    moves = "".join(f"PTP_REL {{A1 {turn}}}\n" for turn in (30, -30, 30, -30, 30))
    text = f"DEF job()\n{HOME}\n{moves}LIN_REL {{Z 5000}}\nPTP_REL {{A1 -30}}\nEND\n"
    program = ProgramText(language="krl", text=text)
    session = Session(Project.of_arm(ArmChoice(name="kuka-kr6-r700"), structure="hierarchy", program=program))
    told(session, type="play", what="program")
    assert [found.code for found in session.arm().report.findings if found.severity == "error"]
    until_held(session)
    (failed,) = [event for event in session.take_events() if isinstance(event, Failed)]
    assert failed.line == 8
    assert abs(np.degrees(session.arm().playing().state().q[0])) == pytest.approx(30.0, abs=1e-6)
    told(session, type="jog_joints", shares=[0.2, 0.0, 0.0, 0.0, 0.0, 0.0], sequence=1)
    before = session.q.copy()
    for _ in range(30):
        session.advance(TICK)
    assert abs(session.q[0] - before[0]) > 1e-3
    session.close()


def test_a_program_that_computes_for_ever_does_not_hold_up_its_session() -> None:
    text = f"DEF job()\nINT i\n{HOME}\nPTP_REL {{A1 5}} C_PTP\nPTP_REL {{A1 5}}\nLOOP\ni = 1\nENDLOOP\nEND\n"
    player = program_player(ProgramText(language="krl", text=text), Scene.of(load("kuka-kr6-r700")))
    for _ in range(150):
        player.look_ahead()
        player.advance(TICK)
    assert player.time == player.end
    assert np.abs(player.state().qd).max() == 0.0
    player.seek(1e6)
    assert player.time == pytest.approx(player.end)


def test_a_loop_without_an_exit_is_told_as_such_and_its_program_goes_round() -> None:
    text = f"DEF job()\n{HOME}\nLOOP\nPTP_REL {{A1 3}}\nPTP_REL {{A1 -3}}\nENDLOOP\nEND\n"
    program = ProgramText(language="krl", text=text)
    session = Session(Project.of_arm(ArmChoice(name="kuka-kr6-r700"), structure="hierarchy", program=program))
    told(session, type="play", what="program")
    report = session.arm().report
    assert report.ending == "never"
    while session.arm().is_approaching or session.arm().playing().time < 3.0 * report.duration:
        session.advance(TICK)
    assert not session.arm().playing().is_paused
    session.close()
