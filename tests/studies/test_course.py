"""The course: right answers get all points, wrong ones a counter-example, and no grade can be edited unseen."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.solutions import answers_of

from armlab.calibration import Positions, calibrate
from armlab.cli.main import run
from armlab.errors import InvalidInput
from armlab.studies.course.arms import planar
from armlab.studies.course.lab import grade, question_text, shown_values, variant
from armlab.studies.course.labs import LABS, lab_of
from armlab.studies.course.physics_labs import NOISE, SHOWN, measurements
from armlab.studies.course.results import BUILT_IN_KEY, blank_answers, collect, read_answers, signature, write_result

NUMBERS = [lab.number for lab in LABS]
STUDENTS = ("1", "23", "IV-21-07", "petrenko")


def toml_of(number: int, student: str, answers: dict[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in answers.items()]
    return "\n".join([f"lab = {number}", f'student = "{student}"', "[answers]", *lines]) + "\n"


def changed(answer: Any) -> Any:
    """An answer that is wrong: every number is off."""
    if isinstance(answer, str):
        return answer.replace("1", "2") if answer.strip().startswith(("L1", "G", "DEF")) else "nonsense"
    return (np.array(answer, dtype=float) * 1.1 + 3.0).tolist()


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("number", NUMBERS)
def test_right_answers_get_all_points(number: int, student: str) -> None:
    graded = grade(lab_of(number), student, answers_of(number, student))
    assert [(one.key, str(one.message)) for one in graded if not one.right] == []


@pytest.mark.parametrize("number", NUMBERS)
def test_wrong_answers_get_none_and_are_told_why(number: int) -> None:
    answers = {key: changed(value) for key, value in answers_of(number, "23").items()}
    if number == 8:
        answers["via"] = [variant(lab_of(8), "23")["end"]]
    for one in grade(lab_of(number), "23", answers):
        assert not one.right, one.key
        assert len(str(one.message)) > 15


@pytest.mark.parametrize("number", NUMBERS)
def test_answers_of_another_student_do_not_pass(number: int) -> None:
    graded = grade(lab_of(number), "24", answers_of(number, "23"))
    assert not all(one.right for one in graded)


@pytest.mark.parametrize("number", NUMBERS)
def test_blank_answers_are_a_toml_file_with_every_question(number: int, tmp_path: Path) -> None:
    lab = lab_of(number)
    path = tmp_path / "answers.toml"
    path.write_text(blank_answers(lab, "23"), encoding="utf-8")
    sheet = read_answers(path)
    assert (sheet.lab, sheet.student) == (lab, "23")
    assert set(sheet.answers) == {question.key for question in lab.questions}
    assert not all(one.right for one in grade(lab, "23", sheet.answers))


@pytest.mark.parametrize("number", NUMBERS)
def test_answers_of_any_form_are_graded_and_never_crash(number: int) -> None:
    lab = lab_of(number)
    answers: tuple[Any, ...] = (
        "",
        "x" * 30_000,
        [],
        [[]],
        [[1, 2], [3]],
        {},
        None,
        True,
        10**400,
        [float("inf")] * 3,
        "G1 X9e99",
    )
    for answer in answers:
        graded = grade(lab, "23", {question.key: answer for question in lab.questions})
        assert not all(one.right for one in graded)


def test_variants_differ_and_stay_the_same() -> None:
    for lab in LABS:
        seen = {json.dumps(variant(lab, str(k)), sort_keys=True) for k in range(30)}
        assert len(seen) > 20
        assert variant(lab, "23") == variant(lab, "23")
        for question in lab.questions:
            assert "{" not in str(question_text(question, variant(lab, "23")))


def test_a_variant_does_not_tell_its_answers() -> None:
    hidden = [name for lab in LABS for name in variant(lab, "23") if name.startswith("_")]
    shown = [name for lab in LABS for name in shown_values(variant(lab, "23"))]
    assert {"_roll", "_bias", "_offsets", "_rows"} <= set(hidden)
    assert not any(name.startswith("_") for name in shown)


def test_a_line_written_with_ptp_is_told_to_be_no_line() -> None:
    values = variant(lab_of(6), "23")
    krl = f"DEF answer()\nPTP {{A1 {values['a1']:g}}}\nPTP_REL {{Z -{values['down']:g}}}\nEND\n"
    (_gcode, one) = grade(lab_of(6), "23", {"krl": krl})
    assert not one.right


def test_a_programs_own_mistake_is_the_reason() -> None:
    (one, _krl) = grade(lab_of(6), "23", {"gcode": "G21 G90\nG1 X10 Q\n"})
    assert not one.right
    assert one.message.code.startswith("gcode")


def checked(tmp_path: Path, answers: dict[str, Any], number: int = 3, student: str = "23") -> int:
    path = tmp_path / f"answers-{student}.toml"
    path.write_text(toml_of(number, student, answers), encoding="utf-8")
    return run(["lab", str(number), "--check", str(path), "-o", str(tmp_path / "results")])


def test_a_whole_course_is_collected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, answers_of(3, "23")) == 0
    assert checked(tmp_path, {"r_max": 0.0}, student="24") == 1
    assert "mm" in capsys.readouterr().out
    table = tmp_path / "grades.csv"
    assert run(["lab", "--collect", str(tmp_path / "results"), "-o", str(table)]) == 0
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [(row["student"], row["points"], row["total"], row["signature"]) for row in rows] == [
        ("23", "4", "4", "valid"), ("24", "0", "4", "valid"),
    ]  # fmt: skip


def test_an_edited_result_is_found_even_when_it_is_signed_again(tmp_path: Path) -> None:
    assert checked(tmp_path, {"r_max": 0.0}) == 1
    (path,) = (tmp_path / "results").iterdir()
    content = json.loads(path.read_text(encoding="utf-8"))
    content["points"] = 4
    path.write_text(json.dumps(content), encoding="utf-8")
    (edited,), _problems = collect(tmp_path / "results")
    assert (edited.points, edited.is_signed) == (0, False)
    content["signature"] = signature(content, BUILT_IN_KEY)
    path.write_text(json.dumps(content), encoding="utf-8")
    (forged,), _problems = collect(tmp_path / "results")
    assert (forged.points, forged.is_signed) == (0, False)
    assert run(["lab", "--collect", str(tmp_path / "results")]) == 1


def test_a_result_signed_with_another_key_is_not_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked(tmp_path, answers_of(3, "23")) == 0
    monkeypatch.setenv("ARMLAB_COURSE_KEY", "the lecturer's own")
    assert run(["lab", "--collect", str(tmp_path / "results")]) == 1
    assert checked(tmp_path, answers_of(3, "23")) == 0
    assert run(["lab", "--collect", str(tmp_path / "results")]) == 0


def test_answers_that_json_cannot_hold_are_written_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('lab = 3\nstudent = "23"\n[answers]\nr_max = 1979-05-27\n', encoding="utf-8")
    sheet = read_answers(path)
    assert write_result(sheet, grade(sheet.lab, sheet.student, sheet.answers), tmp_path).is_file()


def test_a_worse_try_does_not_replace_the_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = answers_of(3, "23")
    assert checked(tmp_path, {"r_max": right["r_max"]}) == 1
    assert checked(tmp_path, right) == 0
    capsys.readouterr()
    assert checked(tmp_path, {"r_max": 0.0}) == 1
    assert "keeps your best try: 4" in capsys.readouterr().out
    (best,), _problems = collect(tmp_path / "results")
    assert (best.points, best.is_signed) == (4, True)


def test_a_result_that_is_not_valid_is_replaced(tmp_path: Path) -> None:
    assert checked(tmp_path, answers_of(3, "23")) == 0
    (path,) = (tmp_path / "results").iterdir()
    path.write_text(path.read_text(encoding="utf-8").replace("23", "24"), encoding="utf-8")
    assert checked(tmp_path, {"r_max": 0.0}) == 1
    (new,), _problems = collect(tmp_path / "results")
    assert (new.points, new.is_signed) == (0, True)


BAD = {
    "nested": '{"lab": 3, "student": "25", "answers": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep": '{"lab": 3, "student": "25", "answers": {"r_max": ' + "[" * 900 + "]" * 900 + "}}",
    "half": '{"lab": 3, "student": "25", "answers": {"r_max": "\\ud800"}}',
    "half-name": '{"lab": 3, "student": "\\ud800", "answers": {}}',
    "accent": '{"lab": 3, "student": "25", "answers": {}, "signature": "é"}',
    "list": "[1]",
    "number": '{"lab": 1e999, "student": 1, "answers": {}}',
    "digits": '{"lab": 3, "student": "25", "answers": {"r_max": ' + "9" * 5000 + "}}",
    "empty": "",
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_file_is_one_row_and_the_others_are_graded(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(tmp_path, answers_of(3, "23")) == 0
    (tmp_path / "results" / f"{name}.result.json").write_text(BAD[name], encoding="utf-8")
    table = tmp_path / "grades.csv"
    assert run(["lab", "--collect", str(tmp_path / "results"), "-o", str(table)]) == 1
    assert f"{name}.result.json" in capsys.readouterr().out
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2
    (bad,) = [row for row in rows if row["file"] == f"{name}.result.json"]
    assert bad["signature"] in {"INVALID", "UNREADABLE"}
    assert bad["points"] == "0"
    (good,) = [row for row in rows if row is not bad]
    assert (good["student"], good["points"], good["signature"]) == ("23", "4", "valid")
    assert run(["lab", "--collect", str(tmp_path / "results"), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_two_valid_results_of_one_student_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, {"r_max": 0.0}) == 1
    (tmp_path / "results" / "lab03-23.result.json").rename(tmp_path / "results" / "old.result.json")
    assert checked(tmp_path, answers_of(3, "23")) == 0
    capsys.readouterr()
    assert run(["lab", "--collect", str(tmp_path / "results")]) == 0
    assert "several valid results: lab03-23.result.json (4), old.result.json (0)" in capsys.readouterr().out
    assert run(["lab", "--collect", str(tmp_path / "results"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 2
    assert all("several valid results" in row["message"] for row in rows)


def test_no_question_carries_what_it_asks_for() -> None:
    for lab in LABS:
        for question in lab.questions:
            text = question_text(question, variant(lab, "23"))
            assert not [name for name in text.parameters if name.startswith("_")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("lab = ", "toml_ends_early"),
        ("lab = " + "9" * 5000, "toml_number_too_long"),
        ("a." * 20_000 + "b = 1", "nested_too_deeply"),
        ("lab = 3", "answers_incomplete"),
        ('lab = 30\nstudent = "1"\n[answers]\n', "unknown_lab"),
        ('lab = 3\nstudent = "../x"\n[answers]\n', "student_name"),
    ],
)
def test_answer_files_that_cannot_be_used_are_refused_in_one_sentence(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "answers.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        read_answers(path)
    assert caught.value.code == code
    assert run(["lab", "--check", str(path)]) == 2


def test_the_command_lists_shows_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab"]) == 0
    assert capsys.readouterr().out.count("\n") >= len(LABS)
    assert run(["lab", "7", "--student", "23", "-o", str(tmp_path / "new")]) == 0
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"arm.toml", "answers.toml", "sheet.md"}
    assert tomllib.loads((tmp_path / "new" / "answers.toml").read_text(encoding="utf-8"))["lab"] == 7
    assert run(["lab", "7", "--student", "23", "-o", str(tmp_path / "new")]) == 2  # a student's work is not overwritten
    capsys.readouterr()
    assert run(["lab", "7", "--student", "23", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"lab", "student", "values", "questions"}
    assert run(["lab", "11"]) == 2
    assert run(["lab", "3", "--check", str(tmp_path / "none.toml")]) == 2
    assert run(["lab", "--collect", str(tmp_path)]) == 2


@pytest.mark.parametrize("number", [1, 2, 3, 4, 7])
def test_the_arm_of_a_variant_loads(number: int, tmp_path: Path) -> None:
    from armlab.catalog import load

    files = lab_of(number).files(variant(lab_of(number), "23"))
    (tmp_path / "arm.toml").write_text(files["arm.toml"], encoding="utf-8")
    assert load(tmp_path / "arm.toml").dof in {2, 3}


def test_the_gap_of_lab_7_really_grows_with_the_square_of_the_step() -> None:
    from armlab.sim.compare import compare
    from armlab.studies.course.arms import upright

    values = variant(lab_of(7), "23")
    arm = upright(values["lengths"], values["masses"], values["effort"])
    one, two = (compare(arm, duration=0.5, timestep=dt).metrics["joints"].gap for dt in (0.001, 0.002))
    assert 3.0 < two / one < 5.0


@pytest.mark.parametrize("student", ["1", "23"])
def test_armlabs_own_calibration_solves_lab_10(student: str) -> None:
    values = variant(LABS[9], student)
    rows = measurements(values)[:SHOWN]
    q, points = np.radians(rows[:, :2]), np.column_stack([rows[:, 2:], np.zeros(SHOWN)]) / 1000.0
    found = calibrate(planar(values["lengths"]), Positions(q, points, noise=NOISE / 1000.0), model="geometry")
    zeros = [float(np.degrees(found.parameter(f"{name} offset").value)) for name in ("q1", "q2")]
    shifts = [found.parameter(f"{name} shift x").value * 1000.0 for name in ("q2", "tool")]
    answer = {"parameters": [*(np.array(values["lengths"]) + shifts).tolist(), *zeros]}
    assert grade(LABS[9], student, answer)[1].right
