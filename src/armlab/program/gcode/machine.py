"""The state of an interpreter: modes, where the tool is, and the offsets between program and machine.

A point of the program becomes a point of the machine in four steps: add the G92 offset, turn about Z by the rotation of
the work system, add the offset of the work system, add the tool's. Positions and offsets are kept in program units, so
that no number of a program is changed by converting it back and forth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import add
from pathlib import Path

from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.messages import _
from armlab.program.gcode.canon import AXES, Plane, Point, as_point
from armlab.program.gcode.parameters import Parameters

MM_PER_INCH = 25.4
SYSTEMS = 9
SYSTEM_CODES = (540, 550, 560, 570, 580, 590, 591, 592, 593)
LENGTHS = (0, 1, 2, 6, 7, 8)
"""Axes that are lengths; A B C are degrees in any units."""
NOTHING: Point = (0.0,) * 9
MAX_TOOL_FILE = 1_000_000

PLANES: dict[int, Plane] = {170: "xy", 180: "zx", 190: "yz"}
PLANE_AXES: dict[Plane, tuple[int, int, int]] = {"xy": (0, 1, 2), "zx": (2, 0, 1), "yz": (1, 2, 0)}
"""First and second axis of a plane, and the one across it."""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of a table: millimetres."""

    number: int
    offset: Point = NOTHING
    diameter: float = 0.0
    pocket: int = 0
    angles: tuple[float, float] = (0.0, 0.0)
    """Front and back angle of a lathe tool, degrees."""
    orientation: int = 0
    """Of a lathe tool, 1 … 9: where its control point is beside the middle of its tip; 0 of a mill."""


NO_TOOL = ToolEntry(0)


@dataclass(slots=True)
class Modes:
    """What stays in force from line to line; a copy of it is what M70 saves."""

    motion: int = 0
    plane: Plane = "xy"
    is_inch: bool = False
    is_incremental: bool = False
    is_arc_absolute: bool = False
    feed_mode: int = 940
    feed: float = 0.0
    speed: float = 0.0
    spindle: int = 0
    """0 stands, 1 clockwise, -1 counter-clockwise."""
    is_surface_speed: bool = False
    """G96: S is a speed along the surface."""
    is_flood: bool = False
    is_mist: bool = False
    retracts_to_r: bool = False
    path_mode: int = 640
    path_tolerance: float = 0.0
    naive_tolerance: float = 0.0
    system: int = 0
    has_g92: bool = False
    feed_override: bool = True
    speed_override: bool = True
    adaptive_feed: bool = False
    feed_hold: bool = True


@dataclass(slots=True)
class Machine:
    """Modes, position and offsets of one program run."""

    parameters: Parameters
    modes: Modes = field(default_factory=Modes)
    position: list[float] = field(default_factory=lambda: [0.0] * 9)
    """Of the program, in its units."""
    systems: list[list[float]] = field(default_factory=lambda: [[0.0] * 9 for _system in range(SYSTEMS)])
    rotations: list[float] = field(default_factory=lambda: [0.0] * SYSTEMS)
    g92: list[float] = field(default_factory=lambda: [0.0] * 9)
    tool_offset: list[float] = field(default_factory=lambda: [0.0] * 9)
    tools: dict[int, ToolEntry] = field(default_factory=dict)
    tool: int = 0
    selected: int = 0
    has_table: bool = False
    """Whether there is a tool table; without one a program may set tools of its own (G10 L1)."""
    kept_unit: float = 1.0
    """Millimetres in one length of the machine: of its parameters and of its tool table."""
    _shift: Point | None = None

    def __post_init__(self) -> None:
        """Take the offsets that the parameters hold."""
        number = self.parameters.number
        for k in range(SYSTEMS):
            base = 5221 + 20 * k
            self.systems[k] = self.from_kept(number(base + i) for i in range(9))
            self.rotations[k] = number(base + 9)
        chosen = int(number(5220))
        self.modes.system = chosen - 1 if 1 <= chosen <= SYSTEMS else 0
        if number(5210):
            self.modes.has_g92 = True
            self.g92 = self.from_kept(number(5211 + i) for i in range(9))

    # -- between program and machine ---------------------------------------------------------------------------------

    @property
    def unit(self) -> float:
        """Millimetres in one length of the program."""
        return MM_PER_INCH if self.modes.is_inch else 1.0

    @property
    def loaded(self) -> ToolEntry:
        """The tool that is loaded, as the table has it."""
        return self.tools.get(self.tool, NO_TOOL)

    def pocket(self, tool: int) -> int:
        """Return the pocket that a tool is kept in."""
        return self.tools[tool].pocket if tool in self.tools else tool

    def world(self, end: Iterable[float]) -> Point:
        """Return where the machine goes for a point of the program, in mm and degrees."""
        shift = self._shift
        if shift is None:
            if self.rotations[self.modes.system] or self.modes.is_inch:
                return self._in_mm(self.to_machine(list(end)))
            shift = as_point(self.to_machine([0.0] * 9))
            self._shift = shift = NOTHING if shift == NOTHING else shift
        if shift is NOTHING:
            return as_point(end)
        return as_point(map(add, end, shift))

    def to_machine(self, p: list[float]) -> list[float]:
        """Return a point of the program in machine coordinates, in program units."""
        system, tool = self.systems[self.modes.system], self.tool_offset
        q = [a + b for a, b in zip(p, self.g92, strict=True)]
        if turn := self.rotations[self.modes.system]:
            q[0], q[1] = rotated(q[0], q[1], turn)
        return [a + b + c for a, b, c in zip(q, system, tool, strict=True)]

    def to_program(self, m: list[float]) -> list[float]:
        """Return a point in machine coordinates (program units) as the program sees it."""
        system, tool = self.systems[self.modes.system], self.tool_offset
        q = [a - b - c for a, b, c in zip(m, system, tool, strict=True)]
        if turn := self.rotations[self.modes.system]:
            q[0], q[1] = rotated(q[0], q[1], -turn)
        return [a - b for a, b in zip(q, self.g92, strict=True)]

    def _in_mm(self, m: list[float]) -> Point:
        if not self.modes.is_inch:
            return as_point(m)
        scaled = [value * MM_PER_INCH if i in LENGTHS else value for i, value in enumerate(m)]
        return as_point(scaled)

    # -- changes that keep the machine where it is -------------------------------------------------------------------

    def use_units(self, *, is_inch: bool) -> None:
        """Change the units of the program: every length that is kept is converted."""
        if is_inch == self.modes.is_inch:
            return
        factor = 1.0 / MM_PER_INCH if is_inch else MM_PER_INCH
        for values in (self.position, self.g92, self.tool_offset, *self.systems):
            for i in LENGTHS:
                values[i] *= factor
        self.modes.is_inch, self._shift = is_inch, None

    def use_system(self, index: int) -> None:
        """Make another work coordinate system the active one."""
        m = self.to_machine(self.position)
        self.modes.system, self._shift = index, None
        self.position = self.to_program(m)
        self.parameters.put(5220, float(index + 1))

    def set_system(self, index: int, offset: list[float], rotation: float) -> None:
        """Change the offset (program units) and rotation (degrees) of a work coordinate system."""
        m = self.to_machine(self.position)
        self.systems[index], self.rotations[index] = list(offset), rotation
        self._shift = None
        self.position = self.to_program(m)
        self._keep(5221 + 20 * index, offset)
        self.parameters.put(5230 + 20 * index, rotation)

    def set_g92(self, offset: list[float], *, is_kept: bool = True, has: bool = True) -> None:
        """Change the G92 offset (program units); `is_kept` writes the parameters, too."""
        m = self.to_machine(self.position)
        self.g92, self.modes.has_g92 = list(offset), has
        self._shift = None
        self.position = self.to_program(m)
        self.parameters.put(5210, float(has))
        if is_kept:
            self._keep(5211, offset)

    def set_tool_offset(self, offset: list[float]) -> None:
        """Change the tool's offset (program units)."""
        m = self.to_machine(self.position)
        self.tool_offset, self._shift = list(offset), None
        self.position = self.to_program(m)

    def from_mm(self, values: Iterable[float]) -> list[float]:
        """Return nine values in mm and degrees in program units."""
        return [value / self.unit if i in LENGTHS else value for i, value in enumerate(values)]

    def from_kept(self, values: Iterable[float]) -> list[float]:
        """Return nine values in the machine's units and degrees in program units."""
        return [value * self.kept_unit / self.unit if i in LENGTHS else value for i, value in enumerate(values)]

    def kept(self, values_mm: Iterable[float]) -> list[float]:
        """Return nine values in mm and degrees in the machine's units."""
        return [value / self.kept_unit if i in LENGTHS else value for i, value in enumerate(values_mm)]

    def _keep(self, first: int, values: list[float]) -> None:
        for i, value in enumerate(values):
            self.parameters.put(first + i, value * self.unit / self.kept_unit if i in LENGTHS else value)


def rotated(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Return (x, y) turned about Z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return c * x - s * y, s * x + c * y


def read_tool_table(path: Path, unit: float = 1.0) -> dict[int, ToolEntry]:
    """Return the tools of a LinuxCNC tool table: `T1 P1 X0 Z12.5 D6 ; name`, one per line; `unit`: mm of its lengths.

    Raises:
        InvalidInput: if the file cannot be read, or a line is something else.
    """
    tools: dict[int, ToolEntry] = {}
    for line, text in enumerate(read_bounded(path, MAX_TOOL_FILE).decode("utf-8", "replace").splitlines(), start=1):
        words = text.partition(";")[0].upper().split()
        if not words:
            continue
        try:
            values = {word[0]: float(word[1:]) for word in words}
            number, orientation = int(values["T"]), int(values.get("Q", 0.0))
            pocket = int(values.get("P", number))
        except (ValueError, KeyError, IndexError, OverflowError):
            raise InvalidInput(
                "tool_table_line",
                _("{file}: line {line} is not a tool such as 'T1 Z12.5 D6'"),
                file=str(path),
                line=line,
            ) from None
        given = (values.get(axis.upper(), 0.0) for axis in AXES)
        offset = as_point(value * unit if i in LENGTHS else value for i, value in enumerate(given))
        angles = values.get("I", 0.0), values.get("J", 0.0)
        tools[number] = ToolEntry(number, offset, values.get("D", 0.0) * unit, pocket, angles, orientation)
    return tools
