"""Order and number of canonical calls, against what LinuxCNC's stand-alone interpreter is documented to print."""

from __future__ import annotations

import pytest
from program.gcode.runs import codes, interpreted, texts

from armlab.program.gcode.canon import Feed, Setting, Text, Traverse
from armlab.program.gcode.machine import ToolEntry
from armlab.program.gcode.rs274 import rs274_lines, whole

OPENING = [
    "USE_LENGTH_UNITS(CANON_UNITS_MM)",
    "SET_G5X_OFFSET(1, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
    "SET_G92_OFFSET(0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
    "SET_XY_ROTATION(0.0000)",
    "SET_FEED_REFERENCE(CANON_XYZ)",
    "ON_RESET()",
]
CLOSING = [
    "SET_G5X_OFFSET(1, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
    "SET_XY_ROTATION(0.0000)",
    "SET_FEED_MODE(0, 0)",
    "SET_FEED_RATE(0.0000)",
    "STOP_SPINDLE_TURNING(0)",
    "SET_SPINDLE_MODE(0 0.0000)",
    "PROGRAM_END()",
    "ON_RESET()",
    "ON_RESET()",
]


def calls(program: str, **options: object) -> list[str]:
    """Return the calls between the opening and the end of a program that M2 ends."""
    interpreter = interpreted(program + "\nm2", **options)
    lines = list(rs274_lines(whole(interpreter.run.machine, interpreter)))
    assert [str(finding.message) for finding in interpreter.findings] == []
    assert [int(line[:5]) for line in lines] == list(range(1, len(lines) + 1))
    told = [line[13:] for line in lines]
    assert told[: len(OPENING)] == OPENING
    assert told[-3:] == CLOSING[-3:]
    return told[len(OPENING) :]


def test_a_program_opens_with_units_and_offsets_and_ends_with_a_reset() -> None:
    assert calls("g0 x1") == ["STRAIGHT_TRAVERSE(1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)", *CLOSING]


def test_the_end_brings_back_plane_overrides_and_coolant() -> None:
    assert calls("g18 m49 m8")[4:] == [
        *CLOSING[:2],
        "SELECT_PLANE(CANON_PLANE_XY)",
        *CLOSING[2:4],
        "ENABLE_FEED_OVERRIDE()",
        "ENABLE_SPEED_OVERRIDE(0)",
        *CLOSING[4:6],
        "FLOOD_OFF()",
        *CLOSING[6:],
    ]


def test_changes_that_a_machine_need_not_know_are_comments() -> None:
    told = [call for call in calls("g91\ng91\ng90.1\ng99\ng80\ng54\ng10 l2 p2 x1\ng40\ng95 s9 f1") if "interp" in call]
    assert [call.removeprefix('COMMENT("interpreter: ').removesuffix('")') for call in told] == [
        "distance mode changed to incremental",
        "IJK distance mode changed to absolute",
        "retract mode set to r_plane",
        "motion mode set to none",
        "continuing to use same coordinate system",
        "setting coordinate system origin",
        "cutter radius compensation off",
        "feed mode set to units per revolution",
    ]


def test_another_system_is_told_with_both_offsets_and_its_rotation() -> None:
    assert calls("g10 l2 p2 x1 r90\ng92 y1\ng55")[1:5] == [
        "SET_G92_OFFSET(0.0000, -1.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
        "SET_G5X_OFFSET(2, 1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
        "SET_G92_OFFSET(0.0000, -1.0000, 0.0000, 0.0000, 0.0000, 0.0000)",
        "SET_XY_ROTATION(90.0000)",
    ]


def test_a_tool_change_and_a_probe_are_told_in_their_steps() -> None:
    table = {1: ToolEntry(1, pocket=1)}
    told = calls("t1 m6\nf10 g38.2 z-1\nm61 q0", tools=table)
    assert [call.partition("(")[0] for call in told[: -len(CLOSING)]] == [
        "SELECT_TOOL", "START_CHANGE", "STOP_SPINDLE_TURNING", "CHANGE_TOOL", "SET_FEED_RATE", "TURN_PROBE_ON",
        "STRAIGHT_PROBE", "TURN_PROBE_OFF", "CHANGE_TOOL_NUMBER",
    ]  # fmt: skip


def test_arcs_are_told_along_the_axes_of_their_plane() -> None:
    assert calls("f10 g18 g2 x2 z0 i1 p3 y4")[2] == (
        "ARC_FEED(0.0000, 2.0000, 0.0000, 1.0000, -3, 4.0000, 0.0000, 0.0000, 0.0000)"
    )


def test_in_inverse_time_each_motion_has_its_feed_rate() -> None:
    told = [call for call in calls("g93 g1 x3 y4 f2\ng3 x3 y4 i1 f1\ng1 a90 f2") if call.startswith("SET_FEED_RATE")]
    assert told[:3] == ["SET_FEED_RATE(10.0000)", "SET_FEED_RATE(6.2832)", "SET_FEED_RATE(180.0000)"]


def test_modes_are_set_in_the_order_of_the_language() -> None:
    told = calls("(note) m3 g94 f60 s100 g97 g21 g17 g64 p0.1 g99 g91 g0 x1")
    assert [call.partition("(")[0] for call in told[: -len(CLOSING)]] == [
        "COMMENT", "SET_SPINDLE_MODE", "COMMENT", "SET_FEED_MODE", "SET_FEED_RATE", "SET_FEED_RATE",
        "SET_SPINDLE_SPEED", "START_SPINDLE_CLOCKWISE", "SELECT_PLANE", "USE_LENGTH_UNITS", "SET_MOTION_CONTROL_MODE",
        "SET_NAIVECAM_TOLERANCE", "COMMENT", "COMMENT", "STRAIGHT_TRAVERSE",
    ]  # fmt: skip
    assert "SET_NAIVECAM_TOLERANCE(0.1000)" in told


def test_of_several_comments_the_last_one_counts_and_none_behind_a_semicolon() -> None:
    assert texts("(foo) (debug,#1)\n(debug,#1) (foo)\n; (msg,no)\ng0 x1 (msg,yes) ; no") == ["0.000000", "foo", "yes"]


def test_a_program_can_end_itself_with_a_message() -> None:
    interpreter = interpreted("#1=3\n(abort, no tool #1)\ng0 x1")
    assert not [item for item in interpreter if isinstance(item, Traverse | Feed)]
    assert [str(finding.message) for finding in interpreter.findings] == ["the program ends itself: no tool 3.000000"]


def test_a_tool_without_radius_runs_on_its_contour() -> None:
    interpreter = interpreted("f10\ng41 d0\ng1 x1\ny1\nx0\ng40\ng1 x5")
    ends = [item.end[:2] for item in interpreter if isinstance(item, Feed)]
    assert ends == [(1, 0), (1, 1), (0, 1), (5, 1)]


def test_the_touched_off_fixture_is_not_moved_by_offsets() -> None:
    program = "g10 l2 p1 z-3 r10\ng10 l2 p9 z-27\n{}g0 g53 z-30\ng10 l11 p1 z0\nt1 m6 g43\n(debug,#5403)"
    for shift in ("", "g92 x3 y4 z5\n", "g55\n"):
        items = list(interpreted(program.format(shift), tools={1: ToolEntry(1)}))
        assert [i.text for i in items if isinstance(i, Text) and i.kind == "debug"] == ["-3.000000"]


def test_touching_off_in_a_turned_system_gives_the_point_its_coordinates() -> None:
    interpreter = interpreted(
        "g10 l2 p1 x5 y-3 r30\ng92 x1 y1\ng0 x10 y20 z30\ng10 l10 p1 x1 y2 z3\nt1 m6 g43", tools={1: ToolEntry(1)}
    )
    list(interpreter)
    assert interpreter.run.machine.position[:3] == pytest.approx([1.0, 2.0, 3.0])


def test_offsets_of_systems_are_never_incremental() -> None:
    interpreter = interpreted("g91 g10 l2 p1 x5\ng10 l2 p1 x5")
    offsets = [item.values[1] for item in interpreter if isinstance(item, Setting) and item.name == "set_g5x_offset"]
    assert offsets == [5.0, 5.0]


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("g95 f1 g1 x1", "feed_per_turn"),
        ("g95 f1 s5 g38.2 z-1", "probe_per_turn"),
        ("g93 g38.2 z-1 f1", "probe_per_turn"),
        ("f9\ng41.1 d1\ng1 x5\ng40\ng2 x9 i2", "arc_after_g40"),
        ("f9\ng41.1 d1\nm62 p1", "compensated"),
        ("f9\ng41.1 d1\nm48", "compensated"),
        ("f9\ng41.1 d1\ng64", "compensated"),
        ("f9\ng41.1 d1\ng98", "compensated"),
        ("f9\ng41.1 d1\ng18", "compensated"),
        ("g10 l1 p1", "g10_nothing"),
    ],
)
def test_what_linuxcnc_refuses_is_refused(program: str, code: str) -> None:
    assert [found[0] for found in codes(program)] == [code]


def test_what_changes_nothing_is_allowed_beside_the_contour() -> None:
    assert codes("f9\ng41.1 d1\ng17 g1 x5\ng10 l2 p2 x1\ng1 x9\ng40\ng1 x10\ng2 x12 i1") == []


def test_nearly_equal_numbers_are_equal_in_every_comparison() -> None:
    assert texts("#1=[0.1+0.2]\n(debug,#1)\n#2=[#1 le 0.3] #3=[0.3 ge #1]\n(debug,#2 #3)")[1] == "1.000000 1.000000"


def test_overrides_are_switched_by_p() -> None:
    names = [item.name for item in interpreted("m50 p0\nm51\nm52 p0\nm53 p1") if isinstance(item, Setting)]
    assert names == ["disable_feed_override", "enable_speed_override", "disable_adaptive_feed", "enable_feed_hold"]


def test_g64_r_chooses_the_planner_before_the_path_mode_is_set() -> None:
    told = [call for call in calls("g64 p1 r0.5\ng64 p1 r2.5\ng64 r0.05\ng64 r0\ng64 p1") if "FEED" not in call]
    assert [call for call in told if "PLANNER" in call] == [
        f"SET_PLANNER_MODE(type={kind}, peak_scale={scale:.6f})"
        for kind, scale in ((1, 0.5), (1, 1), (1, 0.1), (0, -1))
    ]
    assert [call.partition("(")[0] for call in told[:3]] == [
        "SET_PLANNER_MODE", "SET_MOTION_CONTROL_MODE", "SET_NAIVECAM_TOLERANCE"
    ]  # fmt: skip
    assert [found[0] for found in codes("g64 r-1\ng64 m19 r90\ng61 r1")] == ["planner", "r_ambiguous", "word_unused"]


def test_the_second_percent_finishes_a_program() -> None:
    interpreter = interpreted("%\ng0 x1\n%\ng0 x2")
    told = [line[13:] for line in rs274_lines(whole(interpreter.run.machine, interpreter))]
    assert told[len(OPENING) + 1 :] == ["FINISH()", "ON_RESET()", "ON_RESET()"]


def test_the_entry_of_the_loaded_tool_is_told_twice() -> None:
    table = {1: ToolEntry(1, pocket=1), 2: ToolEntry(2, pocket=2)}
    told = calls("g10 l1 p1 z1\ng10 l1 p2 z2\nt2 m6\ng10 l1 p1 z3\ng10 l1 p2 z4", tools=table)
    entries = [call.partition("(")[2][:4] for call in told if call.startswith("SET_TOOL_TABLE_ENTRY")]
    assert entries == ["1, 1", "0, 1", "2, 2", "1, 1", "2, 2", "0, 2"]


def test_comments_beside_o_words_say_nothing() -> None:
    program = """o1 sub (MSG,one)
(MSG,inside)
o1 endsub (MSG,two)
o1 call (MSG,three)
o2 repeat [2] (MSG,four)
o2 endrepeat (MSG,five)"""
    assert [call for call in calls(program) if "MESSAGE" in call] == ['MESSAGE("inside")']


def test_restored_modes_are_told_where_they_have_changed() -> None:
    program = """g91 g18 g55 f100 s9 m3 m7 m8
m70
g90 g17 g54 f200 g61 m5 m9 m51 p0
(MSG,back)
m72
#<feed>=#<_feed>
(DEBUG,#<feed> #<_plane> #<_coord_system> #<_rpm>)"""
    told = calls(program)
    begun = told.index('MESSAGE("back")') + 1
    assert [call.partition("(")[0] for call in told[begun:] if "abs" not in call][:13] == [
        "SET_FEED_RATE",
        "SELECT_PLANE",
        "SET_G5X_OFFSET",
        "SET_G92_OFFSET",
        "SET_XY_ROTATION",
        "SET_MOTION_CONTROL_MODE",
        "SET_NAIVECAM_TOLERANCE",
        "COMMENT",
        "START_SPINDLE_CLOCKWISE",
        "MIST_ON",
        "FLOOD_ON",
        "ENABLE_SPEED_OVERRIDE",
        "MESSAGE",
    ]
    assert 'MESSAGE("100.000000 180.000000 550.000000 9.000000")' in told


def test_nothing_is_told_of_modes_that_have_not_changed() -> None:
    assert calls("g1 f9 x1\nm70\nx2\nm72")[: -len(CLOSING)] == calls("g1 f9 x1\nx2")[: -len(CLOSING)]


def test_another_cycle_of_a_series_goes_back_to_where_the_first_began() -> None:
    told = calls("g0 z5 f9\ng99 g81 x1 r2 z-1\ng98 g82 x2 r2 z-1 p0")
    ends = [call for call in told if call.startswith("STRAIGHT_TRAVERSE(2.0000")]
    assert ends[-1] == "STRAIGHT_TRAVERSE(2.0000, 0.0000, 5.0000, 0.0000, 0.0000, 0.0000)"
    again = calls("g91 f9\ng99 g81 x1 z-1 r.25\ng81 x1 z-1 r.25")
    assert again.count("STRAIGHT_TRAVERSE(1.0000, 0.0000, 0.2500, 0.0000, 0.0000, 0.0000)") == 3


def test_the_number_of_a_line_is_printed_without_its_fraction() -> None:
    interpreter = interpreted("N1234.5 S600\nG0 X1\nm2")
    lines = list(rs274_lines(whole(interpreter.run.machine, interpreter), lambda: interpreter.control.line_text))
    told = [line[6:].split(maxsplit=1) for line in lines]
    assert ["N1234", "SET_SPINDLE_SPEED(0, 600.0000)"] in told
    assert ["N.....", "STRAIGHT_TRAVERSE(1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000)"] in told
