"""A project as one file: JSON alone, or a zip with its arms; those of 0.1 open; broken ones change nothing."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from server.asking import Asker

from armlab.assets import AssetStore, asset_store, references_in
from armlab.cell.arm import build_arm, own_arm
from armlab.cell.project import ArmChoice

OLD = Path(__file__).parent / "projects"
ARMS = 6
JSON = {"content-type": "application/json"}
URDF = """<robot name="brought-{k}">
  <link name="base"><visual><geometry><mesh filename="ball.stl"/></geometry></visual></link>
  <link name="arm"><visual><geometry><mesh filename="ball.stl"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="1" effort="50"/></joint>
</robot>"""


def import_arm(server: Asker, k: int, subdivisions: int = 4) -> dict[str, Any]:
    """Bring an arm whose two links look like balls of many triangles; return the server's answer."""
    ball = trimesh.creation.icosphere(subdivisions, radius=0.1)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("arm.urdf", URDF.format(k=k))
        archive.writestr("ball.stl", ball.export(file_type="stl"))
    answer = server.send("POST", "/api/imports?name=arm.zip", content=packed.getvalue())
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def session_with(server: Asker, project: dict[str, Any]) -> str:
    """Return the address of a new session with a project."""
    answer = server.send("POST", "/api/sessions", content=json.dumps({"project": project}).encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    return f"/api/sessions/{answer.json()['session']}"


@pytest.fixture
def session(server: Asker) -> Iterator[str]:
    """Give the address of a session."""
    address = session_with(server, {"arm": {"name": "planar3"}, "structure": "hierarchy"})
    yield address
    server.send("DELETE", address)


def document(server: Asker, session: str) -> Any:
    """Return the project of a session, as a file that holds nothing else has it."""
    answer = server.get(f"{session}/project")
    if answer.headers["content-type"] != "application/zip":
        return answer.json()
    return json.loads(zipfile.ZipFile(io.BytesIO(answer.content)).read("project.json"))


def files_of(made: Any) -> list[str]:
    """Return what the arms of a project refer to."""
    return references_in(json.dumps(made))


def test_six_imported_arms_with_all_their_triangles_are_saved_and_opened_elsewhere(
    server: Asker, session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = [import_arm(server, k)["arm"] for k in range(ARMS)]
    placed = [{**choice, "base": [0, 1000 * k, 0, 0, 0, 0]} for k, choice in enumerate(choices)]
    others = [{"name": f"arm {k}", "arm": arm} for k, arm in enumerate(placed) if k > 0]
    project = {"arm": placed[0], "others": others, "structure": "hierarchy"}
    full = session_with(server, project)
    saved = server.get(f"{full}/project")
    assert saved.headers["content-type"] == "application/zip"
    assert ".armlab.zip" in saved.headers["content-disposition"]
    assert server.get(f"{full}/project").content == saved.content  # nothing of the day is in it
    with zipfile.ZipFile(io.BytesIO(saved.content)) as archive:
        text = archive.read("project.json")
        assert len(text) < 20_000
        assert len(archive.namelist()) == 1 + 2 * ARMS
    server.send("DELETE", full)

    monkeypatch.setenv("ARMLAB_DATA", str(tmp_path))  # another machine
    opened = server.send("PUT", f"{session}/project?label=open", content=saved.content)
    assert opened.status_code == 200, opened.text
    assert document(server, session) | {"positions": None} == json.loads(text) | {"positions": None}
    faces = len(trimesh.creation.icosphere(4).faces)
    for name in files_of(json.loads(text)):
        (tmp_path / "assets" / name).stat()
        arm = own_arm(ArmChoice(name="mine", file=f"sha256:{name}"))
        for link in arm.links:
            (shown,) = link.visuals
            assert len(shown.faces) == faces
            assert np.ptp(shown.vertices, axis=0) == pytest.approx([0.2] * 3, rel=1e-3)


@pytest.mark.parametrize("file", sorted(OLD.glob("0.1-*.armlab.json")), ids=lambda path: path.stem)
def test_projects_of_0_1_open_with_what_was_in_them(server: Asker, session: str, file: Path) -> None:
    before = json.loads(file.read_text("utf-8"))
    opened = server.send("PUT", f"{session}/project", content=file.read_bytes())
    assert opened.status_code == 200, opened.text
    after = document(server, session)
    assert (after["title"], after["notes"]) == (before["title"], before["notes"])
    inlined = {before["arm"]["file"], *(other["arm"]["file"] for other in before["others"])} - {None}
    assert len(json.dumps(after)) < 8000
    assert {asset_store().read(name).decode() for name in files_of(after)} == inlined
    q = np.radians(before["poses"][0]["q"])
    q[2:3] = 0.0
    arm, old = (build_arm(ArmChoice.model_validate(arm)) for arm in (after["arms"][0]["arm"], before["arm"]))
    np.testing.assert_allclose(arm.fk(q), old.fk(q), atol=1e-12)
    assert [len(link.visuals) for link in arm.links] == [1 if inlined else 0] * len(arm.links)


def test_a_project_without_imported_arms_is_plain_json(server: Asker, session: str) -> None:
    answer = server.get(f"{session}/project")
    assert answer.headers["content-type"] == "application/json"
    assert ".armlab.json" in answer.headers["content-disposition"]
    assert answer.json()["arms"][0]["arm"]["name"] == "planar3"


def zipped(parts: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


MISSING = "sha256:" + "7" * 64
WITH_ASSET = json.dumps({"arm": {"name": "mine", "file": MISSING}}).encode()
PLAIN = json.dumps({"arm": {"name": "scara"}}).encode()
BROKEN = {
    "no project": (zipped({"notes.txt": b"hello"}), "no_document"),
    "a cut zip": (zipped({"project.json": PLAIN, "assets/x": b"y" * 500})[:-300], "zip_broken"),
    "a path that leads out": (zipped({"project.json": PLAIN, "../out": b"x"}), "zip_path"),
    "a bomb": (zipped({"project.json": PLAIN, "assets/x": b"0" * 20_000_000}, zipfile.ZIP_DEFLATED), "zip_bomb"),
    "a long document": (zipped({"project.json": b" " * 11_000_000}), "document_too_large"),
    "a missing asset": (zipped({"project.json": WITH_ASSET}), "asset_missing"),
    "an asset of another hash": (
        zipped({"project.json": WITH_ASSET, f"assets/{'7' * 64}.toml": b"schema = 1"}),
        "asset_hash",
    ),
    "a reference alone": (WITH_ASSET, "asset_missing"),
    "an unknown schema": (json.dumps({"schema": 77, "arm": {"name": "scara"}}).encode(), "not_allowed"),
    "no JSON": (b"{half", "not_json"),
    "an arm file that is none": (json.dumps({"arm": {"name": "mine", "file": "no arm"}}).encode(), None),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_file_that_cannot_be_opened_is_told_once_and_changes_nothing(server: Asker, session: str, what: str) -> None:
    data, code = BROKEN[what]
    before = document(server, session)
    answer = server.send("PUT", f"{session}/project", content=data)
    assert answer.status_code == 422
    assert code in {None, answer.json()["code"]}
    assert answer.json()["message"]
    assert document(server, session) == before


def test_a_zip_has_the_robot_file_and_its_meshes_beside_each_other_as_they_are(server: Asker) -> None:
    arm = import_arm(server, 0, subdivisions=1)["arm"]
    text = asset_store().read(arm["file"].removeprefix("sha256:")).decode()
    (meshes,) = re.findall(r'^meshes = "(\w+)\.glb"$', text, re.MULTILINE)
    assert AssetStore(asset_store().folder).read(meshes)[:4] == b"glTF"
    full = session_with(server, {"arm": arm, "structure": "hierarchy"})
    with zipfile.ZipFile(io.BytesIO(server.get(f"{full}/project").content)) as archive:
        assert archive.read(f"assets/{meshes}.glb") == asset_store().read(meshes)
        assert archive.read(f"assets/{arm['file'].removeprefix('sha256:')}.toml").decode() == text
    server.send("DELETE", full)
