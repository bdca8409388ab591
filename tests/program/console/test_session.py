"""What all languages of the console share: help, completion, inputs, blocks, programs and wrong files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from program.console.sessions import arm, codes, entered, session, value, written

from armlab.errors import UnknownName
from armlab.program.console import ConsoleSession, console_session
from armlab.program.console.choose import CONSOLE_LANGUAGES
from armlab.program.console.help_words import COMMANDS, WORDS


@pytest.mark.parametrize("language", CONSOLE_LANGUAGES)
def test_every_word_has_a_line_of_help_and_is_completed(language: str) -> None:
    talk = session(language)
    every = {*COMMANDS, *WORDS[language]}
    assert {one.word for one in talk.enter("help").help} == every
    for word in every:
        assert [one.word for one in talk.enter(f"help {word}").help] == [word]
        assert word in talk.complete(word[:2])
    assert codes([talk.enter("help nonsense")]) == ["console_no_help"]


@pytest.mark.parametrize(
    ("language", "move", "names"),
    [
        ("krl", "PTP_REL {A1 10}", "INT count\ncount = 3"),
        ("gcode", "G0 X0 Y0", "#<count> = 3"),
        ("python", "move_joints(radians([10, -100, 120, 0, 70, 0]))", "count = 3"),
    ],
)
def test_each_language_moves_the_arm_and_keeps_variables(language: str, move: str, names: str) -> None:
    talk = session(language)
    *_before, wrong = entered(talk, f"{names}\n{move}\nnonsense + here")
    assert wrong.outcome == "failed"
    assert talk.state.time > 0.1
    assert value(talk, "#<count>" if language == "gcode" else "count") == 3


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(UnknownName):
        console_session(arm(), "fortran")


def test_without_a_way_to_open_programs_none_is_loaded(tmp_path: Path) -> None:
    talk = console_session(arm(), "krl")
    assert codes([talk.enter(f"load {tmp_path}")]) == ["console_load"]
    assert codes(entered(talk, "run\nstep\nstop\nbreak 3")) == [
        "console_no_program", "console_no_program", "console_nothing_runs", "console_no_program",
    ]  # fmt: skip


def test_a_missing_file_and_one_of_another_language_are_refused() -> None:
    assert codes([session("krl").enter("load nowhere.src")]) == ["file_missing"]
    assert codes([session("gcode").enter("load star")]) == ["console_other_language"]
    assert codes([session("python").enter("load drawing")]) == ["console_other_language"]
    assert codes([session("krl").enter("load drawing")]) == ["console_other_language"]


def test_a_move_that_fails_leaves_relative_gcode_where_the_arm_is() -> None:
    talk = session("gcode")
    entered(talk, "G21 G90 F2000\nG1 X10 Y10")
    before = arm().fk(np.array(talk.state.q))[:3, 3]
    (failed, moved) = entered(talk, "G1 X9000\nG91 G1 X5")
    assert failed.outcome == "failed"
    after = arm().fk(np.array(moved.state.q))[:3, 3]
    np.testing.assert_allclose((after - before) * 1e3, [5.0, 0.0, 0.0], atol=0.01)


def test_gcode_blocks_subroutines_and_errors_inside_them() -> None:
    talk = session("gcode")
    entered(talk, "G21 G91 F3000\no<up> sub\nG1 Z#1\no<up> endsub\no<up> call [5]")
    start = arm().fk(np.array(talk.state.q))[2, 3]
    results = entered(talk, "o<up> call [9000]\no<up> call [5]\no1 repeat [2]\nG1 Z5\no1 endrepeat")
    assert [one.outcome for one in results] == ["failed", "done", "done"]
    assert (arm().fk(np.array(talk.state.q))[2, 3] - start) * 1e3 == pytest.approx(15.0, abs=0.01)


def test_gcode_programs_are_stepped_through_and_their_parameters_changed(tmp_path: Path) -> None:
    path = written(tmp_path, "t.ngc", "G21 G91 F3000\n#1 = 4\nG1 X1\nG1 X#1\nM2\n")
    talk = session("gcode")
    entered(talk, f"load {path}\nbreak t.ngc:4")
    stopped = talk.enter("run")
    assert stopped.stopped_at is not None
    assert stopped.stopped_at.line == 4
    assert value(talk, "#1 * 2") == 8.0
    assert codes([talk.enter("G1 X3")]) == ["console_stopped"]
    assert codes([talk.enter("#1 = 6")]) == []
    assert [note.code for note in talk.enter("continue").notes] == ["console_over"]


def test_inputs_are_set_by_hand() -> None:
    talk = session()
    entered(talk, "input 3 true\ninput $IN[4] on\ninput analog 1 0.5")
    assert (value(talk, "$IN[3]"), value(talk, "$IN[4]"), value(talk, "$ANIN[1]")) == (True, True, 0.5)
    assert codes(entered(talk, "input\ninput 3 maybe\ninput 3 nan")) == [
        "console_input", "console_input_value", "console_input_value",
    ]  # fmt: skip


def test_lines_and_blocks_are_bounded() -> None:
    talk = session()
    assert codes([talk.enter("A" * 20_000)]) == ["console_too_long"]
    talk.enter("LOOP")
    assert talk.is_block_open
    talk.cancel()
    assert not talk.is_block_open
    assert talk.finish() is None


def _steps(talk: ConsoleSession, how: str) -> list[int]:
    lines = []
    while (result := talk.enter(how)).stopped_at is not None:
        lines.append(result.stopped_at.line)
    return lines


def test_steps_into_and_over_functions_go_through_the_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "t.py", "def up(h):\n    move_by([0, 0, h])\n\nup(0.01)\nx = 1\nup(-0.01)\n")
    talk = session("python")
    entered(talk, f"load {path}")
    assert _steps(talk, "step") == [1, 4, 2, 5, 6, 2]
    assert _steps(talk, "step over") == [1, 4, 5, 6]
    assert codes([talk.enter("step sideways")]) == ["console_step"]


def test_an_endless_gcode_loop_ends_with_a_finding_and_the_session_goes_on() -> None:
    talk = session("gcode")
    (endless,) = entered(talk, "o1 while [1]\no1 endwhile")
    assert endless.findings[-1].code == "gcode_endless"
    assert codes(entered(talk, "G0 X1")) == []


@pytest.mark.parametrize(
    ("language", "lines", "shown"),
    [
        ("krl", ("INT i", "i = 4", "i"), "4"),
        ("krl", ("INT i", "i = 4", "i * 2 + 1"), "9"),
        ("gcode", ("#1 = 4", "#1"), "4"),
        ("python", ("i = 4", "i"), "4"),
    ],
)
def test_a_line_that_is_only_a_value_shows_it(language: str, lines: tuple[str, ...], shown: str) -> None:
    talk = session(language)
    results = [talk.enter(line) for line in lines]
    assert [one.text for one in results[-1].values] == [shown]


@pytest.mark.parametrize("line", ["PTP", "ENDLOOP", "i ="])
def test_half_a_statement_is_not_taken_for_a_value(line: str) -> None:
    assert codes([session("krl").enter(line)]) != ["krl_unknown_name"]
    assert codes([session("krl").enter("nobody")]) == ["krl_unknown_name"]
