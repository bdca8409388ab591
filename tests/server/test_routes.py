from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from server.asking import Asker

import armlab
from armlab import catalog
from armlab.reports.kinematics import FkReport
from armlab.reports.robots import RobotRow, RobotSheet, robot_sheet
from armlab.units import joint_scale

NAME = catalog.robot_names()[0]


def test_the_version_is_the_packages(server: Asker) -> None:
    assert server.get("/api/version").json() == {"version": armlab.__version__}


def test_the_list_has_one_row_per_arm_of_the_catalog(server: Asker) -> None:
    rows = server.get("/api/robots").json()
    assert [row["name"] for row in rows] == list(catalog.robot_names())
    assert all(RobotRow.model_validate(row).reach > 0 for row in rows)


@pytest.mark.parametrize("name", catalog.robot_names())
def test_every_arm_has_a_sheet_that_says_what_the_library_says(server: Asker, name: str) -> None:
    answer = server.get(f"/api/robots/{name}")
    assert RobotSheet.model_validate_json(answer.content) == robot_sheet(catalog.load(name))


def test_without_joint_values_the_arm_is_at_home(server: Asker) -> None:
    robot = catalog.load(NAME)
    answer = FkReport.model_validate_json(server.get(f"/api/robots/{NAME}/fk").content)
    np.testing.assert_allclose(np.array(answer.xyz) / 1000, robot.fk(robot.home)[:3, 3], atol=1e-9)


def test_joint_values_are_degrees_and_millimetres(server: Asker) -> None:
    robot = catalog.load(NAME)
    typed = [10.0, *(0.0 for _ in robot.joints[1:])]
    text = ",".join(str(value) for value in typed)
    answer = FkReport.model_validate_json(server.get(f"/api/robots/{NAME}/fk?q={text}").content)
    q = np.array([value * joint_scale(joint.kind) for value, joint in zip(typed, robot.joints, strict=True)])
    np.testing.assert_allclose(np.array(answer.xyz) / 1000, robot.fk(q)[:3, 3], atol=1e-9)
    assert answer.frames is not None
    assert [frame.name for frame in answer.frames] == list(robot.frame_names)


def test_the_model_has_a_node_for_every_frame_with_a_shape(server: Asker) -> None:
    answer = server.get(f"/api/robots/{NAME}/model.glb")
    assert answer.headers["content-type"] == "model/gltf-binary"
    assert answer.content[:4] == b"glTF"
    (length,) = struct.unpack("<I", answer.content[12:16])
    nodes = {node.get("name") for node in json.loads(answer.content[20 : 20 + length])["nodes"]}
    robot = catalog.load(NAME)
    assert {link.name for link in robot.links if link.shapes} <= nodes


def test_a_model_that_the_browser_has_is_not_sent_again(server: Asker) -> None:
    first = server.get(f"/api/robots/{NAME}/model.glb")
    tag = first.headers["etag"]
    again = server.get(f"/api/robots/{NAME}/model.glb", if_none_match=f'"other", {tag}')
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    changed = server.get(f"/api/robots/{NAME}/model.glb", if_none_match='"other"')
    assert changed.content == first.content


def test_the_interface_describes_itself(server: Asker) -> None:
    paths = server.get("/api/openapi.json").json()["paths"]
    assert {"/api/version", "/api/robots/{name}/fk", "/api/sessions", "/api/sessions/{session}/ik"} <= set(paths)
    assert all(path.startswith("/api/") for path in paths)


def test_no_page_of_the_framework_is_served(server: Asker) -> None:
    assert [server.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]
