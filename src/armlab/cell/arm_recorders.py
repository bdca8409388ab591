"""Recordings of a session with several arms: one buffer and one file for each arm, started and ended together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from armlab.cell.events import Event, RecordingReport
from armlab.cell.sample_buffer import SampleBuffer
from armlab.cell.session_recorder import SessionRecorder
from armlab.model.robot import Robot
from armlab.recording.folder import RecordingFolder


class ArmRecorders:
    """The recorders of all arms by name; pages are told of the selected arm's alone."""

    def __init__(self, folder: RecordingFolder | None, tell: Callable[[Event], None], selected: str) -> None:
        self.selected = selected
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
            self._made[name] = SessionRecorder(SampleBuffer(), self._folder, lambda event: self._pass_on(name, event))
        return self._made[name]

    def begin(self, robots: Iterable[tuple[str, Robot]]) -> None:
        """Forget the samples of arms that are not there, or are others now: their recordings end, their files stay."""
        known = dict(robots)
        for name in [name for name in self._made if name not in known]:
            self._made.pop(name).close()
        for name, robot in known.items():
            recorder = self.of(name)
            if not recorder.samples.is_of(robot):
                recorder.stop()
                recorder.samples.begin(robot)

    def record(self, robots: Iterable[tuple[str, Robot]], time: float, *, on: bool) -> None:
        """Start the recordings of all arms at a session's time (s), or end them."""
        known = list(robots)
        for name, robot in known:
            if on:
                self.of(name).start(robot, time, "" if len(known) == 1 else name)
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

    def _pass_on(self, name: str, event: Event) -> None:
        if name == self.selected or not isinstance(event, RecordingReport):
            self._tell(event)
