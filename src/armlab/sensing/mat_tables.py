"""Tables of numbers in MAT files of version 5 (MATLAB's `save -v7`), read without running into what a file says.

The format (MathWorks, "MAT-File Format"): a head of 128 bytes, then elements: type and size (4 bytes each), data. An
element may be compressed with zlib; inside is a matrix: flags, dimensions, name, numbers, each an element again, those
of at most 4 bytes in a short form. Everything is bounded by the bytes that are there and by MAX_VALUES.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator

import numpy as np

from armlab.arrays import MAX_VALUES, Floats
from armlab.errors import InvalidInput
from armlab.messages import _

HEAD = 128
MATRIX, COMPRESSED = 14, 15
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""NumPy's names of the types of elements."""
NUMERIC = range(6, 16)
"""Classes of matrices: double, single and whole numbers."""
COMPLEX = 0x0800
MOST_DIMENSIONS = 8
BEFORE_NUMBERS = 1000
"""Bytes in front of a matrix's numbers, at most: flags, dimensions, name."""


class DamagedMatrix(ValueError):
    """Bytes that are not a matrix."""


def is_mat5(data: bytes) -> bool:
    """Whether a file begins as a MAT file of version 5 does."""
    return len(data) >= HEAD and data[126:128] in {b"IM", b"MI"} and _version(data) == 0x0100


def mat5_tables(data: bytes, names: Collection[str]) -> dict[str, Floats]:
    """Return those of the named matrices that are in a file of version 5; other variables are not looked at.

    Raises:
        InvalidInput: if the file is damaged, one of them is not a table of real numbers, or they are too large.
    """
    order = "<" if data[126:128] == b"IM" else ">"
    found: dict[str, Floats] = {}
    try:
        for outer, body in _elements(memoryview(data)[HEAD:], order, padded=False):
            kind, inside = outer, body
            if kind == COMPRESSED:
                start = _unpacked(body, BEFORE_NUMBERS)
                if len(start) < 8 or _name(start, order) not in names:
                    continue
                unpacked = _unpacked(body, 8 + 8 * MAX_VALUES)
                kind, inside = next(_elements(memoryview(unpacked), order), (0, body))
            if kind == MATRIX and (named := _table(inside, order, names)) is not None:
                found[named[0]] = named[1]
    except (DamagedMatrix, zlib.error) as error:
        raise InvalidInput("not_mat", _("not a MAT file ({reason})"), reason=str(error)[:80]) from None
    return found


def _version(data: bytes) -> int:
    return int.from_bytes(data[124:126], "little" if data[126:128] == b"IM" else "big")


def _unpacked(body: memoryview, most: int) -> bytes:
    """Return what a compressed element holds, at most so many bytes of it."""
    return zlib.decompressobj().decompress(body, most)


def _elements(data: memoryview, order: str, *, padded: bool = True) -> Iterator[tuple[int, memoryview]]:
    """Return types and data of elements one after the other; those inside a matrix begin at multiples of 8 bytes."""
    place = 0
    while place + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, place)
        if kind >> 16:  # the short form: size, type and up to 4 bytes of data
            kind, size, start, end = kind & 0xFFFF, kind >> 16, place + 4, place + 8
            if size > 4:
                raise DamagedMatrix("short element")
        else:
            start = place + 8
            end = start + size + (-size % 8 if padded else 0)
        if start + size > len(data):
            raise DamagedMatrix("too short")
        yield kind, data[start : start + size]
        place = end


def _head(data: memoryview, order: str) -> tuple[int, tuple[int, ...], str, Iterator[tuple[int, memoryview]]]:
    """Return flags, dimensions and name of a matrix, and the elements behind them."""
    parts = _elements(data, order)
    (_u, flags), (_i, sizes), (_c, name) = (next(parts, (0, data[:0])) for _part in range(3))
    if len(flags) != 8 or len(sizes) % 4 or not 8 <= len(sizes) <= 4 * MOST_DIMENSIONS:
        raise DamagedMatrix("head of a matrix")
    shape = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    return int(struct.unpack_from(f"{order}I", flags)[0]), shape, bytes(name).decode("latin-1"), parts


def _name(start: bytes, order: str) -> str:
    """Return the name of a matrix by its first bytes, without looking for its end."""
    return _head(memoryview(start)[8:], order)[2]


def _table(data: memoryview, order: str, names: Collection[str]) -> tuple[str, Floats] | None:
    flags, shape, name, parts = _head(data, order)
    if name not in names:
        return None
    kind, numbers = next(parts, (0, data[:0]))
    count = int(np.prod([max(n, 0) for n in shape], dtype=object))
    dtype = np.dtype(order + NUMBERS[kind]) if kind in NUMBERS else None
    if flags & 0xFF not in NUMERIC or flags & COMPLEX or dtype is None or min(shape) < 0:
        raise DamagedMatrix(f"'{name}' is not a table of real numbers")
    if count > MAX_VALUES:
        raise DamagedMatrix(f"'{name}' has more than {MAX_VALUES} numbers")
    if len(numbers) != count * dtype.itemsize:
        raise DamagedMatrix(f"'{name}' is cut off")
    return name, np.frombuffer(numbers, dtype=dtype).astype(np.float64).reshape(shape, order="F")
