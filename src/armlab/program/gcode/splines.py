"""G5 and G5.1: Bézier curves in the XY plane."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode.canon import Spline, as_point
from armlab.program.gcode.codes import name_of
from armlab.program.gcode.memory import SplineMemory
from armlab.program.gcode.moves import ends
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run

CUBIC, QUADRATIC = 50, 51


def spline(run: Run, words: dict[str, float], code: int) -> None:
    """G5 with the first control at start + (I, J) and the second at end + (P, Q); G5.1 with one at start + (I, J)."""
    if run.machine.modes.plane != "xy":
        raise BadBlock("spline_plane", _("{code} needs the XY plane (G17)"), code=name_of(code))
    run.refuse_compensated(code)
    if words.keys() & set("zabcuvw"):
        raise BadBlock("spline_axes", _("{code} moves X and Y only"), code=name_of(code))
    seconds, memory = run.seconds_of_feed(words, code), run.spline_memory
    start, end = run.machine.position, ends(run, words)
    if code == CUBIC:
        controls = _cubic_controls(start, end, words, memory)
    else:
        i, j = words.get("i", 0.0), words.get("j", 0.0)
        if i == 0.0 and j == 0.0:
            raise BadBlock("spline_controls", _("G5.1 needs I or J"))
        controls = ((start[0] + i, start[1] + j),)
        memory.tangent = None
    world = tuple(run.machine.world((*control, *end[2:]))[:2] for control in controls)
    run.machine.position = end
    rate = run.machine.modes.feed
    run.tell(Spline(run.line, as_point(end), run.machine.world(end), controls, world, rate, seconds))


def _cubic_controls(
    start: list[float], end: list[float], words: dict[str, float], memory: SplineMemory
) -> tuple[tuple[float, float], ...]:
    if "p" not in words or "q" not in words:
        raise BadBlock("spline_controls_end", _("G5 needs P and Q"))
    if ("i" in words) != ("j" in words):
        raise BadBlock("spline_controls_start", _("G5 needs both I and J, or neither"))
    if "i" in words:
        out = words["i"], words["j"]
    elif memory.tangent is not None:
        out = memory.tangent
    else:
        raise BadBlock("spline_first", _("the first G5 of a series needs I and J"))
    memory.tangent = -words["p"], -words["q"]
    return (start[0] + out[0], start[1] + out[1]), (end[0] + words["p"], end[1] + words["q"])
