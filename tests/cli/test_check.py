from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from armlab.cli.main import run
from armlab.program.gcode.shipped import program_names
from armlab.program.scenario import SCENARIOS

Captured = pytest.CaptureFixture[str]


def test_mistakes_of_krl_are_told_with_file_line_and_column(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.src"
    file.write_text("DEF a()\nPTP {A1 0}\nLIN\nx = (1\nEND\n")
    assert run(["check", str(file)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{file}:3:4: error: ")
    assert second.startswith(f"{file}:4:7: error: ")


def test_a_good_program_ends_with_status_0_and_its_motions(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.src"
    file.write_text("DEF a()\nPTP {A1 0}\nLOOP\nLIN {Z 400} C_DIS\nENDLOOP\nEND\n")
    assert run(["check", str(file), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["language"], report["motions"], report["findings"]) == ("krl", 2, [])


def test_names_and_types_of_krl_are_checked_in_a_whole_folder(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.src").write_text("DEF a()\nb()\nEND\n")
    (tmp_path / "b.src").write_text("DEF b()\nINT i\nFRAME f\nf = $NULLFRAME\ni = f\nEND\n")
    assert run(["check", str(tmp_path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["line"]) for f in report["findings"]] == [("krl_assign_type", 5)]


def test_g_code_is_checked_too(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.nc"
    file.write_text("g1 x1\nf100\ng1 x2\nm2\n")
    assert run(["check", str(file), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [(f["code"], f["line"]) for f in report["findings"]] == [("gcode_feed_zero", 1)]
    assert report["motions"] == 1


@pytest.mark.parametrize(
    ("text", "dialect", "found"),
    [
        ("g0 x1\n", "linuxcnc", ["gcode_end_missing"]),
        ("%\ng0 x1\n", "linuxcnc", ["gcode_end_missing"]),
        ("g0 x1\n", "fanuc", ["gcode_end_missing"]),
        ("g0 x1\n", "grbl", []),
        ("g0 x1\n", "marlin", []),
        ("g0 x1\n", "reprap", []),
        ("g0 x1\nm2\n", "linuxcnc", []),
        ("g0 x1\nm30\n", "linuxcnc", []),
        ("%\ng0 x1\n%\n", "linuxcnc", []),
        ("o1 if [1]\ng0 x1\n", "linuxcnc", ["gcode_partner_missing"]),
    ],
)
def test_a_program_that_does_not_say_where_it_ends_is_warned_of(
    tmp_path: Path, capsys: Captured, text: str, dialect: str, found: list[str]
) -> None:
    file = tmp_path / "a.ngc"
    file.write_text(text)
    report = checked(capsys, str(file), "--dialect", dialect)
    assert [finding["code"] for finding in report["findings"]] == found
    assert all(f["severity"] == "warning" for f in report["findings"] if f["code"] == "gcode_end_missing")


def test_a_missing_file_gets_one_sentence(capsys: Captured) -> None:
    assert run(["check", "nowhere.src"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def checked(capsys: Captured, *arguments: str) -> dict[str, Any]:
    run(["check", *arguments, "--json"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def test_a_program_on_an_arm_has_motions_times_box_and_reach(capsys: Captured) -> None:
    report = checked(capsys, "drawing", "--robot", "scara", "--place", "380,-47.5,290")
    assert report["findings"] == []
    assert report["motions"] == 17
    assert report["cycle_time"] == pytest.approx(sum(line["time"] for line in report["lines"]), abs=0.05)
    assert report["box"]["lower"] == pytest.approx([380.0, -47.5, 290.0], abs=1.0)
    assert report["box"]["upper"] == pytest.approx([460.0, 47.5, 300.0], abs=0.2)
    circle = next(line for line in report["lines"] if line["line"] == 24)
    assert circle["time"] == pytest.approx(math.tau * 10.0 / 50.0, rel=0.02)  # 3000 mm/min once round 10 mm


@pytest.mark.parametrize("name", [name for name in program_names() if name != "probing"])
def test_every_shipped_program_is_good_on_a_scara(capsys: Captured, name: str) -> None:
    report = checked(capsys, name, "--robot", "scara", "--language", "gcode")
    assert [f["code"] for f in report["findings"]] == ["placed_by_default"]
    assert report["motions"] >= 10


def test_what_cannot_be_reached_is_found_with_its_line(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "far.ngc"
    file.write_text("f600\ng0 x0 y0 z0\ng1 x10\ng1 x5000\ng1 x20\n")
    assert run(["check", str(file), "--robot", "scara", "--place", "400,0,290"]) == 1
    errors = [line for line in capsys.readouterr().out.splitlines() if ": error: " in line]
    assert errors[0].startswith(f"{file}:4:1: error: ")


def test_lines_outside_of_a_range_take_no_time(capsys: Captured) -> None:
    report = checked(capsys, "drawing", "--robot", "scara", "--place", "380,-47.5,290", "--from", "15", "--to", "17")
    assert [line["line"] for line in report["lines"]] == [15, 16, 17]
    assert run(["check", "drawing", "--robot", "scara", "--from", "9", "--to", "3"]) == 2


def test_sarif_has_what_the_standard_requires(tmp_path: Path, capsys: Captured) -> None:
    file, log_file = tmp_path / "a b.ngc", tmp_path / "log.sarif"
    file.write_text("g1 x1\ng0 x1 y[1/0]\nm2\n")
    assert run(["check", str(file), "--sarif", str(log_file)]) == 1
    log = json.loads(log_file.read_text())
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    driver = only["tool"]["driver"]
    assert driver["name"] == "armlab"
    assert only["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    for result in only["results"]:
        assert result["message"]["text"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith("a%20b.ngc")
    regions = [r["locations"][0]["physicalLocation"]["region"] for r in only["results"]]
    assert regions == [{"startLine": 1, "startColumn": 1}, {"startLine": 2, "startColumn": 10}]
    capsys.readouterr()


def test_the_page_has_the_path_the_lines_and_needs_nothing_else(tmp_path: Path, capsys: Captured) -> None:
    page = tmp_path / "page.html"
    checked(capsys, "drawing", "--robot", "scara", "--place", "380,-47.5,290", "-o", str(page))
    text = page.read_text()
    assert text.count("<svg") == 2
    assert '<polyline class="feed" data-line="16"' in text
    assert "G1 X40 Y95   (the roof)" in text
    assert "http" not in text.lower()
    assert "prefers-color-scheme: dark" in text


def test_a_scenario_is_checked_as_it_is(capsys: Captured) -> None:
    report = checked(capsys, str(SCENARIOS / "pick-and-place.json"))
    assert report["language"] == "scenario"
    assert [f for f in report["findings"] if f["severity"] == "error"] == []
    assert report["motions"] > 5


@pytest.mark.parametrize("arguments", [("--place", "1,2"), ("--place", "nowhere"), ("--tool-axis", "0,0,0")])
def test_a_wrong_place_gets_one_sentence(capsys: Captured, arguments: tuple[str, str]) -> None:
    assert run(["check", "drawing", "--robot", "scara", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "data"), [("a.ngc", b""), ("a.ngc", b"\x7fELF\0\0"), ("a.pdf", b"g0 x1"), ("a.ngc", None)]
)
def test_bad_files_get_one_sentence_and_nothing_is_written(
    tmp_path: Path, capsys: Captured, name: str, data: bytes | None
) -> None:
    file, sarif = tmp_path / name, tmp_path / "out.sarif"
    if data is not None:
        file.write_bytes(data)
    for command in (["check", str(file), "--sarif", str(sarif)], ["run", str(file), "--robot", "scara"]):
        assert run(command) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert not sarif.exists()


def test_a_call_cannot_leave_the_folder_and_a_missing_file_is_a_finding(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "secret.ngc").write_text("o<secret> sub\ng0 x1\no<secret> endsub\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    file = inner / "a.ngc"
    file.write_text("o<../secret> call\no<missing> call\nm2\n")
    report = checked(capsys, str(file))
    assert [(f["code"], f["line"]) for f in report["findings"]] == [("gcode_sub_unknown", 1), ("gcode_sub_unknown", 2)]
    assert report["motions"] == 0


def test_limits_of_steps_and_depth_can_be_set(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "a.ngc"
    file.write_text("o1 while [1]\ng4 p0\no1 endwhile\n")
    assert [f["code"] for f in checked(capsys, str(file), "--steps", "50")["findings"]] == ["gcode_endless"]
    file.write_text("o1 sub\no1 call\no1 endsub\no1 call\n")
    found = checked(capsys, str(file), "--depth", "3")["findings"]
    assert (found[0]["code"], found[0]["parameters"]["depth"]) == ("gcode_calls_too_deep", 3)
