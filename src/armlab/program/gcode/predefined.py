"""Parameters that tell the interpreter's state: #5021 … 5029, #5081 … 5089, #5220, #5400 … 5428, and the named ones."""

from __future__ import annotations

from collections.abc import Callable

from armlab.program.gcode.canon import AXES
from armlab.program.gcode.control import Control
from armlab.program.gcode.machine import SYSTEM_CODES
from armlab.program.gcode.run import INVERSE_TIME, Run

VERSION = 2.9
"""The version of LinuxCNC whose language this is."""
PLANE_CODES = {"xy": 170.0, "zx": 180.0, "yz": 190.0}


def define(run: Run, control: Control) -> None:
    """Define all of them."""
    machine, parameters = run.machine, run.machine.parameters
    numbers, named = parameters.computed, parameters.predefined
    numbers[5220] = lambda: float(machine.modes.system + 1)
    numbers[5400] = lambda: float(machine.tool)
    numbers[5410] = lambda: machine.loaded.diameter / machine.kept_unit
    numbers[5411] = lambda: machine.loaded.angles[0]
    numbers[5412] = lambda: machine.loaded.angles[1]
    numbers[5413] = lambda: float(machine.loaded.orientation)
    for i, axis in enumerate(AXES):
        numbers[5021 + i] = named[f"_abs_{axis}"] = _item(lambda: machine.to_machine(machine.position), i)
        numbers[5081 + i] = _item(lambda: machine.tool_offset, i)
        numbers[5401 + i] = _item(lambda: machine.kept(machine.loaded.offset), i)
        numbers[5420 + i] = named[f"_{axis}"] = _item(lambda: machine.position, i)
    named |= {
        **_modes(run),
        "_vmajor": lambda: VERSION,
        "_vminor": lambda: 0.0,
        "_line": lambda: float(control.place.line),
        "_ccomp": lambda: float(run.radius_code),
        "_tool_offset": lambda: float(any(machine.tool_offset)),
        "_current_tool": lambda: float(machine.tool),
        "_current_pocket": lambda: float(machine.pocket(machine.tool)),
        "_selected_tool": lambda: float(machine.selected),
        "_selected_pocket": lambda: float(machine.pocket(machine.selected)),
        "_value": lambda: run.result,
        "_value_returned": lambda: float(control.returned is not None),
        "_call_level": lambda: float(parameters.depth),
        "_remap_level": lambda: 0.0,
        "_task": lambda: 0.0,
    }


def _item(values: Callable[[], list[float]], i: int) -> Callable[[], float]:
    return lambda: values()[i]


def _modes(run: Run) -> dict[str, Callable[[], float]]:
    machine = run.machine
    return {
        "_motion_mode": lambda: float(machine.modes.motion),
        "_plane": lambda: PLANE_CODES[machine.modes.plane],
        "_metric": lambda: float(not machine.modes.is_inch),
        "_imperial": lambda: float(machine.modes.is_inch),
        "_absolute": lambda: float(not machine.modes.is_incremental),
        "_incremental": lambda: float(machine.modes.is_incremental),
        "_inverse_time": lambda: float(machine.modes.feed_mode == INVERSE_TIME),
        "_units_per_minute": lambda: float(machine.modes.feed_mode == 940),
        "_units_per_rev": lambda: float(machine.modes.feed_mode == 950),
        "_coord_system": lambda: float(SYSTEM_CODES[machine.modes.system]),
        "_retract_r_plane": lambda: float(machine.modes.retracts_to_r),
        "_retract_old_z": lambda: float(not machine.modes.retracts_to_r),
        "_spindle_rpm_mode": lambda: float(not machine.modes.is_surface_speed),
        "_spindle_css_mode": lambda: float(machine.modes.is_surface_speed),
        "_ijk_absolute_mode": lambda: float(machine.modes.is_arc_absolute),
        "_lathe_diameter_mode": lambda: 0.0,
        "_lathe_radius_mode": lambda: 1.0,
        "_spindle_on": lambda: float(machine.modes.spindle != 0),
        "_spindle_cw": lambda: float(machine.modes.spindle > 0),
        "_mist": lambda: float(machine.modes.is_mist),
        "_flood": lambda: float(machine.modes.is_flood),
        "_speed_override": lambda: float(machine.modes.speed_override),
        "_feed_override": lambda: float(machine.modes.feed_override),
        "_adaptive_feed": lambda: float(machine.modes.adaptive_feed),
        "_feed_hold": lambda: float(machine.modes.feed_hold),
        "_feed": lambda: machine.modes.feed,
        "_rpm": lambda: machine.modes.speed,
    }
