"""EAIK and ssik solve the same arms in ways of their own; both sets of solutions must be the same."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seven_members import interval_member

import armlab
from armlab.arrays import Floats
from armlab.kinematics.solvers import solver_of
from armlab.model.robot import Robot
from oracles.arms import joint_values

SIX_AXES = ("kuka-kr6-r700", "abb-irb120", "puma560", "ur5e")
SAME = 1e-6
"""How far apart (rad) two answers to the same question may be; near a singular pose rounding errors grow."""


def our_solutions(robot: Robot, T: Floats) -> Floats:
    """Return every solution of the closed form (k, n), limits aside."""
    q, valid = solver_of(robot).proposals(T[None])
    rows: Floats = q[0, valid[0] > 0.5]
    return rows


def turns_apart(q: Floats, others: Floats) -> Floats:
    """Return how far `q` (n,) is from each row of `others` in its worst joint, whole turns aside."""
    away: Floats = np.abs((others - q + math.pi) % (2.0 * math.pi) - math.pi).max(axis=1)
    return away


def assert_same_set(ours: Floats, theirs: Floats) -> None:
    assert len(ours) == len(theirs)
    partners = {int(turns_apart(q, theirs).argmin()) for q in ours}
    assert len(partners) == len(ours)
    assert max(float(turns_apart(q, theirs).min()) for q in ours) < SAME


def eaik_robot(robot: Robot) -> Any:
    """Return EAIK's robot from axes, steps from point to point, and the tool's rotation, all at joint values zero."""
    eaik = pytest.importorskip("eaik.pybindings.EAIK", reason="EAIK has no wheels for this platform")
    frames = robot.frames(np.zeros(robot.dof))
    axes = [T[:3, :3] @ joint.axis for T, joint in zip(frames[1:-1], robot.joints, strict=True)]
    points = np.vstack([np.zeros(3), frames[1:, :3, 3]])
    return eaik.Robot(np.array(axes).T, np.diff(points, axis=0).T, frames[-1, :3, :3], [], True)


@pytest.mark.parametrize("name", SIX_AXES)
def test_eaik_finds_the_same_solutions(name: str) -> None:
    robot = armlab.load(name)
    peer = eaik_robot(robot)
    assert peer.has_known_decomposition()
    for T in robot.fk(joint_values(robot, 100, seed=21)):
        answer = peer.calculate_IK(T)
        exact = [q for q, least_squares in zip(answer.Q, answer.is_LS, strict=True) if not least_squares]
        assert_same_set(our_solutions(robot, T), np.array(exact))


def ssik_arm(robot: Robot, folder: Path) -> Any:
    """Return ssik's arm, read from the URDF that we write."""
    ssik = pytest.importorskip("ssik", reason="ssik has no wheels for this platform")
    armlab.write_urdf(robot, folder / "arm.urdf")
    return ssik.Manipulator.from_urdf(str(folder / "arm.urdf"), base="base", ee="tool")


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e"])
def test_ssik_finds_the_same_solutions(name: str, tmp_path: Path) -> None:
    robot = armlab.load(name)
    peer = ssik_arm(robot, tmp_path)
    for T in robot.fk(joint_values(robot, 20, seed=22)):
        theirs = [s.q for s in peer.solve(T, respect_limits=False, enumerate_windings=False)]
        assert_same_set(our_solutions(robot, T), np.array(theirs))


def test_ssik_finds_as_many_solutions_inside_the_limits_with_every_turn(tmp_path: Path) -> None:
    robot = armlab.load("kuka-kr6-r700")
    peer = ssik_arm(robot, tmp_path)
    for T in robot.fk(joint_values(robot, 20, seed=23)):
        ours, theirs = armlab.all_ik(robot, T, turns=True).q, np.array([s.q for s in peer.solve(T)])
        assert len(ours) == len(theirs)
        assert max(float(np.abs(theirs - q).max(axis=1).min()) for q in ours) < SAME


def test_every_solution_of_ssik_for_the_panda_lies_on_one_of_our_branches(tmp_path: Path) -> None:
    robot = armlab.load("franka-panda")
    arm = solver_of(robot).seven
    assert arm is not None
    peer, looked = ssik_arm(robot, tmp_path), 0
    for T in robot.fk(joint_values(robot, 10, seed=24)):
        branches = [(s.branch, f.lower, f.upper) for s in armlab.all_ik(robot, T, turns=True) for f in s.free]
        for solution in peer.solve(T):
            q, number = solution.q, arm.branch_of(solution.q)
            name = arm.branch_names[number]
            assert any(b == name and low - SAME <= q[6] <= high + SAME for b, low, high in branches), q.tolist()
            member = interval_member(robot, arm, T, number, float(q[6]))
            assert member is not None
            assert float(np.abs(member - q).max()) < SAME
            looked += 1
    assert looked > 50
