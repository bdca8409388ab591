"""Instructions in a few words."""

from __future__ import annotations

from typing import assert_never

from armlab.messages import Message, _, n_
from armlab.program.instructions import (
    Instruction,
    Mark,
    Move,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
    WaitUntil,
    WhereIs,
)


def instruction_text(instruction: Instruction) -> Message:
    """Return an instruction in a few words."""
    match instruction:
        case MoveJ() | MoveL() | MoveC() | MoveHelix() | MoveSpline() | Probe():
            return _move(instruction)
        case MoveUntil():
            return _move(instruction.move)
        case SetOutput() | ReadInput() | WaitUntil() | WhereIs():
            return _signal(instruction)
        case Pick() | Place():
            return _tool(instruction)
        case Wait() | Pause() | Stop() | Say() | Report() | Mark():
            return _flow(instruction)
        case _:
            assert_never(instruction)


def _move(move: Move) -> Message:
    match move:
        case MoveJ():
            points = n_("move joints, {count} point", "move joints, {count} points")
            return Message("move_joints", points, count=len(move.targets))
        case MoveL():
            return Message("move_straight", _("move straight"))
        case MoveC():
            return Message("move_arc", _("move on an arc"))
        case MoveHelix():
            return Message("move_helix", _("move on a helix"))
        case MoveSpline():
            return Message("move_curve", _("move along a curve ({kind})"), kind=move.kind)
        case Probe():
            return Message("probe", _("probe"))
        case _:
            assert_never(move)


def _tool(instruction: Pick | Place) -> Message:
    match instruction:
        case Pick(body=str(body)) if body:
            return Message("pick", _("pick '{body}'"), body=body)
        case Pick():
            return Message("pick_nearest", _("pick the nearest body"))
        case Place():
            return Message("place", _("place"))
        case _:
            assert_never(instruction)


def _signal(instruction: SetOutput | ReadInput | WaitUntil | WhereIs) -> Message:
    match instruction:
        case SetOutput(name=name):
            return Message("set_output", _("set output '{name}'"), name=name)
        case ReadInput(name=name):
            return Message("read_input", _("read input '{name}'"), name=name)
        case WaitUntil():
            return Message("wait_until", _("wait for a condition"))
        case WhereIs():
            return Message("where_is", _("read the joint positions"))
        case _:
            assert_never(instruction)


def _flow(instruction: Wait | Pause | Stop | Say | Report | Mark) -> Message:
    match instruction:
        case Wait():
            return Message("wait", _("wait {seconds:g} s"), seconds=float(instruction.seconds))
        case Pause():
            return Message("pause", _("pause"))
        case Stop():
            return Message("stop", _("stop"))
        case Say():
            return Message("say", _("message: {text}"), text=instruction.text)
        case Report():
            return instruction.finding.message
        case Mark():
            return Message("statement", _("statement in '{routine}'"), routine=instruction.routine)
        case _:
            assert_never(instruction)
