"""ISO 9283: the standard's formulas on arms whose errors are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.calibration import FrameError, RealArm, RealJoint, real_arm, real_fk
from armlab.calibration.iso9283 import (
    commanded_paths,
    compliance,
    corner_characteristics,
    distance_characteristics,
    measuring_plane,
    path_characteristics,
    pose_characteristics,
    recorded_iso9283,
    simulate_iso9283,
)
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.scene import Scene

SIX = "kuka-kr6-r700"


@pytest.mark.parametrize("name", [SIX, "ur5e", "scara", "braccio", "kuka-kr210-r2700"])
def test_the_plane_is_that_of_the_standard(name: str) -> None:
    robot = armlab.load(name)
    plane = measuring_plane(robot)
    p = plane.T[:, :3, 3]
    np.testing.assert_allclose(robot.fk(plane.q)[:, :3, 3], p, atol=1e-5)
    assert np.all(Checker(Scene.of(robot)).is_free(plane.q))
    assert (plane.q >= robot.lower).all()
    assert (plane.q <= robot.upper).all()
    np.testing.assert_allclose(p[1:].mean(axis=0), p[0], atol=1e-12)
    normal = np.cross(*plane.axes)
    np.testing.assert_allclose((p - p[0]) @ normal, 0.0, atol=1e-12)
    assert abs(normal[2]) == pytest.approx(np.sqrt(0.5))
    diagonal = plane.side * np.sqrt(3.0)
    np.testing.assert_allclose(np.linalg.norm(p[1:] - p[0], axis=1), 0.4 * diagonal)


def test_accuracy_is_the_shift_and_repeatability_the_spread() -> None:
    rng = np.random.default_rng(1)
    T = pose.from_xyz_abc([0.4, 0.1, 0.3], [0.3, 0.2, 0.1])
    attained = np.repeat(T[None], 20_000, axis=0)
    attained[:, :3, 3] += np.array([1e-3, -2e-3, 2e-3]) + rng.normal(0, 1e-4, (20_000, 3))
    found = pose_characteristics(T, attained)
    assert found.accuracy == pytest.approx(3e-3, rel=1e-3)
    # distances of a normal cloud follow Maxwell's distribution: mean 2σ√(2/π), variance σ²(3 − 8/π)
    expected = 1e-4 * (2 * np.sqrt(2 / np.pi) + 3 * np.sqrt(3 - 8 / np.pi))
    assert found.repeatability == pytest.approx(expected, rel=0.02)
    np.testing.assert_allclose(found.turn, 0.0, atol=1e-12)


def test_distance_repeatability_is_three_standard_deviations_of_a_sample() -> None:
    """RD = 3 √(Σ (D_j − D̄)² / (n − 1)): of two distances that is 3 |D₁ − D₂| / √2, of few cycles as of many."""
    start = np.zeros(3)
    two = np.array([[0.5, 0.0, 0.0], [0.5 + 1e-4, 0.0, 0.0]])
    found = distance_characteristics((start, two[0]), (np.zeros((2, 3)), two))
    assert found.repeatability == pytest.approx(3.0 * 1e-4 / np.sqrt(2.0), rel=1e-9)
    # without bias: the squares of RD over many series of three cycles have the mean 9 σ²
    rng = np.random.default_rng(6)
    series = 0.5 + rng.normal(0.0, 1e-4, (4000, 3))
    squares = []
    for distances in series:
        ends = np.column_stack([distances, np.zeros((3, 2))])
        squares.append(distance_characteristics((start, two[0]), (np.zeros((3, 3)), ends)).repeatability ** 2)
    assert np.mean(squares) == pytest.approx(9.0 * 1e-8, rel=0.08)


def test_distance_accuracy_has_a_sign() -> None:
    a, b = np.zeros((10, 3)), np.tile([0.5 + 1e-3, 0, 0], (10, 1))
    found = distance_characteristics((np.zeros(3), np.array([0.5, 0, 0])), (a, b))
    assert found.accuracy == pytest.approx(1e-3)
    assert found.repeatability == pytest.approx(0.0, abs=1e-15)


def test_a_late_path_is_as_accurate_as_one_in_time_and_a_shifted_one_is_not() -> None:
    angle = np.linspace(0, 2 * np.pi, 2000)
    ring = 0.2 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    late = np.array([np.roll(ring, shift, axis=0) for shift in (5, 7, 9)])
    late[:, :9] = ring[0]
    found, lines = path_characteristics(ring, late)
    assert found.accuracy < 2e-6
    assert lines.shape[0] == 4
    shifted, _lines = path_characteristics(ring, ring[None] + np.array([[[0, 0, 1e-3]], [[0, 0, 1e-3]]]))
    assert shifted.accuracy == pytest.approx(1e-3)
    assert shifted.repeatability == pytest.approx(0.0, abs=1e-9)


def test_a_rounded_corner_is_told_by_its_distance() -> None:
    corners = np.array([[0.0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0]])
    t = np.linspace(0, 1, 400)[:, None]
    cut = np.concatenate([t * [0.09, 0, 0], [0.09, 0, 0] + t * [0.01, 0.01, 0], [0.1, 0.01, 0] + t * [0, 0.09, 0]])
    found = corner_characteristics(corners, cut[None])
    assert found.rounding == pytest.approx(0.01 / np.sqrt(2), rel=1e-2)
    assert found.overshoot == pytest.approx(0.0, abs=1e-12)
    over = np.concatenate([t * [0.102, 0, 0], [0.102, 0, 0] + t * [-0.002, 0.02, 0], [0.1, 0.02, 0] + t * [0, 0.08, 0]])
    assert corner_characteristics(corners, over[None]).overshoot == pytest.approx(0.002, rel=1e-2)


def test_a_perfect_arm_is_perfect_and_a_moved_tool_is_found() -> None:
    robot = armlab.load(SIX)
    perfect = simulate_iso9283(RealArm(robot), path_cycles=2)
    assert max(each.accuracy for each in perfect.poses) < 1e-6
    assert max(each.repeatability for each in perfect.poses) < 1e-9
    assert max(path.result.accuracy for path in perfect.paths) < 2e-5
    assert perfect.compliance is not None
    assert not perfect.compliance.any()
    longer = simulate_iso9283(RealArm(robot, tool=FrameError(np.array([0, 0, 2e-3]))), path_cycles=2)
    np.testing.assert_allclose([each.accuracy for each in longer.poses], 2e-3, rtol=1e-3)
    p = longer.plane.T[:, :3, 3]
    straight, shift = (p[3] - p[1]) / np.linalg.norm(p[3] - p[1]), 2e-3 * longer.plane.T[0, :3, 2]
    across = float(np.linalg.norm(shift - (shift @ straight) * straight))
    np.testing.assert_allclose([path.result.accuracy for path in longer.paths], [across, 2e-3, 2e-3], rtol=0.02)
    assert longer.distance is not None
    assert abs(longer.distance.accuracy) < 1e-6


def test_better_arms_test_better() -> None:
    robot = armlab.load(SIX)
    tests = [simulate_iso9283(real_arm(robot, name, seed=3), path_cycles=2) for name in ("iso", "industrial", "hobby")]
    for what in ("accuracy", "repeatability"):
        values = [max(getattr(each, what) for each in test.poses) for test in tests]
        assert values[0] < values[1] < values[2]


def test_compliance_is_how_far_a_hung_weight_pulls_the_tool_down() -> None:
    robot = armlab.load(SIX)
    drawn = real_arm(robot, "industrial", seed=2).joints
    joints = [RealJoint(j.name, stiffness=j.stiffness, bending_stiffness=j.bending_stiffness) for j in drawn]
    soft = RealArm(robot, tuple(joints), payload=Inertia())
    q = measuring_plane(robot).q[0]
    C = compliance(soft, q)
    np.testing.assert_allclose(C, C.T, atol=1e-15)
    assert (np.linalg.eigvalsh(C) > 0.0).all()
    tip = robot.tool.T_flange_tool[:3, 3]
    hung = replace(soft, payload=Inertia(1e-3, tip))
    moved = real_fk(hung, q)[:3, 3] - real_fk(soft, q)[:3, 3]
    np.testing.assert_allclose(moved, C @ [0, 0, -9.81e-3], rtol=2e-2, atol=1e-10)


def test_a_recording_gives_what_was_recorded(tmp_path: Path) -> None:
    robot = armlab.load(SIX)
    plane = measuring_plane(robot)
    rows = ["point,x,y,z"]
    for cycle in range(4):
        for k in range(5):
            x, y, z = plane.T[k, :3, 3] * 1e3 + [0.5, 0.0, 0.01 * cycle]
            rows.append(f"{k + 1},{x:.6f},{y:.6f},{z:.6f}")
    file = tmp_path / "iso.csv"
    file.write_text("\n".join(rows))
    found = recorded_iso9283(robot, file)
    np.testing.assert_allclose([p.accuracy for p in found.poses], np.hypot(0.5, 0.015) * 1e-3, rtol=1e-6)
    assert not found.has_orientation
    for text, code in (
        ("x,y\n", "iso_columns"),
        ("point,x,y,z\n7,1,2,3\n", "iso_point"),
        ("point,x,y,z\n1,1,2,3\n", "iso_cycles"),
        ("point,x,y,z\n1,1,nan,3\n", "measurement_value"),
        ("", "iso_columns"),
    ):
        file.write_text(text)
        with pytest.raises(InvalidInput) as refused:
            recorded_iso9283(robot, file)
        assert refused.value.code == code


def recorded_lines(name: str, cycles: list[np.ndarray[Any, np.dtype[np.float64]]]) -> list[str]:
    """Return cycles of a path (m) as rows of a file."""
    return [
        f"{name},{cycle},{','.join(f'{value * 1e3:.6f}' for value in point)}"
        for cycle, points in enumerate(cycles, 1)
        for point in points
    ]


def test_recorded_paths_give_what_the_same_paths_gave_when_simulated(tmp_path: Path) -> None:
    """Sampled in time, each cycle another number of times, with pauses at the ends: the same comes out."""
    real = real_arm(armlab.load(SIX), "industrial", seed=4)
    simulated = simulate_iso9283(real, pose_cycles=3, path_cycles=4)
    rng = np.random.default_rng(1)
    rows = ["path,cycle,x,y,z"]
    for test in simulated.paths:
        cycles = []
        for path in test.attained:
            times = np.sort(np.concatenate([np.arange(len(path)), rng.uniform(0.0, len(path) - 1, 900)]))
            points = np.column_stack([np.interp(times, np.arange(len(path)), path[:, k]) for k in range(3)])
            rest = [np.repeat(points[end], 50, axis=0) + rng.normal(scale=1e-6, size=(50, 3)) for end in ([0], [-1])]
            cycles.append(np.concatenate([rest[0], points, rest[1]]))
        rows += recorded_lines(test.name, cycles)
    file = tmp_path / "paths.csv"
    file.write_text("\n".join(rows))
    found = recorded_iso9283(real.nominal, None, file)
    assert found.poses == ()
    assert [test.name for test in found.paths] == [test.name for test in simulated.paths]
    for recorded, known in zip(found.paths, simulated.paths, strict=True):
        assert recorded.result.accuracy == pytest.approx(known.result.accuracy, rel=0.05)
        assert recorded.result.repeatability == pytest.approx(known.result.repeatability, rel=0.25, abs=1e-5)


def test_recorded_corners_are_told_by_their_distance(tmp_path: Path) -> None:
    plane = measuring_plane(armlab.load(SIX))
    corners = plane.T[[1, 2, 3, 4, 1], :3, 3]
    cut = 0.02 * plane.side
    points = [corners[0]]
    for before, corner, after in zip(corners[:-2], corners[1:-1], corners[2:], strict=True):
        points += [corner + cut * (p - corner) / np.linalg.norm(p - corner) for p in (before, after)]
    points.append(corners[-1])
    file = tmp_path / "paths.csv"
    file.write_text("\n".join(["path,cycle,x,y,z", *recorded_lines("corners", [np.array(points)] * 3)]))
    found = recorded_iso9283(armlab.load(SIX), None, file).corners
    assert found is not None
    assert found.rounding == pytest.approx(cut / np.sqrt(2.0), rel=0.05)  # a straight cut across a right angle
    assert found.overshoot == pytest.approx(0.0, abs=1e-9)


def test_wrong_recordings_of_paths_are_named(tmp_path: Path) -> None:
    robot = armlab.load(SIX)
    line = commanded_paths(measuring_plane(robot))["line"]
    head, file = "path,cycle,x,y,z", tmp_path / "paths.csv"
    for rows, code in (
        ([], "iso_path_columns"),
        (["\0\1binary"], "iso_path_columns"),
        (["path,x,y,z"], "iso_path_columns"),
        ([head], "iso_path_cycles"),
        ([head, *recorded_lines("line", [line] * 2)], "iso_path_cycles"),
        ([head, "spiral,1,0,0,0"], "iso_path"),
        ([head, "line,0,0,0,0"], "iso_path"),
        ([head, "line,1,0,0"], "row_length"),
        ([head, "line,1,0,0,NaN"], "measurement_value"),
        ([head, *recorded_lines("line", [line * 1e-3] * 3)], "iso_path_away"),  # metres in place of mm
        ([head, *recorded_lines("line", [line[:300]] * 3)], "iso_path_part"),
    ):
        file.write_text("\n".join(rows))
        with pytest.raises(InvalidInput) as refused:
            recorded_iso9283(robot, None, file)
        assert refused.value.code == code, rows[:2]
        assert str(refused.value).startswith(str(file)) or code in {"iso_path_away", "iso_path_part"}
