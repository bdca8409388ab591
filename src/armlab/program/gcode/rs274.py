"""Canonical calls as LinuxCNC's stand-alone interpreter `rs274` prints them, so that its files can be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from armlab.program.gcode.canon import (
    Arc,
    Canonical,
    Dwell,
    Feed,
    Halt,
    InputWait,
    Point,
    Setting,
    Spline,
    StraightProbe,
    Text,
    Traverse,
)
from armlab.program.gcode.machine import PLANE_AXES, Machine

Values = tuple[float | int | str, ...]
SILENT = frozenset({
    "set_motion_output_bit", "set_output_bit", "set_motion_analog_output", "set_analog_output", "user_code",
})  # fmt: skip
"""Calls that `rs274` makes without printing them."""
_NUMBER = re.compile(r"[ \t/]*[Nn](\d*)")
UNITS = {"inch": "CANON_UNITS_INCHES", "mm": "CANON_UNITS_MM"}
PLANES = {"xy": "CANON_PLANE_XY", "zx": "CANON_PLANE_XZ", "yz": "CANON_PLANE_YZ"}
HALTS = {
    "stop": "PROGRAM_STOP",
    "pallet": "PROGRAM_STOP",
    "optional_stop": "OPTIONAL_PROGRAM_STOP",
    "end": "PROGRAM_END",
}
TEXTS = {"comment": "COMMENT", "message": "MESSAGE", "debug": "MESSAGE", "log": "LOG"}
WITH_SPINDLE = frozenset({
    "start_spindle_clockwise", "start_spindle_counterclockwise", "stop_spindle_turning", "enable_speed_override",
    "disable_speed_override",
})  # fmt: skip


def opening(machine: Machine) -> Iterator[Setting]:
    """Yield what an interpreter tells before the first line: units, offsets, rotation."""
    k = machine.modes.system
    yield Setting(0, "use_length_units", ("inch" if machine.modes.is_inch else "mm",))
    yield Setting(0, "set_g5x_offset", (k + 1, *machine.systems[k]))
    yield Setting(0, "set_g92_offset", tuple(machine.g92))
    yield Setting(0, "set_xy_rotation", (machine.rotations[k],))
    yield Setting(0, "set_feed_reference", ("CANON_XYZ",))
    yield Setting(0, "on_reset")


def whole(machine: Machine, items: Iterable[Canonical]) -> Iterator[Canonical]:
    """Yield everything that an interpreter tells: its opening, the program, and the resets behind its end."""
    yield from opening(machine)
    line = 0
    for item in items:
        line = item.line
        yield item
    yield Setting(line, "on_reset")
    yield Setting(line, "on_reset")


def rs274_lines(items: Iterable[Canonical], line_text: Callable[[], str] = str) -> Iterator[str]:
    """Yield the lines that `rs274` would print; what it does not print is left out.

    `line_text` returns the line of the program that was read last: its N is printed.
    """
    number = 0
    for item in with_spindle_entries(items):
        if isinstance(item, Text) and item.kind == "print":
            yield item.text
        elif (call := as_call(item)) is not None:
            number += 1
            found = _NUMBER.match(line_text())
            yield f"{number:5d} {f'N{found[1]:<6}' if found else 'N..... '}{call}"


def with_spindle_entries(items: Iterable[Canonical]) -> Iterator[Canonical]:
    """Yield calls with the second one of `rs274` for an entry of the loaded tool, that of the spindle's pocket 0.

    `rs274` starts with the tool of the first pocket.
    """
    loaded, is_first = 0, True
    for item in items:
        yield item
        if not isinstance(item, Setting):
            continue
        if item.name in {"change_tool", "change_tool_number"}:
            loaded, is_first = int(item.values[0]), False
        elif item.name == "set_tool_table_entry":
            pocket, tool = item.values[:2]
            if tool == loaded or (is_first and pocket == 1):
                yield item._replace(values=(0, *item.values[1:]))


def as_call(item: Canonical) -> str | None:  # noqa: C901, PLR0911 - one case per kind
    """Return a canonical call as text, numbers with four digits; None for one that `rs274` does not print."""
    match item:
        case Traverse():
            return f"STRAIGHT_TRAVERSE({_point(item.end)})"
        case Feed():
            return f"STRAIGHT_FEED({_point(item.end)})"
        case StraightProbe():
            return f"STRAIGHT_PROBE({_point(item.end)})"
        case Arc():
            first, second, across = PLANE_AXES[item.plane]
            flat = _joined((item.end[first], item.end[second], *item.center))
            return f"ARC_FEED({flat}, {item.turns}, {_joined((item.end[across], *item.end[3:6]))})"
        case Spline():
            return f"NURBS_FEED({len(item.controls) + 2}, ...)"
        case Dwell():
            return f"DWELL({item.seconds:.4f})"
        case Text():
            return f'{TEXTS[item.kind]}("{item.text}")'
        case Halt():
            return f"{HALTS[item.kind]}()"
        case InputWait():
            return None
        case Setting():
            return None if item.name in SILENT else f"{item.name.upper()}({_arguments(item.name, item.values)})"
        case _:
            assert_never(item)


def _joined(values: Iterable[float | int | str], separator: str = ", ") -> str:
    return separator.join(f"{value + 0.0:.4f}" if isinstance(value, float) else str(value) for value in values)


def _point(end: Point) -> str:
    return _joined(end[:6])


def _arguments(name: str, values: Values) -> str:
    if name in WITH_SPINDLE:
        return "0"
    write = _ARGUMENTS.get(name)
    return _joined(values) if write is None else write(values)


def _path_mode(values: Values) -> str:
    mode = f"CANON_{str(values[0]).upper()}"
    return mode if len(values) == 1 else f"{mode}, {values[1]:.6f}"


_ARGUMENTS: dict[str, Callable[[Values], str]] = {
    "use_length_units": lambda values: UNITS[str(values[0])],
    "select_plane": lambda values: PLANES[str(values[0])],
    "set_g5x_offset": lambda values: _joined(values[:7]),
    "set_g92_offset": lambda values: _joined(values[:6]),
    "set_motion_control_mode": _path_mode,
    "set_feed_mode": lambda values: f"0, {values[0]}",
    "set_spindle_speed": lambda values: f"0, {_joined(values)}",
    "set_spindle_mode": lambda values: f"0 {_joined(values)}",
    "orient_spindle": lambda values: f"0, {_joined(values)}, 0",
    "use_tool_length_offset": lambda v: ", ".join(_joined(v[i : i + 3], " ") for i in (0, 3, 6)),
    "set_tool_table_entry": lambda v: f"{v[0]}, {v[1]}, {_joined(v[2:11], ' ')}, {_joined(v[12:14])}, {v[14]}",
    "set_planner_mode": lambda v: f"type={v[0]}, peak_scale={v[1]:.6f}",
}
