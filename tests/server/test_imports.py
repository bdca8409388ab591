"""Arms that somebody sends: read in a process of their own with limits, reported, and given back as a robot file."""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from server.asking import Asker

from armlab.assets import asset_store
from armlab.cell.arm import build_arm, own_arm
from armlab.cell.project import ArmChoice
from armlab.errors import InvalidInput, UnknownName
from armlab.jobs import UPLOAD, Ticket, submit
from armlab.server.guard import MAX_UPLOAD_BYTES
from armlab.server.import_work import (
    LEFT_S,
    PREFIX,
    RECORDING_PREFIX,
    ImportQuestion,
    file_name,
    imported_content,
    read_upload,
    remove_left_folders,
)

PATIENCE_S = 120.0

URDF = """<robot name="ur5e">
  <link name="base"/>
  <link name="arm"><visual><geometry><box size="0.1 0.1 0.5"/></geometry></visual></link>
  <link name="rod"><visual><geometry><cylinder radius="0.02" length="0.4"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="1" effort="5"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="rod"/>
    <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" velocity="1" effort="5"/></joint>
</robot>"""


def zipped(files: dict[str, str]) -> bytes:
    """Return a zip of texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def sent(server: Asker, data: bytes, query: str = "") -> httpx.Response:
    """Return the answer to a zip."""
    return server.send("POST", f"/api/imports{query}", content=data, headers={"content-type": "application/zip"})


def read(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    """Return the content of the answer, read in this process."""
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)
    content: dict[str, Any] = imported_content(path, ImportQuestion(**changes), asset_store()).model_dump(mode="json")
    return content


def test_an_arm_in_a_zip_is_reported_and_comes_back_as_a_file_of_its_own(server: Asker) -> None:
    response = sent(server, zipped({"package/arm.urdf": URDF}), "?name=package.zip")
    assert response.status_code == 200
    found = response.json()
    assert found["report"]["kind"] == "urdf"
    assert found["report"]["dof"] == 2
    assert found["report"]["chains"] == [{"base": "base", "tip": "rod", "dof": 2}]
    assert len(found["report"]["dh"]) == 2
    assert 0 < found["report"]["health"]["score"] <= 100
    arm = build_arm(ArmChoice.model_validate(found["arm"]))
    assert arm.name == found["arm"]["name"] == "ur5e-own"  # the catalog's own names stay its own
    np.testing.assert_allclose(arm.fk([0.0, 0.1])[:3, 3], [0.4, 0.0, 0.5], atol=1e-9)
    assert [shape.kind for link in arm.links for shape in link.shapes] == ["box", "cylinder"]


def test_a_name_that_leads_outside_is_refused_in_the_readers_language(server: Asker) -> None:
    response = server.send(
        "POST", "/api/imports", content=zipped({"../../arm.urdf": URDF}), headers={"accept-language": "uk"}
    )
    assert response.status_code == 422
    assert response.json()["code"] == "zip_path"
    assert "upload: " in response.json()["message"]


def test_only_who_has_the_key_may_send(server: Asker) -> None:
    assert sent(Asker(server.app, is_known=False), b"").status_code == 401


def test_an_upload_may_be_long_but_not_endless(server: Asker) -> None:
    headers = {"content-length": str(MAX_UPLOAD_BYTES + 1)}
    response = server.send("POST", "/api/imports", content=b"", headers=headers)
    assert response.status_code == 413


@pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux bounds the address space")
def test_reading_ends_when_its_memory_is_used_up(tmp_path: Path) -> None:
    (tmp_path / "arm.zip").write_bytes(zipped({"arm.urdf": URDF}))
    job = submit(
        Ticket(replace(UPLOAD, memory=0)), read_upload, str(tmp_path), ImportQuestion("arm.zip"), asset_store()
    )
    with pytest.raises(InvalidInput) as refused:
        job.result(PATIENCE_S)
    assert refused.value.code in {"job_memory", "job_ended"}  # some libraries end the process themselves


def test_lengths_in_another_unit_are_scaled_with_all_that_depends_on_them(tmp_path: Any) -> None:
    plain, scaled = (own_arm(ArmChoice(**read(tmp_path, scale=scale)["arm"])) for scale in (1.0, 0.001))
    np.testing.assert_allclose(scaled.fk([0.4, 0.0001])[:3, 3], plain.fk([0.4, 0.1])[:3, 3] / 1000, atol=1e-12)
    assert scaled.joints[0].upper == pytest.approx(plain.joints[0].upper)
    assert scaled.joints[1].upper == pytest.approx(plain.joints[1].upper / 1000)
    assert scaled.links[1].shapes[0].size[2] == pytest.approx(plain.links[1].shapes[0].size[2] / 1000)


def test_a_chain_is_chosen_by_its_ends_and_an_unknown_link_is_not_found(tmp_path: Any) -> None:
    assert read(tmp_path, tip="arm")["report"]["dof"] == 1
    with pytest.raises(UnknownName) as refused:
        read(tmp_path, tip="hand")
    assert refused.value.code == "unknown_link"


@pytest.mark.parametrize(
    ("given", "kept"),
    [("../../etc/passwd", "passwd"), ("C:\\arms\\a b.zip", "a_b.zip"), ("..", "upload"), ("рука.zip", "рука.zip")],
)
def test_names_of_uploads_are_names_of_files_and_no_paths(given: str, kept: str) -> None:
    assert file_name(given) == kept


def test_a_session_tells_the_arm_as_its_own_file_has_it(server: Asker, tmp_path: Any) -> None:
    arm = {**read(tmp_path)["arm"], "limits": [{"lower": -5, "upper": 5}, {"lower": 0, "upper": 10}]}
    body = json.dumps({"project": {"arm": arm, "structure": "hierarchy"}}).encode()
    made = server.send("POST", "/api/sessions", content=body, headers={"content-type": "application/json"}).json()
    changed, own = (server.get(f"/api/sessions/{made['session']}/{what}").json() for what in ("sheet", "original"))
    assert changed["joints"][0]["upper"] == 5.0
    assert own["joints"][0]["upper"] == pytest.approx(np.degrees(2.0), abs=1e-3)
    assert own["name"] == changed["name"] == "ur5e-own"
    saved = zipfile.ZipFile(io.BytesIO(server.get(f"/api/sessions/{made['session']}/project").content))
    assert json.loads(saved.read("project.json"))["arms"][0]["arm"]["file"] == arm["file"]
    server.send("DELETE", f"/api/sessions/{made['session']}")


def test_folders_that_a_killed_process_has_left_are_removed_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old = 10.0 * LEFT_S
    ages = {f"{PREFIX}left": old, f"{RECORDING_PREFIX}left": old, f"{PREFIX}running": 0.0, "another-program": old}
    for name, age in ages.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "arm.zip").write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    assert remove_left_folders() == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another-program", f"{PREFIX}running"]


def test_an_upload_leaves_nothing_behind(server: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert sent(server, zipped({"arm.urdf": URDF})).status_code == 200
    assert [path.name for path in tmp_path.iterdir()] == ["static"]
