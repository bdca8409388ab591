"""Instructions: what every program is made of, whatever language it was written in. SI units, world coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from armlab.arrays import Floats
from armlab.motion.toolpath_through import Kind


@dataclass(frozen=True, slots=True, eq=False)
class MoveJ:
    """Move the joints: through each target, joint values (n,) or a pose of the tool (4, 4), to the last."""

    targets: tuple[Floats, ...]
    scheme: str | None = None
    """One of `armlab.motion.joint.SCHEMES`; none: without jolts, and through points without a stop."""
    times: tuple[float, ...] | None = None
    speed: float = 1.0
    """Share of the joints' top speed."""
    task: str = "pose"
    """Which part of a pose must be met, as for `armlab.solve_ik`; here and in the instructions below."""
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveL:
    """Move the tool straight from frame to frame, corners rounded by `blend` (m)."""

    frames: tuple[Floats, ...]
    blend: float = 0.0
    tool_speed: float | None = None
    speed: float = 1.0
    task: str = "pose"
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveC:
    """Move the tool on an arc through a point (3,) to a frame."""

    via: Floats
    frame: Floats
    tool_speed: float | None = None
    speed: float = 1.0
    task: str = "pose"
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class MoveSpline:
    """Move the tool on a curve through frames; `kind` as in `armlab.motion.toolpath_through.through`."""

    frames: tuple[Floats, ...]
    kind: Kind = "spline"
    tool_speed: float | None = None
    speed: float = 1.0
    task: str = "pose"
    source: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """Take hold of a body; without a name, of the one nearest to the tool."""

    body: str | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Let go of what is held."""

    source: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """Stand still for some seconds."""

    seconds: float
    source: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """End here, whatever follows."""

    source: str = ""


Instruction: TypeAlias = MoveJ | MoveL | MoveC | MoveSpline | Pick | Place | Wait | Stop


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Instructions for one arm that starts at `start` (n,)."""

    name: str
    start: Floats
    instructions: tuple[Instruction, ...] = field(default_factory=tuple)
