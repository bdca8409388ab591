"""The singularity report: measures, ellipsoid, and KUKA's bits."""

from __future__ import annotations

import numpy as np
import pytest

from armlab import catalog
from armlab.kinematics.closed import kuka_status, kuka_turn
from armlab.kinematics.singularity import condition_number, manipulability
from armlab.reports.singularity import nearest_report, singularity_report, status_turn


@pytest.mark.parametrize("arm", ["planar2", "planar3", "scara", "kuka-kr6-r700", "ur5e", "franka-panda"])
def test_the_measures_are_the_library_s(arm: str) -> None:
    robot = catalog.load(arm)
    for q in robot.lower + (robot.upper - robot.lower) * np.random.default_rng(2).random((5, robot.dof)):
        report = singularity_report(robot, q)
        assert report.manipulability == pytest.approx(float(manipulability(robot, q)), rel=1e-6)
        assert report.condition == pytest.approx(float(condition_number(robot, q)), rel=1e-6)


@pytest.mark.parametrize("arm", ["planar3", "kuka-kr6-r700", "ur5e"])
def test_no_joint_speed_of_norm_one_leaves_the_ellipsoid_and_some_touch_it(arm: str) -> None:
    robot = catalog.load(arm)
    q = robot.home + 0.2
    ellipsoid = singularity_report(robot, q).ellipsoid
    axes, radii = np.array(ellipsoid.axes), np.array(ellipsoid.radii) / 1000.0
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-8)
    assert np.linalg.det(axes) > 0.0
    speeds = np.random.default_rng(0).normal(size=(4000, robot.dof))
    speeds /= np.linalg.norm(speeds, axis=1, keepdims=True)
    along = speeds @ robot.jacobian(q)[:3].T @ axes.T
    moved = radii > 1e-9
    assert np.abs(along[:, ~moved]).max(initial=0.0) < 1e-9
    size = np.linalg.norm(along[:, moved] / radii[moved], axis=1)
    assert size.max() <= 1.0 + 1e-9
    assert np.abs(along).max(axis=0)[0] > 0.9 * radii[0]
    np.testing.assert_allclose(ellipsoid.centre, 1000.0 * robot.fk(q)[:3, 3], atol=1e-6)


def test_a_singular_pose_says_what_is_singular_and_has_no_condition_number() -> None:
    robot = catalog.load("kuka-kr6-r700")
    report = nearest_report(robot, np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0]))
    assert report.singular
    assert report.condition is None
    assert report.kinds == ("wrist",)
    away = nearest_report(robot, np.radians([0.0, -90.0, 90.0, 0.0, 10.0, 0.0]))
    assert away.kinds == ()
    assert away.nearest is not None
    assert away.nearest.kind == "wrist"
    assert away.nearest.distance == pytest.approx(10.0, abs=0.1)


def test_only_arms_of_kuka_with_a_spherical_wrist_have_status_and_turn() -> None:
    robot = catalog.load("kuka-kr6-r700")
    found = status_turn(robot, robot.home)
    assert found is not None
    assert (found.status, found.turn) == (kuka_status(robot, robot.home), kuka_turn(robot.home))
    for arm in ("kuka-iiwa14", "ur5e", "puma560", "planar3"):
        assert status_turn(catalog.load(arm), catalog.load(arm).home) is None
