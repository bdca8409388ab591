"""Tables of numbers in HDF5 files, read only from the file itself and only as large as they say they are."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from armlab.arrays import MAX_VALUES, Floats
from armlab.errors import InvalidInput
from armlab.messages import _

DEFLATE, SHUFFLE, FLETCHER = 1, 2, 3
"""Filters that are understood; HDF5 itself lets a compressed piece unpack to any size."""
MOST_PIECES = 20_000
BROKEN = (
    *(OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, MemoryError),
    zlib.error,
)
"""What damaged bytes make h5py and zlib raise."""


class UnreadTable(ValueError):
    """Something in a file that is not read."""


def hdf5_tables(path: Path, names: Collection[str]) -> dict[str, Floats]:
    """Return those of the named tables that are in a file, as data sets or as attributes of the file.

    Raises:
        InvalidInput: if the file is damaged, one of them is not a table of numbers in this file, or is too large.
    """
    import h5py

    try:
        with h5py.File(path, "r") as file:
            found = {name: _attribute(file.attrs, name) for name in names if name in file.attrs}
            return found | {name: _data_set(file, name) for name in names if name in file}
    except BROKEN as error:
        reason = str(error).partition("\n")[0][:80]
        template = _("{file}: not an HDF5 file that can be read ({reason})")
        raise InvalidInput("not_hdf5", template, file=path.name, reason=reason) from None


def _attribute(attrs: Any, name: str) -> Floats:
    kept = attrs.get_id(name)
    _check_numbers(name, kept.shape, kept.dtype)
    return np.asarray(attrs[name], dtype=np.float64)


def _data_set(file: Any, name: str) -> Floats:
    import h5py

    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise UnreadTable(f"'{name}' is a link")
    table = file[name]
    if not isinstance(table, h5py.Dataset) or table.external or table.is_virtual:
        raise UnreadTable(f"'{name}' is not a table in this file")
    _check_numbers(name, table.shape, table.dtype)
    if table.chunks is not None:
        _check_numbers(name, table.chunks, table.dtype)
        _check_pieces(name, table)
    return np.asarray(table[()], dtype=np.float64)


def _check_numbers(name: str, shape: tuple[int, ...] | None, dtype: Any) -> None:
    if shape is None or dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise UnreadTable(f"'{name}' is not a table of numbers")
    if math.prod(shape) > MAX_VALUES:
        raise UnreadTable(f"'{name}' has more than {MAX_VALUES} numbers")


def _check_pieces(name: str, table: Any) -> None:
    """Check that each compressed piece unpacks to its own size, without unpacking more than that."""
    made = table.id.get_create_plist()
    filters = [made.get_filter(i)[0] for i in range(made.get_nfilters())]
    if any(each not in {DEFLATE, SHUFFLE, FLETCHER} for each in filters) or filters.count(DEFLATE) > 1:
        raise UnreadTable(f"'{name}' is compressed in an unknown way")
    if not filters:
        return
    count = table.id.get_num_chunks()
    if count > MOST_PIECES:
        raise UnreadTable(f"'{name}' is in more than {MOST_PIECES} pieces")
    size = math.prod(table.chunks) * table.dtype.itemsize
    places: list[Any] = []
    table.id.chunk_iter(lambda piece: places.append((piece.chunk_offset, piece.size)))
    for place, stored in places:
        if stored > 2 * size + 1000:
            raise UnreadTable(f"'{name}': a piece has another size than it says")
        mask, data = table.id.read_direct_chunk(place)
        if DEFLATE in filters and not mask >> filters.index(DEFLATE) & 1:
            unpacked = zlib.decompressobj().decompress(data, size + 5)
            if len(unpacked) not in {size, size + 4}:  # with a checksum of 4 bytes where that comes first
                raise UnreadTable(f"'{name}': a piece has another size than it says")
