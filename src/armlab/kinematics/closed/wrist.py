"""Six joints, the last three about one point: KUKA, ABB, Fanuc, Stäubli, Puma; with a slide, the Stanford arm.

Names of the branches:

- *shoulder front*: the wrist centre is on the front side of axis 1, *back*: behind it (the arm reaches over its head).
  The front is where axis 2 is off axis 1; if it is not, where the wrist centre is at joint values zero, or at home.
- *elbow up*: looking the way the shoulder reaches, axis 3 is above the line from axis 2 to the wrist centre;
  *down*: below. Up is along axis 1, away from the base. For a slide: *out* is its positive direction, *in* the
  other side of axis 2.
- *wrist no-flip*: with joint 4 at zero the hand bends the way that a raised elbow does (down, when reaching to the
  front); *flip*: the other way. Where joint 5 lies square to the elbow at zero, no-flip is its positive direction.

Between singularities no name changes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import wrist as kernel
from armlab.kernels.closed_form.answers import SPHERICAL_WRIST
from armlab.kinematics.closed.family import Family, branch_names
from armlab.kinematics.closed.lines import (
    NOTHING,
    TOLERANCE,
    JointAxes,
    about_y,
    angle_in_plane,
    common_parameters,
    sign_of,
    turning_frame,
)

BENDING = branch_names(("shoulder", "front", "back"), ("elbow", "up", "down"), ("wrist", "no-flip", "flip"))
SLIDING = branch_names(("shoulder", "front", "back"), ("slide", "out", "in"), ("wrist", "no-flip", "flip"))


def recognise(axes: JointAxes) -> Family | None:
    """Return the family of an arm with a spherical wrist, axes 1 and 2 square, and 2 and 3 parallel; or None."""
    if len(axes.z) != 6 or not all(axes.is_revolute[i] for i in (0, 1, 3, 4, 5)):
        return None
    bends = axes.is_revolute[2]
    square = axes.are_square(0, 1) and axes.are_square(3, 4) and axes.are_square(4, 5)
    arm = axes.are_parallel(1, 2) if bends else axes.are_square(1, 2)
    centre = axes.crossing(3, 4) if square and arm else None
    if centre is None or axes.distance_to(5, centre) > TOLERANCE * axes.size:
        return None
    parameters = _parameters(axes, centre, axes.z[1])
    if parameters is not None and _front(axes, parameters) < 0.0:
        parameters = _parameters(axes, centre, -axes.z[1])
    if parameters is None:
        return None
    name, names = ("spherical-wrist", BENDING) if bends else ("spherical-wrist-slide", SLIDING)
    return Family(name, names, parameters, SPHERICAL_WRIST, choices)


def canonical(parameters: Floats, q: Floats) -> Floats:
    """Return the kernel's angles (m, 6), and the stroke of a slide, of joint values `q` (m, 6)."""
    signs, zeros = parameters[kernel.SIGNS :][:6], parameters[kernel.ZEROS :][:6]
    theta: Floats = q * signs + zeros
    return theta


def wrist_distance(parameters: Floats, q: Floats) -> Floats:
    """Return how far (m,) the wrist centre is in front of axis 1."""
    theta = canonical(parameters, q)
    a1, l2, l3 = parameters[kernel.SHOULDER], parameters[kernel.UPPER], parameters[kernel.FORE]
    if parameters[kernel.SLIDES] > 0.5:
        x: Floats = a1 + theta[:, 2] * np.sin(theta[:, 1]) + l2 * np.cos(theta[:, 1])
    else:
        x = a1 + l2 * np.sin(theta[:, 1]) + l3 * np.sin(theta[:, 1] + theta[:, 2])
    return x


def choices(parameters: Floats, q: Floats) -> tuple[NDArray[np.bool_], ...]:
    """Return whether the shoulder is back, the elbow down (the slide in) and the wrist flipped, at each row of `q`."""
    theta = canonical(parameters, q)
    back = wrist_distance(parameters, q) < 0.0
    if parameters[kernel.SLIDES] > 0.5:
        down = theta[:, 2] < 0.0
    else:
        down = np.where(back, -1.0, 1.0) * np.sin(theta[:, 2]) < 0.0
    return back, down, np.sin(theta[:, 4]) < 0.0


def _front(axes: JointAxes, parameters: Floats) -> float:
    zero, home = wrist_distance(parameters, np.array([np.zeros(6), axes.home])) / axes.size
    return sign_of(parameters[kernel.SHOULDER] / axes.size, zero, home)


def _parameters(axes: JointAxes, centre: Floats, y: Floats) -> Floats | None:
    T = turning_frame(axes, y)
    T_inverse = pose.inverse(T)
    z, p = axes.z @ T[:3, :3], pose.transform(T_inverse, axes.p)
    c = pose.transform(T_inverse, centre)
    signs = np.array([z[0, 2], z[1, 1], z[2, 1] if axes.is_revolute[2] else 1.0, 0.0, 0.0, 0.0]).round()
    forearm = (c - p[2]) * [1.0, 0.0, 1.0]
    signs[3] = sign_of(forearm @ z[3] / axes.size)
    signs[4] = sign_of(z[4, 1])
    signs[5] = axes.outward(5, centre)
    arm = _sliding_arm(z, p, c) if not axes.is_revolute[2] else _bending_arm(p, c)
    if arm is None or (axes.is_revolute[2] and min(arm[:2]) < NOTHING * axes.size):
        return None
    upper, fore, zero_2, zero_3 = arm
    W = np.stack([np.cross(signs[4] * z[4], signs[3] * z[3]), signs[4] * z[4], signs[3] * z[3]], axis=1)
    hand = W.T @ (signs[5] * z[5])
    zero_5 = math.atan2(hand[0], hand[2])
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = W @ about_y(zero_5), c
    parameters = common_parameters(axes, T, end, kernel.PARAMETERS)
    bent = zero_2 + (zero_3 if axes.is_revolute[2] else 0.0)
    parameters[kernel.WRIST_FRAME :][:9] = (about_y(-bent) @ W).ravel()
    parameters[kernel.SHOULDER], parameters[kernel.OFFSET] = p[1, 0], c[1]
    parameters[kernel.UPPER], parameters[kernel.FORE] = upper, fore
    parameters[kernel.SLIDES] = 0.0 if axes.is_revolute[2] else 1.0
    parameters[kernel.SIGNS :][:6] = signs
    parameters[kernel.ZEROS :][:6] = [0.0, zero_2, zero_3, 0.0, zero_5, 0.0]
    return parameters


def _bending_arm(p: Floats, c: Floats) -> tuple[float, float, float, float]:
    """Return both lengths, and the angles of joints 2 and 3 at their zeros."""
    upper, fore = p[2] - p[1], c - p[2]
    zero_2 = angle_in_plane(upper)
    zero_3 = angle_in_plane(fore) - zero_2
    return math.hypot(upper[0], upper[2]), math.hypot(fore[0], fore[2]), zero_2, zero_3


def _sliding_arm(z: Floats, p: Floats, c: Floats) -> tuple[float, float, float, float]:
    """Return the slide's distance from axis 2, nothing, and the angle of joint 2 and the stroke at their zeros."""
    zero_2 = angle_in_plane(z[2])
    across = np.array([math.cos(zero_2), 0.0, -math.sin(zero_2)])
    return float((c - p[1]) @ across), 0.0, zero_2, float((c - p[1]) @ z[2])
