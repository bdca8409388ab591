"""Routines, loops and decisions of the source are in the translation, and do what they did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program.translate.drive import file_of, prepared

import armlab
from armlab.program.languages import program_source
from armlab.program.prepare import PartPlace, RunOptions, cell_of, prepare
from armlab.program.signals import InputChange, Signals
from armlab.program.translate.compare import deviation
from armlab.program.translate.comparisons import CounterRange, EveryNth, comparison_of
from armlab.program.translate.nodes import FALSE, TRUE
from armlab.program.translate.record import ProgramRecord, record_program
from armlab.program.translate.translation import Translation, translate_program
from armlab.program.translate.values import Element

KUKA = armlab.load("kuka-kr6-r700")
HOME = "PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}"
GRID = f"""DEF job()
  INT i, j
  {HOME}
  FOR i = 1 TO 3
    FOR j = 1 TO 2
      stroke(i * 10.0, j * 15.0)
    ENDFOR
  ENDFOR
END
DEF stroke(x :IN, y :IN)
  REAL x, y
  FRAME p
  p = {{X 400, Y 0, Z 500, A 0, B 180, C 0}}
  p.X = 400 + x
  p.Y = y
  $VEL.CP = 0.2
  LIN p
  LIN_REL {{Z -20}}
END
"""
DECISION = f"""DEF job()
  INT i
  {HOME}
  $VEL.CP = 0.3
  FOR i = 1 TO 4
    LIN {{X 400, Y 0, Z 500, A 0, B 180, C 0}}
    WAIT SEC 0.5
    IF $IN[2] THEN
      LIN {{X 400, Y 60, Z 500, A 0, B 180, C 0}}
    ELSE
      LIN {{X 430, Y -40, Z 480, A 0, B 180, C 0}}
      $OUT[3] = TRUE
    ENDIF
  ENDFOR
END
"""
WHILE = f"""DEF job()
  {HOME}
  $VEL.CP = 0.3
  WHILE $IN[4]
    LIN_REL {{Z -10}}
    LIN_REL {{Z 10}}
  ENDWHILE
  $OUT[1] = TRUE
END
"""
ENDLESS = f"""DEF job()
  {HOME}
  LOOP
    LIN_REL {{Z -10}}
    LIN_REL {{Z 10}}
  ENDLOOP
END
"""
RECURSION = f"""DEF job()
  {HOME}
  $VEL.CP = 0.3
  down(3)
END
DEF down(n :IN)
  INT n
  LIN_REL {{Z -10}}
  IF n > 1 THEN
    down(n - 1)
  ENDIF
END
"""
GCODE = """G21 G90 G17 G64 P0.1
F3000
G0 X0 Y0 Z10
#<k> = 0
o1 while [#<k> LT 4]
  o2 if [#<k> EQ 2]
    G1 Z5
    G1 Z10
  o2 endif
  G1 X[10 * #<k>] Y[#<k> * #<k>]
  #<k> = [#<k> + 1]
o1 endwhile
M2
"""
NUMBERS = f"""DEF job()
  INT i, j
  {HOME}
  $VEL.CP = 0.3
  FOR i = 1 TO 6
    LIN_REL {{Z -5}}
    IF i > 3 THEN
      LIN_REL {{X 10}}
    ELSE
      LIN_REL {{X -10}}
    ENDIF
    SWITCH i
      CASE 1
        LIN_REL {{Y 4}}
        $OUT[1] = TRUE
      CASE 2, 3
        LIN_REL {{Y -8}}
      CASE 4
        LIN_REL {{Y 4}}
        LIN_REL {{Y -4}}
      DEFAULT
        $OUT[2] = TRUE
    ENDSWITCH
    IF (i == 2) OR (i == 4) OR (i == 6) THEN
      WAIT SEC 0.2
    ENDIF
    FOR j = 1 TO 3
      LIN_REL {{Z 1}}
      IF NOT ((i == 2) AND (j == 2)) THEN
        LIN_REL {{Z -1}}
      ENDIF
    ENDFOR
  ENDFOR
END
"""
SCRIPT = """def corner(x, y):
    move_line([0.4 + x, y, 0.5], speed=0.2)
    if read_input(1):
        set_output(2, True)

move_joints(radians([0, -90, 90, 0, 90, 0]))
for k in range(3):
    corner(0.02 * k, 0.01)
corner(0.0, 0.05)
"""
CHANGES = [InputChange(at, "2", value) for at, value in ((0.0, True), (2.0, False), (3.0, True), (4.4, False))]


def first_text(done: Translation) -> str:
    return done.files[0].text


def translated(tmp_path: Path, text: str, language: str, ending: str = "src", **signals: object) -> Translation:
    return translate_program(prepared(file_of(tmp_path, f"job.{ending}", text)), language, robot=KUKA, **signals)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "patterns"),
    [
        ("krl", [r"FOR loop1 = 1 TO 3", r"FOR loop2 = 1 TO 2", r"STROKE \(XT\d\[loop1,loop2\]", r"DEF STROKE\(a1 :IN"]),
        ("gcode", [r"while \[#<i1> LT 3\]", r"o<stroke> sub", r"o<stroke> call \[\[", r"X#1 Y#2"]),
        (
            "python",
            [r"for i1 in range\(3\):", r"for i2 in range\(2\):", r"yield from stroke\(frame\(", r"def stroke\(a1"],
        ),
        ("rapid", [r"FOR i1 FROM 1 TO 3 DO", r"STROKE t1\{i1,i2\}", r"PROC STROKE\(robtarget a1"]),
        ("urscript", [r"while loop_1 < 3:", r"stroke\(list_1\[\(loop_1\) \* 2 \+ loop_2\]", r"def stroke\(a1"]),
    ],
)
def test_counting_loops_and_calls_with_values_are_kept(tmp_path: Path, language: str, patterns: list[str]) -> None:
    done = translated(tmp_path, GRID, language)
    for pattern in patterns:
        assert re.search(pattern, first_text(done)), pattern
    assert "translation_flattened" not in {f.code for f in done.findings if "joint moves" not in str(f.message)}
    if done.difference is not None:
        assert done.difference.path_mm < 0.1
        assert abs(done.difference.time_share) < 0.01


def run_again(done: Translation, folder: Path, signals: Signals) -> ProgramRecord:
    """Run a translation with other inputs."""
    for file in done.files:
        (folder / file.name).write_bytes(file.data)
    home = "{A1 0.0,A2 -100.0,A3 120.0,A4 0.0,A5 70.0,A6 0.0}"  # of the cell: where the program starts
    (folder / "$config.dat").write_text(f"DEFDAT $CONFIG PUBLIC\nDECL GLOBAL E6AXIS XHOME={home}\nENDDAT\n")
    note = next((f for f in done.findings if f.code == "translation_place"), None)
    place = None
    if note is not None:
        from armlab.geometry import pose

        place = pose.from_mm_deg([float(value) for value in str(note.message.parameters["place"]).split(",")])
    source = program_source(str(folder / done.files[0].name))
    cell = cell_of("kuka-kr6-r700", None)
    return record_program(prepare(source, cell, PartPlace(place), RunOptions(stops_at_errors=False)), signals)


@pytest.mark.parametrize("language", ["krl", "gcode"])
def test_a_decision_by_an_input_is_still_one_with_other_inputs(tmp_path: Path, language: str) -> None:
    done = translated(tmp_path, DECISION, language)  # the input is off all the time
    other = tmp_path / "other"
    other.mkdir()
    first = record_program(prepared(str(tmp_path / "job.src")), Signals.scripted(CHANGES))
    second = run_again(done, other, Signals.scripted(CHANGES))
    assert deviation(first, second, first.robot.tool.T_flange_tool).path_mm < 0.1
    quiet = record_program(prepared(str(tmp_path / "job.src")))
    assert deviation(quiet, second, first.robot.tool.T_flange_tool).path_mm > 10.0


@pytest.mark.parametrize(
    ("language", "pattern"),
    [
        ("krl", r"in_2 = \$IN\[2\]\s+IF in_2 THEN.*ELSE.*ENDIF"),
        ("gcode", r"M66 P2 L0\s+#<in_2> = #5399\s+o\d+ if \[#<in_2> GT 0.5\].*else.*endif"),
        ("python", r"in_2 = yield ReadInput\('2'\)\s+if in_2:.*else:"),
        ("rapid", r"in_2 := di_n_2 = 1;\s+IF in_2 THEN.*ELSE.*ENDIF"),
        ("urscript", r"in_2 = get_digital_in\(2\)\s+if in_2:.*else:.*end"),
    ],
)
def test_a_decision_by_an_input_is_written_with_both_branches(tmp_path: Path, language: str, pattern: str) -> None:
    text = first_text(translated(tmp_path, DECISION, language))
    assert re.search(pattern, text, re.DOTALL)


@pytest.mark.parametrize(
    ("language", "pattern"),
    [
        ("krl", r"WHILE \$IN\[4\].*ENDWHILE"),
        ("gcode", r"M66 P4 L0\s+o\d+ while \[#5399 GT 0.5\].*endwhile"),
        ("python", r"while \(yield ReadInput\('4'\)\):"),
        ("rapid", r"WHILE di_n_4 = 1 DO.*ENDWHILE"),
        ("urscript", r"while get_digital_in\(4\):"),
    ],
)
def test_a_loop_by_an_input_is_written_as_one(tmp_path: Path, language: str, pattern: str) -> None:
    signals = Signals.scripted([InputChange(0.0, "4", True), InputChange(1.5, "4", False)])
    text = first_text(translated(tmp_path, WHILE, language, signals=signals))
    assert re.search(pattern, text, re.DOTALL)


@pytest.mark.parametrize(
    ("language", "pattern"),
    [("krl", r"LOOP.*ENDLOOP"), ("python", r"while True:"), ("rapid", r"WHILE TRUE DO"), ("urscript", r"while True:")],
)
def test_an_endless_loop_stays_endless(tmp_path: Path, language: str, pattern: str) -> None:
    assert re.search(pattern, first_text(translated(tmp_path, ENDLESS, language)), re.DOTALL)


def test_a_routine_that_calls_itself_is_flattened_with_a_finding(tmp_path: Path) -> None:
    done = translated(tmp_path, RECURSION, "krl")
    assert any("DOWN" in str(f.message) for f in done.findings if f.code == "translation_flattened")
    assert done.difference is not None
    assert done.difference.path_mm < 0.1


def test_loops_of_g_code_become_loops_of_krl(tmp_path: Path) -> None:
    done = translated(tmp_path, GCODE, "krl", "ngc")
    assert re.search(r"FOR loop1 = 1 TO 4.*IF loop1 == 3 THEN.*ENDIF.*ENDFOR", first_text(done), re.DOTALL)
    assert done.difference is not None
    assert done.difference.path_mm < 0.1
    assert -0.01 < done.difference.time_share < 0.1  # G0 is as quick as the controller's own acceleration lets it be


def test_functions_of_python_become_routines_of_krl(tmp_path: Path) -> None:
    done = translated(tmp_path, SCRIPT, "krl", "py")
    text = first_text(done)
    assert re.search(r"FOR loop1 = 1 TO 3\s+corner \(XT\d\[loop1\]\)\s+ENDFOR\s+corner \(XP\d+\)", text)
    assert re.search(r"DEF corner\(a1 :IN\).*in_1 = \$IN\[1\].*IF in_1 THEN", text, re.DOTALL)
    assert done.difference is not None
    assert done.difference.path_mm < 0.1


@pytest.mark.parametrize(
    ("language", "patterns"),
    [
        (
            "krl",
            [
                r"IF loop1 >= 4 THEN\n(?s:.*?)ELSE",
                r"SWITCH loop1\n +CASE 1\n(?s:.*?)CASE 2,3\n(?s:.*?)CASE 4\n(?s:.*?)DEFAULT\n +\$OUT\[2\] = TRUE",
                r"IF loop1 - loop1 / 2 \* 2 == 0 THEN",
                r"IF NOT \(\(loop1 == 2\) AND \(loop2 == 2\)\) THEN",
            ],
        ),
        (
            "gcode",
            [r"if \[#<i1> GE 3\]", r"elseif \[\[#<i1> GE 1\] AND \[#<i1> LE 2\]\]", r"if \[\[#<i1> MOD 2\] EQ 1\]"],
        ),
        (
            "python",
            [r"if i1 >= 3:", r"elif i1 >= 1 and i1 <= 2:", r"if i1 % 2 == 1:", r"if not \(i1 == 1 and i2 == 1\):"],
        ),
        ("rapid", [r"IF i1 >= 4 THEN", r"TEST i1\n +CASE 1:(?s:.*?)CASE 2,3:(?s:.*?)ENDTEST", r"\(i1 MOD 2\) = 0"]),
        ("urscript", [r"if loop_1 >= 3:", r"elif \(loop_1 >= 1\) and \(loop_1 <= 2\):", r"if loop_1 % 2 == 1:"]),
    ],
)
def test_decisions_by_a_counter_are_comparisons(tmp_path: Path, language: str, patterns: list[str]) -> None:
    done = translated(tmp_path, NUMBERS, language)
    for pattern in patterns:
        assert re.search(pattern, first_text(done)), pattern
    if done.difference is not None:
        assert done.difference.path_mm < 0.1
        assert abs(done.difference.time_share) < 0.01


@given(flags=st.lists(st.booleans(), min_size=2, max_size=12).filter(any))
def test_a_comparison_says_the_same_as_its_flags(flags: list[bool]) -> None:
    element = Element(("loop",), tuple(((i,), TRUE if flag else FALSE) for i, flag in enumerate(flags)))
    found = comparison_of(element)
    if found is not None:
        assert [all(holds(test, i) for test in found.tests) != found.is_negated for i in range(len(flags))] == flags


def holds(test: CounterRange | EveryNth, i: int) -> bool:
    if isinstance(test, EveryNth):
        return i % test.modulus == test.remainder
    return (test.low is None or test.low <= i) and (test.high is None or i <= test.high)


COMPUTED = """DEF computed()
INT i, x
PTP {A1 0, A2 -90, A3 90, A4 0, A5 0, A6 0}
x = 7
FOR i = 1 TO 8
  x = x * 5 + 3
  x = x - (x / 11) * 11
  IF x > 5 THEN
    PTP {A1 10}
  ELSE
    PTP {A1 -10}
  ENDIF
ENDFOR
END
"""


def test_a_decision_that_becomes_a_flag_is_told(tmp_path: Path) -> None:
    done = translated(tmp_path, COMPUTED, "python")
    assert re.search(r"if \w+\[i1\]:", first_text(done))
    (finding,) = [f for f in done.findings if f.code == "translation_flattened"]
    assert "which become flags" in str(finding.message)
