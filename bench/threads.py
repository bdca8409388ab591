"""Large batches on all cores, against the same batches on one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import armlab
from armlab.collision import Checker
from armlab.model.scene import Scene
from bench.simulation import obstacles
from bench.timing import Line

ARMS = ("kuka-kr6-r700", "ur5e")
ROWS = 100_000
ROUNDS = 15


def lines() -> Iterator[Line]:
    """Yield one line per kind of batch and arm; the peer is armlab itself on one thread."""
    before, cores = armlab.thread_count(), max(os.cpu_count() or 1, 2)
    for name in ARMS:
        robot = armlab.load(name)
        rng = np.random.default_rng(21)
        q, start = (rng.uniform(robot.lower, robot.upper, (ROWS, robot.dof)) for _ in range(2))
        T = robot.fk(q)
        checker = Checker(Scene.of(robot, bodies=obstacles()))
        calls: tuple[tuple[str, Callable[[], Any]], ...] = (
            ("FK", partial(robot.fk, q)),
            ("Jacobian", partial(robot.jacobian, q)),
            ("IK", partial(armlab.attempt_ik, robot, T, start=start)),
            ("all solutions", partial(armlab.all_ik_batch, robot, T)),
            ("collision", partial(checker.is_free, q)),
        )
        for what, call in calls:
            one, many = _interleaved(call, cores)
            note = f"{one / many:.2f} times as fast"
            yield Line(f"{what}, {ROWS:,} rows, {cores} threads", name, many / ROWS, "one thread", one / ROWS, note)
    armlab.set_threads(before)


def _interleaved(call: Callable[[], Any], cores: int) -> tuple[float, float]:
    """Return the best times on one thread and on `cores`, measured in turn: other programs disturb both alike."""
    times: dict[int, list[float]] = {1: [], cores: []}
    for _ in range(ROUNDS):
        for count, taken in times.items():
            armlab.set_threads(count)
            start = time.perf_counter()
            call()
            taken.append(time.perf_counter() - start)
    return min(times[1]), min(times[cores])
