"""Lines, arcs, circles and helices: laws of their geometry, and SciPy's Slerp as an oracle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.motion.segments import arc, arc_about, circle, line
from armlab.motion.toolpath.elements import TURN_LENGTH
from armlab.motion.toolpath.toolpath import ToolPath
from strategies import axes, coordinates, poses

points = st.tuples(coordinates, coordinates, coordinates).map(np.array)


def differences(path: ToolPath, s: Floats, h: float) -> Floats:
    """The derivatives as central differences of `at` and of the first derivatives: (m, 4, 3)."""
    ahead, behind = path.at(s + h), path.at(s - h)
    change = (path.derivatives(s + h) - path.derivatives(s - h)) / (2.0 * h)
    turn = pose.rotation_vector(ahead[:, :3, :3] @ np.swapaxes(behind[:, :3, :3], 1, 2)) / (2.0 * h)
    return np.stack([(ahead - behind)[:, :3, 3] / (2.0 * h), change[:, 0], turn, change[:, 2]], axis=1)


def assert_derivatives_are_true(path: ToolPath) -> None:
    h = 1e-5 * path.length
    s = np.linspace(2.0 * h, path.length - 2.0 * h, 23)
    found, expected = path.derivatives(s), differences(path, s, h)
    for k in range(4):
        scale = 1.0 + np.abs(found[:, k]).max() + np.abs(found[:, 2:]).max()
        np.testing.assert_allclose(found[:, k], expected[:, k], atol=1e-6 * scale)


def three_frames(T: Floats, p_via: Floats, T_end: Floats) -> tuple[Floats, Floats, Floats]:
    a, b, c = T[:3, 3], p_via, T_end[:3, 3]
    sides = [float(np.linalg.norm(side)) for side in (b - a, c - b, c - a)]
    area = float(np.linalg.norm(np.cross(b - a, c - a)))
    assume(min(sides) > 1e-2 and area > 1e-2 * max(sides) ** 2)
    return a, b, c


@given(poses(), poses())
def test_a_line_goes_from_start_to_end_and_is_as_long_as_the_larger_of_way_and_turn(A: Floats, B: Floats) -> None:
    turn = float(np.linalg.norm(pose.rotation_vector(A[:3, :3].T @ B[:3, :3])))
    travel = float(np.linalg.norm(B[:3, 3] - A[:3, 3]))
    assume(max(travel, turn) > 1e-3)
    path = line(A, B)
    np.testing.assert_allclose(path.start, A, atol=1e-13)
    np.testing.assert_allclose(path.end, B, atol=1e-13)
    assert path.length == pytest.approx(max(travel, TURN_LENGTH * turn))
    np.testing.assert_array_equal(path.nodes, [0.0, path.length])


@given(poses(), poses())
def test_on_a_line_speed_and_turn_are_even(A: Floats, B: Floats) -> None:
    assume(np.abs(A - B).max() > 1e-3)
    path = line(A, B)
    rates = path.derivatives(np.linspace(0.0, path.length, 7))
    assert np.abs(rates - rates[0]).max() < 1e-9
    np.testing.assert_allclose(rates[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(rates[:, 3], 0.0, atol=1e-10)
    assert_derivatives_are_true(path)


@given(poses(), poses())
def test_a_line_turns_like_slerp(A: Floats, B: Floats) -> None:
    angle = float(np.linalg.norm(pose.rotation_vector(A[:3, :3].T @ B[:3, :3])))
    assume(1e-3 < angle < math.pi - 1e-3)
    path, share = line(A, B), np.linspace(0.0, 1.0, 9)
    slerp = Slerp([0.0, 1.0], Rotation.from_matrix(np.stack([A[:3, :3], B[:3, :3]])))
    np.testing.assert_allclose(path.at(share * path.length)[:, :3, :3], slerp(share).as_matrix(), atol=1e-12)


def test_of_two_ways_of_a_half_turn_always_the_same_one_is_taken() -> None:
    A = np.eye(4)
    for axis in ([1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.8, 0], [0.6, -0.8, 0]):
        for angle in (math.pi, -math.pi, math.pi + 1e-12, math.pi - 1e-12):
            B = pose.from_xyz_axis_angle([0, 0, 0], axis, angle)
            path = line(A, B)
            np.testing.assert_allclose(path.derivatives(0.0)[2], np.array(axis) / TURN_LENGTH, atol=1e-8)
            np.testing.assert_allclose(path.end, B, atol=1e-14)


def test_a_turn_on_the_spot_has_a_length() -> None:
    path = line(np.eye(4), pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], 2.0))
    assert path.length == pytest.approx(2.0 * TURN_LENGTH)
    np.testing.assert_allclose(path.at(path.length / 2.0), pose.from_xyz_axis_angle([0, 0, 0], [0, 0, 1], 1.0))


@given(poses(), points, poses())
def test_an_arc_lies_on_the_circle_through_its_points(A: Floats, p_via: Floats, B: Floats) -> None:
    a, b, c = three_frames(A, p_via, B)
    path = arc(A, p_via, B)
    np.testing.assert_allclose(path.start, A, atol=1e-11)
    np.testing.assert_allclose(path.end, B, atol=1e-9)
    np.testing.assert_allclose(path.at(path.nodes[1])[:3, 3], b, atol=1e-9)
    p = path.at(np.linspace(0.0, path.length, 12))[:, :3, 3]
    normal = np.cross(b - a, c - a)
    basis = np.stack([2.0 * (b - a), 2.0 * (c - a), normal])
    center = np.linalg.solve(basis, [b @ b - a @ a, c @ c - a @ a, normal @ a])
    np.testing.assert_allclose(np.linalg.norm(p - center, axis=1), np.linalg.norm(a - center), rtol=1e-8)
    np.testing.assert_allclose((p - a) @ normal / np.linalg.norm(normal), 0.0, atol=1e-9)


@given(poses(), points, poses())
def test_on_an_arc_the_derivatives_are_true_and_the_turn_is_even(A: Floats, p_via: Floats, B: Floats) -> None:
    three_frames(A, p_via, B)
    path = arc(A, p_via, B)
    assert_derivatives_are_true(path)
    rates = path.derivatives(np.linspace(0.0, path.length, 7))
    np.testing.assert_allclose(rates[:, 2] - rates[0, 2], 0.0, atol=1e-9)
    assert np.linalg.norm(rates[:, 0], axis=1).max() <= 1.0 + 1e-12


def test_a_full_circle_returns_to_its_start() -> None:
    A = pose.from_xyz_rpy([0.1, 0.0, 0.0], [0.3, 0.2, 0.1])
    path = circle(A, [0.0, 0.1, 0.0], [-0.1, 0.0, 0.0])
    assert path.length == pytest.approx(0.2 * math.pi)
    np.testing.assert_allclose(path.end, A, atol=1e-15)
    np.testing.assert_allclose(path.at(path.nodes)[1:3, :3, 3], [[0.0, 0.1, 0.0], [-0.1, 0.0, 0.0]], atol=1e-15)
    np.testing.assert_allclose(path.at(0.3)[:3, :3], A[:3, :3], atol=1e-15)
    assert len(path.stops) == len(path.knots) == 0


@given(poses(), points, axes(), st.floats(-20.0, 20.0), st.floats(-1.0, 1.0))
def test_a_helix_keeps_its_radius_and_rises_evenly(
    A: Floats, center: Floats, axis: Floats, angle: float, rise: float
) -> None:
    assume(abs(angle) > 1e-2)
    unit = axis / np.linalg.norm(axis)
    radius = float(np.linalg.norm(np.cross(unit, A[:3, 3] - center)))
    assume(radius > 1e-3)
    path = arc_about(A, center, axis, angle, rise=rise)
    assert path.length == pytest.approx(math.hypot(angle * radius, rise))
    share = np.linspace(0.0, 1.0, 13)
    offset = path.at(share * path.length)[:, :3, 3] - center
    np.testing.assert_allclose(offset @ unit - offset[0] @ unit, share * rise, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(np.cross(unit, offset), axis=1), radius, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(path.derivatives(share)[:, 0], axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(path.end[:3, :3], A[:3, :3])
    turned = pose.from_xyz_axis_angle([0, 0, 0], axis, angle)[:3, :3] @ offset[0] + rise * unit
    np.testing.assert_allclose(offset[-1], turned, atol=1e-9)


def test_an_arc_about_an_axis_can_turn_the_tool() -> None:
    A, B = pose.from_xyz([1.0, 0.0, 0.0]), pose.from_xyz_rpy([9, 9, 9], [0.0, 0.0, math.pi / 2])
    path = arc_about(A, [0, 0, 0], [0, 0, 2], math.pi / 2, B)
    np.testing.assert_allclose(path.end, pose.from_xyz_rpy([0.0, 1.0, 0.0], [0.0, 0.0, math.pi / 2]), atol=1e-15)


EYE = np.eye(4)
NAN = np.full((4, 4), np.nan)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "same frames": (lambda: line(EYE, EYE), "line: start and end are the same frame"),
    "nan": (lambda: line(EYE, NAN), r"T_end\[0, 0\]: nan is not a finite number"),
    "no pose": (lambda: line(2.0 * EYE, EYE), "T_start: .*last row"),
    "no rotation": (lambda: line(EYE, np.diag([1.0, 2.0, 1.0, 1.0])), "T_end: .* rotation"),
    "on one line": (
        lambda: arc(EYE, [1, 0, 0], pose.from_xyz([2, 0, 0])),
        "arc: its three points lie on one line; use a line",
    ),
    "same start and via": (
        lambda: arc(EYE, [0, 0, 0], pose.from_xyz([2, 0, 0])),
        "arc: 'start' and 'via' are the same point; three",
    ),
    "same start and end": (lambda: arc(EYE, [1, 0, 0], EYE), "arc: 'start' and 'end' are the same point"),
    "circle": (
        lambda: circle(EYE, [1, 0, 0], [-1, 0, 0]),
        "circle: its three points lie on one line; use a line",
    ),
    "via": (lambda: arc(EYE, [1, 0], EYE), r"p_via: expected shape \(3,\), got \(2,\)"),
    "no axis": (lambda: arc_about(EYE, [1, 0, 0], [0, 0, 0], 1.0), "axis: must not be zero"),
    "no angle": (lambda: arc_about(EYE, [1, 0, 0], [0, 0, 1], 0.0), "angle: an arc of 0 rad has no length"),
    "angle nan": (lambda: arc_about(EYE, [1, 0, 0], [0, 0, 1], math.nan), "angle: nan is not a finite number"),
    "rise": (
        lambda: arc_about(EYE, [1, 0, 0], [0, 0, 1], 1.0, rise=math.inf),
        "rise: inf is not a finite number",
    ),
    "no radius": (lambda: arc_about(EYE, [0, 0, 5], [0, 0, 1], 1.0), "center: the start lies on the axis"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_segment_is_refused_with_a_reason(case: str) -> None:
    build, sentence = REFUSED[case]
    with pytest.raises(InvalidInput, match=sentence):
        build()
