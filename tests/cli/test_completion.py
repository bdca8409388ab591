"""What the shell is told when somebody presses Tab."""

from __future__ import annotations

import pytest

from armlab.catalog import robot_names, tool_names
from armlab.cli.main import COMMANDS, run


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("armlab ", set(COMMANDS)),
        ("armlab ex", {"export"}),
        ("armlab ik kuka-kr6", {name for name in robot_names() if name.startswith("kuka-kr6")}),
        ("armlab fk ur5e --tool ", set(tool_names())),
        ("armlab run x.nc --robot ur", {name for name in robot_names() if name.startswith("ur")}),
    ],
)
def test_the_shell_completes_commands_arms_and_tools(
    words: str, wanted: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_ARMLAB_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit, match="0"):
        run([])
    assert set(capsys.readouterr().out.split()) == wanted


def test_lists_in_help_come_from_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fk", "--help"]) == 0
    told = "".join(capsys.readouterr().out.replace("│", " ").split())
    assert ",".join(tool_names()) in told
