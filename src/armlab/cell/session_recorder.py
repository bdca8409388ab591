"""The recording of a session: in memory for plots and replay, and on disk while it runs, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.cell.events import Event, Notice, RecordingReport
from armlab.cell.sample_buffer import SampleBuffer, measured_in, signals_of
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.recording.folder import RecordingFolder, RunningRecording
from armlab.sim.state import SimState

FRAME_EVERY = 3
"""Frames of links are written with every third sample."""


class Unwritten(NamedTuple):
    """A sample on its way to the disk."""

    time: float
    joints: Floats
    measured: Floats
    frames: Floats | None


class SessionRecorder:
    """Starts and ends recordings; `take` is quick, and `flush`, which writes to the disk, is called outside the turn.

    Without a folder, or when the disk refuses, the recording is in memory only, and pages are told.
    """

    def __init__(
        self, arm: str, samples: SampleBuffer, folder: RecordingFolder | None, tell: Callable[[Event], None]
    ) -> None:
        self._arm = arm
        self.samples = samples
        self._folder = folder
        self._tell = tell
        self._file: RunningRecording | None = None
        self._unwritten: list[Unwritten] = []
        self._count = 0
        self._report = RecordingReport(arm=arm, is_running=False)

    @property
    def report(self) -> RecordingReport:
        """What pages are told: whether a recording runs, since when, and where its file is."""
        return self._report

    def start(self, robot: Robot, time: float, *, is_alone: bool = True) -> None:
        """Start a recording at a session's time (s); one that runs already goes on.

        Where there are several arms, its file says what this one is called.
        """
        if self.samples.is_recording:
            return
        self.samples.record(on=True)
        self._unwritten, self._count = [], 0
        arm = "" if is_alone else self._arm
        try:
            facts = {"program": "workbench", "quality": "simulated"} | ({"arm": arm} if arm else {})
            self._file = None if self._folder is None else self._folder.start(robot, facts, arm)
        except ArmlabError as error:
            self._go_on_in_memory(error)
        path = None if self._file is None else self._file.path
        self._report = RecordingReport(
            arm=self._arm,
            is_running=True,
            started=time,
            name=None if path is None else path.name,
            path=None if path is None else str(path),
        )
        self._tell(self._report)

    def stop(self) -> None:
        """End the recording, finish its file, and tell where it is."""
        if not self.samples.is_recording:
            return
        self.samples.record(on=False)
        self._close()
        self._report = self._report.model_copy(update={"is_running": False, "duration": self.samples.duration})
        self._tell(self._report)

    def take(self, time: float, joints: Floats, state: SimState) -> None:
        """Add a sample: joint values (8, n) at a session's time, and the state that they come from."""
        measured = measured_in(state)
        self.samples.write(time, joints, measured)
        if self._file is not None:
            frames = state.frames if self._count % FRAME_EVERY == 0 else None
            self._unwritten.append(Unwritten(time - (self._report.started or 0.0), joints, measured, frames))
            self._count += 1
        if self.samples.is_full:
            self._tell(Notice(message=Message("recording_full", _("the recording has reached its longest and ended"))))
            self.stop()

    def flush(self) -> None:
        """Write the samples that wait to the disk."""
        try:
            self._write_waiting()
        except ArmlabError as error:
            self._close()
            self._go_on_in_memory(error)
            self._report = self._report.model_copy(update={"name": None, "path": None})
            self._tell(self._report)

    def close(self) -> None:
        """The session ends: finish the file of a recording that still runs, without telling anybody."""
        self._close()

    def _close(self) -> None:
        try:
            self._write_waiting()
            if self._file is not None:
                self._file.close()
        except ArmlabError as error:
            self._go_on_in_memory(error)
        finally:
            self._file = None

    def _write_waiting(self) -> None:
        waiting, self._unwritten = self._unwritten, []
        if self._file is None:
            return
        for time, joints, measured, frames in waiting:
            self._file.write(time, joints, signals_of(measured), frames)

    def _go_on_in_memory(self, error: ArmlabError) -> None:
        text = _("the recording is kept in memory only: {reason}")
        self._tell(Notice(message=Message("recording_in_memory", text, reason=error.message)))
