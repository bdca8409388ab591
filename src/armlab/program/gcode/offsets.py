"""G10, G43, G49, G52, G92 and their kind: what changes offsets and moves nothing."""

from __future__ import annotations

from armlab.messages import _
from armlab.program.gcode.canon import AXES, as_point
from armlab.program.gcode.codes import AXIS_WORDS, name_of
from armlab.program.gcode.machine import LENGTHS, SYSTEMS, ToolEntry, rotated
from armlab.program.gcode.problems import BadBlock
from armlab.program.gcode.run import Run
from armlab.program.gcode.scan import Block


def tell_system(run: Run, *, with_g92: bool = False) -> None:
    """Tell the offset and rotation of the active work coordinate system."""
    machine = run.machine
    k = machine.modes.system
    run.set("set_g5x_offset", k + 1, *machine.systems[k])
    if with_g92:
        run.set("set_g92_offset", *machine.g92)
    run.set("set_xy_rotation", machine.rotations[k])


def set_data(run: Run, block: Block) -> None:
    """G10 L1, L2, L10, L11, L20."""
    words = block.words
    what = words.get("l")
    if what in {2.0, 20.0}:
        _set_system(run, words, is_here=what == 20.0)
    elif what in {1.0, 10.0, 11.0}:
        _set_tool(run, words, int(what))
    else:
        raise BadBlock("g10_l", _("G10 needs L1, L2, L10, L11 or L20"))


def _whole(words: dict[str, float], letter: str, lowest: int, highest: int) -> int:
    value = words.get(letter)
    if value is None or value != round(value) or not lowest <= value <= highest:
        raise BadBlock(
            "number_outside",
            _("{letter} must be a whole number from {lowest} to {highest}"),
            letter=letter.upper(),
            lowest=lowest,
            highest=highest,
        )
    return round(value)


def _set_system(run: Run, words: dict[str, float], *, is_here: bool) -> None:
    """L2 takes offsets as they are; L20 makes the present point have the given coordinates."""
    machine = run.machine
    chosen = _whole(words, "p", 0, SYSTEMS)
    k = machine.modes.system if chosen == 0 else chosen - 1
    if k == machine.modes.system:
        run.refuse_compensated(100)
    rotation = machine.rotations[k]
    if "r" in words:
        if is_here:
            raise BadBlock("g10_r", _("G10 L20 has no R"))
        rotation = words["r"]
    offset = list(machine.systems[k])
    if is_here:
        offset = _offset_for(run, words, k)
    else:
        for i, axis in enumerate(AXES):
            if axis in words:
                offset[i] = words[axis]
    machine.set_system(k, offset, rotation)
    if k == machine.modes.system:
        tell_system(run)
    else:
        run.note("setting coordinate system origin")


def _offset_for(run: Run, words: dict[str, float], k: int) -> list[float]:
    """Return the offset of system k with which the present point gets the coordinates in `words`."""
    machine = run.machine
    m = [a - b for a, b in zip(machine.to_machine(machine.position), machine.tool_offset, strict=True)]
    before = [a - b for a, b in zip(m, machine.systems[k], strict=True)]
    before[0], before[1] = rotated(before[0], before[1], -machine.rotations[k])
    wanted = [a - b for a, b in zip(before, machine.g92, strict=True)]
    for i, axis in enumerate(AXES):
        if axis in words:
            wanted[i] = words[axis]
    turned = [a + b for a, b in zip(wanted, machine.g92, strict=True)]
    turned[0], turned[1] = rotated(turned[0], turned[1], machine.rotations[k])
    return [a - b for a, b in zip(m, turned, strict=True)]


def _set_tool(run: Run, words: dict[str, float], what: int) -> None:
    """L1 writes a tool's offset; L10 and L11 choose it so that the present point has the given coordinates."""
    machine = run.machine
    number = _whole(words, "p", 1, 99_999)
    if machine.has_table:
        run.tool_named(number)
    if not words.keys() & (AXIS_WORDS | set("rqij")):
        raise BadBlock("g10_nothing", _("G10 L{what} needs an axis, R, I, J or Q"), what=what)
    known = machine.tools.get(number, ToolEntry(number, pocket=number))
    offset = machine.from_mm(known.offset)
    if what == 1:
        offset = [words.get(axis, offset[i]) for i, axis in enumerate(AXES)]
    else:
        offset = _touched_off(run, words, offset, to_fixture=what == 11)
    in_mm = [value * machine.unit if i in LENGTHS else value for i, value in enumerate(offset)]
    diameter = 2.0 * words["r"] * machine.unit if "r" in words else known.diameter
    angles = words.get("i", known.angles[0]), words.get("j", known.angles[1])
    orientation = _whole(words, "q", 0, 9) if "q" in words else known.orientation
    machine.tools[number] = ToolEntry(number, as_point(in_mm), diameter, known.pocket, angles, orientation)
    values = (*machine.kept(in_mm), diameter / machine.kept_unit, *angles, orientation)
    run.set("set_tool_table_entry", known.pocket, number, *values)


def _touched_off(run: Run, words: dict[str, float], offset: list[float], *, to_fixture: bool) -> list[float]:
    """Return the tool offset with which the present point gets the coordinates in `words`.

    They are those of the active system, or with `to_fixture` those of the ninth (G59.3), which G92 does not shift.
    """
    machine = run.machine
    k = SYSTEMS - 1 if to_fixture else machine.modes.system
    turn = machine.rotations[k]
    here = [a - b for a, b in zip(machine.to_machine(machine.position), machine.systems[k], strict=True)]
    here[0], here[1] = rotated(here[0], here[1], -turn)
    out = list(offset)
    out[0], out[1] = rotated(out[0], out[1], -turn)
    for i, axis in enumerate(AXES):
        if axis in words:
            out[i] = here[i] - words[axis] - (0.0 if to_fixture else machine.g92[i])
    out[0], out[1] = rotated(out[0], out[1], turn)
    return out


def length(run: Run, code: int, words: dict[str, float]) -> None:
    """G43, G43.1, G43.2, G49."""
    machine = run.machine
    if code == 490:
        offset = [0.0] * 9
    elif code == 431:
        if not AXIS_WORDS & words.keys():
            raise BadBlock("axes_missing", _("{code} needs at least one axis"), code=name_of(code))
        offset = [words.get(axis, machine.tool_offset[i]) for i, axis in enumerate(AXES)]
    else:
        number = _whole(words, "h", 0, 99_999) if "h" in words else machine.tool
        offset = machine.from_mm(run.tool_named(number).offset)
        if code == 432:
            offset = [a + b for a, b in zip(machine.tool_offset, offset, strict=True)]
    machine.set_tool_offset(offset)
    run.set("use_tool_length_offset", *offset)


def shift(run: Run, code: int, words: dict[str, float]) -> None:
    """G52, G92, G92.1, G92.2, G92.3."""
    machine = run.machine
    run.refuse_compensated(code)
    if code in {520, 920} and not AXIS_WORDS & words.keys():
        raise BadBlock("axes_missing", _("{code} needs at least one axis"), code=name_of(code))
    offset = list(machine.g92)
    for i, axis in enumerate(AXES):
        if axis not in words:
            continue
        if code == 520:
            offset[i] = words[axis]
        elif code == 920:
            offset[i] = machine.position[i] + machine.g92[i] - words[axis]
    match code:
        case 520 | 920:
            machine.set_g92(offset)
        case 921:
            machine.set_g92([0.0] * 9, has=False)
        case 922:
            machine.set_g92([0.0] * 9, is_kept=False, has=False)
        case _:
            machine.set_g92(machine.from_kept(machine.parameters.number(5211 + i) for i in range(9)))
    run.set("set_g92_offset", *machine.g92)
