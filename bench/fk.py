"""Forward kinematics and Jacobians against Pinocchio, roboticstoolbox and py-opw-kinematics."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import armlab
from armlab.model.robot import Robot
from bench.timing import Line, best_of, per_call

ARMS = ("kuka-kr6-r700", "ur5e", "franka-panda", "scara")
BATCH = 65_536
ONE_BY_ONE = 2_000


class Pinocchio:
    """Pinocchio on the URDF that we write."""

    def __init__(self, robot: Robot) -> None:
        import pinocchio as pin

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            armlab.write_urdf(robot, path)
            self.model = pin.buildModelFromUrdf(str(path))
        self.pin, self.data = pin, self.model.createData()
        self.frame = self.model.getFrameId("tool")

    def fk(self, q: Any) -> Any:
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.pin.updateFramePlacement(self.model, self.data, self.frame)

    def matrix(self, q: Any) -> Any:
        return self.fk(q).homogeneous

    def jacobian(self, q: Any) -> Any:
        return self.pin.computeFrameJacobian(self.model, self.data, q, self.frame, self.pin.LOCAL_WORLD_ALIGNED)


class Toolbox:
    """roboticstoolbox's elementary transform sequence, its fastest form."""

    def __init__(self, robot: Robot) -> None:
        from roboticstoolbox import ET, ETS

        parts = []
        for i, row in enumerate(robot._constants):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = row[:9].reshape(3, 3), row[9:]
            parts.append(ET.SE3(T))
            if i < robot.dof:
                limits = [robot.lower[i], robot.upper[i]]
                kind = ET.Rz if robot._revolute[i] else ET.tz
                parts.append(kind(jindex=i, qlim=limits))
        self.ets = ETS(parts)
        self.fk = self.matrix = self.fk_batch = self.ets.eval
        self.jacobian = self.ets.jacob0


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
        batch = best_of(lambda robot=robot, q=q: robot.fk(q), BATCH)
        batch_jacobian = best_of(lambda robot=robot, q=q: robot.jacobian(q), BATCH)
        for label, peer in peers.items():
            yield Line("FK, one call", name, one, label, per_call(peer.fk, rows))
            yield Line("Jacobian, one call", name, jacobian, label, per_call(peer.jacobian, rows))
        toolbox = peers["roboticstoolbox"]
        yield Line("FK, batch", name, batch, "roboticstoolbox", best_of(lambda t=toolbox, q=q: t.fk_batch(q), BATCH))
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
    from py_opw_kinematics import KinematicModel
    from py_opw_kinematics._internal import Robot as Raw

    model = KinematicModel(a1=0.025, a2=-0.035, b=0.0, c1=0.400, c2=0.315, c3=0.365, c4=0.080)
    raw = Raw(model, degrees=False)
    return lambda: raw.batch_forward(q)
