"""Rounded corners: within the distance, without stops, with continuous second derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.motion.blending import rounded
from armlab.motion.segments import arc, arc_about, line
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath


def corner(angle: float, turn: float = 0.0) -> ToolPath:
    """Two lines of 0.2 m that meet at (0.2, 0, 0); the direction changes by `angle`, the tool turns by `turn`."""
    last = [0.2 + 0.2 * math.cos(angle), 0.2 * math.sin(angle), 0.0]
    return through(
        pose.from_xyz_rpy(np.array([[0, 0, 0], [0.2, 0, 0], last]), np.array([[0, 0, 0], [0, 0, 0], [turn, 0, 0]]))
    )


def zigzag(seed: int, count: int, turn: float) -> ToolPath:
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(count, 3))
    steps *= rng.uniform(0.1, 0.4, (count, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
    return through(pose.from_xyz_rpy(np.cumsum(steps, axis=0), turn * rng.normal(size=(count, 3))))


zigzags = st.builds(zigzag, st.integers(0, 10_000), st.integers(2, 8), st.sampled_from((0.0, 0.1, 1.0)))


def assert_smooth(path: ToolPath) -> None:
    """No stops and no knots, and the ends of all elements meet up to the second derivative."""
    assert len(path.stops) == len(path.knots) == 0
    inner = path.rows.breaks[1:-1]
    before, after = path.derivatives(np.nextafter(inner, 0.0)), path.derivatives(inner)
    scale = 1.0 + np.maximum(np.abs(before), np.abs(after)).max(initial=0.0, axis=(0, 2))[:, None]
    assert (np.abs(after - before) / scale).max(initial=0.0) < 1e-6


def distance_to(points: Floats, path: ToolPath) -> Floats:
    p = path.at(np.linspace(0.0, path.length, 4001))[:, :3, 3]
    return np.asarray(np.linalg.norm(points[:, None] - p, axis=2).min(axis=1))


@settings(max_examples=40)
@given(path=zigzags, distance=st.floats(1e-4, 1.0))
def test_a_rounded_path_is_smooth_and_keeps_its_ends(path: ToolPath, distance: float) -> None:
    smooth = rounded(path, distance)
    assert_smooth(smooth)
    np.testing.assert_allclose(smooth.start, path.start, atol=1e-12)
    np.testing.assert_allclose(smooth.end, path.end, atol=1e-12)
    assert len(smooth.nodes) == len(path.nodes)
    assert (np.diff(smooth.nodes) > 0.0).all()
    assert smooth.nodes[-1] == pytest.approx(smooth.length)


@settings(max_examples=15)
@given(path=zigzags, distance=st.floats(1e-3, 0.2))
def test_a_blend_stays_within_the_distance_of_its_corner(path: ToolPath, distance: float) -> None:
    smooth = rounded(path, distance)
    p = smooth.at(np.linspace(0.0, smooth.length, 300))[:, :3, 3]
    off = distance_to(p, path) > 1e-3 * path.length
    corners = path.at(path.stops)[:, :3, 3]
    if off.any():
        near = np.linalg.norm(p[off][:, None] - corners, axis=2).min(axis=1)
        assert near.max() <= distance * (1.0 + 1e-9)
    met = np.linalg.norm(smooth.at(smooth.nodes[1:-1])[:, :3, 3] - path.at(path.nodes[1:-1])[:, :3, 3], axis=1)
    assert met.max(initial=0.0) <= distance


@pytest.mark.parametrize("angle", [1e-3, 0.3, 1.0, 2.0, 3.0, 3.13])
def test_a_corner_of_lines_is_cut_inside_and_gone_through_at_unit_speed(angle: float) -> None:
    path = corner(angle)
    smooth = rounded(path, 0.05)
    assert_smooth(smooth)
    assert smooth.length < path.length
    s = np.linspace(0.0, smooth.length, 2000)
    np.testing.assert_allclose(np.linalg.norm(smooth.derivatives(s)[:, 0], axis=1), 1.0, atol=1e-6)
    straight = s < 0.15 - 1e-9
    np.testing.assert_allclose(smooth.at(s[straight]), path.at(s[straight]), atol=1e-12)
    np.testing.assert_allclose(smooth.at(smooth.length - 0.1), path.at(0.3), atol=1e-12)


def test_a_corner_takes_at_most_half_of_its_neighbours() -> None:
    path = corner(1.0)
    wide, half = rounded(path, 10.0), rounded(path, 0.1)
    s = np.linspace(0.0, half.length, 50)
    np.testing.assert_allclose(wide.at(s), half.at(s), atol=1e-12)


def test_lines_and_arcs_blend_as_well() -> None:
    first = arc(np.eye(4), [0.1, 0.1, 0.0], pose.from_xyz_rpy([0.2, 0.0, 0.0], [0.0, 0.4, 0.0]))
    path = first.then(line(first.end, pose.from_xyz([0.4, 0.1, 0.1])))
    path = path.then(arc_about(path.end, [0.4, 0.1, 0.3], [0, 1, 0], 2.0, rise=0.1))
    smooth = rounded(path, 0.03)
    assert len(path.stops) == 2
    assert_smooth(smooth)
    corners = path.at(path.stops)[:, :3, 3]
    p = smooth.at(np.linspace(0.0, smooth.length, 500))[:, :3, 3]
    away = np.linalg.norm(p[:, None] - corners, axis=2).min(axis=1) > 0.03
    assert distance_to(p[away], path).max() < 2e-4


def test_a_corner_of_the_turn_alone_leaves_the_line_straight() -> None:
    path = corner(0.0, turn=0.8)
    smooth = rounded(path, 0.05)
    assert_smooth(smooth)
    assert smooth.length == pytest.approx(path.length)
    p = smooth.at(np.linspace(0.0, smooth.length, 99))[:, :3, 3]
    np.testing.assert_allclose(p[:, 1:], 0.0, atol=1e-15)


def test_a_line_passes_over_smoothly_into_a_turn_on_the_spot() -> None:
    frames = pose.from_xyz_rpy(
        np.array([[0, 0, 0], [0.2, 0, 0], [0.2, 0, 0]]), np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1.5]])
    )
    smooth = rounded(through(frames), 0.05)
    assert_smooth(smooth)
    np.testing.assert_allclose(smooth.end, frames[-1], atol=1e-12)
    x = smooth.at(np.linspace(0.0, smooth.length, 99))[:, 0, 3]
    assert (np.diff(x) >= -1e-12).all()


def test_where_the_tool_turns_straight_back_it_still_stops() -> None:
    back = through(pose.from_xyz(np.array([[0, 0, 0], [0.2, 0, 0], [0.1, 0, 0], [0.1, 0.2, 0]])))
    smooth = rounded(back, 0.02)
    np.testing.assert_allclose(smooth.stops, [0.2])
    turning = through(pose.from_xyz_rpy(np.zeros((3, 3)), np.array([[0, 0, 0], [1, 0, 0], [0.5, 0, 0]])))
    assert len(rounded(turning, 0.02).stops) == 1


def test_a_path_without_corners_or_a_distance_of_zero_changes_nothing() -> None:
    straight = line(np.eye(4), pose.from_xyz([1, 0, 0]))
    assert rounded(straight, 0.1) is straight
    path = corner(1.0)
    assert rounded(path, 0.0) is path


def test_a_rounded_path_can_be_rounded_no_further() -> None:
    smooth = rounded(corner(1.0, 0.5), 0.05)
    assert rounded(smooth, 0.1) is smooth


@pytest.mark.parametrize("distance", [-0.1, math.nan, math.inf])
def test_a_distance_below_zero_or_no_number_is_refused(distance: float) -> None:
    with refused("distance_negative", InvalidInput):
        rounded(corner(1.0), distance)
