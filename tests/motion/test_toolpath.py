"""Paths of a tool as a whole: joining, stops, curves through nodes; SciPy's splines as oracles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.interpolate import BSpline, CubicSpline

from armlab.arrays import Floats
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.motion.segments import arc_about, line
from armlab.motion.toolpath.elements import TURN_LENGTH
from armlab.motion.toolpath.through import PathKind, through
from armlab.motion.toolpath.toolpath import ToolPath, joined
from strategies import poses

KINDS: tuple[PathKind, ...] = get_args(PathKind)
CURVED: tuple[PathKind, ...] = ("quadratic", "bspline", "spline")


def wandering(seed: int, count: int, turn: float) -> Floats:
    """Frames some decimetres apart, turned at random by about `turn` (rad)."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(count, 3))
    steps *= rng.uniform(0.1, 0.4, (count, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
    return pose.from_xyz_rpy(np.cumsum(steps, axis=0), turn * rng.normal(size=(count, 3)))


nodes = st.builds(wandering, st.integers(0, 10_000), st.integers(2, 8), st.sampled_from((0.0, 0.05, 1.0)))
gentle = st.builds(wandering, st.integers(0, 10_000), st.integers(2, 8), st.sampled_from((0.0, 0.02)))


def far_from(places: Floats, path: ToolPath, room: float) -> Floats:
    edges = np.concatenate([[0.0], path.knots, [path.length]])
    return np.asarray(places[np.abs(places[:, None] - edges).min(axis=1) > room])


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(frames=nodes)
def test_the_derivatives_are_those_of_the_path(kind: PathKind, frames: Floats) -> None:
    path = through(frames, kind)
    curvature = float(np.abs(path.derivatives(np.linspace(0.0, path.length, 400))).max())
    h = 1e-4 / max(curvature, 1.0)
    s = far_from(np.linspace(0.0, path.length, 37), path, 4.0 * h)
    found = path.derivatives(s)
    near = [path.at(s + k * h) for k in (-2, -1, 1, 2)]
    rates = [path.derivatives(s + k * h) for k in (-2, -1, 1, 2)]
    change = (8.0 * (rates[2] - rates[1]) - (rates[3] - rates[0])) / (12.0 * h)
    p = [T[:, :3, 3] for T in near]
    R = path.at(s)[:, :3, :3]
    phi = [pose.rotation_vector(T[:, :3, :3] @ np.swapaxes(R, 1, 2)) for T in near]
    expected = [(8.0 * (x[2] - x[1]) - (x[3] - x[0])) / (12.0 * h) for x in (p, phi)]
    np.testing.assert_allclose(found[:, 0], expected[0], atol=1e-6)
    np.testing.assert_allclose(found[:, 2], expected[1], atol=1e-6 * (1.0 + np.abs(found[:, 2]).max()))
    for k, first in ((1, 0), (3, 2)):
        scale = 1.0 + float(np.abs(found[:, k]).max()) + curvature
        np.testing.assert_allclose(found[:, k], change[:, first], atol=1e-6 * scale)


@pytest.mark.parametrize("kind", CURVED)
@settings(max_examples=25)
@given(frames=gentle)
def test_on_a_curve_the_tool_point_has_unit_speed(kind: PathKind, frames: Floats) -> None:
    path = through(frames, kind)
    speed = np.linalg.norm(path.derivatives(np.linspace(0.0, path.length, 999))[:, 0], axis=1)
    np.testing.assert_allclose(speed, 1.0, atol=1e-7)


def test_the_length_of_a_parabola_is_right() -> None:
    x = np.array([0.0, 0.5, 1.0])
    path = through(pose.from_xyz(np.stack([x, np.zeros(3), x * (1.0 - x)], axis=1)), "quadratic")
    slope = 1.0  # x(1 - x) is a parabola with slopes 1 and -1 at its ends: length √2/2 + asinh(1)/2
    assert path.length == pytest.approx((slope * math.sqrt(2.0) + math.asinh(slope)) / 2.0, rel=1e-9)
    p = path.at(np.linspace(0.0, path.length, 50))[:, :3, 3]
    np.testing.assert_allclose(p[:, 2], p[:, 0] * (1.0 - p[:, 0]), atol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "quadratic", "spline"])
@settings(max_examples=30)
@given(frames=nodes)
def test_a_path_passes_its_nodes(kind: PathKind, frames: Floats) -> None:
    path = through(frames, kind)
    np.testing.assert_allclose(path.at(path.nodes), frames, atol=1e-11)


@settings(max_examples=30)
@given(frames=nodes)
def test_a_b_spline_meets_its_ends_and_the_orientation_of_every_node(frames: Floats) -> None:
    path = through(frames, "bspline")
    np.testing.assert_allclose(path.at(path.nodes[[0, -1]]), frames[[0, -1]], atol=1e-11)
    np.testing.assert_allclose(path.at(path.nodes)[:, :3, :3], frames[:, :3, :3], atol=1e-11)


@pytest.mark.parametrize("kind", CURVED)
@settings(max_examples=30)
@given(frames=nodes)
def test_curves_need_no_stop_and_have_continuous_second_derivatives(kind: PathKind, frames: Floats) -> None:
    path = through(frames, kind)
    assert len(path.stops) == len(path.knots) == 0
    before, after = path.derivatives(np.nextafter(path.nodes[1:-1], 0.0)), path.derivatives(path.nodes[1:-1])
    np.testing.assert_allclose(before, after, atol=1e-6 * (1.0 + np.abs(after).max(initial=0.0)))


def closest(points: Floats, curve: Floats) -> Floats:
    """How far each point is from the nearest of the straight pieces of a curve."""
    a, step = curve[:-1], np.diff(curve, axis=0)
    share = np.einsum("mki,ki->mk", points[:, None] - a, step) / np.einsum("ki,ki->k", step, step)
    foot = a + np.clip(share, 0.0, 1.0)[:, :, None] * step
    return np.asarray(np.linalg.norm(points[:, None] - foot, axis=2).min(axis=1))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_a_b_spline_is_the_one_of_scipy(count: int) -> None:
    frames = wandering(count, count, 0.3)
    degree = min(3, count - 1)
    spans = count - degree
    knots = np.concatenate([np.zeros(degree), np.arange(spans + 1.0), np.full(degree, float(spans))])
    oracle = BSpline(knots, frames[:, :3, 3], degree)(np.linspace(0.0, spans, 4001))
    path = through(frames, "bspline")
    p = path.at(np.linspace(0.0, path.length, 60))[:, :3, 3]
    assert closest(p, oracle).max() < 1e-6


@pytest.mark.parametrize("count", [3, 4, 9])
def test_a_spline_is_the_natural_one_of_scipy(count: int) -> None:
    frames = wandering(count, count, 0.0)
    p = frames[:, :3, 3]
    u = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    oracle = CubicSpline(u, p, bc_type="natural")(np.linspace(0.0, u[-1], 4001))
    path = through(frames, "spline")
    assert closest(path.at(np.linspace(0.0, path.length, 60))[:, :3, 3], oracle).max() < 1e-6


@pytest.mark.parametrize("kind", CURVED)
def test_two_nodes_or_many_on_a_line_make_a_line(kind: PathKind) -> None:
    A, B = wandering(3, 2, 0.05)
    share = np.array([0.0, 0.25, 0.4, 0.9, 1.0])
    straight = line(A, B)
    for frames in (np.stack([A, B]), straight.at(share * straight.length)):
        path = through(frames, kind)
        assert path.length == pytest.approx(straight.length)
        s = np.linspace(0.0, path.length, 9)
        np.testing.assert_allclose(path.at(s)[:, :3, 3], straight.at(s)[:, :3, 3], atol=1e-8)
        if kind != "bspline":
            np.testing.assert_allclose(path.at(s), straight.at(s), atol=1e-8)


@pytest.mark.parametrize("kind", CURVED)
def test_a_curve_stops_where_it_turns_straight_back(kind: PathKind) -> None:
    path = through(pose.from_xyz(np.array([[0, 0, 0], [0.2, 0, 0], [0.1, 0, 0]])), kind)
    np.testing.assert_allclose(path.stops, [0.2])
    assert path.length == pytest.approx(0.3)


@pytest.mark.parametrize("kind", CURVED)
def test_a_curve_stops_before_and_after_a_turn_on_the_spot(kind: PathKind) -> None:
    frames = pose.from_xyz_rpy(
        np.array([[0, 0, 0], [0.2, 0, 0], [0.2, 0, 0], [0.2, 0.2, 0]]),
        np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1.0], [0, 0, 1.0]]),
    )
    path = through(frames, kind)
    np.testing.assert_allclose(path.stops, [0.2, 0.2 + TURN_LENGTH])
    np.testing.assert_allclose(path.at(path.nodes), frames, atol=1e-12)


@pytest.mark.parametrize("kind", CURVED)
def test_a_tool_that_only_turns_does_so_smoothly(kind: PathKind) -> None:
    frames = pose.from_xyz_rpy(np.zeros((4, 3)), np.array([[0, 0, 0], [0.5, 0, 0], [0.5, 0.7, 0], [1.0, 0.7, 0.6]]))
    path = through(frames, kind)
    rates = path.derivatives(np.linspace(0.0, path.length, 99))
    assert len(path.knots) == 0
    np.testing.assert_allclose(np.linalg.norm(rates[:, 2], axis=1) * TURN_LENGTH, 1.0, atol=1e-7)
    np.testing.assert_allclose(rates[:, :2], 0.0, atol=1e-12)


def test_uneven_nodes_do_not_make_the_orientation_swing_out() -> None:
    frames = pose.from_xyz_rpy(
        np.array([[0, 0, 0], [0.01, 0, 0], [5, 0, 0], [10, 0, 0]]),
        np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]),
    )
    path = through(frames, "quadratic")
    roll = pose.as_rpy(path.at(np.linspace(path.nodes[1], path.length, 500)))[:, 0]
    assert np.abs(roll - 1.0).max() < 0.25


def test_with_a_step_the_curve_becomes_short_lines() -> None:
    frames = wandering(5, 5, 0.2)
    curve, lines = through(frames, "spline"), through(frames, "spline", step=0.02)
    points = lines.at(lines.nodes)[:, :3, 3]
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).max() <= 0.02
    assert closest(points, curve.at(np.linspace(0.0, curve.length, 5000))[:, :3, 3]).max() < 1e-6
    assert len(lines.stops) == len(lines.nodes) - 2


def test_corners_are_stops_and_tangent_arcs_are_only_knots() -> None:
    out = line(np.eye(4), pose.from_xyz([0.3, 0, 0]))
    bend = arc_about(out.end, [0.3, 0.1, 0], [0, 0, 1], math.pi / 2)
    up = line(bend.end, bend.end @ pose.from_xyz([0, 0, 0.2]))
    path = out.then(bend).then(up)
    corner = 0.3 + 0.05 * math.pi
    np.testing.assert_allclose(path.stops, [corner])
    np.testing.assert_allclose(path.knots, [0.3, corner])
    np.testing.assert_allclose(path.nodes, [0.0, 0.3, corner, corner + 0.2])
    assert path.length == pytest.approx(corner + 0.2)


def test_lines_that_go_on_straight_have_neither_stops_nor_knots() -> None:
    path = through(pose.from_xyz(np.array([[0, 0, 0], [0.1, 0, 0], [0.4, 0, 0]])))
    assert len(path.knots) == 0


def test_a_jump_in_the_turn_is_a_stop_as_well() -> None:
    path = through(
        pose.from_xyz_rpy(
            np.array([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]]), np.array([[0, 0, 0], [0, 0, 0], [0.5, 0, 0]])
        )
    )
    np.testing.assert_allclose(path.stops, [0.1])


@given(poses())
def test_joined_paths_are_the_paths(T: Floats) -> None:
    frames = T @ wandering(7, 5, 0.5)
    parts = [line(frames[0], frames[1]), through(frames[1:4], "spline"), line(frames[3], frames[4])]
    path = joined(parts)
    starts = np.cumsum([0.0, *(part.length for part in parts)])
    for start, part in zip(starts, parts, strict=False):
        s = np.linspace(1e-9, part.length - 1e-9, 11)
        np.testing.assert_allclose(path.at(start + s), part.at(s), atol=1e-12)
        np.testing.assert_allclose(path.derivatives(start + s), part.derivatives(s), atol=1e-6)
    np.testing.assert_allclose(path.at(path.nodes), frames, atol=1e-11)


def test_s_is_clamped_and_may_be_one_number_or_many() -> None:
    path = through(wandering(2, 4, 0.3), "spline")
    assert path.at(0.1).shape == (4, 4)
    assert path.at([0.1, 0.2]).shape == (2, 4, 4)
    assert path.derivatives(0.1).shape == (4, 3)
    np.testing.assert_array_equal(path.at(-1.0), path.start)
    np.testing.assert_array_equal(path.at(path.length + 1.0), path.end)


def test_samples_hold_both_ends_and_every_corner() -> None:
    path = through(wandering(4, 4, 0.0))
    places = path.places(0.03)
    assert np.diff(places).max() <= 0.03 + 1e-12
    assert np.isin(path.stops, places).all()
    np.testing.assert_array_equal(path.sampled(0.03), path.at(places))
    np.testing.assert_array_equal(path.sampled(99.0), path.at(path.nodes))


def test_a_path_cannot_be_changed() -> None:
    path = line(np.eye(4), pose.from_xyz([1, 0, 0]))
    with pytest.raises(ValueError, match="read-only"):
        path.nodes[0] = 1.0
    with pytest.raises(AttributeError):
        path.nodes = np.zeros(2)  # type: ignore[misc]


A = np.eye(4)
B = pose.from_xyz([0.1, 0, 0])
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "one frame": (lambda: through([A]), "frames: at least two are needed, got 1"),
    "none": (lambda: through(np.zeros((0, 4, 4))), "frames: at least two are needed, got 0"),
    "shape": (lambda: through(A), r"frames: expected shape \(m, 4, 4\), got \(4, 4\)"),
    "same": (lambda: through([A, B, B]), "frames: node 2 and node 3 are the same frame; leave one out"),
    "nan": (lambda: through([A, np.full((4, 4), np.nan)]), r"frames\[1, 0, 0\]: nan is not a finite number"),
    "no pose": (lambda: through([A, 2.0 * A]), "frames.*: .*last row"),
    "many": (lambda: through(np.zeros((100_001, 4, 4))), "frames: at most 100000 are allowed, got 100001"),
    "gap": (lambda: line(A, B).then(line(A, B)), "path 2: it starts 0.1 m and 0 rad away from the end of path 1"),
    "nothing": (lambda: joined([]), "paths: at least one is needed"),
    "s": (lambda: line(A, B).at(math.nan), "s: nan is not a finite number"),
    "step": (lambda: line(A, B).sampled(0.0), "step: must be > 0 m, got 0 m"),
    "small step": (lambda: line(A, B).sampled(1e-12), r"step: 1e-12 m makes 1e\+11 frames; too many at once"),
    "step nan": (lambda: through([A, B], step=math.nan), "step: must be > 0 m, got nan m"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_path_is_refused_with_a_reason(case: str) -> None:
    build, sentence = REFUSED[case]
    with pytest.raises(InvalidInput, match=sentence):
        build()


def test_an_unknown_kind_is_refused_and_the_known_ones_are_named() -> None:
    with refused("unknown_interpolation", UnknownName, name="cubic"):
        through([A, B], "cubic")  # type: ignore[arg-type]


def test_a_cusp_is_refused_with_its_place() -> None:
    zigzag = pose.from_xyz(np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]]))
    path = through(zigzag, "spline")
    assert path.length > 0.3
    loop = pose.from_xyz(np.array([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]]))
    with refused("path_cusp", InvalidInput, kind="bspline", first=2, second=3):
        through(loop, "bspline")
