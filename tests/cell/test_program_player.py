"""Programs in a session: planned whole, played line by line, held at breakpoints and at lines."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.program_player import program_player
from armlab.cell.project import ArmChoice, ProgramText, Project
from armlab.cell.session import Session
from armlab.errors import ArmlabError
from armlab.model.scene import Scene

SQUARE = """G21 G90
G0 X0 Y0 Z0
G1 X60 F3000
G1 Y60
G1 X0
G1 Y0
M2
"""
TICK = 1.0 / 60.0


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


def test_every_line_has_its_time_and_the_tool_goes_round() -> None:
    player = program_player(ProgramText(language="gcode", text=SQUARE), Scene.of(load("scara")))
    lines = [statement.line for statement in player.statements]
    assert [line for line in lines if line in {3, 4, 5, 6}] == [3, 4, 5, 6]
    times = [statement.time for statement in player.statements]
    assert times == sorted(times)
    robot = load("scara")
    at = {one.line: robot.fk(player.trajectory.at(one.time).q)[:3, 3] for one in player.statements}
    np.testing.assert_allclose(np.linalg.norm(at[4] - at[3]), 0.06, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(at[5] - at[4]), 0.06, atol=1e-3)


def test_the_player_holds_at_breakpoints_steps_and_runs_to_a_line() -> None:
    session = drawing()
    told(session, type="set_breakpoints", lines=[4])
    told(session, type="play", what="program")
    begins = {one.line: one.time for one in session.arm().playing().statements}
    assert until_held(session) == pytest.approx(begins[4], abs=1e-6)
    told(session, type="single_step")
    assert until_held(session) == pytest.approx(begins[5], abs=1e-6)
    told(session, type="run_to_line", line=6)
    assert until_held(session) == pytest.approx(begins[6], abs=1e-6)
    told(session, type="set_breakpoints", lines=[])
    told(session, type="resume")
    assert until_held(session) == pytest.approx(session.arm().playing().trajectory.duration)
    session.close()


def test_the_report_of_the_player_says_which_line_is_played_when() -> None:
    session = drawing()
    told(session, type="play", what="program")
    report = session.arm().report
    assert report.what == "program"
    assert {segment.line for segment in report.segments} >= {3, 4, 5, 6}
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
    np.testing.assert_allclose(player.trajectory.end[:2], np.radians([30, 20]), atol=1e-9)


def test_gcode_is_read_as_the_controller_reads_it_that_the_project_names() -> None:
    text = "G21 G90\nM117 on the way to the corner\nG1 X20 Y0 F1200\nM2\n"
    scene = Scene.of(load("scara"))
    with pytest.raises(ArmlabError):
        program_player(ProgramText(language="gcode", text=text), scene)
    player = program_player(ProgramText(language="gcode", text=text, dialect="marlin"), scene)
    assert player.trajectory.duration > 0.0
