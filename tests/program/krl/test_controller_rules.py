"""What a KRC controller refuses is refused here too, with its place."""

from __future__ import annotations

import pytest
from program.krl.drive import drive, library, program

from armlab.program.krl.parse import parse_entry

ROUTINES = "END\nDEF sub()\n$OUT[1] = TRUE"


def found(body: str) -> list[tuple[str, int, int]]:
    done = drive(program(body))
    return [(f.code.removeprefix("krl_"), int(f.where["line"]), int(f.where["column"])) for f in done.findings]


def test_declarations_behind_a_statement_are_told_and_still_known() -> None:
    assert found("INT i\ni = 1\n  INT j\nj = i") == [("declaration_place", 4, 3)]
    assert found("IF $IN[1] THEN\nREAL x\nx = 1.0\nENDIF") == [("declaration_place", 3, 1)]
    assert found("ENUM col RED\nDECL col k\nSIGNAL s $OUT[3]\nk = #RED\ns = TRUE") == []


def test_a_word_that_is_misspelt_in_a_block_is_not_taken_for_a_declaration() -> None:
    assert [code for code, _line, _column in found("LOOP\nWIAT SEC\nENDLOOP")] == ["expected"]


def test_a_console_takes_declarations_where_they_come() -> None:
    assert parse_entry("i = 1\nINT j", "console", 1).findings == ()


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO sub()", [("trigger_priority", 2, 36)]),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO sub() PRIO=-1", []),
        ("TRIGGER WHEN PATH=-5 DELAY=0 DO sub() PRIO=39", []),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO $OUT[2]=TRUE", []),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO PULSE($OUT[2], TRUE, 0.2)", []),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO sub() PRIO=40", [("trigger_priority_value", 2, 47)]),
        ("TRIGGER WHEN DISTANCE=0 DELAY=0 DO sub() PRIO=3", [("trigger_priority_value", 2, 47)]),
    ],
)
def test_a_trigger_needs_a_priority_where_it_calls_a_routine(
    trigger: str, expected: list[tuple[str, int, int]]
) -> None:
    start = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 45, A6 0}"
    assert found(f"{trigger}\n{start}\n{ROUTINES}") == expected


@pytest.mark.parametrize("value", ["0", "5", "2 + 1"])
def test_advance_takes_up_to_five_motions(value: str) -> None:
    assert found(f"$ADVANCE = {value}") == []


def test_another_advance_is_told_before_the_program_runs_where_it_is_a_plain_number() -> None:
    done = drive(program("PTP {A1 5}\n$ADVANCE = 6"))
    assert (done.codes, done.moves) == (["out_of_range"], [])
    assert found("$ADVANCE = -1") == [("out_of_range", 2, 12)]
    assert found("INT n\nn = 6\n$ADVANCE = n") == [("out_of_range", 4, 12)]
    assert [code for code, _line, _column in found("$ADVANCE = 1E999")] == ["out_of_range"]
    assert [code for code, _line, _column in found("$ADVANCE = 99999999999")] == ["out_of_range"]


@pytest.mark.parametrize("number", ["1E99999", "2.0", "x"])
def test_a_signal_has_a_whole_number(number: str) -> None:
    assert found(f"SIGNAL s $IN[{number}]\nWAIT FOR s") == [("signal_number", 2, 1)]


@pytest.mark.parametrize(
    "line", ["ANIN ON x = 2 * s + 1", "ANIN OFF s", "ANOUT ON s = 1 * x", "DIGIN ON x = 1 * $DIGIN1"]
)
def test_cyclic_signals_are_refused_by_name(line: str) -> None:
    assert found(f"REAL x\nSIGNAL s $ANIN[1]\n  {line}") == [("cyclic_signal", 4, 3)]


def test_inputs_that_do_not_exist_end_a_wait_and_an_interrupt_with_their_place() -> None:
    assert found("INT i\ni = 0\nWAIT FOR $IN[i]") == [("index", 4, 10)]
    declared = "INTERRUPT DECL 4 WHEN $IN[i] DO sub()\nINTERRUPT ON 4\nPTP {A1 5}"
    assert found(f"INT i\ni = 0\n{declared}\nEND\nDEF sub()\nBRAKE") == [("index", 4, 23)]


# -- IMPORT ----------------------------------------------------------------------------------------------------------

OTHER = "DEFDAT other PUBLIC\nDECL INT n = 7\nDECL REAL grid[2]\nDECL INT shown = 1\ngrid[2] = 2.5\nENDDAT\n"


def imported(line: str, body: str, other: str = OTHER) -> list[tuple[str, int, int]]:
    done = drive(library(t_src=f"DEF t()\n{body}\nEND\n", t_dat=f"DEFDAT t\n{line}\nENDDAT\n", other_dat=other))
    return [(f.code.removeprefix("krl_"), int(f.where["line"]), int(f.where["column"])) for f in done.findings]


def test_an_imported_variable_is_that_of_the_other_module() -> None:
    done = drive(
        library(
            t_src="DEF t()\nown = own + 1\n$ANOUT[1] = own\nother()\n$ANOUT[3] = g[2]\nEND\n",
            t_dat="DEFDAT t\nIMPORT INT own IS /R1/PROGRAM/other..n\nIMPORT REAL g[] IS /R1/other..grid\nENDDAT\n",
            other_src="DEF other()\n$ANOUT[2] = n\nEND\n",
            other_dat=OTHER,
        )
    )
    assert done.codes == []
    assert done.outputs == [("analog 1", 8.0), ("analog 2", 8.0), ("analog 3", 2.5)]


def test_a_routine_can_import_too() -> None:
    done = drive(program("IMPORT INT k IS /R1/other..n\n$ANOUT[1] = k", other_dat=OTHER))
    assert (done.codes, done.outputs) == ([], [("analog 1", 7.0)])


def test_modules_that_import_from_each_other_are_loaded() -> None:
    other = "DEFDAT other PUBLIC\nIMPORT INT back IS /R1/t..m\nDECL INT n = 7\nENDDAT\n"
    data = "DEFDAT t PUBLIC\nDECL INT m = 3\nIMPORT INT n IS /R1/other..n\nENDDAT\n"
    source = "DEF other()\n$ANOUT[2] = back\nEND\n"
    done = drive(library(t_src="DEF t()\n$ANOUT[1] = n\nother()\nEND\n", t_dat=data, other_src=source, other_dat=other))
    assert (done.codes, done.outputs) == ([], [("analog 1", 7.0), ("analog 2", 3.0)])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("IMPORT INT x IS /R1/nobody..n", "import_module"),
        ("IMPORT INT x IS /R1/other..nothing", "import_name"),
        ("IMPORT REAL x IS /R1/other..n", "import_type"),
        ("IMPORT INT x[] IS /R1/other..n", "import_type"),
        ("IMPORT INT x IS other..n", "import_path"),
    ],
)
def test_what_cannot_be_imported_is_told_even_if_nobody_uses_it(line: str, code: str) -> None:
    column = 17 if code == "import_path" else line.index(" x") + 2
    assert imported(line, "PTP {A1 5}") == [(code, 2, column)]


def test_a_data_list_that_is_not_public_gives_nothing() -> None:
    assert imported("IMPORT INT x IS /R1/other..n", "$ANOUT[1] = x", OTHER.replace(" PUBLIC", "")) == [
        ("import_private", 2, 12)
    ]
