"""Where the tool of a program goes, taken from its instructions as they pass by: for pictures, not for motion."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.instructions import (
    Answer,
    Instructions,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Probe,
    ReadInput,
    SetOutput,
    WaitUntil,
)
from armlab.program.signals import inputs_read
from armlab.program.span import Span

MOST_POINTS = 200_000
"""Points that are kept; what comes after them is not drawn."""
ARC_STEP = math.radians(6.0)


class TracedMove(NamedTuple):
    """One motion: its place in the text, whether it goes at the arm's own speed, and its points (k, 3) in the world."""

    span: Span | None
    is_rapid: bool
    points: Floats


@dataclass(slots=True)
class PathTrace:
    """The motions of a program, in their order."""

    moves: list[TracedMove] = field(default_factory=list)
    is_cut: bool = False
    """Whether there were more points than are kept."""
    _count: int = 0
    _here: Floats | None = None

    def follow(self, instructions: Instructions) -> Instructions:
        """Yield the same instructions, and keep where they lead."""
        answer: Answer = None
        while True:
            try:
                instruction = instructions.send(answer)
            except StopIteration:
                return
            if isinstance(instruction, MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe) and not self.is_cut:
                self._add(instruction)
            answer = yield instruction

    def _add(self, move: MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe) -> None:
        points = self._points(move)
        if points is None:
            self._here = None
            return
        if self._here is not None:
            points = np.concatenate([self._here[None], points])
        self._here = points[-1]
        self._count += len(points)
        self.is_cut = self._count > MOST_POINTS
        is_rapid = isinstance(move, MoveJ) or (isinstance(move, MoveL) and move.settings.tool_speed is None)
        if len(points) > 1:
            self.moves.append(TracedMove(move.span, is_rapid and move.settings.seconds is None, points))

    def _points(self, move: MoveJ | MoveL | MoveC | MoveHelix | MoveSpline | Probe) -> Floats | None:
        match move:
            case MoveJ(targets=targets):
                poses = [target for target in targets if target.shape == (4, 4)]
                return np.array([T[:3, 3] for T in poses]) if len(poses) == len(targets) else None
            case MoveL(frames=frames) | MoveSpline(frames=frames):
                return np.array([T[:3, 3] for T in frames])
            case MoveC(via=via, frame=frame):
                return np.array([via, frame[:3, 3]])
            case MoveHelix():
                return self._helix(move)
            case Probe(frame=frame):
                return np.asarray(frame[None, :3, 3])

    def _helix(self, move: MoveHelix) -> Floats:
        """Return points of a helix: the start turned about the axis, and moved along it evenly."""
        end = move.frame[:3, 3]
        if self._here is None:
            return np.asarray(end[None])
        rise = move.axis * float(move.axis @ (end - self._here))
        count = min(720, max(2, math.ceil(abs(move.angle) / ARC_STEP)))
        shares = np.arange(1, count + 1) / count
        turns = pose.from_xyz_axis_angle(np.zeros((count, 3)), np.tile(move.axis, (count, 1)), move.angle * shares)
        return np.asarray(move.center + turns[:, :3, :3] @ (self._here - move.center) + shares[:, None] * rise)


@dataclass(slots=True)
class SignalNames:
    """The digital inputs that a program reads, and the outputs that it sets, in their order."""

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def follow(self, instructions: Instructions) -> Instructions:
        """Yield the same instructions, and keep the names."""
        answer: Answer = None
        while True:
            try:
                instruction = instructions.send(answer)
            except StopIteration:
                return
            match instruction:
                case ReadInput(name=name):
                    self._add(self.inputs, name)
                case WaitUntil(condition=condition) | MoveUntil(condition=condition):
                    for name in inputs_read(condition):
                        self._add(self.inputs, name)
                case SetOutput(name=name):
                    self._add(self.outputs, name)
                case _:
                    pass
            answer = yield instruction

    def _add(self, names: list[str], name: str) -> None:
        if name not in names and not name.startswith("analog"):
            names.append(name)
