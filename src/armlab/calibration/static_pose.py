"""Where the tool of a real arm is when its controller says that it is at q."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows
from armlab.calibration.arm import FrameError, RealArm
from armlab.calibration.error_chain import ChainPoses, ErrorValues, chain_poses, joint_values
from armlab.calibration.loads import GravityLoads, gravity_loads
from armlab.dynamics.forces import GRAVITY
from armlab.geometry import pose
from armlab.model.robot import Robot


def real_fk(
    real: RealArm,
    q: ArrayLike,
    *,
    approach: ArrayLike | None = None,
    time: float = 0.0,
    gravity: ArrayLike = GRAVITY,
) -> Floats:
    """Return T_world_tool of the real arm at rest at the commanded joints `q`: (n,) → (4, 4), (m, n) → (m, 4, 4).

    Args:
        real: the arm.
        q: commanded joint values, as the nominal controller counts them.
        approach: the direction (−1, 0, 1) that each joint arrived from, (n,) or (m, n): backlash and hysteresis leave
            half their width behind; 0, the default, is the middle.
        time: s since a cold start; the arm drifts while it warms up.
        gravity: m/s² in the world.
    """
    rows, single = as_rows(q, real.dof, f"{real.nominal.name}: q")
    loads = loads_on(real, rows, gravity)
    T = real_chain(real, joints_of(real, rows, loads, approach=approach, time=time), loads, time=time).tool
    return T[0] if single else T


def real_joints(
    real: RealArm,
    q: ArrayLike,
    *,
    approach: ArrayLike | None = None,
    time: float = 0.0,
    gravity: ArrayLike = GRAVITY,
) -> Floats:
    """Return where the joints of the real arm are at rest when they are commanded to `q`, (n,) or (m, n)."""
    rows, single = as_rows(q, real.dof, f"{real.nominal.name}: q")
    there = joints_of(real, rows, loads_on(real, rows, gravity), approach=approach, time=time)
    return there[0] if single else there


def real_frames(real: RealArm, q: ArrayLike, *, time: float = 0.0, gravity: ArrayLike = GRAVITY) -> Floats:
    """Return where every link of the real arm and last its tool are at rest at the commanded joints, as Robot.frames.

    (n,) → (n + 2, 4, 4), (m, n) → (m, n + 2, 4, 4).
    """
    rows, single = as_rows(q, real.dof, f"{real.nominal.name}: q")
    loads = loads_on(real, rows, gravity)
    poses = real_chain(real, joints_of(real, rows, loads, time=time), loads, time=time)
    frames = np.concatenate([poses.moved, poses.tool[None]]).swapaxes(0, 1)
    return frames[0] if single else frames


def loads_on(real: RealArm, rows: Floats, gravity: ArrayLike = GRAVITY) -> GravityLoads:
    """Return what weight does to each joint; the nominal geometry is near enough for that."""
    return gravity_loads(real.nominal, real.carried, rows, as_floats(gravity, (3,), "gravity"))


def joints_of(
    real: RealArm, rows: Floats, loads: GravityLoads, *, approach: ArrayLike | None = None, time: float = 0.0
) -> Floats:
    """Return where the joints really are (m, n) when they are told to be at `rows` and loaded so."""
    there = joint_values(values_of(real), rows, loads)
    warm = real.thermal.temperature(time)
    if warm:
        there += warm * real.column("drift")
    if approach is not None:
        lost = (real.column("backlash") + real.column("hysteresis")) / 2.0
        there -= lost * np.sign(np.asarray(approach, dtype=np.float64))
    return there


def real_chain(real: RealArm, q_real: Floats, loads: GravityLoads, *, time: float = 0.0) -> ChainPoses:
    """Return all frames of the real arm whose joints really are at `q_real` (m, n)."""
    values = values_of(real)
    values.growth = real.thermal.expansion * real.thermal.temperature(time)
    return chain_poses(real.nominal, values, q_real, loads.across)


def values_of(real: RealArm) -> ErrorValues:
    """Return the errors of a real arm as arrays."""
    return ErrorValues(
        frame=np.array([six_of(joint.frame) for joint in real.joints]),
        offset=real.column("offset"),
        ratio=real.column("ratio"),
        eccentricity=real.column("eccentricity"),
        compliance=1.0 / real.column("stiffness"),
        bending=1.0 / real.column("bending_stiffness"),
        base=six_of(real.base),
        tool=six_of(real.tool),
    )


def six_of(error: FrameError) -> Floats:
    """Return shift and rotation vector as one row (6,)."""
    return np.concatenate([error.xyz, error.rotation])


def real_robot(real: RealArm) -> Robot:
    """Return a Robot with the real arm's geometry and payload: what a simulation of it is made of.

    Its joint values are where the joints really are, and its limits leave room for the errors of joint values.
    """
    nominal = real.nominal
    room = 0.01 * (nominal.upper - nominal.lower) + 0.01
    joints = tuple(
        replace(
            joint,
            T_parent_joint=joint.T_parent_joint @ error.frame.pose,
            lower=joint.lower - float(more),
            upper=joint.upper + float(more),
        )
        for joint, error, more in zip(nominal.joints, real.joints, room, strict=True)
    )
    tool = replace(
        nominal.tool,
        T_flange_tool=pose.as_one_pose(nominal.tool.T_flange_tool @ real.tool.pose, "tool"),
        inertia=real.carried,
    )
    return replace(
        nominal,
        joints=joints,
        base=nominal.base @ real.base.pose,
        tool=tool,
        configurations=dict(nominal.configurations),
    )
