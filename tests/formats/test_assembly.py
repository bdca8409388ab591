"""Arms from CAD: the parts of an assembly, and joints that the user names."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import trimesh
from formats.cad_files import Box, fbx_text, step_text

from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.errors import ArmlabError, CatalogError
from armlab.formats.assembly import assembly_pieces

JOINTS = """name = "crane"
base = ["foot"]
[[joint]]
name = "A1"
parts = ["column"]
axis = [0, 0, 1]
pivot = [0, 0, 100]
limits = { lower = -90, upper = 90 }
[[joint]]
name = "A2"
parts = ["boom", "hook"]
axis = [0, 1, 0]
pivot = PIVOT
"""


PARTS = {
    "foot": Box((300, 300, 100), (0, 0, 50)),
    "column": Box((100, 100, 500), (0, 0, 350)),
    "boom": Box((600, 80, 80), (300, 0, 600)),
    "hook": Box((20, 20, 100), (600, 0, 550)),
}


def glb_bytes(boxes: dict[str, Box]) -> bytes:
    scene = trimesh.Scene()
    y_up = trimesh.transformations.rotation_matrix(-np.pi / 2, [1, 0, 0])
    for name, box in boxes.items():
        turn = trimesh.transformations.rotation_matrix(np.radians(box.turn), [0, 0, 1])
        T = y_up @ trimesh.transformations.translation_matrix(np.array(box.centre) / 1000.0) @ turn
        solid = trimesh.creation.box(np.array(box.size) / 1000.0)
        scene.add_geometry(solid, node_name=name, geom_name=name, transform=T)
    return bytes(scene.export(file_type="glb"))


def cad_bytes(kind: str, boxes: dict[str, Box] = PARTS) -> bytes:
    if kind == "glb":
        return glb_bytes(boxes)
    return (step_text(boxes) if kind == "step" else fbx_text(boxes)).encode()


def brought(folder: Path, pivot: str = "[0, 0, 600]", text: str = JOINTS, kind: str = "glb") -> ImportedArm:
    (folder / f"crane.{kind}").write_bytes(cad_bytes(kind))
    (folder / "joints.toml").write_text(text.replace("PIVOT", pivot), encoding="utf-8")
    return import_arm(folder / f"crane.{kind}", ImportOptions(joints=folder / "joints.toml"))


@pytest.mark.parametrize("kind", ["glb", "step", "fbx"])
def test_the_parts_of_an_assembly_become_links(kind: str, tmp_path: Path) -> None:
    made = brought(tmp_path, kind=kind)
    robot = made.robot
    assert ([joint.name for joint in robot.joints], made.format) == (["A1", "A2"], "cad")
    np.testing.assert_allclose(robot.fk([0.0, 0.0])[:3, 3], [0, 0, 0.6], atol=1e-12)
    tip = robot.links[2].visuals[0].vertices.max(axis=0)
    np.testing.assert_allclose(tip, [0.6, 0.04, 0.04], atol=1e-6)
    volumes = [0.3 * 0.3 * 0.1, 0.1 * 0.1 * 0.5]
    np.testing.assert_allclose([link.inertia.mass for link in robot.links[:2]], np.array(volumes) * 1200, rtol=1e-5)
    np.testing.assert_allclose(robot.upper[0], np.pi / 2)
    assert {finding.code for finding in made.findings} == {"mass_estimated"}


def test_a_pivot_beside_its_part_is_said_with_the_fix(tmp_path: Path) -> None:
    made = brought(tmp_path, "[-300, 0, 600]")
    (found,) = (finding for finding in made.findings if finding.code == "pivot_off_axis")
    assert found.message.parameters["joint"] == "A2"
    assert found.message.parameters["distance"] == pytest.approx(300.0)
    again = brought(tmp_path, str(found.message.parameters["fix"]))
    assert "pivot_off_axis" not in {finding.code for finding in again.findings}


def test_parts_that_nobody_names_stay_on_the_base(tmp_path: Path) -> None:
    made = brought(tmp_path, text=JOINTS.replace(', "hook"', ""))
    (found,) = (finding for finding in made.findings if finding.code == "parts_unnamed")
    assert found.message.parameters["parts"] == ["hook"]
    assert len(made.robot.links[0].visuals) == 2


def test_a_part_that_is_not_there_and_a_wrong_key_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArmlabError) as caught:
        brought(tmp_path, text=JOINTS.replace('"boom"', '"jib"'))
    assert caught.value.code == "assembly_part"
    with pytest.raises(CatalogError):
        brought(tmp_path, text=JOINTS.replace("pivot = [0, 0, 100]", "pivots = [0, 0, 100]"))
    with pytest.raises(ArmlabError) as caught:
        import_arm(tmp_path / "crane.glb")
    assert caught.value.code == "import_joints_missing"


@pytest.mark.parametrize("kind", ["glb", "step", "fbx"])
def test_parts_stand_where_the_file_puts_them_whatever_its_unit_and_its_up_axis(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    boxes = {
        f"part_{i}": Box(tuple(rng.uniform(10, 90, 3)), tuple(rng.uniform(-500, 500, 3)), 40.0 * i) for i in range(4)
    }
    (tmp_path / f"parts.{kind}").write_bytes(cad_bytes(kind, boxes))
    pieces = {piece.node: piece for piece in assembly_pieces(tmp_path / f"parts.{kind}")}
    assert pieces.keys() == boxes.keys()
    for name, box in boxes.items():
        c, s = np.cos(np.radians(box.turn)), np.sin(np.radians(box.turn))
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * box.size @ R.T + box.centre
        found = pieces[name].vertices * 1000.0
        apart = np.linalg.norm(found[:, None] - corners[None], axis=2)
        assert apart.min(axis=0).max() < 1e-3  # every corner is there; single floats in the file
        assert apart.min(axis=1).max() < 1e-3  # and nothing else


@pytest.mark.parametrize("kind", ["step", "fbx"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_cad_file_that_is_cut_off_is_refused(kind: str, share: float, tmp_path: Path) -> None:
    data = cad_bytes(kind)
    (tmp_path / f"cut.{kind}").write_bytes(data[: int(share * len(data))])
    with pytest.raises(ArmlabError) as caught:
        assembly_pieces(tmp_path / f"cut.{kind}")
    assert caught.value.code in {"cad_broken", "file_empty"}
    assert f"cut.{kind}" in str(caught.value)


def test_a_reader_that_breaks_down_breaks_nothing_else(tmp_path: Path) -> None:
    """A line without its direction: the reader of STEP ends with a segmentation fault."""
    lines = [line for line in step_text(PARTS).splitlines() if "VECTOR" not in line]
    (tmp_path / "broken.step").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ArmlabError) as caught:
        assembly_pieces(tmp_path / "broken.step")
    assert caught.value.code == "cad_broken"
