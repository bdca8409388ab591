from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.cli.main import run
from armlab.figures import animation, window

Captured = pytest.CaptureFixture[str]
STARTS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder_without_a_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(window, "can_open_window", lambda: False)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Motions of few pictures."""
    monkeypatch.setattr(animation, "MOVE_FRAMES", 2)
    monkeypatch.setattr(animation, "PAUSE", 1)


def _files() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


@pytest.mark.parametrize("suffix", STARTS)
def test_a_picture_has_the_format_that_its_name_asks_for(capsys: Captured, suffix: str) -> None:
    assert run(["view", "planar3", "-o", f"arm{suffix}"]) == 0
    assert Path(f"arm{suffix}").read_bytes().startswith(STARTS[suffix])
    assert _files() == [f"arm{suffix}"]
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith(f"arm{suffix}: planar3 at theta1 30°")
    assert captured.out.count("\n") == 1


def test_without_a_display_a_picture_named_as_the_robot_is_saved_and_that_is_said(capsys: Captured) -> None:
    assert run(["view", "scara", "0", "90", "-50", "0"]) == 0
    assert _files() == ["scara.png"]
    text = capsys.readouterr().out
    assert "no display for a window, so a picture was saved:\nscara.png" in text
    assert "Q2 90°, Z -50 mm" in text


def test_with_a_display_the_window_opens_and_nothing_is_written(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Any, dict[str, bool]]] = []
    monkeypatch.setattr(window, "can_open_window", lambda: True)
    monkeypatch.setattr(window, "open_window", lambda arm, q, **options: opened.append(((arm.name, q), options)))
    assert run(["view", "scara", "--configuration", "stretched", "--stick"]) == 0
    (((name, q), options),) = opened
    assert name == "scara"
    np.testing.assert_allclose(q, armlab.load("scara").configuration("stretched"))
    assert options == {"frames": True, "solid": False}
    assert _files() == []
    assert capsys.readouterr().out == ""


def test_a_named_file_is_written_even_where_a_window_could_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "can_open_window", lambda: True)
    assert run(["view", "planar2", "-o", "arm.png", "--no-frames"]) == 0
    assert _files() == ["arm.png"]


def test_json_tells_what_was_drawn(capsys: Captured) -> None:
    assert run(["view", "ur5e", "--tool", "pen", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    arm = armlab.load("ur5e", tool="pen")
    assert report["robot"] == "ur5e"
    assert report["file"] == "ur5e.png"
    assert report["pictures"] == 1
    assert report["q"] == pytest.approx(np.degrees(arm.home))
    assert report["xyz"] == pytest.approx(arm.fk(arm.home)[:3, 3] * 1e3)
    assert _files() == ["ur5e.png"]


@pytest.mark.usefixtures("quick")
def test_a_gif_goes_through_the_named_configurations_and_back(capsys: Captured) -> None:
    assert run(["view", "planar3", "-o", "arm.gif"]) == 0
    stops = sum(not np.allclose(q, armlab.load("planar3").home) for q in armlab.load("planar3").configurations.values())
    assert capsys.readouterr().out == f"arm.gif: planar3 moving; pictures: {1 + 3 * (stops + 1)}\n"
    assert Path("arm.gif").read_bytes().startswith(b"GIF89a")
    assert _files() == ["arm.gif"]


@pytest.mark.usefixtures("quick")
def test_a_gif_of_given_joints_goes_there_and_back(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run(["view", "planar3", "90", "10", "10", "-o", "arm.gif", "--stick"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "arm.gif: planar3 moving; pictures: 7\n"
    assert "arm.gif" in captured.err  # the progress bar


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
@pytest.mark.usefixtures("quick")
def test_an_mp4_is_written_too() -> None:
    assert run(["view", "planar2", "-o", "arm.mp4", "--stick"]) == 0
    assert Path("arm.mp4").read_bytes()[4:8] == b"ftyp"


def test_joints_outside_their_limits_are_drawn_and_noted(capsys: Captured) -> None:
    assert run(["view", "planar2", "500", "0", "-o", "arm.png"]) == 0
    assert "note: joint 'theta1': 500" in capsys.readouterr().err
    assert _files() == ["arm.png"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ur55",), "no robot named 'ur55'"),
        (("scara", "-o", "arm.jpg"), "arm.jpg: the file name must end in .png, .svg, .pdf, .gif, .mp4"),
        (("scara", "-o", "arm"), "arm: the file name must end in"),
        (("scara", "-o", "nowhere/arm.png"), "there is no folder nowhere"),
        (("scara", "-o", "nowhere/arm.gif"), "there is no folder nowhere"),
        (("scara", "1", "2"), "scara: joint values needed: 4"),
        (("scara", "1", "2", "x", "4"), "joint value: 'x' is not a number"),
        (("scara", "1", "2", "3", "nan"), "not a finite number"),
        (("scara", "--configuration", "nonsense"), "scara: no configuration named 'nonsense'"),
        (
            ("scara", "0", "0", "0", "0", "--configuration", "stretched"),
            "give either joint values or --configuration NAME, not both",
        ),
        (("scara", "--tool", "spoon"), "no tool named 'spoon'"),
        (("scara", "--nonsense"), "no such option"),
    ],
)
def test_wrong_input_gets_one_sentence_and_leaves_no_file(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert run(["view", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert _files() == []


def test_mp4_without_ffmpeg_gets_one_sentence(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert run(["view", "scara", "-o", "arm.mp4"]) == 2
    assert "MP4 needs the program ffmpeg" in capsys.readouterr().err
    assert _files() == []
