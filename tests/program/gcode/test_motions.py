from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from program.gcode.runs import codes, interpreted, motions, run

from armlab.program.gcode.arcs import center_from_radius
from armlab.program.gcode.canon import Arc, Canonical, Feed, Setting, Spline, StraightProbe, Traverse, as_point
from armlab.program.gcode.interpreter import Interpreter


def xyz(item: object) -> tuple[float, ...]:
    assert isinstance(item, Traverse | Feed | Arc | Spline | StraightProbe)
    return item.end[:3]


def test_absolute_and_relative_words() -> None:
    ends = [xyz(m) for m in motions("g0 x1 y2\ng91 x1\ng1 f100 z-3\ng90 y0")]
    assert ends == [(1, 2, 0), (2, 2, 0), (2, 2, -3), (2, 0, -3)]


def test_spaces_case_and_order_mean_nothing() -> None:
    assert motions("g 1 x 1 0 y2f10 0") == motions("G1 F100 Y2 X10")


def test_inches_are_converted_for_the_machine_and_kept_for_the_program() -> None:
    (move,) = motions("g20 g0 x1 a90")
    assert move.end[0] == 1.0
    assert move.world[0] == pytest.approx(25.4)
    assert move.world[3] == 90.0


def test_arcs_by_centre_in_every_plane() -> None:
    for plane, words, end, center in (
        ("g17", "x10 y0 i5 j0", (10, 0, 0), (5, 0)),
        ("g18", "z10 x0 k5 i0", (0, 0, 10), (5, 0)),
        ("g19", "y10 z0 j5 k0", (0, 10, 0), (5, 0)),
    ):
        (arc,) = motions(f"{plane} g2 f100 {words}")
        assert isinstance(arc, Arc)
        assert (xyz(arc), arc.center, arc.turns) == (end, center, -1)


def test_a_full_circle_with_turns_and_a_helix() -> None:
    (arc,) = motions("g3 f100 i5 p3 z-6")
    assert isinstance(arc, Arc)
    assert (xyz(arc), arc.center, arc.turns) == ((0, 0, -6), (5, 0), 3)


_points = st.tuples(*[st.integers(-1000, 1000).map(lambda n: n / 10)] * 2)


@given(_points, _points, st.floats(0.05, 3.0), st.sampled_from((-1, 1)), st.booleans())
def test_the_centre_from_a_radius_is_equally_far_from_both_ends(
    here: tuple[float, float], there: tuple[float, float], excess: float, sign: int, is_long: bool
) -> None:
    chord = math.dist(here, there)
    assume(chord > 0.1)
    radius = chord / 2 * (1 + excess)
    center = center_from_radius(here, there, -radius if is_long else radius, sign, 1.0)
    assert math.dist(center, here) == pytest.approx(radius, rel=1e-12)
    assert math.dist(center, there) == pytest.approx(radius, rel=1e-12)
    start = math.atan2(here[1] - center[1], here[0] - center[0])
    end = math.atan2(there[1] - center[1], there[0] - center[0])
    swept = (end - start) * sign % (2 * math.pi)
    assert (swept > math.pi) == is_long


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("g1 x1", "feed_zero"),
        ("g2 f1 x1 y1", "center_missing"),
        ("g2 f1 x10 i2", "radii_differ"),
        ("g2 f1 x10 r2", "radius_too_small"),
        ("g2 f1 r2", "radius_no_chord"),
        ("g2 f1 x1 i1 k1", "center_across"),
        ("g2 f1 x1 i1 r1", "radius_and_center"),
        ("g3 f1 i1 p0.5", "turns"),
        ("g0 g1 x1", "same_group"),
        ("m3 m4", "same_group"),
        ("g0 x1 x2", "word_twice"),
        ("g80 x1", "axes_without_motion"),
        ("g12.3", "code_unknown_g"),
        ("m77", "code_unknown_m"),
        ("g33 k1", "lathe"),
        ("g76", "lathe"),
        ("g4", "dwell"),
        ("g38.2 f1 ", "axes_missing"),
        ("f-1", "feed_negative"),
        ("g93 g1 x1", "feed_missing"),
        ("(open", "comment_open"),
        ("(a (b) c)", "comment_nested"),
        ("g0 x", "value_missing"),
        ("g0 x1 ?", "letter_unknown"),
        ("g" + "0" * 300, "line_too_long"),
        ("g43 h7", "tool_table_missing"),
        ("g10 l2 p99 x1", "number_outside"),
        ("g10 l3 p1", "g10_l"),
        ("g53 g2 f1 x1 i1", "g53_motion"),
        ("g91 g53 g0 x1", "g53_incremental"),
        ("g5 f1 x1 p1 q1", "spline_first"),
        ("g18 g5 f1 z1 i1 j1 p1 q1", "spline_plane"),
        ("m66 p1 e1", "input_words"),
        ("m72", "state_missing"),
    ],
)
def test_mistakes_have_a_code_of_their_own(program: str, code: str) -> None:
    assert [found for found, _line, _column in codes(program)] == [code]


def test_all_mistakes_of_a_program_are_found_and_the_rest_is_done() -> None:
    interpreter = interpreted("g0 x1\ng1 x2\ng2 x3\nf100\ng1 x4\nq\n")
    ends = [xyz(item) for item in interpreter if isinstance(item, Traverse | Feed)]
    assert ends == [(1, 0, 0), (4, 0, 0)]
    assert [int(f.where["line"]) for f in interpreter.findings] == [2, 3, 6]


def test_inverse_time_gives_seconds() -> None:
    move = motions("g93 g1 x1 f2")[0]
    assert isinstance(move, Feed)
    assert move.seconds == 30.0


def test_reference_points_are_kept_and_gone_to() -> None:
    ends = [xyz(m) for m in motions("g0 x1 y2 z3\ng28.1\ng0 x9 y9 z9\ng28 z10\ng28")]
    assert ends == [(1, 2, 3), (9, 9, 9), (9, 9, 10), (9, 9, 3), (9, 9, 3), (1, 2, 3)]


def test_machine_coordinates_ignore_offsets() -> None:
    moves = motions("g10 l2 p1 x10 y20\ng53 g0 x5 y5\ng0 x0 y0")
    assert [m.world[:2] for m in moves] == [(5, 5), (10, 20)]


_offsets = st.integers(-500, 500).map(lambda n: n / 10)


@given(_offsets, _offsets, st.integers(-180, 180), _offsets, _offsets, st.booleans())
def test_whatever_changes_offsets_leaves_the_machine_where_it_is(
    x: float, y: float, turn: int, u: float, v: float, is_inch: bool
) -> None:
    units = "g20" if is_inch else "g21"
    setup = f"{units}\ng0 x{x} y{y} z1\ng10 l2 p1 x{u} y{v} r{turn}\ng92 x{v}\ng43.1 z{u}\ng52 y{x}\ng55\ng54\n"
    before, after = motions(f"{units}\ng0 x{x} y{y} z1\n")[-1], motions(setup + "g91 g0 x0 y0 z0")[-1]
    assert after.world == pytest.approx(before.world, abs=1e-9)


def test_rotation_turns_the_program_about_the_system_s_origin() -> None:
    move = motions("g10 l2 p1 x10 y0 r90\ng0 x1 y0")[-1]
    assert move.world[:2] == pytest.approx((10, 1))


def test_g92_makes_the_present_point_have_the_given_coordinates() -> None:
    moves = motions("g0 x5\ng92 x1\ng0 x2\ng92.1\ng0 x0")
    assert [m.world[0] for m in moves] == [5, 6, 0]


def test_tool_offsets_come_from_the_table_and_g10() -> None:
    moves = motions("t3 m6\ng10 l1 p3 z12.5\ng43\ng0 z0\ng49\ng0 z0")
    assert [m.world[2] for m in moves] == [12.5, 0.0]


def test_splines_continue_where_the_last_one_ended() -> None:
    first, second = motions("g5 f100 x10 y0 i0 j3 p0 q3\ng5 x20 y0 p0 q3")
    assert isinstance(first, Spline)
    assert isinstance(second, Spline)
    assert first.controls == ((0, 3), (10, 3))
    assert second.controls == ((10, -3), (20, 3))


def answered(text: str, point: list[float], value: float) -> tuple[list[Canonical], Interpreter]:
    """Run a program whose questions all get the same answer."""
    interpreter, items = interpreted(text), []
    while interpreter.advance():
        items.extend(interpreter.run.out)
        interpreter.run.out.clear()
        if interpreter.run.question is not None:
            interpreter.answer(as_point(point + [0.0] * 6), value)
    return items, interpreter


def test_probing_tells_where_contact_was() -> None:
    items, _interpreter = answered("g38.2 f10 z-10\n(debug,#5063 #5070)\ng0 x1", [0.0, 0.0, -4.0], 1.0)
    assert isinstance(items[2], StraightProbe)
    assert getattr(items[4], "text", "") == "-4.000000 1.000000"
    assert xyz(items[5]) == (1, 0, -4)


def test_a_probe_that_misses_is_an_error_only_where_contact_is_needed() -> None:
    for code, found in (("g38.2", ["gcode_probe_missed"]), ("g38.3", [])):
        _items, interpreter = answered(f"{code} f10 z-1", [0.0, 0.0, -1.0], 0.0)
        assert [f.code for f in interpreter.findings] == found


def test_an_input_is_read_into_its_parameter() -> None:
    items, _interpreter = answered("m66 p1 l0\n(debug,#5399)", [0.0, 0.0, 0.0], 1.0)
    assert getattr(items[1], "text", "") == "1.000000"


def test_saved_modes_come_back() -> None:
    moves = motions("g21 g90\nm70\ng20 g91\nm72\ng0 x25.4")
    assert moves[0].world[0] == 25.4


def test_commands_are_told_in_their_order_within_a_line() -> None:
    names = [item.name for item in run("g1 x1 m8 m3 s100 t2 f60 g17 g21") if isinstance(item, Setting)]
    assert names == [
        "set_feed_rate", "set_spindle_speed", "select_tool", "start_spindle_clockwise", "flood_on", "select_plane",
        "use_length_units",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("units", "end", "centre", "is_good"),
    [
        ("g21", 50.0, 25.0 - 0.0099 * math.sqrt(2), True),
        ("g21", 50.0, 25.0 - 0.0101 * math.sqrt(2), False),
        ("g20", 2.0, 1.0 - 0.00099 * math.sqrt(2), True),
        ("g20", 2.0, 1.0 - 0.00101 * math.sqrt(2), False),
        ("g21", 2000.0, 999.5, True),
        ("g21", 2000.0, 998.5, False),
    ],
)
def test_radii_may_differ_by_what_rounding_makes_of_them(units: str, end: float, centre: float, is_good: bool) -> None:
    found = [code for code, _line, _column in codes(f"{units} f1\ng2 x{end} i{centre:.9f}")]
    assert found == ([] if is_good else ["radii_differ"])


@pytest.mark.parametrize(("unit", "tolerance"), [("g21", 0.00127), ("g20", 0.00005)])
def test_the_chord_of_an_arc_with_r_may_be_longer_than_its_diameter_by_rounding_alone(
    unit: str, tolerance: float
) -> None:
    """RS274/NGC: a radius may be too small by 0.00127 mm or 0.00005 inch."""
    for share, found in ((0.9, []), (1.1, ["radius_too_small"]), (50.0, ["radius_too_small"])):
        assert [code for code, *_ in codes(f"{unit} g2 f100 x10 r{5.0 - share * tolerance:.9f}")] == found, share


@pytest.mark.parametrize(("unit", "least"), [("g21", 0.02 * math.sqrt(2.0)), ("g20", 0.002 * math.sqrt(2.0))])
def test_the_two_radii_of_an_arc_may_differ_by_rounding_or_a_thousandth(unit: str, least: float) -> None:
    """Least difference that is taken anyhow, a thousandth of the radius above it, and never more than 100 times it."""
    small, middle, large = 5.0 * least, 5000.0 * least, 1e6 * least
    cases: tuple[tuple[float, float, list[str]], ...] = (
        (small, 0.95 * least, []),
        (small, 1.05 * least, ["radii_differ"]),
        (middle, 0.00095 * middle, []),
        (middle, 0.00105 * middle, ["radii_differ"]),
        (large, 95.0 * least, []),
        (large, 105.0 * least, ["radii_differ"]),
    )
    for radius, difference, found in cases:
        words = f"x{radius:.9f} y{radius - difference:.9f} i{radius:.9f}"
        assert [code for code, *_ in codes(f"{unit} g2 f100 {words}")] == found, (radius, difference)
