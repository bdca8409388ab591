"""All that is shipped to be opened in the page stands still by itself, with every drive inside its limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import armlab
from armlab.catalog import load_tool, robot_names, tool_names
from armlab.catalog.scenes import scene_names
from armlab.cell.events import Notice, Overloads
from armlab.cell.project import ArmChoice, Project, ProjectArm
from armlab.cell.session import Session
from armlab.program.scenario import scenario_names
from armlab.server.builtin_content import scenario_content, scene_content
from armlab.server.paper_projects import paper_content, paper_rows

SECONDS, RATE = 5, 60
STILL = 1e-3
"""rad/s or m/s."""


def shipped() -> Iterator[tuple[str, Project]]:
    """Yield every project of the page, by what it is opened as."""
    for row in paper_rows():
        yield f"paper {row.name}", paper_content(row.name).project
    for name in scenario_names():
        yield f"scenario {name}", scenario_content(name).project
    for name in scene_names():
        found = scene_content(name)
        far = ArmChoice(name="planar2", base=(5000.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # a project has one
        yield f"scene {name}", Project(arms=found.arms or (ProjectArm(arm=far),), bodies=found.bodies)
    for name in tool_names():
        yield f"tool {name}", Project.of_arm(ArmChoice(name=carrier(name), tool=name))


def carrier(tool: str) -> str:
    """Return the smallest arm that is rated for a tool."""
    rated = [(arm.payload, arm.name) for arm in map(armlab.load, robot_names()) if arm.payload is not None]
    return min(row for row in rated if row[0] >= load_tool(tool).inertia.mass)[1]


PROJECTS = dict(shipped())


@pytest.mark.parametrize("name", PROJECTS)
def test_what_is_opened_rests_without_overload_or_contact(name: str) -> None:
    session = Session(PROJECTS[name])
    told, speed = [], 0.0
    for k in range(SECONDS * RATE):
        session.advance(1.0 / RATE)
        told += session.take_events()
        if k >= (SECONDS - 1) * RATE:
            speed = max(speed, *(float(np.abs(state.qd).max()) for state in session.world.states().values()))
    warnings = [one for event in told if isinstance(event, Overloads) for one in event.warnings]
    assert [(one.arm, one.joint, one.code) for one in warnings] == []
    assert [str(event.message) for event in told if isinstance(event, Notice)] == []
    assert speed < STILL


def test_every_kind_of_what_is_shipped_is_among_them() -> None:
    kinds = {name.split()[0] for name in PROJECTS}
    assert kinds == {"paper", "scenario", "scene", "tool"}
