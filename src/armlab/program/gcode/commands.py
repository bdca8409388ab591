"""What the words and M codes of a block do besides moving: feed, spindle, tool, ports, switches, saved modes, stops."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode import compensation, offsets
from armlab.program.gcode.canon import Halt, InputWait
from armlab.program.gcode.codes import FEED_MODE, SPINDLE_MODE, name_of
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import INVERSE_TIME, Run
from armlab.program.gcode.scan import Block

MCodes = dict[str, list[int]]

FEED_MODES = {940: 0, 950: 1, INVERSE_TIME: 0}
FEED_MODE_NAMES = {940: "units per minute", 950: "units per revolution", INVERSE_TIME: "inverse time"}
ANY_SPEED = 1e30
"""Turns per minute that G96 without D allows."""
SPINDLE = {3: "start_spindle_clockwise", 4: "start_spindle_counterclockwise", 5: "stop_spindle_turning"}
SWITCHES = {50: "feed_override", 51: "speed_override", 52: "adaptive_feed", 53: "feed_hold"}
MOST_TOOL = 99_999


def feed_and_speed(run: Run, block: Block, g: dict[str, int], *, has_motion: bool) -> None:
    """G93 … G97, F, S, T."""
    modes, words = run.machine.modes, block.words
    if SPINDLE_MODE in g:
        modes.is_surface_speed = g[SPINDLE_MODE] == 960
        run.set("set_spindle_mode", abs(words.get("d", ANY_SPEED)) if g[SPINDLE_MODE] == 960 else 0.0)
    if FEED_MODE in g:
        modes.feed_mode = g[FEED_MODE]
        run.note(f"feed mode set to {FEED_MODE_NAMES[modes.feed_mode]}")
        run.set("set_feed_mode", FEED_MODES[modes.feed_mode])
        if modes.feed_mode != INVERSE_TIME:
            modes.feed = 0.0
            run.set("set_feed_rate", 0.0)
    if "f" in words:
        _feed(run, words["f"], has_motion=has_motion)
    if "s" in words:
        if words["s"] < 0.0:
            raise BadBlock("speed_negative", _("S must be 0 or more, got {speed:g}"), speed=words["s"])
        modes.speed = words["s"]
        run.set("set_spindle_speed", modes.speed)
    if "t" in words:
        number = words["t"]
        if number != round(number) or not 0 <= number <= MOST_TOOL:
            raise BadBlock("tool_number", _("T must be a whole number from 0 to {most}"), most=MOST_TOOL)
        run.machine.selected = round(number)
        run.set("select_tool", run.machine.selected)


def _feed(run: Run, rate: float, *, has_motion: bool) -> None:
    modes = run.machine.modes
    if rate < 0.0:
        raise BadBlock("feed_negative", _("F must be 0 or more, got {feed:g}"), feed=rate)
    if modes.feed_mode != INVERSE_TIME:
        modes.feed = rate
        run.set("set_feed_rate", rate)
    elif not has_motion:
        raise BadBlock("feed_alone", _("in inverse time F belongs to a motion"))


def ports(run: Run, block: Block, m: MCodes) -> None:
    """M62 … M68: outputs, and inputs that are read or waited for."""
    words = block.words
    for code in m.get("port", ()):
        run.refuse_compensated(code, "M")
        if code == 66:
            _wait_for_input(run, words)
        elif code in {67, 68}:
            if "e" not in words or "q" not in words:
                raise BadBlock("port_words", _("{code} needs E and Q"), code=name_of(code, "M"))
            run.set("set_analog_output" if code == 68 else "set_motion_analog_output", int(words["e"]), words["q"])
        else:
            if "p" not in words:
                raise BadBlock("port_words_p", _("{code} needs P"), code=name_of(code, "M"))
            name = "set_motion_output_bit" if code in {62, 63} else "set_output_bit"
            run.set(name, int(words["p"]), 1 if code in {62, 64} else 0)


def _wait_for_input(run: Run, words: dict[str, float]) -> None:
    if ("p" in words) == ("e" in words):
        raise BadBlock("input_words", _("M66 needs either P or E"))
    mode, is_analog = words.get("l", 0.0), "e" in words
    if mode not in range(5) or (is_analog and mode):
        raise BadBlock("input_mode", _("M66 needs L0 … L4, and L0 for an analog input"))
    timeout = words.get("q", 0.0)
    if mode and timeout <= 0.0:
        raise BadBlock("input_timeout", _("M66 that waits needs its time-out Q > 0"))
    wait = InputWait(run.line, int(words.get("p", words.get("e", 0.0))), is_analog, int(mode), timeout)
    run.tell(wait)
    run.question = wait


def tool_and_spindle(run: Run, block: Block, m: MCodes) -> None:
    """M3 … M6, M19, M61."""
    machine = run.machine
    for code in m.get("tool", ()):
        if code == 61:
            number = block.words.get("q", -1.0)
            if number != round(number) or not 0 <= number <= MOST_TOOL:
                raise BadBlock("tool_q", _("M61 needs the number of a tool as Q"))
            machine.selected = round(number)
        elif machine.has_table:
            run.tool_named(machine.selected)
        machine.tool = machine.selected
        if code == 6:
            machine.modes.spindle = 0
            run.set("start_change")
            run.set("stop_spindle_turning")
        run.set("change_tool" if code == 6 else "change_tool_number", machine.tool)
    for code in m.get("spindle", ()):
        machine.modes.spindle = {3: 1, 4: -1, 5: 0}[code]
        run.set(SPINDLE[code])
    if "orient" in m:
        run.set("orient_spindle", block.words.get("r", 0.0))


def switches(run: Run, block: Block, m: MCodes) -> None:
    """M7 … M9, M48 … M53, M100 … M199."""
    modes = run.machine.modes
    for code in m.get("coolant", ()):
        if code == 7:
            modes.is_mist = True
            run.set("mist_on")
        elif code == 8:
            modes.is_flood = True
            run.set("flood_on")
        else:
            _coolant_off(run)
    for code in m.get("override", ()):
        run.refuse_compensated(code, "M")
        names = ("feed_override", "speed_override") if code in {48, 49} else (SWITCHES[code],)
        is_on = code == 48 if code in {48, 49} else block.words.get("p", 1.0) != 0.0
        for name in names:
            setattr(modes, name, is_on)
            run.set(f"{'enable' if is_on else 'disable'}_{name}")
    for code in m.get("user", ()):
        run.set("user_code", code)


def _coolant_off(run: Run) -> None:
    run.machine.modes.is_mist = run.machine.modes.is_flood = False
    run.set("mist_off")
    run.set("flood_off")


def stop(run: Run, m: MCodes) -> None:
    """M0, M1, M2, M30, M60."""
    for code in m.get("stop", ()):
        match code:
            case 0:
                run.tell(Halt(run.line, "stop"))
            case 1:
                run.tell(Halt(run.line, "optional_stop"))
            case 60:
                run.set("pallet_shuttle")
                run.tell(Halt(run.line, "pallet"))
            case _:
                _end(run, shuttles=code == 30)


def _end(run: Run, *, shuttles: bool) -> None:
    """M2, M30: the modes go back to where a program begins, and the program is over."""
    machine = run.machine
    if run.is_compensating:
        compensation.finish(run)
    run.is_arc_refused = False
    machine.use_system(0)
    offsets.tell_system(run)
    modes = machine.modes
    if modes.plane != "xy":
        run.set("select_plane", "xy")
    modes.plane, modes.is_incremental, modes.feed_mode, modes.feed, modes.spindle = "xy", False, 940, 0.0, 0
    modes.motion, modes.is_surface_speed = 10, False
    run.set("set_feed_mode", 0)
    run.set("set_feed_rate", 0.0)
    for name in ("feed_override", "speed_override"):
        if not getattr(modes, name):
            setattr(modes, name, True)
            run.set(f"enable_{name}")
    run.set("stop_spindle_turning")
    run.set("set_spindle_mode", 0.0)
    if modes.is_mist:
        run.set("mist_off")
    if modes.is_flood:
        run.set("flood_off")
    modes.is_mist = modes.is_flood = False
    if shuttles:
        run.set("pallet_shuttle")
    run.tell(Halt(run.line, "end"))
    run.is_over = True
