"""Triangles from Collada files (DAE), with the places of their nodes and the colours of their materials.

Their unit is applied. Their up axis is not: descriptions of robots place the coordinates as they stand in the file, as
RViz and Gazebo show them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import Repairs
from armlab.formats.mesh_parts import MAX_PIECES, MAX_TRIANGLES, MeshPiece, check_triangles, fan, hex_colour
from armlab.formats.safe_xml import parse_xml
from armlab.geometry import pose
from armlab.messages import _
from armlab.validation import shown

MAX_NODES = 20_000
DEEPEST_NODE = 100
_POLYGONS = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def dae_pieces(data: bytes) -> list[MeshPiece]:
    """Return the triangles of a Collada file in metres, one piece for each geometry and material.

    Raises:
        InvalidInput: if it is broken, empty or too large.
    """
    root = parse_xml(data, Repairs("mesh"), is_large=True)
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    if root.tag != "COLLADA":
        raise _broken(f"<{root.tag}>")
    try:
        pieces = _Collada(root).pieces()
    except (ValueError, IndexError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise _broken(str(error)) from None
    check_triangles(sum(len(piece.faces) for piece in pieces))
    return pieces


def _broken(reason: str) -> InvalidInput:
    return InvalidInput("dae_broken", _("not a complete Collada file: {reason}"), reason=shown(reason))


class _Collada:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
        self._surfaces: dict[str, list[tuple[str, Floats, NDArray[np.int64]]]] = {}
        self._visited, self._triangles = 0, 0

    def pieces(self) -> list[MeshPiece]:
        """Return the triangles of the scene, or of all geometries where there is no scene."""
        meter = self._root.find("asset/unit")
        unit = 1.0 if meter is None else _floats(meter.get("meter", "1"))[0]
        if not 1e-9 < unit < 1e9:
            raise _broken(f"a unit of {unit:g} m")
        start = np.diag([unit, unit, unit, 1.0])
        scene = self._target(self._root.find("scene/instance_visual_scene"))
        if scene is None:
            scene = self._root.find("library_visual_scenes/visual_scene")
        pieces: list[MeshPiece] = []
        if scene is not None:
            for node in scene.iterchildren("node"):
                self._node(node, start, 0, pieces)
        if not pieces:
            for geometry in self._root.iterfind("library_geometries/geometry"):
                self._place(geometry, start, {}, geometry.get("name", ""), pieces)
        return pieces

    def _target(self, element: Any, key: str = "url") -> Any:
        """Return the element that another names by #id."""
        return None if element is None else self._by_id.get(element.get(key, "").lstrip("#"))

    def _node(self, node: Any, T: Floats, depth: int, pieces: list[MeshPiece]) -> None:
        self._visited += 1
        if self._visited > MAX_NODES or depth > DEEPEST_NODE or len(pieces) > MAX_PIECES:
            raise _broken("too many nodes, or nodes that contain themselves")
        for child in node.iterchildren():
            if child.tag in {"matrix", "translate", "rotate", "scale"}:
                T = T @ _step(child)
        for child in node.iterchildren():
            if child.tag == "node":
                self._node(child, T, depth + 1, pieces)
            elif child.tag == "instance_node" and (inner := self._target(child)) is not None:
                self._node(inner, T, depth + 1, pieces)
            elif child.tag == "instance_geometry" and (geometry := self._target(child)) is not None:
                bound = {each.get("symbol", ""): each.get("target", "") for each in child.iter("instance_material")}
                self._place(geometry, T, bound, node.get("name") or node.get("id", ""), pieces)

    def _place(self, geometry: Any, T: Floats, bound: dict[str, str], node: str, pieces: list[MeshPiece]) -> None:
        key = geometry.get("id", str(id(geometry)))
        if key not in self._surfaces:
            self._surfaces[key] = self._surfaces_of(geometry)
        for material, points, faces in self._surfaces[key]:
            self._triangles += len(faces)
            check_triangles(max(self._triangles, 1))
            turned = faces[:, ::-1] if np.linalg.det(T[:3, :3]) < 0.0 else faces
            colour = self._colour(bound.get(material, material))
            pieces.append(MeshPiece(points @ T[:3, :3].T + T[:3, 3], turned, colour, node[:200]))

    def _surfaces_of(self, geometry: Any) -> list[tuple[str, Floats, NDArray[np.int64]]]:
        found = []
        for polygons in geometry.iterfind("mesh/*"):
            if polygons.tag not in _POLYGONS:
                continue
            inputs = list(polygons.iterchildren("input"))
            given = next((each for each in inputs if each.get("semantic") == "VERTEX"), None)
            vertices = self._target(given, "source")
            if given is None or vertices is None:
                continue
            points = self._points(vertices)
            width = max(_integer(each.get("offset", "0")) for each in inputs) + 1
            faces = _triangles(polygons, width, _integer(given.get("offset", "0")))
            if len(faces):
                if int(faces.min()) < 0 or int(faces.max()) >= len(points):
                    raise _broken("a triangle refers to a vertex that is not there")
                used, index = np.unique(faces, return_inverse=True)
                found.append((polygons.get("material", ""), points[used], index.reshape(-1, 3)))
        return found

    def _points(self, vertices: Any) -> Floats:
        own = next((each for each in vertices.iterchildren("input") if each.get("semantic") == "POSITION"), None)
        source = self._target(own, "source")
        array = None if source is None else source.find("float_array")
        if array is None:
            raise _broken("positions are missing")
        accessor = source.find("technique_common/accessor")
        stride = 3 if accessor is None else _integer(accessor.get("stride", "3"))
        values = _floats(array.text or "")
        if stride < 3 or stride > 100 or len(values) < stride:
            raise _broken("positions are not three numbers")
        return values[: len(values) // stride * stride].reshape(-1, stride)[:, :3]

    def _colour(self, material: str) -> str | None:
        """Return the diffuse colour of a material's effect."""
        effect = self._by_id.get(material.lstrip("#"))
        if effect is not None and effect.tag == "material":
            effect = self._target(effect.find("instance_effect"))
        colour = None if effect is None else effect.find(".//diffuse/color")
        values = np.zeros(0) if colour is None else _floats(colour.text or "")
        return hex_colour(*(float(value) for value in values[:3])) if len(values) >= 3 else None


def _floats(text: str) -> Floats:
    values = np.array(text.split(), dtype=np.float64)
    if not np.isfinite(values).all():
        raise _broken("a number that is not finite")
    return values


def _integer(text: str) -> int:
    value = int(text) if len(text) < 10 else -1
    if not 0 <= value <= 1000:
        raise _broken(f"offset {text[:20]}")
    return value


def _triangles(polygons: Any, width: int, offset: int) -> NDArray[np.int64]:
    """Return the indices of positions of all triangles."""
    lists = [np.array((each.text or "").split(), dtype=np.int64) for each in polygons.iterchildren("p")]
    lists = [each[: len(each) // width * width].reshape(-1, width)[:, offset] for each in lists]
    check_triangles(max(sum(map(len, lists)) // 3 - 2 * MAX_TRIANGLES, 1))
    empty = np.empty((0, 3), dtype=np.int64)
    if polygons.tag == "triangles":
        return np.concatenate([empty, *(each[: len(each) // 3 * 3].reshape(-1, 3) for each in lists)])
    if polygons.tag == "polylist":
        counts = np.array((polygons.findtext("vcount") or "").split(), dtype=np.int64)
        return _polylist(np.concatenate([np.empty(0, dtype=np.int64), *lists]), counts)
    if polygons.tag == "tristrips":
        strips = [np.stack([each[:-2], each[1:-1], each[2:]], axis=1) for each in lists if len(each) >= 3]
        for strip in strips:
            strip[1::2] = strip[1::2, [1, 0, 2]]
        return np.concatenate([empty, *strips])
    return np.concatenate([empty, *(fan(each[None]) for each in lists if len(each) >= 3)])


def _polylist(indices: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return polygons, each with its own number of corners, as triangles."""
    if (counts < 0).any() or int(counts.sum()) > len(indices):
        raise _broken("a polygon is cut off")
    starts = np.cumsum(counts) - counts
    parts = [np.empty((0, 3), dtype=np.int64)]
    for n in np.unique(counts[counts >= 3]):
        first = starts[counts == n]
        parts.append(fan(indices[first[:, None] + np.arange(n)]))
    return np.concatenate(parts)


def _step(element: Any) -> Floats:
    """Return the transform that an element of a node says."""
    values = _floats(element.text or "")
    if len(values) != {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}[element.tag]:
        raise _broken(f"<{element.tag}> with {len(values)} numbers")
    if element.tag == "matrix":
        return values.reshape(4, 4)
    if element.tag == "translate":
        return pose.from_xyz(values)
    if element.tag == "scale":
        return np.diag([*values, 1.0])
    size = float(np.linalg.norm(values[:3]))
    if size == 0.0:
        return np.eye(4)
    return pose.from_xyz_axis_angle([0.0, 0.0, 0.0], values[:3] / size, math.radians(float(values[3])))
