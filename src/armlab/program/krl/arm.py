"""The arm as KRL sees it: axis values in degrees, positions in a base, status and turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.closed.status import kuka_turn, status_function
from armlab.kinematics.ik import attempt_ik
from armlab.model.parts import NO_TOOL
from armlab.model.robot import Robot
from armlab.program.krl.data_types import Value
from armlab.program.krl.frames import as_frame, as_matrix
from armlab.program.span import Span
from armlab.units import joint_scale

AXIS_NAMES = ("A1", "A2", "A3", "A4", "A5", "A6")
EXTERNAL_NAMES = ("E1", "E2", "E3", "E4", "E5", "E6")
NO_EXTERNAL: dict[str, Value] = dict.fromkeys(EXTERNAL_NAMES, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Joint values (n,) for a position, with their status and turn, and whether both are those that were asked for."""

    q: Floats
    status: int
    turn: int
    has_status: bool
    has_turn: bool


class Arm:
    """A robot without its tool: KRL brings its own in $TOOL."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot if robot.tool is NO_TOOL else robot.with_tool(NO_TOOL)
        self._scale = np.array([joint_scale(joint.kind) for joint in robot.joints])
        self.names = AXIS_NAMES[: robot.dof]
        self._statuses = status_function(self.robot) if robot.dof == len(AXIS_NAMES) else None

    @property
    def has_status(self) -> bool:
        """Whether S and T mean something for this arm."""
        return self._statuses is not None

    def T_world_flange(self, q: Floats) -> Floats:
        """Return where the flange is (4, 4)."""
        return self.robot.fk(q)

    def axes_of(self, q: Floats) -> dict[str, Value]:
        """Return joint values (n,) as E6AXIS."""
        shown = dict(zip(self.names, (float(value) for value in q / self._scale), strict=False))
        return {**shown, **NO_EXTERNAL}

    def joints_of(self, axes: dict[str, Value], q: Floats) -> Floats:
        """Return the joint values (n,) of an AXIS; axes that it does not have stay as in `q` (n,)."""
        found = np.array(q, dtype=np.float64)
        for i, name in enumerate(self.names):
            if axes.get(name) is not None:
                found[i] = float(axes[name]) * self._scale[i]
        return found

    def position_of(self, q: Floats, T_world_base: Floats, T_flange_tool: Floats) -> dict[str, Value]:
        """Return joint values (n,) as E6POS in a base."""
        T = pose.inverse(T_world_base) @ self.T_world_flange(q) @ T_flange_tool
        frame = as_frame(T)
        if self._statuses is not None:
            frame |= {"S": int(self._statuses(q[None])[0]), "T": kuka_turn(q)}
        return {**frame, **NO_EXTERNAL}

    def choose(self, T_world_flange: Floats, status: int | None, turn: int | None, near: Floats) -> Chosen | None:
        """Return the joint values that S and T ask for, or else the nearest; None if the position is not reachable."""
        assert self._statuses is not None
        solutions = all_ik(self.robot, T_world_flange, turns=True).q
        if len(solutions) == 0:
            return None
        statuses = self._statuses(solutions)
        turns = np.array([kuka_turn(q) for q in solutions])
        fits_status = np.ones(len(solutions), bool) if status is None else statuses == status & 7
        fits_turn = np.ones(len(solutions), bool) if turn is None else turns == turn
        wanted = fits_status & fits_turn
        if not wanted.any():
            wanted = fits_status if fits_status.any() else np.ones(len(solutions), bool)
        distances = np.where(wanted, np.abs(solutions - near).max(axis=1), np.inf)
        i = int(np.argmin(distances))
        return Chosen(solutions[i], int(statuses[i]), int(turns[i]), bool(fits_status[i]), bool(fits_turn[i]))

    def inverse(
        self, position: dict[str, Value], T_world_base: Floats, T_flange_tool: Floats, start: Floats, span: Span
    ) -> Floats | None:
        """Return the joint values (n,) of a position near `start` (n,), as its S and T say; None if there are none."""
        T_world_flange = T_world_base @ as_matrix(position, span) @ pose.inverse(T_flange_tool)
        status, turn = position.get("S"), position.get("T")
        if self._statuses is not None:
            chosen = self.choose(T_world_flange, status, turn, start)
            return None if chosen is None or not (chosen.has_status and chosen.has_turn) else chosen.q
        answer = attempt_ik(self.robot, T_world_flange, start=np.clip(start, self.robot.lower, self.robot.upper))
        return answer.q if answer.converged else None
