"""Programs made of pieces of G-code in any order: whatever they are, they end, and say what is wrong with them."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from armlab.errors import InvalidInput
from armlab.program.gcode.canon import Canonical
from armlab.program.gcode.dialects import DIALECTS
from armlab.program.gcode.instructions import instructions_of
from armlab.program.gcode.interpreter import Interpreter, Options
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.gcode.source import Source
from armlab.program.instructions import MoveHelix, MoveL
from armlab.program.place import Placement, tool_axes

ROUNDS = 3000
_PIECES = """
g0 g1 g2 g3 g4 g5 g5.1 g10 g17 g18 g19 g20 g21 g28 g28.1 g30 g38.2 g40 g41.1 g42.1 g43 g43.1 g49 g52 g53 g54 g55
g59.3 g61 g64 g73 g80 g81 g82 g83 g84 g85 g86 g89 g90 g90.1 g91 g91.1 g92 g92.1 g92.3 g93 g94 g95 g98 g99
m0 m2 m3 m4 m5 m6 m7 m8 m9 m48 m62 m66 m67 m70 m71 m72 m73 m98 m99 x1 x-2.5 y3 y[1+2] z-1 z#1 a90 i1 j-1 k.5 r2 p1
p0.5 q1 l2 d1 e0 h1 t1 s100 f100 f0 n10 @5 ^45 #1=3 #2=[#1*2] #<a>=1 #<_b>=#<a> #5221=4 o1sub o1endsub o1call
o1call[1][2] o2if[1] o2if[#1] o2else o2elseif[0] o2endif o3while[#1lt3] o3endwhile o4do o4while[0] o5repeat[2]
o5endrepeat o3break o3continue o<x>call (comment) (msg,hi) (debug,#1) (open ;rest / % [ ] # < > = + - * ** 1e9 .5
sqrt[-1] atan[1]/[0] exists[#<a>] é 🦾
"""
PIECES = _PIECES.split()
_EXTRA = b"g41.1 d1\ng1 x20 y20\ng1 x30\ng40\ng81 x1 z-1 r1 l2\ng80\nm2\n"
SHIPPED = [path.read_bytes() + _EXTRA for path in sorted(PROGRAMS.glob("*.ngc"))]
PLACEMENT = Placement(np.eye(4), tool_axes())


def interpreted(text: str) -> tuple[list[Canonical], Interpreter]:
    interpreter = Interpreter(Source("fuzz.ngc", text.encode()), Options(steps=500))
    return list(interpreter), interpreter


def sequence(rng: random.Random) -> None:
    """Interpret pieces in any order."""
    lines = [" ".join(rng.choices(PIECES, k=rng.randint(1, 7))) for _line in range(rng.randint(1, 12))]
    items, interpreter = interpreted("\n".join(lines))
    count = len(lines)
    for finding in interpreter.findings:
        assert 1 <= int(finding.where["line"]) <= count
        assert str(finding.message)
    assert all(1 <= item.line <= count for item in items)


def any_dialect(rng: random.Random) -> None:
    """Make instructions of pieces, letters or any bytes in any dialect."""
    letters = b"gmxyzfijkrpqlo#<>[]()=+-*/.0123456789e%;$:@^ \n"
    pieces = " ".join(rng.choices(PIECES, k=rng.randint(1, 30))).replace("  ", "\n").encode()
    data = rng.choice(
        [pieces, bytes(rng.choices(letters, k=rng.randint(1, 120))), rng.randbytes(rng.randint(1, 80)) + b"\ng0 x1"]
    )
    try:
        source = Source.from_bytes("fuzz.ngc", data)
    except InvalidInput:
        return
    interpreter = Interpreter(source, Options(steps=500, dialect=rng.choice(DIALECTS), is_whole=True))
    for instruction in instructions_of(interpreter, PLACEMENT, stops_at_errors=False):
        assert instruction.span is not None
    assert all(str(finding.message) for finding in interpreter.findings)


def mutant(rng: random.Random) -> None:
    """Make instructions of a shipped program in which something is changed."""
    data = bytearray(rng.choice(SHIPPED))
    for _edit in range(rng.randint(1, 8)):
        place = rng.randrange(len(data))
        action = rng.randrange(3)
        if action == 0:
            data[place] = rng.randrange(256)
        elif action == 1:
            del data[place : place + rng.randint(1, 6)]
        else:
            data[place:place] = bytes(rng.choices(b"gxyzo#[]()<>=0123456789.-+ \n", k=rng.randint(1, 5)))
    interpreter = Interpreter(Source("fuzz.ngc", bytes(data)), Options(steps=500))
    lines = bytes(data).count(b"\n") + 1
    for instruction in instructions_of(interpreter, PLACEMENT, stops_at_errors=False):
        assert instruction.span is not None
        assert 1 <= instruction.span.line <= lines
        if isinstance(instruction, MoveL | MoveHelix):
            frame = instruction.frame if isinstance(instruction, MoveHelix) else instruction.frames[-1]
            assert np.isfinite(frame).all()


def test_any_sequence_of_pieces_ends_with_motions_or_findings() -> None:
    rng = random.Random(274)
    for _round in range(ROUNDS):
        sequence(rng)


def test_any_bytes_in_any_dialect_end_and_keep_nothing() -> None:
    rng = random.Random(5602)
    tracemalloc.start()
    kept = 0
    for round_ in range(ROUNDS // 3):
        any_dialect(rng)
        if round_ == ROUNDS // 6:
            kept = tracemalloc.get_traced_memory()[0]
    grown = tracemalloc.get_traced_memory()[0] - kept
    tracemalloc.stop()
    assert grown < 2_000_000, "something is kept of every program"


@settings(max_examples=ROUNDS // 10)
@given(st.lists(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=7), max_size=10))
def test_what_hypothesis_makes_up_ends_too(lines: list[list[str]]) -> None:
    items, interpreter = interpreted("\n".join(" ".join(words) for words in lines))
    assert all(item.line >= 1 for item in items)
    assert all(str(finding.message) for finding in interpreter.findings)


def test_mutated_programs_become_instructions_and_end() -> None:
    rng = random.Random(6983)
    for _round in range(ROUNDS // 6):
        mutant(rng)
