"""Every experiment of the menu "Papers" is a project that a session takes, and that can be played."""

from __future__ import annotations

import pytest

from armlab.errors import UnknownName
from armlab.messages import reader
from armlab.runtime.setup import build_setup
from armlab.server.paper_projects import EXPERIMENTS, paper_content, paper_rows

NAMES = [one.name for one in EXPERIMENTS]


@pytest.mark.parametrize("name", NAMES)
def test_a_session_takes_the_project(name: str) -> None:
    content = paper_content(name)
    made = build_setup(content.project)
    assert made.robot.name == content.project.arm.name


def test_every_paper_is_there_and_every_row_leads_to_a_project() -> None:
    rows = paper_rows()
    assert [row.paper for row in rows] == sorted(row.paper for row in rows)
    assert {row.paper for row in rows} == {"S1", "S2", "S3", "S4", "S5"}
    assert len({row.name for row in rows}) == len(rows)
    with pytest.raises(UnknownName):
        paper_content("s9")


def test_titles_are_in_the_readers_language() -> None:
    token = reader.set("uk")
    try:
        assert paper_content("s2-windscreen").project.title != "S2: mounting a windscreen"
    finally:
        reader.reset(token)
    assert paper_content("s2-windscreen").project.title == "S2: mounting a windscreen"
