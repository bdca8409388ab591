"""Programs: reading G-code against pygcode; the first motion of a long file; checks on an arm; KRL."""

from __future__ import annotations

import gc
import importlib
import math
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import armlab
from armlab.program.check import check_program
from armlab.program.gcode.canon import Feed
from armlab.program.gcode.instructions import instructions_of
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.source import Source
from armlab.program.krl.instructions import instructions_of as krl_instructions
from armlab.program.krl.library import Library, open_library
from armlab.program.place import default_placement
from armlab.program.prepare import survey
from bench.timing import Line, best_of

KRL_PASSES, KRL_STATEMENTS = 60_000, 4
KRL_LOOP = f"""DEF t()
  INT i, k
  REAL x
  k = 0
  x = 0.0
  FOR i = 1 TO {KRL_PASSES}
    x = x + SIN(i) * 2.0
    IF x > 100.0 THEN
      x = 0.0
    ENDIF
    k = (k + 3) * 1
  ENDFOR
END
"""
"""Each pass: the loop itself, an assignment with a function, a decision, an assignment."""
MODULES, POINTS = 200, 50
LINES, FEW, LONG = 100_000, 1_000, 1_000_000


def lines() -> Iterator[Line]:
    """Yield one line per measure; pygcode is left out where it is not installed."""
    program = curve(LINES)
    read = lambda: sum(1 for _item in Interpreter(Source("curve", program)))  # noqa: E731 - what is timed
    ours = best_of(read, LINES, budget=3.0, clock=time.process_time)
    note = "processor time; pygcode reads words only"
    yield Line("read a line of G-code, with its motion", "", ours, "pygcode", _pygcode(), note)
    yield Line("first motion of a file with a million lines", "", _first_motion(), note="processor time")
    yield _check()
    yield _krl()
    yield _modules()


def curve(count: int) -> bytes:
    """Return a program of short straight lines along a spiral."""
    rows = [f"G1 X{40 * math.cos(i / 200):.4f} Y{40 * math.sin(i / 200):.4f} Z{i / count:.4f}" for i in range(count)]
    return "\n".join(["G21 G90 G64 P0.05", "F3000", *rows]).encode()


def _pygcode() -> float | None:
    try:
        pygcode = importlib.import_module("pygcode")
    except ImportError:
        return None
    rows = curve(FEW).decode().splitlines()
    machine = pygcode.Machine()

    def read() -> None:
        for row in rows:
            machine.process_block(pygcode.Line(row).block)

    return best_of(read, FEW, clock=time.process_time)


def _first_motion() -> float:
    program = curve(LONG)
    start = time.process_time()
    next(item for item in Interpreter(Source("curve", program)) if isinstance(item, Feed))
    return time.process_time() - start


def _check() -> Line:
    robot = armlab.load("kuka-kr6-r700")
    program, count = curve(20 * FEW), 20 * FEW
    placement, _findings = default_placement(robot, survey(Interpreter(Source("curve", program))))

    def check() -> None:
        check_program(robot, instructions_of(Interpreter(Source("curve", program)), placement))

    gc.freeze()  # as the command does
    seconds = best_of(check, count, budget=6.0, clock=time.process_time)
    gc.unfreeze()
    return Line("check a motion of a G-code program", robot.name, seconds, note="processor time")


def _krl() -> Line:
    robot, library = armlab.load("kuka-kr6-r700"), Library(main="T")
    library.add("t.src", KRL_LOOP.encode())
    seconds = best_of(lambda: list(krl_instructions(library, robot)), KRL_PASSES * KRL_STATEMENTS)
    return Line("execute a statement of KRL that moves nothing", "", seconds)


def _modules() -> Line:
    point = "{X 1, Y 2, Z 3, A 0, B 0, C 0, S 2, T 2}"
    with TemporaryDirectory() as folder:
        for i in range(MODULES):
            body = "PTP {A1 10}\nLIN_REL {X 10}\n" * (2 * POINTS)
            Path(folder, f"m{i}.src").write_text(f"DEF m{i}()\n{body}END\n")
            points = "".join(f"DECL E6POS XP{k}={point}\n" for k in range(POINTS))
            Path(folder, f"m{i}.dat").write_text(f"DEFDAT m{i}\n{points}ENDDAT\n")
        seconds = best_of(lambda: open_library(Path(folder), needs_main=False))
    return Line("index a folder of 200 KRL modules", "", seconds)
