"""What is asked over HTTP about the arm of a session."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from server.visiting import TestClient

from armlab import catalog
from armlab.catalog.scenes import scene_names
from armlab.cell.project import Project
from armlab.cell.wire import SUBPROTOCOL
from armlab.geometry import pose
from armlab.program.scenario import scenario_names
from armlab.recording import read_recording
from armlab.server.access import COOKIE, Access
from armlab.server.app import create_app

KUKA = "kuka-kr6-r700"
REACHED, FAR = [450.0, 50.0, 500.0, 0.0, 120.0, 0.0], [4500.0, 50.0, 500.0, 0.0, 120.0, 0.0]
CUBE = {"name": "cube", "kind": "box", "size": [60.0, 60.0, 60.0], "mass": 0.4, "xyz": [500.0, 0.0, 30.0]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    page: Path = tmp_path_factory.mktemp("page")
    with TestClient(create_app(page=page, access=Access("key")), base_url="http://localhost") as made:
        made.cookies.set(COOKIE, "key")
        yield made


@pytest.fixture(scope="module")
def session(client: TestClient) -> str:
    """Return the address of a session with a KUKA and a cube."""
    wish = {"project": {"schema": 1, "arm": {"name": KUKA}, "bodies": [CUBE]}}
    return f"/api/sessions/{client.post('/api/sessions', json=wish).json()['session']}"


def nodes_of(glb: bytes) -> set[str]:
    (length,) = struct.unpack("<I", glb[12:16])
    return {node["name"] for node in json.loads(glb[20 : 20 + length])["nodes"]}


def test_without_a_project_a_session_has_an_arm(client: TestClient) -> None:
    answer = client.post("/api/sessions").json()
    address = f"/api/sessions/{answer['session']}"
    assert client.get(f"{address}/sheet").json()["name"] in catalog.robot_names()
    assert client.delete(address).status_code == 204
    assert client.get(f"{address}/sheet").status_code == 404


@pytest.mark.parametrize(
    "body", [{"project": {}}, {"project": {"arm": {"name": "no"}}}, {"projekt": 1}, [], {"project": {"arm": 1}}]
)
def test_a_project_that_cannot_be_opened_is_refused_with_the_reason(client: TestClient, body: Any) -> None:
    answer = client.post("/api/sessions", json=body)
    assert answer.status_code in {404, 422}
    assert answer.json()["message"]


def test_shapes_have_a_node_for_each_link_and_each_body(client: TestClient, session: str) -> None:
    robot = catalog.load(KUKA)
    model = client.get(f"{session}/model.glb")
    assert {link.name for link in robot.links} <= nodes_of(model.content)
    assert "cube" in nodes_of(client.get(f"{session}/bodies.glb").content)
    again = client.get(f"{session}/model.glb", headers={"if-none-match": model.headers["etag"]})
    assert again.status_code == 304


def test_all_solutions_put_the_tool_there(client: TestClient, session: str) -> None:
    answer = client.post(f"{session}/ik", json={"pose": REACHED}).json()
    assert answer["why"] is None
    solutions = answer["ik"]["solutions"]
    assert len({s["branch"] for s in solutions}) > 1
    for solution in solutions:
        q = ",".join(map(str, solution["q"]))
        np.testing.assert_allclose(client.get(f"{session}/fk?q={q}").json()["xyz"], REACHED[:3], atol=1e-3)


def test_where_there_is_no_solution_the_answer_says_why(client: TestClient, session: str) -> None:
    answer = client.post(f"{session}/ik", json={"pose": FAR}).json()
    assert not answer["ik"]["converged"]
    assert answer["why"]["code"] == "out_of_reach"
    assert client.post(f"{session}/why", json={"pose": FAR}).json() == answer["why"]


def test_levenberg_and_marquardt_step_by_step(client: TestClient, session: str) -> None:
    start = [0.0, -90.0, 90.0, 0.0, 30.0, 0.0]
    answer = client.post(f"{session}/lm", json={"pose": REACHED, "start": start}).json()
    assert answer["converged"]
    assert answer["steps"][0]["q"] == start
    accepted = [step["error"] for step in answer["steps"] if step["accepted"]]
    assert accepted == sorted(accepted, reverse=True)
    assert answer["position_error"] < 0.01
    few = client.post(f"{session}/lm", json={"pose": FAR, "start": start, "steps": 3}).json()
    assert (few["stop"], len(few["steps"])) == ("steps", 3)
    here = client.post(f"{session}/lm", json={"pose": REACHED}).json()
    assert here["steps"]


def test_a_plan_is_told_without_being_played(client: TestClient, session: str) -> None:
    points = [[0.0, -90.0, 90.0, 0.0, 30.0, 0.0], [20.0, -80.0, 90.0, 0.0, 30.0, 0.0]]
    plan = {"kind": "joint", "points": points, "scheme": "jerk", "speed": 50}
    answer = client.post(f"{session}/plan", json={"plan": plan, "step": 0.01}).json()
    assert (answer["q"][0], answer["q"][-1]) == (points[0], points[1])
    assert all(peak["velocity_share"] <= 1.0 + 1e-6 for peak in answer["peaks"])
    assert not [f for f in answer["findings"] if f["level"] == "error"]


BAD: list[tuple[str, Any]] = [
    ("ik", {}),
    ("ik", {"pose": [1, 2]}),
    ("ik", {"pose": [1e9, 0, 0, 0, 0, 0]}),
    ("ik", {"pose": ["x"] * 6}),
    ("ik", {"pose": REACHED, "task": "dance"}),
    ("lm", {"pose": REACHED, "start": [1.0]}),
    ("lm", {"pose": REACHED, "damping": -1.0}),
    ("lm", {"pose": REACHED, "steps": 10**9}),
    ("plan", {"plan": {"kind": "joint", "points": [[0.0]]}}),
    ("plan", {"plan": {"kind": "joint", "points": [[0.0], [1.0]]}}),
    ("plan", {"plan": {"kind": "magic"}}),
]


@pytest.mark.parametrize(("what", "body"), BAD)
def test_bad_questions_are_answered_with_a_sentence(client: TestClient, session: str, what: str, body: Any) -> None:
    answer = client.post(f"{session}/{what}", json=body)
    assert answer.status_code == 422
    assert answer.json()["message"]


@pytest.mark.parametrize("q", ["", "a", "1,2", "nan,0,0,0,0,0", "1e999,0,0,0,0,0"])
def test_joint_values_of_a_query_are_checked(client: TestClient, session: str, q: str) -> None:
    assert client.get(f"{session}/fk?q={q}").status_code == 422
    assert client.get(f"{session}/derivation/numbers?q={q}").status_code == 422


# -- the project as a file ---------------------------------------------------------------------------------------------


def test_a_project_is_saved_and_opened_again(client: TestClient) -> None:
    address = f"/api/sessions/{client.post('/api/sessions').json()['session']}"
    made = {"schema": 1, "title": "Über uns", "arm": {"name": "ur5e"}, "bodies": [CUBE]}
    assert client.put(f"{address}/project", content=json.dumps(made)).json()["revision"] == 2
    saved = client.get(f"{address}/project")
    assert 'filename="ber-uns.armlab.json"' in saved.headers["content-disposition"]
    project = Project.model_validate_json(saved.content)
    assert project.without_positions() == Project.model_validate(made)
    assert project.positions is not None
    assert list(project.positions.bodies) == [CUBE["name"]]
    assert client.put(f"{address}/project", content=saved.content).status_code == 200
    assert client.get(f"{address}/sheet").json()["name"] == "ur5e"
    client.delete(address)


BROKEN = [b"", b"hello", b"\x00\xff\xfe", b"{", b"[]", b"{}", b'{"schema": 2, "arm": {"name": "ur5e"}}',
          b'{"arm": {"name": "ur5e", "base": [1]}}', b'{"arm": {"name": "ur5e"}, "poses": [{"id": "A"}]}',
          b'{"arm": {"name": "../../etc/passwd"}}', b"[" * 100_000, b'{"arm": {"name": "no-arm"}}']  # fmt: skip


@pytest.mark.parametrize("content", BROKEN, ids=lambda content: repr(content[:30]))
def test_a_broken_file_is_a_sentence_and_the_session_keeps_what_it_has(
    client: TestClient, session: str, content: bytes
) -> None:
    before = client.get(f"{session}/project").content
    answer = client.put(f"{session}/project", content=content)
    assert answer.status_code in {404, 422}
    assert answer.json()["message"].startswith(("not an armlab project: ", "no robot named"))
    assert client.get(f"{session}/project").content == before


# -- mathematics -------------------------------------------------------------------------------------------------------


def test_the_derivation_is_typeset_and_its_symbols_know_their_links(client: TestClient, session: str) -> None:
    page = client.get(f"{session}/derivation").json()
    sections = {section["id"]: section for section in page["sections"]}
    assert {"joints", "table", "matrices", "products", "tool", "jacobian", "singular", "inverse"} <= set(sections)
    second = next(item for item in sections["matrices"]["items"] if item["live"] == "links.1")
    assert second["links"] == ["link_2"]
    assert r"\htmlData{link=2}{\theta_{2}}" in second["latex"][0]
    balance = [line.count("{") - line.count("}") for s in page["sections"] for i in s["items"] for line in i["latex"]]
    assert set(balance) == {0}


def test_the_numbers_of_the_formulas_are_those_of_the_arm(client: TestClient, session: str) -> None:
    robot = catalog.load(KUKA)
    typed = [10.0, -80.0, 70.0, 20.0, 30.0, -40.0]
    numbers = client.get(f"{session}/derivation/numbers?q={','.join(map(str, typed))}").json()
    T = robot.fk(np.radians(typed))
    T[:3, 3] *= 1000.0
    np.testing.assert_allclose(numbers["tool"], T, atol=1e-6)
    J = robot.jacobian(np.radians(typed))
    J[:3] *= 1000.0
    np.testing.assert_allclose(numbers["jacobian"], J, atol=1e-6)
    live = {item["live"] for s in client.get(f"{session}/derivation").json()["sections"] for item in s["items"]}
    assert {f"singular.{i}" for i in range(len(numbers["singular"]))} <= live
    assert {"tool", "jacobian", "determinant", "products.6"} <= live


def test_the_derivation_of_a_small_arm_is_a_document(client: TestClient) -> None:
    wish = {"project": {"schema": 1, "arm": {"name": "planar2"}}}
    address = f"/api/sessions/{client.post('/api/sessions', json=wish).json()['session']}"
    page = client.get(f"{address}/derivation/report.html")
    assert page.headers["content-disposition"] == 'attachment; filename="planar2.html"'
    assert page.text.startswith("<!DOCTYPE html>")
    packed = zipfile.ZipFile(io.BytesIO(client.get(f"{address}/derivation/report.md").content))
    assert "planar2.md" in packed.namelist()
    assert client.get(f"{address}/derivation/report.doc").status_code == 422
    client.delete(address)


# -- recordings --------------------------------------------------------------------------------------------------------


def test_what_happened_is_given_away_as_a_file(client: TestClient, session: str, tmp_path: Path) -> None:
    assert client.get(f"{session}/recording.csv").json()["message"] == "nothing has been recorded yet"
    live, local = f"/api/live?session={session.rpartition('/')[2]}", {"host": "localhost"}
    with client.websocket_connect(live, subprotocols=[SUBPROTOCOL], headers=local) as socket:
        states = 0
        while states < 30:
            states += "bytes" in socket.receive()
    table = client.get(f"{session}/recording.csv").text.splitlines()
    assert table[0].startswith("time_s,q_A1_deg,")
    for column in (
        "qdd_A1_deg_s2",
        "command_q_A6_deg",
        "command_qd_A6_deg_s",
        "command_qdd_A6_deg_s2",
        "command_tau_A6_Nm",
        "joint_gap_mm",
        "kinetic_energy_J",
        "tool_c_deg",
    ):
        assert column in table[0].split(",")
    assert {line.count(",") for line in table} == {6 * 8 + 9}
    assert len(table) > 20
    path = tmp_path / "run.mcap"
    path.write_bytes(client.get(f"{session}/recording.mcap").content)
    recording = read_recording(path)
    assert len(recording.t) == pytest.approx(len(table), abs=10)
    assert client.get(f"{session}/recording.parquet").content[:4] == b"PAR1"
    assert client.get(f"{session}/recording.exe").status_code == 422


# -- what the catalog offers -------------------------------------------------------------------------------------------


def test_every_scene_can_be_put_into_a_project(client: TestClient) -> None:
    assert [row["name"] for row in client.get("/api/scenes").json()] == list(scene_names())
    for name in scene_names():
        content = client.get(f"/api/scenes/{name}").json()
        Project.model_validate({"arms": content["arms"] or [{"arm": {"name": KUKA}}], "bodies": content["bodies"]})
        assert content["bodies"]
        assert all(body["file"] is None for body in content["bodies"])
    assert client.get("/api/scenes/none").status_code == 404
    assert client.get("/api/scenes/..%2f..%2fetc").status_code == 404


def test_every_scenario_comes_with_a_project_that_opens(client: TestClient) -> None:
    assert [row["name"] for row in client.get("/api/scenarios").json()] == list(scenario_names())
    for name in scenario_names():
        content = client.get(f"/api/scenarios/{name}").json()
        assert content["project"]["arms"][0]["scenario"] == content["scenario"]
        answer = client.post("/api/sessions", json={"project": content["project"]})
        assert answer.status_code == 200, answer.text
        client.delete(f"/api/sessions/{answer.json()['session']}")
    assert client.get("/api/scenarios/none").status_code == 404


def test_tools_are_listed(client: TestClient) -> None:
    assert "none" in client.get("/api/tools").json()


@pytest.mark.parametrize("name", ["ur5e", "planar2", "scara"])
def test_every_arm_has_a_small_picture_of_itself(client: TestClient, name: str) -> None:
    answer = client.get(f"/api/robots/{name}/picture.png")
    picture = Image.open(io.BytesIO(answer.content))
    assert (picture.size, picture.mode) == ((320, 240), "RGBA")
    opacity = np.asarray(picture)[..., 3]
    assert opacity[:3].max() == opacity[-3:].max() == 0
    assert 0.02 < (opacity > 0).mean() < 0.6
    again = client.get(f"/api/robots/{name}/picture.png", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_the_mounted_tool_has_its_own_point_and_that_of_the_project(client: TestClient) -> None:
    arm = {"name": KUKA, "tool": "gripper", "tcp": [0, 0, 180, 0, 0, 0], "payload": {"mass": 1.5, "com": [0, 0, 20]}}
    session = client.post("/api/sessions", json={"project": {"schema": 1, "arm": arm}}).json()["session"]
    report = client.get(f"/api/sessions/{session}/tool").json()
    assert report["tcp"] == [0, 0, 180, 0, 0, 0]
    assert report["own_tcp"] == [0, 0, 150, 0, 0, 0]
    assert report["payload"]["com"] == [0, 0, 20]
    assert report["carried"] == pytest.approx(catalog.load_tool("gripper").inertia.mass + 1.5)


@pytest.mark.parametrize("part", [{"tcp": [0, 0, 1e9, 0, 0, 0]}, {"payload": {"mass": -1}}])
def test_a_session_with_an_impossible_tool_is_refused(client: TestClient, part: dict[str, Any]) -> None:
    answer = client.post("/api/sessions", json={"project": {"schema": 1, "arm": {"name": KUKA, **part}}})
    assert answer.status_code == 422
    assert next(iter(part)) in answer.json()["message"]


def test_a_frame_by_three_points_has_its_x_through_the_second_and_its_plane_through_the_third(
    client: TestClient, session: str
) -> None:
    points = {"origin": [100, 200, 300], "on_x": [100, 260, 300], "in_plane": [40, 250, 300]}
    answer = client.post(f"{session}/frame-by-points", json=points)
    T = pose.from_mm_deg(answer.json()["pose"])
    np.testing.assert_allclose(T[:3, 3], [0.1, 0.2, 0.3], atol=1e-9)
    np.testing.assert_allclose(T[:3, 0], [0, 1, 0], atol=1e-9)
    np.testing.assert_allclose(T[:3, 1], [-1, 0, 0], atol=1e-9)


def test_three_points_on_a_line_make_no_frame(client: TestClient, session: str) -> None:
    points = {"origin": [0, 0, 0], "on_x": [100, 0, 0], "in_plane": [200, 0, 0]}
    answer = client.post(f"{session}/frame-by-points", json=points)
    assert answer.status_code == 422
    assert "point 3" in answer.json()["message"]


def test_solutions_past_the_limits_come_with_their_joints_and_kuka_s_bits(client: TestClient, session: str) -> None:
    answer = client.post(f"{session}/ik", json={"pose": REACHED}).json()
    assert len(answer["kuka"]) == len(answer["ik"]["solutions"])
    assert all(0 <= both["status"] < 8 and 0 <= both["turn"] < 64 for both in answer["kuka"])
    robot = catalog.load(KUKA)
    assert answer["outside"]
    for solution in answer["outside"]:
        for past in solution["past"]:
            joint = next(joint for joint in robot.joints if joint.name == past["joint"])
            assert [past["lower"], past["upper"]] == pytest.approx(np.degrees([joint.lower, joint.upper]).tolist())
            assert not past["lower"] <= past["value"] <= past["upper"]
            assert past["value"] == solution["q"][robot.joints.index(joint)]


def test_the_nearest_singularity_is_looked_for_only_where_asked_for(client: TestClient, session: str) -> None:
    plain = client.get(f"{session}/singularity?q=0,-90,90,0,10,0").json()
    assert plain["nearest"] is None
    assert plain["kuka"] == {"status": 2, "turn": 2}
    found = client.get(f"{session}/singularity?q=0,-90,90,0,10,0&nearest=true").json()
    assert found["nearest"]["kind"] == "wrist"
    assert client.get(f"{session}/singularity?q=0,-90").status_code == 422


def test_a_pose_is_attached_to_an_object_and_resolved_for_where_it_stands(client: TestClient) -> None:
    def address(cube: dict[str, Any], **more: Any) -> str:
        project = {"schema": 1, "arm": {"name": KUKA}, "bodies": [cube], **more}
        return f"/api/sessions/{client.post('/api/sessions', json={'project': project}).json()['session']}"

    still = CUBE | {"mass": None}  # a loose one falls while questions are answered
    session, q = address(still), [0, -90, 90, 0, 30, 0]
    on = client.get(f"{session}/tool-on-object?body=cube&q={','.join(map(str, q))}").json()["pose"]
    saved = {"id": "p1", "name": "above", "q": q, "on": {"body": "cube", "pose": on}}
    other = address(still | {"xyz": [470.0, 40.0, 60.0]}, poses=[saved])
    found = client.get(f"{other}/poses/p1").json()["q"]
    again = client.get(f"{other}/tool-on-object?body=cube&q={','.join(map(str, found))}").json()["pose"]
    np.testing.assert_allclose(again[:3], on[:3], atol=0.01)
    assert client.get(f"{other}/poses/p2").status_code == 422
    assert client.get(f"{session}/tool-on-object?body=other").status_code == 422
