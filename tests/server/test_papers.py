"""Every experiment of the menu "Papers" is a project that a session takes, and that can be played."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.cell.arm import build_arm
from armlab.cell.session import Session
from armlab.errors import UnknownName
from armlab.messages import reader
from armlab.server.paper_projects import EXPERIMENTS, paper_content, paper_rows
from armlab.units import joint_scale

NAMES = [one.name for one in EXPERIMENTS]


@pytest.mark.parametrize("name", NAMES)
def test_a_session_takes_the_project(name: str) -> None:
    content = paper_content(name)
    arm = content.project.arms[0]
    assert Session(content.project).scene.robot(arm.name).robot.name == arm.arm.name


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


@pytest.mark.parametrize("name", NAMES)
def test_what_is_played_is_in_the_project(name: str) -> None:
    content = paper_content(name)
    made = content.project.arms[0].model_dump()[content.plays]
    assert made is not None
    if content.plays == "poses":
        robot = build_arm(content.project.arms[0].arm)
        scale = np.array([joint_scale(joint.kind) for joint in robot.joints])
        q = np.array([pose.q for pose in content.project.arms[0].poses]) * scale
        assert len(q) > 1
        assert ((q >= robot.lower - 1e-9) & (q <= robot.upper + 1e-9)).all()
