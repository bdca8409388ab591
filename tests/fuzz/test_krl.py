"""KRL made of pieces in any order, and mutated programs: whatever they are, they end, and say what is wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from program.krl.drive import ARM, Driven, WaitsForEver, drive
from program.krl.grown import DATA, HELPERS, OTHER, grown_data, grown_program

import armlab
from armlab.arrays import Floats
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.instructions import MoveC, MoveJ, MoveL, MoveSpline
from armlab.program.krl import interpreter
from armlab.program.krl.instructions import check_text
from armlab.program.krl.library import Library
from armlab.program.krl.scan import decoded

MOST_INSTRUCTIONS = 60
SHIPPED = sorted(PROGRAMS.glob("*.src"))
LETTERS = b"defdatptplincirc(){}[]=<>+-*/.,:;$#&\"'_0123456789xyzabc \r\n\t"
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
INTERRUPT DECL 4 WHEN $IN[2] DO sub(i, x)|INTERRUPT DECL i WHEN b DO t()
TRIGGER WHEN DISTANCE=i DELAY=0 DO sub(1, x)|TRIGGER WHEN PATH=i DELAY=x DO t() PRIO=i
ANIN ON x = 1 * s|DIGIN OFF $DIGIN1|$ADVANCE = i|$ADVANCE = 7|IMPORT INT w IS /R1/t..i
INTERRUPT ON 4|INTERRUPT OFF|BRAKE|RESUME
CONTINUE|PULSE($OUT[2], TRUE, x)|$TIMER[1] = 0|i = $TIMER[1]|$TIMER_STOP[1] = FALSE|MsgNotify("x")|END|DEF u()
DEFFCT INT v(i:IN)|ENDFCT|SIGNAL s $IN[1] TO $IN[4]|i = s|s = 3|ENUM col RED, BLUE|DECL col k|k = #RED
STRUC box INT w, FRAME at|DECL box bb|bb.at.X = 1|x = bb.w|x = FORWARD(q, i)|q = INVERSE(p, q, i)|x = SQRT(-x)
i = 2147483647 * i|x = x * 1E300|§|DECL|{|PTP|"|;FOLD|b = c[1] == "a"|b = $MODE_OP == #AUT|i = i B_AND 'HF'
x = VARSTATE("i")|SIGNAL s $IN[1E999]|$ADVANCE = 99999999999|x = 1E999|INT a[1E999]|WAIT SEC 1E999|$OUT[99999999999] = b
"""
PIECES = [piece for line in _PIECES.strip().splitlines() for piece in line.split("|")]
TYPES = frozenset({"INT", "REAL", "FRAME", "E6POS", "BOOL", "CHAR", "E6AXIS", "SIGNAL", "ENUM", "DECL", "STRUC"})
DECLARED = (
    "DECL INT i, a[3], g[2,2]\nREAL x\nFRAME f\nE6POS p\nBOOL b\nE6AXIS q\nCHAR c[5]\ni = 2\nx = 3.5\nb = TRUE\n"
    "f = {X 400, Y 0, Z 300, A 0, B 180, C 0}\np = f\nq = XHOME\n"
)


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_STEPS", 1500)
    monkeypatch.setattr(interpreter, "MOST_POLLS", 300)


def one(rng: random.Random) -> None:
    """Run one program of any kind."""
    kinds: tuple[Callable[[random.Random], Library], ...] = (sequence, grown, data_list, any_bytes, any_mutant)
    ended(rng.choice(kinds)(rng))


def made(data: bytes, name: str = "t", extra: bytes = b"") -> Library:
    library = Library(main=name.upper())
    library.add(f"{name}.src", data)
    if extra:
        library.add(f"{name}.dat", extra)
    return library


def ended(library: Library) -> Driven:
    """Run a program; every finding has a text and stands in its file, and every motion has an end."""
    inputs: dict[str, bool | float] = {str(number): True for number in range(1, 9)}
    try:
        done = drive(library, robot=armlab.load(ARM), inputs=inputs, most=MOST_INSTRUCTIONS)
    except WaitsForEver:  # the executor says so
        return Driven()
    files = [file for module in library.modules.values() for file in (module.source, module.data) if file is not None]
    texts = {file.name: re.split("\r\n|\r|\n", decoded(file.data)) for file in files}
    for finding in done.findings:
        assert str(finding.message)
        lines, line = texts[str(finding.where["file"])], int(finding.where["line"])
        assert 1 <= line <= len(lines)
        assert 1 <= int(finding.where["column"]) <= len(lines[line - 1]) + 1
    for instruction in done.instructions:
        if instruction.span is not None and instruction.span.file:
            assert 1 <= instruction.span.line <= len(texts[instruction.span.file])
    for move in done.moves:
        assert np.isfinite(_end(move)).all()
    return done


def _end(move: MoveJ | MoveL | MoveC | MoveSpline) -> Floats:
    if isinstance(move, MoveC):
        return move.frame
    return move.targets[-1] if isinstance(move, MoveJ) else move.frames[-1]


def sequence(rng: random.Random) -> Library:
    """Return statements in any order."""
    lines = rng.choices(PIECES, k=rng.choice((1, 2, 3, 4, 14)))
    if rng.random() < 0.7:
        lines.sort(key=lambda line: line.split()[0] not in TYPES)
    if rng.random() < 0.1:
        lines.insert(0, DECLARED)
    text = "DEF t()\n" + "\n".join(lines) + "\nEND\n"
    library = made(text.encode("cp1252"), "t", b"" if rng.random() < 0.1 else DATA.encode())
    library.add("helpers.src", HELPERS.encode())
    return library


def grown(rng: random.Random) -> Library:
    library = made(grown_program(rng).encode("cp1252"), "t", DATA.encode())
    library.add("helpers.src", HELPERS.encode())
    return library


def data_list(rng: random.Random) -> Library:
    library = made(b"DEF t()\nPTP XP1\nEND\n", "t", grown_data(rng, PIECES).encode("cp1252"))
    library.add("other.dat", OTHER.encode())
    return library


def any_bytes(rng: random.Random) -> Library:
    kind = rng.randrange(3)
    body = bytes(rng.choices(LETTERS, k=rng.randint(1, 150))) if kind else rng.randbytes(rng.randint(1, 100))
    return made(body if kind == 1 else b"DEF t()\n" + body + b"\nEND\n")


def mutant(path: Path, rng: random.Random) -> Library:
    """Return a shipped program in which something is changed."""
    program, data = path.read_bytes(), path.with_suffix(".dat")
    extra = data.read_bytes() if data.exists() else b""
    if extra and rng.random() < 0.2:
        return made(program, path.stem, mutated(extra, rng))
    return made(mutated(program, rng), path.stem, extra)


def any_mutant(rng: random.Random) -> Library:
    return mutant(rng.choice(SHIPPED), rng)


def mutated(text: bytes, rng: random.Random) -> bytes:
    changed = bytearray(text)
    for _edit in range(rng.randint(1, 6)):
        if not changed:
            break
        place = rng.randrange(len(changed))
        match rng.randrange(5):
            case 0:
                changed[place] = rng.randrange(256)
            case 1:
                del changed[place : place + rng.randint(1, 12)]
            case 2:
                changed[place:place] = rng.choice(PIECES).encode("cp1252")
            case 3:
                lines = bytes(changed).split(b"\n")
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                changed = bytearray(b"\n".join(lines))
            case _:
                numbers = list(re.finditer(rb"\d+", changed))
                if numbers:
                    chosen = rng.choice(numbers)
                    changed[chosen.start() : chosen.end()] = rng.choice((b"0", b"-1", b"1E9", b"99999999999", b"0.5"))
    return bytes(changed)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_statements_ends_with_motions_or_findings(seed: int) -> None:
    rng = random.Random(f"sequence {seed}")
    rounds = 500
    moved = sum(len(ended(sequence(rng)).moves) for _round in range(rounds))
    assert moved > rounds // 20


@pytest.mark.parametrize("seed", range(4))
def test_grown_programs_run(seed: int) -> None:
    rng = random.Random(f"grown {seed}")
    without_error, moved, rounds = 0, 0, 400
    for number in range(rounds):
        library = grown(rng)
        done = ended(library)
        without_error += all(finding.severity != "error" for finding in done.findings)
        moved += len(done.moves)
        if number % 10 == 0 and done.instructions:  # checking finds what running tells before it begins
            checked = [finding.code for finding in check_text(library, armlab.load(ARM)).findings]
            assert [finding.code for finding in done.findings][: len(checked)] == checked
    assert without_error > rounds // 4
    assert moved > rounds


def test_any_data_list_is_read() -> None:
    rng = random.Random(61)
    for _round in range(400):
        ended(data_list(rng))


def test_any_bytes_end() -> None:
    rng = random.Random(1252)
    for _round in range(400):
        ended(any_bytes(rng))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: Path(path).stem)
def test_mutated_programs_end(path: Path) -> None:
    rng = random.Random(path.stem)
    for _round in range(100):
        ended(mutant(path, rng))
