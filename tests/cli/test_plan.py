from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.cli.main import run
from armlab.motion.joint import SCHEMES

Captured = pytest.CaptureFixture[str]
Q = "10,-80,-100,-90,90,0"
KEYS = {"robot", "tool", "scheme", "path", "duration", "step", "t", "q", "qd", "qdd", "tool_speed"}


def _json(capsys: Captured, *arguments: str, status: int = 0) -> dict[str, Any]:
    assert run(["plan", *arguments, "--json"]) == status
    report = json.loads(capsys.readouterr().out)
    assert isinstance(report, dict)
    return report


def test_a_plan_is_json_in_degrees_from_the_start_to_the_end(capsys: Captured) -> None:
    report = _json(capsys, "ur5e", "--from", "-10,-90,-90,-90,90,0", "--to", Q, "--step", "0.02")
    assert set(report) == KEYS | {"peaks", "tool_peak", "findings"}
    t, q = np.array(report["t"]), np.array(report["q"])
    assert t[0] == 0.0
    assert t[-1] == report["duration"]
    np.testing.assert_allclose(np.diff(t)[:-1], 0.02)
    assert all(np.shape(report[key]) == (len(t), 6) for key in ("q", "qd", "qdd"))
    np.testing.assert_allclose(q[[0, -1]], [[-10, -90, -90, -90, 90, 0], [10, -80, -100, -90, 90, 0]], atol=1e-6)
    assert report["findings"] == []


def test_rates_are_the_derivatives_of_the_positions(capsys: Captured) -> None:
    report = _json(capsys, "scara", "--from", "0,30,-50,0", "--to", "60,-40,-90,-60", "--step", "0.001")
    t, q, qd, qdd = (np.array(report[key])[:-1] for key in ("t", "q", "qd", "qdd"))
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=0.1)
    np.testing.assert_allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=60.0)
    assert report["peaks"][2]["unit"] == "mm"
    assert report["peaks"][2]["velocity"] == pytest.approx(np.abs(qd[:, 2]).max(), rel=1e-3)


def test_a_line_keeps_the_tool_on_it_and_below_its_speed(capsys: Captured) -> None:
    report = _json(capsys, "ur5e", "--to-pose", "-300,-200,400", "--line", "--tool-speed", "200")
    assert report["path"] == "line"
    assert report["branch"]
    robot = armlab.load("ur5e")
    frames = robot.fk(np.radians(report["q"]))
    start, end = frames[0, :3, 3], np.array([-0.3, -0.2, 0.4])
    way = (end - start) / np.linalg.norm(end - start)
    off = frames[:, :3, 3] - start
    np.testing.assert_allclose(off - np.outer(off @ way, way), 0.0, atol=1e-6)
    np.testing.assert_allclose(frames[-1, :3, 3], end, atol=1e-6)
    np.testing.assert_allclose(frames[-1, :3, :3], frames[0, :3, :3], atol=1e-6)
    assert max(report["tool_speed"]) <= 200.001


def test_an_arc_goes_through_its_point(capsys: Captured) -> None:
    robot = armlab.load("ur5e")
    x, y, z = robot.fk(robot.home)[:3, 3] * 1e3
    via, end = [x + 50, y, z + 50], [x + 100, y, z]
    report = _json(capsys, "ur5e", f"--to-pose={','.join(map(str, end))}", f"--arc={','.join(map(str, via))}")
    points = robot.fk(np.radians(report["q"]))[:, :3, 3] * 1e3
    np.testing.assert_allclose(np.linalg.norm(points - [x + 50, y, z], axis=1), 50.0, atol=1e-3)
    assert points[:, 2].max() > z + 49


def test_arms_with_few_axes_go_straight_where_only_the_position_is_given(capsys: Captured) -> None:
    report = _json(capsys, "planar2", "--to-pose", "300,100,0", "--line")
    end = armlab.load("planar2").fk(np.radians(report["q"][-1]))[:3, 3]
    np.testing.assert_allclose(end * 1e3, [300, 100, 0], atol=1e-3)


def test_via_points_are_met_at_their_times(capsys: Captured) -> None:
    points = ["--from", "0,0", "--via", "20,30", "--via", "40,10", "--to", "60,20"]
    report = _json(capsys, "planar2", *points, "--scheme", "4-3-4", "--times", "1,1,1", "--step", "1")
    np.testing.assert_allclose(report["q"], [[0, 0], [20, 30], [40, 10], [60, 20]], atol=1e-9)
    assert (report["scheme"], report["duration"]) == ("4-3-4", 3.0)


def test_corners_of_a_line_can_be_rounded(capsys: Captured) -> None:
    way = ["ur5e", "--via", "0,-80,-100,-90,90,0", "--to", Q, "--line"]
    assert _json(capsys, *way, "--blend", "20")["duration"] < _json(capsys, *way)["duration"]


def test_times_that_break_a_limit_end_with_status_3(capsys: Captured) -> None:
    report = _json(capsys, "ur5e", "--to", Q, "--times", "0.05", status=3)
    assert {finding["code"] for finding in report["findings"]} == {"velocity_limit", "acceleration_limit"}
    assert run(["plan", "ur5e", "--to", Q, "--times", "0.05"]) == 3
    assert "error: joint 'base': velocity" in capsys.readouterr().out


def test_the_text_has_a_row_for_each_joint(capsys: Captured) -> None:
    assert run(["plan", "scara", "--to", "10,20,-30,40"]) == 0
    text = capsys.readouterr().out
    assert all(joint.name in text for joint in armlab.load("scara").joints)
    assert "tool at most" in text


def test_the_schemes_are_listed(capsys: Captured) -> None:
    assert run(["plan", "planar2", "--scheme", "?"]) == 0
    text = capsys.readouterr().out
    assert all(f" {name} " in text for name in SCHEMES)


def test_the_page_on_motion_has_every_scheme() -> None:
    page = (Path(__file__).parents[2] / "docs" / "motion.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {what} |" for name, what in SCHEMES.items()]
    assert "\n".join(rows) in page


def test_the_schemes_are_json_where_asked_for(capsys: Captured) -> None:
    assert run(["plan", "ur5e", "--scheme", "?", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"cubic", "jerk", "smooth", "fastest"} <= {row["name"] for row in rows}
    assert all(row["about"] and row["path"] in {"joint", "tool"} for row in rows)


def test_a_table_has_units_in_its_header_and_a_row_for_each_time(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "motion.csv"
    report = _json(capsys, "scara", "--to", "10,20,-30,40", "-o", str(path))
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    names = ["Q1_deg", "Q2_deg", "Z_mm", "Q4_deg"]
    assert header.split(",") == ["time_s", *names, *(f"{n}_s" for n in names), *(f"{n}_s2" for n in names)]
    assert len(rows) == len(report["t"])
    np.testing.assert_allclose([float(v) for v in rows[-1].split(",")[1:5]], [10, 20, -30, 40], atol=1e-6)


def test_a_json_file_is_what_the_command_prints(capsys: Captured, tmp_path: Path) -> None:
    report = _json(capsys, "planar2", "--to", "10,20", "-o", str(tmp_path / "motion.json"))
    assert json.loads((tmp_path / "motion.json").read_text(encoding="utf-8")) == report


@pytest.mark.parametrize(("name", "mark"), [("m.png", b"\x89PNG"), ("m.svg", b"<?xml"), ("m.pdf", b"%PDF")])
def test_a_figure_is_written(capsys: Captured, tmp_path: Path, name: str, mark: bytes) -> None:
    assert run(["plan", "planar2", "--to", "10,20", "-o", str(tmp_path / name)]) == 0
    assert f"{name}: written" in capsys.readouterr().out
    assert (tmp_path / name).read_bytes().startswith(mark)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ur55", "--to", Q), "no robot named 'ur55'"),
        (("ur5e",), "say where to go: either --to"),
        (("ur5e", "--to", Q, "--to-pose", "1,2,3"), "say where to go: either --to"),
        (("ur5e", "--to", "homme"), "ur5e: no configuration named 'homme'; did you mean home"),
        (("ur5e", "--to", "home"), "--from and --to are the same"),
        (("ur5e", "--to", Q, "--via", Q), "--via 1 and --to are the same"),
        (("ur5e", "--to", "1,2,3"), "--to: ur5e: joint values needed: 6"),
        (("ur5e", "--to", "1,,2,3,4,5"), "--to: joint value: '' is not a number"),
        (("ur5e", "--from", "1,2,3,4,5,nan", "--to", Q), "--from: joint value: nan is not a finite number"),
        (("ur5e", "--to", "1000,0,0,0,0,0"), "--to: joint 'base': 1000.0° is outside -360.0° … 360.0°"),
        (("ur5e", "--to", Q, "--via", "1000,0,0,0,0,0"), "--via 1: joint 'base': 1000.0° is outside"),
        (("ur5e", "--to-pose", "1,2,3,4"), "--to-pose: numbers separated by commas are needed: 3 / 6; given: 4"),
        (("ur5e", "--to-pose", "5000,0,0,0,0,0"), "ur5e cannot reach (5000.0, 0.0, 0.0) mm: the point is"),
        (("ur5e", "--to-pose", "5000,0,0,0,0,0", "--line"), "ur5e: can follow the path only to"),
        (("ur5e", "--to", Q, "--step", "0"), "step: must be > 0 s, got 0 s"),
        (("ur5e", "--to", Q, "--step", "1e-9"), "too many at once"),
        (("ur5e", "--to", Q, "--step", "1e-6"), "choose a larger one"),
        (("ur5e", "--to", Q, "--times", "1,2"), "times: expected 1, one for each segment, got 2"),
        (("ur5e", "--to", Q, "--times", "0"), "--times: 0 s is too short"),
        (("ur5e", "--to", Q, "--times", "1", "--line"), "--times belongs to a motion in joint space"),
        (("ur5e", "--to", Q, "--speed", "0"), "--speed: 0 % is outside 0.01 … 100 %"),
        (("ur5e", "--to", Q, "--scheme", "best"), "no scheme named 'best'"),
        (("ur5e", "--to", Q, "--scheme", "4-3-4"), "points: scheme '4-3-4' takes four"),
        (("ur5e", "--to", Q, "--line", "--scheme", "cubic"), "no timing named 'cubic'; known: fastest, smooth"),
        (("ur5e", "--to", Q, "--tool-speed", "5"), "--tool-speed belongs to a tool path"),
        (("ur5e", "--to", Q, "--line", "--tool-speed", "nan"), "--tool-speed: nan mm/s is outside"),
        (("ur5e", "--to", Q, "--blend", "5"), "--blend rounds the corners of straight lines"),
        (("ur5e", "--to", Q, "--arc", "1,2"), "--arc: numbers separated by commas are needed: 3; given: 2"),
        (("ur5e", "--to", Q, "--arc", "1,2,3", "--via", Q), "an arc has one intermediate point"),
        (("ur5e", "--to", Q, "--task", "upside"), "'upside' is not one of pose, position"),
        (("ur5e", "--to", Q, "-o", "absent/m.csv"), "there is no folder absent"),
        (("ur5e", "--to", Q, "-o", "m.txt"), "m.txt: the file name must end in .csv, .json, .png"),
        (("ur5e", "--to", Q, "--nonsense"), "no such option: --nonsense"),
    ],
)
def test_wrong_input_gets_one_sentence_and_status_2(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert run(["plan", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1


def test_a_joint_motion_needs_neither_physics_nor_symbols_nor_pictures() -> None:
    code = (
        "import sys; from armlab.cli.main import run\n"
        "assert run(['plan', 'planar2', '--to', '10,20', '--json']) == 0\n"
        "heavy = {'mujoco', 'sympy', 'matplotlib', 'fastapi', 'trimesh', 'armlab.motion.follow.follow', 'armlab.sim'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


CORNER = ("--via", "60,-90,-90,-90,90,0", "--to", "60,-50,-90,-90,90,0")


def _post(folder: Path) -> str:
    """Write a scene with a thin post 10 mm beside the straight joint motion through CORNER; return its path."""
    body = '[[body]]\nname = "post"\nkind = "box"\nsize = [30, 30, 1000]\nxyz = [308, 406, 500]\n'
    path = folder / "post.toml"
    path.write_text(f'schema = 1\nname = "post"\ntitle = "A post"\nsource = "made up for a test"\n\n{body}')
    return str(path)


@pytest.mark.parametrize(
    ("scheme", "touches"), [("linear", False), ("jerk", False), ("smooth", True), ("fastest", True)]
)
def test_a_curve_that_leaves_its_points_for_a_body_is_an_error(
    capsys: Captured, tmp_path: Path, scheme: str, touches: bool
) -> None:
    scene = _post(tmp_path)
    asked = ("ur5e", *CORNER, "--scheme", scheme)
    report = _json(capsys, *asked, "--scene", scene, status=3 if touches else 0)
    contacts = [finding for finding in report["findings"] if finding["code"] == "contact"]
    assert len(contacts) == touches
    for finding in contacts:
        assert {finding["where"]["first"], finding["where"]["second"]} >= {"post"}
        assert 0.0 < finding["where"]["time"] < report["duration"]
    assert not any(finding["code"] == "contact" for finding in _json(capsys, *asked, status=0)["findings"])


def test_an_arm_that_meets_itself_on_the_way_is_an_error_without_a_scene_too(capsys: Captured) -> None:
    report = _json(capsys, "ur5e", "--from", "0,-90,0,0,0,0", "--to", "0,-90,175,0,0,0", status=3)
    (finding,) = (finding for finding in report["findings"] if finding["code"] == "contact")
    assert {finding["where"]["first"], finding["where"]["second"]} <= {f"link_{i}" for i in range(7)} | {"base"}
