"""Meshes of every kind against another reader, and broken ones."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh
from refusals import refused

from armlab.errors import InvalidInput
from armlab.formats import mesh_parts
from armlab.formats.mesh_gltf import gltf_pieces
from armlab.formats.mesh_parts import one_mesh
from armlab.formats.meshes import mesh_pieces, read_mesh
from armlab.geometry.visual import Visual, is_closed, moments, placed, shaded

BALL = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
BALL.apply_translation([0.1, 0.2, -0.4])


def ply_text(polygon: str = "4 0 1 2 3") -> bytes:
    return (
        b"ply\nformat ascii 1.0\ncomment made\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        b"property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
        b"property list uchar int vertex_indices\nend_header\n"
        b"0 0 0 255 0 0\n1 0 0 255 0 0\n1 1 0 255 0 0\n0 1 0 255 0 0\n" + polygon.encode() + b"\n"
    )


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="red"><profile_COMMON><technique sid="t"><phong><diffuse><color>1 0 0 1</color></diffuse>
</phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="paint"><instance_effect url="#red"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p>
</polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node name="plate"><translate>0 0 50</translate><rotate>0 0 1 90</rotate>
<scale>2 1 1</scale><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="m" target="#paint"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def gltf(**changes: object) -> dict[str, object]:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4")
    tables: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "arm", "translation": [0, 0, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [
            {
                "byteLength": 36,
                "uri": "data:application/gltf-buffer;base64," + base64.b64encode(points.tobytes()).decode(),
            }
        ],
    }
    return tables | changes


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "ply_ascii", "glb", "dae"])
def test_every_kind_gives_the_surface_that_another_program_wrote(kind: str, tmp_path: Path) -> None:
    name, _, form = kind.partition("_")
    path = tmp_path / f"ball.{name}"
    path.write_bytes(
        trimesh.exchange.ply.export_ply(BALL, encoding="ascii")
        if kind == "ply_ascii"
        else bytes(BALL.export(file_type=kind), "ascii")
        if form
        else BALL.export(file_type=name)
        if name != "obj"
        else BALL.export(file_type="obj").encode()
    )
    mesh = read_mesh(path)
    assert len(mesh.faces) == len(BALL.faces)
    volume, centre, _second = moments(Visual(*mesh))
    assert volume == pytest.approx(BALL.volume, rel=1e-5)
    np.testing.assert_allclose(centre, BALL.center_mass, atol=1e-6)
    assert is_closed(Visual(*mesh))


def test_the_kind_of_a_mesh_is_told_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "wrong.stl").write_bytes(BALL.export(file_type="glb"))
    assert len(read_mesh(tmp_path / "wrong.stl").faces) == len(BALL.faces)


def test_a_collada_file_is_read_in_its_unit_with_places_and_colours() -> None:
    (piece,) = mesh_pieces(DAE.encode(), ".dae")
    assert piece.colour == "#ff0000"
    assert piece.node == "plate"
    mesh = one_mesh([piece])
    np.testing.assert_allclose(mesh.vertices.min(axis=0), [-0.1, 0.0, 0.05], atol=1e-12)
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [0.0, 0.2, 0.05], atol=1e-12)
    assert len(mesh.faces) == 2


def test_a_text_gltf_with_its_buffer_inside_is_read() -> None:
    (piece,) = mesh_pieces(json.dumps(gltf()).encode(), ".gltf")
    assert (piece.colour, piece.node) == ("#ff0000", "arm")
    np.testing.assert_allclose(piece.vertices[:, 2], 1.0)


def test_a_polygon_of_a_ply_becomes_triangles_and_its_colour_the_mean() -> None:
    (piece,) = mesh_pieces(ply_text(), ".ply")
    assert len(piece.faces) == 2
    assert piece.colour == "#ff0000"


@pytest.mark.parametrize(
    ("kind", "data", "code"),
    [
        (".ply", b"ply\nformat ascii 1.0\n", "ply_broken"),
        (".ply", ply_text()[:-12], "ply_broken"),
        (".ply", ply_text("4 0 1 2"), "ply_broken"),
        (".ply", ply_text("4 0 1 2 nan"), "ply_broken"),
        (".ply", ply_text("900000000 0 1 2"), "ply_broken"),
        (".ply", ply_text().replace(b"element face 1", b"element face 99999999"), "mesh_too_many_triangles"),
        (".glb", b"glTF" + struct.pack("<II", 2, 9999), "gltf_broken"),
        (".glb", BALL.export(file_type="glb")[:-100], "gltf_broken"),
        (".gltf", json.dumps(gltf(accessors=[])).encode(), "gltf_broken"),
        (".gltf", json.dumps(gltf(nodes=[{"children": [0]}])).encode(), "gltf_broken"),
        (".gltf", json.dumps(gltf(bufferViews=[{"buffer": 0, "byteOffset": 30}])).encode(), "gltf_broken"),
        (".gltf", json.dumps(gltf(buffers=[{"uri": "../../etc/passwd"}])).encode(), "gltf_buffer"),
        (".gltf", json.dumps(gltf(extensionsRequired=["KHR_draco_mesh_compression"])).encode(), "gltf_extension"),
        (".gltf", b"[" * 100_000, "gltf_broken"),
        (".gltf", b"{" * 100_000, "gltf_broken"),
        (".dae", DAE.replace("<p>0 1 2 3</p>", "<p>0 1 2 9</p>").encode(), "dae_broken"),
        (".dae", DAE.replace("100 100 0 0", "nan 100 0 0").encode(), "dae_broken"),
        (".dae", DAE.replace("<vcount>4", "<vcount>5").encode(), "dae_broken"),
        (".dae", DAE[:900].encode(), "xml_syntax"),
        (".dae", DAE.replace("<COLLADA", "<!DOCTYPE x [<!ENTITY a 'b'>]><COLLADA").encode(), "xml_entity"),
        (".fbx", b"Kaydara FBX Binary", "mesh_kind"),
    ],
)
def test_a_broken_mesh_is_refused_with_its_reason(kind: str, data: bytes, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        one_mesh(mesh_pieces(data, kind))
    assert caught.value.code == code


def test_numbers_that_are_none_are_refused_in_every_kind(tmp_path: Path) -> None:
    broken = BALL.copy()
    broken.vertices[5] = np.nan
    for kind in ("glb", "ply", "stl"):
        (tmp_path / f"a.{kind}").write_bytes(broken.export(file_type=kind))
        with refused("not_finite", InvalidInput):
            read_mesh(tmp_path / f"a.{kind}")


def test_too_many_triangles_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {kind: BALL.export(file_type=kind) for kind in ("glb", "ply", "stl", "dae")}
    monkeypatch.setattr(mesh_parts, "MAX_TRIANGLES", 100)
    for kind, each in data.items():
        with refused("mesh_too_many_triangles", InvalidInput):
            mesh_pieces(each, f".{kind}")


def test_a_second_scene_is_read_only_where_it_is_asked_for() -> None:
    text = json.dumps(gltf(scenes=[{"nodes": []}, {"nodes": [0]}])).encode()
    assert len(gltf_pieces(text, scene=1)) == 1
    assert gltf_pieces(text, scene=0) == []


def test_a_mirrored_surface_still_looks_outwards() -> None:
    ball = Visual(*one_mesh(mesh_pieces(BALL.export(file_type="glb"), ".glb")))
    mirrored = placed(ball, np.diag([-1.0, 1.0, 1.0, 1.0]))
    assert moments(mirrored)[0] == pytest.approx(moments(ball)[0])


def test_edges_are_drawn_sharp_and_round_surfaces_smooth() -> None:
    box = trimesh.creation.box((1, 1, 1))
    sharp = shaded(Visual(box.vertices, box.faces))
    assert (np.abs(sharp.normals[sharp.faces]).max(axis=2) > 0.999).all()
    can = trimesh.creation.cylinder(1.0, 2.0, sections=32)
    mesh = shaded(Visual(can.vertices, can.faces))
    side = np.abs(mesh.normals[:, 2]) < 0.5
    np.testing.assert_allclose(mesh.normals[side, :2], mesh.vertices[side, :2], atol=0.01)
    ball = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    smooth = shaded(Visual(ball.vertices, ball.faces))
    np.testing.assert_allclose(smooth.normals, smooth.vertices, atol=0.02)
