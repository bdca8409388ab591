"""Kernels that are called directly see only memory: whatever the layout of a target, the answer is the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from closed_arms import FAMILIES, uniform

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput

LAYOUTS: dict[str, Callable[[Floats], Floats]] = {
    "every second": lambda T: np.repeat(T, 2, axis=0)[::2],
    "backwards": lambda T: T[::-1].copy()[::-1],
    "columns first": np.asfortranarray,
    "part of larger rows": lambda T: np.concatenate([T, T], axis=2)[:, :, :4],
    "turned round twice": lambda T: T.transpose(0, 2, 1).copy().transpose(0, 2, 1),
    "read-only": lambda T: np.frombuffer(T.tobytes()).reshape(-1, 4, 4),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [1, 2, 40])
def test_targets_in_any_layout_have_the_same_solutions(layout: str, count: int) -> None:
    robot = armlab.load("kuka-kr6-r700")
    T = robot.fk(uniform(robot, count, np.random.default_rng(11)))
    given = LAYOUTS[layout](T)
    q, valid = armlab.all_ik_batch(robot, T)
    other, also_valid = armlab.all_ik_batch(robot, given)
    np.testing.assert_array_equal(valid, also_valid)
    np.testing.assert_array_equal(q[valid], other[valid])
    for target, same in zip(T, given, strict=True):
        np.testing.assert_array_equal(armlab.attempt_ik(robot, target).q, armlab.attempt_ik(robot, same).q)
        np.testing.assert_array_equal(armlab.all_ik(robot, target).q, armlab.all_ik(robot, same).q)


@pytest.mark.parametrize("shape", [(1, 3, 4), (1, 4, 3), (2, 4, 5), (0, 3, 3)])
def test_stacks_of_other_matrices_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput):
        armlab.all_ik_batch(armlab.load("kuka-kr6-r700"), np.ones(shape))


@pytest.mark.parametrize("name", FAMILIES)
def test_targets_one_by_one_have_the_solutions_of_the_batch(name: str) -> None:
    robot = armlab.load(name)
    T = robot.fk(uniform(robot, 70, np.random.default_rng(12)))
    q, valid = armlab.all_ik_batch(robot, T, task="pose")
    for i, target in enumerate(T):
        one, is_valid = armlab.all_ik_batch(robot, target[None], task="pose")
        np.testing.assert_array_equal(is_valid[0], valid[i])
        np.testing.assert_allclose(one[0][is_valid[0]], q[i][valid[i]], rtol=0.0, atol=1e-9)
