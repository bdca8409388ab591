from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.cli.main import COMMANDS, run
from armlab.messages import reader

Captured = pytest.CaptureFixture[str]


def _json(capsys: Captured, *arguments: str) -> object:
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _refusal(capsys: Captured, *arguments: str) -> str:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("armlab: ")
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    return captured.err.removeprefix("armlab: ").strip()


def test_robots_lists_every_arm(capsys: Captured) -> None:
    rows = _json(capsys, "robots")
    assert isinstance(rows, list)
    assert [row["name"] for row in rows] == list(armlab.robot_names())
    assert all(set(row) >= {"name", "dof", "reach", "source"} and row["reach"] > 0 for row in rows)
    assert run(["robots"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in armlab.robot_names())


def test_robots_show_prints_joints_dh_source_and_reach(capsys: Captured) -> None:
    assert run(["robots", "show", "kuka-kr6-r900"]) == 0
    text = capsys.readouterr().out
    for word in (
        "A1",
        "A6",
        "DH, standard",
        "DH, modified",
        "source:",
        "reach",
        "estimated",
        "-170",
        "Configurations",
    ):
        assert word in text


def test_fk_gives_the_pose_in_every_form(capsys: Captured) -> None:
    report = _json(capsys, "fk", "kuka-kr6-r900", "0", "-90", "90", "0", "0", "0", "--frames")
    assert isinstance(report, dict)
    robot = armlab.load("kuka-kr6-r900")
    T = robot.fk(np.radians([0, -90, 90, 0, 0, 0]))
    np.testing.assert_allclose(report["xyz"], T[:3, 3] * 1e3, atol=1e-8)
    np.testing.assert_allclose(report["abc"], np.degrees(armlab.pose.as_abc(T)), atol=1e-8)
    np.testing.assert_allclose(np.array(report["matrix"])[:3, :3], T[:3, :3], atol=1e-8)
    np.testing.assert_allclose(report["quaternion"], armlab.pose.as_quaternion(T), atol=1e-8)
    assert [frame["name"] for frame in report["frames"]] == list(robot.frame_names)
    assert report["q"] == [0, -90, 90, 0, 0, 0]


def test_fk_without_frames_has_no_frames_in_its_json(capsys: Captured) -> None:
    report = _json(capsys, "fk", "planar3", "30", "30", "20")
    assert isinstance(report, dict)
    assert set(report) == {"robot", "q", "xyz", "abc", "quaternion", "matrix"}


def test_fk_reads_radians_and_decimal_commas(capsys: Captured) -> None:
    degrees = _json(capsys, "fk", "planar2", "30", "45.5")
    assert _json(capsys, "fk", "planar2", "30", "45,5") == degrees
    radians = _json(capsys, "fk", "planar2", *(str(v) for v in np.radians([30, 45.5])), "--units", "rad")
    assert radians == degrees


def test_fk_of_the_home_pose_a_named_pose_and_a_tool(capsys: Captured) -> None:
    robot = armlab.load("kuka-kr6-r900")
    home = _json(capsys, "fk", robot.name)
    assert home == _json(capsys, "fk", robot.name, "--configuration", "home")
    tooled = _json(capsys, "fk", robot.name, "--tool", "gripper")
    assert tooled != home


def test_values_outside_the_limits_are_computed_and_noted(capsys: Captured) -> None:
    assert run(["fk", "planar3", "10", "0", "0"]) == 0
    captured = capsys.readouterr()
    assert "X" in captured.out
    assert "joint 'theta1': 10.0° is outside 20.0° … 160.0°" in captured.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fk", "ur55"), "no robot named 'ur55'; did you mean ur5e"),
        (("robots", "show", "planer2"), "no robot named 'planer2'; did you mean planar2"),
        (("fk", "planar2", "1"), "planar2: joint values needed: 2 (theta1 [°], theta2 [°]); given: 1"),
        (("fk", "planar2", "1", "2", "3"), "given: 3"),
        (("fk", "planar2", "1", "nan"), "joint value: nan is not a finite number"),
        (("fk", "planar2", "1", "inf"), "joint value: inf is not a finite number"),
        (("fk", "planar2", "1", "two"), "joint value: 'two' is not a number"),
        (("fk", "planar2", "1", "2", "--units", "grad"), "'grad' is not one of 'deg', 'rad'"),
        (("fk", "planar2", "1", "2", "--jsn"), "no such option: --jsn"),
        (("fk", "planar2", "--configuration", "hom"), "planar2: no configuration named 'hom'; did you mean home"),
        (("fk", "planar2", "1", "2", "--configuration", "home"), "either joint values or --configuration"),
        (("fk", "planar2", "--tool", "grippr"), "no tool named 'grippr'; did you mean gripper"),
        (("fk", "planar2", "1e9", "0"), "joint value: '1e9' is outside ±1e+06"),
        (("fk",), "missing: ROBOT"),
        (("nonsense",), "no command named 'nonsense'"),
        (("fk", "missing.toml"), "missing.toml: no such file"),
        (("fk", "missing.urdf"), "missing.urdf"),
        (("fk", "/dev"), "dev: no file in it describes an arm"),
        (("fk", "/dev/zero"), "/dev/zero: no such file"),
        (("fk", "planar2", "--configuration", ""), "planar2: no configuration named ''"),
        (("canon", "z" * 5000), "cannot be read (File name too long)"),
        (("serve", "--port", "99999"), "less than or equal to 65535"),
    ],
)
def test_wrong_input_gets_one_sentence_and_status_2(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in _refusal(capsys, *arguments)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("broken.toml", b"name = ", "not valid TOML"),
        ("binary.toml", bytes(range(256)), "not a text file"),
        ("empty.toml", b"", "schema: is missing"),
        ("notes.txt", b"hello", "notes.txt: no description of an arm"),
        ("data.urdf", b"\x00\x01", "data.urdf"),
    ],
)
def test_a_file_that_is_not_a_robot_gets_one_sentence(
    capsys: Captured, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert sentence in _refusal(capsys, "fk", str(path))
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_text_of_a_file_is_printed_as_it_is(capsys: Captured, tmp_path: Path) -> None:
    text = (Path(armlab.__file__).parent / "catalog" / "arms" / "planar2.toml").read_text(encoding="utf-8")
    path = tmp_path / "odd.toml"
    title = next(line for line in text.splitlines() if line.startswith("title"))
    path.write_text("\ufeff" + text.replace(title, 'title = "[/red] My arm [rev b]"'), encoding="utf-8")
    assert run(["robots", "show", str(path)]) == 0
    assert "[/red] My arm [rev b]" in capsys.readouterr().out
    path.write_text(text.replace(title, 'title = "\\u001b[31mred"'), encoding="utf-8")
    assert "title: has characters that cannot be printed" in _refusal(capsys, "robots", "show", str(path))


def test_a_full_disk_is_told_in_one_sentence() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "armlab", "robots"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"armlab: the output cannot be written")


def test_version_and_help_end_well(capsys: Captured) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"armlab {armlab.__version__}\n"
    assert run(["--help"]) == 0
    assert "robots" in capsys.readouterr().out


def test_a_closed_pipe_ends_quietly() -> None:
    command = [sys.executable, "-m", "armlab", "robots", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait() in {0, 1}
    assert error == b""


def test_with_json_an_error_is_an_object_with_code_message_and_parameters(capsys: Captured) -> None:
    assert run(["fk", "ur55", "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.err == ""
    error = json.loads(captured.out)["error"]
    assert error["code"] == "unknown_robot"
    assert error["parameters"]["name"] == "ur55"
    assert error["message"].startswith("no robot named 'ur55'")
    assert run(["robots", "--json", "show", "planar2"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "json_before_name"


@pytest.mark.parametrize("place", ["before", "after", "environment"])
def test_the_language_is_chosen_before_or_after_the_command_or_by_the_environment(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    command = ["fk", "planar2", "12.5", "30"]
    if place == "environment":
        monkeypatch.setenv("ARMLAB_LANG", "uk")
    arguments = {"before": ["--lang", "uk", *command], "after": [*command, "--lang=uk"]}.get(place, command)
    assert run(arguments) == 0
    assert "theta1 12,5°" in capsys.readouterr().out
    assert reader.get() == "en"


def test_numbers_of_json_are_numbers_in_every_language(capsys: Captured) -> None:
    english = _json(capsys, "fk", "planar2", "12.5", "30")
    assert _json(capsys, "fk", "planar2", "12.5", "30", "--lang", "ru") == english


def test_an_unknown_language_is_refused(capsys: Captured) -> None:
    assert "no language named 'xx'; known: en, ru, uk" in _refusal(capsys, "fk", "planar2", "--lang", "xx")
    assert "no language named '?'" in _refusal(capsys, "fk", "planar2", "--lang")


@pytest.mark.parametrize("language", ["en", "ru", "uk"])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_help_ends_well_in_every_language(capsys: Captured, command: str, language: str) -> None:
    assert run([*filter(None, [command]), "--help", "--lang", language]) == 0
    assert "--help" in capsys.readouterr().out
