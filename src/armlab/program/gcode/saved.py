"""Modes that M70 and M73 save: they come back through the codes that set them, so that the machine is told of each."""

from __future__ import annotations

from copy import copy

from armlab.messages import _
from armlab.program.gcode import commands, modes, offsets
from armlab.program.gcode.codes import (
    ARC_DISTANCE,
    DISTANCE,
    FEED_MODE,
    LENGTH,
    PATH,
    PLANE,
    RADIUS,
    RETRACT,
    SPINDLE_MODE,
    SYSTEM,
    UNITS,
)
from armlab.program.gcode.machine import PLANES, SYSTEM_CODES, Modes
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import INVERSE_TIME, Run, SavedModes
from armlab.program.gcode.scan import Block

PLANE_CODES = {plane: code for code, plane in PLANES.items()}


def saved_modes(run: Run, m: commands.MCodes) -> None:
    """M70 saves the modes, M71 forgets them, M72 brings them back, M73 saves them until the call returns."""
    depth = run.machine.parameters.depth
    for code in m.get("state", ()):
        if code in {70, 73}:
            has_length = any(run.machine.tool_offset)
            is_left_right = run.radius_code // 10 * 10
            run.saved[depth] = SavedModes(copy(run.machine.modes), is_left_right, has_length, code == 73 and depth > 0)
        elif code == 71:
            run.saved.pop(depth, None)
        elif depth in run.saved:
            restore(run, run.saved[depth])
        else:
            raise BadBlock("state_missing", _("M72 finds no modes that were saved"))


def call_returned(run: Run, value: float | None) -> None:
    """Take what a call returned, and bring back the modes that it saved for that."""
    run.result = 0.0 if value is None else value
    saved = run.saved.pop(run.machine.parameters.depth + 1, None)
    if saved is not None and saved.comes_back:
        restore(run, saved)


def restore(run: Run, saved: SavedModes) -> None:
    """Bring back what has changed: units first, so that F and offsets are meant in them, M codes last."""
    if saved.modes.is_inch != run.machine.modes.is_inch:
        modes.set_modes(run, Block(run.line), {UNITS: 200 if saved.modes.is_inch else 210})
    g = _changed_codes(run, saved)
    block = Block(run.line, _changed_words(run.machine.modes, saved.modes, g))
    had_g92 = run.machine.modes.has_g92
    commands.feed_and_speed(run, block, g, has_motion=False)
    modes.set_modes(run, block, g)
    if saved.modes.has_g92 != had_g92:
        offsets.shift(run, 923 if saved.modes.has_g92 else 922, {})
    _restore_switches(run, saved.modes)


def _changed_codes(run: Run, saved: SavedModes) -> dict[str, int]:
    """Return the G codes, by group, that bring back what is another than it was."""
    now, then = run.machine.modes, saved.modes
    wanted = {
        PLANE: (PLANE_CODES[now.plane], PLANE_CODES[then.plane]),
        RADIUS: (run.radius_code // 10 * 10 if run.is_compensating else 400, saved.radius_code),
        DISTANCE: (910 if now.is_incremental else 900, 910 if then.is_incremental else 900),
        ARC_DISTANCE: (901 if now.is_arc_absolute else 911, 901 if then.is_arc_absolute else 911),
        FEED_MODE: (now.feed_mode, then.feed_mode),
        SYSTEM: (SYSTEM_CODES[now.system], SYSTEM_CODES[then.system]),
        LENGTH: (430 if any(run.machine.tool_offset) else 490, 430 if saved.has_length else 490),
        RETRACT: (990 if now.retracts_to_r else 980, 990 if then.retracts_to_r else 980),
        SPINDLE_MODE: (960 if now.is_surface_speed else 970, 960 if then.is_surface_speed else 970),
    }
    g = {group: after for group, (before, after) in wanted.items() if before != after}
    if _path(now) != _path(then):
        g[PATH] = then.path_mode
    return g


def _path(m: Modes) -> tuple[float, ...]:
    """Return the path mode with the tolerances that belong to it."""
    return (m.path_mode, m.path_tolerance, m.naive_tolerance) if m.path_mode == modes.CONTINUOUS else (m.path_mode,)


def _changed_words(now: Modes, then: Modes, g: dict[str, int]) -> dict[str, float]:
    words: dict[str, float] = {}
    if then.feed_mode != INVERSE_TIME and (then.feed != now.feed or FEED_MODE in g):
        words["f"] = then.feed
    if then.speed != now.speed:
        words["s"] = then.speed
    if g.get(PATH) == modes.CONTINUOUS and then.path_tolerance > 0.0:
        words |= {"p": then.path_tolerance, "q": then.naive_tolerance}
    return words


def _restore_switches(run: Run, then: Modes) -> None:
    """Bring back spindle, coolant and overrides."""
    now = copy(run.machine.modes)
    plain = Block(run.line)
    if now.spindle != then.spindle:
        commands.tool_and_spindle(run, plain, {"spindle": [{1: 3, -1: 4, 0: 5}[then.spindle]]})
    if (now.is_mist and not then.is_mist) or (now.is_flood and not then.is_flood):
        commands.switches(run, plain, {"coolant": [9]})
        now.is_mist = now.is_flood = False
    if then.is_mist and not now.is_mist:
        commands.switches(run, plain, {"coolant": [7]})
    if then.is_flood and not now.is_flood:
        commands.switches(run, plain, {"coolant": [8]})
    for code, name in commands.SWITCHES.items():
        if getattr(now, name) != getattr(then, name):
            block = Block(run.line, {"p": float(getattr(then, name))})
            commands.switches(run, block, {"override": [code]})
