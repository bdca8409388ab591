"""What Hypothesis draws from: joint values, poses and made-up arms."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot

coordinates = st.floats(-2.0, 2.0)
angles = st.floats(-math.pi, math.pi)


@st.composite
def poses(draw: st.DrawFn) -> Floats:
    xyz = [draw(coordinates) for _ in range(3)]
    return pose.from_xyz_rpy(xyz, [draw(angles) for _ in range(3)])


@st.composite
def axes(draw: st.DrawFn) -> Floats:
    vector = np.array([draw(st.floats(-1.0, 1.0)) for _ in range(3)])
    return vector if np.linalg.norm(vector) > 1e-3 else np.array([0.0, 0.0, -1.0])


@st.composite
def robots(draw: st.DrawFn) -> Robot:
    n = draw(st.integers(1, 8))
    joints = tuple(
        Joint(f"j{i}", draw(st.sampled_from(("revolute", "prismatic"))), draw(poses()), draw(axes()), -3.0, 3.0)
        for i in range(n)
    )
    return Robot(
        name="drawn",
        joints=joints,
        links=tuple(Link(f"link_{i}") for i in range(n + 1)),
        home=np.zeros(n),
        source="drawn by Hypothesis",
        base=draw(poses()),
        flange=draw(poses()),
        tool=Tool("t", "pen", draw(poses())),
    )


@st.composite
def robots_with_q(draw: st.DrawFn) -> tuple[Robot, Floats]:
    robot = draw(robots())
    return robot, np.array([draw(st.floats(-3.0, 3.0)) for _ in range(robot.dof)])
