"""Triangles from PLY files: text, and binary of either byte order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.mesh_parts import MAX_TRIANGLES, MeshPiece, check_triangles, fan, hex_colour
from armlab.messages import _
from armlab.validation import shown

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LONGEST_HEADER = 100_000
_MOST_CORNERS = 1000
_INDICES = ("vertex_indices", "vertex_index")


class _Property(NamedTuple):
    name: str
    kind: str
    length: str | None
    """The type of its length, where it is a list."""


class _Element(NamedTuple):
    name: str
    rows: int
    properties: tuple[_Property, ...]


def ply_pieces(data: bytes) -> list[MeshPiece]:
    """Return the triangles of a PLY file; its colour is the mean of its vertices'.

    Raises:
        InvalidInput: if it is broken, empty or too large.
    """
    order, elements, start = _header(data)
    reader = _Text(data[start:]) if not order else _Binary(data, start, order)
    vertices, faces, colour = None, None, None
    for element in elements:
        if element.rows > 4 * MAX_TRIANGLES:
            check_triangles(element.rows)
        if element.name == "vertex":
            columns = reader.columns(element)
            if not {"x", "y", "z"} <= columns.keys():
                raise _broken("x, y, z")
            vertices = np.stack([columns[key].astype(np.float64) for key in "xyz"], axis=1)
            colour = _mean_colour(columns)
        elif element.name == "face":
            faces = reader.faces(element)
            break
        else:
            reader.columns(element)
    if vertices is None or faces is None or not len(faces):
        check_triangles(0)
    assert vertices is not None
    assert faces is not None
    check_triangles(len(faces))
    return [MeshPiece(vertices, faces, colour)]


def _broken(where: str) -> InvalidInput:
    return InvalidInput("ply_broken", _("not a complete PLY file: {where}"), where=shown(where))


def _header(data: bytes) -> tuple[str, list[_Element], int]:
    """Return the byte order (empty for text), the elements and where the data begins."""
    end = data.find(b"end_header", 0, _LONGEST_HEADER)
    newline = data.find(b"\n", end)
    if end < 0 or newline < 0:
        raise _broken("end_header")
    order: str | None = None
    elements: list[_Element] = []
    for line in data[:end].decode("ascii", "replace").splitlines()[1:]:
        match line.split():
            case ["format", kind, _version] if kind in _ORDERS:
                order = _ORDERS[kind]
            case ["element", name, rows] if rows.isdecimal() and len(rows) < 12:
                elements.append(_Element(name, int(rows), ()))
            case ["property", "list", count, kind, name] if elements and {count, kind} <= _TYPES.keys():
                elements[-1] = _with(elements[-1], _Property(name, _TYPES[kind], _TYPES[count]))
            case ["property", kind, name] if elements and kind in _TYPES:
                elements[-1] = _with(elements[-1], _Property(name, _TYPES[kind], None))
            case ["comment" | "obj_info", *_]:
                pass
            case []:
                pass
            case _:
                raise _broken(line)
    if order is None:
        raise _broken("format")
    return order, elements, newline + 1


def _with(element: _Element, added: _Property) -> _Element:
    return element._replace(properties=(*element.properties, added))


def _mean_colour(columns: dict[str, NDArray[np.float64]]) -> str | None:
    if not {"red", "green", "blue"} <= columns.keys() or not len(columns["red"]):
        return None
    red, green, blue = (float(columns[key].mean()) / 255.0 for key in ("red", "green", "blue"))
    return hex_colour(red, green, blue)


def _triangles(rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return polygons of any number of corners as triangles."""
    parts = [fan(row[None]) for row in rows if len(row) >= 3]
    return np.concatenate(parts) if parts else np.empty((0, 3), dtype=np.int64)


def _checked_corners(count: int) -> int:
    if not 0 <= count <= _MOST_CORNERS:
        raise _broken(f"a face with {count} corners")
    return count


class _Text:
    """The numbers of a text file, element by element."""

    def __init__(self, data: bytes) -> None:
        self._lines = iter(data.split(b"\n"))

    def _row(self) -> list[float]:
        for line in self._lines:
            if line.strip():
                try:
                    return [float(word) for word in line.split()]
                except ValueError:
                    raise _broken(line[:80].decode("ascii", "replace")) from None
        raise _broken("end of file")

    def columns(self, element: _Element) -> dict[str, NDArray[np.float64]]:
        """Return the plain properties of an element's rows; rows with lists are passed over."""
        rows = [self._row() for _ in range(element.rows)]
        if any(each.length for each in element.properties):
            return {}
        if any(len(row) != len(element.properties) for row in rows):
            raise _broken(element.name)
        table = np.array(rows, dtype=np.float64).reshape(len(rows), len(element.properties))
        return {each.name: table[:, i] for i, each in enumerate(element.properties)}

    def faces(self, element: _Element) -> NDArray[np.int64]:
        """Return the triangles of an element with lists of indices."""
        found = []
        for _i in range(element.rows):
            row, at = self._row(), 0
            for each in element.properties:
                if at >= len(row):
                    raise _broken(element.name)
                if each.length is None:
                    at += 1
                    continue
                corners = _checked_corners(int(row[at]) if np.isfinite(row[at]) else -1)
                if each.name in _INDICES:
                    indices: Floats = np.array(row[at + 1 : at + 1 + corners])
                    if len(indices) != corners or not np.isfinite(indices).all():
                        raise _broken(element.name)
                    found.append(indices.astype(np.int64))
                at += 1 + corners
        return _triangles(found)


class _Binary:
    """The numbers of a binary file, element by element."""

    def __init__(self, data: bytes, start: int, order: str) -> None:
        self._data, self._at, self._order = data, start, order

    def _take(self, dtype: np.dtype[Any], rows: int) -> Any:
        size = dtype.itemsize * rows
        if self._at + size > len(self._data):
            raise _broken("end of file")
        table = np.frombuffer(self._data, dtype, rows, self._at)
        self._at += size
        return table

    def columns(self, element: _Element) -> dict[str, NDArray[np.float64]]:
        """Return the plain properties of an element's rows; rows with lists are passed over."""
        if any(each.length for each in element.properties):
            self._lists(element)
            return {}
        names = [f"{i}" for i in range(len(element.properties))]
        kinds = [self._order + each.kind for each in element.properties]
        table = self._take(np.dtype({"names": names, "formats": kinds}), element.rows)
        return {each.name: table[f"{i}"].astype(np.float64) for i, each in enumerate(element.properties)}

    def faces(self, element: _Element) -> NDArray[np.int64]:
        """Return the triangles of an element with lists of indices."""
        return self._even(element, 3) if self._even_fits(element, 3) else _triangles(self._lists(element))

    def _even_dtype(self, element: _Element, corners: int) -> np.dtype[np.void]:
        fields: list[tuple[str, str] | tuple[str, str, int]] = []
        for i, each in enumerate(element.properties):
            if each.length is not None:
                fields.append((f"n{i}", self._order + each.length))
                fields.append((f"v{i}", self._order + each.kind, corners))
            else:
                fields.append((f"v{i}", self._order + each.kind))
        return np.dtype(fields)

    def _even_fits(self, element: _Element, corners: int) -> bool:
        """Tell whether all lists have so many entries; there must be one list, of indices."""
        lists = [i for i, each in enumerate(element.properties) if each.length is not None]
        dtype = self._even_dtype(element, corners)
        size = dtype.itemsize * element.rows
        if len(lists) != 1 or self._at + size > len(self._data):
            return False
        table = np.frombuffer(self._data, dtype, element.rows, self._at)
        return bool((table[f"n{lists[0]}"] == corners).all()) and element.properties[lists[0]].name in _INDICES

    def _even(self, element: _Element, corners: int) -> NDArray[np.int64]:
        which = next(i for i, each in enumerate(element.properties) if each.length is not None)
        table = self._take(self._even_dtype(element, corners), element.rows)
        return np.asarray(table[f"v{which}"]).astype(np.int64)

    def _lists(self, element: _Element) -> list[NDArray[np.int64]]:
        found = []
        for _i in range(element.rows):
            for each in element.properties:
                kind = np.dtype(self._order + each.kind)
                if each.length is None:
                    self._take(kind, 1)
                    continue
                length = self._take(np.dtype(self._order + each.length), 1)[0]
                count = _checked_corners(int(length) if np.isfinite(length) else -1)
                values = self._take(kind, count)
                if each.name in _INDICES:
                    found.append(np.asarray(values).astype(np.int64))
        return found
