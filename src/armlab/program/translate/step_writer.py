"""What the writers of all languages do alike: one kind of step after the other becomes lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.program.instructions import (
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Say,
    SetOutput,
    Wait,
    WaitUntil,
)
from armlab.program.translate.nodes import StepBlock
from armlab.program.translate.record import ProgramRecord, RecordedStep
from armlab.program.translate.sampling import joints_at
from armlab.program.translate.text import Flattening, number
from armlab.program.translate.values import Slots

AnyMove = MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe
SETTLE = 0.3
"""s that a pick or place takes."""


class StepWriter(ABC):
    """Writes the steps of one program; values in lines are slots, so that loops and routines can change them."""

    language = ""
    tail = 0
    """Lines behind the last step."""
    most_parameters = 1000

    def __init__(self, record: ProgramRecord) -> None:
        self.flattening = Flattening()
        self.slots = Slots()
        self._record = record
        self._joints_now = record.start
        """Joint values (n,) where the arm is when a step begins."""
        self._form: list[str] | None = None

    def blocks(self) -> list[StepBlock]:
        """Return the lines of every step."""
        out = []
        for k, step in enumerate(self._record.steps):
            if k == self._record.own_count:
                self._joints_now = self._record.start
                self.begin_again()
            self._form = None
            lines = tuple(self._lines(k, step))
            self._joints_now = step.q_end if step.parts else self._joints_now
            out.append(StepBlock(k, lines, None if self._form is None else tuple(self._form)))
        return out

    def begin_again(self) -> None:  # noqa: B027 - most writers have nothing to forget
        """Forget what was written: the steps of another run follow."""

    def lengths(self, blocks: Sequence[StepBlock]) -> list[int]:
        """Return how many lines of each block are written where they follow each other."""
        return [len(block.form or block.lines) for block in blocks]

    def _lines(self, k: int, step: RecordedStep) -> list[str]:  # noqa: PLR0911 - one case per kind
        if step.interrupted:
            self.flattening.add(term(_("interrupts")), step)
        instruction = step.instruction
        match instruction:
            case MoveJ() | MoveL() | MoveC() | MoveHelix() | MoveSpline() | Probe():
                return self.move(k, step, instruction)
            case Wait(seconds=seconds):
                return self.stand(seconds) if seconds > 0.0 else []
            case Say():
                return self.say(instruction)
            case Pause():
                return self.pause(instruction)
            case SetOutput():
                return self.output(step, instruction)
            case Pick() | Place():
                return self.grip(instruction)
            case ReadInput() | WaitUntil():
                return [] if step.is_decision else self.wait(step, instruction)
            case _:
                return []

    def joints(self, step: RecordedStep, frames: Sequence[Floats]) -> list[Floats]:
        """Return the joint values (n,) at frames (4, 4) that a move of the tool passes."""
        settings: MotionSettings = step.instruction.settings  # type: ignore[union-attr]
        if not step.parts:
            return [self._joints_now] * len(frames)
        return joints_at(self._record.robot_of(settings), step, frames)

    def stood(self, step: RecordedStep) -> list[str]:
        """Return a wait for as long as a step took that the language has no equal for."""
        if isinstance(step.instruction, ReadInput) or step.duration > 0.0:
            self.flattening.add(term(_("decisions by inputs and the time")), step)
        return self.stand(step.duration) if step.duration > 0.0 else []

    def number(self, value: float, digits: int = 6) -> str:
        """Return a slot for a number."""
        return self.slots.put("number", number(value, digits), (value,))

    @abstractmethod
    def move(self, k: int, step: RecordedStep, move: AnyMove) -> list[str]:
        """Return a motion."""

    @abstractmethod
    def stand(self, seconds: float) -> list[str]:
        """Return a wait."""

    @abstractmethod
    def say(self, said: Say) -> list[str]:
        """Return a message to the operator."""

    @abstractmethod
    def pause(self, pause: Pause) -> list[str]:
        """Return a pause."""

    @abstractmethod
    def output(self, step: RecordedStep, output: SetOutput) -> list[str]:
        """Return what sets an output."""

    @abstractmethod
    def grip(self, grip: Pick | Place) -> list[str]:
        """Return what takes or releases something."""

    @abstractmethod
    def wait(self, step: RecordedStep, asked: ReadInput | WaitUntil) -> list[str]:
        """Return a wait for inputs."""
