"""Hold to move: a jog lasts as long as its beats come, and not much longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.cell.commands import JogJoints, JogTool
from armlab.kinematics.velocity import solve_speeds
from armlab.model.robot import Robot
from armlab.motion.limits import Limits

BEAT_S = 0.2
"""The arm stops this long after the last beat."""
JOINT_SHARE = 0.25
"""Full jog is this share of each joint's top speed."""
TOOL_SPEED = 0.25
"""m/s at full jog: what the safety standards of industrial arms allow by hand."""
TURN_SPEED = 0.6
"""rad/s at full jog."""
PULL = 4.0
"""1/s: how fast the tool is brought back to the line, or the axis, that it is jogged along."""
ASTRAY = 0.1
"""Share of the commanded speed by which the tool may go elsewhere before its orientation is given up."""
OLD = 2**30


@dataclass(frozen=True, slots=True, eq=False)
class ToolJog:
    """A jog of the tool: its twist in the world, and the pose that it started from."""

    twist: Floats
    T_start: Floats
    keeps_line: bool

    def corrected(self, T: Floats) -> Floats:
        """Return the twist that also brings the tool at `T` back to its line and its axis."""
        if not self.keeps_line:
            return self.twist
        back = np.concatenate(
            [
                _across(self.T_start[:3, 3] - T[:3, 3], self.twist[:3]),
                _across(_turn(self.T_start[:3, :3] @ T[:3, :3].T), self.twist[3:]),
            ]
        )
        return np.asarray(self.twist + PULL * back)


@dataclass(frozen=True, slots=True, eq=False)
class Speeds:
    """Joint speeds (n,) for a jog of the tool, and whether a singularity slows them."""

    qd: Floats
    is_singular: bool


class Jogger:
    """Which joints are jogged, or in which direction the tool is; beats out of order are passed over."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = 0.0
        self._sequence = -1
        self._beat: JogTool | None = None
        self._tool_jog: ToolJog | None = None
        self.told: set[str] = set()
        """What was told about this jog already, so that it is told once."""

    @property
    def is_active(self) -> bool:
        """Whether somebody holds a key or a button."""
        return self._left > 0.0

    @property
    def tool_jog(self) -> ToolJog | None:
        """Where the tool is jogged to, if it is."""
        return self._tool_jog

    def jog_joints(self, command: JogJoints) -> Floats | None:
        """Take a beat; return the commanded speeds (n,), or None for an old beat."""
        if not self._is_next(command.sequence):
            return None
        self._beat = self._tool_jog = None
        return np.array(command.shares) * self._limits.velocity * JOINT_SHARE

    def jog_tool(self, command: JogTool, T_world_axes: Floats, T_world_tool: Floats) -> None:
        """Take a beat; the same direction as before goes on along the same line.

        `T_world_axes` is the frame whose axes count where they are not the tool's own.
        """
        if not self._is_next(command.sequence):
            return
        before = self._beat
        if before is not None and before == command.model_copy(update={"sequence": before.sequence}):
            return
        R = (T_world_tool if command.frame == "tool" else T_world_axes)[:3, :3]
        twist = np.array(command.shares) * np.repeat([TOOL_SPEED, TURN_SPEED], 3)
        turns_along = command.frame == "tool" and bool(twist[:3].any() and twist[3:].any())
        self._beat = command
        self._tool_jog = ToolJog(np.concatenate([R @ twist[:3], R @ twist[3:]]), T_world_tool, not turns_along)

    def expire(self, seconds: float) -> bool:
        """Let time pass; return True once when the last beat is too old."""
        if not self.is_active:
            return False
        self._left -= seconds
        if self._left > 0.0:
            return False
        self.end()
        return True

    def end(self) -> None:
        """Let go."""
        self._left, self._beat, self._tool_jog = 0.0, None, None
        self.told.clear()

    def _is_next(self, sequence: int) -> bool:
        """Tell whether a beat is newer than the last; after a reload the page counts from zero again."""
        is_next = sequence > self._sequence or self._sequence - sequence > OLD or not self.is_active
        if is_next:
            self._sequence, self._left = sequence, BEAT_S
        return is_next


def tool_speeds(robot: Robot, q: Floats, tool_jog: ToolJog) -> Speeds:
    """Return the joint speeds that move the tool as it is held, slowed near singularities.

    An arm with too few axes to keep the tool's orientation gives that up where it would else leave its line.
    """
    twist = tool_jog.corrected(robot.fk(q))
    found = solve_speeds(robot, q, twist, at_limits="stop")
    target = tool_jog.twist[:3]
    if robot.dof < 6 and target.any():
        made = robot.jacobian(q)[:3] @ found.qd
        if np.linalg.norm(made - found.scale * target) > ASTRAY * np.linalg.norm(target) * found.scale:
            found = solve_speeds(robot, q, twist, task="position", at_limits="stop")
    return Speeds(found.qd, found.damping > 0.0)


def _turn(R: Floats) -> Floats:
    """Return axis times sine of a rotation (3, 3): near enough to bring a tool back that is a little off."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def _across(v: Floats, along: Floats) -> Floats:
    """Return what of `v` is not along a direction."""
    size = float(along @ along)
    return v if size == 0.0 else v - along * float(v @ along) / size
