"""Arms that bring meshes keep their own looks, and collide with convex parts that contain them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import trimesh
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.catalog.importing import ImportedArm, import_arm
from armlab.catalog.write import write_robot
from armlab.errors import CatalogError
from armlab.formats import link_meshes
from armlab.formats.decompose import decompose
from armlab.formats.link_meshes import convex_parts
from armlab.formats.meshes import as_mesh
from armlab.geometry import solid
from armlab.geometry.shape import Shape

LINK = trimesh.util.concatenate(
    [
        trimesh.creation.box((0.4, 0.05, 0.05), trimesh.transformations.translation_matrix([0.2, 0, 0])),
        trimesh.creation.cylinder(0.06, 0.2, sections=24),
    ]
)
URDF = """<robot name="two"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"/>
<link name="one"><visual><origin xyz="0 0 {z}" rpy="0 0 0.3"/>
<geometry><mesh filename="{file}" scale="{scale}"/></geometry>
<material name="red"/></visual></link>
<link name="two"/>
<joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="b" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def arm(
    folder: Path, file: str = "package://robot/meshes/link.stl", scale: str = "1 1 1", unit: float = 1.0
) -> ImportedArm:
    (folder / "meshes").mkdir(exist_ok=True)
    LINK.copy().apply_scale(unit).export(folder / "meshes" / "Link.STL", file_type="stl")
    (folder / "two.urdf").write_text(URDF.format(file=file, scale=scale, z=0.1), encoding="utf-8")
    return import_arm(folder / "two.urdf")


def where(robot_arm: ImportedArm) -> trimesh.Trimesh:
    T = trimesh.transformations.euler_matrix(0, 0, 0.3)
    T[2, 3] = 0.1
    assert robot_arm.robot.dof == 2
    return LINK.copy().apply_transform(T)


def test_a_mesh_is_placed_painted_and_cut_into_parts_that_contain_it(tmp_path: Path) -> None:
    made = arm(tmp_path)
    link, expected = made.robot.links[1], where(made)
    (visual,) = link.visuals
    assert visual.colour == "#ff0000"
    np.testing.assert_allclose(visual.vertices.min(axis=0), expected.bounds[0], atol=1e-7)
    np.testing.assert_allclose(visual.vertices.max(axis=0), expected.bounds[1], atol=1e-7)
    corners = visual.vertices[visual.faces]
    points = np.concatenate([corners.reshape(-1, 3), corners.mean(axis=1)])
    assert np.any([solid.contains(shape, points) for shape in link.shapes], axis=0).all()
    assert len(link.shapes) > 1


@pytest.mark.parametrize(
    "file",
    [
        "package://robot/meshes/link.stl",
        "file:///home/somebody/robot/meshes/Link.STL",
        "model://two/meshes/link.stl",
        "meshes/LINK.stl",
        "/opt/robot/meshes/Link.STL",
        "..\\robot\\meshes\\Link.STL",
    ],
)
def test_a_mesh_is_found_by_whatever_name(file: str, tmp_path: Path) -> None:
    assert arm(tmp_path, file).robot.links[1].visuals


def test_a_mesh_outside_of_what_was_given_is_not_read(tmp_path: Path) -> None:
    LINK.export(tmp_path / "secret.stl", file_type="stl")
    (tmp_path / "arm").mkdir()
    for name in ("../secret.stl", str(tmp_path / "secret.stl"), f"file://{tmp_path}/secret.stl"):
        made = arm(tmp_path / "arm", name)
        assert [finding.code for finding in made.findings] == ["mesh_missing"]
        assert made.findings[0].where["line"] == 4


def test_a_mesh_in_millimetres_is_scaled_and_said(tmp_path: Path) -> None:
    made = arm(tmp_path, unit=1000.0)
    assert "mesh_unit_guessed" in [finding.code for finding in made.findings]
    (visual,) = made.robot.links[1].visuals
    np.testing.assert_allclose(visual.vertices.max(axis=0)[:2], where(made).bounds[1][:2], atol=1e-6)
    declared = arm(tmp_path, scale="0.001 0.001 0.001", unit=1000.0)
    assert "mesh_unit_guessed" not in [finding.code for finding in declared.findings]


def test_a_mirrored_mesh_has_its_volume(tmp_path: Path) -> None:
    weighed = [arm(tmp_path, scale=scale).robot.links[1].inertia for scale in ("1 1 1", "1 -1 1")]
    assert weighed[0].mass == pytest.approx(weighed[1].mass)
    assert weighed[0].mass > 0.0


def test_a_closed_surface_without_a_mass_weighs_its_volume(tmp_path: Path) -> None:
    box = trimesh.creation.box((0.4, 0.1, 0.2))
    box.export(tmp_path / "box.stl")
    (tmp_path / "two.urdf").write_text(URDF.format(file="box.stl", scale="1 1 1", z=0.1), encoding="utf-8")
    made = import_arm(tmp_path / "two.urdf")
    inertia = made.robot.links[1].inertia
    assert inertia.mass == pytest.approx(solid.DENSITY * 0.4 * 0.1 * 0.2, rel=1e-6)
    np.testing.assert_allclose(inertia.com, [0, 0, 0.1], atol=1e-7)
    lengths = np.array([0.4, 0.1, 0.2]) ** 2
    expected = inertia.mass / 12 * (lengths.sum() - lengths)
    np.testing.assert_allclose(np.sort(np.linalg.eigvalsh(inertia.matrix)), np.sort(expected), rtol=1e-5)
    assert "mass_estimated" in [finding.code for finding in made.findings]
    assert made.robot.estimated == ("link masses",)


def test_a_broken_mesh_does_not_stop_the_arm(tmp_path: Path) -> None:
    arm(tmp_path)
    (tmp_path / "meshes" / "Link.STL").write_bytes(b"solid cut off")
    made = import_arm(tmp_path / "two.urdf")
    assert [finding.code for finding in made.findings] == ["mesh_unreadable"]
    assert made.robot.links[1].shapes  # a generated skin


def test_the_second_time_nothing_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMLAB_CACHE", str(tmp_path / "cache"))
    first = arm(tmp_path)
    monkeypatch.setattr(link_meshes, "decompose", None)
    monkeypatch.setattr(link_meshes, "mesh_pieces", None)
    again = arm(tmp_path)
    assert first.robot.links[1].shapes == again.robot.links[1].shapes
    for file in (tmp_path / "cache" / "meshes").iterdir():
        file.write_bytes(b"not what it was")
    monkeypatch.undo()
    monkeypatch.setenv("ARMLAB_CACHE", str(tmp_path / "cache"))
    assert arm(tmp_path).robot.links[1].shapes == first.robot.links[1].shapes


def test_equal_meshes_are_cut_once_and_every_step_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMLAB_CACHE", str(tmp_path / "cache"))
    arm(tmp_path)
    shutil.rmtree(tmp_path / "cache")
    copied = '<link name="two"><visual><geometry><mesh filename="meshes/copy.stl"/></geometry></visual></link>'
    shutil.copy(tmp_path / "meshes" / "Link.STL", tmp_path / "meshes" / "copy.stl")
    urdf = (tmp_path / "two.urdf").read_text(encoding="utf-8").replace('<link name="two"/>', copied)
    (tmp_path / "two.urdf").write_text(urdf, encoding="utf-8")
    cut: list[int] = []

    def counted(vertices: Floats, faces: Floats, **options: int) -> tuple[Shape, ...]:
        cut.append(len(faces))
        return decompose(vertices, faces, parts=options["parts"], tried=options["tried"])

    monkeypatch.setattr(link_meshes, "decompose", counted)
    told: list[tuple[int, int]] = []
    for _time in range(2):  # the second time they come from the cache
        told.clear()
        made = import_arm(tmp_path / "two.urdf", on_mesh=lambda step, steps, _name: told.append((step, steps)))
        assert len(cut) == 1
        assert told == [(step, 4) for step in range(1, 5)]
        assert len(made.robot.links[1].shapes) == len(made.robot.links[2].shapes) > 1


@pytest.mark.parametrize("thickness", [1e-4, 1e-6, 3e-7])
def test_a_piece_that_is_almost_flat_is_contained_all_the_same(thickness: float) -> None:
    disc = trimesh.creation.cylinder(0.5, 1.0, sections=400)
    disc.vertices[:, 2] *= thickness
    post = trimesh.creation.box((0.1, 0.1, 1.0)).apply_translation([0.0, 0.0, 0.6])
    mesh = trimesh.util.concatenate([disc, post])
    found = convex_parts(as_mesh(mesh.vertices, mesh.faces))
    shapes = [Shape("hull", (), np.eye(4), points=points) for points in found]
    assert np.any([solid.contains(shape, np.asarray(mesh.vertices)) for shape in shapes], axis=0).all()


def test_an_arm_written_as_toml_loads_without_its_source(tmp_path: Path) -> None:
    made = arm(tmp_path).robot
    (tmp_path / "out").mkdir()
    write_robot(made, tmp_path / "out" / "two.toml")
    again = armlab.load(tmp_path / "out" / "two.toml")
    q = np.random.default_rng(1).uniform(-1, 1, (20, 2))
    np.testing.assert_allclose(again.fk(q), made.fk(q), atol=1e-12)
    for one, other in zip(made.links, again.links, strict=True):
        assert len(one.shapes) == len(other.shapes)
        assert [visual.colour for visual in one.visuals] == [visual.colour for visual in other.visuals]
        for visual in one.visuals:  # rounded to single numbers, the parts still contain the surface
            points = visual.vertices
            assert np.any([solid.contains(shape, points) for shape in other.shapes], axis=0).all()
        assert other.inertia.mass == pytest.approx(one.inertia.mass, rel=1e-12)
    (tmp_path / "out" / "two.glb").unlink()
    with refused("file_missing", CatalogError):
        armlab.load(tmp_path / "out" / "two.toml")
