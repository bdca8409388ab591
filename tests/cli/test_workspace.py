from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from refusals import refused

from armlab.cli.main import run
from armlab.errors import InvalidInput
from armlab.figures.workspace import check_figure_path, draw_reach, save_figure

Captured = pytest.CaptureFixture[str]
SMALL = ("--cells", "24")
STARTS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _report(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert run(["workspace", *arguments, *SMALL, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    report = json.loads(captured.out)
    assert isinstance(report, dict)
    return report


@pytest.mark.parametrize("suffix", STARTS)
def test_a_map_is_drawn_in_the_format_that_the_name_asks_for(capsys: Captured, suffix: str) -> None:
    assert run(["workspace", "planar3", "-o", f"map{suffix}", *SMALL]) == 0
    assert Path(f"map{suffix}").read_bytes().startswith(STARTS[suffix])
    assert [path.name for path in Path.cwd().iterdir()] == [f"map{suffix}"]
    text = capsys.readouterr().out
    assert text.startswith(f"map{suffix}: planar3, plane xy")
    assert " reached" in text
    assert text.count("\n") == 1


def test_the_same_map_gives_the_same_file() -> None:
    for suffix in STARTS:
        for name in ("a", "b"):
            assert run(["workspace", "scara", "-o", f"{name}{suffix}", *SMALL]) == 0
        assert Path(f"a{suffix}").read_bytes() == Path(f"b{suffix}").read_bytes()


def test_json_tells_the_numbers_of_a_reach_map(capsys: Captured) -> None:
    report = _report(capsys, "kuka-kr6-r900", "--plane", "xz")
    assert report["robot"] == "kuka-kr6-r900"
    assert report["kind"] == "reach"
    assert report["section"] is True
    assert report["file"] == "kuka-kr6-r900-workspace.png"
    assert Path(report["file"]).is_file()
    left, right, bottom, top = report["extent"]
    assert max(report["cells"]) == 24
    assert (right - left) == pytest.approx(report["cells"][0] * report["cell"], abs=1e-3)
    assert (top - bottom) == pytest.approx(report["cells"][1] * report["cell"], abs=1e-3)
    assert 0 < report["area"] < report["reached"] * report["cell"] ** 2
    assert "max_solutions" not in report


def test_json_tells_the_numbers_of_a_branch_atlas(capsys: Captured) -> None:
    report = _report(capsys, "kuka-kr6-r900", "--branches", "--plane", "xy", "--at", "300", "--abc", "0", "90", "0")
    assert report["kind"] == "branches"
    assert report["at"] == 300
    assert report["abc"] == pytest.approx([0, 90, 0])
    assert 2 <= report["max_solutions"] <= 8
    counts = {int(k): n for k, n in report["cells_by_solutions"].items()}
    assert sum(counts.values()) == report["cells"][0] * report["cells"][1]
    assert sum(n for k, n in counts.items() if k) == report["reached"]
    assert max(counts) == report["max_solutions"]


def test_a_tool_makes_the_map_larger(capsys: Captured) -> None:
    bare, tooled = _report(capsys, "ur5e"), _report(capsys, "ur5e", "--tool", "pen")
    assert tooled["area"] > bare["area"]


def test_a_person_at_a_terminal_sees_a_progress_bar(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(["workspace", "scara", *SMALL]) == 0
    captured = capsys.readouterr()
    assert "scara: workspace" in captured.err
    assert "scara-workspace.png" in captured.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("workspace", "ur55"), "no robot named 'ur55'"),
        (("workspace", "scara", "-o", "map.jpg"), "map.jpg: the file name must end in .png, .svg, .pdf"),
        (("workspace", "scara", "-o", "map"), "map: the file name must end in"),
        (("workspace", "scara", "-o", "nowhere/map.png"), "there is no folder nowhere"),
        (("workspace", "scara", "--cells", "7"), "cells: 7 is outside 8…1000"),
        (("workspace", "scara", "--cells", "0"), "cells: 0 is outside 8…1000"),
        (("workspace", "scara", "--cells", "1001"), "cells: 1001 is outside 8…1000"),
        (("workspace", "scara", "--plane", "zx"), "'zx' is not one of"),
        (("workspace", "scara", "--at", "10"), "add --branches"),
        (("workspace", "scara", "--branches", "--at", "nan"), "at: nan is not a finite number"),
        (("workspace", "planar2", "--branches"), "planar2 has 2 axes"),
    ],
)
def test_wrong_input_gets_one_sentence_and_leaves_no_file(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert list(Path.cwd().iterdir()) == []


def test_a_folder_in_the_way_or_a_full_disk_leaves_nothing_half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    import armlab
    from armlab.kinematics.workspace import reach_map

    Path("map.png").mkdir()
    with refused("is_a_folder", InvalidInput, file="map.png"):
        check_figure_path("map.png")
    figure = draw_reach(reach_map(armlab.load("scara"), cells=8, samples=1000))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with refused("file_unwritable", InvalidInput, reason="No space left on device", where="other.svg"):
        save_figure(figure, "other.svg")
    assert [path.name for path in Path.cwd().iterdir()] == ["map.png"]
