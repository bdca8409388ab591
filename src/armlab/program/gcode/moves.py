"""Straight motions, reference points, probing."""

from __future__ import annotations

import math

from armlab.messages import _
from armlab.program.gcode import compensation
from armlab.program.gcode.canon import AXES, StraightProbe, as_point
from armlab.program.gcode.codes import AXIS_WORDS, name_of
from armlab.program.gcode.machine import LENGTHS
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import PER_MINUTE, Run

RAPID, LINE = 0, 10
REFERENCES = {280: 5161, 300: 5181}
"""G28 and G30 go to the point that is kept from this parameter on."""
SAME_POINT = 1e-9


def ends(run: Run, words: dict[str, float], *, is_machine: bool = False) -> list[float]:
    """Return where the axis words of a block lead to; `is_machine`: they are machine coordinates (G53)."""
    machine = run.machine
    if is_machine:
        m = machine.to_machine(machine.position)
        for i, axis in enumerate(AXES):
            if axis in words:
                m[i] = words[axis]
        return machine.to_program(m)
    end = list(machine.position)
    if "@" in words or "^" in words:
        end[0], end[1] = _polar(run, words)
    for i, axis in enumerate(AXES):
        if axis in words:
            end[i] = end[i] + words[axis] if machine.modes.is_incremental else words[axis]
    return end


def _polar(run: Run, words: dict[str, float]) -> tuple[float, float]:
    if "x" in words or "y" in words:
        raise BadBlock("polar_with_xy", _("@ and ^ cannot be used with X or Y"))
    x, y = run.machine.position[:2]
    radius, angle = math.hypot(x, y), math.degrees(math.atan2(y, x))
    if run.machine.modes.is_incremental:
        radius, angle = radius + words.get("@", 0.0), angle + words.get("^", 0.0)
    else:
        radius, angle = words.get("@", radius), words.get("^", angle)
    return radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))


def straight(run: Run, words: dict[str, float], code: int, *, is_machine: bool) -> None:
    """G0, G1."""
    seconds = run.seconds_of_feed(words, code) if code == LINE else 0.0
    if is_machine and run.is_compensating:
        raise BadBlock("g53_compensated", _("G53 cannot be used while the cutter is compensated"))
    end = ends(run, words, is_machine=is_machine)
    run.is_arc_refused = False
    if seconds:
        run.tell_inverse_time(travel_of(run.machine.position, end), seconds)
    if run.runs_beside:
        compensation.straight(run, end, is_feed=code == LINE, seconds=seconds)
    elif code == LINE:
        run.feed(end, seconds)
    else:
        run.traverse(end)


def travel_of(start: list[float], end: list[float]) -> float:
    """Return how far a straight motion goes, as feed rates count it: in X Y Z, or else U V W, or else degrees."""
    for axes in (slice(0, 3), slice(6, 9), slice(3, 6)):
        if (length := math.dist(start[axes], end[axes])) > 0.0:
            return length
    return 0.0


def reference(run: Run, words: dict[str, float], code: int) -> None:
    """G28, G30: over the given point, if any, to the reference point; only the axes that are named, if any are."""
    run.refuse_compensated(code)
    machine = run.machine
    first = REFERENCES[code]
    named = [i for i, axis in enumerate(AXES) if axis in words]
    run.traverse(ends(run, words))
    m = machine.to_machine(machine.position)
    for i in named or range(9):
        kept = machine.parameters.number(first + i)
        m[i] = kept * machine.kept_unit / machine.unit if i in LENGTHS else kept
    run.traverse(machine.to_program(m))


def keep_reference(run: Run, code: int) -> None:
    """G28.1, G30.1: the point where the machine is becomes the reference point."""
    run.refuse_compensated(code)
    machine = run.machine
    for i, value in enumerate(machine.kept(machine.world(machine.position))):
        machine.parameters.put(REFERENCES[code - 1] + i, value)


def probe(run: Run, words: dict[str, float], code: int) -> None:
    """G38.2 … G38.5; what is touched decides where the motion ends, so the machine is asked."""
    run.refuse_compensated(code)
    if not AXIS_WORDS & words.keys():
        raise BadBlock("axes_missing", _("{code} needs at least one axis"), code=name_of(code))
    if run.machine.modes.feed_mode != PER_MINUTE:
        raise BadBlock("probe_per_turn", _("{code} needs a feed rate in units per minute (G94)"), code=name_of(code))
    run.seconds_of_feed({}, code)
    end = ends(run, words)
    distance = math.dist(end[:3], run.machine.position[:3])
    if distance <= SAME_POINT:
        raise BadBlock("probe_nowhere", _("{code} starts where it should end"), code=name_of(code))
    item = StraightProbe(
        run.line,
        as_point(end),
        run.machine.world(end),
        run.machine.modes.feed,
        away=code >= 384,
        needed=code in {382, 384},
    )
    run.set("turn_probe_on")
    run.tell(item)
    run.set("turn_probe_off")
    run.question = item
