from __future__ import annotations

import pytest
from program.gcode.runs import codes, interpreted, motions, texts

from armlab.errors import UnknownName
from armlab.program.gcode.canon import Dwell, Feed, Halt, Text, Traverse


def numbered(*lines: str) -> str:
    """Lines as a host sends them to a printer: with number and checksum."""
    out = []
    for i, line in enumerate(lines, start=1):
        text, total = f"N{i} {line} ", 0
        for byte in text.encode():
            total ^= byte
        out.append(f"{text}*{total}")
    return "\n".join(out)


def test_checksums_are_checked() -> None:
    program = numbered("G1 F600 X10", "G1 X20 E0.5")
    assert [m.end[0] for m in motions_of(program, "marlin")] == [10, 20]
    assert codes(program.replace("X10", "X11"), dialect="reprap")[0][0] == "checksum"


def motions_of(program: str, dialect: str) -> list[Traverse | Feed]:
    interpreter = interpreted(program, dialect=dialect)
    items = [item for item in interpreter if isinstance(item, Traverse | Feed)]
    assert all(finding.severity == "note" for finding in interpreter.findings)
    return items


def test_what_printers_have_and_arms_have_not_is_left_out_with_one_note_each() -> None:
    program = "M104 S200\nM104 S0\nM106\nG29\nG92 E0\nG1 F1200 X1 E1\nG1 X2 E2 ; line\nM117 Printing (1/2)\nG28 X Y"
    interpreter = interpreted(program, dialect="marlin")
    items = list(interpreter)
    assert [f.code for f in interpreter.findings if f.severity == "note"] == [
        "gcode_printer_code", "gcode_printer_code", "gcode_printer_code", "gcode_extruder",
    ]  # fmt: skip
    assert [item.text for item in items if isinstance(item, Text)] == ["Printing [1/2]"]
    assert isinstance(items[-1], Traverse)
    assert items[-1].end[:3] == (0, 0, 0)


def test_lines_for_a_grbl_controller_are_left_out() -> None:
    interpreter = interpreted("$X\n$100=250\n$H\nG1 F100 X5\n?\n", dialect="grbl")
    ends = [item.end[0] for item in interpreter if isinstance(item, Traverse | Feed)]
    assert ends == [0, 0, 5]  # G28 goes over the point that it names, and it names none
    assert [f.severity for f in interpreter.findings] == ["note"] * 3


def test_subprograms_by_number_are_repeated_and_nested() -> None:
    program = "G91 G0 X1\nM98 P100 L2\nG0 X10\nM30\nO100\nG0 Y1\nM98 P200\nM99\nO200\nG0 Z1\nM99\n"
    moves = motions(program, dialect="fanuc")
    assert moves[-1].end[:3] == (11, 2, 2)
    assert len(moves) == 6


def test_m99_ends_a_main_program_and_unknown_numbers_are_found() -> None:
    assert texts("(one)\nM99\n(two)") == ["one"]
    assert [found for found, _line, _column in codes("M98 P5")] == ["sub_unknown"]
    assert [found for found, _line, _column in codes("M98")] == ["m98_words"]


def test_endless_calls_by_number_end_in_a_finding() -> None:
    assert codes("O1\nM98 P1\nM99")[0][0] == "calls_too_deep"


def test_unknown_dialects_are_named() -> None:
    with pytest.raises(UnknownName):
        interpreted("", dialect="klingon")


def test_what_slicers_write_makes_no_errors() -> None:
    program = """; made by a slicer
M140 S60
G28 ; home
G92 E0
G1 Z0.2 F3000
G1 E-2 F2400
G1 X10 Y10 E1.5 F1500
M0 Click to resume
M0 S5
G4 S2
G4 P500
G4 S1 P500
"""
    interpreter = interpreted(program, dialect="marlin")
    items = list(interpreter)
    assert [f for f in interpreter.findings if f.severity == "error"] == []
    assert [item.seconds for item in items if isinstance(item, Dwell)] == [2.0, 0.5, 1.5]
    assert [item.text for item in items if isinstance(item, Text)] == ["Click to resume"]
    assert sum(isinstance(item, Halt) for item in items) == 2


def test_fanuc_counts_calls_and_dwells_in_its_own_way() -> None:
    program = "O1\nM98 P30002\nG04 X1.5\nG04 P500\nM30\nO0002\nG91 G0 X1.\nG90\nM99"
    interpreter = interpreted(program, dialect="fanuc")
    items = list(interpreter)
    assert interpreter.findings == []
    assert [item.end[0] for item in items if isinstance(item, Traverse)] == [1, 2, 3]
    assert [item.seconds for item in items if isinstance(item, Dwell)] == [1.5, 0.5]


def test_macros_of_fanuc_get_one_clear_message() -> None:
    program = "IF [#1 EQ 5] GOTO 10\nWHILE [#1 LT 7] DO1\nEND1\nN10 G65 P9010 A1."
    assert [code for code, _line, _column in codes(program, dialect="fanuc")] == ["fanuc_macro"] * 4


def test_signs_for_a_grbl_controller_between_lines_are_left_out() -> None:
    interpreter = interpreted("\x18\nM56\nG0 X1\n", dialect="grbl")
    assert len([item for item in interpreter if isinstance(item, Traverse)]) == 1
    assert [f.severity for f in interpreter.findings] == ["note"]


def test_the_extruder_is_left_out_of_every_line_and_told_once() -> None:
    rows = ["G1 F600", *(f"G1 X{i} Y{2 * i}.5 E{i}.25" for i in range(1, 6)), "G1 E-2 F900", "G0 E1 X9"]
    interpreter = interpreted("\n".join(rows), dialect="marlin")
    ends = [item.end[:2] for item in interpreter if isinstance(item, Traverse | Feed)]
    assert ends == [*((i, 2 * i + 0.5) for i in range(1, 6)), (9, 10.5)]
    assert [(f.code, f.where["line"]) for f in interpreter.findings] == [("gcode_extruder", 2)]
    assert interpreter.run.machine.modes.feed == 900.0


@pytest.mark.parametrize("motion", ["G0 G80", "G80 G0", "G1 G80"])
def test_fanuc_has_the_end_of_cycles_in_another_group_than_motions(motion: str) -> None:
    program = f"F9\nG81 X1 Y1 Z-2 R1\n{motion} X5 Y5\nX7\nM30"
    ends = [move.end[0] for move in motions_of(program, "fanuc")]
    assert ends[-2:] == [5, 7]
    assert "same_group" in {code for code, _line, _column in codes(program, dialect="linuxcnc")}


@pytest.mark.parametrize(("dialect", "rate"), [("marlin", 4000.0), ("reprap", 3000.0)])
def test_a_printer_has_a_feed_rate_before_the_first_f(dialect: str, rate: float) -> None:
    moves = motions_of("G1 X10\nG1 X20 F600\nG1 X30", dialect)
    assert [move.rate for move in moves if isinstance(move, Feed)] == [rate, 600.0, 600.0]
    assert [code for code, _line, _column in codes("G1 X10", dialect="grbl")] == ["feed_zero"]
