"""Made-up arms, and what the tests of the closed forms measure with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot

FAMILIES = {
    "abb-irb120": "spherical-wrist",
    "abb-irb2400": "spherical-wrist",
    "braccio": "yaw-and-roll",
    "epson-ls3": "scara",
    "fanuc-lrmate200id": "spherical-wrist",
    "kuka-kr16-2": "spherical-wrist",
    "kuka-kr210-r2700": "spherical-wrist",
    "kuka-kr3-r540": "spherical-wrist",
    "kuka-kr6-r700": "spherical-wrist",
    "kuka-kr6-r900": "spherical-wrist",
    "motoman-motomini": "spherical-wrist",
    "planar2": "planar-2r",
    "planar3": "planar-3r",
    "puma560": "spherical-wrist",
    "scara": "scara",
    "scara-s3": "scara",
    "stanford": "spherical-wrist-slide",
    "staubli-tx60": "spherical-wrist",
    "ur10e": "three-parallel",
    "ur3e": "three-parallel",
    "ur5e": "three-parallel",
}
WITHOUT = ("franka-panda", "kuka-iiwa14", "s5-rig", "xarm6")


def arm(*joints: tuple[str, list[float], list[float]], flange: Floats) -> Robot:
    """Return an arm from (kind, where its joint is in the frame of the one before, axis) for each joint."""
    made = tuple(
        Joint(f"j{i}", kind, pose.from_xyz(at), np.array(axis, dtype=float), -3.0, 3.0)  # type: ignore[arg-type]
        for i, (kind, at, axis) in enumerate(joints)
    )
    links = tuple(Link(f"link_{i}") for i in range(len(made) + 1))
    return Robot(name="made-up", joints=made, links=links, home=np.full(len(made), 0.3), source="test", flange=flange)


def turned(joint: Joint, value: float) -> Floats:
    """Return the motion (4, 4) of a joint by `value`, in the joint's frame."""
    if joint.kind == "revolute":
        return pose.from_xyz_axis_angle([0, 0, 0], joint.axis, value)
    return pose.from_xyz(joint.axis * value)


def disguised(robot: Robot, rng: np.random.Generator) -> tuple[Robot, Floats, Floats]:
    """Return the same arm elsewhere, with another tool, other signs, zeros and joint frames: q' = sign (q - zero)."""
    signs, zeros = rng.choice([-1.0, 1.0], robot.dof), rng.uniform(-2.0, 2.0, robot.dof)
    joints, before = [], np.eye(4)
    for joint, sign, zero in zip(robot.joints, signs, zeros, strict=True):
        G = pose.from_xyz_rpy(joint.axis * rng.uniform(-0.5, 0.5), rng.uniform(-3.0, 3.0, 3))
        T = before @ joint.T_parent_joint @ turned(joint, zero) @ G
        joints.append(replace(joint, T_parent_joint=T, axis=G[:3, :3].T @ joint.axis * sign))
        before = pose.inverse(G)
    changed = Robot(
        name="disguised",
        joints=tuple(joints),
        links=robot.links,
        home=signs * (robot.home - zeros),
        source="test",
        base=pose.from_xyz_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)),
        flange=before @ robot.flange,
        tool=Tool("t", "pen", pose.from_xyz_rpy(rng.uniform(-0.3, 0.3, 3), rng.uniform(-3, 3, 3))),
    )
    return changed, signs, zeros


def residual(robot: Robot, q: Floats, T: Floats) -> Floats:
    """Return how far (m, or rad) the tool is from the targets `T` (m, 4, 4) at the rows of `q`."""
    F = robot.fk(q)
    shift = np.linalg.norm(F[:, :3, 3] - T[:, :3, 3], axis=1)
    turn = np.linalg.norm(pose.rotation_vector(np.swapaxes(F[:, :3, :3], 1, 2) @ T[:, :3, :3]), axis=1)
    worse: Floats = np.maximum(shift, turn)
    return worse


def apart(robot: Robot, a: Floats, b: Floats) -> Floats:
    """Return the largest difference (…) of joint values (…, n), angles modulo a full turn."""
    d = np.asarray(a) - b
    turning = np.array([joint.kind == "revolute" for joint in robot.joints])
    largest: Floats = np.abs(np.where(turning, (d + np.pi) % (2.0 * np.pi) - np.pi, d)).max(axis=-1)
    return largest


def uniform(robot: Robot, count: int, rng: np.random.Generator) -> Floats:
    """Return random joint values (count, n) inside the limits."""
    return rng.uniform(np.maximum(robot.lower, -6.0), np.minimum(robot.upper, 6.0), (count, robot.dof))


def hard(robot: Robot, count: int, rng: np.random.Generator) -> Floats:
    """Return joint values each of which is, three times in ten, exactly on a limit, at zero or at mid-range."""
    lower, upper = np.maximum(robot.lower, -6.0), np.minimum(robot.upper, 6.0)
    special = np.stack([lower, upper, np.clip(0.0, lower, upper), 0.5 * (lower + upper)])
    chosen = special[rng.integers(0, 4, (count, robot.dof)), np.arange(robot.dof)]
    return np.where(rng.random((count, robot.dof)) < 0.3, chosen, uniform(robot, count, rng))


def conditioning(robot: Robot, q: Floats) -> Floats:
    """Return the smallest singular value (m,) of the Jacobian, lengths relative to the arm's."""
    J = robot.jacobian(q)
    length = np.linalg.norm(J[:, :3], axis=(1, 2), keepdims=True) + 1e-12
    J = np.concatenate([J[:, :3] / length, J[:, 3:]], axis=1)
    return np.asarray(np.linalg.svd(J, compute_uv=False)[:, -1], dtype=np.float64)


def found_from_many_starts(robot: Robot, T: Floats, starts: Floats, steps: int = 80) -> Floats:
    """Return every solution (k, n) of the target `T` (4, 4) that damped Newton steps reach from `starts` (m, n)."""
    q = starts.copy()
    damping = np.full(len(q), 1e-2)
    error = _error(robot, q, T)
    for _ in range(steps):
        J = robot.jacobian(q)
        A = np.swapaxes(J, 1, 2) @ J + damping[:, None, None] * np.eye(robot.dof)
        step = np.linalg.solve(A, np.swapaxes(J, 1, 2) @ error[..., None])[..., 0]
        tried = q + step
        new = _error(robot, tried, T)
        better = (new**2).sum(axis=1) < (error**2).sum(axis=1)
        q, error = np.where(better[:, None], tried, q), np.where(better[:, None], new, error)
        damping = np.clip(np.where(better, damping * 0.1, damping * 10.0), 1e-14, 1e6)
    return distinct(robot, q[np.linalg.norm(error, axis=1) < 1e-9])


def distinct(robot: Robot, q: Floats, tolerance: float = 1e-5) -> Floats:
    """Return the rows of `q` that differ, angles modulo a full turn."""
    kept: list[Floats] = []
    for row in q:
        if all(apart(robot, row, other) > tolerance for other in kept):
            kept.append(row)
    return np.array(kept).reshape(-1, robot.dof)


def _error(robot: Robot, q: Floats, T: Floats) -> Floats:
    F = robot.fk(q)
    turn = pose.rotation_vector(T[:3, :3] @ np.swapaxes(F[:, :3, :3], 1, 2))
    return np.concatenate([T[:3, 3] - F[:, :3, 3], turn], axis=1)
