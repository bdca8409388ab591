"""Recordings as tables for other programs: CSV and Parquet, in SI units, which the names of the columns tell."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.recording.recorder import UNITS
from armlab.recording.recording import Recording

_UNITS = {
    "rad": ("rad", "rad_s", "Nm"),
    "m": ("m", "m_s", "N"),
    "": ("rad_or_m", "rad_s_or_m_s", "Nm_or_N"),
}


def columns(recording: Recording) -> dict[str, Floats]:
    """Return the recording as named columns (m,): `time_s`, `q_A1_rad`, …; speeds and forces where there are any."""
    table = {"time_s": recording.t}
    units = _joint_units(recording)
    for place, (what, rows) in enumerate((("q", recording.q), ("qd", recording.qd), ("tau", recording.tau))):
        if place == 0 or not np.isnan(rows).all():
            for i, name in enumerate(recording.names):
                table[f"{what}_{name}_{_UNITS[units[i]][place]}"] = rows[:, i]
    return table


def export_csv(recording: Recording, path: Path | str) -> None:
    """Write the recording as a table of text, with every digit; what was not recorded is an empty cell.

    Raises:
        InvalidInput: if the name does not end in .csv, or it cannot be written.
    """
    path = _checked(path, ".csv")
    table = columns(recording)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in np.column_stack(list(table.values())).tolist():
        writer.writerow(["" if math.isnan(value) else value for value in row])
    write_whole(path, text.getvalue().encode())


def export_parquet(recording: Recording, path: Path | str) -> None:
    """Write the recording as a Parquet file; the metadata of the recording is in that of the table.

    Raises:
        InvalidInput: if the name does not end in .parquet, or it cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = _checked(path, ".parquet")
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns(recording).items()})
    facts = {key.encode(): value.encode() for key, value in recording.metadata.items()}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(facts), out, compression="zstd")
    write_whole(path, out.getvalue())


def _joint_units(recording: Recording) -> list[str]:
    """Return "rad" or "m" for each joint, or "" where the file does not tell."""
    units = recording.listed(UNITS)
    is_known = len(units) == len(recording.names) and set(units) <= {"rad", "m"}
    return units if is_known else [""] * len(recording.names)


def _checked(path: Path | str, suffix: str) -> Path:
    path = Path(path)
    if path.suffix.lower() != suffix:
        raise InvalidInput(f"{path.name}: the name ends in {suffix}")
    return path
