"""Record what a run did: a recording while it happens, turned into a table at the end where one is wanted."""

from __future__ import annotations

import secrets
from pathlib import Path
from types import TracebackType

import numpy as np

from armlab.errors import InvalidInput
from armlab.files import checked_suffix
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.program.executor import Piece
from armlab.recording import Recorder, export_csv, export_parquet, read_recording
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun

KINDS = (".mcap", ".csv", ".parquet")
PERIOD = 0.01
"""s: joint states are written this often, frames five times more rarely."""
FRAME_EVERY = 5


class RunRecorder:
    """Writes the joint states and frames of a run to a file; use it in a `with` statement.

    It writes beside the file, and takes its name when the run is over: a run that fails or is stopped leaves nothing.

    Raises:
        InvalidInput: if the name ends otherwise than in one of KINDS, or the file cannot be written.
    """

    def __init__(self, path: Path, robot: Robot, name: str, structure: str, timestep: float) -> None:
        """Record what `robot` does in a scenario or program of that name."""
        checked_suffix(path, KINDS)
        self._path, self._robot = path, robot
        self._every = max(1, round(PERIOD / timestep))
        self._beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.mcap")
        facts = {"scenario": name, "structure": structure, "timestep": timestep, "seed": 0, "quality": "simulated"}
        self._recorder = Recorder(self._beside, self._robot, source=facts)

    def __enter__(self) -> RunRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._recorder.close()
            if error is None:
                self._finish()
        finally:
            self._beside.unlink(missing_ok=True)

    def write(self, piece: Piece, run: SimRun, simulation: Simulation) -> None:
        """Add what happened in one piece."""
        del simulation
        every, recorded = self._every, run.recording
        frames = self._robot.frames(np.ascontiguousarray(recorded.q[:: every * FRAME_EVERY]))
        for k, i in enumerate(range(0, len(recorded.t), every)):
            poses = frames[k // FRAME_EVERY] if k % FRAME_EVERY == 0 else None
            self._recorder.write_joints(piece.start + float(recorded.t[i]), recorded.joints[i], poses)

    def _finish(self) -> None:
        match self._path.suffix.lower():
            case ".csv":
                export_csv(read_recording(self._beside), self._path)
            case ".parquet":
                export_parquet(read_recording(self._beside), self._path)
            case _:
                try:
                    self._beside.replace(self._path)
                except OSError as error:
                    unwritable = InvalidInput(
                        "file_unwritable", _("cannot be written ({reason})"), reason=error.strerror
                    )
                    raise unwritable.within(str(self._path)) from None
