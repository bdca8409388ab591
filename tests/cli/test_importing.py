"""`armlab import` and `armlab export`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

import armlab
from armlab.cli import importing
from armlab.cli.main import run

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [
        ("urdf", ".urdf"),
        ("toml", ".toml"),
        ("dh", ".dh.toml"),
        ("glb", ".glb"),
        ("mjcf", ".xml"),
        ("usd-ascii", ".usda"),
    ],
)
def test_an_arm_is_written_in_each_format(capsys: Captured, kind: str, suffix: str) -> None:
    assert run(["export", "planar2", "--to", kind]) == 0
    assert Path(f"planar2{suffix}").stat().st_size > 0
    assert f"planar2{suffix}" in capsys.readouterr().out


def test_the_user_leaves_pairs_out_and_asks_for_them_as_an_arm_is_imported(capsys: Captured) -> None:
    assert run(["export", "ur5e", "--to", "urdf", "-o", "arm.urdf"]) == 0
    asked = ["--allow", "link_1,link_3", "--compare", "base,link_1", "-o", "arm.toml", "--json"]
    assert run(["import", "arm.urdf", *asked]) == 0
    report = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert {"pairs_excluded", "touch_at_home"} <= {finding["code"] for finding in report["findings"]}
    assert run(["robots", "show", "arm.toml", "--json"]) == 0
    pairs = {(p["first"], p["second"]): (p["reason"], p["said"]) for p in json.loads(capsys.readouterr().out)["pairs"]}
    assert pairs["link_1", "link_3"] == ("excluded", "--allow")
    assert pairs["link_1", "link_2"] == ("adjacent", "")
    assert ("base", "link_1") not in pairs
    assert run(["import", "arm.urdf", "--allow", "link_1"]) == 2


def test_an_exported_arm_comes_back_with_a_report(capsys: Captured) -> None:
    assert run(["export", "ur5e", "--to", "urdf", "-o", "arm.urdf"]) == 0
    capsys.readouterr()
    assert run(["import", "arm.urdf", "--json", "-o", "arm.toml", "--report", "report.html"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["kind"], report["robot"], report["dof"], report["findings"]) == ("urdf", "ur5e", 6, [])
    assert report["chains"][0]["dof"] == 6
    assert report["health"]["score"] == 100
    assert len(report["dh"]) == 6
    assert report["dh_error"] < 1e-9
    assert "<html" in Path("report.html").read_text(encoding="utf-8")
    assert armlab.load("arm.toml").dof == 6


def test_a_report_of_another_kind_is_refused_with_all_that_there_are(capsys: Captured) -> None:
    run(["export", "planar2", "--to", "urdf", "-o", "arm.urdf"])
    assert run(["import", "arm.urdf", "--report", "report.docx"]) != 0
    said = capsys.readouterr().err
    assert all(suffix in said for suffix in (".html", ".md", ".tex", ".json"))


def test_the_unit_of_meshes_is_an_option(capsys: Captured) -> None:
    trimesh.creation.box((3.0, 3.0, 3.0)).export("box.stl")
    mesh = '<visual><geometry><mesh filename="box.stl"/></geometry></visual>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    Path("arm.urdf").write_text(f'<robot name="r"><link name="a"/><link name="b">{mesh}</link>{joint}</robot>')
    assert run(["import", "arm.urdf", "--mesh-unit", "in", "-o", "arm.toml"]) == 0
    (visual,) = armlab.load("arm.toml").links[1].visuals
    assert float(np.ptp(visual.vertices[:, 0])) == pytest.approx(3 * 0.0254, rel=1e-6)
    capsys.readouterr()
    assert run(["import", "arm.urdf", "--mesh-unit", "feet"]) == 2


def test_an_import_that_takes_too_long_is_ended(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh.creation.icosphere(subdivisions=5, radius=300.0).export("ball.stl")  # 20,480 triangles
    shape = '<collision><geometry><mesh filename="ball.stl" scale="0.001 0.001 0.001"/></geometry></collision>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    Path("arm.urdf").write_text(
        f'<robot name="r"><link name="a">{shape}</link><link name="b">{shape}</link>{joint}</robot>'
    )
    capsys.readouterr()
    monkeypatch.setattr(importing, "MOST_SECONDS", 0.01)
    assert run(["import", "arm.urdf", "-o", "out.toml", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "job_time"
    assert not Path("out.toml").exists()


def test_chains_are_listed(capsys: Captured) -> None:
    run(["export", "ur5e", "--to", "urdf", "-o", "arm.urdf"])
    assert run(["import", "arm.urdf", "--chains"]) == 0
    assert "base" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["missing.urdf"], "file_missing"), (["."], "import_nothing"), (["arm.csv", "--arg", "x"], "argument_pair")],
)
def test_what_cannot_be_brought_in_is_one_message_and_writes_nothing(
    capsys: Captured, arguments: list[str], code: str
) -> None:
    assert run(["import", *arguments, "-o", "out.toml", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert list(Path().iterdir()) == []
