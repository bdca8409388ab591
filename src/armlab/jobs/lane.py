"""Lanes: queues beside each other, so that what takes long holds up nothing that is short."""

from __future__ import annotations

import os
from dataclasses import dataclass

GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Lane:
    """A queue of jobs: how many run at the same time, and what each may use."""

    name: str
    at_once: int
    cpu_s: float | None = None
    """Seconds of computing, on all cores together; None: no bound."""
    memory: int | None = None
    """Bytes on top of what a process has that computes nothing; None: no bound. Only Linux bounds it."""
    is_process: bool = True
    """Whether each job has a process of its own; otherwise it runs in a thread and ends at its next `tell`."""
    is_warm: bool = True
    """Whether its processes begin with the modules that `preload` names."""
    most_of_owner: int = 64
    """Jobs of one owner that may wait or run at the same time."""


_CORES = os.cpu_count() or 1

ASKED = Lane("asked", at_once=max(2, _CORES), cpu_s=10.0, memory=2 * GIGABYTE)
"""What a person waits for: checks, maps, searches."""
STUDY = Lane("study", at_once=max(1, _CORES // 2), cpu_s=60.0, memory=4 * GIGABYTE)
"""What a person comes back to: volumes, comparisons, calibrations."""
UPLOAD = Lane("upload", at_once=2, cpu_s=60.0, memory=4 * GIGABYTE)
"""Files that somebody sends."""
COMMAND = Lane("command", at_once=256, is_process=False)
"""Commands of sessions that take longer than a tick: a session has one at a time."""
COMPILE = Lane("compile", at_once=_CORES, is_warm=False)
"""Kernels that are compiled: nothing bounds how long that takes."""
