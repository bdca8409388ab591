"""Five turning joints: a yaw, three parallel ones and a roll, as in the Braccio teaching arm.

Names of the branches:

- *shoulder front*: the wrist (axis 4) is on the front side of axis 1, *back*: behind it. The front is where axis 2
  is off axis 1; if it is not, where the wrist is at joint values zero, or at home.
- *elbow up*: looking the way the shoulder reaches, axis 3 is above the line from axis 2 to the wrist; *down*: below.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import five as kernel
from armlab.kernels.closed_form.answers import YAW_AND_ROLL
from armlab.kinematics.closed.family import Family, branch_names
from armlab.kinematics.closed.lines import (
    NOTHING,
    JointAxes,
    about_y,
    angle_in_plane,
    common_parameters,
    sign_of,
    turning_frame,
)

NAMES = branch_names(("shoulder", "front", "back"), ("elbow", "up", "down"))


def recognise(axes: JointAxes) -> Family | None:
    """Return the family of an arm with a yaw, three parallel joints and a roll; or None."""
    if len(axes.z) != 5 or not all(axes.is_revolute):
        return None
    if not (axes.are_square(0, 1) and axes.are_square(3, 4)):
        return None
    if not (axes.are_parallel(1, 2) and axes.are_parallel(1, 3)):
        return None
    parameters = _parameters(axes, axes.z[1])
    if parameters is not None and _front(axes, parameters) < 0.0:
        parameters = _parameters(axes, -axes.z[1])
    if parameters is None:
        return None
    return Family("yaw-and-roll", NAMES, parameters, YAW_AND_ROLL, choices)


def wrist_distance(parameters: Floats, q: Floats) -> Floats:
    """Return how far (m,) the wrist point is in front of axis 1."""
    theta = q * parameters[kernel.SIGNS :][:5] + parameters[kernel.ZEROS :][:5]
    t2, t23, phi = theta[:, 1], theta[:, 1] + theta[:, 2], theta[:, 1] + theta[:, 2] + theta[:, 3]
    arm = parameters[kernel.UPPER] * np.sin(t2) + parameters[kernel.FORE] * np.sin(t23)
    x: Floats = parameters[kernel.SHOULDER] + arm + parameters[kernel.HAND_OFFSET] * np.cos(phi)
    return x


def choices(parameters: Floats, q: Floats) -> tuple[NDArray[np.bool_], ...]:
    """Return whether the shoulder is back and the elbow down, at each row of `q` (m, 5)."""
    back = wrist_distance(parameters, q) < 0.0
    bend = q[:, 2] * parameters[kernel.SIGNS + 2] + parameters[kernel.ZEROS + 2]
    return back, np.where(back, -1.0, 1.0) * np.sin(bend) < 0.0


def _front(axes: JointAxes, parameters: Floats) -> float:
    zero, home = wrist_distance(parameters, np.array([np.zeros(5), axes.home])) / axes.size
    return sign_of(parameters[kernel.SHOULDER] / axes.size, zero, home)


def _parameters(axes: JointAxes, y: Floats) -> Floats | None:
    T = turning_frame(axes, y)
    T_inverse = pose.inverse(T)
    z, p = axes.z @ T[:3, :3], pose.transform(T_inverse, axes.p)
    c = pose.transform(T_inverse, axes.closest_point(4, 3))
    upper, fore = p[2] - p[1], p[3] - p[2]
    l2, l3 = math.hypot(upper[0], upper[2]), math.hypot(fore[0], fore[2])
    if min(l2, l3) < NOTHING * axes.size:
        return None
    signs = np.array([z[0, 2], z[1, 1], z[2, 1], z[3, 1], axes.outward(4, T[:3, :3] @ c + T[:3, 3])]).round()
    zero_2, zero_23 = angle_in_plane(upper), angle_in_plane(fore)
    phi = angle_in_plane(signs[4] * z[4])
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = about_y(phi), c
    parameters = common_parameters(axes, T, end, kernel.PARAMETERS)
    parameters[kernel.SHOULDER], parameters[kernel.OFFSET] = p[1, 0], c[1]
    parameters[kernel.UPPER], parameters[kernel.FORE] = l2, l3
    parameters[kernel.HAND_OFFSET] = (about_y(-phi) @ (c - p[3]))[0]
    parameters[kernel.SIGNS :][:5] = signs
    parameters[kernel.ZEROS :][:5] = [0.0, zero_2, zero_23 - zero_2, phi - zero_23, 0.0]
    return parameters
