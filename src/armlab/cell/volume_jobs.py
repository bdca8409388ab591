"""Reach volumes, computed one at a time beside the sessions: kept by arm, and given up when nobody asks any more."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from armlab.kinematics.reach_volume import ReachVolume, reach_volume
from armlab.model.robot import Robot

KEPT = 12
PATIENCE_S = 5.0
"""A volume that nobody has asked for during this time is not computed any further."""
GIVE_WAY_S = 0.004
"""After each piece of work the sessions' threads go first."""


class Abandoned(Exception):
    """Nobody asks for the volume any more."""


class VolumeState(NamedTuple):
    """How much of the work is done, and what came out when all is."""

    done: int
    total: int
    volume: ReachVolume | None


class _Job:
    def __init__(self, robot: Robot, now: float) -> None:
        self.robot = robot
        self.asked = now
        self.done, self.total = 0, 1
        self.result: Future[ReachVolume] | None = None


class VolumeJobs:
    """The volumes of arms; an arm is a frozen value, so a changed one is another."""

    def __init__(
        self,
        compute: Callable[..., ReachVolume] = reach_volume,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Compute with `compute`; `clock` tells the time (s)."""
        self._compute, self._clock = compute, clock
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Robot, _Job] = OrderedDict()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="volume")

    def ask(self, robot: Robot) -> VolumeState:
        """Return how far the volume of an arm is; the first question starts the work."""
        with self._lock:
            job = self._jobs.get(robot)
            if job is None or (job.result is not None and job.result.done() and _is_abandoned(job.result)):
                job = self._jobs[robot] = _Job(robot, self._clock())
                job.result = self._pool.submit(self._run, job)
            job.asked = self._clock()
            self._jobs.move_to_end(robot)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        assert job.result is not None
        is_there = job.result.done() and not _is_abandoned(job.result)  # given up just now: the next question begins it
        return VolumeState(job.done, job.total, job.result.result() if is_there else None)

    def abandon(self) -> None:
        """Give up all work at its next piece: the server stops, and nobody asks any more."""
        with self._lock:
            for job in self._jobs.values():
                job.asked = -math.inf

    def _run(self, job: _Job) -> ReachVolume:
        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total
            if self._clock() - job.asked > PATIENCE_S:
                raise Abandoned
            time.sleep(GIVE_WAY_S)

        return self._compute(job.robot, progress=progress)


def _is_abandoned(result: Future[ReachVolume]) -> bool:
    return isinstance(result.exception(), Abandoned)
