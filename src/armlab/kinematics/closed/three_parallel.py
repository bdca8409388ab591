"""Six turning joints of which 2, 3 and 4 are parallel: Universal Robots' arms and their like.

Names of the branches:

- *shoulder left*: seen from above, looking from axis 1 towards the wrist centre (where axes 5 and 6 meet), the arm
  runs along the left side of that line; *right*: along the right one.
- *elbow up*: looking that way, axis 3 is above the line from axis 2 to axis 4; *down*: below. Up is along axis 1.
- *wrist out*: with the tool pointing down, axis 5 leads from joint 4 away from the base; *in*: towards it.

Between singularities no name changes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import ur as kernel
from armlab.kernels.closed_form.answers import THREE_PARALLEL
from armlab.kinematics.closed.family import Family, branch_names
from armlab.kinematics.closed.lines import (
    NOTHING,
    JointAxes,
    about_y,
    about_z,
    angle_in_plane,
    common_parameters,
    sign_of,
    turning_frame,
)

NAMES = branch_names(("shoulder", "left", "right"), ("elbow", "up", "down"), ("wrist", "out", "in"))


def recognise(axes: JointAxes) -> Family | None:
    """Return the family of an arm whose axes 2, 3, 4 are parallel, and otherwise square in turn; or None."""
    if len(axes.z) != 6 or not all(axes.is_revolute):
        return None
    square = axes.are_square(0, 1) and axes.are_square(3, 4) and axes.are_square(4, 5)
    parallel = axes.are_parallel(1, 2) and axes.are_parallel(1, 3)
    centre = axes.crossing(4, 5) if square and parallel else None
    if centre is None:
        return None
    parameters = _parameters(axes, centre, axes.z[1])
    if parameters is not None and sign_of(parameters[kernel.OFFSET] / axes.size) < 0.0:
        parameters = _parameters(axes, centre, -axes.z[1])
    if parameters is None:
        return None
    return Family("three-parallel", NAMES, parameters, THREE_PARALLEL, choices)


def choices(parameters: Floats, q: Floats) -> tuple[NDArray[np.bool_], ...]:
    """Return whether the shoulder is right, the elbow down and the wrist in, at each row of `q` (m, 6)."""
    theta = q * parameters[kernel.SIGNS :][:6] + parameters[kernel.ZEROS :][:6]
    t2, t23, phi = theta[:, 1], theta[:, 1] + theta[:, 2], theta[:, 1] + theta[:, 2] + theta[:, 3]
    h, e = parameters[kernel.HAND], parameters[kernel.HAND_OFFSET]
    arm = parameters[kernel.UPPER] * np.sin(t2) + parameters[kernel.FORE] * np.sin(t23)
    right = parameters[kernel.SHOULDER] + arm + h * np.sin(phi) + e * np.cos(phi) < 0.0
    way = np.where(right, -1.0, 1.0)
    return right, way * np.sin(theta[:, 2]) < 0.0, way * np.sin(theta[:, 4]) > 0.0


def _parameters(axes: JointAxes, centre: Floats, y: Floats) -> Floats | None:
    T = turning_frame(axes, y)
    T_inverse = pose.inverse(T)
    z, p = axes.z @ T[:3, :3], pose.transform(T_inverse, axes.p)
    c = pose.transform(T_inverse, centre)
    upper, fore, hand = p[2] - p[1], p[3] - p[2], c - p[3]
    l2, l3 = math.hypot(upper[0], upper[2]), math.hypot(fore[0], fore[2])
    if min(l2, l3) < NOTHING * axes.size:
        return None
    signs = np.array([z[0, 2], z[1, 1], z[2, 1], z[3, 1], 0.0, 0.0]).round()
    signs[4] = sign_of(hand @ z[4] / axes.size)
    signs[5] = axes.outward(5, centre)
    zero_2 = angle_in_plane(upper)
    zero_23 = angle_in_plane(fore)
    phi = angle_in_plane(signs[4] * z[4])
    turned = about_y(-phi) @ (signs[5] * z[5])
    zero_5 = math.atan2(-turned[0], turned[1])
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = about_y(phi) @ about_z(zero_5), c
    parameters = common_parameters(axes, T, end, kernel.PARAMETERS)
    parameters[kernel.SHOULDER], parameters[kernel.OFFSET] = p[1, 0], c[1]
    parameters[kernel.UPPER], parameters[kernel.FORE] = l2, l3
    parameters[kernel.HAND_OFFSET], _, parameters[kernel.HAND] = about_y(-phi) @ hand
    parameters[kernel.SIGNS :][:6] = signs
    parameters[kernel.ZEROS :][:6] = [0.0, zero_2, zero_23 - zero_2, phi - zero_23, zero_5, 0.0]
    return parameters
