"""Forward kinematics and Jacobians against Pinocchio, roboticstoolbox and py-opw-kinematics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import armlab
from bench.peers import Pinocchio, Toolbox, opw_robot
from bench.timing import Line, best_of, per_call

ARMS = ("kuka-kr6-r700", "ur5e", "franka-panda", "scara")
BATCH = 65_536
ONE_BY_ONE = 2_000


def lines() -> Iterator[Line]:
    """Yield one line per measure, arm and peer; peers that disagree with us are not measured but refused."""
    rng = np.random.default_rng(1)
    for name in ARMS:
        robot = armlab.load(name)
        q = rng.uniform(robot.lower, robot.upper, (BATCH, robot.dof))
        rows = [row.copy() for row in q[:ONE_BY_ONE]]
        peers: dict[str, Any] = {"Pinocchio": Pinocchio(robot), "roboticstoolbox": Toolbox(robot)}
        for peer in peers.values():
            if not np.allclose([peer.matrix(row) for row in rows[:50]], robot.fk(q[:50]), atol=1e-9):
                raise SystemExit(f"{name}: {type(peer).__name__} computes another arm")
        one, jacobian = per_call(robot.fk, rows), per_call(robot.jacobian, rows)
        batch = best_of(partial(robot.fk, q), BATCH)
        batch_jacobian = best_of(partial(robot.jacobian, q), BATCH)
        for label, peer in peers.items():
            yield Line("FK, one call", name, one, label, per_call(peer.fk, rows))
            yield Line("Jacobian, one call", name, jacobian, label, per_call(peer.jacobian, rows))
        toolbox = peers["roboticstoolbox"]
        yield Line("FK, batch", name, batch, "roboticstoolbox", best_of(partial(toolbox.fk_batch, q), BATCH))
        yield Line("FK, batch", name, batch, "Pinocchio in a loop", per_call(peers["Pinocchio"].fk, rows))
        yield Line(
            "Jacobian, batch",
            name,
            batch_jacobian,
            "Pinocchio in a loop",
            per_call(peers["Pinocchio"].jacobian, rows),
        )
        if name == "kuka-kr6-r700":
            yield Line("FK, batch", name, batch, "py-opw-kinematics", best_of(_opw_batch(q), BATCH))


def _opw_batch(q: Any) -> Callable[[], Any]:
    raw = opw_robot()
    return lambda: raw.batch_forward(q)
