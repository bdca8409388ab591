"""What is translated and run again takes the same path within 0.1 mm and the same time within 1 %."""

from __future__ import annotations

import os
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program.translate.drive import SHIPPED, inputs, prepared

import armlab
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.program.instructions import (
    Blend,
    Instruction,
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    SetOutput,
    Wait,
)
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PreparedProgram, cell_of
from armlab.program.translate.compare import deviation
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.record import PlainMove, ProgramRecord, record_program
from armlab.program.translate.translation import Translation, translate_program


def stem(program: str) -> str:
    return Path(program).stem


def is_the_same(translation: Translation) -> bool:
    assert translation.files
    assert translation.difference is not None
    return translation.difference.path_mm <= 0.1 and abs(translation.difference.time_share) <= 0.01


@pytest.mark.parametrize("program", SHIPPED, ids=stem)
def test_shipped_programs_do_the_same_in_krl(program: str) -> None:
    source = prepared(program)
    done = translate_program(source, "krl", signals=inputs(), robot=source.cell.robot)
    assert done.difference is not None
    assert done.difference.path_mm <= 0.1
    record = record_program(prepared(program), inputs())
    moves = [step.instruction for step in record.steps if isinstance(step.instruction, PlainMove) and step.parts]
    if all(isinstance(move, MoveJ) or move.settings.tool_acceleration for move in moves):
        assert is_the_same(done)
    else:  # the controller's own acceleration is no quicker than what the joints could do
        assert done.difference.time_share > -0.01


@pytest.mark.parametrize("program", SHIPPED, ids=stem)
def test_shipped_programs_do_the_same_as_scenarios(program: str) -> None:
    assert is_the_same(translate_program(prepared(program), "scenario", signals=inputs()))


@pytest.mark.parametrize("program", SHIPPED, ids=stem)
def test_shipped_programs_do_the_same_in_g_code(program: str) -> None:
    assert is_the_same(translate_program(prepared(program), "gcode", signals=inputs()))


@pytest.mark.parametrize("program", SHIPPED, ids=stem)
def test_shipped_programs_do_the_same_in_python(program: str, tmp_path: Path) -> None:
    record = record_program(prepared(program), inputs())
    translation = translate_program(prepared(program), "python", signals=inputs())
    path_mm, time_share = run_again(translation, prepared(program), record, tmp_path)
    assert path_mm < 0.001
    assert time_share < 1e-6


def run_again(
    translation: Translation, first: PreparedProgram, record: ProgramRecord, folder: Path
) -> tuple[float, float]:
    """Return by how much the path (mm) and the time (share) of a Python script differ from those of its source."""
    (file,) = translation.files
    (folder / file.name).write_bytes(file.data)
    script: dict[str, Any] = runpy.run_path(str(folder / file.name))
    cell = Cell(script["scene"], script["arm"])
    again = replace(first, instructions=script[Path(file.name).stem](), cell=cell, findings=(), start=script["start"])
    difference = deviation(record, record_program(again, inputs()), TranslationJob(first, record, "x").T_flange_tool)
    return difference.path_mm, abs(difference.time_share)


ROBOT = armlab.load("kuka-kr6-r700")
BEGIN = np.radians([0.0, -90.0, 90.0, 0.0, 90.0, 0.0])
CENTER = pose.from_xyz(ROBOT.fk(BEGIN)[:3, 3])
CENTER[:3, :3] = ROBOT.fk(BEGIN)[:3, :3]


def aside(frame: Floats, x: float, y: float, z: float, degrees: float = 0.0) -> Floats:
    """Return a frame that is moved by mm along the world's axes, and turned about the world's z."""
    T = frame.copy()
    T[:3, :3] = pose.from_xyz_axis_angle((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), np.radians(degrees))[:3, :3] @ T[:3, :3]
    T[:3, 3] += np.array([x, y, z]) / 1000.0
    return T


@st.composite
def motions(draw: st.DrawFn, here: Floats) -> tuple[Instruction, Floats]:
    """Return a motion of the tool from a frame, and where it ends; it may lead to where the tool is already."""
    blend = draw(st.sampled_from([None, Blend(radius=0.005), Blend(tolerance=0.0003)]))
    settings = MotionSettings(tool_speed=draw(st.floats(0.02, 0.4)), tool_acceleration=2.0, blend=blend)
    shift = st.integers(-60, 60)
    frame = aside(CENTER, draw(shift), draw(shift), draw(shift), draw(st.sampled_from([0, 0, 15])))
    kind = draw(st.sampled_from(["line", "line", "still", "arc", "helix", "spline"]))
    if kind == "still":
        return MoveL((here,), settings=settings), here
    across = frame[:3, 3] - here[:3, 3]
    if kind == "line" or np.linalg.norm(across[:2]) < 0.01:
        return MoveL((frame,), settings=settings), frame
    if kind == "spline":
        middle = here.copy()
        middle[:3, 3] += 0.5 * across + [0.0, 0.0, 0.01]
        return MoveSpline((middle, frame), settings=settings), frame
    if kind == "arc":
        frame = frame.copy()
        frame[2, 3] = here[2, 3]
        bulge = 0.2 * np.array([-across[1], across[0], 0.0])
        via = here[:3, 3] + 0.5 * np.array([across[0], across[1], 0.0]) + bulge
        return MoveC(via, frame, settings=settings), frame
    middle = here[:3, 3] + 0.5 * (across * [1.0, 1.0, 0.0])
    angle = draw(st.sampled_from([np.pi, -np.pi]))
    return MoveHelix(middle, np.array([0.0, 0.0, 1.0]), angle, frame, settings=settings), frame


@st.composite
def programs(draw: st.DrawFn) -> list[Instruction]:
    """Motions within a box before the arm, some of them rounded, waits, outputs, and joint moves back."""
    out: list[Instruction] = [MoveJ((BEGIN,))]
    here = ROBOT.fk(BEGIN)
    for _ in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["motion", "motion", "motion", "wait", "output"]))
        if kind == "wait":
            out.append(Wait(draw(st.floats(0.01, 0.5))))
        elif kind == "output":
            out.append(SetOutput(str(draw(st.integers(1, 8))), draw(st.booleans())))
        else:
            motion, here = draw(motions(here))
            out.append(motion)
    turned = BEGIN + np.array([draw(st.sampled_from([0.0, -0.7, 0.9])), 0.0, 0.0, 0.0, 0.0, 0.0])
    last = MoveJ((turned + draw(st.sampled_from([0.0, 0.1])),), settings=MotionSettings(speed=0.5))
    return [*out, MoveJ((BEGIN,)), MoveJ((turned,)), last]


def made_of(instructions: list[Instruction]) -> PreparedProgram:
    stream = (one for one in instructions)
    cell = cell_of("kuka-kr6-r700", None)
    return PreparedProgram(ProgramSource("made", "gcode", data=b""), cell, stream, ROBOT.home)  # type: ignore[arg-type]


@settings(max_examples=3 * int(os.environ.get("ARMLAB_FUZZ", "1")))
@given(instructions=programs())
@pytest.mark.parametrize("language", ["krl", "scenario", "gcode"])
def test_generated_programs_do_the_same(language: str, instructions: list[Instruction]) -> None:
    assert is_the_same(translate_program(made_of(instructions), language, name="made"))


@settings(max_examples=3 * int(os.environ.get("ARMLAB_FUZZ", "1")))
@given(instructions=programs())
def test_generated_programs_do_the_same_in_python(
    tmp_path_factory: pytest.TempPathFactory, instructions: list[Instruction]
) -> None:
    translation = translate_program(made_of(instructions), "python", name="made")
    record = record_program(made_of(instructions))
    folder = tmp_path_factory.mktemp("made")
    path_mm, time_share = run_again(translation, made_of(instructions), record, folder)
    assert path_mm < 0.1
    assert time_share < 0.01


def test_a_run_on_another_path_is_seen() -> None:
    cell = cell_of("kuka-kr6-r700", None)
    frame, other = aside(CENTER, 50, 0, 0), aside(CENTER, 50, 2, 0)
    records = []
    for end in (frame, other):
        stream = (one for one in (MoveJ((BEGIN,)), MoveL((end,), settings=MotionSettings(tool_speed=0.1))))
        source = ProgramSource("made", "gcode", data=b"")
        records.append(record_program(PreparedProgram(source, cell, stream, ROBOT.home)))  # type: ignore[arg-type]
    own = ROBOT.tool.T_flange_tool
    assert deviation(records[0], records[1], own).path_mm == pytest.approx(2.0, abs=0.01)
    assert deviation(records[0], records[0], own).path_mm < 1e-9
