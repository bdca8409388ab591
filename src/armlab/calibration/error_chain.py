"""Forward kinematics of an arm with errors, and the derivative of its tool pose with respect to each of them.

The chain is base · E_b · Π [T_i · E_i · B_i · J_i(q'_i)] · flange · tool · E_t. Each E is a shift, then a rotation,
B_i bends across the axis under weight, J_i is the joint's own motion, of

    q'_i = (1 + ratio) q_i + offset + s·sin q_i + c·cos q_i + compliance · (weight about the axis) + lost motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.loads import GravityLoads
from armlab.messages import _, term
from armlab.model.coupling import not_for_coupled
from armlab.model.robot import Robot


@dataclass(slots=True, eq=False)
class ErrorValues:
    """All errors of a chain as arrays; a calibration writes into them."""

    frame: Floats
    """(n, 6): shift and rotation vector of each joint's frame."""
    offset: Floats
    ratio: Floats
    eccentricity: Floats
    """(n, 2)."""
    compliance: Floats
    """(n,): rad per N m, or m per N, about the axis."""
    bending: Floats
    """(n,): rad per N m across the axis."""
    base: Floats
    """(6,)."""
    tool: Floats
    """(6,)."""
    growth: float = 0.0
    """By which share all lengths are larger than drawn."""

    @classmethod
    def none(cls, n: int) -> ErrorValues:
        """Return the values of an arm without errors."""
        z = np.zeros
        return cls(z((n, 6)), z(n), z(n), z((n, 2)), z(n), z(n), z(6), z(6))


@dataclass(slots=True, eq=False)
class ChainPoses:
    """Where all frames of the chain are, in the world, for m rows of joint values."""

    tool: Floats
    """T_world_tool (m, 4, 4)."""
    drawn: Floats
    """(n, m, 4, 4): each joint's frame before its error."""
    placed: Floats
    """(n, m, 4, 4): after its error."""
    bent: Floats
    """(n, m, 4, 4): after bending; the joint moves about its axis in this frame."""
    moved: Floats
    """(n + 1, m, 4, 4): the links' frames, base first."""
    base_drawn: Floats
    """(4, 4): the base before its error."""
    tool_drawn: Floats
    """(m, 4, 4): the tool before its error."""


def joint_values(values: ErrorValues, q: Floats, loads: GravityLoads) -> Floats:
    """Return where joints really are (m, n) when they are told to be at `q`."""
    sine, cosine = values.eccentricity.T
    return np.asarray(
        (1.0 + values.ratio) * q
        + values.offset
        + sine * np.sin(q)
        + cosine * np.cos(q)
        + values.compliance * loads.along
    )


def chain_poses(robot: Robot, values: ErrorValues, q_real: Floats, across: Floats) -> ChainPoses:
    """Return the frames of a chain with errors whose joints really are at `q_real` (m, n) and bend under `across`."""
    if robot.followers:
        raise not_for_coupled(term(_("calibration")))
    m, n = q_real.shape
    grown = 1.0 + values.growth
    drawn, placed, bent = (np.empty((n, m, 4, 4)) for _ in range(3))
    moved = np.empty((n + 1, m, 4, 4))
    moved[0] = robot.base @ error_pose(values.base)
    for i, joint in enumerate(robot.joints):
        np.matmul(moved[i], _lengthened(joint.T_parent_joint, grown), out=drawn[i])
        np.matmul(drawn[i], error_pose(values.frame[i]), out=placed[i])
        if values.bending[i]:
            np.matmul(placed[i], _turned(values.bending[i] * across[:, i]), out=bent[i])
        else:
            bent[i] = placed[i]
        if joint.kind == "revolute":
            np.matmul(bent[i], _turned(q_real[:, i, None] * joint.axis), out=moved[i + 1])
        else:
            moved[i + 1] = bent[i]
            moved[i + 1, :, :3, 3] += (bent[i, :, :3, :3] @ joint.axis) * q_real[:, i, None]
    T_link_tool = _lengthened(robot.flange, grown) @ robot.tool.T_flange_tool
    tool_drawn = moved[n] @ T_link_tool
    return ChainPoses(tool_drawn @ error_pose(values.tool), drawn, placed, bent, moved, robot.base, tool_drawn)


def frame_columns(poses: ChainPoses, values: ErrorValues, i: int, along: Floats) -> tuple[Floats, Floats]:
    """Return how the tool moves when the frame error of joint `i` grows along `along` (6,).

    Velocity of the tool point and angular velocity, in the world, (m, 3) each.
    """
    return _error_columns(poses.tool, poses.drawn[i], poses.placed[i], values.frame[i], along)


def base_columns(poses: ChainPoses, values: ErrorValues, along: Floats) -> tuple[Floats, Floats]:
    """Return the same for the base's error."""
    drawn = np.broadcast_to(poses.base_drawn, poses.tool.shape)
    return _error_columns(poses.tool, drawn, poses.moved[0], values.base, along)


def tool_columns(poses: ChainPoses, values: ErrorValues, along: Floats) -> tuple[Floats, Floats]:
    """Return the same for the tool's error."""
    return _error_columns(poses.tool, poses.tool_drawn, poses.tool, values.tool, along)


def joint_columns(robot: Robot, poses: ChainPoses, i: int) -> tuple[Floats, Floats]:
    """Return how the tool moves with the value of joint `i`: velocity and angular velocity, (m, 3) each."""
    T = poses.bent[i]
    axis = T[:, :3, :3] @ robot.joints[i].axis
    if robot.joints[i].kind == "prismatic":
        return axis, np.zeros_like(axis)
    return np.cross(axis, poses.tool[:, :3, 3] - T[:, :3, 3]), axis


def bending_columns(poses: ChainPoses, across: Floats, i: int) -> tuple[Floats, Floats]:
    """Return how the tool moves with the bending compliance of joint `i` under the moments `across` (m, n, 3)."""
    T = poses.bent[i]
    axis = np.einsum("mij,mj->mi", T[:, :3, :3], across[:, i])
    return np.cross(axis, poses.tool[:, :3, 3] - T[:, :3, 3]), axis


def error_pose(six: Floats) -> Floats:
    """Return the pose (4, 4) of a shift and a rotation vector (6,)."""
    T: Floats = _turned(six[None, 3:])[0]
    T[:3, 3] = six[:3]
    return T


def _error_columns(tool: Floats, drawn: Floats, placed: Floats, six: Floats, along: Floats) -> tuple[Floats, Floats]:
    """Return the derivative of T · shift · exp(w) · …: a shift moves along T's axes, δw turns by J_r δw after it."""
    shift = drawn[:, :3, :3] @ along[:3]
    turn = placed[:, :3, :3] @ (right_jacobian(six[3:]) @ along[3:])
    return shift + np.cross(turn, tool[:, :3, 3] - placed[:, :3, 3]), turn


def right_jacobian(w: Floats) -> Floats:
    """Return J_r (3, 3): exp(w + δ) = exp(w)·exp(J_r δ) for small δ."""
    angle = float(np.linalg.norm(w))
    K = _cross_matrix(w)
    if angle < 1e-6:
        small: Floats = np.eye(3) - K / 2.0 + K @ K / 6.0
        return small
    J: Floats = np.eye(3) - (1.0 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * (K @ K)
    return J


def _cross_matrix(w: Floats) -> Floats:
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _lengthened(T: Floats, factor: float) -> Floats:
    if factor == 1.0:
        return T
    T = T.copy()
    T[:3, 3] *= factor
    return T


def _turned(w: Floats) -> Floats:
    """Return poses (m, 4, 4) that turn by rotation vectors (m, 3): Rodrigues' formula."""
    angle = np.sqrt(np.einsum("mi,mi->m", w, w))
    safe = np.maximum(angle, 1e-8)
    a = np.where(angle > 1e-8, np.sin(safe) / safe, 1.0)
    half = np.sin(safe / 2.0) / (safe / 2.0)
    b = np.where(angle > 1e-8, half * half / 2.0, 0.5)
    x, y, z = w.T
    T = np.zeros((len(w), 4, 4))
    T[:, 3, 3] = 1.0
    xx, yy, zz = b * x * x, b * y * y, b * z * z
    xy, xz, yz = b * x * y, b * x * z, b * y * z
    T[:, 0, 0], T[:, 1, 1], T[:, 2, 2] = 1.0 - yy - zz, 1.0 - xx - zz, 1.0 - xx - yy
    T[:, 0, 1], T[:, 1, 0] = xy - a * z, xy + a * z
    T[:, 0, 2], T[:, 2, 0] = xz + a * y, xz - a * y
    T[:, 1, 2], T[:, 2, 1] = yz - a * x, yz + a * x
    return T
