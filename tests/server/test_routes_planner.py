"""The tool's poses at many joint values; plans with conditions at their ends, and as arrays."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
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


FOUR = [*ROWS, [30.0, -60.0, 70.0, 20.0, 40.0, -20.0], [40.0, -80.0, 90.0, 0.0, 30.0, 0.0]]


def plan(**more: Any) -> dict[str, Any]:
    return {"kind": "joint", "points": FOUR, "scheme": "4-3-4", **more}


def test_a_plan_starts_and_ends_with_the_given_velocities_and_accelerations(asker: Asker, session: str) -> None:
    given = {
        "start_velocity": [5.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        "end_velocity": [0.0, -4.0, 0.0, 0.0, 0.0, 0.0],
        "start_acceleration": [0.0, 0.0, 9.0, 0.0, 0.0, 0.0],
        "end_acceleration": [0.0, 0.0, 0.0, 7.0, 0.0, 0.0],
    }
    question = {"plan": plan(times=[1.0, 2.0, 1.0], ends=given), "step": 0.01}
    report = ask(asker, f"/api/sessions/{session}/plan", question).json()
    assert report["duration"] == pytest.approx(4.0)
    for name, row, at in (("velocity", "qd", 0), ("velocity", "qd", -1), ("acceleration", "qdd", 0)):
        end = "start" if at == 0 else "end"
        np.testing.assert_allclose(report[row][at], given[f"{end}_{name}"], atol=1e-6)
    np.testing.assert_allclose(report["qdd"][-1], given["end_acceleration"], atol=1e-6)


@pytest.mark.parametrize("seconds", [3.0, 9.0])
def test_a_plan_takes_the_whole_time_that_it_is_given(asker: Asker, session: str, seconds: float) -> None:
    frames = [[400, -100, 400, 180, 0, 180], [400, 100, 400, 180, 0, 180]]
    for made in (plan(duration=seconds), {"kind": "tool", "frames": frames, "duration": seconds}):
        answer = ask(asker, f"/api/sessions/{session}/plan", {"plan": made})
        assert answer.status_code == 200, answer.text
        assert answer.json()["duration"] == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"duration": 3.0, "times": [1, 1, 1]}, "invalid_request"),
        ({"ends": {"start_velocity": [1.0]}}, "joint_count"),
        ({"ends": {"start_velocity": [1.0] * 6}, "scheme": "smooth"}, "end_rate_not_taken"),
    ],
)
def test_ends_that_a_plan_cannot_have_are_refused(asker: Asker, session: str, more: Any, code: str) -> None:
    answer = ask(asker, f"/api/sessions/{session}/plan", {"plan": plan(**more)})
    assert answer.status_code == 422
    assert answer.json()["code"] == code


def test_a_plan_is_the_same_array_in_every_file(asker: Asker, session: str) -> None:
    question = {"plan": plan(times=[1.0, 2.0, 1.0]), "step": 0.25}
    files = {
        kind: ask(asker, f"/api/sessions/{session}/plan-table.{kind}", question) for kind in ("csv", "json", "npy")
    }
    told = json.loads(files["json"].content)
    rows = np.array(told["rows"])
    assert told["columns"][:3] == ["time_s", "q_A1_deg", "q_A2_deg"]
    assert told["columns"][-6:-3] == ["tool_x_mm", "tool_y_mm", "tool_z_mm"]
    np.testing.assert_array_equal(rows[:, 0], np.arange(17) * 0.25)
    np.testing.assert_array_equal(np.load(io.BytesIO(files["npy"].content)), rows)
    head, *lines = files["csv"].content.decode().splitlines()
    assert head.split(",") == told["columns"]
    np.testing.assert_array_equal([[float(cell) for cell in line.split(",")] for line in lines], rows)
    report = ask(asker, f"/api/sessions/{session}/plan", question).json()
    np.testing.assert_allclose(rows[:, 1:7], report["q"], atol=1e-8)
    poses = ask(asker, f"/api/sessions/{session}/tool_poses", {"q": report["q"]}).json()["poses"]
    np.testing.assert_allclose(rows[:, -6:-3], np.array(poses)[:, :3], atol=1e-5)
