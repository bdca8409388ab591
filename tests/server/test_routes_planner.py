"""The tool's poses at many joint values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from server.asking import Asker

from armlab import catalog
from armlab.reports.kinematics import fk_report
from armlab.server.app import create_app
from armlab.units import joint_scale

ARM = "kuka-kr6-r700"
ROWS = [[0.0, -90.0, 90.0, 0.0, 0.0, 0.0], [20.0, -70.0, 80.0, 10.0, 30.0, -40.0]]


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker(create_app())


@pytest.fixture(scope="module")
def session(asker: Asker) -> str:
    answer = ask(asker, "/api/sessions", {"project": {"schema": 1, "arm": {"name": ARM}}})
    return str(answer.json()["session"])


def ask(asker: Asker, path: str, body: Any) -> Any:
    headers = {"Content-Type": "application/json", "Origin": "http://localhost:8090"}
    return asker.send("POST", path, headers=headers, content=json.dumps(body).encode())


def test_the_tool_is_where_forward_kinematics_says(asker: Asker, session: str) -> None:
    robot = catalog.load(ARM)
    poses = ask(asker, f"/api/sessions/{session}/tool_poses", {"q": ROWS}).json()["poses"]
    scales = [joint_scale(joint.kind) for joint in robot.joints]
    for row, pose in zip(ROWS, poses, strict=True):
        report = fk_report(robot, robot.home * 0 + [v * s for v, s in zip(row, scales, strict=True)])
        assert pose == pytest.approx([*report.xyz, *report.abc], abs=1e-5)


@pytest.mark.parametrize("rows", [[], [[0.0, 1.0]], [["x"] * 6], [ROWS[0]] * 2001])
def test_rows_that_are_none_are_refused(asker: Asker, session: str, rows: Any) -> None:
    answer = ask(asker, f"/api/sessions/{session}/tool_poses", {"q": rows})
    assert answer.status_code == 422
    assert answer.json()["message"]


def test_poses_beyond_what_a_file_may_hold_are_told_all_the_same(asker: Asker) -> None:
    body = {"project": {"schema": 1, "arm": {"name": "scara"}}}
    made = ask(asker, "/api/sessions", body).json()["session"]
    answer = ask(asker, f"/api/sessions/{made}/tool_poses", {"q": [[0.0, 0.0, -1e6, 0.0]]})
    assert answer.status_code == 200
    assert abs(answer.json()["poses"][0][2]) > 9e5
