"""Surfaces of links as short texts, so that one robot file carries what an arm looks like.

Corners are rounded to a grid and triangles sorted, differences of neighbours are stored by bytes, compressed, and
written in base64: about five letters for each triangle.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armlab.errors import InvalidInput
from armlab.geometry.visual import Visual, clustered
from armlab.messages import _

MAX_TRIANGLES = 200_000
FARTHEST = 1e6
"""m: more is a mistake."""
GRID = 8191
"""Steps along the longest side of a surface."""
FINER = 8.0
"""Steps in one cell of a surface that was made coarser."""
SHARES = (0.0, *(2.0 ** (-k / 2) for k in range(22, 8, -1)))
"""Cells that corners become one in, as shares of the largest link, tried in turn."""
FEWEST_LETTERS = 3
"""For a triangle: with more triangles than that, packing them is not tried."""

_HEAD = struct.Struct("<4sB")
_MAGIC = b"srf1"
_PART = struct.Struct("<7s3ddII")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_BYTES_PER_TRIANGLE, _BYTES_PER_CORNER = 12, 12
_MOST_PARTS = 64
_MOST_BYTES = MAX_TRIANGLES * (_BYTES_PER_TRIANGLE + 3 * _BYTES_PER_CORNER) + _MOST_PARTS * _PART.size + _HEAD.size


def surfaces_within(links: Sequence[Sequence[Visual]], longest: int) -> list[str] | None:
    """Return a text for each link's surfaces, "" where it has none, as fine as `longest` letters for all allow.

    None where the coarsest are still too long.
    """
    extents = [float(np.ptp(each.vertices, axis=0).max()) for visuals in links for each in visuals]
    for share in SHARES:
        cell = share * max(extents, default=0.0)
        coarse = [[made for each in visuals if (made := clustered(each, cell)) is not None] for visuals in links]
        triangles = [sum(len(each.faces) for each in visuals) for visuals in coarse]
        if FEWEST_LETTERS * sum(triangles) > longest or max(triangles, default=0) > MAX_TRIANGLES:
            continue
        texts = [surface_text(visuals[:_MOST_PARTS], cell / FINER) for visuals in coarse]
        if sum(map(len, texts)) <= longest:
            return texts
    return None


def surface_text(visuals: Sequence[Visual], step: float = 0.0) -> str:
    """Return surfaces as a text; corners are rounded to `step` m, or to 1/8191 of the longest side if that is more."""
    if not visuals:
        return ""
    parts = [_HEAD.pack(_MAGIC, len(visuals)), *(_packed(visual, step) for visual in visuals)]
    return base64.b64encode(zlib.compress(b"".join(parts), 9)).decode()


def read_surface(text: str) -> tuple[Visual, ...]:
    """Return the surfaces of a text.

    Raises:
        InvalidInput: if it is not such a text, or has more than is allowed.
    """
    try:
        packed = base64.b64decode(text.encode(), validate=True)
        data = zlib.decompressobj().decompress(packed, _MOST_BYTES)
        magic, count = _HEAD.unpack_from(data)
        if magic != _MAGIC or count > _MOST_PARTS:
            raise _unreadable()
        visuals, at = [], _HEAD.size
        for _part in range(count):
            visual, at = _unpacked(data, at)
            visuals.append(visual)
    except (binascii.Error, zlib.error, struct.error, UnicodeEncodeError):
        raise _unreadable() from None
    return tuple(visuals)


def _packed(visual: Visual, step: float) -> bytes:
    low = visual.vertices.min(axis=0)
    extent = float(np.ptp(visual.vertices, axis=0).max())
    step = max(step, extent / GRID) or 1.0
    grid = np.rint((visual.vertices - low) / step).astype(np.int64)
    order = np.argsort(_morton(grid), kind="stable")  # neighbours in space stand beside each other
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    faces = rank[visual.faces]
    first = faces.argmin(axis=1)
    faces = np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)
    faces = faces[np.lexsort((faces[:, 1], faces[:, 0]))]
    corners = np.diff(grid[order], axis=0, prepend=0)
    starts = np.diff(faces[:, 0], prepend=0)
    colour = visual.colour if visual.colour is not None and _COLOUR.fullmatch(visual.colour) else ""
    head = _PART.pack(colour.encode(), *low, step, len(grid), len(faces))
    columns = (*corners.T, starts, faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    return head + b"".join(map(_bytes, columns))


def _unpacked(data: bytes, at: int) -> tuple[Visual, int]:
    """Return a surface, and where the next begins."""
    colour, *low, step, corners, triangles = _PART.unpack_from(data, at)
    name = colour.rstrip(b"\0").decode("ascii", "replace")
    if not (np.isfinite([*low, step]).all() and 0 < triangles <= MAX_TRIANGLES and corners <= 3 * MAX_TRIANGLES):
        raise _unreadable()
    if name and not _COLOUR.fullmatch(name):
        raise _unreadable()
    at += _PART.size
    end = at + 4 * 3 * (corners + triangles)
    if len(data) < end:
        raise _unreadable()
    middle = at + 4 * 3 * corners
    grid = np.cumsum(_numbers(data[at:middle], corners), axis=1).T
    starts, second, third = _numbers(data[middle:end], triangles)
    first = np.cumsum(starts)
    faces = np.stack([first, first + second, first + third], axis=1)
    if faces.min() < 0 or faces.max() >= corners or max(abs(step), np.abs(low).max()) > FARTHEST:
        raise _unreadable()
    return Visual(np.array(low) + step * grid, faces, name or None), end


def _morton(grid: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number for each corner (v, 3): the bits of its three coordinates in turn."""
    out = np.zeros(len(grid), dtype=np.int64)
    for bit in range(14):
        for k in range(3):
            out |= ((grid[:, k] >> bit) & 1) << (3 * bit + k)
    return out


def _bytes(values: NDArray[np.int64]) -> bytes:
    """Return numbers as all their lowest bytes, then all the next …; small negative ones have small bytes, too."""
    folded = ((values << 1) ^ (values >> 63)).astype("<u4")
    return folded.view(np.uint8).reshape(-1, 4).T.tobytes()


def _numbers(data: bytes, count: int) -> NDArray[np.int64]:
    """Return three rows of `count` numbers from their bytes."""
    folded = np.frombuffer(data, dtype=np.uint8).reshape(3, 4, count).transpose(0, 2, 1)
    values = np.ascontiguousarray(folded).view("<u4").reshape(3, count).astype(np.int64)
    return np.asarray((values >> 1) ^ -(values & 1))


def _unreadable() -> InvalidInput:
    return InvalidInput("surface_text", _("surface: not a surface as armlab writes it"))
