"""Which arms have a closed form, found from their axes alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from closed_arms import FAMILIES, WITHOUT, apart, arm, disguised, residual, uniform
from hypothesis import given
from hypothesis import strategies as st

import armlab
from armlab.geometry import pose
from armlab.kinematics.closed import recognise
from armlab.model.robot import Robot

R, P = "revolute", "prismatic"
X, Y, Z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
COUNTS = {
    "planar-2r": 2,
    "planar-3r": 2,
    "scara": 2,
    "yaw-and-roll": 4,
    "spherical-wrist": 8,
    "spherical-wrist-slide": 8,
    "three-parallel": 8,
}
FLANGE = pose.from_xyz([0.0, 0.0, 0.07])


def test_every_catalog_arm_has_an_entry_here() -> None:
    assert {*FAMILIES, *WITHOUT} >= set(armlab.robot_names())


@pytest.mark.parametrize(("name", "family"), FAMILIES.items())
def test_a_catalog_arm_is_recognised(name: str, family: str) -> None:
    found = recognise(armlab.load(name))
    assert found is not None
    assert found.name == family
    assert found.count == len(set(found.branch_names)) == COUNTS[family]


@pytest.mark.parametrize("name", WITHOUT)
def test_other_arms_are_not(name: str) -> None:
    assert recognise(armlab.load(name)) is None


@given(name=st.sampled_from(sorted(FAMILIES)), seed=st.integers(0, 2**32 - 1))
def test_base_tool_signs_zeros_and_frames_of_an_arm_do_not_matter(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot = armlab.load(name)
    other, signs, zeros = disguised(robot, rng)
    q = signs * (uniform(robot, 20, rng) - zeros)
    family = recognise(other)
    assert family is not None
    assert family.name == FAMILIES[name]
    T = other.fk(q)
    found, valid = family.solve(T, other.dof)
    assert residual(other, found[valid], np.repeat(T, family.count, axis=0)[valid.ravel()]).max() < 1e-9
    assert np.where(valid, apart(other, found, q[:, None]), np.inf).min(axis=1).max() < 1e-6


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "braccio", "stanford", "scara", "planar3"])
def test_an_arm_with_one_axis_a_little_off_is_not_recognised(name: str) -> None:
    robot = armlab.load(name)
    rng = np.random.default_rng(5)
    for i, joint in enumerate(robot.joints):
        if name == "stanford" and i == 2:
            continue  # the direction of a slide may be anything square to axis 2
        axis = joint.axis + 1e-3 * rng.normal(size=3)
        joints = (*robot.joints[:i], replace(joint, axis=axis), *robot.joints[i + 1 :])
        assert recognise(replace(robot, joints=joints, configurations=dict(robot.configurations))) is None, joint.name


@pytest.mark.parametrize(
    "order", [(R, R, P, R), (R, R, R, P), (P, R, R, R), (R, P, R, R), (R, R, P), (P, R, R), (R, P, R)]
)
def test_the_slide_of_a_scara_may_stand_anywhere(order: tuple[str, ...]) -> None:
    robot = arm(*((kind, [0.2, 0.1, 0.05], Z) for kind in order), flange=pose.from_xyz([0.1, 0.02, 0.0]))
    family = recognise(robot)
    assert family is not None
    assert family.name == "scara"
    q = uniform(robot, 100, np.random.default_rng(0))
    found, valid = family.solve(robot.fk(q), robot.dof)
    assert (valid.sum(axis=1) == (2 if len(order) == 4 else 1)).all()
    assert np.where(valid, apart(robot, found, q[:, None]), np.inf).min(axis=1).max() < 1e-8


def _wrist_arm(upper: float, fore: float, shoulder: float, beside: float) -> Robot:
    return arm(
        (R, [0, 0, 0.3], Z),
        (R, [shoulder, beside, 0.1], Y),
        (R, [0, 0, upper], Y),
        (R, [0, 0, 0], X),
        (R, [fore, 0, 0], Y),
        (R, [0, 0, 0], X),
        flange=pose.from_xyz_rpy([0.1, 0, 0], [0, np.pi / 2, 0]),
    )


@given(
    upper=st.floats(0.1, 1.0),
    fore=st.floats(0.1, 1.0),
    shoulder=st.floats(-0.3, 0.3),
    beside=st.floats(-0.3, 0.3),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_lengths_of_an_arm_with_a_spherical_wrist_will_do(
    upper: float, fore: float, shoulder: float, beside: float, seed: int
) -> None:
    robot = _wrist_arm(upper, fore, shoulder, beside)
    family = recognise(robot)
    assert family is not None
    q = uniform(robot, 20, np.random.default_rng(seed))
    T = robot.fk(q)
    found, valid = family.solve(T, 6)
    assert residual(robot, found[valid], np.repeat(T, 8, axis=0)[valid.ravel()]).max() < 1e-9
    assert np.where(valid, apart(robot, found, q[:, None]), np.inf).min(axis=1).max() < 1e-5


@given(shoulder=st.floats(-0.3, 0.3), beside=st.floats(-0.3, 0.3), seed=st.integers(0, 2**32 - 1))
def test_a_three_parallel_arm_may_have_offsets_that_no_ur_has(shoulder: float, beside: float, seed: int) -> None:
    robot = arm(
        (R, [0, 0, 0.2], Z),
        (R, [shoulder, beside, 0.1], Y),
        (R, [0.5, 0, 0], Y),
        (R, [0.4, 0, 0.1], Y),
        (R, [0.03, 0.1, 0.02], Z),
        (R, [0, 0, 0.09], Y),
        flange=FLANGE,
    )
    family = recognise(robot)
    assert family is not None
    q = uniform(robot, 20, np.random.default_rng(seed))
    T = robot.fk(q)
    found, valid = family.solve(T, 6)
    assert residual(robot, found[valid], np.repeat(T, 8, axis=0)[valid.ravel()]).max() < 1e-9
    assert np.where(valid, apart(robot, found, q[:, None]), np.inf).min(axis=1).max() < 1e-5


def test_a_yaw_and_roll_arm_may_have_offsets_that_the_braccio_has_not() -> None:
    robot = arm(
        (R, [0, 0, 0.1], Z),
        (R, [0.03, 0.02, 0.1], Y),
        (R, [0.2, 0, 0], Y),
        (R, [0.2, 0, 0.05], Y),
        (R, [0.0, 0.03, 0.04], X),
        flange=FLANGE,
    )
    family = recognise(robot)
    assert family is not None
    q = uniform(robot, 2000, np.random.default_rng(2))
    found, valid = family.solve(robot.fk(q), 5)
    assert np.where(valid, apart(robot, found, q[:, None]), np.inf).min(axis=1).max() < 1e-6


def test_links_without_length_are_no_arm() -> None:
    assert recognise(_wrist_arm(0.0, 0.4, 0.1, 0.0)) is None
    assert recognise(arm((R, [0, 0, 0], Z), (R, [0, 0, 0], Z), flange=pose.from_xyz([0.1, 0, 0]))) is None
    assert recognise(arm((R, [0, 0, 0], Z), (R, [0.1, 0, 0], Z), flange=np.eye(4))) is None
