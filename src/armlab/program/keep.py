"""Keep what a run did: a recording while it happens, turned into a table at the end where one is wanted."""

from __future__ import annotations

import tempfile
from pathlib import Path

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
    """Writes the joint states and frames of a scenario to a file; without a path it does nothing."""

    def __init__(self, path: Path | None, scenario: Scenario, structure: str, timestep: float) -> None:
        self._path, self._robot = path, scenario.scene.robot(scenario.robot).robot
        self._recorder: Recorder | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._every = max(1, round(PERIOD / timestep))
        if path is None:
            return
        if path.suffix.lower() not in KINDS:
            raise InvalidInput(f"{path.name}: the name of a recording ends in {', '.join(KINDS)}")
        target = path
        if path.suffix.lower() != ".mcap":
            self._folder = tempfile.TemporaryDirectory()
            target = Path(self._folder.name) / "run.mcap"
        facts = {"scenario": scenario.name, "structure": structure, "timestep": timestep, "seed": 0}
        self._recorder = Recorder(target, self._robot, source=facts, overwrite=True)

    def write(self, leg: Leg, run: Run, simulation: Simulation) -> None:
        """Add one leg."""
        del simulation
        if self._recorder is None:
            return
        chosen = range(0, len(run.time), self._every)
        frames = self._robot.frames(run.q[:: self._every * FRAME_EVERY].copy())
        for k, i in enumerate(chosen):
            pose = frames[k // FRAME_EVERY] if k % FRAME_EVERY == 0 else None
            self._recorder.write(leg.start + float(run.time[i]), run.q[i], run.qd[i], run.tau[i], frames=pose)

    def close(self) -> None:
        """Write the rest."""
        if self._recorder is None or self._path is None:
            return
        self._recorder.close()
        if self._folder is not None:
            recording = read_recording(Path(self._folder.name) / "run.mcap")
            export = export_csv if self._path.suffix.lower() == ".csv" else export_parquet
            export(recording, self._path)
            self._folder.cleanup()
