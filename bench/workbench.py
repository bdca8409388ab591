"""The workbench: an edit of a length from command to simulation, and what the page asks for after it; commands."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import armlab
from armlab.catalog import load_tool
from armlab.cell.command_handler import CommandHandler
from armlab.cell.commands import COMMAND
from armlab.cell.project import DhValues, Project
from armlab.cell.session import Session
from armlab.formats.glb import robot_glb
from armlab.model.dh import dh_table
from armlab.reports.robots import robot_sheet
from bench.timing import Line, best_of

ARMS = ("kuka-kr6-r700", "ur5e", "franka-panda", "planar3")
EDITS = 25
STARTS = 7
LONGER_MM = 0.25
COMMANDS = (
    ("fk", "kuka-kr6-r900", "0", "-90", "90", "0", "0", "0"),
    ("robots",),
)


def lines() -> Iterator[Line]:
    """Yield edits of each arm, then the start of short commands."""
    for name in ARMS:
        yield from _edits(name)
    for arguments in COMMANDS:
        yield Line(f"armlab {arguments[0]} on the command line", _arm_of(arguments), _start(arguments))


def _edits(name: str) -> Iterator[Line]:
    """Pull one length of the arm's DH table, a quarter of a millimetre at a time, as a slider in the page does."""
    session = Session(Project.model_validate({"schema": 1, "arm": {"name": name}}))
    handler, rows = CommandHandler(session), _rows(name)
    longest = max(range(len(rows)), key=lambda i: abs(rows[i].a))
    best = float("inf")
    for i in range(EDITS):
        changed = [row.model_dump() for row in rows]
        changed[longest]["a"] += LONGER_MM * (i + 1)
        edit = {"type": "edit", "label": "length", "coalesce": True, "revision": session.revision}
        change = {"path": ["arm", "dh"], "value": changed}
        best = min(best, _edit(handler, edit | {"changes": [change]}))
        session.take_events()
    yield Line("edit of a length, command to simulation", name, best)
    robot = session.robot
    yield Line("sheet of the edited arm, for the page", name, best_of(lambda: robot_sheet(robot)))
    yield Line("shapes of the edited arm, for the page", name, best_of(lambda: robot_glb(robot)))


def _rows(name: str) -> list[DhValues]:
    """Return the arm's own standard rows as the page sends them, in degrees and mm."""
    rows = dh_table(armlab.load(name).with_tool(load_tool("none")), "standard").rows
    return [
        DhValues(theta=math.degrees(r.theta), d=1000.0 * r.d, a=1000.0 * r.a, alpha=math.degrees(r.alpha)) for r in rows
    ]


def _edit(handler: CommandHandler, command: dict[str, Any]) -> float:
    start = time.perf_counter()
    handler.handle(COMMAND.validate_python(command))
    return time.perf_counter() - start


def _start(arguments: tuple[str, ...]) -> float:
    """Return the best of some runs in processes of their own, as a person types it."""
    call = [sys.executable, "-m", "armlab", *arguments]
    return best_of(lambda: subprocess.run(call, check=True, capture_output=True), budget=STARTS * 0.5)


def _arm_of(arguments: tuple[str, ...]) -> str:
    return arguments[1] if len(arguments) > 1 else "–"
