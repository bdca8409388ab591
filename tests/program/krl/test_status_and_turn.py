"""Status and turn: with a pose they determine the joints; 100,000 configurations of every KUKA arm with six axes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from program.krl.drive import drive

import armlab
from armlab.arrays import Floats
from armlab.kinematics.all_ik import all_ik_batch
from armlab.kinematics.closed.status import kuka_turn, status_function

COUNT = 100_000
KUKA_ARMS = [name for name in armlab.robot_names() if name.startswith("kuka-kr")]
NEAR_SINGULAR = 0.02


def negative_bits(q: Floats) -> NDArray[np.int64]:
    """Return T of joint values (…, 6), written again from its definition."""
    return np.asarray(((q < -1e-7) * (1 << np.arange(6))).sum(axis=-1))


@pytest.mark.parametrize("name", KUKA_ARMS)
def test_pose_status_and_turn_lead_back_to_the_joints(name: str) -> None:
    robot, rng = armlab.load(name), np.random.default_rng(14)
    statuses = status_function(robot)
    assert statuses is not None
    q = rng.uniform(robot.lower, robot.upper, (COUNT, 6))
    found, valid = all_ik_batch(robot, robot.fk(q))
    wanted_turn = q[:, None, :] < -1e-7
    turned = found + np.where((found < -1e-7) == wanted_turn, 0.0, np.where(wanted_turn, -1.0, 1.0) * 2.0 * np.pi)
    valid &= ((turned >= robot.lower - 1e-9) & (turned <= robot.upper + 1e-9)).all(axis=2)
    status = np.full(valid.shape, -1)
    status[valid] = statuses(turned[valid])
    fits = valid & (status == statuses(q)[:, None]) & (negative_bits(turned) == negative_bits(q)[:, None])
    error = np.where(fits, np.abs(turned - q[:, None]).max(axis=2), np.inf).min(axis=1)
    is_regular = np.abs(np.sin(q[:, 4])) > NEAR_SINGULAR  # else A4 and A6 turn about one axis
    assert is_regular.sum() > 0.9 * COUNT
    assert np.count_nonzero(error[is_regular] > 1e-6) == 0
    assert np.count_nonzero(fits[is_regular].sum(axis=1) > 1) == 0
    assert [kuka_turn(one) for one in q[:100]] == negative_bits(q[:100]).tolist()


def test_a_point_with_axes_at_zero_keeps_its_turn() -> None:
    """A solver leaves -1e-16 where the axis is at 0: that is no negative turn."""
    done = drive("E6AXIS a\nE6POS p\nINT e\na = {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}\np = FORWARD(a, e)\nPTP p\n")
    assert done.codes == []
    np.testing.assert_allclose(done.joints[-1], [0, -90, 90, 0, 45, 0], atol=1e-6)
