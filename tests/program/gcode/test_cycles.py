"""Cycles against sequences that LinuxCNC's documentation and interpreter give for the same words."""

from __future__ import annotations

import pytest
from program.gcode.runs import codes, motions, run

from armlab.program.gcode.canon import Dwell, Feed, Setting


def path(program: str) -> list[tuple[str, float, float, float]]:
    return [("feed" if isinstance(m, Feed) else "rapid", *m.end[:3]) for m in motions(program)]


def test_drilling_returns_to_the_level_before_the_series() -> None:
    program = "g90 g98 f10\ng0 x0 y0 z2\ng81 x1 y1 z-1 r1\ng81 x1 y2 z0.5 r3\ng81 x1 y3 z4 r5"
    assert path(program)[1:] == [
        ("rapid", 1, 1, 2),
        ("rapid", 1, 1, 1),
        ("feed", 1, 1, -1),
        ("rapid", 1, 1, 2),
        ("rapid", 1, 1, 3),
        ("rapid", 1, 2, 3),
        ("feed", 1, 2, 0.5),
        ("rapid", 1, 2, 3),
        ("rapid", 1, 2, 5),
        ("rapid", 1, 3, 5),
        ("feed", 1, 3, 4),
        ("rapid", 1, 3, 5),
    ]


def test_repeats_step_on_in_relative_coordinates() -> None:
    assert path("g0 x10 y0 z2 f10\ng91 g98 g81 x1 y1 z-2 r-1 l2")[1:] == [
        ("rapid", 11, 1, 2),
        ("rapid", 11, 1, 1),
        ("feed", 11, 1, -1),
        ("rapid", 11, 1, 2),
        ("rapid", 12, 2, 2),
        ("rapid", 12, 2, 1),
        ("feed", 12, 2, -1),
        ("rapid", 12, 2, 2),
    ]


def test_retract_to_r_stays_low_between_holes() -> None:
    ends = path("g99 f10 g0 z5\ng81 x1 z-1 r1\nx2\nx3\ng80")
    assert [end[3] for end in ends if end[0] == "rapid"] == [5, 5, 1, 1, 1, 1, 1, 1]


def test_pecking_goes_deeper_each_time_and_out_between() -> None:
    ends = path("f10\ng0 z1\ng83 x0 y0 z-3 r1 q1.5")
    feeds = [end[3] for end in ends if end[0] == "feed"]
    assert feeds == [-0.5, -2.0, -3.0]
    assert ends[-1] == ("rapid", 0, 0, 1)
    assert [end[3] for end in ends if end[0] == "rapid"] == pytest.approx([1, 1, 1, -0.5 + 0.254, 1, -2 + 0.254, 1])


def test_boring_feeds_out_and_dwells_at_the_bottom() -> None:
    items = run("f10\ng0 z1\ng89 x1 z-1 r0.5 p0.3")
    assert [item.seconds for item in items if isinstance(item, Dwell)] == [0.3]
    assert [end[0] for end in path("f10\ng0 z1\ng85 x1 z-1 r0.5")][-3:] == ["feed", "feed", "rapid"]


def test_cycles_work_in_every_plane() -> None:
    assert path("g18 f10\ng0 y2\ng81 x1 z3 y-1 r1")[1:] == [
        ("rapid", 1, 2, 3),
        ("rapid", 1, 1, 3),
        ("feed", 1, -1, 3),
        ("rapid", 1, 2, 3),
    ]


def test_the_path_mode_is_exact_during_a_cycle_and_comes_back() -> None:
    modes = [item.values for item in run("g64 p0.1 f10\ng81 x1 z-1 r1") if isinstance(item, Setting)
             and item.name == "set_motion_control_mode"]  # fmt: skip
    assert modes == [("continuous", 0.1), ("exact_path",), ("continuous", 0.1)]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("g81 f1 x1 z-1", "cycle_word_missing"),
        ("g81 f1 x1 z2 r1", "r_below_bottom"),
        ("g83 f1 x1 z-1 r1", "cycle_word_missing"),
        ("g83 f1 x1 z-1 r1 q0", "peck"),
        ("g82 f1 x1 z-1 r1", "cycle_word_missing"),
        ("g81 f1 x1 z-1 r1 l0", "repeats"),
        ("g81 f1 x1 z-1 r1 a3", "cycle_axes"),
        ("g86 f1 x1 z-1 r1 p1", "spindle_stands"),
        ("g83 f1 x1 z-1 r1 q0.000001", "peck_count"),
    ],
)
def test_wrong_cycles(program: str, code: str) -> None:
    assert [found for found, _line, _column in codes(program)] == [code]


def test_back_boring_goes_through_beside_the_axis_and_bores_upwards() -> None:
    assert path("f10 m3 s100\ng0 z5\ng87 x10 y10 z-5 r2 i3 j0 k-2")[3:] == [
        ("rapid", 13, 10, 2),
        ("rapid", 13, 10, -5),
        ("rapid", 10, 10, -5),
        ("feed", 10, 10, -2),
        ("feed", 10, 10, -5),
        ("rapid", 13, 10, -5),
        ("rapid", 13, 10, 5),
        ("rapid", 10, 10, 5),
    ]


def test_tapping_turns_the_spindle_back_at_the_bottom() -> None:
    for code, start, inwards, outwards in (
        ("g84", "m3", "start_spindle_clockwise", "start_spindle_counterclockwise"),
        ("g74", "m4", "start_spindle_counterclockwise", "start_spindle_clockwise"),
    ):
        items = run(f"f10 {start} s100\ng0 z1\n{code} x1 z-1 r0.5")
        told = [item.name if isinstance(item, Setting) else type(item).__name__ for item in items if item.line == 3]
        assert told == [
            "set_motion_control_mode", "Traverse", "Traverse", "disable_feed_override", "disable_speed_override",
            "Feed", "stop_spindle_turning", outwards, "Dwell", "Feed", "stop_spindle_turning", inwards,
            "enable_feed_override", "enable_speed_override", "set_motion_control_mode", "set_naivecam_tolerance",
        ]  # fmt: skip


def test_boring_feeds_up_to_r_and_goes_on_as_fast_as_it_can() -> None:
    moves = motions("g98 f9 g0 z5\ng85 x1 y0 z-1 r2")
    assert [(type(move).__name__, move.end[2]) for move in moves[-3:]] == [("Feed", -1), ("Feed", 2), ("Traverse", 5)]
