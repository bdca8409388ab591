"""Shipped programs on arms with fewer than six axes: they run, and say what they leave out."""

from __future__ import annotations

import pytest

from armlab.program.check import ProgramCheck, check_program
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.languages import program_source
from armlab.program.prepare import PartPlace, RunOptions, cell_of, prepare

SHIPPED = sorted(path.stem for path in PROGRAMS.glob("*.ngc"))
UPRIGHT_ARCS = {"arcs"}
"""Programs that an arm in a plane cannot do as a whole."""


def checked(program: str, robot: str) -> tuple[ProgramCheck, list[str]]:
    cell = cell_of(robot, None)
    prepared = prepare(program_source(program), cell, PartPlace(), RunOptions(stops_at_errors=False))
    check = check_program(cell.robot, prepared.instructions, scene=cell.scene, start=prepared.start)
    return check, [finding.code for finding in (*prepared.findings, *check.findings)]


@pytest.mark.parametrize("program", SHIPPED)
def test_an_arm_with_five_axes_draws_and_leans_where_it_must(program: str) -> None:
    check, codes = checked(program, "braccio")
    assert check.is_good, [str(finding.message) for finding in check.findings]
    assert "tool_cannot_stay_upright" in codes
    assert check.motions > 5


@pytest.mark.parametrize("program", SHIPPED)
@pytest.mark.parametrize("robot", ["scara", "epson-ls3"])
def test_a_scara_runs_all_of_them(program: str, robot: str) -> None:
    check, codes = checked(program, robot)
    assert check.is_good
    assert "placed_by_default" in codes


@pytest.mark.parametrize("program", SHIPPED)
def test_an_arm_in_a_plane_leaves_heights_out_and_says_what_it_cannot_do(program: str) -> None:
    check, codes = checked(program, "planar2")
    assert "gcode_flat" in codes
    errors = {finding.code for finding in check.findings if finding.severity == "error"}
    assert errors == ({"gcode_flat_arc"} if program in UPRIGHT_ARCS else set())
