"""The smallest angle at which an arm can hold its tool at a point: Pinocchio's kinematics, SciPy's SLSQP, many starts.

Nothing of armlab's own search is in here. What it finds is an upper bound: a search can only miss what is nearer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.optimize import minimize

from armlab.arrays import Floats
from armlab.formats.urdf import urdf_text
from armlab.model.robot import Robot

MET = 1e-6
"""m"""
SAMPLES_PER_START = 10


class DenseSearch:
    """Looks for the joint values that hold the tool at a point and turn it as near as possible to an orientation."""

    def __init__(self, robot: Robot, *, axis_only: bool = False) -> None:
        self._model = pin.buildModelFromXML(urdf_text(robot))
        self._data = self._model.createData()
        self._tool = self._model.getFrameId("tool", pin.BODY)
        self._axis_only = axis_only
        self._lower, self._upper = robot.lower, robot.upper

    def pose(self, q: Floats) -> Floats:
        """Return T_world_tool (4, 4)."""
        pin.framesForwardKinematics(self._model, self._data, q)
        return np.array(self._data.oMf[self._tool].homogeneous)

    def angle(self, T: Floats, q: Floats) -> float:
        """Return the angle (rad) between the tool's orientation, or z axis, and that of `T`."""
        R = self.pose(q)[:3, :3]
        if self._axis_only:
            return math.atan2(float(np.linalg.norm(np.cross(R[:, 2], T[:3, 2]))), float(R[:, 2] @ T[:3, 2]))
        return float(np.linalg.norm(pin.log3(T[:3, :3] @ R.T)))

    def smallest_angle(self, T: Floats, starts: int, rng: np.random.Generator) -> float:
        """Return the smallest angle (rad) found with the tool at the point of `T` (4, 4); infinity where none is."""
        q = rng.uniform(self._lower, self._upper, (starts * SAMPLES_PER_START, len(self._lower)))
        size = max(float(np.linalg.norm(T[:3, 3])), 0.1)
        rough = [np.linalg.norm(self.pose(x)[:3, 3] - T[:3, 3]) / size + 0.3 * self.angle(T, x) for x in q]
        chosen = np.concatenate([np.argsort(rough)[: starts // 2], np.arange(starts - starts // 2)])
        found = [self._descended(T, q[i]) for i in chosen]
        return min(found)

    def _descended(self, T: Floats, start: Floats) -> float:
        bounds = list(zip(self._lower, self._upper, strict=True))
        held = {"type": "eq", "fun": lambda q: self.pose(q)[:3, 3] - T[:3, 3], "jac": lambda q: self._jacobian(q)[:3]}
        result: Any = minimize(
            self._misalignment, start, args=(T,), jac=True, bounds=bounds, constraints=[held], method="SLSQP",
            options={"maxiter": 60, "ftol": 1e-10},
        )  # fmt: skip
        q = np.clip(result.x, self._lower, self._upper)
        if not np.isfinite(q).all() or np.linalg.norm(self.pose(q)[:3, 3] - T[:3, 3]) > MET:
            return math.inf
        return self.angle(T, q)

    def _jacobian(self, q: Floats) -> Floats:
        J = pin.computeFrameJacobian(self._model, self._data, q, self._tool, pin.LOCAL_WORLD_ALIGNED)
        return np.array(J)

    def _misalignment(self, q: Floats, T: Floats) -> tuple[float, Floats]:
        """Return 1 - cos(angle) and its gradient."""
        J = self._jacobian(q)[3:]
        R, R_t = self.pose(q)[:3, :3], T[:3, :3]
        columns = [2] if self._axis_only else [0, 1, 2]
        half = 1.0 if self._axis_only else 0.5
        value = half * sum(1.0 - float(R[:, c] @ R_t[:, c]) for c in columns)
        turn = half * sum(np.cross(R[:, c], R_t[:, c]) for c in columns)
        return value, -(turn @ J)
