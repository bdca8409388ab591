"""The orientation that `why_not` calls the nearest, against a dense search that shares nothing with it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armlab
from armlab.kinematics.why import why_not

pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
from oracles.nearest import MET, DenseSearch

TARGETS, STARTS = 6, 6
CASES = (
    ("kuka-kr6-r700", "pose"),
    ("ur5e", "pose"),
    ("franka-panda", "pose"),
    ("braccio", "pose"),
    ("braccio", "approach"),
    ("scara", "pose"),
    ("xarm6", "pose"),
)


@pytest.mark.parametrize(("name", "task"), CASES)
def test_no_search_finds_an_orientation_nearer_than_the_nearest(name: str, task: str) -> None:
    robot, rng = armlab.load(name), np.random.default_rng(2)
    search = DenseSearch(robot, axis_only=task == "approach")
    count = 0
    while count < TARGETS:
        T = robot.fk(rng.uniform(robot.lower, robot.upper))
        T[:3, :3] = Rotation.random(random_state=rng).as_matrix()
        diagnosis = why_not(robot, T, task=task)
        if diagnosis.reachable:
            continue
        count += 1
        # what is told is true of the joints that are told, inside their limits
        assert ((diagnosis.nearest_q >= robot.lower) & (diagnosis.nearest_q <= robot.upper)).all()
        T_nearest = search.pose(diagnosis.nearest_q)
        assert np.linalg.norm(T_nearest[:3, 3] - T[:3, 3]) <= MET
        assert search.angle(T, diagnosis.nearest_q) == pytest.approx(diagnosis.rotation_gap, abs=1e-9)
        np.testing.assert_allclose(T_nearest, diagnosis.nearest_T, atol=1e-12)
        # and nothing is nearer
        smallest = search.smallest_angle(T, STARTS, rng)
        assert diagnosis.rotation_gap <= smallest + max(math.radians(0.5), 0.02 * smallest)
        if diagnosis.summary.code in {"orientation", "too_few_axes"}:
            told = float(diagnosis.summary.parameters["angle"])
            assert told == pytest.approx(math.degrees(diagnosis.rotation_gap), abs=1e-9)


def test_the_dense_search_finds_an_angle_that_is_known() -> None:
    robot, rng = armlab.load("kuka-kr6-r700"), np.random.default_rng(3)
    q = np.radians([10, -70, 100, 20, 40, -30])
    assert DenseSearch(robot).smallest_angle(robot.fk(q), 8, rng) < 1e-4
