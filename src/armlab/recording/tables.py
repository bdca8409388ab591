"""Recordings from tables: CSV and Parquet files with the columns that the exports write."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from armlab.arrays import MAX_VALUES, Floats, read_only
from armlab.errors import InvalidInput
from armlab.files import MOST_TEXT_BYTES, csv_rows, read_bounded, text_lines
from armlab.messages import _
from armlab.recording.recording import JOINTS, QUANTITIES, SIGNALS, UNITS, Q, Recording
from armlab.units import DEG_PER_RAD, MM_PER_M

MOST_BYTES = 2_000_000_000
_SCALES = {
    "rad": {"deg": DEG_PER_RAD, "deg_s": DEG_PER_RAD, "deg_s2": DEG_PER_RAD, "Nm": 1.0, "rad": 1.0, "rad_s": 1.0},
    "m": {"mm": MM_PER_M, "mm_s": MM_PER_M, "mm_s2": MM_PER_M, "N": 1.0, "m": 1.0, "m_s": 1.0, "m_s2": 1.0},
    "": {"rad_or_m": 1.0, "rad_s_or_m_s": 1.0, "rad_s2_or_m_s2": 1.0, "Nm_or_N": 1.0, "rad_s2": 1.0},
}
"""By the unit that a joint's position has in a recording: units of columns, and how many of them make one of SI."""
_BY_LENGTH = sorted(QUANTITIES, key=len, reverse=True)


def read_csv(path: Path) -> Recording:
    """Return the recording in a table of text; empty cells are what was not recorded.

    Raises:
        InvalidInput: if it cannot be read, has no times or positions, or a row is not usable; it names the row.
    """
    rows = csv_rows(text_lines(read_bounded(path, MOST_TEXT_BYTES)))
    try:
        return recording_of(_text_columns(rows, path.name), path.name)
    except InvalidInput as error:
        raise (error.within(path.name) if error.code == "table_cell_too_long" else error) from None


def _text_columns(rows: Iterator[list[str]], file: str) -> dict[str, Floats]:
    names = [name.strip() for name in next(rows, [])]
    values = array("d")
    for number, cells in enumerate(rows, 1):
        if not cells:
            continue
        try:
            row = [float(cell) if cell.strip() else np.nan for cell in cells]
        except ValueError:
            row = []
        if len(row) != len(names):
            template = _("{file}: row {row} is not {width} numbers: {text}")
            shown = ",".join(cells)[:80]
            raise InvalidInput("table_row", template, file=file, row=number, width=len(names), text=shown)
        values.extend(row)
        check_size(len(values), file)
    table = np.frombuffer(values, dtype=np.float64).reshape(-1, max(len(names), 1))
    return {name: table[:, i] for i, name in enumerate(names)}


def check_size(count: int, file: str) -> None:
    """Raise InvalidInput if a file has more numbers than are read at once."""
    if count > MAX_VALUES:
        template = _("{file}: more than the {most} numbers that are read at once")
        raise InvalidInput("table_too_large", template, file=file, most=MAX_VALUES)


def read_parquet(path: Path) -> Recording:
    """Return the recording in a Parquet file.

    Raises:
        InvalidInput: if it cannot be read, or has no times or positions.
    """
    return recording_of(parquet_columns(path), path.name)


def parquet_columns(path: Path) -> dict[str, Floats]:
    """Return the columns (m,) of a Parquet file of numbers by their names.

    Raises:
        InvalidInput: if it cannot be read, has other columns than numbers, or more of them than are read at once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read_bounded(path, MOST_BYTES)
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        facts = file.metadata
        groups = [facts.row_group(i) for i in range(facts.num_row_groups)]
        check_size(max(facts.num_rows, sum(group.num_rows for group in groups)) * max(facts.num_columns, 1), path.name)
        for field in file.schema_arrow:
            if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
                raise TypeError(f"{field.name}: {field.type}"[:80])  # noqa: TRY301 - as Arrow says it of other columns
        table = file.read(use_threads=False)
        return {name: np.asarray(table[name], dtype=np.float64) for name in table.column_names}
    except (pa.ArrowException, ValueError, TypeError, OSError, KeyError, MemoryError, OverflowError) as error:
        if isinstance(error, InvalidInput):
            raise
        reason = str(error).partition("\n")[0]
        raise InvalidInput(
            "table_parquet", _("{file}: not a table of numbers ({reason})"), file=path.name, reason=reason
        ) from None


def recording_of(columns: dict[str, Floats], file: str) -> Recording:
    """Return named columns (m,) as a recording; columns with other names than those of exports are left out."""
    t = columns.get("time_s")
    if t is None:
        raise InvalidInput("table_without", _("{file}: no column '{column}'"), file=file, column="time_s")
    found: dict[tuple[str, str], tuple[str, Floats]] = {}
    for name, values in columns.items():
        read = _joint_column(name)
        if read is not None:
            quantity, joint, unit, scale = read
            found[quantity, joint] = unit, values / scale
    joints = [joint for quantity, joint in found if quantity == QUANTITIES[Q]]
    if not joints:
        raise InvalidInput("table_without", _("{file}: no column '{column}'"), file=file, column="q_JOINT_deg")
    _check_times(t, file)
    values = np.full((len(t), len(QUANTITIES), len(joints)), np.nan)
    for row, quantity in enumerate(QUANTITIES):
        for i, joint in enumerate(joints):
            if (quantity, joint) in found:
                values[:, row, i] = found[quantity, joint][1]
    units = [found[QUANTITIES[Q], joint][0] for joint in joints]
    facts = {JOINTS: json.dumps(joints)} | ({UNITS: json.dumps(units)} if all(units) else {})
    signals = _signals(columns, len(t))
    return Recording(tuple(joints), read_only(t), read_only(values), facts, signals=signals)


def _check_times(t: Floats, file: str) -> None:
    bad = np.flatnonzero(~np.isfinite(t))
    if len(bad):
        raise InvalidInput("table_time", _("{file}: row {row} has no time"), file=file, row=int(bad[0]) + 1)


def _joint_column(name: str) -> tuple[str, str, str, float] | None:
    """Return quantity, joint, unit of its position and scale of a column; None if it is not one of a joint."""
    for quantity in _BY_LENGTH:
        if name.startswith(f"{quantity}_"):
            rest = name[len(quantity) + 1 :]
            for unit, scales in _SCALES.items():
                for suffix, scale in sorted(scales.items(), key=lambda item: -len(item[0])):
                    if rest.endswith(f"_{suffix}") and len(rest) > len(suffix) + 1:
                        return quantity, rest[: -len(suffix) - 1], unit, scale
    return None


def _signals(columns: dict[str, Floats], count: int) -> Floats | None:
    table = np.full((count, len(SIGNALS)), np.nan)
    for i, signal in enumerate(SIGNALS):
        what, _line, unit = signal.rpartition("_")
        shown, scale = {"rad": ("deg", DEG_PER_RAD), "m": ("mm", MM_PER_M)}.get(unit, (unit, 1.0))
        if f"{what}_{shown}" in columns:
            table[:, i] = columns[f"{what}_{shown}"] / scale
    return None if np.isnan(table).all() else read_only(table)
