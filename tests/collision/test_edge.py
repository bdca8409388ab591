"""Straight motions that are proved free: against many samples of the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from planning.scenes import crowded, free_places
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.errors import InvalidInput
from armlab.kernels.collision.edge import TOUCH
from armlab.model.scene import Scene

ARMS = ["ur5e", "franka-panda", "kuka-kr6-r900", "scara"]
CLEARANCE = 0.003


def _between(a: Floats, b: Floats, step: float) -> Floats:
    count = int(np.ceil(np.abs(b - a).max() / step)) + 1
    return np.asarray(a + np.linspace(0.0, 1.0, count)[:, None] * (b - a))


@pytest.mark.parametrize("name", ARMS)
def test_a_motion_is_free_or_a_sample_of_it_is_too_near(name: str) -> None:
    robot = armlab.load(name)
    scene = crowded(robot)
    checker, alone = Checker(scene), Checker(Scene.of(robot))
    q = free_places(scene, 60, seed=3, clearance=CLEARANCE + TOUCH)
    # near ones and far ones
    ends = np.where(np.arange(30)[:, None] % 2 == 0, q[:30] + 0.3 * np.sign(q[30:] - q[:30]), q[30:])
    ends = np.clip(ends, robot.lower, robot.upper)
    free = np.asarray(checker.is_motion_free(q[:30], ends, clearance=CLEARANCE))
    assert 0 < free.sum() < len(free)
    for a, b, is_free in zip(q[:30], ends, free, strict=True):
        samples = _between(a, b, 0.001)
        if is_free:
            assert np.all(checker.is_free(samples, clearance=CLEARANCE))
        else:  # nothing gets farther than 2.5 mm between samples
            is_near = not np.all(checker.is_free(samples, clearance=CLEARANCE + TOUCH + 0.0025))
            assert is_near or np.asarray(alone.min_distance(samples)).min() <= TOUCH + 0.0025


def test_both_directions_and_a_batch_say_the_same() -> None:
    robot = armlab.load("ur5e")
    scene = crowded(robot)
    checker, q = Checker(scene), free_places(scene, 80, seed=5)
    there = np.asarray(checker.is_motion_free(q[:40], q[40:]))
    assert there.tolist() == [checker.is_motion_free(a, b) for a, b in zip(q[:40], q[40:], strict=True)]
    # what is free one way is free the other way, but for what is within TOUCH
    clear = np.asarray(checker.is_motion_free(q[:40], q[40:], clearance=2 * TOUCH))
    assert np.asarray(checker.is_motion_free(q[40:], q[:40]))[clear].all()


def test_a_thin_sheet_between_samples_is_not_missed() -> None:
    from collision.obstacles import box

    robot = armlab.load("planar2")
    tip = robot.fk(np.array([0.6, 0.0]))[:3, 3]
    sheet = box("sheet", (0.02, 0.0002, 0.4), (float(tip[0]) * 0.95, float(tip[1]) * 0.95, 0.0))
    checker = Checker(Scene.of(robot, bodies=[sheet]))
    a, b = np.array([-1.0, 0.0]), np.array([1.5, 0.0])
    assert checker.is_free(a)
    assert checker.is_free(b)
    assert not checker.is_motion_free(a, b)


def test_a_motion_outside_the_limits_is_not_free_and_unusable_values_are_refused() -> None:
    robot = armlab.load("kuka-kr6-r900")
    checker = Checker(Scene.of(robot))
    assert not checker.is_motion_free(robot.home, robot.upper + 0.1)
    with refused("not_finite", InvalidInput):
        checker.is_motion_free(robot.home, np.full(6, np.nan))
