"""Calibration: seeded arms are found from noisy measurements, and what is said about the result is true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from calibration.measuring import configurations, mean_distance, measured_poses, measured_positions

import armlab
from armlab.arrays import Floats
from armlab.calibration import (
    ClosedLoops,
    Distances,
    PlaneTouches,
    Poses,
    RealArm,
    SphereTouches,
    align,
    best_poses,
    calibrate,
    cross_validate,
    real_arm,
    real_fk,
    residual_map,
)
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput, LimitViolation, NotSupported, UnknownName
from armlab.geometry import pose
from armlab.model.scene import Scene
from oracles.arms import random_arm

SIX = "kuka-kr6-r700"
SEEDS = 25


def drawn(seed: int, name: str = SIX) -> RealArm:
    return real_arm(armlab.load(name), "industrial", seed=seed)


@pytest.mark.parametrize("name", [SIX, "ur5e", "scara", "stanford", "planar3", "odd"])
def test_exact_measurements_give_the_exact_arm(name: str) -> None:
    """The parametrisation is complete: whatever frames, offsets and tool an arm has, it can be written so."""
    robot = (
        random_arm("odd", ("revolute", "prismatic", "revolute", "revolute"), 4) if name == "odd" else armlab.load(name)
    )
    full = real_arm(robot, "industrial", seed=3)
    bare = replace(full, joints=tuple(replace(joint, bending_stiffness=np.inf) for joint in full.joints), payload=None)
    q = configurations(bare, 80, seed=1)
    found = calibrate(robot, Poses(q, real_fk(bare, q), noise=1e-7, rotation_noise=1e-7))
    other = configurations(bare, 50, seed=2)
    np.testing.assert_allclose(real_fk(found.real, other), real_fk(bare, other), atol=2e-7)


@pytest.mark.parametrize("name", [SIX, "ur5e", "abb-irb120"])
def test_forty_noisy_poses_bring_the_error_down_to_the_noise(name: str) -> None:
    ratios = []
    for seed in range(6):
        real = drawn(seed, name)
        found = calibrate(real.nominal, measured_poses(real, configurations(real, 40, seed), seed))
        fresh = configurations(real, 200, seed + 100)
        seen = measured_poses(real, fresh, seed + 100).T
        noise = mean_distance(seen, real_fk(real, fresh))
        after = mean_distance(seen, real_fk(found.real, fresh))
        assert mean_distance(seen, real.nominal.fk(fresh)) > 10.0 * after
        ratios.append(after / noise)
    assert np.mean(ratios) < 1.2


def test_stated_bounds_hold_as_often_as_they_say() -> None:
    inside = []
    for seed in range(SEEDS):
        real = drawn(seed)
        found = calibrate(real.nominal, measured_poses(real, configurations(real, 40, seed), seed))
        q = configurations(real, 120, seed + 500)
        true = calibrate(real.nominal, Poses(q, real_fk(real, q), noise=1e-7, rotation_noise=1e-6))
        inside += [
            p.lower <= t.value <= p.upper
            for p, t in zip(found.parameters, true.parameters, strict=True)
            if p.identifiable
        ]
    share = np.mean(inside)
    # parameters of one arm are correlated: the share of an arm counts once, with a spread of about 0.04
    assert abs(share - 0.95) < 3.0 * 0.04 / np.sqrt(SEEDS) + 0.01


def test_positions_do_not_tell_how_the_tool_is_turned_and_say_so() -> None:
    real = drawn(1)
    found = calibrate(real.nominal, measured_positions(real, configurations(real, 60, 1), 1), model="geometry")
    unknown = {each.name for each in found.parameters if not each.identifiable}
    assert {"tool turn x", "tool turn y", "tool turn z"} <= unknown
    assert all(np.isinf(each.sigma) for each in found.parameters if each.name in unknown)
    assert found.parameter("A2 shift x").identifiable
    assert found.after.mean < 0.1 * found.before.mean


def test_a_joint_that_never_moved_hides_its_ratio() -> None:
    real = drawn(2)
    q = configurations(real, 60, 3)
    q[:, 3] = 0.4
    found = calibrate(real.nominal, measured_poses(real, q, 3))
    assert not found.parameter("A4 ratio").identifiable
    assert found.parameter("A3 ratio").identifiable


def test_correlations_are_those_of_the_covariance() -> None:
    real = drawn(2)
    found = calibrate(real.nominal, measured_poses(real, configurations(real, 40, 3), 3), model="geometry")
    spread = np.array([each.sigma for each in found.parameters])
    np.testing.assert_allclose(found.correlation * np.outer(spread, spread), found.covariance, rtol=1e-9, atol=1e-20)
    np.testing.assert_allclose(np.diag(found.correlation), 1.0)


def test_the_noise_is_found_too() -> None:
    real = drawn(4)
    q = configurations(real, 150, 4)
    found = calibrate(real.nominal, measured_poses(real, q, 4, position=2e-4, rotation=5e-4))
    assert found.position_noise == pytest.approx(2e-4, rel=0.15)
    assert found.rotation_noise == pytest.approx(5e-4, rel=0.15)


def test_outliers_are_found_and_do_no_harm() -> None:
    real = drawn(5)
    q = configurations(real, 60, 5)
    measured = measured_poses(real, q, 5)
    bad = [3, 17, 40, 58]
    T = measured.T.copy()
    T[bad, :3, 3] += np.random.default_rng(5).normal(0, 5e-3, (4, 3))
    found = calibrate(real.nominal, Poses(q, T))
    assert set(bad) == set(found.outliers)
    fresh = configurations(real, 100, 6)
    clean = calibrate(real.nominal, measured)
    true = real_fk(real, fresh)
    assert mean_distance(real_fk(found.real, fresh), true) < 1.5 * mean_distance(real_fk(clean.real, fresh), true)


def test_distances_touches_and_loops_improve_the_arm() -> None:
    real = drawn(6)
    robot = real.nominal
    free = configurations(real, 400, 6)
    rng = np.random.default_rng(6)
    anchor = np.array([1.2, 0.4, 0.1])
    lengths = np.linalg.norm(real_fk(real, free[:150])[:, :3, 3] - anchor, axis=1) + rng.normal(0, 2e-5, 150)
    bar = Distances(free[:150], lengths)
    assert not calibrate(robot, bar, model="geometry").parameter("tool turn x").identifiable
    both = calibrate(robot, [bar, measured_positions(real, free[150:190], 7)], model="elastic")
    np.testing.assert_allclose(both.unknowns[0], anchor, atol=1e-3)
    assert both.after.mean < 0.1 * both.before.mean


def _touching(real: RealArm, goals: Floats, seed: int) -> Floats:
    """Return commanded joints that put the real tool point exactly at `goals` (m, 3), by Newton's method."""
    nominal = real.nominal
    q = nominal.home + np.random.default_rng(seed).uniform(-0.4, 0.4, (len(goals), real.dof))
    for _step in range(40):
        off = goals - real_fk(real, q)[:, :3, 3]
        far = np.linalg.norm(off, axis=1, keepdims=True)
        step = off * np.minimum(1.0, 0.2 / np.maximum(1e-12, far))
        q = q + (np.linalg.pinv(nominal.jacobian(q)[:, :3]) @ step[:, :, None])[:, :, 0]
    is_there = (far[:, 0] < 1e-9) & (q > nominal.lower).all(axis=1) & (q < nominal.upper).all(axis=1)
    return np.asarray(q[is_there])


def test_touches_of_a_plane_a_sphere_and_a_socket_fit_to_their_noise() -> None:
    real = drawn(8)
    rng = np.random.default_rng(8)
    home = real.nominal.fk(real.nominal.home)[:3, 3]
    flat = home + rng.uniform(-0.15, 0.15, (120, 3)) * [1, 1, 0]
    away = rng.normal(size=(120, 3))
    centre = home + np.array([0.0, 0.1, -0.05])
    ball = centre + 0.05 * away / np.linalg.norm(away, axis=1)[:, None]
    for kind, goals in (
        (PlaneTouches, flat),
        (lambda q: SphereTouches(q, 0.05), ball),
        (ClosedLoops, np.repeat(home[None], 120, axis=0)),
    ):
        q = _touching(real, goals, 9)
        assert len(q) > 60
        found = calibrate(real.nominal, kind(q), model="geometry")
        assert found.before.rms > 5e-5
        assert found.after.rms < 0.1 * found.before.rms


def test_a_tracker_that_stands_anywhere_is_aligned() -> None:
    real = drawn(9)
    q = configurations(real, 50, 9)
    measured = measured_poses(real, q, 9)
    T_tracker_world = pose.from_xyz_abc([1.5, -0.7, 0.3], [0.5, -0.2, 2.0])
    moved = Poses(q, T_tracker_world @ measured.T)
    with pytest.raises(InvalidInput) as refused:
        calibrate(real.nominal, moved)
    assert refused.value.code == "measurement_frame"
    base = align(q, real.nominal, moved.T[:, :3, 3])
    found = calibrate(real.nominal, moved, base=base)
    fresh = configurations(real, 50, 10)
    assert mean_distance(real_fk(found.real, fresh), T_tracker_world @ real_fk(real, fresh)) < 1e-4


def test_cross_validation_is_honest() -> None:
    real = drawn(10)
    q = configurations(real, 60, 10)
    measured = measured_poses(real, q, 10)
    across = cross_validate(real.nominal, measured, seed=1)
    fitted = calibrate(real.nominal, measured).after
    noise = 5e-5 * np.sqrt(3)
    assert fitted.rms < noise < across.rms < 1.6 * noise
    with pytest.raises(NotSupported):
        cross_validate(real.nominal, ClosedLoops(q))


def test_the_map_of_errors_knows_what_is_left() -> None:
    real = drawn(11)
    found = calibrate(real.nominal, measured_poses(real, configurations(real, 40, 11), 11))
    true, told = residual_map(found, truth=real, seed=1), residual_map(found, seed=1)
    assert true.after.mean() < 0.1 * true.before.mean()
    assert true.after.mean() == pytest.approx(told.after.mean(), rel=0.6)


def test_chosen_poses_are_free_inside_the_limits_and_better_than_random() -> None:
    robot = armlab.load(SIX)
    choice = best_poses(robot, 30, candidates=200, seed=1)
    assert (choice.q > robot.lower).all()
    assert (choice.q < robot.upper).all()
    assert np.all(Checker(Scene.of(robot)).is_free(choice.q))
    assert choice.observability > choice.random_observability
    assert len(np.unique(choice.q, axis=0)) == 30
    high = best_poses(robot, 10, region=lambda T: T[:, 2, 3] > 0.5, model="geometry", seed=1)
    assert (robot.fk(high.q)[:, 2, 3] > 0.5).all()


def test_chosen_poses_see_parameters_better() -> None:
    robot = armlab.load(SIX)
    real = drawn(12)
    chosen = best_poses(robot, 40, candidates=250, seed=2).q
    found = [calibrate(robot, measured_poses(real, q, 12)) for q in (chosen, configurations(real, 40, 12))]
    assert found[0].rank == found[1].rank
    # the volume of what is uncertain, whichever parameters describe it
    seen = [float(np.log(one.singular_values[: one.rank] * one.position_noise).sum()) for one in found]
    assert seen[0] > seen[1]


def test_too_few_alike_and_outside_are_refused() -> None:
    real = drawn(1)
    q = configurations(real, 40, 1)
    for rows, code in ((q[:4], "too_few_measurements"), (np.repeat(q[:1], 40, axis=0), "measurements_alike")):
        with pytest.raises(InvalidInput) as refused:
            calibrate(real.nominal, measured_poses(real, rows, 1))
        assert refused.value.code == code
    outside = q.copy()
    outside[7, 2] = 4.0
    with pytest.raises(LimitViolation) as beyond:
        calibrate(real.nominal, measured_poses(real, outside, 1))
    assert (beyond.value.parameters["index"], beyond.value.parameters["joint"]) == (7, "A3")
    with pytest.raises(UnknownName):
        calibrate(real.nominal, measured_poses(real, q, 1), model="best")  # type: ignore[arg-type]
    broken = measured_poses(real, q, 1).T
    broken[5, 0, 3] = np.nan
    with pytest.raises(InvalidInput) as missing:
        Poses(q, broken)
    assert "T[5, 0, 3]" in str(missing.value)


def test_mistakes_of_units_order_and_sign_are_found_and_named() -> None:
    real = drawn(1)
    q = configurations(real, 40, 1)
    points = measured_positions(real, q, 1)
    swapped = q[:, [1, 0, 2, 3, 5, 4]]
    flipped = q * [1, 1, -1, 1, 1, 1]
    for rows, scale, code in (
        (np.degrees(q), 1.0, "measurement_units"),
        (np.radians(q), 1.0, "measurement_units"),
        (q, 1e3, "measurement_units"),
        (q, 1e-3, "measurement_units"),
        (swapped, 1.0, "measurement_joint_order"),
        (flipped, 1.0, "measurement_joint_signs"),
        (q[::-1].copy(), 1.0, "measurements_far_off"),
    ):
        with pytest.raises(InvalidInput) as refused:
            calibrate(real.nominal, replace(points, q=rows, points=points.points * scale))
        assert refused.value.code == code
        if code == "measurement_joint_order":
            assert list(refused.value.parameters["order"]) == ["A2", "A1", "A3", "A4", "A6", "A5"]
        if code == "measurement_joint_signs":
            assert list(refused.value.parameters["joints"]) == ["A3"]
