"""One run of a program: the machine's state, and the canonical motions and commands that nobody has taken yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from armlab.messages import Message, _
from armlab.program.gcode.canon import (
    Arc,
    Canonical,
    Feed,
    InputWait,
    Setting,
    StraightProbe,
    Text,
    Traverse,
    as_point,
)
from armlab.program.gcode.codes import name_of
from armlab.program.gcode.compensation import Compensation
from armlab.program.gcode.machine import NO_TOOL, PLANE_AXES, Machine, Modes, ToolEntry
from armlab.program.gcode.memory import CycleMemory, SplineMemory
from armlab.program.gcode.plain import LineShape
from armlab.program.gcode.problems import BadBlock

INVERSE_TIME, PER_MINUTE, PER_TURN = 930, 940, 950
SLOWEST = 0.1
"""Units per minute: the feed rate that a motion in inverse time has at least."""


@dataclass(slots=True)
class Move:
    """A motion whose end may still change while a cutter is compensated; `center` is None for a straight one."""

    line: int
    end: list[float]
    rate: float
    seconds: float
    is_feed: bool = True
    center: tuple[float, float] | None = None
    turns: int = 0


@dataclass(frozen=True, slots=True)
class SavedModes:
    """Modes that M70 or M73 saved, G40, G41 or G42, whether a tool's length was on; M73's come back on return."""

    modes: Modes
    radius_code: int
    has_length: bool
    comes_back: bool


@dataclass(slots=True)
class Run:
    """The state of a run, and what it has to tell."""

    machine: Machine
    line: int = 0
    out: list[Canonical] = field(default_factory=list)
    waiting: list[Move | Canonical] = field(default_factory=list)
    """While a cutter is compensated: what may still change, and what must come after it."""
    compensation: Compensation | None = None
    radius_code: int = 400
    """The code in force: G40, G41 (.1) or G42 (.1), times ten."""
    is_arc_refused: bool = False
    """Whether the contour was just left: a straight motion has to come first."""
    cycle_memory: CycleMemory = field(default_factory=CycleMemory)
    spline_memory: SplineMemory = field(default_factory=SplineMemory)
    saved: dict[int, SavedModes] = field(default_factory=dict)
    """What M70 and M73 saved, by the depth of the call."""
    result: float = 0.0
    """What the last call returned."""
    is_over: bool = False
    question: StraightProbe | InputWait | None = None
    """What the machine has to answer before the next line can be read."""
    shape: LineShape | None = None
    """Which letters the last plain line had."""
    ignores_e: bool = False
    """Whether plain lines may have an extruder's axis, which is left out."""
    warnings: list[Message] = field(default_factory=list)
    """What is odd about the line."""
    column: int = 1
    """Where the words of the line begin …"""
    end: int = 0
    """… and the column after the last of them."""

    @property
    def is_compensating(self) -> bool:
        """Whether G41 or G42 is in force."""
        return self.compensation is not None

    @property
    def runs_beside(self) -> bool:
        """Whether the tool runs beside the contour; a tool without radius runs on it."""
        return self.compensation is not None and self.compensation.radius != 0.0

    def refuse_compensated(self, code: int, letter: str = "G") -> None:
        """Raise BadBlock if the cutter is compensated, with which `code` does not go together."""
        if self.compensation is not None:
            template = _("{code} cannot be used while the cutter is compensated")
            raise BadBlock("compensated", template, code=name_of(code, letter))

    def tool_named(self, number: int) -> ToolEntry:
        """Return a tool of the table; 0 is none. Without any table a tool has no length and no radius: warn of it.

        Raises:
            BadBlock: if the table has no such tool.
        """
        if number and number not in self.machine.tools:
            if self.machine.has_table:
                raise BadBlock("tool_unknown", _("tool {number} is not in the tool table"), number=number)
            template = _("tool {number} is not known without a tool table: its length and radius are taken as 0")
            self.warnings.append(Message("gcode_tool_table_missing", template, number=number))
        return self.machine.tools.get(number, NO_TOOL)

    def tell(self, item: Canonical) -> None:
        """Put a command behind everything that was told before."""
        (self.waiting if self.waiting else self.out).append(item)

    def set(self, name: str, *values: float | str) -> None:
        """Tell a command that moves nothing."""
        self.tell(Setting(self.line, name, values))

    def note(self, text: str) -> None:
        """Tell a change that a machine need not know of, in the words of LinuxCNC's interpreter."""
        self.tell(Text(self.line, "comment", f"interpreter: {text}"))

    def tell_inverse_time(self, length: float, seconds: float) -> None:
        """Tell the feed rate of the next motion in inverse time, `length` being its travel."""
        self.set("set_feed_rate", max(SLOWEST, length * 60.0 / seconds))

    def traverse(self, end: Iterable[float]) -> None:
        """Move straight at the machine's own speed; the program is then at `end`."""
        self._move(Move(self.line, list(end), 0.0, 0.0, is_feed=False))

    def feed(self, end: Iterable[float], seconds: float = 0.0) -> None:
        """Move straight at feed rate."""
        self._move(Move(self.line, list(end), self.machine.modes.feed, seconds))

    def arc(self, end: Iterable[float], center: tuple[float, float], turns: int, seconds: float = 0.0) -> None:
        """Move on an arc at feed rate; `center` lies in the active plane."""
        rate = self.machine.modes.feed
        self._move(Move(self.line, list(end), rate, seconds, center=center, turns=turns))

    def _move(self, move: Move) -> None:
        self.machine.position = list(move.end)
        self.out.append(self.canonical(move))

    def wait(
        self,
        target: list[float],
        contour: list[float],
        *,
        is_feed: bool = True,
        seconds: float = 0.0,
        center: tuple[float, float] | None = None,
        turns: int = 0,
    ) -> Move:
        """Let a compensated motion to `target` wait; the program is then at `contour`."""
        rate = self.machine.modes.feed if is_feed else 0.0
        move = Move(self.line, target, rate, seconds, is_feed=is_feed, center=center, turns=turns)
        self.waiting.append(move)
        self.machine.position = list(contour)
        return move

    def move_waiting_to(self, place: tuple[float, float]) -> None:
        """Let the motions that wait end at another place of the plane."""
        first, second, _across = PLANE_AXES[self.machine.modes.plane]
        for item in self.waiting:
            if isinstance(item, Move):
                item.end[first], item.end[second] = place

    def flush(self) -> None:
        """Tell what was waiting."""
        for item in self.waiting:
            self.out.append(self.canonical(self._from_tip(item)) if isinstance(item, Move) else item)
        self.waiting.clear()

    def _from_tip(self, move: Move) -> Move:
        """Return a compensated motion, which is one of the middle of the tool's tip, as one of its control point."""
        if self.compensation is None or not any(self.compensation.to_control):
            return move
        first, second, _across = PLANE_AXES[self.machine.modes.plane]
        a, b = self.compensation.to_control
        end = list(move.end)
        end[first], end[second] = end[first] + a, end[second] + b
        center = None if move.center is None else (move.center[0] + a, move.center[1] + b)
        return replace(move, end=end, center=center)

    def canonical(self, move: Move) -> Canonical:
        """Return a motion as the machine is told of it."""
        machine = self.machine
        end, world = as_point(move.end), machine.world(move.end)
        if move.center is not None:
            plane = machine.modes.plane
            first, second, _across = PLANE_AXES[plane]
            middle = list(move.end)
            middle[first], middle[second] = move.center
            world_center = machine.world(middle)
            return Arc(move.line, end, world, move.center, world_center, move.turns, plane, move.rate, move.seconds)
        if move.is_feed:
            return Feed(move.line, end, world, move.rate, move.seconds)
        return Traverse(move.line, end, world)

    def seconds_of_feed(self, words: dict[str, float], code: int) -> float:
        """Return how long a motion at feed rate takes in inverse time, else 0.

        Raises:
            BadBlock: if there is no feed rate.
        """
        modes = self.machine.modes
        if modes.feed_mode == INVERSE_TIME:
            if words.get("f", 0.0) <= 0.0:
                raise BadBlock("feed_missing", _("{code} needs F in its line in inverse time"), code=name_of(code))
            return 60.0 / words["f"]
        if modes.feed <= 0.0:
            raise BadBlock("feed_zero", _("{code} needs a feed rate: give F first"), code=name_of(code))
        if modes.feed_mode == PER_TURN and modes.speed == 0.0:
            raise BadBlock("feed_per_turn", _("G95 needs a spindle speed: give S first"))
        return 0.0
