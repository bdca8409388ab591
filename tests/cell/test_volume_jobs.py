"""Volumes are computed beside everything else: once per arm, and no longer than somebody asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from armlab import catalog
from armlab.cell.volume_jobs import PATIENCE_S, Abandoned, VolumeJobs, VolumeState
from armlab.kinematics.reach_volume import ReachVolume, reach_volume
from armlab.model.robot import Robot

FAR = 1000
"""More steps than any test waits for."""


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def small(robot: Robot, progress: Callable[[int, int], Any]) -> ReachVolume:
    return reach_volume(robot, cells=8, samples=1000, progress=progress)


def until_done(jobs: VolumeJobs, robot: Robot) -> VolumeState:
    done = threading.Event()
    while (state := jobs.ask(robot)).volume is None:
        done.wait(0.005)
    return state


def test_a_volume_is_computed_once_and_another_arm_has_its_own() -> None:
    computed: list[str] = []

    def compute(robot: Robot, progress: Callable[[int, int], Any]) -> ReachVolume:
        computed.append(robot.name)
        return small(robot, progress)

    jobs = VolumeJobs(compute)
    one, other = catalog.load("planar2"), catalog.load("planar3")
    first = until_done(jobs, one)
    assert first.done == first.total
    assert until_done(jobs, other).volume is not first.volume
    assert jobs.ask(one).volume is first.volume
    assert computed == ["planar2", "planar3"]


def test_work_that_nobody_asks_for_is_given_up_and_begun_again_when_somebody_does() -> None:
    clock, started, begun = Clock(), threading.Event(), []
    may_go_on, ended = threading.Event(), threading.Event()

    def compute(robot: Robot, progress: Callable[[int, int], Any]) -> ReachVolume:
        begun.append(robot.name)
        if len(begun) > 1:
            return small(robot, progress)
        started.set()
        may_go_on.wait()
        try:
            for done in range(FAR):
                progress(done, FAR)
        finally:
            ended.set()
        raise AssertionError("nobody asked, and it went on")

    jobs, robot = VolumeJobs(compute, clock), catalog.load("planar2")
    assert jobs.ask(robot).volume is None
    started.wait()
    clock.now = 2.0 * PATIENCE_S
    may_go_on.set()
    ended.wait()
    assert until_done(jobs, robot).volume is not None
    assert len(begun) == 2


def test_work_that_is_given_up_while_somebody_asks_is_no_failure() -> None:
    def compute(_robot: Robot, progress: Callable[[int, int], Any]) -> ReachVolume:
        del progress
        raise Abandoned

    jobs, robot = VolumeJobs(compute), catalog.load("planar2")
    for _ in range(50):
        assert jobs.ask(robot).volume is None


def test_all_work_ends_when_the_server_stops() -> None:
    started, ended = threading.Event(), threading.Event()

    def compute(_robot: Robot, progress: Callable[[int, int], Any]) -> ReachVolume:
        started.set()
        try:
            while True:
                progress(0, FAR)
        finally:
            ended.set()

    jobs = VolumeJobs(compute, Clock())
    jobs.ask(catalog.load("planar2"))
    started.wait()
    jobs.abandon()
    assert ended.wait(60.0)
