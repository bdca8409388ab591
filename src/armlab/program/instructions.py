"""Instructions: what every program is made of, whatever language it was written in. SI units, world coordinates.

A program is a generator of instructions. Most are only yielded; those that ask something (`Ask`) get the executor's
answer back through `send`, so that a language decides by what an input or the arm says while the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from armlab.arrays import Floats
from armlab.messages import Message, _, term
from armlab.model.finding import Finding
from armlab.motion.toolpath.through import PathKind
from armlab.program.signals import Signals, Value
from armlab.program.span import Span

InputMode = Literal["now", "rise", "fall", "high", "low"]


@dataclass(frozen=True, slots=True)
class Blend:
    """How the corner between a move and the next may be rounded; one of the three is given.

    `radius` (m): the path may be left this far before the point. `tolerance` (m): the path may be left by this much.
    `joints`: a share 0 … 1 of the joint motion to the point that may be cut off (KRL's C_PTP).
    """

    radius: float = 0.0
    tolerance: float = 0.0
    joints: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class MotionSettings:
    """How fast a move may be, where it may be rounded, and in which frames its program wrote it."""

    speed: float = 1.0
    """Share of the joints' top speed."""
    acceleration: float = 1.0
    """Share of the joints' top acceleration."""
    tool_speed: float | None = None
    """m/s along the path, for moves of the tool."""
    tool_acceleration: float | None = None
    """m/s²."""
    turn_speed: float | None = None
    """rad/s of the tool's orientation."""
    seconds: float | None = None
    """How long the move takes (G93); none: as fast as the rest allows."""
    blend: Blend | None = None
    """None: stop exactly at the end."""
    task: str = "pose"
    """Which part of a pose must be met, as for `armlab.solve_ik`."""
    T_flange_tool: Floats | None = None
    """The tool whose frame is moved; none: the arm's own."""
    T_world_base: Floats | None = None
    """The frame in which the program wrote its points; only a translation looks at it."""


DEFAULT_SETTINGS = MotionSettings()


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """Which of several joint values a pose means; none: the nearest on the branch that the arm is on.

    `status` and `turn` as KUKA counts them (bits).
    """

    status: int | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MoveJ:
    """Move the joints: through each target, joint values (n,) or a pose of the tool (4, 4), to the last."""

    targets: tuple[Floats, ...]
    scheme: str | None = None
    """One of `armlab.motion.joint.SCHEMES`; none: without jolts, and through points without a stop."""
    times: tuple[float, ...] | None = None
    configuration: Configuration | None = None
    """For the last target, where that is a pose."""
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveL:
    """Move the tool straight from frame to frame; `settings.blend` rounds the corners between them too."""

    frames: tuple[Floats, ...]
    corners: Blend | None = None
    """How the corners between its own frames are rounded; none: as `settings.blend` says."""
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveC:
    """Move the tool on the arc through a point (3,) to a frame; or `angle` (rad) along that circle, past the frame."""

    via: Floats
    frame: Floats
    angle: float | None = None
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveHelix:
    """Turn the tool's point about an axis by `angle` (rad, signed, of any size) while it rises to the frame's height.

    `center` (3,) and `axis` (3,) give the axis; the frame's point lies on the helix.
    """

    center: Floats
    axis: Floats
    angle: float
    frame: Floats
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveSpline:
    """Move the tool on a curve through frames; `kind` as in `armlab.motion.toolpath.through.through`."""

    frames: tuple[Floats, ...]
    kind: PathKind = "spline"
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """Move straight to a frame until the tool touches something, or with `away` until it touches nothing any more.

    Answers (whether that happened, T_world_tool).
    """

    frame: Floats
    away: bool = False
    settings: MotionSettings = DEFAULT_SETTINGS
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveUntil:
    """Make a move until a condition begins to hold, and then brake on its path.

    Answers whether it did, and the joint values (n,) at that moment, or else those at the end.
    """

    move: MoveJ | MoveL | MoveC | MoveSpline
    condition: Callable[[Signals], bool]
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """Take hold of a body; without a name, of the one nearest to the tool."""

    body: str | None = None
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Let go of what is held."""

    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True)
class SetOutput:
    """Give an output a value: when the motions before it are over, or `with_motion`, when the next one begins.

    `delay` (s) and `distance` (m) shift that along the motion before or after it, as KRL's TRIGGER does.
    """

    name: str
    value: Value
    with_motion: bool = False
    delay: float = 0.0
    distance: float = 0.0
    pulse: float | None = None
    """s: after which the output gets its old value back."""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ReadInput:
    """Read an input, or wait for it: answers its value, or none where `timeout` (s) ran out."""

    name: str
    mode: InputMode = "now"
    timeout: float | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """Wait until a condition of the language holds; it reads inputs, outputs and time through its argument."""

    condition: Callable[[Signals], bool]
    timeout: float | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class WhereIs:
    """Ask where the arm is when all motions before this are over: answers the joint values (n,)."""

    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Stand still for some seconds."""

    seconds: float
    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the operator something; `kind` as the language names it (message, print, debug, log, notify …)."""

    text: str
    kind: str = "message"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A finding of the language itself, made while it runs."""

    finding: Finding
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait until the operator resumes the program (M0, HALT); `optional`: only if the operator asked for it (M1)."""

    optional: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """End here, whatever follows."""

    span: Span | None = None
    source: str | Message = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A statement that moves nothing begins: what the debugger steps over, with the routine's depth."""

    span: Span
    routine: str = ""
    depth: int = 0
    changes: tuple[tuple[str, Value | None], ...] = ()
    """Variables that get a value here, by the names that the language gives them; None: they are no longer there."""


Move: TypeAlias = MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe
Ask: TypeAlias = ReadInput | WaitUntil | WhereIs | Probe | MoveUntil
Instruction: TypeAlias = (
    Move | MoveUntil | Pick | Place | SetOutput | ReadInput | WaitUntil | WhereIs | Wait | Say | Report | Pause | Stop
    | Mark
)  # fmt: skip
Answer: TypeAlias = "bool | float | Floats | tuple[bool, Floats] | None"
Instructions: TypeAlias = Generator[Instruction, Answer, None]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Instructions for one arm that starts at `start` (n,)."""

    name: str
    start: Floats
    instructions: tuple[Instruction, ...] = field(default_factory=tuple)


def source_of(instruction: Instruction, index: int) -> str | Message:
    """Return what an instruction is called in messages."""
    named: str | Message = getattr(instruction, "source", "")
    if named:
        return named
    return str(instruction.span) if instruction.span else term(_("instruction {number}"), number=index + 1)
