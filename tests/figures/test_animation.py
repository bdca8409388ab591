from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from refusals import refused

import armlab
from armlab.errors import InvalidInput, NotSupported
from armlab.figures.animation import MOST_FRAMES, between, demo, save_animation
from armlab.model.robot import Robot


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _files() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


def test_a_gif_has_one_picture_per_row_at_the_asked_rate_on_white_paper() -> None:
    arm = armlab.load("scara")
    rows = np.linspace(arm.home, arm.configuration("stretched"), 5)
    done: list[tuple[int, int]] = []
    save_animation(arm, rows, "move.gif", fps=10, progress=lambda *at: done.append(at))
    assert done == [(k, 5) for k in range(1, 6)]
    assert _files() == ["move.gif"]
    with Image.open("move.gif") as gif:
        assert getattr(gif, "n_frames", 1) == 5
        assert gif.info["duration"] == 100
        assert gif.info["loop"] == 0
        first = np.asarray(gif.convert("RGB")).astype(int)
        gif.seek(4)
        last = np.asarray(gif.convert("RGB")).astype(int)
    assert first[0, 0].tolist() == [255, 255, 255]
    assert (np.abs(first - last).max(axis=2) > 60).sum() > 200


def test_a_gif_of_a_stick_and_of_one_row_is_possible(robot: Robot) -> None:
    save_animation(robot, [robot.home], "one.gif", solid=False, frames=False)
    assert Path("one.gif").read_bytes().startswith(b"GIF89a")


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_an_mp4_is_written_where_ffmpeg_is_installed(robot: Robot) -> None:
    save_animation(robot, np.linspace(robot.lower, robot.upper, 6), "move.mp4")
    assert Path("move.mp4").read_bytes()[4:8] == b"ftyp"
    assert _files() == ["move.mp4"]


def test_without_ffmpeg_mp4_is_refused_in_one_sentence(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with refused("no_ffmpeg", NotSupported, file="move.mp4"):
        save_animation(robot, [robot.home], "move.mp4")
    assert _files() == []


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
def test_an_ffmpeg_that_fails_is_told_and_leaves_nothing(
    robot: Robot, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bin")
    fake = folder / "ffmpeg"
    fake.write_text("#!/bin/sh\ncat > /dev/null\necho no encoder >&2\nexit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    with refused("ffmpeg_failed", NotSupported, file="move.mp4", reason="no encoder"):
        save_animation(robot, [robot.home], "move.mp4")
    assert _files() == []


@pytest.mark.parametrize(
    ("rows", "name", "options", "sentence"),
    [
        (601, "a.gif", {}, "601 rows; at most 600 pictures"),
        (0, "a.gif", {}, "at least one row"),
        (1, "a.avi", {}, r"the file name must end in \.gif, \.mp4"),
        (1, "nowhere/a.gif", {}, "there is no folder nowhere"),
        (1, "a.gif", {"fps": 0}, "fps: 0 is outside 1 … 60"),
    ],
)
def test_wrong_input_gets_one_sentence_and_no_file(
    robot: Robot, rows: int, name: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        save_animation(robot, np.zeros((rows, robot.dof)), name, **options)
    assert _files() == []


def test_a_motion_that_fails_half_way_leaves_no_file(robot: Robot) -> None:
    def stop(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_animation(robot, np.zeros((4, robot.dof)), "a.gif", solid=False, progress=stop)
    assert _files() == []


@pytest.mark.parametrize("name", armlab.robot_names())
def test_the_tour_of_every_arm_starts_and_ends_at_home_and_keeps_its_limits(name: str) -> None:
    arm = armlab.load(name)
    rows = demo(arm)
    np.testing.assert_allclose(rows[[0, -1]], [arm.home, arm.home])
    assert 2 <= len(rows) <= MOST_FRAMES
    assert (rows >= arm.lower - 1e-9).all()
    assert (rows <= arm.upper + 1e-9).all()
    for q in arm.configurations.values():
        assert np.abs(rows - q).max(axis=1).min() < 1e-9


def test_an_arm_without_poses_moves_each_joint_within_its_limits(robot: Robot) -> None:
    bare = Robot(name="bare", joints=robot.joints, links=robot.links, home=robot.home, source="made up for tests")
    rows = demo(bare)
    assert (np.ptp(rows, axis=0) > 0.09).all()
    assert (rows >= bare.lower).all()
    assert (rows <= bare.upper).all()


def test_a_motion_starts_and_stops_gently() -> None:
    rows = between(np.array([[0.0], [1.0]]))[:, 0]
    assert rows[0] == 0.0
    assert rows[-1] == 1.0
    steps = np.diff(rows)
    assert (steps >= 0.0).all()
    assert steps[0] < 0.1 * steps.max()
