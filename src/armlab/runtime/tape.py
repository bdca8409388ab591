"""What a session did: rows of numbers in memory, from which files are made when somebody asks for one."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.model.robot import Robot

LONGEST = 120_000
"""Rows: more than half an hour at 60 a second; then the oldest go."""
RECENT = 3_600
"""Rows that are kept without being asked to: the last minute."""
KINDS = 8
"""Rows of joint values: positions, speeds, accelerations and efforts, as they are and as they are commanded."""


class Rows(NamedTuple):
    """Time (m,), and what all joints did, and were told to do (m, n), SI."""

    t: Floats
    q: Floats
    qd: Floats
    qdd: Floats
    tau: Floats
    command: Floats
    command_qd: Floats
    command_qdd: Floats
    command_tau: Floats


class Tape:
    """The last minute always, and as long as a recording runs, all of it; read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: list[tuple[float, Floats]] = []
        self._dof = 0
        self._is_kept = False
        self.is_recording = False

    def begin(self, robot: Robot) -> None:
        """Start a new tape for an arm with other joints; for the same number of joints it goes on."""
        if robot.dof != self._dof:
            self.clear()
            self._dof = robot.dof

    def record(self, *, on: bool) -> None:
        """Start a recording, which forgets what was before it, or end it."""
        if on and not self.is_recording:
            self.clear()
        self.is_recording, self._is_kept = on, self._is_kept or on

    def write(self, time: float, joints: Floats) -> None:
        """Add a row, joints (8, n) as states have them.

        After a recording has ended, nothing is added until the next begins or the tape is cleared.
        """
        if self._is_kept and not self.is_recording:
            return
        with self._lock:
            self._rows.append((time, joints))
            most = LONGEST if self.is_recording else RECENT
            if len(self._rows) > most + RECENT // 10:
                del self._rows[: len(self._rows) - most]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._rows = []
            self._is_kept = False
            self.is_recording = False

    def rows(self) -> Rows:
        """Return what is on the tape."""
        with self._lock:
            rows = list(self._rows)
        data = np.array([row for _, row in rows]).reshape(-1, KINDS, self._dof)
        return Rows(np.array([t for t, _ in rows]), *(np.ascontiguousarray(data[:, k]) for k in range(KINDS)))
