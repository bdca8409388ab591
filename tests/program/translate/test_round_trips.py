"""What is translated and run again takes the same path within 0.1 mm and the same time within 1 %."""

from __future__ import annotations

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
from armlab.geometry import pose
from armlab.program.instructions import Blend, Instruction, MotionSettings, MoveJ, MoveL, SetOutput, Wait
from armlab.program.languages import ProgramSource
from armlab.program.prepare import Cell, PreparedProgram, cell_of
from armlab.program.translate.compare import deviation
from armlab.program.translate.fitting import TranslationJob
from armlab.program.translate.record import record_program
from armlab.program.translate.translation import Translation, translate_program

SLOW_IN_GCODE = {"palletise", "pick-and-place", "windscreen", "sorting"}
"""Long joint moves become so many lines that the suite would wait for them."""
LONG = {"palletise", "palletising"}
NO_EQUAL_IN_GCODE = {"s5-carousel", "bead"}
"""A joint turns all the way round, so that the tool ends where it began; corners with an arc are rounded otherwise."""


def stem(program: str) -> str:
    return Path(program).stem


def is_the_same(translation: Translation) -> bool:
    assert translation.files
    assert translation.difference is not None
    return translation.difference.path_mm <= 0.1 and abs(translation.difference.time_share) <= 0.01


@pytest.mark.parametrize("program", SHIPPED, ids=stem)
def test_shipped_programs_do_the_same_in_krl(program: str) -> None:
    assert is_the_same(translate_program(prepared(program), "krl", signals=inputs()))


@pytest.mark.parametrize("program", [p for p in SHIPPED if stem(p) not in LONG], ids=stem)
def test_shipped_programs_do_the_same_as_scenarios(program: str) -> None:
    assert is_the_same(translate_program(prepared(program), "scenario", signals=inputs()))


@pytest.mark.parametrize("program", [p for p in SHIPPED if stem(p) not in SLOW_IN_GCODE], ids=stem)
def test_shipped_programs_do_the_same_in_g_code_or_a_finding_says_so(program: str) -> None:
    done = translate_program(prepared(program), "gcode", signals=inputs())
    if stem(program) in NO_EQUAL_IN_GCODE:
        assert "translation_differs" in {finding.code for finding in done.findings}
    else:
        assert is_the_same(done)


@pytest.mark.parametrize("program", [p for p in SHIPPED if stem(p) not in LONG], ids=stem)
def test_shipped_programs_do_the_same_in_python(program: str, tmp_path: Path) -> None:
    first = prepared(program)
    record = record_program(first, inputs())
    (file,) = translate_program(prepared(program), "python", signals=inputs()).files
    (tmp_path / file.name).write_bytes(file.data)
    script: dict[str, Any] = runpy.run_path(str(tmp_path / file.name))
    cell = Cell(script["scene"], script["arm"])
    again = replace(first, instructions=script[Path(file.name).stem](), cell=cell, findings=(), start=script["start"])
    difference = deviation(record, record_program(again, inputs()), TranslationJob(first, record, "x").T_flange_tool)
    assert difference.path_mm < 0.001
    assert abs(difference.time_share) < 1e-6


ROBOT = armlab.load("kuka-kr6-r700")
BEGIN = np.radians([0.0, -90.0, 90.0, 0.0, 90.0, 0.0])
CENTER = pose.from_xyz(ROBOT.fk(BEGIN)[:3, 3])
CENTER[:3, :3] = ROBOT.fk(BEGIN)[:3, :3]


@st.composite
def programs(draw: st.DrawFn) -> list[Instruction]:
    """Lines within a box before the arm, some of them rounded, waits, outputs, and a joint move back."""
    out: list[Instruction] = [MoveJ((BEGIN,))]
    for _ in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["line", "line", "line", "wait", "output"]))
        if kind == "wait":
            out.append(Wait(draw(st.floats(0.01, 0.5))))
        elif kind == "output":
            out.append(SetOutput(str(draw(st.integers(1, 8))), draw(st.booleans())))
        else:
            frame = CENTER.copy()
            frame[:3, 3] += [draw(st.integers(-60, 60)) / 1000.0 for _axis in range(3)]
            speed = draw(st.floats(0.02, 0.4))
            blend = draw(st.sampled_from([None, Blend(radius=0.005), Blend(tolerance=0.0003)]))
            out.append(MoveL((frame,), settings=MotionSettings(tool_speed=speed, tool_acceleration=2.0, blend=blend)))
    return [*out, MoveJ((BEGIN + 0.1,), settings=MotionSettings(speed=0.5))]


@settings(max_examples=3)
@given(instructions=programs())
@pytest.mark.parametrize("language", ["krl", "scenario"])
def test_generated_programs_do_the_same(language: str, instructions: list[Instruction]) -> None:
    cell = cell_of("kuka-kr6-r700", None)
    stream = (one for one in instructions)
    given_program = PreparedProgram(ProgramSource("made", "gcode", data=b""), cell, stream, ROBOT.home)  # type: ignore[arg-type]
    assert is_the_same(translate_program(given_program, language, name="made"))


def test_a_run_on_another_path_is_seen() -> None:
    cell = cell_of("kuka-kr6-r700", None)
    frame, aside = CENTER.copy(), CENTER.copy()
    frame[0, 3] += 0.05
    aside[:3, 3] += [0.05, 0.002, 0.0]
    records = []
    for end in (frame, aside):
        stream = (one for one in (MoveJ((BEGIN,)), MoveL((end,), settings=MotionSettings(tool_speed=0.1))))
        source = ProgramSource("made", "gcode", data=b"")
        records.append(record_program(PreparedProgram(source, cell, stream, ROBOT.home)))  # type: ignore[arg-type]
    own = ROBOT.tool.T_flange_tool
    assert deviation(records[0], records[1], own).path_mm == pytest.approx(2.0, abs=0.01)
    assert deviation(records[0], records[0], own).path_mm < 1e-9
