"""KRL at the console: statements, blocks, variables, errors that leave everything as it was, and a debugger."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program.console.sessions import arm, codes, entered, session, value, written
from program.krl.drive import drive

from armlab.program.signals import InputChange, Signals

JOB = """DEF job()
INT i
  ; two sides
  PTP {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}
  FOR i = 1 TO 3
    side(20.0 * i)
  ENDFOR
  HALT
  PTP {A1 10}
END
DEF side(length:IN)
REAL length
  LIN_REL {Y length}
  LIN_REL {Y -length}
END
"""


def test_a_statement_moves_the_arm_and_the_next_goes_on_from_there() -> None:
    talk = session()
    first, second = entered(talk, "PTP {A1 30}\nPTP_REL {A1 -10, A2 5}")
    np.testing.assert_allclose(np.degrees(first.state.q[0]), 30.0)
    assert first.pieces[-1].end == pytest.approx(first.state.time)
    assert second.pieces[0].start == pytest.approx(first.state.time)
    np.testing.assert_allclose(np.degrees(second.state.q[:2]), [20.0, np.degrees(arm().home[1]) + 5.0])


def test_lines_one_by_one_end_where_the_program_of_them_ends() -> None:
    body = """REAL h
h = 20.0
PTP {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}
$VEL.CP = 0.2
FOR i = 1 TO 3
  LIN_REL {Z -h}
  h = h / 2
ENDFOR"""
    talk = session()
    lines = ["INT i", *body.splitlines()]
    results = entered(talk, "\n".join(lines))
    assert codes(results) == []
    whole = drive("INT i\n" + body)
    end = arm().fk(np.array(results[-1].state.q))[:3, 3] * 1e3
    np.testing.assert_allclose(end, whole.points[-1], atol=0.01)


def test_an_error_is_one_finding_and_everything_before_it_stays() -> None:
    talk = session()
    entered(talk, "INT i\ni = 4\nPTP {A1 30}")
    wrong = ("j = 5", "j = 5", "i = TRUE", "i = 1/0", "LIN {X 9999}", "PTP", "ENDFOR", "GOTO x", "EXIT", "i = {X 1}",
             "DEF f()", "FOO()", "SWITCH 1", "\0", "REAL x\x00")  # fmt: skip
    for line in wrong:
        talk.cancel()
        result = talk.enter(line)
        if result.outcome == "more":
            result = talk.finish() or result
        assert result.outcome == "failed", line
        assert len([one for one in result.findings if one.severity == "error"]) == 1, (line, result.findings)
        assert result.findings[0].where["line"] == result.line
        assert value(talk, "i") == 4
        np.testing.assert_allclose(np.degrees(talk.state.q[0]), 30.0)


def test_routines_and_decisions_are_blocks_of_several_lines() -> None:
    talk = session()
    entered(talk, "DEFFCT INT twice(n:IN)\nINT n\nIF n > 100 THEN\nRETURN 0\nENDIF\nRETURN 2 * n\nENDFCT\nINT k")
    entered(talk, "k = twice(21)")
    assert value(talk, "k") == 42
    assert value(talk, "twice(101) + 1") == 1
    entered(talk, "DEFFCT INT twice(n:IN)\nINT n\nRETURN 3 * n\nENDFCT")
    assert value(talk, "twice(2)") == 6


def test_inputs_timers_outputs_and_interrupts_keep_the_time_of_the_session() -> None:
    talk = session(signals=Signals.scripted([InputChange(3.0, "1", True)]))
    results = entered(talk, "WAIT SEC 1\n$TIMER[1] = 0\n$TIMER_STOP[1] = FALSE\nWAIT FOR $IN[1]\n$OUT[2] = $IN[1]")
    assert codes(results) == []
    assert results[-1].state.time == pytest.approx(3.0)
    assert results[-1].state.outputs["2"] is True
    assert value(talk, "$TIMER[1]") == pytest.approx(2000, abs=13)


def test_values_are_shown_as_the_language_writes_them() -> None:
    talk = session()
    entered(talk, 'CHAR t[10]\nt[] = "ok"\nFRAME f\nf = {X 1.5}\nBOOL b\nb = NOT FALSE\nINT a[3]\na[2] = 7')
    shown = {name: talk.enter(f"? {name}").values[0].text for name in ("t[]", "f", "b", "a[]", "$IPO_MODE")}
    assert shown == {"t[]": '"ok"', "f": "{X 1.5}", "b": "TRUE", "a[]": "[?, 7, ?]", "$IPO_MODE": "#BASE"}
    assert [one.name for one in talk.enter("vars").values] == ["T", "F", "B", "A"]


def test_a_program_stops_at_breakpoints_and_its_variables_are_read_and_changed(tmp_path: Path) -> None:
    talk = session()
    entered(talk, f"load {written(tmp_path, 'job.src', JOB)}\nbreak job.src:12")
    stopped = talk.enter("run")
    assert stopped.outcome == "stopped"
    assert stopped.stopped_at is not None
    assert (Path(stopped.stopped_at.file).name, stopped.stopped_at.line) == ("job.src", 13)  # 12 has no statement
    assert [frame.routine for frame in stopped.state.stack] == ["JOB", "SIDE"]
    assert value(talk, "length") == 20.0
    entered(talk, "length = 35.0")
    before = arm().fk(np.array(stopped.state.q))[1, 3]
    beyond = talk.enter("step")
    assert beyond.stopped_at is not None
    assert beyond.stopped_at.line == 14
    assert (arm().fk(np.array(beyond.state.q))[1, 3] - before) * 1e3 == pytest.approx(35.0, abs=0.01)
    assert codes([talk.enter("PTP {A1 0}")]) == ["console_stopped"]
    entered(talk, "break 13")  # a second time: there no more
    halted = talk.enter("continue")
    assert halted.stopped_at is not None
    assert halted.stopped_at.line == 8
    over = talk.enter("continue")
    assert (over.outcome, [note.code for note in over.notes]) == ("done", ["console_over"])
    np.testing.assert_allclose(np.degrees(over.state.q[0]), 10.0)
    assert codes(entered(talk, "side(10.0)")) == ["krl_unknown_routine"]  # not the first of its module, and not GLOBAL
    assert codes(entered(talk, "job()")) == []


def test_a_loaded_program_with_mistakes_reports_all_of_them(tmp_path: Path) -> None:
    talk = session()
    path = written(tmp_path, "bad.src", "DEF bad()\nINT i\ni = TRUE\nj = 2\nEND\n")
    assert codes(entered(talk, f"load {path}\nrun")) == ["krl_assign_type", "krl_unknown_name"]
    assert codes(entered(talk, "PTP {A1 1}")) == []


WORDS = [
    "INT i", "i = i + 1", "FOR i = 1 TO 2", "ENDFOR", "? i", "LOOP", "ENDLOOP", "IF TRUE THEN", "ENDIF", "DEF f()",
    "END", "f()", "step", "run", "stop", "load star", "continue", "break 3", "vars", "help",
]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(lines=st.lists(st.one_of(st.text(max_size=30), st.sampled_from(WORDS)), max_size=8))
def test_any_lines_give_results_and_never_an_error(lines: list[str]) -> None:
    talk = session()
    for line in lines:
        assert talk.enter(line).state.q
    talk.finish()
    talk.cancel()
    assert value(talk, "1 + 1") == 2
