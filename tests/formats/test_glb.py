"""GLB files, read back by another reader."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.catalog import load
from armlab.formats.glb import linear_colour, robot_glb
from armlab.geometry import pose, solid
from armlab.geometry.shape import Palette, Shape
from armlab.model.parts import Link, Tool
from armlab.model.robot import Robot


@pytest.fixture
def dressed(robot: Robot) -> Robot:
    """The made-up arm with a skin, a last link without one, and a pen."""
    skin = make_skin(robot.joints, robot.flange, [LinkSkin() for _ in robot.links])
    links = tuple(Link(link.name, shapes=shapes) for link, shapes in zip(robot.links, skin, strict=True))
    pen = Shape("cylinder", (0.01, 0.1), pose.from_xyz([0, 0, 0.05]), "tool")
    tool = Tool("pen", "pen", pose.from_xyz([0, 0, 0.1]), shapes=(pen,))
    bare = (*links[:-1], Link(links[-1].name))
    return replace(robot, links=bare, tool=tool, configurations={}, palette=Palette(body="#ff0000"))


def tables(glb: bytes) -> dict[str, Any]:
    """Return the JSON of a GLB file."""
    length = struct.unpack_from("<I", glb, 12)[0]
    found: dict[str, Any] = json.loads(glb[20 : 20 + length])
    return found


def test_another_reader_finds_every_link_and_every_triangle(dressed: Robot) -> None:
    scene = trimesh.load_scene(io.BytesIO(robot_glb(dressed)), file_type="glb")
    nodes = set(scene.graph.nodes)
    assert {link.name for link in dressed.links} | {"tool"} <= nodes
    shapes = [shape for link in dressed.links for shape in link.shapes] + list(dressed.tool.shapes)
    expected = sum(len(solid.mesh(shape).faces) for shape in shapes)
    assert sum(len(part.faces) for part in scene.geometry.values()) == expected


def test_geometry_is_in_the_frame_of_its_link_in_metres(dressed: Robot) -> None:
    scene = trimesh.load_scene(io.BytesIO(robot_glb(dressed)), file_type="glb")
    corners = np.concatenate([solid.mesh(shape).vertices for shape in dressed.links[1].shapes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    parts = [name for name in scene.graph.nodes_geometry if scene.graph.transforms.parents[name] == "link_1"]
    names = parts or ["link_1"]
    bounds = np.array([scene.geometry[scene.graph[name][1]].bounds for name in names])
    np.testing.assert_allclose(bounds[:, 0].min(axis=0), low, atol=1e-6)
    np.testing.assert_allclose(bounds[:, 1].max(axis=0), high, atol=1e-6)


def test_nodes_do_not_move_and_hang_on_one_root(dressed: Robot) -> None:
    found = tables(robot_glb(dressed))
    names = [node["name"] for node in found["nodes"]]
    assert names == [*(link.name for link in dressed.links), "tool", dressed.name]
    assert found["scenes"] == [{"nodes": [len(names) - 1]}]
    assert found["nodes"][-1]["children"] == list(range(len(names) - 1))
    assert not any({"matrix", "translation", "rotation", "scale"} & node.keys() for node in found["nodes"])


def test_a_link_without_shapes_still_has_its_node(dressed: Robot) -> None:
    last = tables(robot_glb(dressed))["nodes"][len(dressed.links) - 1]
    assert last == {"name": dressed.links[-1].name}


def test_a_robot_without_any_shape_is_a_valid_file(robot: Robot) -> None:
    glb = robot_glb(robot)
    assert struct.unpack_from("<4sII", glb) == (b"glTF", 2, len(glb))
    assert "buffers" not in tables(glb)


def test_the_tool_is_drawn_from_its_tip(dressed: Robot) -> None:
    found = tables(robot_glb(dressed))
    tool = next(node for node in found["nodes"] if node["name"] == "tool")
    position = found["meshes"][tool["mesh"]]["primitives"][0]["attributes"]["POSITION"]
    assert found["accessors"][position]["min"][2] == pytest.approx(-0.1)
    assert found["accessors"][position]["max"][2] == pytest.approx(0.0, abs=1e-7)


def test_there_is_one_material_per_finish_and_one_primitive_per_finish_of_a_link(dressed: Robot) -> None:
    found = tables(robot_glb(dressed))
    names = [material["name"] for material in found["materials"]]
    assert len(names) == len(set(names))
    drawn = [link for link in dressed.links if link.shapes]
    for link, mesh in zip(drawn, found["meshes"], strict=False):
        used = [names[primitive["material"]] for primitive in mesh["primitives"]]
        assert sorted(used) == sorted({shape.finish for shape in link.shapes})
    body = found["materials"][names.index("body")]["pbrMetallicRoughness"]["baseColorFactor"]
    assert body == [1.0, 0.0, 0.0, 1.0]


def test_buffers_hold_what_the_accessors_say(dressed: Robot) -> None:
    glb = robot_glb(dressed)
    found = tables(glb)
    size = found["buffers"][0]["byteLength"]
    assert struct.unpack_from("<4sII", glb) == (b"glTF", 2, len(glb))
    widths = {"SCALAR": 4, "VEC3": 12}
    for accessor in found["accessors"]:
        view = found["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteLength"] == accessor["count"] * widths[accessor["type"]]
        assert view["byteOffset"] + view["byteLength"] <= size


def test_colours_become_linear() -> None:
    assert linear_colour("#000000") == (0.0, 0.0, 0.0)
    assert linear_colour("#ffffff") == pytest.approx((1.0, 1.0, 1.0))
    assert linear_colour("#bc0a80") == pytest.approx((0.502886, 0.003035, 0.215861), abs=1e-5)


def test_the_jaws_of_a_gripper_are_nodes_below_the_tool_that_close_towards_each_other() -> None:
    glb = robot_glb(load("ur5e", tool="gripper"))
    (length,) = struct.unpack("<I", glb[12:16])
    tables = json.loads(glb[20 : 20 + length])
    nodes = tables["nodes"]
    tool = next(node for node in nodes if node["name"] == "tool")
    jaws = [nodes[child] for child in tool["children"]]
    assert [jaw["name"] for jaw in jaws] == ["jaw 1", "jaw 2"]
    np.testing.assert_allclose(np.add(jaws[0]["extras"]["jaw"], jaws[1]["extras"]["jaw"]), 0.0, atol=1e-12)
    assert not set(tool["children"]) & set(nodes[-1]["children"])
    assert "children" not in next(
        node for node in _nodes(robot_glb(load("ur5e", tool="pen"))) if node["name"] == "tool"
    )


def _nodes(glb: bytes) -> list[dict[str, Any]]:
    (length,) = struct.unpack("<I", glb[12:16])
    nodes: list[dict[str, Any]] = json.loads(glb[20 : 20 + length])["nodes"]
    return nodes
