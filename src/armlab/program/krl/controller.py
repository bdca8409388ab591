"""The state of a controller while a program runs: its variables, outputs, timers, and where it has sent the arm."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message
from armlab.model.finding import Severity
from armlab.model.robot import Robot
from armlab.program.instructions import Answer, Instruction, ReadInput, Report, WaitUntil, WhereIs
from armlab.program.krl.arm import Arm
from armlab.program.krl.data_types import DataType, Value
from armlab.program.krl.events import Interrupt, PendingTrigger, Shift
from armlab.program.krl.faults import Findings
from armlab.program.krl.frames import as_matrix
from armlab.program.krl.system import NUMBERED, frames_of_config, initial_values, no_error
from armlab.program.signals import Signals
from armlab.program.span import Span

MS_PER_S = 1000.0
FASTEST = 3.0
"""m/s: $VEL_MA.CP, the most that $VEL.CP takes, where $machine.dat does not say otherwise."""


@dataclass(slots=True)
class Timer:
    """$TIMER[n]: runs while it is not stopped."""

    value: float = 0.0
    """ms, when it was last set or stopped."""
    since: float | None = None
    """s: when it began to run; None: it stands."""

    def read(self, now: float) -> int:
        """Return its value (ms)."""
        return round(self.value + (0.0 if self.since is None else (now - self.since) * MS_PER_S))


class Controller:
    """A controller with an arm. Units of KRL: mm, degrees, percent."""

    def __init__(self, robot: Robot, start: Floats, findings: Findings) -> None:
        self.arm, self.findings = Arm(robot), findings
        self.system: dict[str, Value] = {}
        self.types: dict[str, DataType] = {}
        for name, (kind, value) in (initial_values() | frames_of_config()).items():
            self.types[name], self.system[name] = kind, value
        self.fastest = FASTEST
        self.untold: list[Message] = []
        """What expressions and settings have found that a user should know."""
        self.messages = 0
        """How many messages with a handle were told."""
        self.outputs: dict[str, bool | float] = {}
        self.timers = [Timer() for _number in range(NUMBERED["TIMER"])]
        self.signals: Signals | None = None
        """What a condition reads while it is looked at."""
        self.q: Floats | None = np.array(start, dtype=np.float64)
        """Where the arm will be after all motions so far; None where only the tool's pose is known."""
        self.T_world_flange: Floats | None = None
        self.q_interrupted: Floats | None = None
        self.asked = 0
        """How often inputs, the time or the arm were asked for."""
        self.shift: Shift | None = None
        """Set while a TRIGGER acts."""
        self.triggers: list[PendingTrigger] = []
        """Triggers that wait for their points."""
        self.interrupts: dict[int, Interrupt] = {}
        """Declared interrupts by priority."""
        self.handlers = 0
        """How many handlers of interrupts are under way."""
        self.handle: Callable[[Span], Generator[Instruction, Answer, None]] | None = None
        """Runs the handlers of interrupts that come now."""
        self.fire: Callable[[float], Generator[Instruction, Answer, None]] | None = None
        """Runs the triggers of the motion that comes next, whose travel (m) it takes."""
        self.place_before: Floats = np.eye(4)
        """Where the flange was before the motion that is being made, T_world_flange (4, 4)."""
        self.has_moved = False
        """Whether the last statement was a motion."""
        self.has_run = False
        """Whether the program has moved the arm at all."""
        self.is_busy = False
        """Whether a motion or a wait came since a loop last began."""
        self.passes: int | None = None
        """How often a loop without an exit is followed; None: for ever."""
        self.is_continued = False
        """Whether CONTINUE stands before this statement."""

    # -- questions ---------------------------------------------------------------------------------------------------

    def read_input(self, name: str, span: Span) -> Generator[Instruction, Answer, bool | float]:
        """Ask for an input."""
        self.asked += 1
        answer = yield ReadInput(name, span=span)
        return answer if isinstance(answer, bool | int | float) else False

    def now(self, span: Span) -> Generator[Instruction, Answer, float]:
        """Ask for the time (s) at which all motions before this are over."""
        self.asked += 1
        seen = [0.0]

        def look(signals: Signals) -> bool:
            seen[0] = signals.time
            return True

        yield WaitUntil(look, span=span)
        return seen[0]

    def where(self, span: Span) -> Generator[Instruction, Answer, Floats]:
        """Ask where the arm is (n,) when all motions before this are over."""
        self.asked += 1
        answer = yield WhereIs(span=span)
        if isinstance(answer, np.ndarray):
            self.q = np.array(answer, dtype=np.float64)
            self.T_world_flange = None
        assert self.q is not None
        return self.q

    def joints(self, span: Span) -> Generator[Instruction, Answer, Floats]:
        """Return where the arm will be (n,); it is asked only where that is not known."""
        if self.q is not None:
            return self.q
        return (yield from self.where(span))

    def tell(self, severity: Severity, message: Message, span: Span) -> Generator[Instruction, Answer, None]:
        """Report something that was found while the program runs, once for each place."""
        if self.findings.add(severity, message, span):
            yield Report(self.findings.items[-1], span)

    def note(self, message: Message, span: Span, about: str = "") -> Generator[Instruction, Answer, None]:
        """Report something that a user should know, for its first place only."""
        if self.findings.add_once("warning", message, span, about):
            yield Report(self.findings.items[-1], span)

    def tell_all(self, span: Span) -> Generator[Instruction, Answer, None]:
        """Report what this statement has found, each thing for its first place only."""
        found, self.untold = self.untold, []
        for message in found:
            yield from self.note(message, span, str(message))

    def no_error(self) -> None:
        """Clear $ERR."""
        self.system["$ERR"] = no_error()

    def stopping(self) -> list[Interrupt]:
        """Return the interrupts that may come now, look at inputs or the time, and stop the arm."""
        running = [one.priority for one in self.interrupts.values() if one.is_running]
        return [
            one
            for one in self.interrupts.values()
            if one.is_on and one.is_enabled and one.is_live and one.stops and all(one.priority < p for p in running)
        ]

    # -- frames ------------------------------------------------------------------------------------------------------

    def place(self) -> Floats:
        """Return where the flange will be, T_world_flange (4, 4)."""
        if self.q is not None:
            return self.arm.T_world_flange(self.q)
        assert self.T_world_flange is not None
        return self.T_world_flange

    def T_world_base(self, span: Span) -> Floats:
        """Return the frame that positions are given in (4, 4)."""
        root = pose.inverse(as_matrix(self.system["$ROBROOT"] or {}, span))
        return self.arm.robot.base @ root @ as_matrix(self.system["$BASE"] or {}, span)

    def T_flange_tool(self, span: Span) -> Floats:
        """Return the tool that is moved (4, 4)."""
        return as_matrix(self.system["$TOOL"] or {}, span)

    def position(self, q: Floats, span: Span) -> dict[str, Value]:
        """Return joint values (n,) as E6POS in $BASE, of $TOOL."""
        return self.arm.position_of(q, self.T_world_base(span), self.T_flange_tool(span))
