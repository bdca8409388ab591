"""Triangles from glTF 2.0 files, binary (GLB) and text, with the places of their nodes and the colours of materials."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.mesh_parts import MAX_BYTES, MAX_PIECES, Beside, MeshPiece, check_triangles, hex_colour
from armlab.formats.mesh_parts import nothing_beside as _nothing
from armlab.geometry import pose
from armlab.messages import _
from armlab.validation import shown

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_UNDERSTOOD = frozenset({"KHR_materials_unlit", "KHR_materials_pbrSpecularGlossiness", "KHR_texture_transform"})
MAX_NODES = 20_000
DEEPEST_NODE = 100


def gltf_pieces(data: bytes, beside: Beside = _nothing, *, scene: int | None = None) -> list[MeshPiece]:
    """Return the triangles of a glTF file's scene, placed by its nodes; axes stay as they are (no turn of y to z).

    Raises:
        InvalidInput: if it is broken, empty or too large, or needs an extension that is not understood.
    """
    try:
        return _pieces(data, beside, scene)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, struct.error) as error:
        if isinstance(error, InvalidInput):
            raise
        raise _broken(f"{type(error).__name__}: {error}") from None


def _pieces(data: bytes, beside: Beside, scene: int | None) -> list[MeshPiece]:
    tables, own = _chunks(data)
    needed = set(tables.get("extensionsRequired", ())) - _UNDERSTOOD
    if needed:
        raise InvalidInput(
            "gltf_extension",
            _("the glTF extension {extensions} is not understood; save the file without it"),
            extensions=sorted(map(shown, needed))[:4],
        )
    file = _Tables(tables, own, beside)
    which = tables.get("scene", 0) if scene is None else scene
    scenes = tables.get("scenes") or [{"nodes": list(range(len(tables.get("nodes", ()))))}]
    if not 0 <= which < len(scenes):
        return []
    pieces = file.placed(scenes[which].get("nodes", ()))
    if scene is None:
        check_triangles(sum(len(piece.faces) for piece in pieces))
    return pieces


def _broken(reason: str) -> InvalidInput:
    return InvalidInput("gltf_broken", _("not a complete glTF file: {reason}"), reason=shown(reason))


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the tables and the binary part."""
    text, own = data, b""
    if data[:4] == b"glTF":
        _magic, version, length = struct.unpack_from("<4sII", data)
        if version != 2 or length > len(data):
            raise _broken(f"version {version}, {length} of {len(data)} bytes")
        at, text = 12, b""
        while at + 8 <= length:
            size, kind = struct.unpack_from("<I4s", data, at)
            if at + 8 + size > length:
                raise _broken("a chunk is cut off")
            chunk = data[at + 8 : at + 8 + size]
            text, own = (chunk, own) if kind == b"JSON" else (text, chunk) if kind == b"BIN\0" else (text, own)
            at += 8 + size
    try:
        tables = json.loads(text)
    except (ValueError, RecursionError):
        raise _broken("its JSON cannot be read") from None
    if not isinstance(tables, dict):
        raise _broken("its JSON is not an object")
    return tables, own


class _Tables:
    """The tables of a file, and the bytes that they point into."""

    def __init__(self, tables: dict[str, Any], own: bytes, beside: Beside) -> None:
        self._tables, self._own, self._beside = tables, own, beside
        self._buffers: dict[int, bytes] = {}
        self._visited, self._triangles = 0, 0

    def placed(self, roots: list[int]) -> list[MeshPiece]:
        """Return the pieces of nodes and all below them."""
        pieces: list[MeshPiece] = []
        waiting = [(index, np.eye(4), 0) for index in roots]
        while waiting:
            index, T, depth = waiting.pop()
            node = self._tables["nodes"][_natural(index)]
            self._visited += 1
            if self._visited > MAX_NODES or depth > DEEPEST_NODE or len(pieces) > MAX_PIECES:
                raise _broken("too many nodes, or nodes that contain themselves")
            T = T @ _place(node)
            if "mesh" in node:
                name = str(node.get("name", ""))[:200]
                pieces += self._mesh(self._tables["meshes"][_natural(node["mesh"])], T, name)
            waiting += [(child, T, depth + 1) for child in node.get("children", ())]
        return pieces

    def _mesh(self, mesh: dict[str, Any], T: Floats, node: str) -> list[MeshPiece]:
        found = []
        for primitive in mesh.get("primitives", ()):
            mode = primitive.get("mode", 4)
            if mode not in {4, 5, 6} or "POSITION" not in primitive["attributes"]:
                continue
            points = self._accessor(primitive["attributes"]["POSITION"]).astype(np.float64)
            if "_LOW" in primitive["attributes"]:  # armlab's own: what single numbers leave out
                points = points + self._accessor(primitive["attributes"]["_LOW"])
            if points.ndim != 2 or points.shape[1] != 3:
                raise _broken("POSITION is not three numbers")
            index = (
                self._accessor(primitive["indices"]).reshape(-1).astype(np.int64)
                if "indices" in primitive
                else np.arange(len(points))
            )
            faces = _faces(index, mode)
            self._triangles += len(faces)
            check_triangles(max(self._triangles, 1))
            if not len(faces):
                continue
            if np.linalg.det(T[:3, :3]) < 0.0:
                faces = faces[:, ::-1]
            found.append(MeshPiece(points @ T[:3, :3].T + T[:3, 3], faces, self._colour(primitive), node))
        return found

    def _colour(self, primitive: dict[str, Any]) -> str | None:
        if "material" not in primitive:
            return None
        material = self._tables["materials"][_natural(primitive["material"])]
        factor = material.get("pbrMetallicRoughness", {}).get("baseColorFactor")
        if factor is None:
            return None
        linear = np.clip(np.array(factor[:3], dtype=np.float64), 0.0, 1.0)
        encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)
        return hex_colour(*(float(value) for value in encoded))

    def _accessor(self, index: int) -> NDArray[Any]:
        accessor = self._tables["accessors"][_natural(index)]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise _broken("sparse accessors are not supported")
        kind, width = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        view = self._tables["bufferViews"][_natural(accessor["bufferView"])]
        count, row = _natural(accessor["count"]), kind.itemsize * width
        stride = _natural(view.get("byteStride", row)) or row
        start = _natural(view.get("byteOffset", 0)) + _natural(accessor.get("byteOffset", 0))
        data = self._buffer(_natural(view["buffer"]))
        if stride < row or count < 1 or start + stride * (count - 1) + row > len(data):
            raise _broken("an accessor reaches beyond its buffer")
        table = np.ndarray((count, width), kind, data, start, (stride, kind.itemsize))
        if not accessor.get("normalized", False) or kind.kind == "f":
            return table
        return np.maximum(table / float(np.iinfo(kind).max), -1.0)

    def _buffer(self, index: int) -> bytes:
        if index not in self._buffers:
            uri = self._tables["buffers"][index].get("uri")
            self._buffers[index] = self._own if uri is None else self._from_uri(str(uri))
        return self._buffers[index]

    def _from_uri(self, uri: str) -> bytes:
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except (ValueError, binascii.Error):
                raise _broken("a buffer's base64") from None
        found = self._beside(uri)
        if found is None or len(found) > MAX_BYTES:
            raise InvalidInput("gltf_buffer", _("its buffer '{name}' is not beside it"), name=shown(uri))
        return found


def _natural(value: Any) -> int:
    """Return an index or a size; anything else is a mistake of the file."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise _broken(f"{value!r:.40} is not an index")
    return value


def _faces(index: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Return the triangles of a list (4), a strip (5) or a fan (6)."""
    if mode == 4:
        return index[: len(index) // 3 * 3].reshape(-1, 3)
    if len(index) < 3:
        return np.empty((0, 3), dtype=np.int64)
    if mode == 6:
        return np.stack([np.full(len(index) - 2, index[0]), index[1:-1], index[2:]], axis=1)
    strip = np.stack([index[:-2], index[1:-1], index[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _place(node: dict[str, Any]) -> Floats:
    """Return the transform of a node in its parent."""
    if "matrix" in node:
        T: Floats = np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    else:
        x, y, z, w = (float(value) for value in node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
        T = pose.from_xyz_quaternion([float(v) for v in node.get("translation", (0.0, 0.0, 0.0))], [w, x, y, z])
        T = T @ np.diag([*(float(v) for v in node.get("scale", (1.0, 1.0, 1.0))), 1.0])
    if not np.isfinite(T).all():
        raise _broken("a node's place is not finite")
    return T
