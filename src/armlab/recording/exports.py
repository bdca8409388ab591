"""Recordings as files: MCAP for ROS 2 and Foxglove; CSV and Parquet as tables whose columns name their units."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path
from typing import Literal

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.recording.recorder import Recorder
from armlab.recording.recording import QUANTITIES, SIGNALS, UNITS, Q, Recording
from armlab.units import DEG_PER_RAD, MM_PER_M

_UNITS = {
    "rad": ("deg", "deg_s", "deg_s2", "Nm"),
    "m": ("mm", "mm_s", "mm_s2", "N"),
    "": ("rad_or_m", "rad_s_or_m_s", "rad_s2_or_m_s2", "Nm_or_N"),
}
"""Units of position, speed, acceleration and force by the unit of the position in a recording."""
_SHOWN = {"rad": ("deg", DEG_PER_RAD), "m": ("mm", MM_PER_M)}
"""The unit that a table has in the place of one of a recording, and the factor."""
_FORCE = 3
FileKind = Literal["csv", "mcap", "parquet"]


def columns(recording: Recording) -> dict[str, Floats]:
    """Return the recording as named columns (m,), in degrees and millimetres: what there is.

    `time_s`, `q_A1_deg`, …, `command_q_A1_deg`, …, `joint_gap_mm`, …, `tool_x_mm`, …; names have no spaces or commas.
    """
    table = {"time_s": recording.t}
    units = _joint_units(recording)
    names = column_names(recording.names)
    for row, quantity in enumerate(QUANTITIES):
        values = recording.joints[:, row]
        if row == Q or not np.isnan(values).all():
            for i, name in enumerate(names):
                factor = 1.0 if row % 4 == _FORCE or not units[i] else _SHOWN[units[i]][1]
                table[f"{quantity}_{name}_{_UNITS[units[i]][row % 4]}"] = factor * values[:, i]
    if recording.signals is not None:
        for name, column in zip(SIGNALS, recording.signals.T, strict=True):
            if not np.isnan(column).all():
                what, _line, unit = name.rpartition("_")
                shown, factor = _SHOWN.get(unit, (unit, 1.0))
                table[f"{what}_{shown}"] = factor * column
    return table


def column_names(joints: tuple[str, ...]) -> list[str]:
    """Return names that every program reads as one word; with numbers where two would be the same."""
    words = [re.sub(r"[^\w.-]+", "_", name) for name in joints]
    return words if len(set(words)) == len(words) else [f"{word}_{i}" for i, word in enumerate(words, 1)]


def export_recording(recording: Recording, path: Path | str, robot: Robot | None = None) -> None:
    """Write the recording as what the name ends in: .mcap, .csv or .parquet; see there.

    Raises:
        InvalidInput: if the name ends otherwise, or the file cannot be written.
    """
    match Path(path).suffix.lower():
        case ".csv":
            export_csv(recording, path)
        case ".parquet":
            export_parquet(recording, path)
        case _:
            export_mcap(recording, path, robot)


def export_mcap(recording: Recording, path: Path | str | io.BytesIO, robot: Robot | None = None) -> None:
    """Write the recording as an MCAP file; with the frames of `robot`, if it is given. An existing file is replaced.

    Raises:
        InvalidInput: if the name does not end in .mcap, it cannot be written, or times run backwards.
    """
    frames = None if robot is None else robot.frames(np.ascontiguousarray(recording.q))
    source = dict(recording.metadata)
    with Recorder(path, robot or recording.names, source=source, overwrite=True) as recorder:
        for i, time in enumerate(recording.t.tolist()):
            signals = None if recording.signals is None else recording.signals[i]
            recorder.write_joints(time, recording.joints[i], None if frames is None else frames[i], signals)


def export_csv(recording: Recording, path: Path | str) -> None:
    """Write the recording as a table of text, with every digit (degrees, mm); what was not recorded is an empty cell.

    Raises:
        InvalidInput: if the name does not end in .csv, or it cannot be written.
    """
    write_whole(_checked(path, ".csv"), _csv_bytes(recording))


def export_parquet(recording: Recording, path: Path | str) -> None:
    """Write the recording as a Parquet file; the metadata of the recording is in that of the table.

    Raises:
        InvalidInput: if the name does not end in .parquet, or it cannot be written.
    """
    write_whole(_checked(path, ".parquet"), _parquet_bytes(recording))


def exported_bytes(recording: Recording, kind: FileKind, robot: Robot | None = None) -> bytes:
    """Return what `export_recording` writes; nothing goes to any disk."""
    match kind:
        case "csv":
            return _csv_bytes(recording)
        case "parquet":
            return _parquet_bytes(recording)
        case "mcap":
            out = io.BytesIO()
            export_mcap(recording, out, robot)
            return out.getvalue()


def _csv_bytes(recording: Recording) -> bytes:
    table = columns(recording)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in np.column_stack(list(table.values())).tolist():
        writer.writerow(["" if math.isnan(value) else value for value in row])
    return text.getvalue().encode()


def _parquet_bytes(recording: Recording) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns(recording).items()})
    facts = {key.encode(): value.encode() for key, value in recording.metadata.items()}
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(facts), out, compression="zstd")
    return out.getvalue()


def _joint_units(recording: Recording) -> list[str]:
    """Return "rad" or "m" for each joint, or "" where the file does not tell."""
    units = recording.listed(UNITS)
    is_known = len(units) == len(recording.names) and set(units) <= {"rad", "m"}
    return units if is_known else [""] * len(recording.names)


def _checked(path: Path | str, suffix: str) -> Path:
    path = Path(path)
    if path.suffix.lower() != suffix:
        template = _("{file}: the file name must end in {suffixes}")
        raise InvalidInput("file_suffix", template, file=path.name, suffixes=[suffix])
    return path
