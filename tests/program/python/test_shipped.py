"""The Python programs that come with armlab run on an arm without a finding, and every block is explained."""

from __future__ import annotations

import pytest
from program.console.sessions import arm

from armlab.program.check import check_program
from armlab.program.gcode.shipped import program_names, program_path
from armlab.program.languages import check_language, program_source
from armlab.program.python.instructions import instructions_of
from armlab.program.signals import InputChange, Signals

NAMES = program_names(".py")
MOST_UNEXPLAINED = 12


@pytest.mark.parametrize("name", NAMES)
def test_programs_that_come_with_armlab_have_no_findings(name: str) -> None:
    source = program_source(name)
    assert (source.language, check_language(source).findings) == ("python", ())
    signals = Signals.scripted([InputChange(0.0, "1", True), InputChange(4.0, "2", True)])
    check = check_program(arm(), instructions_of(source.python()[1], arm()), signals=signals)
    assert [str(finding.message) for finding in check.findings] == []
    assert check.motions > 3


@pytest.mark.parametrize("name", NAMES)
def test_every_block_is_explained(name: str) -> None:
    since = 0
    for line in program_path(name).read_text(encoding="utf-8").splitlines():
        since = 0 if line.lstrip().startswith("#") else since + bool(line.strip())
        assert since <= MOST_UNEXPLAINED, line
