"""Inverse kinematics of odd targets: an answer that holds, no answer, or an error of ours; and all solvers agree."""

from __future__ import annotations

import os

import numpy as np
import pytest
from singular_targets import near_singular

import armlab
from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.model.robot import Robot

EXAMPLES = int(os.environ.get("ARMLAB_FUZZ", "1")) * 12
ARMS = ("planar2", "planar3", "scara", "braccio", "kuka-kr6-r700", "stanford", "ur5e")
TASKS = (None, "pose", "position", "approach", "scara")


def odd_target(robot: Robot, rng: np.random.Generator) -> Floats:
    """A pose that the arm reaches, one nearly so, one far away, or a matrix that is not a pose."""
    q = near_singular(robot, 1, int(rng.integers(1 << 30)))[0]
    T = robot.fk(q)
    match rng.integers(5):
        case 0:
            T[:3, 3] *= 1.0 + 10.0 ** rng.uniform(-12, -1)
        case 1:
            T[:3, 3] += rng.normal(size=3) * 10.0 ** rng.uniform(-9, 6)
        case 2:
            T[rng.integers(4), rng.integers(4)] += rng.choice([np.nan, np.inf, 1e-13, 1e-7, 0.3, 1e300])
        case _:
            pass
    return T


@pytest.mark.parametrize("name", ARMS)
def test_whatever_one_search_reaches_the_list_has_and_the_diagnosis_admits(name: str) -> None:
    robot = armlab.load(name)
    rng = np.random.default_rng(11)
    for _ in range(EXAMPLES):
        T, task = odd_target(robot, rng), TASKS[rng.integers(len(TASKS))]
        try:
            result = armlab.attempt_ik(robot, T, task=task)
        except ArmlabError as error:
            assert error.code  # noqa: PT017 - one of ours, with a code, is an answer
            continue
        if not result.converged:
            continue
        assert ((result.q >= robot.lower) & (result.q <= robot.upper)).all()
        assert max(result.position_error, result.rotation_error) <= 1e-6
        assert len(armlab.all_ik(robot, T, task=task)) > 0
        assert armlab.why_not(robot, T, task=task).reachable
