"""Long programs of short lines: they run at their feed rate, and no joint leaves its limits."""

from __future__ import annotations

import math
import os

import numpy as np

import armlab
from armlab.program.executor import Executor, Piece
from armlab.program.gcode.instructions import instructions_of
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.source import Source
from armlab.program.place import default_placement
from armlab.program.prepare import survey

ARM = armlab.load("kuka-kr6-r700")
LINES = 1000 * int(os.environ.get("ARMLAB_LINES", "1"))
FEED = 3000.0
SLACK = 1.0 + 1e-6


def curve(count: int) -> bytes:
    rows = [f"G1 X{40 * math.cos(i / 200):.4f} Y{40 * math.sin(i / 200):.4f} Z{i / count:.4f}" for i in range(count)]
    return "\n".join(["G21 G90 G64 P0.05", f"F{FEED}", *rows]).encode()


def test_short_lines_of_a_curve_run_at_feed_rate_within_all_limits() -> None:
    program = curve(LINES)
    placement, _found = default_placement(ARM, survey(Interpreter(Source("curve", program))))
    stream = instructions_of(Interpreter(Source("curve", program)), placement)
    pieces = [item for item in Executor(ARM, stream, start=ARM.home) if isinstance(item, Piece)]
    speeds, held = [], 0
    for piece in pieces[1:]:  # the approach comes first
        times = piece.trajectory.times(0.002)
        q, qd, qdd = piece.trajectory.sample(times)
        assert ((q >= ARM.lower) & (q <= ARM.upper)).all()
        assert (np.abs(qd) <= ARM.velocity * SLACK).all()
        assert (np.abs(qdd) <= ARM.acceleration * SLACK).all()
        J = np.array([ARM.jacobian(row)[:3] for row in q[:: max(1, len(q) // 50)]])
        speeds.append(np.linalg.norm(np.einsum("kij,kj->ki", J, qd[:: max(1, len(q) // 50)]), axis=1))
        assert piece.findings == ()
        held += len(piece.covered)
    assert held >= LINES
    tool = np.concatenate(speeds) * 60_000.0
    assert (tool <= FEED * 1.001).all()
    steady = tool[2:-8]  # it speeds up and brakes at the ends
    assert np.mean(np.abs(steady - FEED) <= 0.001 * FEED) > 0.95
