"""Canned cycles: drilling, boring and tapping, in any plane, with repeats."""

from __future__ import annotations

from dataclasses import dataclass

from armlab.messages import _
from armlab.program.gcode.canon import Dwell, Halt
from armlab.program.gcode.codes import name_of
from armlab.program.gcode.machine import MM_PER_INCH, PLANE_AXES
from armlab.program.gcode.memory import CycleMemory
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run

EXACT_PATH, CONTINUOUS = 610, 640
CLEARANCE_MM = 0.010 * MM_PER_INCH
"""How far above the last depth a peck begins to feed again."""
MAX_REPEATS = 100_000
MAX_PECKS = 100_000
AXIS_NAMES = "xyz"
STICKY = "rpqijk"

PECK_BREAK, TAP_LEFT, DRILL, DRILL_DWELL, PECK, TAP, BORE, BORE_STOP, BORE_BACK, BORE_MANUAL, BORE_DWELL = (
    730, 740, 810, 820, 830, 840, 850, 860, 870, 880, 890,
)  # fmt: skip
NEEDS = {
    DRILL_DWELL: "p", BORE_STOP: "p", BORE_MANUAL: "p", BORE_DWELL: "p", PECK: "q", PECK_BREAK: "q", BORE_BACK: "ijk",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hole:
    """One hole of a cycle: levels across the plane, and its values."""

    r: float
    bottom: float
    clear: float
    words: dict[str, float]


def cycle(run: Run, words: dict[str, float], code: int) -> None:  # noqa: C901 - one step after the other
    """Do a cycle at each of its places."""
    run.refuse_compensated(code)
    if words.keys() & set("abcuvw"):
        raise BadBlock("cycle_axes", _("{code} moves X, Y and Z only"), code=name_of(code))
    modes, position, memory = run.machine.modes, run.machine.position, run.cycle_memory
    first, second, across = PLANE_AXES[modes.plane]
    if memory.code != code:
        memory.begin(code)
    values = _values(run, words, code, memory, across)
    if memory.initial_level is None:
        memory.initial_level = position[across]
    level = position[across]
    r, bottom = _levels(run, values, AXIS_NAMES[across], memory.initial_level)
    clear = r if modes.retracts_to_r or memory.initial_level < r else memory.initial_level
    hole = Hole(r, bottom, clear, values)
    if memory.initial_level < r:
        _go(run, across, r)
        level = r
    is_exact = modes.path_mode == EXACT_PATH
    if not is_exact:
        run.set("set_motion_control_mode", "exact_path")
    for _repeat in range(_repeats(words)):
        place = list(run.machine.position)
        for axis in (first, second):
            if (given := words.get(AXIS_NAMES[axis])) is not None:
                place[axis] = place[axis] + given if modes.is_incremental else given
        place[across] = level
        run.traverse(place)
        if level != r:
            _go(run, across, r)
        _drill(run, across, code, hole)
        level = clear
    if not is_exact:
        run.set("set_motion_control_mode", *path_mode(run))
        if modes.path_mode == CONTINUOUS:
            run.set("set_naivecam_tolerance", modes.naive_tolerance)


def path_mode(run: Run) -> tuple[float | str, ...]:
    """Return the active path mode as it is told to a machine."""
    modes = run.machine.modes
    names = {610: "exact_path", 611: "exact_stop"}
    return (names[modes.path_mode],) if modes.path_mode in names else ("continuous", modes.path_tolerance)


def _repeats(words: dict[str, float]) -> int:
    repeats = words.get("l", 1.0)
    if repeats != round(repeats) or not 1 <= repeats <= MAX_REPEATS:
        raise BadBlock("repeats", _("L must be a whole number from 1 on, got {repeats:g}"), repeats=repeats)
    return round(repeats)


def _values(run: Run, words: dict[str, float], code: int, memory: CycleMemory, across: int) -> dict[str, float]:
    """Return the cycle's words with those that were given on earlier lines of the series; remember them."""
    run.seconds_of_feed(words, code)
    depth = AXIS_NAMES[across]
    for letter in (*STICKY, depth):
        if letter in words:
            memory.sticky[letter] = words[letter]
    values = dict(memory.sticky)
    for letter in ("r", depth, *NEEDS.get(code, "")):
        if letter not in values:
            raise BadBlock("cycle_word_missing", _("{code} needs {letter}"), code=name_of(code), letter=letter.upper())
    if code in {PECK, PECK_BREAK} and values["q"] <= 0.0:
        raise BadBlock("peck", _("Q must be > 0, got {q:g}"), q=values["q"])
    if values.get("p", 0.0) < 0.0:
        raise BadBlock("dwell_negative", _("P must be 0 s or more, got {p:g}"), p=values["p"])
    return values


def _levels(run: Run, values: dict[str, float], depth: str, initial: float) -> tuple[float, float]:
    r, bottom = values["r"], values[depth]
    if run.machine.modes.is_incremental:
        r = r + initial
        bottom = r + bottom
    if r < bottom:
        raise BadBlock(
            "r_below_bottom", _("R {r:g} must not be below {axis} {bottom:g}"), r=r, axis=depth.upper(), bottom=bottom
        )
    return r, bottom


def _go(run: Run, across: int, level: float) -> None:
    run.traverse(_at(run, across, level))


def _feed(run: Run, across: int, level: float) -> None:
    run.feed(_at(run, across, level))


def _at(run: Run, across: int, level: float) -> list[float]:
    end = list(run.machine.position)
    end[across] = level
    return end


def _drill(run: Run, across: int, code: int, hole: Hole) -> None:
    words = hole.words
    match code:
        case 810:
            _feed(run, across, hole.bottom)
            _go(run, across, hole.clear)
        case 820:
            _feed(run, across, hole.bottom)
            run.tell(Dwell(run.line, words["p"]))
            _go(run, across, hole.clear)
        case 830 | 730:
            _peck(run, across, hole, is_full_retract=code == PECK)
        case 840 | 740:
            _tap(run, across, hole, is_left=code == TAP_LEFT)
        case 850:
            _feed(run, across, hole.bottom)
            _feed(run, across, hole.r)
            _go(run, across, hole.clear)
        case 860 | 880:
            direction = _turning(run, code)
            _feed(run, across, hole.bottom)
            run.tell(Dwell(run.line, words["p"]))
            run.set("stop_spindle_turning")
            if code == BORE_MANUAL:
                run.tell(Halt(run.line, "stop"))
            else:
                _go(run, across, hole.clear)
            run.set(direction)
        case 890:
            _feed(run, across, hole.bottom)
            run.tell(Dwell(run.line, words["p"]))
            _feed(run, across, hole.clear)
        case _:
            _bore_back(run, across, hole)


def _peck(run: Run, across: int, hole: Hole, *, is_full_retract: bool) -> None:
    """Feed in steps of Q; between them out to R, or up a little to break the chip."""
    above = CLEARANCE_MM / run.machine.unit
    step = hole.words["q"]
    if (hole.r - hole.bottom) / step > MAX_PECKS:
        raise BadBlock("peck_count", _("Q {q:g} makes more than {most} pecks"), q=step, most=MAX_PECKS)
    depth = hole.r - step
    while depth > hole.bottom:
        _feed(run, across, depth)
        if is_full_retract:
            _go(run, across, hole.r)
        _go(run, across, depth + above)
        depth -= step
    _feed(run, across, hole.bottom)
    _go(run, across, hole.clear)


def _bore_back(run: Run, across: int, hole: Hole) -> None:
    """G87: through the hole beside its axis with the spindle standing, then bore upwards from below.

    The words of I, J, K in the plane shift the tool to where it fits through; the one across it is how high it bores.
    """
    direction = _turning(run, BORE_BACK)
    center = list(run.machine.position)
    shifts = [hole.words["ijk"[axis]] for axis in range(3)]
    middle = shifts[across] + (hole.bottom if run.machine.modes.is_incremental else 0.0)
    beside = [center[axis] + (0.0 if axis == across else shifts[axis]) for axis in range(3)] + center[3:]
    run.traverse(beside)
    run.set("stop_spindle_turning")
    run.set("orient_spindle", 0.0)
    _go(run, across, hole.bottom)
    run.traverse(_over(center, across, hole.bottom))
    run.set(direction)
    _feed(run, across, middle)
    _feed(run, across, hole.bottom)
    run.set("stop_spindle_turning")
    run.set("orient_spindle", 0.0)
    run.traverse(_over(beside, across, hole.bottom))
    _go(run, across, hole.clear)
    run.traverse(_over(center, across, hole.clear))
    run.set(direction)


def _over(place: list[float], across: int, level: float) -> list[float]:
    out = list(place)
    out[across] = level
    return out


def _turning(run: Run, code: int) -> str:
    spindle = run.machine.modes.spindle
    if spindle == 0:
        raise BadBlock("spindle_stands", _("{code} needs a turning spindle"), code=name_of(code))
    return "start_spindle_clockwise" if spindle > 0 else "start_spindle_counterclockwise"


def _tap(run: Run, across: int, hole: Hole, *, is_left: bool) -> None:
    """Feed in with the spindle turning one way, and out with it turning the other."""
    turning = run.machine.modes.spindle
    if turning != (-1 if is_left else 1):
        raise BadBlock(
            "tap_direction", _("{code} needs the spindle turning the right way: M3 for G84, M4 for G74"),
            code=name_of(TAP_LEFT if is_left else TAP),
        )  # fmt: skip
    inwards, outwards = "start_spindle_clockwise", "start_spindle_counterclockwise"
    if is_left:
        inwards, outwards = outwards, inwards
    run.set("disable_feed_override")
    run.set("disable_speed_override")
    _feed(run, across, hole.bottom)
    run.set("stop_spindle_turning")
    run.set(outwards)
    run.tell(Dwell(run.line, hole.words.get("p", 0.0)))
    _feed(run, across, hole.clear)
    run.set("stop_spindle_turning")
    run.set(inwards)
    run.set("enable_feed_override")
    run.set("enable_speed_override")
