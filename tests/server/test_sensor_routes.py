"""Sensors over HTTP: before one has read anything, after it went with its arm, and on a body."""

from __future__ import annotations

import json

from coupled_arms import coupled_arm
from server.asking import Asker

from armlab.catalog.write import robot_toml

SENSOR: dict[str, object] = {"id": "s1", "link": "gripper", "preset": "mpu-6050", "pose": [0.0] * 6}


def braccio_with_a_sensor(server: Asker) -> str:
    return with_a_sensor(server, {"name": "braccio"}, SENSOR)


def with_a_sensor(server: Asker, arm: dict[str, str], sensor: dict[str, object], *bodies: dict[str, object]) -> str:
    project = {"schema": 1, "arm": arm, "bodies": bodies, "sensors": [sensor]}
    headers = {"Content-Type": "application/json", "Origin": "http://localhost:8090"}
    answer = server.send("POST", "/api/sessions", headers=headers, content=json.dumps({"project": project}).encode())
    return f"/api/sessions/{answer.json()['session']}/sensors"


def test_a_new_sensor_tells_which_joints_it_can_see(server: Asker) -> None:
    report = server.get(f"{braccio_with_a_sensor(server)}/s1/drift").json()
    assert report["joints"][0]["joint"] == "base"
    assert report["joints"][0]["at_rest"] == 0.0  # turns about the vertical
    assert max(joint["at_rest"] for joint in report["joints"]) > 0.5


def test_the_drift_of_a_sensor_that_is_gone_is_empty_and_its_file_is_refused(server: Asker) -> None:
    sensors = braccio_with_a_sensor(server)
    gone = server.get(f"{sensors}/s2/drift")
    assert (gone.status_code, gone.json()) == (200, {"t": [], "filters": [], "joints": []})
    refused = server.get(f"{sensors}/s2/record.csv")
    assert (refused.status_code, refused.json()["code"]) == (422, "sensor_gone")


def test_a_sensor_on_an_arm_with_coupled_joints_says_nothing_of_them(server: Asker) -> None:
    arm = {"name": "palletiser", "file": robot_toml(coupled_arm("palletiser"))}
    sensors = with_a_sensor(server, arm, {**SENSOR, "link": "wrist"})
    assert server.get(f"{sensors}/s1/drift").json()["joints"] == []


def test_a_sensor_on_a_body_tells_nothing_of_the_arm(server: Asker) -> None:
    cube = {"name": "cube", "kind": "box", "size": [40, 40, 40], "xyz": [0, 600, 2000], "mass": 0.5}
    sensors = with_a_sensor(server, {"name": "braccio"}, SENSOR | {"on": "body", "link": "cube"}, cube)
    drift = server.get(f"{sensors}/s1/drift")
    assert (drift.status_code, drift.json()["joints"]) == (200, [])


def test_a_sensor_of_another_kind_has_no_drift_and_nothing_to_download_before_it_has_read(server: Asker) -> None:
    sensors = with_a_sensor(server, {"name": "braccio"}, SENSOR | {"kind": "encoders"})
    assert server.get(f"{sensors}/s1/drift").json()["filters"] == []
    refused = server.get(f"{sensors}/s1/record.csv")
    assert (refused.status_code, refused.json()["code"]) == (422, "nothing_recorded")
