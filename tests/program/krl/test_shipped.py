"""The programs that come with armlab are right, and say so."""

from __future__ import annotations

import re

import numpy as np
import pytest
from program.krl.drive import ARM, drive

import armlab
from armlab.geometry import pose
from armlab.model.parts import Tool
from armlab.program.executor import Executor, Piece
from armlab.program.gcode.shipped import program_names, program_path
from armlab.program.krl.instructions import instructions_of
from armlab.program.krl.library import open_library
from armlab.program.signals import InputChange

INPUTS: dict[str, bool | float] = {"1": True, "2": True}
NAMES = program_names(".src")
MOST_UNEXPLAINED = 14
"""Lines of a block, without one that explains it."""


@pytest.mark.parametrize("name", NAMES)
def test_programs_that_come_with_armlab_have_no_findings(name: str) -> None:
    done = drive(open_library(program_path(name)), inputs=INPUTS, script=(InputChange(2.5, "3", True),))
    assert [str(finding.message) for finding in done.findings] == []
    assert len(done.moves) > 3


@pytest.mark.parametrize("name", NAMES)
def test_every_block_is_explained(name: str) -> None:
    since = 0
    for line in program_path(name).read_text(encoding="utf-8").splitlines():
        is_comment = re.match(r"\s*;(?!FOLD|ENDFOLD)", line) is not None or line.startswith("&COMMENT")
        since = 0 if is_comment else since + bool(line.strip())
        assert since <= MOST_UNEXPLAINED, line


def test_the_search_ends_where_its_interrupt_came() -> None:
    seen = drive(open_library(program_path("touch")), script=(InputChange(2.5, "3", True),))
    unseen = drive(open_library(program_path("touch")))
    assert len(seen.moves) == len(unseen.moves)
    assert seen.signals.time < unseen.signals.time
    assert [name for name, _value in seen.outputs] == ["analog 1"]
    assert unseen.outputs == []


def test_the_torch_burns_from_50_ms_after_the_start_of_the_seam_to_5_mm_before_its_end() -> None:
    robot = armlab.load(ARM)
    executor = Executor(robot, instructions_of(open_library(program_path("weld")), robot), start=np.array(robot.home))
    (seam,) = [item for item in executor if isinstance(item, Piece) and item.events]
    on, off = seam.events
    assert on.time == pytest.approx(seam.start + 0.05)
    tool = robot.with_tool(Tool("torch", "none", pose.from_mm_deg([60, 0, 150, 0, 45, 0])))
    end, there = tool.fk(seam.trajectory.end), tool.fk(seam.trajectory.at(off.time - seam.start).q)
    assert np.linalg.norm((end - there)[:3, 3]) == pytest.approx(0.005, abs=2e-4)
