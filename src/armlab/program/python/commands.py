"""Calls that take part in the arm's time: motions, waits, inputs and outputs. SI units; poses are x, y, z, A, B, C."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.program.instructions import (
    Answer,
    Blend,
    Instruction,
    MotionSettings,
    MoveC,
    MoveJ,
    MoveL,
    MoveSpline,
    Pause,
    Pick,
    Place,
    ReadInput,
    Say,
    SetOutput,
    Wait,
    WhereIs,
)
from armlab.program.place import task_of
from armlab.program.python.script_values import ScriptValue, fault, is_number, text_of, type_name
from armlab.program.span import Span

TOOL_SPEED = 0.25
"""m/s, where none is given."""
LONGEST_WAIT = 1e6
"""s"""
MOST_POSES = 10_000
Carried = Generator[Instruction, Answer, ScriptValue]


class Commands:
    """The commands of scripts for one arm; knows where all motions so far lead to."""

    def __init__(self, robot: Robot, q: Floats) -> None:
        self.robot = robot
        self._task = task_of(robot)[0].name
        self.T_world_tool: Floats = robot.fk(np.array(q))
        """Where the tool will be after all motions so far (4, 4)."""
        self._signatures: dict[str, inspect.Signature] = {}
        self._known: dict[str, Callable[..., Carried]] = {
            "move_joints": self._move_joints,
            "move_to": self._move_to,
            "move_line": self._move_line,
            "move_by": self._move_by,
            "move_arc": self._move_arc,
            "move_spline": self._move_spline,
            "wait": self._wait,
            "wait_input": self._wait_input,
            "read_input": self._read_input,
            "set_output": self._set_output,
            "pick": self._pick,
            "place": self._place,
            "joints": self._joints,
            "where": self._where,
            "print": self._print,
            "pause": self._pause,
        }

    def stand_at(self, q: Floats) -> None:
        """Note that the arm stands at `q` (n,)."""
        self.T_world_tool = self.robot.fk(np.array(q))

    def run(self, name: str, arguments: list[ScriptValue], named: dict[str, ScriptValue], span: Span) -> Carried:
        """Yield the instructions of a command, and return its value."""
        command = self._known[name]
        if name not in self._signatures:
            self._signatures[name] = inspect.signature(command)
        try:
            self._signatures[name].bind(span, *arguments, **named)
        except TypeError:
            known = [str(one) for one in self._signatures[name].parameters.values()][1:]
            shown = [one.partition(":")[0] for one in known]
            template = _("{name} takes ({known})")
            raise fault(span, "script_arguments", template, name=name, known=shown) from None
        return (yield from command(span, *arguments, **named))

    # -- motions -----------------------------------------------------------------------------------------------------

    def _move_joints(self, span: Span, q: Any, *more: Any, speed: Any = 1.0, blend: Any = 0.0) -> Carried:
        values = q if isinstance(q, list) else [q, *more]
        target = np.array(_numbers(values, span, (self.robot.dof,)))
        settings = MotionSettings(
            speed=_number(speed, "speed", 1e-6, 1.0, span), blend=_share(blend, span), task=self._task
        )
        yield MoveJ((target,), settings=settings, span=span)
        self.T_world_tool = self.robot.fk(target)
        return None

    def _move_to(self, span: Span, target: Any, speed: Any = 1.0, blend: Any = 0.0) -> Carried:
        frame = self._frame(target, span)
        settings = MotionSettings(
            speed=_number(speed, "speed", 1e-6, 1.0, span), blend=_share(blend, span), task=self._task
        )
        yield MoveJ((frame,), settings=settings, span=span)
        self.T_world_tool = frame
        return None

    def _move_line(self, span: Span, target: Any, speed: Any = TOOL_SPEED, blend: Any = 0.0) -> Carried:
        frame = self._frame(target, span)
        yield MoveL((frame,), settings=self._settings(speed, blend, span), span=span)
        self.T_world_tool = frame
        return None

    def _move_by(self, span: Span, by: Any, speed: Any = TOOL_SPEED, blend: Any = 0.0) -> Carried:
        frame = self.T_world_tool.copy()
        frame[:3, 3] += _numbers(by, span, (3,))
        yield MoveL((frame,), settings=self._settings(speed, blend, span), span=span)
        self.T_world_tool = frame
        return None

    def _move_arc(self, span: Span, via: Any, end: Any, speed: Any = TOOL_SPEED, blend: Any = 0.0) -> Carried:
        frame, point = self._frame(end, span), np.array(_numbers(via, span, (3, 6))[:3])
        yield MoveC(point, frame, settings=self._settings(speed, blend, span), span=span)
        self.T_world_tool = frame
        return None

    def _move_spline(self, span: Span, poses: Any, speed: Any = TOOL_SPEED, blend: Any = 0.0) -> Carried:
        if not isinstance(poses, list) or not 1 <= len(poses) <= MOST_POSES:
            template = _("{name}: {kind} is not taken here")
            raise fault(span, "script_argument", template, name="move_spline", kind=type_name(poses))
        frames = tuple(self._frame(one, span) for one in poses)
        yield MoveSpline(frames, settings=self._settings(speed, blend, span), span=span)
        self.T_world_tool = frames[-1]
        return None

    def _settings(self, speed: Any, blend: Any, span: Span) -> MotionSettings:
        radius = _number(blend, "blend", 0.0, 10.0, span)
        return MotionSettings(
            tool_speed=_number(speed, "speed", 1e-6, 100.0, span),
            blend=Blend(radius=radius) if radius else None,
            task=self._task,
        )

    def _frame(self, values: Any, span: Span) -> Floats:
        """Return a pose (4, 4); x, y, z alone keep the tool's orientation."""
        given = _numbers(values, span, (3, 6))
        if len(given) == 6:
            return pose.from_xyz_abc(given[:3], given[3:])
        frame = self.T_world_tool.copy()
        frame[:3, 3] = given
        return frame

    # -- time, inputs, outputs ---------------------------------------------------------------------------------------

    def _wait(self, span: Span, seconds: Any) -> Carried:
        yield Wait(_number(seconds, "seconds", 0.0, LONGEST_WAIT, span), span=span)
        return None

    def _wait_input(self, span: Span, name: Any, value: Any = True, timeout: Any = None) -> Carried:
        most = None if timeout is None else _number(timeout, "timeout", 0.0, LONGEST_WAIT, span)
        answer = yield ReadInput(_name(name, span), "high" if value else "low", most, span)
        return answer is not None

    def _read_input(self, span: Span, name: Any) -> Carried:
        answer = yield ReadInput(_name(name, span), span=span)
        return answer if isinstance(answer, bool | int | float) else False

    def _set_output(self, span: Span, name: Any, value: Any = True, pulse: Any = None) -> Carried:
        if not isinstance(value, bool) and not is_number(value):
            template = _("{name}: {kind} is not taken here")
            raise fault(span, "script_argument", template, name="set_output", kind=type_name(value))
        seconds = None if pulse is None else _number(pulse, "pulse", 0.0, LONGEST_WAIT, span)
        yield SetOutput(_name(name, span), value, pulse=seconds, span=span)
        return None

    def _pick(self, span: Span, body: Any = None) -> Carried:
        yield Pick(None if body is None else _name(body, span), span=span)
        return None

    def _place(self, span: Span) -> Carried:
        yield Place(span=span)
        return None

    def _joints(self, span: Span) -> Carried:
        answer = yield WhereIs(span=span)
        assert isinstance(answer, np.ndarray)
        return [float(value) for value in answer]

    def _where(self, span: Span) -> Carried:
        q = yield from self._joints(span)
        T = self.robot.fk(np.array(q))
        return [*(float(value) for value in T[:3, 3]), *(float(value) for value in pose.as_abc(T))]

    def _print(self, span: Span, *values: Any) -> Carried:
        yield Say(" ".join(text_of(value) for value in values), "print", span)
        return None

    def _pause(self, span: Span) -> Carried:
        yield Pause(span=span)
        return None


COMMAND_NAMES = frozenset(
    {"move_joints", "move_to", "move_line", "move_by", "move_arc", "move_spline", "wait", "wait_input", "read_input",
     "set_output", "pick", "place", "joints", "where", "print", "pause"}
)  # fmt: skip
MOVES = frozenset(name for name in COMMAND_NAMES if name.startswith("move_"))


def _number(value: ScriptValue, name: str, lower: float, upper: float, span: Span) -> float:
    if not is_number(value) or not lower <= value <= upper:
        shown = text_of(value)[:40]
        template = _("{name}: {value} is not a number from {lower:g} to {upper:g}")
        raise fault(span, "script_number", template, name=name, value=shown, lower=lower, upper=upper)
    return float(value)


def _numbers(values: ScriptValue, span: Span, sizes: tuple[int, ...]) -> list[float]:
    """Return a list of numbers of one of the sizes."""
    is_list = isinstance(values, list) and len(values) in sizes
    if not is_list or not all(is_number(value) and math.isfinite(value) for value in values):
        template = _("a list of {sizes} numbers is needed, got {value}")
        sizes_text = " / ".join(str(size) for size in sizes)
        raise fault(span, "script_list", template, sizes=sizes_text, value=text_of(values)[:60])
    return [float(value) for value in values]


def _name(value: ScriptValue, span: Span) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not 1 <= len(value) <= 60:
        raise fault(span, "script_name", _("a name is needed, got {value}"), value=text_of(value)[:40])
    return value


def _share(value: ScriptValue, span: Span) -> Blend | None:
    """Return how much of a joint motion may be cut off."""
    share = _number(value, "blend", 0.0, 1.0, span)
    return Blend(joints=share) if share else None
