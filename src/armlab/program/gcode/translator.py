"""Canonical motions and commands, one by one, as instructions for an arm: metres, radians, world coordinates."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import assert_never

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.model.finding import Finding
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
    as_point,
)
from armlab.program.gcode.interpreter import Interpreter
from armlab.program.gcode.machine import MM_PER_INCH
from armlab.program.gcode.travel import Travel, bezier_points
from armlab.program.instructions import (
    Blend,
    InputMode,
    Instruction,
    MotionSettings,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Pause,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
)
from armlab.program.place import Placement
from armlab.program.span import Span
from armlab.units import M_PER_MM, MM_PER_M

LOOSE = 0.0005
"""m: how far a corner may be left in G64 without P, which sets no limit."""
EXACT_PATH = 1e-6
"""m: G61 meets every point, and stops only where the direction changes."""
INPUT_MODES: tuple[InputMode, ...] = ("now", "rise", "fall", "high", "low")
TIMED_OUT = -1.0
"""What #5399 is where M66 waited in vain."""
PER_MINUTE, PER_TURN = 0, 1
KEPT_SETTINGS = 256
SWITCHES = {
    "mist_on": ("mist", True), "mist_off": ("mist", False), "flood_on": ("flood", True), "flood_off": ("flood", False),
}  # fmt: skip
TURNING = {"start_spindle_clockwise": 1.0, "start_spindle_counterclockwise": -1.0, "stop_spindle_turning": 0.0}

Answered = Generator[Instruction, "bool | float | Floats | tuple[bool, Floats] | None", None]


class CanonTranslator:
    """Keeps the modes that the instructions depend on."""

    def __init__(self, interpreter: Interpreter, placement: Placement, T_flange_tool: Floats) -> None:
        machine = interpreter.run.machine
        self.skips = False
        self._interpreter, self._placement = interpreter, placement
        self._T_flange_tool = T_flange_tool
        self._T_flange_tip: Floats | None = None
        self._unit = MM_PER_INCH if machine.modes.is_inch else 1.0
        self._tool = np.array(machine.tool_offset[:3]) * self._unit
        self._travel = Travel(machine.rotations[machine.modes.system])
        self._feed_mode, self._spindle_speed, self._spindle_turns = PER_MINUTE, 0.0, 0.0
        self._blend: Blend | None = Blend(tolerance=LOOSE)
        self._here = self._tip(machine.world(machine.position))
        self._is_approached = False
        self._last: tuple[float, MotionSettings] | None = None
        """Feed rate and settings of the last line, as long as nothing else was set."""
        self._P = tuple(map(tuple, placement.T_world_part[:3].tolist()))
        self._turn: tuple[float, float, float] | None = None
        self._T = np.eye(4)
        self._known_settings: dict[float, MotionSettings] = {}
        self._warned: set[str] = set()

    # -- frames ------------------------------------------------------------------------------------------------------

    def _tip(self, world: Point) -> Point:
        """Return where the tool's tip goes when the machine goes to `world`: mm and degrees in the part's frame."""
        if not self._tool.any():
            return world
        x, y, z = self._tool
        return (world[0] - x, world[1] - y, world[2] - z, *world[3:])

    def _frame(self, tip: Point) -> Floats:
        """Return the tool's frame in the world."""
        turn = tip[3:6]
        if turn != self._turn:
            self._turn = turn
            self._T[:3, :3] = self._placement.rotation(*turn)
        T = self._T.copy()
        x, y, z = tip[0] * M_PER_MM, tip[1] * M_PER_MM, 0.0 if self._placement.flat else tip[2] * M_PER_MM
        for row, (a, b, c, d) in enumerate(self._P):
            T[row, 3] = a * x + b * y + c * z + d
        if self._placement.surface is not None:
            T[:3, :3] = self._placement.perpendicular(T[:3, :3], T[:3, 3])
        return T

    def _program_point(self, T_world_tool: Floats, like: Point) -> Point:
        """Return a tool frame as a point of the program, in its units; the turns are those of `like`."""
        p = pose.transform(pose.inverse(self._placement.T_world_part), T_world_tool[:3, 3]) * MM_PER_M
        machine = self._interpreter.run.machine
        world = (*(p + self._tool).tolist(), *like[3:])
        return as_point(machine.to_program(machine.from_mm(world)))

    def stand_at(self, T_world_tool: Floats) -> None:
        """Take the machine to be where the tool is: after a move that could not be made."""
        machine = self._interpreter.run.machine
        machine.position = list(self._program_point(T_world_tool, machine.world(machine.position)))
        self._here = self._tip(machine.world(machine.position))

    # -- motion settings -----------------------------------------------------------------------------------------------

    def _settings(self, speed: float, seconds: float = 0.0, *, turns_only: bool = False) -> MotionSettings:
        """Return the settings of a motion at `speed`: m/s, or rad/s where `turns_only`; 0 is the arm's own speed."""
        speed = 0.0 if seconds else speed  # in inverse time (G93) the feed from before does not count
        key = -speed if turns_only else speed
        if not seconds and (known := self._known_settings.get(key)) is not None:
            return known
        settings = MotionSettings(
            tool_speed=None if turns_only or not speed else speed,
            turn_speed=speed if turns_only and speed else None,
            seconds=seconds or None,
            blend=self._blend,
            task=self._placement.task.name,
            T_flange_tool=self._T_flange_tip,
            T_world_base=self._placement.T_world_part,
        )
        if not seconds:
            if len(self._known_settings) >= KEPT_SETTINGS:
                self._known_settings.clear()
            self._known_settings[key] = settings
        return settings

    def _speed(self, rate: float) -> float:
        """Return a feed rate in m/s."""
        if self._feed_mode == PER_TURN:
            rate *= self._spindle_speed
        return rate * self._unit * M_PER_MM / 60.0

    def _settings_to(self, tip: Point, rate: float, seconds: float) -> MotionSettings:
        """Return the settings of a feed; where no point moves, F counts degrees."""
        here = self._here
        if tip[:3] == here[:3] and tip[3:6] != here[3:6]:
            return self._settings(math.radians(rate / 60.0), seconds, turns_only=True)
        return self._settings(self._speed(rate), seconds)

    # -- items -------------------------------------------------------------------------------------------------------

    def plain_line(self, item: Canonical, span: Span) -> MoveL | None:
        """Return the move of a feed that is like the one before it, as in most long programs; None where it is not."""
        last, here = self._last, self._here
        if last is None or type(item) is not Feed or item.rate != last[0] or item.seconds or self.skips:
            return None
        tip = item.world
        if tip[3:] != here[3:] or tip[:3] == here[:3]:
            return None
        self._here = tip
        return MoveL((self._frame(tip),), settings=last[1], span=span)

    def translated(self, item: Canonical, span: Span) -> Answered:
        """Yield the instructions of one canonical motion or command."""
        match item:
            case Traverse() | Feed() | Arc() | Spline():
                yield from self._motion(item, span)
            case StraightProbe():
                yield from self._probe(item, span)
            case InputWait():
                yield from self._input(item, span)
            case Setting():
                yield from self._setting(item, span)
            case Dwell():
                yield from self._unless_skipped(Wait(item.seconds, span))
            case Text():
                if item.kind != "comment":
                    yield from self._unless_skipped(Say(item.text, item.kind, span))
            case Halt():
                if item.kind == "end":
                    yield Stop(span)
                else:
                    yield from self._unless_skipped(Pause(item.kind == "optional_stop", span))
            case _:
                assert_never(item)

    def _unless_skipped(self, instruction: Instruction) -> Answered:
        if not self.skips:
            yield instruction

    def _motion(self, item: Traverse | Feed | Arc | Spline, span: Span) -> Answered:
        tip = self._tip(item.world)
        yield from self._refused(tip, span)
        if not self.skips:
            if not self._is_approached:
                yield from self._approach(item, tip, span)
            if isinstance(item, Arc):
                yield from self._arc(item, tip, span)
            elif isinstance(item, Spline):
                dx, dy = self._tool[:2].tolist()
                controls = tuple((x - dx, y - dy) for x, y in item.world_controls)
                frames = tuple(self._frame(point) for point in bezier_points(self._here, tip, controls))
                yield MoveSpline(frames, settings=self._settings(self._speed(item.rate), item.seconds), span=span)
            elif self._is_elsewhere(tip):
                settings = (
                    self._settings_to(tip, item.rate, item.seconds) if isinstance(item, Feed) else self._settings(0.0)
                )
                yield MoveL((self._frame(tip),), settings=settings, span=span)
                self._note_plain(item, tip, settings)
        self._here = tip

    def _is_elsewhere(self, tip: Point) -> bool:
        """Whether the tool has to move to be at `tip`; an arm in a plane leaves heights out."""
        here = self._here
        return tip[:2] != here[:2] or tip[3:6] != here[3:6] or (tip[2] != here[2] and not self._placement.flat)

    def _note_plain(self, item: Traverse | Feed, tip: Point, settings: MotionSettings) -> None:
        """Remember the settings of a feed whose successors need no closer look if they are like it."""
        if isinstance(item, Feed) and settings.tool_speed and not item.seconds and not any(tip[6:]):
            has_plain_frame = tip is item.world and not self._placement.flat
            self._last = (item.rate, settings) if has_plain_frame else None

    def _approach(self, item: Traverse | Feed | Arc | Spline | StraightProbe, tip: Point, span: Span) -> Answered:
        """Move the joints to where the program begins; for a first traverse, to its end."""
        self._is_approached = True
        if isinstance(item, Traverse):
            self._here = tip
        part = self._placement.T_world_part
        settings = MotionSettings(task=self._placement.task.name, T_flange_tool=self._T_flange_tip, T_world_base=part)
        yield MoveJ((self._frame(self._here),), settings=settings, span=span)

    def _arc(self, item: Arc, tip: Point, span: Span) -> Answered:
        if self._placement.flat and item.plane != "xy":
            message = Message("gcode_flat_arc", _("the arc stands upright: the arm moves in its plane only"))
            yield Report(Finding("error", message, _where(span)), span)
            return
        arc = self._travel.arc(self._here, tip, self._tip(item.world_center), item.turns, item.plane)
        T = self._placement.T_world_part
        center = pose.transform(T, np.array(arc.center) * M_PER_MM)
        settings = self._settings(self._speed(item.rate), item.seconds)
        axis = np.asarray(T[:3, :3] @ np.array(arc.axis))
        yield MoveHelix(center, axis, arc.angle, self._frame((*arc.end, *tip[3:])), settings, span)
        if arc.end != tip[:3]:
            yield MoveL((self._frame(tip),), settings=settings, span=span)

    def _probe(self, item: StraightProbe, span: Span) -> Answered:
        tip = self._tip(item.world)
        yield from self._refused(tip, span)
        if self.skips:
            self._interpreter.answer(None, 1.0)
            self._here = tip
            return
        if not self._is_approached:
            yield from self._approach(item, tip, span)
        if not self._is_elsewhere(tip):
            self._interpreter.answer(item.end, 0.0)  # an arm in a plane touches nothing below it
            return
        answer = yield Probe(self._frame(tip), item.away, self._settings_to(tip, item.rate, 0.0), span)
        if isinstance(answer, tuple):
            touched, T_world_tool = answer
            point = self._program_point(T_world_tool, item.world)
            self._interpreter.answer(point, float(touched))
            self._here = self._tip(self._interpreter.run.machine.world(point))
        else:
            self._interpreter.answer(None, 1.0)
            self._here = tip

    def _input(self, item: InputWait, span: Span) -> Answered:
        if self.skips:
            self._interpreter.answer(None, 0.0)
            return
        name = f"analog {item.input}" if item.is_analog else str(item.input)
        answer = yield ReadInput(name, INPUT_MODES[item.mode], item.timeout if item.mode else None, span)
        value = TIMED_OUT if answer is None else float(answer) if isinstance(answer, bool | float | int) else 0.0
        self._interpreter.answer(None, value)

    # -- settings ----------------------------------------------------------------------------------------------------

    def _setting(self, item: Setting, span: Span) -> Answered:  # noqa: C901, PLR0912 - one case per command
        values, self._last = item.values, None
        match item.name:
            case "use_length_units":
                self._unit = MM_PER_INCH if values[0] == "inch" else 1.0
                self._known_settings.clear()
            case "use_tool_length_offset":
                self._use_tool(np.array([float(value) for value in values[:3]]) * self._unit)
            case "set_xy_rotation":
                self._travel = Travel(float(values[0]))
            case "set_feed_mode":
                self._feed_mode = int(values[0])
                self._known_settings.clear()
            case "set_motion_control_mode":
                self._use_path_mode(values)
            case "set_spindle_speed":
                self._spindle_speed = float(values[0])
                self._known_settings.clear()
                if self._spindle_turns:
                    yield from self._unless_skipped(self._spindle(span))
            case name if name in TURNING:
                if TURNING[name] != self._spindle_turns:
                    self._spindle_turns = TURNING[name]
                    yield from self._unless_skipped(self._spindle(span))
            case name if name in SWITCHES:
                switch, value = SWITCHES[name]
                yield from self._unless_skipped(SetOutput(switch, value, with_motion=True, span=span))
            case "change_tool" | "change_tool_number":
                yield from self._unless_skipped(SetOutput("tool", float(values[0]), span=span))
            case "set_motion_output_bit" | "set_output_bit":
                is_with = item.name == "set_motion_output_bit"
                yield from self._unless_skipped(SetOutput(str(values[0]), bool(values[1]), is_with, span=span))
            case "set_motion_analog_output" | "set_analog_output":
                is_with = item.name == "set_motion_analog_output"
                output = SetOutput(f"analog {values[0]}", float(values[1]), is_with, span=span)
                yield from self._unless_skipped(output)
            case _:
                return

    def _spindle(self, span: Span) -> SetOutput:
        """Return the spindle's speed as an output: turns per minute, clockwise being positive."""
        return SetOutput("spindle", self._spindle_turns * self._spindle_speed, span=span)

    def _use_path_mode(self, values: tuple[float | int | str, ...]) -> None:
        self._known_settings.clear()
        if values[0] == "exact_stop":
            self._blend = None
        elif values[0] == "exact_path":
            self._blend = Blend(tolerance=EXACT_PATH)
        else:
            tolerance = float(values[1]) * self._unit * M_PER_MM
            self._blend = Blend(tolerance=tolerance or LOOSE)

    def _use_tool(self, offset_mm: Floats) -> None:
        """Take the tool's length into the frame that is moved: its tip is that far from the arm's own tool point."""
        world = tuple(a + b for a, b in zip(self._here[:3], self._tool.tolist(), strict=True))
        self._tool = offset_mm
        self._here = self._tip((*world, *self._here[3:]))
        T_tool_tip = pose.from_xyz(self._placement.R_part_tool.T @ -offset_mm * M_PER_MM)
        self._T_flange_tip = self._T_flange_tool @ T_tool_tip if offset_mm.any() else None
        self._known_settings.clear()

    # -- what an arm cannot do ---------------------------------------------------------------------------------------

    def _refused(self, tip: Point, span: Span) -> Answered:
        if any(tip[6:]):
            message = Message("gcode_parallel_axes", _("U, V and W are left out: an arm has no such axes"))
            yield from self._once(Finding("warning", message, _where(span)), span)
        if self._placement.flat and tip[2] != self._here[2]:
            message = Message("gcode_flat", _("Z is left out: the arm moves in its plane only"))
            yield from self._once(Finding("note", message, _where(span)), span)

    def _once(self, finding: Finding, span: Span) -> Answered:
        if finding.code not in self._warned:
            self._warned.add(finding.code)
            yield Report(finding, span)


def _where(span: Span) -> dict[str, float | int | str]:
    return {"file": span.file, "line": span.line, "column": span.column}
