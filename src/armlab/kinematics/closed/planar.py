"""Arms whose axes are all parallel: two or three turning joints, with or without one that slides (planar arms, SCARAs).

Names of the branches: *elbow left*: seen from above (against the common direction of the axes, which is taken
upwards), the second axis is left of the line from the first axis to the end: the third axis, or the tool's point if
there is none; *elbow right*: right of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import planar as kernel
from armlab.kernels.closed_form.answers import PARALLEL_AXES
from armlab.kinematics.closed.family import Family, branch_names
from armlab.kinematics.closed.lines import NOTHING, JointAxes, about_z, common_parameters, sign_of

NAMES = branch_names(("elbow", "left", "right"))
NONE = -1


def recognise(axes: JointAxes) -> Family | None:
    """Return the family of an arm with two or three turning joints and at most one slide, all parallel; or None."""
    turning = [i for i, turns in enumerate(axes.is_revolute) if turns]
    sliding = [i for i, turns in enumerate(axes.is_revolute) if not turns]
    if len(turning) not in {2, 3} or len(sliding) > 1:
        return None
    if not all(axes.are_parallel(0, i) for i in range(1, len(axes.z))):
        return None
    parameters = _parameters(axes, turning, sliding)
    if parameters is None:
        return None
    name = "scara" if sliding else f"planar-{len(turning)}r"
    return Family(name, NAMES, parameters, PARALLEL_AXES, choices)


def choices(parameters: Floats, q: Floats) -> tuple[NDArray[np.bool_], ...]:
    """Return whether the elbow is right, at each row of `q` (m, n)."""
    joint = int(parameters[kernel.JOINTS + 1])
    bend = q[:, joint] * parameters[kernel.SIGNS + 1] + parameters[kernel.ZEROS + 1]
    return (np.sin(bend) >= 0.0,)


def _parameters(axes: JointAxes, turning: list[int], sliding: list[int]) -> Floats | None:
    T = _frame(axes, turning)
    T_inverse = pose.inverse(T)
    z, p = axes.z @ T[:3, :3], pose.transform(T_inverse, axes.p)
    tool = pose.transform(T_inverse, axes.T_tool[:3, 3])
    wrist = p[turning[2]] if len(turning) == 3 else tool
    fore = wrist - p[turning[1]]
    l1, l2 = float(p[turning[1], 0]), math.hypot(fore[0], fore[1])
    if min(l1, l2) < NOTHING * axes.size:
        return None
    zero_2 = math.atan2(fore[1], fore[0])
    end = np.eye(4)
    end[:3, :3], end[:3, 3] = about_z(zero_2), [wrist[0], wrist[1], 0.0]
    parameters = common_parameters(axes, T, end, kernel.PARAMETERS)
    joints = [*turning, NONE][:3] + [*sliding, NONE][:1]
    parameters[kernel.UPPER], parameters[kernel.FORE] = l1, l2
    parameters[kernel.JOINTS :][:4] = joints
    parameters[kernel.SIGNS :][:4] = [z[i, 2].round() if i != NONE else 1.0 for i in joints]
    parameters[kernel.ZEROS :][:4] = [0.0, zero_2, 0.0, 0.0]
    return parameters


def _frame(axes: JointAxes, turning: list[int]) -> Floats:
    """Return T_world_canonical: z upwards along the axes, x towards the second one, the origin on the first."""
    first, second = turning[:2]
    z = axes.z[first] * sign_of(float(axes.z[first] @ axes.up))
    x = axes.p[second] - axes.p[first]
    x = x - z * (x @ z)
    length = float(np.linalg.norm(x))
    x = x / length if length > NOTHING * axes.size else np.cross(z, np.roll(z, 1))
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2], T[:3, 3] = x, np.cross(z, x), z, axes.p[first]
    return T
