"""Every posture of a redundant arm: 7R with a spherical shoulder, such as the Panda and the iiwa.

With the last joint fixed there are up to eight postures, in closed form (kernels.closed_form.seven). The last joint
is then the one number that a target leaves free; `redundant_intervals` says for each branch through which of its
values the arm can move without the tool moving and without reaching a limit.

Complete: the eight branches, for any value of the last joint. Sampled: the search for the ends of the intervals. It
follows every branch in steps of a few degrees, much shorter where the branch begins or ends or turns fast, and looks at
every extremum near a limit; only what comes and goes between two such steps could be overlooked. Where axes 1 and 3 are
one, a branch jumps and its interval is split, 1e-7 rad to either side; where shoulder and wrist are singular at once,
ends are uncertain by 1e-5 rad of the last joint.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import intervals as closed_intervals
from armlab.kernels.closed_form import seven
from armlab.kinematics.closed.lines import TOLERANCE, JointAxes, joint_axes
from armlab.model.robot import Robot

SAMPLES = 72

_WORDS = (("front", "back"), ("forward", "backward"), ("straight", "turned"))
BRANCH_NAMES = tuple(
    f"shoulder {shoulder}, elbow {elbow}, wrist {wrist}" for shoulder, elbow, wrist in itertools.product(*_WORDS)
)
"""What the branches are called. The upper arm is the part from the shoulder to the elbow, along axis 3.

- shoulder front: the upper arm leans, away from the direction of axis 1, to the side to which joint 2 turns it with
  growing values; back: to the other side.
- elbow forward: with joint 3 turned so that axis 4 is parallel to axis 2 (by less than a quarter turn from zero), the
  forearm is bent, from the stretched arm, in the sense in which joint 2 leans the arm to the front; backward: in the
  other sense. Stretched is where shoulder and wrist are farthest apart.
- wrist straight: joint 5 is within a quarter turn of where axis 6 is parallel to axis 4; turned: it is not.
"""


@dataclass(frozen=True, eq=False)
class SevenArm:
    """A robot that `recognise_seven` knows: its geometry as the kernels want it."""

    constants: Floats
    """(ARM_SIZE,), see armlab.kernels.closed_form.seven."""
    chain: Floats
    branch_names: tuple[str, ...] = BRANCH_NAMES

    def solve_into(self, T: Floats, q7: Floats, q: Floats, valid: Floats) -> None:
        """Write every posture that reaches `T` (m, 4, 4) with the last joint at `q7` (m,) to `q` (m, 8, 7).

        `valid` (m, 8) becomes 1.0 where a branch exists, 0.0 elsewhere. Limits are not looked at; angles are within
        (-pi, pi], but the last joint is as given. Every valid posture puts the tool within 1e-10 of its target.
        """
        closed_intervals.solve_batch_into(self.constants, self.chain, T, q7, q, valid)

    def branch_of(self, q: Floats) -> int:
        """Return the number of the branch that `q` (7,) belongs to; on a border, of one of the two."""
        return int(seven.branch_of(self.constants, np.ascontiguousarray(q, dtype=np.float64)))


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """The values of the last joint through which a branch goes on, with every joint inside its limits.

    `lower` and `upper` are rad, and equal where the posture is possible at one value only. `q` (7,) is the member that
    is farthest from all limits, each counted relative to half its joint's range.
    """

    branch: int
    lower: float
    upper: float
    q: Floats


def recognise_seven(robot: Robot) -> SevenArm | None:
    """Return the arm's geometry if it is one with closed-form postures, otherwise None.

    Seven turning joints; axes 1, 2, 3 meet in a point S, 1 and 3 at right angles to 2; axes 5 and 6 meet at right
    angles in a point W; axis 4 is at right angles to 3 and 5, and the plane across it through S holds W.
    """
    if robot.dof != 7 or any(joint.kind != "revolute" for joint in robot.joints):
        return None
    axes = joint_axes(robot)
    if not all(axes.are_square(i, j) for i, j in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))):
        return None
    S, W = axes.crossing(0, 1), axes.crossing(4, 5)
    if S is None or W is None or axes.distance_to(2, S) > TOLERANCE * axes.size:
        return None
    if abs(float((S - W) @ axes.z[3])) > TOLERANCE * axes.size:
        return None
    constants = _arm_row(axes, S, W)
    return None if constants is None else SevenArm(constants, robot.chain.constants)


def redundant_intervals(robot: Robot, arm: SevenArm, T: Floats, *, samples: int = SAMPLES) -> list[Interval]:
    """Return, for each branch, every interval of the last joint in which the whole arm keeps its limits.

    Joints whose limits leave more than one turn are given by the copy nearest to the middle of their limits; the last
    joint is looked at within half a turn of its middle. Ends are exact to 1e-9 rad and on the inner side.
    """
    out = np.empty((closed_intervals.MOST_INTERVALS, closed_intervals.ROW_SIZE))
    count = closed_intervals.intervals_into(
        arm.constants, arm.chain, robot.chain.lower, robot.chain.upper, np.array(T), samples, out
    )
    rows = sorted(out[:count].tolist())
    return [Interval(int(row[0]), float(row[1]), float(row[2]), np.array(row[3:])) for row in rows]


def _arm_row(axes: JointAxes, S: Floats, W: Floats) -> Floats | None:
    """Return the row of numbers that the kernels take, or None where the elbow cannot change the arm's length."""
    k = axes.z
    a, b = (S - axes.p[3]), (W - axes.p[3])
    a, b = a - (a @ k[3]) * k[3], b - (b @ k[3]) * k[3]  # both across axis 4, whose foot is the origin
    both = float(np.linalg.norm(a) * np.linalg.norm(b))
    if both < TOLERANCE * axes.size**2:
        return None
    folded = np.arctan2(a @ np.cross(k[3], b), a @ b)  # joint 4 brings W nearest to S
    straight = _turn_between(k[5], k[3], k[4])
    straight -= np.pi * np.round(straight / np.pi)
    frame_s = np.column_stack([np.cross(k[1], k[0]), k[1], k[0]])
    frame_6 = np.column_stack([np.cross(k[5], k[4]), k[5], k[4]])
    frame_4 = _rotation(k[4], straight) @ frame_6
    tilt = np.arctan2(frame_s[:, 0] @ k[2], k[0] @ k[2])
    tilted = frame_s @ _rotation(np.array([0.0, 1.0, 0.0]), tilt)
    cross, along = _cross(k[3]), np.outer(k[3], k[3])
    foot = W - b
    row = np.empty(seven.ARM_SIZE)
    row[seven.CONSTANT] = a @ a + b @ b
    row[seven.RANGE] = 2.0 * both
    row[seven.STRETCHED] = folded + np.pi
    row[seven.FORWARD] = 1.0 if k[3] @ k[1] > -TOLERANCE else -1.0
    row[seven.LEAN] = 1.0 if k[2] @ (foot - S) > -TOLERANCE * axes.size else -1.0
    row[seven.TILT], row[seven.STRAIGHT] = tilt, straight
    row[seven.LENGTH] = axes.size
    to_shoulder = np.array([-b, a, -cross @ a]) @ frame_4  # a turned back by joint 4, minus b
    row[seven.SHOULDER_4 : seven.TURN_4] = to_shoulder.ravel()
    turns = np.array([frame_4.T @ part @ tilted for part in (along, np.eye(3) - along, -cross)])
    row[seven.TURN_4 : seven.SHOULDER] = turns.ravel()
    row[seven.SHOULDER : seven.WRIST], row[seven.WRIST : seven.FRAME_S] = S, W
    row[seven.FRAME_S : seven.FRAME_6] = frame_s.ravel()
    row[seven.FRAME_6 : seven.AXIS_7] = frame_6.ravel()
    row[seven.AXIS_7 : seven.POINT_7] = k[6]
    row[seven.POINT_7 : seven.HOME] = axes.p[6]
    T_tool_world = pose.inverse(axes.T_tool)
    row[seven.HOME : seven.HOME + 9] = T_tool_world[:3, :3].ravel()
    row[seven.HOME + 9 :] = T_tool_world[:3, 3]
    return row


def _turn_between(u: Floats, v: Floats, axis: Floats) -> float:
    """Return the angle about `axis` that takes `u` to `v`, both across it."""
    return float(np.arctan2(np.cross(u, v) @ axis, u @ v))


def _cross(k: Floats) -> Floats:
    return np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])


def _rotation(k: Floats, angle: float) -> Floats:
    K = _cross(k)
    R: Floats = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return R
