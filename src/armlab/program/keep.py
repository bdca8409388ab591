"""Keep what a run did: a recording while it happens, turned into a table at the end where one is wanted."""

from __future__ import annotations

import secrets
from pathlib import Path
from types import TracebackType

from armlab.errors import InvalidInput
from armlab.program.scenario import Scenario
from armlab.program.schedule import Leg
from armlab.recording import Recorder, export_csv, export_parquet, read_recording
from armlab.sim.simulation import Simulation
from armlab.sim.state import Run

KINDS = (".mcap", ".csv", ".parquet")
PERIOD = 0.01
"""s: joint states are kept this often, frames five times more rarely."""
FRAME_EVERY = 5


class RunKeeper:
    """Writes the joint states and frames of a scenario to a file; use it in a `with` statement.

    It writes beside the file, and takes its name when the run is over: a run that fails or is stopped leaves nothing.

    Raises:
        InvalidInput: if the name ends otherwise than in one of KINDS, or the file cannot be written.
    """

    def __init__(self, path: Path, scenario: Scenario, structure: str, timestep: float) -> None:
        if path.suffix.lower() not in KINDS:
            raise InvalidInput(f"{path.name}: the name of a recording ends in {', '.join(KINDS)}")
        self._path, self._robot = path, scenario.scene.robot(scenario.robot).robot
        self._every = max(1, round(PERIOD / timestep))
        self._beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.mcap")
        facts = {"scenario": scenario.name, "structure": structure, "timestep": timestep, "seed": 0}
        self._recorder = Recorder(self._beside, self._robot, source=facts)

    def __enter__(self) -> RunKeeper:
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

    def write(self, leg: Leg, run: Run, simulation: Simulation) -> None:
        """Add one leg."""
        del simulation
        chosen = range(0, len(run.time), self._every)
        frames = self._robot.frames(run.q[:: self._every * FRAME_EVERY].copy())
        for k, i in enumerate(chosen):
            pose = frames[k // FRAME_EVERY] if k % FRAME_EVERY == 0 else None
            self._recorder.write(leg.start + float(run.time[i]), run.q[i], run.qd[i], run.tau[i], frames=pose)

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
                    raise InvalidInput(f"{self._path}: cannot be written ({error.strerror})") from None
