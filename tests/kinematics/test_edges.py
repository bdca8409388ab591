"""On the edge of reach and on limits, all functions of inverse kinematics have the same idea of what can be reached."""

from __future__ import annotations

import math

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.kernels import gate
from armlab.kinematics import numeric
from armlab.model.robot import Robot

COUNTS = {
    "planar2": 400, "planar3": 400, "scara-s3": 400, "scara": 200, "epson-ls3": 100, "braccio": 200, "stanford": 200,
    "kuka-kr6-r700": 200, "kuka-kr3-r540": 100, "staubli-tx60": 100, "ur5e": 400, "xarm6": 20, "franka-panda": 20,
}  # fmt: skip


def edge_targets(robot: Robot, m: int, seed: int) -> Floats:
    """Poses (m, 4, 4) of joints on limits, up to 1e-6 past them and stretched; half are shifted by up to 1e-6 m."""
    rng = np.random.default_rng(seed)
    shape = (m, robot.dof)
    q = rng.uniform(robot.lower, robot.upper, shape)
    right = rng.integers(-2, 3, shape) * math.pi / 2.0 + rng.choice([0.0, 1e-9, -1e-8, 1e-7], shape)
    is_right = (rng.random(shape) < 0.2) & (right >= robot.lower) & (right <= robot.upper)
    q = np.where(is_right & (robot.chain.revolute > 0.5), right, q)
    past = rng.choice([-1.0, 0.0, 1.0, 1.0], shape) * 10.0 ** rng.uniform(-9.5, -5.9, shape)
    at_limit = np.where(rng.random(shape) < 0.5, robot.lower - past, robot.upper + past)
    T = robot.fk(np.where(rng.random(shape) < 0.35, at_limit, q))
    shift = rng.normal(size=(m, 3)) * 10.0 ** rng.uniform(-9.5, -6.0, (m, 1))
    T[::2, :3, 3] += shift[::2]
    return T


def errors(robot: Robot, T: Floats, q: Floats) -> float:
    """The larger of position and rotation error (m, rad), by the DH table, which shares no code with the kernels."""
    difference = armlab.dh_table(robot, "modified").fk(q) - T
    turn = np.linalg.norm(difference[..., :3, :3], axis=(-2, -1))
    turned = 2.0 * np.arcsin(np.clip(turn / math.sqrt(8.0), 0.0, 1.0))
    return float(max(np.linalg.norm(difference[..., :3, 3], axis=-1).max(), turned.max()))


@pytest.mark.parametrize("name", COUNTS)
def test_what_one_function_reaches_on_an_edge_the_others_reach_too(name: str) -> None:
    robot, reached = armlab.load(name), 0
    T = edge_targets(robot, COUNTS[name], 17)
    starts = np.random.default_rng(18).uniform(robot.lower, robot.upper, (len(T), robot.dof))
    from_many = armlab.attempt_ik(robot, T, start=starts, task="pose")
    for i, target in enumerate(T):
        every = armlab.all_ik(robot, target, task="pose")
        from_home = armlab.attempt_ik(robot, target, task="pose")
        from_start = armlab.attempt_ik(robot, target, start=starts[i], task="pose")
        in_batch = bool(armlab.all_ik_batch(robot, target[None], task="pose")[1].any())
        verdicts = (len(every) > 0, from_home.converged, from_start.converged, bool(from_many.converged[i]), in_batch)
        assert len(set(verdicts)) == 1, (i, verdicts)
        reached += verdicts[0]
        if verdicts[0]:
            q = np.vstack([every.q, from_home.q, from_start.q, from_many.q[i]])
            assert ((q >= robot.lower) & (q <= robot.upper)).all()
            assert errors(robot, target, q) <= 1e-6 + 1e-12
    assert reached > len(T) // 2


def test_a_search_does_not_promise_more_than_the_gate_lets_through() -> None:
    assert max(numeric.POSITION_TOLERANCE, numeric.ROTATION_TOLERANCE) < gate.TOLERANCE == 1e-6
