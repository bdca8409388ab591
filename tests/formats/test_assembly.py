"""Arms from CAD: the parts of an assembly, and joints that the user names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from armlab.catalog.importing import ImportedArm, ImportOptions, import_arm
from armlab.errors import ArmlabError, CatalogError

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


def assembly() -> trimesh.Scene:
    scene = trimesh.Scene()
    y_up = trimesh.transformations.rotation_matrix(-np.pi / 2, [1, 0, 0])
    parts = {
        "foot": ((0.3, 0.3, 0.1), (0, 0, 0.05)),
        "column": ((0.1, 0.1, 0.5), (0, 0, 0.35)),
        "boom": ((0.6, 0.08, 0.08), (0.3, 0, 0.6)),
        "hook": ((0.02, 0.02, 0.1), (0.6, 0, 0.55)),
    }
    for name, (size, place) in parts.items():
        box = trimesh.creation.box(size)
        T = y_up @ trimesh.transformations.translation_matrix(place)
        scene.add_geometry(box, node_name=name, geom_name=name, transform=T)
    return scene


def brought(folder: Path, pivot: str = "[0, 0, 600]", text: str = JOINTS) -> ImportedArm:
    (folder / "crane.glb").write_bytes(assembly().export(file_type="glb"))
    (folder / "joints.toml").write_text(text.replace("PIVOT", pivot), encoding="utf-8")
    return import_arm(folder / "crane.glb", ImportOptions(joints=folder / "joints.toml"))


def test_the_parts_of_an_assembly_become_links(tmp_path: Path) -> None:
    made = brought(tmp_path)
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
