"""A folder of recordings: each is written as it happens, made whole after a crash, and old ones make room for new."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from mcap.exceptions import McapError
from mcap.reader import make_reader

from armlab.arrays import Floats
from armlab.errors import InvalidInput, UnknownName
from armlab.model.robot import Robot
from armlab.recording.mcap_write import MAGIC, cannot_write
from armlab.recording.reader import read_recording, recover, recovered_bytes
from armlab.recording.recorder import Recorder

MOST_FILES = 50
MOST_BYTES = 2_000_000_000
"""Of all recordings of a folder together; the oldest go first."""
STAMP = "%Y-%m-%d_%H-%M-%S"

_NAME = re.compile(r"(\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d)_(.+)\.mcap")


class SavedRecording(NamedTuple):
    """A recording in the folder."""

    name: str
    """Of the file."""
    robot: str
    started: datetime
    """In the time zone of this machine."""
    size: int
    """Bytes."""
    duration: float | None
    """s; None while it is running."""


class RunningRecording:
    """A recording that is being written; while it is, nobody else touches its file."""

    def __init__(self, path: Path, robot: Robot, source: Mapping[str, Any]) -> None:
        self.path = path
        self._recorder = Recorder(path, robot, source=source)
        self._lock = _locked(path)

    def write(self, time: float, joints: Floats, signals: Floats, frames: Floats | None) -> None:
        """Add one sample, as `Recorder.write_joints`; time (s) from the start of the recording."""
        self._recorder.write_joints(time, joints, frames, signals)

    def close(self) -> None:
        """Finish the file; a second call does nothing."""
        try:
            self._recorder.close()
        finally:
            if self._lock is not None:
                self._lock.close()


class RecordingFolder:
    """Recordings named by the time they started and their arm: `2026-03-01_14-05-09_ur5e.mcap`.

    What a killed process has left is made whole when somebody first asks for it.
    """

    def __init__(self, folder: Path, *, most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self._most_files, self._most_bytes = most_files, most_bytes
        self._guard = threading.Lock()

    def start(self, robot: Robot, source: Mapping[str, Any], arm: str = "") -> RunningRecording:
        """Start a recording; the oldest ones go where there are too many.

        Of several arms, `arm` is what this one is called: it becomes a part of the file's name.

        Raises:
            InvalidInput: if it cannot be written.
        """
        with self._guard:
            try:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise cannot_write(self.folder, error) from None
            self._make_room()
            plain = "".join(letter if letter.isalnum() else "-" for letter in arm).strip("-")
            return RunningRecording(self._free_path(f"{robot.name}_{plain}" if plain else robot.name), robot, source)

    def saved(self) -> list[SavedRecording]:
        """Return all recordings, the newest first; those that were cut off are made whole."""
        with self._guard:
            for path in self._paths():
                _make_whole(path)
            return [_described(path) for path in reversed(self._paths())]

    def path(self, name: str) -> Path:
        """Return the file of a recording.

        Raises:
            UnknownName: if there is none of that name.
        """
        with self._guard:
            known = {path.name: path for path in self._paths()}
            if name not in known:
                raise UnknownName("recording", name, known)
            _make_whole(known[name])
            return known[name]

    def content(self, name: str) -> bytes:
        """Return a recording as it is written, with all that is in it; of one that runs, what is written so far.

        Raises:
            UnknownName: if there is none of that name.
        """
        path = self.path(name)
        return path.read_bytes() if _is_whole(path) else recovered_bytes(path)

    def _paths(self) -> list[Path]:
        """Return our files, the oldest first."""
        return sorted(path for path in self.folder.glob("*.mcap") if _NAME.fullmatch(path.name))

    def _free_path(self, robot: str) -> Path:
        stamp = datetime.now().astimezone().strftime(STAMP)
        names = (f"{stamp}_{robot}.mcap", *(f"{stamp}_{robot}-{k}.mcap" for k in range(2, 1000)))
        return next(path for name in names if not (path := self.folder / name).exists())

    def _make_room(self) -> None:
        """Remove the oldest, so that one more does not make too many; what is being written stays."""
        paths = self._paths()
        sizes = {path: path.stat().st_size for path in paths}
        count, total = len(paths), sum(sizes.values())
        for path in paths:
            if count < self._most_files and total < self._most_bytes:
                return
            if _is_running(path):
                continue
            with suppress(OSError):
                path.unlink()
                count, total = count - 1, total - sizes[path]


def _described(path: Path) -> SavedRecording:
    found = _NAME.fullmatch(path.name)
    assert found is not None
    started = datetime.strptime(found[1], STAMP).astimezone()
    return SavedRecording(path.name, found[2], started, path.stat().st_size, _duration(path))


def _duration(path: Path) -> float | None:
    """Return how long a whole recording is (s), from its summary."""
    try:
        with path.open("rb") as stream:
            summary = make_reader(stream).get_summary()
    except (OSError, McapError):
        return None
    statistics = None if summary is None else summary.statistics
    return None if statistics is None else (statistics.message_end_time - statistics.message_start_time) * 1e-9


def _is_whole(path: Path) -> bool:
    with path.open("rb") as stream:
        if stream.seek(0, os.SEEK_END) < 2 * len(MAGIC):
            return False
        stream.seek(-len(MAGIC), os.SEEK_END)
        return stream.read() == MAGIC


def _make_whole(path: Path) -> None:
    """Finish a file that a killed process left behind; one without a single sample goes."""
    try:
        if _is_whole(path) or _is_running(path):
            return
        beside = path.with_name(f".{path.name}")
        beside.unlink(missing_ok=True)
        recover(path, beside)
        if len(read_recording(beside).t):
            beside.replace(path)
        else:
            beside.unlink()
            path.unlink()
    except (OSError, InvalidInput):  # in use, or not a recording: it stays as it is
        return


def _locked(path: Path) -> BinaryIO | None:
    """Return `path` opened and locked until it is closed; None if somebody else has it locked.

    Windows has no such locks: there a file that is being written cannot be replaced or removed.
    """
    stream = path.open("rb")
    if os.name == "posix":
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            return None
    return stream


def _is_running(path: Path) -> bool:
    stream = _locked(path)
    if stream is None:
        return True
    stream.close()
    return False
