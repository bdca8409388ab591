"""The arm that will run a translation: whether its maker's language fits it, and a program carried over to another arm.

Joint values mean something on one kind of arm only. A program for another arm goes over by the poses of its tool: a
joint motion becomes one to the pose at its end, which the other arm's own kinematics turn into joint values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import NotSupported
from armlab.kinematics.ik import attempt_ik
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot
from armlab.program.instructions import Instruction, Instructions, MoveJ, Report, WhereIs
from armlab.program.prepare import Cell, PreparedProgram
from armlab.program.signals import Signals
from armlab.program.translate.record import ProgramRecord, record_program

MAKERS: Mapping[str, str] = {"krl": "KUKA", "urscript": "Universal Robots", "rapid": "ABB"}
"""Whose controllers run a language; the others belong to no maker."""


class CarriedProgram(NamedTuple):
    """A program on the arm that will run it: prepared, and what it does there."""

    prepared: PreparedProgram
    record: ProgramRecord
    others: Mapping[str, ProgramRecord]


def check_maker(language: str, record: ProgramRecord, *, is_named: bool) -> list[Finding]:
    """Return what is to be said of the arm that will run a translation.

    Raises:
        NotSupported: if the program has joint motions of another maker's arm, and nobody has named the arm.
    """
    wanted, robot = MAKERS.get(language), record.robot
    if wanted is None or robot.maker == wanted:
        return []
    has_joints = any(isinstance(step.instruction, MoveJ) and step.parts for step in record.steps)
    if robot.maker and has_joints and not is_named:
        template = _(
            "{robot}: the program has joint motions of an arm by {maker}, and arms by {wanted} run this language; name "
            "the arm that will run it with --for"
        )
        facts = {"robot": robot.name, "maker": robot.maker, "wanted": wanted}
        raise NotSupported("translate_other_maker", template, **facts)
    template = _("{robot}: arms by {wanted} run this language, and this is not one of them as far as is known")
    return [Finding("warning", Message("translation_maker", template, robot=robot.name, wanted=wanted))]


def carried_over(
    prepared: PreparedProgram, record: ProgramRecord, others: Mapping[str, ProgramRecord], robot: Robot,
    signals: Signals | None,
) -> CarriedProgram:  # fmt: skip
    """Return a program on another arm, which stands where its own does and has its tool."""
    own = record.robot
    arm = robot.with_base(own.base).with_tool(own.tool)
    scene = prepared.cell.scene
    placed = PlacedRobot(arm.name, arm, arm.home)
    rest = (one for one in scene.robots if one is not prepared.cell.arm)
    cell = Cell(replace(scene, robots=(placed, *rest)), placed)
    start = _start(arm, own.fk(record.start))

    def ready(of: ProgramRecord) -> PreparedProgram:
        stream = _replayed(of)
        return replace(prepared, cell=cell, instructions=stream, start=start, findings=(), again=None)

    def run(of: ProgramRecord) -> ProgramRecord:
        given = None if signals is None else replace(
            signals, inputs=dict(signals.inputs), outputs=dict(signals.outputs)
        )  # fmt: skip
        done = record_program(ready(of), given)
        answers = {id(step.instruction): step.answer for step in of.trace}
        for step in done.trace:  # a decision goes as it went: the program is laid out already
            if step.is_decision:
                step.answer = answers.get(id(step.instruction), step.answer)
        return done

    done = run(record)
    done.findings = [*record.findings, *done.findings]
    carried = {name: run(other) for name, other in others.items()}
    return CarriedProgram(ready(record), done, carried)


def _start(arm: Robot, T_world_tool: Floats) -> Floats:
    """Return joint values (n,) with which an arm begins: the tool where the other one had it, or else its home."""
    answer = attempt_ik(arm, T_world_tool, start=arm.home)
    return np.array(answer.q if answer.converged else arm.home, dtype=np.float64)


def _replayed(record: ProgramRecord) -> Instructions:
    """Yield what an arm did, with poses of its tool for joint values; what only asks is left out."""
    for step in record.trace:
        instruction: Instruction = step.instruction
        if isinstance(instruction, WhereIs | Report):
            continue
        if isinstance(instruction, MoveJ):
            robot = record.robot_of(instruction.settings)
            frames = tuple(q if q.ndim == 2 else robot.fk(q) for q in instruction.targets)
            instruction = replace(instruction, targets=frames, scheme=None, times=None, configuration=None)
        yield instruction
