"""Moves are joined without a stop: continuous, within limits and tolerances, at feed rate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program.executor.runs import ARM, BLENDED, T_HOME, at, curve, distances_to_polyline, executed, lines, whole

from armlab.arrays import Floats
from armlab.motion.limits import limits_of
from armlab.motion.timing import stream
from armlab.motion.trajectory import JointState
from armlab.motion.verify import verify
from armlab.program.instructions import Blend, Instruction, MotionSettings, MoveC, MoveHelix, MoveL, MoveSpline

FEED = 0.05


def tool_speeds(state: JointState) -> Floats:
    return np.asarray(np.linalg.norm(np.einsum("mij,mj->mi", ARM.jacobian(state.q)[:, :3], state.qd), axis=1))


def test_short_segments_of_a_curve_run_at_feed_rate_with_no_limit_violated() -> None:
    pieces, events = executed(lines(curve(1500)))
    assert not events
    motion = whole(pieces)
    assert verify(motion, ARM) == []
    t = motion.times(0.005)
    state = motion.sample(t)
    speed = tool_speeds(state)
    assert speed.max() <= FEED
    inside = (t > 0.1) & (t < motion.duration - 0.1)
    np.testing.assert_allclose(speed[inside], FEED, rtol=1e-3)


def test_windows_join_with_the_same_place_and_speed() -> None:
    pieces, _ = executed(lines(curve(400)), lookahead=20)
    assert len(pieces) > 3
    for before, after in pairwise(pieces):
        end, start = before.trajectory.at(before.trajectory.duration), after.trajectory.at(0.0)
        np.testing.assert_allclose(start.q, end.q, atol=1e-9)
        np.testing.assert_allclose(start.qd, end.qd, atol=1e-8)
        assert np.abs(end.qd).max() > 1e-3
        assert after.start == pytest.approx(before.end)


def test_every_instruction_covers_its_time_and_nothing_is_left_between() -> None:
    program = lines(curve(120))
    pieces, _ = executed(program, lookahead=30)
    time, seen = 0.0, []
    for piece in pieces:
        assert piece.start == pytest.approx(time)
        edge = 0.0
        for one in piece.covered:
            assert one.start == edge
            assert one.end > one.start
            edge = one.end
            seen.append(one.index)
        assert edge == piece.trajectory.duration
        time = piece.end
    assert sorted(set(seen)) == list(range(len(program)))
    assert seen == sorted(seen)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-4, 1e-3])
def test_a_blend_stays_within_its_tolerance_of_the_exact_lines(tolerance: float) -> None:
    rng = np.random.default_rng(7)
    frames = [at(*(rng.uniform(-1, 1, 3) * [0.05, 0.05, 0.03])) for _ in range(20)]
    pieces, _ = executed(lines(frames, MotionSettings(tool_speed=0.2, blend=Blend(tolerance=tolerance))))
    motion = whole(pieces)
    points = ARM.fk(motion.sample(motion.times(0.001)).q)[:, :3, 3]
    corners = np.array([T[:3, 3] for T in (T_HOME, *frames)])
    off = distances_to_polyline(points, corners)
    assert off.max() <= tolerance + 1e-7
    assert off.max() > 0.2 * tolerance
    nearest = [np.linalg.norm(points - corner, axis=1).min() for corner in corners[1:-1]]
    assert max(nearest) <= tolerance + 2e-4  # samples are 0.2 mm apart


def test_a_radius_is_how_far_from_its_corner_a_path_is_left() -> None:
    radius = 0.01
    frames = [at(0.05, 0.0), at(0.05, 0.05), at(0.0, 0.05)]
    pieces, _ = executed(lines(frames, MotionSettings(tool_speed=0.1, blend=Blend(radius=radius))))
    motion = whole(pieces)
    points = ARM.fk(motion.sample(motion.times(0.001)).q)[:, :3, 3]
    corners = np.array([T[:3, 3] for T in (T_HOME, *frames)])
    off = distances_to_polyline(points, corners)
    near = np.min([np.linalg.norm(points - corner, axis=1) for corner in corners[1:-1]], axis=0)
    assert off[near > radius + 1e-6].max() < 1e-7
    assert off.max() > 0.1 * radius


def test_an_arc_is_on_its_circle() -> None:
    radius, center = 0.04, T_HOME[:3, 3] + [-0.04, 0.0, 0.0]
    side = np.array([0.0, radius, 0.0])
    half = MoveC(center + side, at(-2 * radius, 0.0), settings=BLENDED)
    back = MoveC(center - side, T_HOME, settings=BLENDED)
    pieces, _ = executed([half, back])
    motion = whole(pieces)
    points = ARM.fk(motion.sample(motion.times(0.001)).q)[:, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(points - center, axis=1), radius, atol=1e-7)
    length = 2.0 * np.pi * radius
    assert motion.duration == pytest.approx(length / FEED, rel=0.01)  # no stop between the halves: they are tangent


def test_a_helix_makes_all_its_turns() -> None:
    radius, turns, rise = 0.03, 3, 0.02
    center = T_HOME[:3, 3] + [-radius, 0.0, 0.0]
    move = MoveHelix(center, np.array([0.0, 0.0, 1.0]), 2.0 * np.pi * turns, at(0.0, 0.0, rise), settings=BLENDED)
    pieces, _ = executed([move, *lines([at(0.01, 0.0, rise)])])
    motion = whole(pieces)
    points = ARM.fk(motion.sample(motion.times(0.002)).q)[:, :3, 3]
    angle = np.unwrap(np.arctan2(points[:, 1] - center[1], points[:, 0] - center[0]))
    assert angle.max() - angle[0] == pytest.approx(2.0 * np.pi * turns, abs=0.2)
    length = np.hypot(2.0 * np.pi * turns * radius, rise) + 0.01
    assert motion.duration == pytest.approx(length / FEED, rel=0.02)


def test_a_corner_that_turns_straight_back_is_a_stop() -> None:
    pieces, _ = executed(lines([at(0.05, 0.0), at(0.0, 0.0), at(0.0, 0.05)]))
    motion = whole(pieces)
    assert verify(motion, ARM) == []
    state = motion.sample(motion.times(0.001))
    speed = tool_speeds(state)
    back = np.linalg.norm(ARM.fk(state.q)[:, :3, 3] - at(0.05, 0.0)[:3, 3], axis=1).argmin()
    assert speed[back] < 0.01


def test_the_feed_follows_the_line_that_runs() -> None:
    fast, slow = (MotionSettings(tool_speed=v, blend=Blend(tolerance=1e-4)) for v in (0.08, 0.02))
    program = [*lines([at(0.0, 0.05)], fast), *lines([at(0.0, 0.1)], slow), *lines([at(0.05, 0.1)], fast)]
    pieces, _ = executed(program)
    motion = whole(pieces)
    t = motion.times(0.001)
    state = motion.sample(t)
    speed = tool_speeds(state)
    for one, feed in zip(pieces[0].covered, (0.08, 0.02, 0.08), strict=True):
        inside = (t > one.start) & (t < one.end)
        top = speed[inside]
        assert np.median(top) == pytest.approx(feed, rel=1e-3)
        if feed == 0.02:
            middle = speed[(t > one.start + 0.1) & (t < one.end - 0.1)]
            assert middle.max() <= feed


def test_inverse_time_feed_gives_each_move_its_seconds() -> None:
    settings = MotionSettings(seconds=0.4, blend=Blend(tolerance=1e-4))
    pieces, _ = executed(lines(curve(60), settings))
    times = np.array([one.end - one.start for piece in pieces for one in piece.covered if 2 < one.index < 57])
    np.testing.assert_allclose(times.sum(), 0.4 * 54, rtol=0.01)


def test_a_line_from_rest_to_rest_takes_the_time_of_its_trapezoid() -> None:
    """The tool's acceleration is the only limit that counts: two ramps of v / a and the rest at v."""
    v, a, length = 0.1, 0.5, 0.12
    settings = MotionSettings(tool_speed=v, tool_acceleration=a, blend=Blend(tolerance=1e-5))
    straight = [at(0.0, y) for y in np.linspace(0.0, length, 7)[1:]]
    pieces, _ = executed(lines(straight, settings))
    assert whole(pieces).duration == pytest.approx(length / v + v / a, rel=0.01)


def test_shares_of_speed_and_acceleration_scale_the_limits() -> None:
    share = MotionSettings(speed=0.3, acceleration=0.2, blend=Blend(tolerance=1e-3))
    pieces, _ = executed(lines(curve(40), share))
    assert verify(whole(pieces), ARM, limits=limits_of(ARM).scaled(0.3, 0.2)) == []


def test_moves_with_different_shares_that_are_joined_keep_the_lowest_of_them() -> None:
    shares = [MotionSettings(speed=v, acceleration=a, blend=Blend(tolerance=1e-3)) for v, a in ((0.3, 1.0), (1.0, 0.2))]
    frames = curve(40)
    program = [*lines(frames[:20], shares[0]), *lines(frames[20:], shares[1])]
    pieces, _ = executed(program)
    joined = [piece for piece in pieces if {one.index < 20 for one in piece.covered} == {True, False}]
    assert joined
    for piece in joined:
        assert verify(piece.trajectory, ARM, limits=limits_of(ARM).scaled(0.3, 0.2)) == []


def test_a_spline_joins_its_neighbours() -> None:
    frames = (at(0.02, 0.02), at(0.03, 0.05), at(0.0, 0.06))
    settings = MotionSettings(tool_speed=0.05, blend=Blend(radius=0.005))
    pieces, _ = executed(
        [*lines([at(0.01, 0.0)], settings), MoveSpline(frames, settings=settings), *lines([at(-0.05, 0.06)], settings)]
    )
    motion = whole(pieces)
    assert verify(motion, ARM) == []
    t = motion.times(0.002)
    state = motion.sample(t)
    inside = (t > 0.1) & (t < motion.duration - 0.1)
    assert tool_speeds(state)[inside].min() > 0.2 * FEED


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_any_program_of_lines_and_arcs_keeps_the_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program: list[MoveL | MoveC] = []
    place = np.zeros(3)
    for _ in range(int(rng.integers(2, 30))):
        blend = [None, Blend(tolerance=10.0 ** rng.uniform(-5, -3)), Blend(radius=rng.uniform(0.001, 0.02))]
        settings = MotionSettings(tool_speed=rng.uniform(0.01, 0.5), blend=blend[int(rng.integers(3))])
        new = np.clip(place + 0.03 * rng.uniform(-1, 1, 3), -0.08, 0.08)
        frame = at(*new, rng.uniform(-0.3, 0.3))
        if rng.uniform() < 0.3:
            middle = 0.5 * (place + new) + 0.01 * rng.normal(size=3)
            program.append(MoveC(T_HOME[:3, 3] + middle, frame, settings=settings))
        else:
            program.append(MoveL((frame,), settings=settings))
        place = new
    pieces, events = executed(program, lookahead=int(rng.integers(4, 50)))
    assert not events
    motion = whole(pieces)
    assert verify(motion, ARM) == []
    np.testing.assert_allclose(
        ARM.fk(motion.end), program[-1].frames[-1] if isinstance(program[-1], MoveL) else program[-1].frame, atol=1e-6
    )


@pytest.mark.parametrize("limit", [None, 2.0, 50.0])
def test_a_quick_move_between_slow_ones_takes_no_longer_than_on_a_fine_grid(
    limit: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, slow = MotionSettings(tool_speed=limit, blend=Blend(tolerance=1e-4)), BLENDED
    frames = [at(0.0, 0.0, 0.01), at(0.0, 0.05, 0.01), at(0.0, 0.05), at(0.0, 0.08)]
    program: list[Instruction] = [
        MoveL((frame,), settings=settings) for frame, settings in zip(frames, (quick, quick, slow, slow), strict=True)
    ]
    duration = whole(executed(program)[0]).duration
    monkeypatch.setattr(stream, "PER_SPAN", (60, 3000))
    assert duration <= 1.02 * whole(executed(program)[0]).duration
