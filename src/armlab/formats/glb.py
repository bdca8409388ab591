"""A robot, or the bodies of a scene, as GLB (glTF 2.0 in one binary file), which the page draws and others open.

One node per link, named as the link, and a node "tool"; each holds its geometry in its own frame, in metres, and is
not moved: whoever shows the robot puts the nodes where the kinematics says. Axes stay as they are (z up). The jaws of a
gripper are two nodes below the tool's; `extras.jaw` of each is the direction in which it closes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from armlab.formats.glb_read import PART
from armlab.geometry import pose, solid
from armlab.geometry.shape import Finish, Palette, Shape
from armlab.geometry.visual import shaded
from armlab.model.jaws import jaws_of
from armlab.model.parts import Link, Tool
from armlab.model.robot import Robot
from armlab.model.scene import Scene

_MAGIC, _VERSION, _JSON, _BIN = b"glTF", 2, b"JSON", b"BIN\0"
_FLOAT, _UINT = 5126, 5125
_VERTICES, _INDICES = 34962, 34963

_SURFACE: dict[Finish, tuple[float, float]] = {
    "body": (0.1, 0.45),
    "accent": (0.1, 0.4),
    "joint": (0.35, 0.5),
    "base": (0.25, 0.6),
    "tool": (0.75, 0.35),
}
"""Metallic and roughness by finish: lacquer for bodies, darker metal for joints, bare metal for tools."""


def robot_glb(robot: Robot) -> bytes:
    """Return `robot` with its tool as the bytes of a GLB file."""
    file = _File(robot.palette)
    for link in robot.links:
        file.add_link(link)
    _add_tool(file, robot.tool)
    return file.as_bytes(robot.name)


def _add_tool(file: _File, tool: Tool) -> None:
    """Add the tool in its own frame; its jaws, if it has some, are nodes below it that can be moved."""
    T_tool_flange = pose.inverse(tool.T_flange_tool)
    jaws = jaws_of(tool)

    def placed(shapes: Iterable[Shape]) -> list[Shape]:
        return [replace(shape, T_link_shape=T_tool_flange @ shape.T_link_shape) for shape in shapes]

    file.add_node("tool", placed(tool.shapes if jaws is None else jaws.palm))
    if jaws is None:
        return
    node = file.nodes[-1]
    node["children"] = []
    for k, finger in enumerate(jaws.fingers, start=1):
        node["children"].append(len(file.nodes))
        file.add_node(f"jaw {k}", placed(finger.shapes))
        file.nodes[-1]["extras"] = {"jaw": (T_tool_flange[:3, :3] @ finger.axis).round(9).tolist()}


def link_meshes_glb(robot: Robot) -> bytes | None:
    """Return the links' own surfaces, and in a second scene the hulls that they collide with; None if there are none.

    Numbers in GLB are single: the corners of hulls are written as sums of two, so that they stay as they are.
    """
    hulls = [(link.name, shape) for link in robot.links for shape in link.shapes if shape.kind == "hull"]
    if not hulls and not any(link.visuals for link in robot.links):
        return None
    file = _File(robot.palette)
    for link in robot.links:
        if link.visuals:
            file.add_link(link)
    first = len(file.nodes)
    for name, shape in hulls:
        file.add_points(f"{name}{PART}{shape.part}" if shape.part else name, shape)
    return file.as_bytes(robot.name, first)


def scene_glb(scene: Scene) -> bytes:
    """Return the bodies of `scene`, one node each in its own frame and not moved, as the bytes of a GLB file."""
    file = _File(Palette())
    for body in scene.bodies:
        file.add_node(body.name, body.shapes, body.colour)
    return file.as_bytes(scene.name)


@dataclass
class _File:
    """The tables of a glTF file while it is being written, and the bytes that they point into."""

    palette: Palette
    nodes: list[dict[str, Any]] = field(default_factory=list)
    meshes: list[dict[str, Any]] = field(default_factory=list)
    materials: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)

    def add_node(self, name: str, shapes: Sequence[Shape], colour: str | None = None) -> None:
        """Add a node; what has the same finish becomes one primitive of its mesh. A colour is that of all of it."""
        node: dict[str, Any] = {"name": name}
        finishes = [f for f in get_args(Finish) if any(shape.finish == f for shape in shapes)]
        if finishes:
            node["mesh"] = len(self.meshes)
            primitives = [self._primitive(f, [s for s in shapes if s.finish == f], colour) for f in finishes]
            self.meshes.append({"name": name, "primitives": primitives})
        self.nodes.append(node)

    def add_link(self, link: Link) -> None:
        """Add a node with a link's own surfaces, or with its solids where it has none."""
        if not link.visuals:
            return self.add_node(link.name, link.shapes)
        self.nodes.append({"name": link.name, "mesh": len(self.meshes)})
        primitives = [self._surface([shaded(each)], "body", each.colour) for each in link.visuals]
        return self.meshes.append({"name": link.name, "primitives": primitives})

    def add_points(self, name: str, shape: Shape) -> None:
        """Add a node with a hull in the frame of its link; `_LOW` holds what single numbers leave out."""
        points = pose.transform(shape.T_link_shape, shape.hull.points)
        high = points.astype("<f4")
        bounds = {"min": high.min(axis=0).tolist(), "max": high.max(axis=0).tolist()}
        primitive = {
            "attributes": {
                "POSITION": self._accessor(high, "VEC3", _FLOAT, _VERTICES, bounds),
                "_LOW": self._accessor((points - high).astype("<f4"), "VEC3", _FLOAT, _VERTICES, {}),
            },
            "indices": self._accessor(shape.hull.faces.astype("<u4").reshape(-1), "SCALAR", _UINT, _INDICES, {}),
            "material": self._material(shape.finish, None),
        }
        self.nodes.append({"name": name, "mesh": len(self.meshes)})
        self.meshes.append({"name": name, "primitives": [primitive]})

    def as_bytes(self, name: str, shown: int | None = None) -> bytes:
        """Return the file, with all nodes under one root called `name`; those from `shown` on are another scene."""
        count = len(self.nodes) if shown is None else shown
        below = {child for node in self.nodes for child in node.get("children", ())}
        roots = [i for i in range(count) if i not in below]
        root = {"name": name, **({"children": roots} if roots else {})}
        scenes = [{"nodes": [len(self.nodes)]}]
        if count < len(self.nodes):
            scenes.append({"nodes": list(range(count, len(self.nodes)))})
        tables: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "armlab"},
            "scene": 0,
            "scenes": scenes,
            "nodes": [*self.nodes, root],
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data)}] if self.data else [],
        }
        text = json.dumps({key: value for key, value in tables.items() if value != []}, separators=(",", ":"))
        chunks = [_chunk(_JSON, text.encode(), b" ")]
        if self.data:
            chunks.append(_chunk(_BIN, bytes(self.data), b"\0"))
        return struct.pack("<4sII", _MAGIC, _VERSION, 12 + sum(map(len, chunks))) + b"".join(chunks)

    def _primitive(self, finish: Finish, shapes: Iterable[Shape], colour: str | None) -> dict[str, Any]:
        return self._surface([solid.mesh(shape) for shape in shapes], finish, colour)

    def _surface(self, meshes: Sequence[solid.Mesh], finish: Finish, colour: str | None) -> dict[str, Any]:
        starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
        faces = np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=True)])
        points = np.concatenate([m.vertices for m in meshes]).astype("<f4")
        normals = np.concatenate([m.normals for m in meshes]).astype("<f4")
        bounds = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        return {
            "attributes": {
                "POSITION": self._accessor(points, "VEC3", _FLOAT, _VERTICES, bounds),
                "NORMAL": self._accessor(normals, "VEC3", _FLOAT, _VERTICES, {}),
            },
            "indices": self._accessor(faces.astype("<u4").reshape(-1), "SCALAR", _UINT, _INDICES, {}),
            "material": self._material(finish, colour),
        }

    def _accessor(self, array: NDArray[Any], kind: str, component: int, target: int, bounds: dict[str, Any]) -> int:
        raw = array.tobytes()
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw), "target": target}
        self.data += raw
        self.views.append(view)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component,
                "count": len(array),
                "type": kind,
                **bounds,
            }
        )
        return len(self.accessors) - 1

    def _material(self, finish: Finish, colour: str | None) -> int:
        name = finish if colour is None else f"{finish} {colour}"
        for i, material in enumerate(self.materials):
            if material["name"] == name:
                return i
        metallic, roughness = _SURFACE[finish]
        linear = linear_colour(colour or cast(str, getattr(self.palette, finish)))
        surface = {
            "baseColorFactor": [*(round(value, 6) for value in linear), 1.0],
            "metallicFactor": metallic,
            "roughnessFactor": roughness,
        }
        self.materials.append({"name": name, "pbrMetallicRoughness": surface})
        return len(self.materials) - 1


def linear_colour(colour: str) -> tuple[float, float, float]:
    """Return `#rrggbb`, which is sRGB, as the linear red, green and blue (0 to 1) that renderers calculate with."""
    values = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return red, green, blue


def _chunk(kind: bytes, content: bytes, padding: bytes) -> bytes:
    padded = content + padding * (-len(content) % 4)
    return struct.pack("<I4s", len(padded), kind) + padded
