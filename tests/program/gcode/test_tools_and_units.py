"""Tools with and without a table, machines that count in inches, and what parameters say of both."""

from __future__ import annotations

from pathlib import Path

import pytest
from program.gcode.runs import codes, interpreted, motions, run, texts

from armlab.program.gcode.canon import Arc, Feed, Setting, Text, Traverse
from armlab.program.gcode.machine import MM_PER_INCH, ToolEntry, read_tool_table

CAM = """G21 G90 G17
T1 M6
S9000 M3
G0 X1 Y2
G43 H1 Z5
G1 Z-1 F200
G41 D1 X9
G1 X20
G40
G43 H1 Z5
T2 M6
G43 H2 Z50
M30"""
"""As it comes out of a CAM system: the tools are in the machine's table."""


def test_without_a_tool_table_a_tool_has_no_length_and_a_warning_says_so_once_per_tool() -> None:
    interpreter = interpreted(CAM)
    made = [item.end[:3] for item in interpreter if isinstance(item, Traverse | Feed)]
    assert made == [(1, 2, 0), (1, 2, 5), (1, 2, -1), (9, 2, -1), (20, 2, -1), (20, 2, 5), (20, 2, 50)]
    found = [(f.code, f.severity, f.where["line"], f.message.parameters["number"]) for f in interpreter.findings]
    missing = "gcode_tool_table_missing", "warning"
    assert found == [(*missing, 5, 1), (*missing, 12, 2)]


def test_with_a_table_a_tool_that_is_not_in_it_is_refused() -> None:
    table = {1: ToolEntry(1)}
    assert [found[:2] for found in codes("t2 m6\ng43 h2 g0 z5\ng10 l1 p2 z1", tools=table)] == [
        ("tool_unknown", 1), ("tool_unknown", 2), ("tool_unknown", 3)
    ]  # fmt: skip


def test_a_program_without_a_table_may_set_its_own_tools() -> None:
    moves = motions("g10 l1 p1 z5\ng10 l1 p2 z7\ng43 h1\ng0 z10\ng43 h2\ng0 z10")
    assert [move.world[2] for move in moves] == [15.0, 17.0]


def machine_points(program: str, **options: object) -> list[tuple[float, ...]]:
    return [move.world for move in motions(program, **options)]


KEPT = {5161: 1.0, 5162: 2.0, 5211: 0.5, 5210: 1.0, 5221: 3.0, 5243: 4.0, 5220: 1.0, 5230: 20.0}
TOOLS = "g0 x1 y2 z3 a4\ng55 g0 x0\ng43 h1 g0 z0\ng28\ng54 g0 x1\ng92.3\ng0 x2\ng41 d1 f9 g1 x9\ny5"


def test_a_machine_in_inches_is_one_in_millimetres_with_all_its_numbers_converted(tmp_path: Path) -> None:
    table = tmp_path / "t.tbl"
    table.write_text("T1 P1 X0.25 Z2 A3 D0.5\n", encoding="utf-8")
    lengths = {5161, 5162, 5211, 5221, 5243}
    in_mm = {index: value * MM_PER_INCH if index in lengths else value for index, value in KEPT.items()}
    inch = {"tools": read_tool_table(table, MM_PER_INCH), "parameters": KEPT, "is_inch_machine": True}
    table.write_text("T1 P1 X6.35 Z50.8 A3 D12.7\n", encoding="utf-8")
    mm = {"tools": read_tool_table(table), "parameters": in_mm}
    for units in ("g20\n", "g21\n"):
        for one, other in zip(machine_points(units + TOOLS, **inch), machine_points(units + TOOLS, **mm), strict=True):
            assert one == pytest.approx(other)


def test_parameters_stay_in_the_units_of_the_machine_whatever_the_program_counts_in() -> None:
    program = "g20 g10 l2 p1 x1 y2\ng92 z-3\ng0 x4\ng28.1\n{}(debug,#5221 #5222 #5213 #5161)"
    for change in ("", "g21\n", "g21\ng20\n"):
        items = run(program.format(change), is_inch_machine=True)
        assert [i.text for i in items if isinstance(i, Text)] == ["1.000000 2.000000 3.000000 5.000000"]
    assert texts(program.format("g21\n")) == ["25.400000 50.800000 76.200000 127.000000"]


def test_an_entry_of_the_tool_table_is_told_in_the_units_of_the_machine() -> None:
    for is_inch, expected in ((True, [1.0, 0.5]), (False, [25.4, 12.7])):
        items = run("g20 g10 l1 p1 x1 r0.25 i30 j60 q3", is_inch_machine=is_inch)
        (entry,) = [i.values for i in items if isinstance(i, Setting) and i.name == "set_tool_table_entry"]
        assert [entry[2], entry[11]] == pytest.approx(expected)
        assert entry[12:] == (30.0, 60.0, 3)


SHOWN = "(debug,#5401 #5403 #5081 #5083)"


def test_the_loaded_tool_and_the_offset_that_is_applied_have_parameters_of_their_own() -> None:
    program = f"t1 m6\n{SHOWN}\ng43\n{SHOWN}\ng10 l1 p1 z9\n{SHOWN}\ng49\n{SHOWN}\ng43.1 x7\n{SHOWN}\ng43 h2\n{SHOWN}"
    items = run(program, tools={1: ToolEntry(1, (1.0, 0.0, 5.0, *[0.0] * 6)), 2: ToolEntry(2)})  # type: ignore[arg-type]
    shown = [[float(value) for value in item.text.split()] for item in items if isinstance(item, Text)]
    assert shown == [[1, 5, 0, 0], [1, 5, 1, 5], [1, 9, 1, 5], [1, 9, 0, 0], [1, 9, 7, 0], [1, 9, 0, 0]]


def test_the_diameter_angles_and_orientation_of_the_loaded_tool_are_parameters() -> None:
    table = {3: ToolEntry(3, diameter=6.0, angles=(85.0, 25.0), orientation=2)}
    items = run("t3 m6\n(debug,%d#5400 #5410 #5411 #5412 #5413)", tools=table)
    assert [item.text for item in items if isinstance(item, Text)] == ["3 6 85 25 2"]


@pytest.mark.parametrize(
    "offsets", ["", "g10 l2 p1 x3 y7", "g10 l2 p1 x3 y7 z1 r45", "g92 x3 y7", "g43.1 z5", "g52 x3\ng55\ng10 l2 p2 r30"]
)
@pytest.mark.parametrize("units", ["g20", "g21"])
def test_the_position_in_the_machine_is_where_g53_went(offsets: str, units: str) -> None:
    program = f"{units}\n{offsets}\ng53 g0 x1 y2 z3 b4\n(debug,#5021 #5022 #5023 #5025 #<_abs_x>)"
    (text,) = texts(program)
    assert [float(value) for value in text.split()] == pytest.approx([1, 2, 3, 4, 1])


@pytest.mark.parametrize("index", [5021, 5029, 5081, 5089, 5400, 5413, 5428])
def test_what_the_machine_says_cannot_be_set(index: int) -> None:
    assert codes(f"#{index}=1") == [("read_only", 1, 1)]


LATHE = "g18 f30\ng0 x30 z0\n{}\ng1 x10\ng3 x0 z10 r10\ng1 z100\ng2 r25 x-25 z125\ng1 z175\ng40\ng0 x30"


@pytest.mark.parametrize("orientation", range(1, 10))
def test_a_lathe_tool_is_moved_by_its_control_point(orientation: int) -> None:
    """The point is a corner or the middle of a side of the square about the tip: the tip touches the lines of both."""
    table = {1: ToolEntry(1, diameter=10.0), 2: ToolEntry(2, diameter=10.0, orientation=orientation)}
    mill = motions(LATHE.format("g41 d1"), tools=table)
    lathe = motions(LATHE.format("g41 d2"), tools=table)
    given = motions(LATHE.format(f"g41.1 d10 l{orientation}"))
    assert lathe == given
    signs = {1: "+-", 2: "--", 3: "-+", 4: "++", 5: "+0", 6: "0-", 7: "-0", 8: "0+", 9: "00"}[orientation]
    shift = [{"+": 5.0, "-": -5.0, "0": 0.0}[sign] for sign in reversed(signs)]
    for k, (one, other) in enumerate(zip(mill, lathe, strict=True)):
        dx, dz = shift if 1 <= k <= 5 else (0.0, 0.0)
        assert (other.end[0], other.end[2]) == pytest.approx((one.end[0] + dx, one.end[2] + dz))
        if isinstance(one, Arc):
            assert isinstance(other, Arc)
            assert other.center == pytest.approx((one.center[0] + dz, one.center[1] + dx))


def test_in_the_xy_plane_a_tool_has_no_orientation() -> None:
    program = "f9\ng41 d{}\ng1 x20\ny20"
    table = {1: ToolEntry(1, diameter=4.0), 2: ToolEntry(2, diameter=4.0, orientation=3)}
    assert motions(program.format(1), tools=table) == motions(program.format(2), tools=table)
