"""What the writers of all languages share: numbers, names, signals, what was flattened, blocks of lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.instructions import MotionSettings, MoveJ, SetOutput
from armlab.program.translate.record import ProgramRecord, RecordedStep
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale

MM_DIGITS, DEG_DIGITS = 4, 5
MOST_PLACES = 8
"""Places in the source that a finding about what was flattened lists."""


def number(value: float, digits: int = MM_DIGITS) -> str:
    """Return a number without needless zeros; never -0."""
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def real(value: float, digits: int = MM_DIGITS) -> str:
    """Return a number that shows that it is not a whole one: 5.0."""
    text = number(value, digits)
    return text if "." in text else f"{text}.0"


def mm_deg(T: Floats) -> tuple[float, ...]:
    """Return a pose (4, 4) as X, Y, Z in mm and A, B, C in degrees."""
    return (*(T[:3, 3] * MM_PER_M).tolist(), *(pose.as_abc(T) * DEG_PER_RAD).tolist())


def shown_joints(robot: Robot, q: Floats) -> list[float]:
    """Return joint values (n,) in degrees and mm."""
    return [float(value) / joint_scale(joint.kind) for value, joint in zip(q, robot.joints, strict=True)]


def identifier(name: str, longest: int = 24, lead: str = "p") -> str:
    """Return a name of letters, digits and underscores that begins with a letter."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or lead
    if not plain[0].isalpha():
        plain = f"{lead}_{plain}"
    return plain[:longest].rstrip("_")


@dataclass(slots=True)
class Flattening:
    """Collects what a target language has no equal for; one finding tells it all."""

    kinds: dict[str, list[str]] = field(default_factory=dict)
    words: dict[str, Message] = field(default_factory=dict)

    def add(self, what: Message, step: RecordedStep | None = None) -> None:
        """Note that something was flattened, and where."""
        self.words[str(what)] = what
        places = self.kinds.setdefault(str(what), [])
        span = None if step is None else step.instruction.span
        place = "" if span is None else f"{span.file}:{span.line}"
        source = "" if step is None else str(getattr(step.instruction, "source", ""))
        shown = place or source
        if shown and shown not in places:
            places.append(shown)

    def findings(self, language: str) -> list[Finding]:
        """Return one finding that says what was flattened and where; none where nothing was."""
        if not self.kinds:
            return []
        parts = []
        for code, places in self.kinds.items():
            where = ", ".join(places[:MOST_PLACES]) + (" …" if len(places) > MOST_PLACES else "")
            parts.append(term(_("{what} ({where})"), what=self.words[code], where=where) if where else self.words[code])
        template = _("{language} has no equal for some of the program, which was flattened: {what}")
        return [Finding("warning", Message("translation_flattened", template, language=language, what=parts))]


@dataclass(slots=True)
class SignalNumbers:
    """Numbers of signals in the target; what has a name or a number that is not allowed there gets a free one."""

    lowest: int = 1
    highest: int = 8192
    given: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    def reserve(self, names: Iterable[str]) -> None:
        """Give numbers to the names of a program: their own where that is possible."""
        names = list(dict.fromkeys(names))
        for name in names:
            digits = name.removeprefix("analog ")
            if digits.isdigit() and self.lowest <= int(digits) <= self.highest:
                self.given[name] = int(digits)
        for name in names:
            if name not in self.given:
                taken = set(self.given.values())
                free = next(k for k in range(max(1, self.lowest), self.highest + 2) if k not in taken)
                self.given[name] = free
                self.renamed[name] = str(free)

    def finding(self) -> list[Finding]:
        """Return a note that tells the numbers of what had a name; none where everything kept its own."""
        if not self.renamed:
            return []
        what = [f"{name} → {number}" for name, number in self.renamed.items()]
        message = Message("translation_signals", _("signals have other numbers here: {names}"), names=what)
        return [Finding("note", message)]


def output_names(record: ProgramRecord, *, is_analog: bool) -> list[str]:
    """Return the outputs that a program sets, digital or analog ones."""
    return [
        step.instruction.name
        for step in record.steps
        if isinstance(step.instruction, SetOutput) and is_analog != isinstance(step.instruction.value, bool)
    ]


def input_names(record: ProgramRecord) -> list[str]:
    """Return the digital inputs that a program waits for, or decides by."""
    names = []
    for step in record.steps:
        awaited = step.awaited
        for condition in (awaited, None if awaited is None else awaited.before):
            if condition is not None:
                names += [name for term_ in condition.terms or () for name, _value in term_]
    return [*names, *record.read_inputs]


def programmed_speed(record: ProgramRecord, step: RecordedStep, settings: MotionSettings) -> float | None:
    """Return the speed (m/s) of the tool that a program gives a move, also by its time; None: it gives none."""
    if settings.seconds is None or not step.parts:
        return settings.tool_speed
    points = record.robot_of(settings).fk(step.sampled(200)[1])[:, :3, 3]
    travel = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return min(travel / settings.seconds, settings.tool_speed or math.inf) or None


def is_programmed(step: RecordedStep) -> bool:
    """Tell whether a program says how fast a step is: then that is written, whatever time comes of it."""
    move = step.instruction
    if isinstance(move, MoveJ):
        return move.scheme is None and move.times is None and len(move.targets) == 1
    settings: MotionSettings = move.settings  # type: ignore[union-attr]
    return settings.tool_speed is not None or settings.seconds is not None


def rounded_up(value: float) -> float:
    """Return a number with two digits that is no less."""
    if value <= 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / unit - 1e-3) * unit


def peak_speeds(record: ProgramRecord, step: RecordedStep) -> tuple[float, float, float]:
    """Return the highest speed (m/s), acceleration (m/s²) and turning speed (rad/s) of the tool in a step."""
    if not step.parts:
        return 0.0, 0.0, 0.0
    settings = getattr(step.instruction, "settings", None)
    robot = record.robot if settings is None else record.robot_of(settings)
    count = int(min(max(step.duration / 0.002, 9), 2000))
    times, q = step.sampled(count)
    h = float(times[1] - times[0])
    frames = robot.fk(q)
    velocity = np.diff(frames[:, :3, 3], axis=0) / h
    turns = np.linalg.norm(
        pose.rotation_vector(np.swapaxes(frames[:-1, :3, :3], 1, 2) @ frames[1:, :3, :3]), axis=1
    ) / h  # fmt: skip
    acceleration = np.linalg.norm(np.diff(velocity, axis=0), axis=1) / h
    return float(np.linalg.norm(velocity, axis=1).max()), float(acceleration.max()), float(turns.max())
