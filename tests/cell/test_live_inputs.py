"""Inputs that are switched while a program is played: the program sees them."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.prepared import prepared_program
from armlab.cell.project import ArmChoice, ProgramText, Project
from armlab.cell.session import Session
from armlab.model.scene import Scene
from armlab.program.execution import Execution
from armlab.program.executor import Executor
from armlab.program.prepare import RunOptions

TICK = 1.0 / 60.0
HOME = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}"
WAIT = f"""DEF job()
  {HOME}
  WAIT FOR $IN[1]
  $OUT[2] = TRUE
  PTP_REL {{A1 20}}
END
"""
DECISION = f"""DEF job()
  {HOME}
  PTP_REL {{A1 30}}
  WAIT SEC 0
  IF $IN[1] THEN
    PTP_REL {{A2 5}}
  ELSE
    PTP_REL {{A2 -5}}
  ENDIF
  PTP_REL {{A1 -30}}
END
"""
SEARCH = f"""DEF job()
  {HOME}
  INTERRUPT DECL 5 WHEN $IN[1] DO found()
  INTERRUPT ON 5
  search()
END
DEF search()
  PTP_REL {{A1 60}}
END
DEF found()
  BRAKE
  RESUME
END
"""
GCODE = """G21 G90
G0 X0 Y0
G1 X40 F3000
M66 P1 L3 Q4
o1 if [#5399 GT 0.5]
  G1 X0
o1 endif
M2
"""


def running(text: str, language: str = "krl", arm: str = "kuka-kr6-r700") -> Session:
    """Return a session that plays a program, at its beginning."""
    program = ProgramText.model_validate({"language": language, "text": text})
    session = Session(Project.of_arm(ArmChoice(name=arm), structure="hierarchy", program=program))
    tell(session, type="play", what="program")
    while session.arm().is_approaching or session.arm().playing().time == 0.0:
        session.advance(TICK)
    return session


def tell(session: Session, **command: object) -> None:
    CommandHandler(session).handle(COMMAND.validate_python(command))


def play_to(session: Session, time: float) -> None:
    """Let time pass up to a time of the program, or to its end."""
    player = session.arm().playing()
    for _ in range(20_000):
        if player.time >= time or player.is_over:
            return
        session.advance(TICK)
    raise AssertionError(player.time)


def line_begins(text: str, line: int) -> float:
    """Return when (s) a line of a KRL program begins first, where its inputs are off."""
    program = ProgramText(language="krl", text=text)
    ready = prepared_program(program, Scene.of(load("kuka-kr6-r700")), RunOptions(with_marks=True))
    execution = Execution(Executor(ready.cell.robot, ready.instructions, start=ready.start))
    at = execution.go("into")
    while at is not None and (at.span is None or at.span.line != line):
        at = execution.go("into")
    assert at is not None
    return at.time


def joints(session: Session) -> Floats:
    return np.degrees(session.arm().playing().state().q)


def test_a_wait_lasts_until_its_input_is_switched_and_says_what_it_waits_for() -> None:
    session = running(WAIT)
    player = session.arm().playing()
    report = session.arm().report
    assert report.ending == "waits"
    play_to(session, report.duration + 2.0)
    assert player.progress().waits == ("1",)
    assert joints(session)[0] == pytest.approx(0.0, abs=1e-9)
    tell(session, type="switch_input", name="2", value=True)  # nothing waits for this one
    play_to(session, report.duration + 3.0)
    assert joints(session)[0] == pytest.approx(0.0, abs=1e-9)
    assert player.progress().outputs == {}
    tell(session, type="switch_input", name="1", value=True)
    session.advance(TICK)
    assert player.progress().outputs == {"2": True}
    assert player.progress().waits is None
    play_to(session, 1e9)
    assert player.is_over
    assert abs(joints(session)[0]) == pytest.approx(20.0, abs=1e-6)
    session.close()


@pytest.mark.parametrize(("share", "sign"), [(0.1, 1.0), (None, -1.0)])
def test_a_decision_sees_what_was_switched_before_it(share: float | None, sign: float) -> None:
    session = running(DECISION)
    player = session.arm().playing()
    decided = line_begins(DECISION, 5)
    play_to(session, decided * share if share is not None else decided + 2 * TICK)
    before = player.state()
    tell(session, type="switch_input", name="1", value=True)
    np.testing.assert_allclose(player.state().q, before.q, atol=1e-9)
    np.testing.assert_allclose(player.state().qd, before.qd, atol=1e-6)
    play_to(session, 1e9)
    assert joints(session)[1] == pytest.approx(-90.0 + sign * 5.0, abs=1e-6)
    session.close()


def test_a_program_that_is_held_at_a_decision_sees_the_switch() -> None:
    session = running(DECISION)
    player = session.arm().playing()
    tell(session, type="set_breakpoints", lines=[5])
    while not player.is_still:
        session.advance(TICK)
    assert player.time == pytest.approx(line_begins(DECISION, 5), abs=1e-3)
    tell(session, type="switch_input", name="1", value=True)
    tell(session, type="single_step")
    while not player.is_still:
        session.advance(TICK)
    tell(session, type="resume")
    play_to(session, 1e9)
    assert joints(session)[1] == pytest.approx(-85.0, abs=1e-6)
    session.close()


def test_an_interrupt_brakes_where_its_input_is_switched() -> None:
    session = running(SEARCH)
    whole = session.arm().report.duration
    play_to(session, 0.6 * whole)
    tell(session, type="switch_input", name="1", value=True)
    play_to(session, 1e9)
    assert 5.0 < abs(joints(session)[0]) < 55.0
    session.close()


def test_m66_ends_when_its_input_is_switched_and_otherwise_with_its_time() -> None:
    ends = []
    for switches in (False, True):
        session = running(GCODE, "gcode", "scara")
        player = session.arm().playing()
        while player.progress().waits is None:
            session.advance(TICK)
        wait = player.time
        play_to(session, wait + 1.0)
        if switches:
            tell(session, type="switch_input", name="1", value=True)
        play_to(session, 1e9)
        ends.append((player.time - wait, session.robot.fk(player.state().q)[:3, 3]))
        session.close()
    assert ends[0][0] == pytest.approx(4.0, abs=2 * TICK)
    assert 1.0 < ends[1][0] < 3.0
    assert np.linalg.norm(ends[1][1] - ends[0][1]) == pytest.approx(0.04, abs=1e-6)


def test_a_switch_without_a_program_changes_nothing() -> None:
    session = Session(Project.of_arm(ArmChoice(name="scara"), structure="hierarchy"))
    tell(session, type="switch_input", name="1", value=True)
    assert session.arm().player is None
    session.close()


def test_resume_goes_on_past_the_end_of_a_step_that_still_runs() -> None:
    session = running(DECISION)
    tell(session, type="single_step", how="over")
    session.advance(TICK)
    tell(session, type="resume")
    play_to(session, 1e9)
    assert session.arm().playing().is_over
    session.close()


def test_a_switch_after_going_back_counts_before_those_that_were_made_later() -> None:
    session = running(DECISION)
    player = session.arm().playing()
    play_to(session, 0.9 * player.duration)
    tell(session, type="switch_input", name="2", value=True)
    tell(session, type="seek", time=0.0)
    tell(session, type="switch_input", name="1", value=True)
    tell(session, type="resume")
    play_to(session, 1e9)
    assert joints(session)[1] == pytest.approx(-85.0, abs=1e-6)
    session.close()


def test_a_switch_on_the_way_to_the_start_counts_from_the_start() -> None:
    branch = f"  IF $IN[1] THEN\n    {HOME}\n    PTP_REL {{A1 20}}\n  ENDIF\n"
    text = f"DEF job()\n{branch}  {HOME.replace('A5 90', 'A5 80')}\nEND\n"
    program = ProgramText.model_validate({"language": "krl", "text": text})
    session = Session(Project.of_arm(ArmChoice(name="kuka-kr6-r700"), structure="hierarchy", program=program))
    tell(session, type="move_joints", revision=session.revision, targets={0: 90.0})
    while session.arm().mover.is_moving:
        session.advance(TICK)
    tell(session, type="play", what="program")
    session.advance(TICK)
    assert session.arm().is_approaching
    tell(session, type="switch_input", name="1", value=True)
    turned = []
    while not session.arm().playing().is_over:
        session.advance(TICK)
        turned.append(0.0 if session.arm().is_approaching else abs(joints(session)[0]))
    assert max(turned) == pytest.approx(20.0, abs=0.5)
    session.close()
