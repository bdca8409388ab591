"""What a session did: rows of numbers in memory, from which files are made when somebody asks for one."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.recording.recording import QUANTITIES, Recording
from armlab.sim.state import SimState

LONGEST = 120_000
"""Rows of a recording: more than half an hour at 60 a second; then it ends."""
RECENT = 3_600
"""Rows that are kept without being asked to: the last minute."""
MEASURED = 19
"""Numbers of a row besides the joints': joint gap (m), kinetic and potential energy (J), the tool's pose (4, 4)."""


class Rows(NamedTuple):
    """Time (m,), what all joints did and were told to do (m, 8, n), and the `SIGNALS` (m, 9), SI."""

    t: Floats
    joints: Floats
    signals: Floats

    @property
    def q(self) -> Floats:
        """Where the joints were, (m, n)."""
        return np.ascontiguousarray(self.joints[:, QUANTITIES.index("q")])

    @property
    def command(self) -> Floats:
        """Where the joints were told to be, (m, n)."""
        return np.ascontiguousarray(self.joints[:, QUANTITIES.index("command_q")])

    def recording(self, robot: Robot) -> Recording:
        """Return the rows as a recording of an arm, from time 0."""
        return Recording.of(robot, self.t - self.t[:1], self.joints, {"program": "workbench"}, self.signals)


def measured_in(state: SimState) -> Floats:
    """Return what a row holds of a state besides the joints, (19,): quick, for it is asked for 60 times a second."""
    row = np.empty(MEASURED)
    energy = state.energy
    row[0] = state.gap
    row[1], row[2] = (np.nan, np.nan) if energy is None else energy  # a hierarchy knows no energy
    row[3:] = state.frames[-1].ravel()
    return row


def signals_of(measured: Floats) -> Floats:
    """Return the `SIGNALS` (…, 9) of `measured` (…, 19)."""
    T_world_tool = measured[..., 3:].reshape(*measured.shape[:-1], 4, 4)
    return np.concatenate([measured[..., :3], T_world_tool[..., :3, 3], pose.as_abc(T_world_tool)], axis=-1)


class SampleBuffer:
    """The last minute always, and as long as a recording runs, all of it; read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: list[tuple[float, Floats, Floats]] = []
        self._arm: tuple[str, ...] = ()
        self._is_kept = False
        self.is_recording = False

    @property
    def is_full(self) -> bool:
        """Whether a recording has reached its longest."""
        return self.is_recording and len(self._rows) >= LONGEST

    @property
    def duration(self) -> float:
        """How long it is from the first row to the last (s)."""
        with self._lock:
            return self._rows[-1][0] - self._rows[0][0] if self._rows else 0.0

    def is_of(self, robot: Robot) -> bool:
        """Tell whether the rows are of this arm, whatever its lengths and limits."""
        return self._arm == _arm_of(robot)

    def begin(self, robot: Robot) -> None:
        """Forget the rows of another arm; for the same one they go on."""
        if not self.is_of(robot):
            self.clear()
            self._arm = _arm_of(robot)

    def record(self, *, on: bool) -> None:
        """Start a recording, which forgets what was before it, or end it."""
        if on and not self.is_recording:
            self.clear()
        self.is_recording, self._is_kept = on, self._is_kept or on

    def write(self, time: float, joints: Floats, measured: Floats) -> None:
        """Add a row: joints (8, n) as states have them, and what was `measured_in` the state.

        After a recording has ended, nothing is added until the next begins or the rows are cleared.
        """
        if self._is_kept and not self.is_recording:
            return
        with self._lock:
            self._rows.append((time, joints, measured))
            if not self.is_recording and len(self._rows) > RECENT + RECENT // 10:
                del self._rows[: len(self._rows) - RECENT]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._rows = []
            self._is_kept = False
            self.is_recording = False

    def rows(self) -> Rows:
        """Return all rows."""
        with self._lock:
            rows = list(self._rows)
        if not rows:
            return Rows(np.zeros(0), np.zeros((0, len(QUANTITIES), max(len(self._arm) - 1, 0))), np.zeros((0, 9)))
        t, joints, measured = (np.array(column) for column in zip(*rows, strict=True))
        return Rows(t, joints, signals_of(measured))


def _arm_of(robot: Robot) -> tuple[str, ...]:
    return (robot.name, *(joint.name for joint in robot.joints))
