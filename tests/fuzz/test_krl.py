"""KRL made of pieces in any order, and mutated programs: whatever they are, they end, and say what is wrong."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest
from program.krl.drive import ARM, Driven, WaitsForEver, drive

import armlab
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.krl import interpreter
from armlab.program.krl.library import Library

ROUNDS = int(os.environ.get("ARMLAB_FUZZ", "1")) * 150
_PIECES = """
INT i|REAL x|FRAME f|E6POS p|BOOL b|CHAR c[5]|INT a[3]|INT g[2,2]|E6AXIS q|i = i + 1|i = 3|x = i / 2|x = 1.0 / 3
b = i > 2|f = {X 1, Y 2, Z 3, A 0, B 0, C 0}|p = f : {X 10}|f = INV_POS(f)|f.X = x|a[i] = i|a[9] = 1|g[1,2] = i
c[] = "abc"|i = StrLen(c[])|p = $POS_ACT|q = $AXIS_ACT|x = $POS_ACT.Z|b = $IN[i]|$OUT[1] = b|$OUT[0] = TRUE
$ANOUT[2] = x|WAIT FOR $IN[1]|WAIT FOR b|WAIT SEC 0.1|WAIT SEC x|HALT|PTP {A1 i}|PTP {A1 10, A2 -90}|PTP p
PTP q C_PTP|LIN p C_DIS|LIN f|LIN_REL {X 10}|LIN_REL {Z x} #TOOL|CIRC p, f, CA 90|CIRC_REL {X 5, Y 5}, {Y 10}
SPLINE|SPL p|SPL {X 400}|SLIN f|ENDSPLINE|PTP_SPLINE|SPTP {A1 3}|$VEL.CP = x|$VEL_AXIS[1] = i|$OV_PRO = i|$TOOL = f
$BASE = p|$TOOL = TOOL_DATA[i]|BAS(#INITMOV,0)|BAS(#PTP_PARAMS,i)|BAS(#TOOL,i)|BAS(#NO)|FOR i = 1 TO 3
FOR i = 3 TO x STEP -1|ENDFOR|WHILE i < 4|ENDWHILE|LOOP|ENDLOOP|REPEAT|UNTIL b|EXIT|IF b THEN|ELSE|ENDIF|SWITCH i
CASE 1|CASE 2, 3|DEFAULT|ENDSWITCH|GOTO l|l:|RETURN|RETURN i|t()|sub(i, x)|sub(1)|x = fun(i)|x = fun(fun(2))
TRIGGER WHEN DISTANCE=0 DELAY=5 DO $OUT[3]=TRUE|TRIGGER WHEN PATH=-5 DELAY=0 DO sub(1, x) PRIO=-1
INTERRUPT DECL 4 WHEN $IN[2] DO sub(i, x)|INTERRUPT DECL i WHEN b DO t()|INTERRUPT ON 4|INTERRUPT OFF|BRAKE|RESUME
CONTINUE|PULSE($OUT[2], TRUE, x)|$TIMER[1] = 0|i = $TIMER[1]|$TIMER_STOP[1] = FALSE|MsgNotify("x")|END|DEF u()
DEFFCT INT v(i:IN)|ENDFCT|SIGNAL s $IN[1] TO $IN[4]|i = s|s = 3|ENUM col RED, BLUE|DECL col k|k = #RED
STRUC box INT w, FRAME at|DECL box bb|bb.at.X = 1|x = bb.w|x = FORWARD(q, i)|q = INVERSE(p, q, i)|x = SQRT(-x)
i = 2147483647 * i|x = x * 1E300|§|DECL|{|PTP|"|;FOLD|b = c[1] == "a"|b = $MODE_OP == #AUT|i = i B_AND 'HF'
x = VARSTATE("i")
"""
PIECES = [piece for line in _PIECES.strip().splitlines() for piece in line.split("|")]
TAIL = (
    "DEF sub(n:IN, y:OUT)\nINT n\nREAL y\ny = n * 2.0\n$OUT[7] = TRUE\nEND\n"
    "DEFFCT REAL fun(n:IN)\nINT n\nRETURN n + 0.5\nENDFCT\n"
)
DECLARED = (
    "DECL INT i, a[3], g[2,2]\nREAL x\nFRAME f\nE6POS p\nBOOL b\nE6AXIS q\nCHAR c[5]\ni = 2\nx = 3.5\nb = TRUE\n"
    "f = {X 400, Y 0, Z 300, A 0, B 180, C 0}\np = f\nq = XHOME\n"
)


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STEPS", 3000)
    monkeypatch.setattr(interpreter, "MOST_POLLS", 300)


def ended(data: bytes, name: str = "t", extra: bytes = b"") -> Driven:
    library = Library(main=name.upper())
    library.add(f"{name}.src", data)
    if extra:
        library.add(f"{name}.dat", extra)
    inputs: dict[str, bool | float] = {str(number): True for number in range(1, 9)}
    try:
        done = drive(library, robot=armlab.load(ARM), inputs=inputs)
    except WaitsForEver:  # the executor says so
        return Driven()
    lines = max(len(re.split(rb"\r\n|\r|\n", text)) for text in (data, extra))
    for finding in done.findings:
        assert str(finding.message)
        assert 1 <= int(finding.where["line"]) <= lines
    return done


def test_any_sequence_of_statements_ends_with_motions_or_findings() -> None:
    rng = random.Random(88)
    moved = 0
    for _round in range(ROUNDS):
        lines = rng.choices(PIECES, k=rng.choice((1, 2, 3, 4, 14)))
        declared = DECLARED if rng.random() < 0.9 else ""
        text = f"DEF t()\n{declared}" + "\n".join(lines) + f"\nEND\n{TAIL}"
        moved += len(ended(text.encode("cp1252")).moves)
    assert moved > ROUNDS // 20


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.src")), ids=lambda path: Path(path).stem)
def test_mutated_programs_end(path: Path) -> None:
    rng = random.Random(path.stem)
    program, data = path.read_bytes(), path.with_suffix(".dat")
    extra = data.read_bytes() if data.exists() else b""
    for _round in range(max(ROUNDS // 25, 2)):
        changed = bytearray(program)
        for _edit in range(rng.randint(1, 6)):
            place = rng.randrange(len(changed))
            match rng.randrange(3):
                case 0:
                    changed[place] = rng.randrange(256)
                case 1:
                    del changed[place : place + rng.randint(1, 12)]
                case _:
                    changed[place:place] = rng.choice(PIECES).encode("cp1252")
        ended(bytes(changed), path.stem, extra)
