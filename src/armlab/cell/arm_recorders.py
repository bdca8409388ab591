"""Recordings of a session with several arms: one buffer and one file for each arm, started and ended together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.events import Event
from armlab.cell.sample_buffer import SampleBuffer
from armlab.cell.session_recorder import SessionRecorder
from armlab.recording.folder import RecordingFolder


class ArmRecorders:
    """The recorders of all arms by name."""

    def __init__(self, folder: RecordingFolder | None, tell: Callable[[Event], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._made: dict[str, SessionRecorder] = {}

    @property
    def is_recording(self) -> bool:
        """Whether any arm is recorded."""
        return any(recorder.samples.is_recording for recorder in self._made.values())

    def of(self, name: str) -> SessionRecorder:
        """Return the recorder of an arm."""
        if name not in self._made:
            self._made[name] = SessionRecorder(name, SampleBuffer(), self._folder, self._tell)
        return self._made[name]

    def begin(self, arms: Mapping[str, ArmRuntime]) -> None:
        """Forget the samples of arms that are not there, or are others now: their recordings end, their files stay."""
        for name in [name for name in self._made if name not in arms]:
            self._made.pop(name).close()
        for name, arm in arms.items():
            recorder = self.of(name)
            if not recorder.samples.is_of(arm.robot):
                recorder.stop()
                recorder.samples.begin(arm.robot)

    def record(self, arms: Mapping[str, ArmRuntime], time: float, *, on: bool) -> None:
        """Start the recordings of all arms at a session's time (s), or end them."""
        for name, arm in arms.items():
            if on:
                self.of(name).start(arm.robot, time, is_alone=len(arms) == 1)
            else:
                self.of(name).stop()

    def flush(self) -> None:
        """Write the samples that wait to the disk."""
        for recorder in self._made.values():
            recorder.flush()

    def close(self) -> None:
        """The session ends: finish the files, and forget the samples."""
        for recorder in self._made.values():
            recorder.close()
            recorder.samples.clear()
