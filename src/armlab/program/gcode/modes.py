"""What the G codes of a block do besides moving: planes, units, offsets, path and distance modes."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode import compensation, cycles, moves, offsets
from armlab.program.gcode.canon import Dwell
from armlab.program.gcode.codes import (
    ARC_DISTANCE,
    DIAMETER,
    DISTANCE,
    LENGTH,
    ONCE,
    PATH,
    PLANE,
    RADIUS,
    RETRACT,
    SYSTEM,
    UNITS,
    name_of,
)
from armlab.program.gcode.machine import PLANES, SYSTEM_CODES
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run
from armlab.program.gcode.scan import Block

CONTINUOUS = 640


def set_modes(run: Run, block: Block, g: dict[str, int]) -> None:
    """Do what the modal G codes say, in RS-274's order; G4 comes first."""
    words = block.words
    if g.get(ONCE) == 40:
        if words.get("p", -1.0) < 0.0:
            raise BadBlock("dwell", _("G4 needs its seconds as P, 0 or more"))
        run.tell(Dwell(run.line, words["p"]))
    _plane_and_units(run, g)
    if RADIUS in g:
        _radius(run, g[RADIUS], words)
    if LENGTH in g:
        offsets.length(run, g[LENGTH], words)
    _system_and_path(run, g, words)
    modes = run.machine.modes
    if DISTANCE in g and modes.is_incremental != (g[DISTANCE] == 910):
        modes.is_incremental = g[DISTANCE] == 910
        run.note(f"distance mode changed to {'incremental' if modes.is_incremental else 'absolute'}")
    if ARC_DISTANCE in g and modes.is_arc_absolute != (g[ARC_DISTANCE] == 901):
        modes.is_arc_absolute = g[ARC_DISTANCE] == 901
        run.note(f"IJK distance mode changed to {'absolute' if modes.is_arc_absolute else 'incremental'}")
    if g.get(DIAMETER) == 70:
        raise BadBlock("lathe", _("{code} is for lathes and spindles; an arm cannot do it"), code="G7")
    if RETRACT in g:
        run.refuse_compensated(g[RETRACT])
        modes.retracts_to_r = g[RETRACT] == 990
        run.note(f"retract mode set to {'r_plane' if modes.retracts_to_r else 'old_z'}")


def _plane_and_units(run: Run, g: dict[str, int]) -> None:
    machine = run.machine
    if PLANE in g:
        if PLANES[g[PLANE]] != machine.modes.plane:
            run.refuse_compensated(g[PLANE])
        machine.modes.plane = PLANES[g[PLANE]]
        run.set("select_plane", machine.modes.plane)
    if UNITS in g:
        run.refuse_compensated(g[UNITS])
        machine.use_units(is_inch=g[UNITS] == 200)
        run.set("use_length_units", "inch" if machine.modes.is_inch else "mm")


def _system_and_path(run: Run, g: dict[str, int], words: dict[str, float]) -> None:
    modes = run.machine.modes
    if SYSTEM in g:
        run.refuse_compensated(g[SYSTEM])
        index = SYSTEM_CODES.index(g[SYSTEM])
        if index != modes.system:
            run.machine.use_system(index)
            offsets.tell_system(run, with_g92=True)
        else:
            run.note("continuing to use same coordinate system")
    if PATH in g:
        run.refuse_compensated(g[PATH])
        modes.path_mode = g[PATH]
        if "r" in words and modes.path_mode == CONTINUOUS:
            run.set("set_planner_mode", *planner_mode(words["r"]))
        modes.path_tolerance = max(0.0, words.get("p", 0.0))
        modes.naive_tolerance = max(0.0, words.get("q", modes.path_tolerance))
        run.set("set_motion_control_mode", *cycles.path_mode(run))
        if modes.path_mode == CONTINUOUS:
            run.set("set_naivecam_tolerance", modes.naive_tolerance)


def planner_mode(r: float) -> tuple[int, float]:
    """Return which planner G64 R asks for, and its share of the peak: 0 is the usual one, more is from 0.1 to 1."""
    if r < 0.0:
        raise BadBlock("planner", _("R of G64 must be 0 or more, got {r:g}"), r=r)
    return (1, min(max(r, 0.1), 1.0)) if r > 0.0 else (0, -1.0)


def orientation_given(words: dict[str, float]) -> int:
    """Return the orientation of a lathe tool that L of G41.1 and G42.1 gives; 0 without it."""
    given = words.get("l", 0.0)
    if given not in range(10):
        raise BadBlock("lathe_orientation", _("L must be the orientation of a tool, 0 … 9"))
    return int(given)


def _radius(run: Run, code: int, words: dict[str, float]) -> None:
    """G40, G41, G42 with the tool's diameter from the table (D), G41.1, G42.1 with D itself."""
    machine = run.machine
    if code == 400:
        run.note("cutter radius compensation off")
        if run.is_compensating:
            compensation.finish(run)
        return
    if run.is_compensating:
        raise BadBlock("compensated_already", _("the cutter is compensated already"))
    if machine.modes.plane == "yz":
        raise BadBlock("compensation_plane", _("cutter compensation needs the XY or the ZX plane"))
    if code in {411, 421}:
        if "d" not in words:
            raise BadBlock("diameter_missing", _("{code} needs the diameter as D"), code=name_of(code))
        diameter, orientation = words["d"], orientation_given(words)
    else:
        tool = run.tool_named(round(words["d"]) if "d" in words else machine.tool)
        diameter, orientation = tool.diameter / machine.unit, tool.orientation
    radius = diameter / 2.0 if code in {410, 411} else -diameter / 2.0
    is_left = radius > 0.0 or (radius == 0.0 and code in {410, 411})
    run.note(f"cutter radius compensation on {'left' if is_left else 'right'}")
    compensation.begin(run, radius, orientation)
    run.radius_code = code


def check_machine_move(run: Run, g: dict[str, int]) -> None:
    """LinuxCNC refuses G53 with incremental distances; other controls read its words as absolute."""
    if g.get(DISTANCE, 910 if run.machine.modes.is_incremental else 900) == 910:
        raise BadBlock("g53_incremental", _("G53 cannot be used with G91"))


def set_once(run: Run, block: Block, code: int | None) -> None:
    """G10, G28, G30, G52, G53, G92 and their kind."""
    match code:
        case 100:
            offsets.set_data(run, block)
        case 280 | 300:
            moves.reference(run, block.words, code)
        case 281 | 301:
            moves.keep_reference(run, code)
        case 520 | 920 | 921 | 922 | 923:
            offsets.shift(run, code, block.words)
        case 530 if run.machine.modes.motion not in {0, 10}:
            raise BadBlock("g53_motion", _("G53 needs G0 or G1"))
        case _:
            return
