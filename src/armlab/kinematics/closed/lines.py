"""Joint axes as lines in space, and the questions that decide which family an arm belongs to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form.steps import SIZE, SLACK
from armlab.kinematics.closed.family import DEFAULT_SLACK
from armlab.model.robot import Robot

TOLERANCE = 1e-9
"""How far directions (rad) and lines (relative to the arm's size) may be from the ideal."""
NOTHING = 1e-6
"""Lengths below this part of the arm's size, and cosines below it, have no direction to go by."""


@dataclass(frozen=True, slots=True, eq=False)
class JointAxes:
    """Every joint's axis at joint values zero: its direction `z` (n, 3) and a point `p` (n, 3) on it, in the world."""

    z: Floats
    p: Floats
    is_revolute: tuple[bool, ...]
    home: Floats
    up: Floats
    """The base's z axis."""
    T_flange: Floats
    T_tool: Floats
    size: float
    """The length (m) of the line through all joints to the flange."""

    def are_parallel(self, i: int, j: int) -> bool:
        """Return whether two axes have the same direction, or opposite ones."""
        return float(np.linalg.norm(np.cross(self.z[i], self.z[j]))) <= TOLERANCE

    def are_square(self, i: int, j: int) -> bool:
        """Return whether the directions of two axes are at a right angle."""
        return abs(float(self.z[i] @ self.z[j])) <= TOLERANCE

    def distance_to(self, i: int, point: Floats) -> float:
        """Return how far `point` is from an axis."""
        return float(np.linalg.norm(np.cross(self.z[i], point - self.p[i])))

    def crossing(self, i: int, j: int) -> Floats | None:
        """Return the point where two axes meet, or None."""
        middle = self.closest_point(i, j)
        if max(self.distance_to(i, middle), self.distance_to(j, middle)) > TOLERANCE * self.size:
            return None
        return middle

    def closest_point(self, i: int, j: int) -> Floats:
        """Return the point on axis `i` that is closest to axis `j`, which is not parallel to it."""
        normal = np.cross(self.z[i], self.z[j])
        along = np.cross(self.p[j] - self.p[i], self.z[j]) @ normal / (normal @ normal)
        point: Floats = self.p[i] + along * self.z[i]
        return point

    def outward(self, i: int, start: Floats) -> float:
        """Return the sign of the way in which the last axis, `i`, leads from `start` to the flange, or out of it."""
        return sign_of((self.T_flange[:3, 3] - start) @ self.z[i] / self.size, self.T_flange[:3, 2] @ self.z[i], 1.0)


def joint_axes(robot: Robot) -> JointAxes:
    """Return the axes of `robot` at joint values zero."""
    T, z, p = robot.base, [], []
    for joint in robot.joints:
        T = T @ joint.T_parent_joint
        z.append(T[:3, :3] @ joint.axis)
        p.append(T[:3, 3])
    T_flange = T @ robot.flange
    path = np.array([*p, T_flange[:3, 3]])
    return JointAxes(
        z=np.array(z),
        p=np.array(p),
        is_revolute=tuple(joint.kind == "revolute" for joint in robot.joints),
        home=robot.home,
        up=robot.base[:3, 2],
        T_flange=T_flange,
        T_tool=T_flange @ robot.tool.T_flange_tool,
        size=max(float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()), 1e-6),
    )


def sign_of(*evidence: float) -> float:
    """Return the sign of the first number that is not nearly nothing."""
    return next((math.copysign(1.0, value) for value in evidence if abs(value) > NOTHING), 1.0)


def turning_frame(axes: JointAxes, y: Floats) -> Floats:
    """Return T_world_canonical: z up along axis 1, y as given; the origin is on axis 1 at the height of axis 2."""
    z = axes.z[0] * sign_of(float(axes.z[0] @ axes.up))
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2] = np.cross(y, z), y, z
    T[:3, 3] = axes.p[0] + z * ((axes.p[1] - axes.p[0]) @ z)
    return T


def about_y(angle: float) -> Floats:
    """Return the rotation (3, 3) about y: it takes z towards x."""
    s, c = math.sin(angle), math.cos(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def about_z(angle: float) -> Floats:
    """Return the rotation (3, 3) about z: it takes x towards y."""
    s, c = math.sin(angle), math.cos(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def angle_in_plane(vector: Floats) -> float:
    """Return the angle of a vector's x, z part, counted from z towards x."""
    return math.atan2(vector[0], vector[2])


def common_parameters(axes: JointAxes, T_world_canonical: Floats, T_canonical_end: Floats, count: int) -> Floats:
    """Return a kernel's `parameters` with the common part filled in; `T_canonical_end` is at joint values zero."""
    parameters = np.zeros(count)
    T_tool_end = pose.inverse(axes.T_tool) @ T_world_canonical @ T_canonical_end
    for place, T in ((0, pose.inverse(T_world_canonical)), (12, T_tool_end)):
        parameters[place : place + 9], parameters[place + 9 : place + 12] = T[:3, :3].ravel(), T[:3, 3]
    parameters[SLACK], parameters[SIZE] = DEFAULT_SLACK, axes.size
    return parameters
