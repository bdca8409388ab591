"""What is wrong with a program, a file or a library is one finding each: never a traceback, never a hang."""

from __future__ import annotations

import pytest
from program.krl.drive import drive, library, program

from armlab.program.krl.library import Library


def of_bytes(data: bytes) -> Library:
    found = Library(main="T")
    found.add("t.src", data)
    return found


def errors(source: Library | str) -> list[tuple[str, int]]:
    found = drive(source).findings
    return [(one.code.removeprefix("krl_"), int(one.where["line"])) for one in found if one.severity == "error"]


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("INT i\ni = " + "+".join(["1"] * 4000), "operators", 3),
        ("\n".join(["IF TRUE THEN"] * 3000), "blocks_too_deep", 101),
        ("INT i\ni = " + "(" * 500 + "1" + ")" * 500, "nested", 3),
        ("INT i\ni = EKI_Init(2)", "channel", 3),
        ("COPEN(:USER, h)", "channel", 2),
        ("INT h\nCWRITE(h, STAT, MODE, 3)", "channel", 3),
        ('INT a\nSREAD("1", STATE, OFFSET, "%d", a)', "channel", 3),
        ("LOOP\nENDLOOP", "no_motion", 2),
        ("x:\nGOTO x", "no_motion", 3),
        ("t()", "too_deep", 2),
        ("INT i\n\x0c\ni = TRUE", "assign_type", 4),
        ("PTP {A1 0, A7 3}", "position_components", 2),
    ],
)
def test_a_hostile_statement_is_one_error_at_its_line(body: str, code: str, line: int) -> None:
    assert errors(body) == [(code, line)]


@pytest.mark.parametrize(
    "data",
    [b"\x7fELF\0\0\x01" * 100, bytes(range(1, 256)) * 40, "DEF t()\nEND".encode("utf-16")],
    ids=["zeros", "controls", "utf-16"],
)
def test_a_binary_file_is_one_error(data: bytes) -> None:
    assert errors(of_bytes(data)) == [("binary", 1)]


def test_a_missing_data_list_is_one_error_however_many_points_it_had() -> None:
    text = "DEF t()\nPTP XP1\nLIN XP2 C_DIS\nFDAT_ACT=FP1\nLDAT_ACT=LCPDAT1\nPDAT_ACT=PPDAT1\nEND"
    assert errors(library(t_src=text)) == [("data_missing", 2)]
    assert errors(library(t_src="DEF t()\ny = 1\nEND")) == [("unknown_name", 2)]


@pytest.mark.parametrize(
    "text",
    ["LOOP\n{}\nENDLOOP", "WHILE TRUE\n{}\nENDWHILE", "REPEAT\n{}\nUNTIL FALSE", "x:\n{}\nGOTO x"],
    ids=["LOOP", "WHILE", "REPEAT", "GOTO"],
)
def test_an_endless_loop_that_moves_is_followed_once(text: str) -> None:
    done = drive(program(text.format("PTP {A1 10}\nPTP {A1 0}")))
    assert done.codes == ["endless_loop"]
    assert len(done.moves) == 2


def test_a_loop_that_can_be_left_is_followed_to_its_end() -> None:
    loop = "INT i\ni = 0\nx:\ni = i + 1\nPTP {A1 10}\nIF i > 4 THEN\nGOTO out\nENDIF\nGOTO x\nout:"
    done = drive(loop)
    assert (done.codes, len(done.moves)) == ([], 5)
    assert len(drive("INT i\ni=0\nWHILE TRUE\ni=i+1\nPTP {A1 10}\nIF i>3 THEN\nEXIT\nENDIF\nENDWHILE").moves) == 4


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "cp1252"])
def test_line_ends_and_code_pages_do_not_matter(ending: str, encoding: str) -> None:
    lines = ["&ACCESS RVP", "DEF t()", "; größer, 20 °", "ptp {a1 10}", "i = 3", "END", ""]
    assert errors(of_bytes(ending.join(lines).encode(encoding))) == [("unknown_name", 5)]
