"""Motions under interrupts: the arm brakes when one comes, its handler runs, and the rest of the motion follows."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.instructions import Answer, Instruction, MoveC, MoveJ, MoveL, MoveSpline, MoveUntil
from armlab.program.krl.actions import (
    CallStatement,
    For,
    If,
    Loop,
    Motion,
    Repeat,
    Routine,
    Simple,
    SplineBlock,
    Statement,
    Switch,
    While,
)
from armlab.program.krl.arcs import circle
from armlab.program.krl.controller import Controller
from armlab.program.krl.faults import COMPUTING, Fault
from armlab.program.signals import Signals
from armlab.program.span import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Guarded = MoveJ | MoveL | MoveC | MoveSpline


def guarded(
    steps: Generator[Instruction, Answer, None], controller: Controller, span: Span
) -> Generator[Instruction, Answer, None]:
    """Pass on the instructions of a motion; while an interrupt is on that stops the arm, moves end where it comes."""
    answer: Answer = None
    while True:
        try:
            instruction = steps.send(answer)
        except StopIteration:
            return
        answer = None
        if controller.triggers and isinstance(instruction, MoveL | MoveC | MoveSpline):
            assert controller.fire is not None
            yield from controller.fire(_travel(instruction, controller.place_before))
        if isinstance(instruction, Guarded) and controller.stopping():
            yield from _until(instruction, controller, span)
        else:
            answer = yield instruction


def _travel(move: MoveL | MoveC | MoveSpline, T_world_flange: Floats) -> float:
    """Return how far (m) the tool travels in a move from where the flange is; on a curve, from point to point."""
    begin = T_world_flange if move.settings.T_flange_tool is None else T_world_flange @ move.settings.T_flange_tool
    if not isinstance(move, MoveC):
        points = np.array([begin[:3, 3], *(frame[:3, 3] for frame in move.frames)])
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    found = circle(begin[:3, 3], move.via, move.frame[:3, 3])
    if found is None:
        return float(np.linalg.norm(move.frame[:3, 3] - begin[:3, 3]))
    centre, axis = found
    a, b = begin[:3, 3] - centre, move.frame[:3, 3] - centre
    angle = float(np.arctan2(axis @ np.cross(a, b), a @ b) % (2.0 * np.pi)) if move.angle is None else abs(move.angle)
    return angle * float(np.linalg.norm(a))


def _until(move: Guarded, controller: Controller, span: Span) -> Generator[Instruction, Answer, None]:
    """Make a move; where an interrupt ends it, run the handler, and then make the rest of it."""
    rest: Guarded | None = move
    begin, q_end, T_end = controller.place_before, controller.q, controller.T_world_flange
    while rest is not None:
        answer = yield MoveUntil(rest, _comes(controller), span)
        if not (isinstance(answer, tuple) and answer[0]):
            break
        controller.q_interrupted = np.array(answer[1])
        here = controller.arm.T_world_flange((yield from controller.where(span)))
        assert controller.handle is not None
        yield from controller.handle(span)
        tool = np.eye(4) if move.settings.T_flange_tool is None else move.settings.T_flange_tool
        rest = _rest_of(move, begin @ tool, here @ tool)
    controller.q, controller.T_world_flange = q_end, T_end


def _comes(controller: Controller) -> Callable[[Signals], bool]:
    """Return whether an interrupt comes, or its condition cannot be computed: whoever handles it tells that."""
    interrupts = controller.stopping()

    def comes(signals: Signals) -> bool:
        controller.signals = signals
        found = False
        for interrupt in interrupts:
            try:
                holds = bool(interrupt.test(interrupt.handler.slots))
            except (Fault, *COMPUTING):
                return True
            found = found or (holds and not interrupt.held)
            interrupt.held = interrupt.held and holds
        return found

    return comes


def _rest_of(move: Guarded, begin: Floats, here: Floats) -> Guarded | None:
    """Return what is left of a move whose tool was at `begin` (4, 4) and is `here`."""
    if isinstance(move, MoveSpline):
        return MoveL((move.frames[-1],), settings=move.settings, span=move.span)
    if not isinstance(move, MoveC):
        return move
    found = circle(begin[:3, 3], move.via, move.frame[:3, 3])
    if found is None or move.angle is not None:
        return MoveL((move.frame,), settings=move.settings, span=move.span)
    centre, axis = found
    end = move.frame[:3, 3]
    a, b = here[:3, 3] - centre, end - centre
    angle = np.arctan2(axis @ np.cross(a, b), a @ b) % (2.0 * np.pi)
    turn = pose.from_xyz_axis_angle([0.0, 0.0, 0.0], axis, angle / 2.0)[:3, :3]
    return MoveC(centre + turn @ a, move.frame, settings=move.settings, span=move.span)


def stops_the_arm(action: Statement, routine: Callable[[str], Routine | None]) -> bool:
    """Tell whether a handler brakes, resumes or moves, itself or in a routine that it calls."""
    seen: set[str] = set()

    def any_of(body: Sequence[Statement]) -> bool:
        return any(one(statement) for statement in body)

    def one(statement: Statement) -> bool:  # noqa: PLR0911 - one case per kind
        match statement:
            case Motion() | SplineBlock():
                return True
            case Simple(word="BRAKE" | "BRAKE F" | "RESUME"):
                return True
            case If():
                return any_of(statement.body) or any_of(statement.otherwise)
            case Switch():
                return any(any_of(case.body) for case in statement.cases)
            case For() | While() | Repeat() | Loop():
                return any_of(statement.body)
            case CallStatement() if statement.call.name not in seen:
                seen.add(statement.call.name)
                called = routine(statement.call.name)
                return called is not None and any_of(called.body)
            case _:
                return False

    return one(action)
