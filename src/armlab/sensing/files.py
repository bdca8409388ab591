"""Records of inertial sensors as files: tables (CSV, Parquet), bags (MCAP, rosbag2) and the files of the BROAD set."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armlab.arrays import MAX_VALUES, Floats
from armlab.errors import InvalidInput
from armlab.files import MOST_TEXT_BYTES, checked_suffix, csv_rows, read_bounded, text_lines, write_whole
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.recording.tables import check_size, parquet_columns
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import imu_record, quantities
from armlab.sensing.sensor import SensorSamples, SensorSpec
from armlab.sensing.table import record_of_columns

TABLES = (".csv", ".parquet")
WRITTEN = (".mcap", *TABLES)
READ = (*WRITTEN, ".db3", ".mat", ".hdf5", ".h5")
_XYZ = "xyz"
_COLUMNS = (
    ("gyro", _XYZ, "_rad_s"),
    ("acc", _XYZ, "_m_s2"),
    ("mag", _XYZ, "_uT"),
    ("orientation", "wxyz", ""),
    ("position", _XYZ, "_m"),
    ("velocity", _XYZ, "_m_s"),
)


class ImuFile(NamedTuple):
    """What was read: the record, and what is odd about it."""

    record: ImuRecord
    findings: tuple[Finding, ...]


def write_imu(record: ImuRecord, path: Path | str) -> Path:
    """Write a record as what the name ends in: .mcap (ROS 2 messages), .csv or .parquet. An existing file is replaced.

    Raises:
        InvalidInput: if the name ends otherwise, or the file cannot be written.
    """
    target = checked_suffix(Path(path), WRITTEN)
    if target.suffix.lower() == ".mcap":
        from armlab.sensing.bags import write_bag

        write_bag(record, target)
    else:
        _write_table(target, columns_of(record), record.notes)
    return target


def write_samples(spec: SensorSpec, samples: SensorSamples, robot: Robot, path: Path | str) -> Path:
    """Write what a sensor on `robot` or near it read: that of an inertial unit as `write_imu` does, others as tables.

    Columns are `time_s`, what was read by its name and unit, and the same with `true_` before it.

    Raises:
        InvalidInput: if the file cannot be written, or is an .mcap of another kind of sensor.
    """
    if spec.kind == "imu":
        return write_imu(imu_record(spec, samples), path)
    target = checked_suffix(Path(path), TABLES)
    names = quantities(spec, robot)
    read, true = (values.reshape(-1, len(names)) for values in (samples.read, samples.true))
    table = {"time_s": samples.t} | {name: read[:, i] for i, name in enumerate(names)}
    table |= {f"true_{name}": true[:, i] for i, name in enumerate(names)}
    _write_table(target, table, {"sensor": spec.name, "seed": str(spec.seed)})
    return target


def _write_table(target: Path, columns: dict[str, Floats], notes: Mapping[str, str]) -> None:
    if target.suffix.lower() == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(np.column_stack(list(columns.values())).tolist())
        write_whole(target, text.getvalue().encode())
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    facts = {str(k): str(v) for k, v in notes.items()}
    whole = {name: np.ascontiguousarray(column) for name, column in columns.items()}
    pq.write_table(pa.table(whole).replace_schema_metadata(facts), out, compression="zstd")
    write_whole(target, out.getvalue())


def read_imu(path: Path | str, *, gyro_unit: str = "", acc_unit: str = "") -> ImuFile:
    """Return the record in a file: .csv with a header, .parquet, ROS 2 messages in .mcap or .db3, .mat, .hdf5 of BROAD.

    A folder is a bag of rosbag2: all .mcap or .db3 files in it are read, one after the other.

    Units are those in the names of the columns, or SI; `gyro_unit` ("rad/s", "deg/s") and `acc_unit` ("m/s2", "g") say
    otherwise.

    Raises:
        InvalidInput: if the file cannot be read, a column is missing, or a row is not usable; it names the row.
    """
    source = Path(path)
    findings: list[Finding] = []
    if source.is_dir():
        from armlab.sensing.bags import read_bag

        record = read_bag(source)
        return ImuFile(record, tuple(oddities(record)))
    if not checked_suffix(source, READ).is_file():
        raise InvalidInput("file_missing", _("no such file")).within(str(source))
    match source.suffix.lower():
        case ".csv":
            record, findings = record_of_columns(_csv_columns(source), source.name, gyro_unit, acc_unit)
        case ".parquet":
            record, findings = record_of_columns(parquet_columns(source), source.name, gyro_unit, acc_unit)
        case ".mat" | ".hdf5" | ".h5":
            from armlab.sensing.broad import read_broad

            record = read_broad(source)
        case _:
            from armlab.sensing.bags import read_bag

            record = read_bag(source)
    return ImuFile(record, (*findings, *oddities(record)))


def columns_of(record: ImuRecord) -> dict[str, Floats]:
    """Return a record as named columns (m,): `time_s`, `gyro_x_rad_s`, …; what there is."""
    table = {"time_s": record.t}
    for what, axes, unit in _COLUMNS:
        values = getattr(record, what)
        if values is not None:
            table |= {f"{what}_{axis}{unit}": np.ascontiguousarray(values[:, i]) for i, axis in enumerate(axes)}
    return table


def oddities(record: ImuRecord) -> list[Finding]:
    """Return warnings about units that are not plausible, and about gaps in time."""
    found = []
    size = float(np.median(np.linalg.norm(record.acc, axis=1)))
    if not 6.0 < size < 14.0:
        template = _("{name}: median specific force {size:.3g} m/s²; 9.81 is expected at rest (is it in g?)")
        found.append(Finding("warning", Message("imu_force_unit", template, name=record.name, size=size)))
    fastest = float(np.abs(record.gyro).max())
    if fastest > 40.0:
        template = _("{name}: a rate of {rate:.3g} rad/s is read; is it in °/s?")
        found.append(Finding("warning", Message("imu_rate_unit", template, name=record.name, rate=fastest)))
    steps = np.diff(record.t)
    longest = int(np.argmax(steps))
    if steps[longest] > 3.0 * np.median(steps):
        template = _("{name}: {gap:.3g} s without a sample after row {row}")
        gap = Message("imu_gap", template, name=record.name, gap=float(steps[longest]), row=longest + 1)
        found.append(Finding("warning", gap))
    return found


def _csv_columns(path: Path) -> dict[str, Floats]:
    data = read_bounded(path, MOST_TEXT_BYTES)
    first = text_lines(data).readline()
    separator = max(",;\t", key=first.count)
    try:
        names = [name.strip() for name in next(csv_rows([first], separator), [])]
    except InvalidInput as error:
        raise error.within(path.name) from None
    if names and all(_is_number(name) for name in names):
        raise InvalidInput(
            "imu_no_header",
            _("{file}: row 1 has numbers; it must name the columns: time_s, gyro_x_rad_s …"),
            file=path.name,
        )
    most = min(MAX_VALUES // max(len(names), 1), data.count(b"\n") + data.count(b"\r")) + 1  # asked for at once
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file without rows, which is told below
            lines = _rows_of(data, separator, len(names))
            rows = np.loadtxt(lines, delimiter=separator, ndmin=2, comments=None, max_rows=most)
    except ValueError:
        raise _bad_row(path, data, separator, len(names)) from None
    if rows.size == 0 or rows.shape[1] != len(names):
        raise _bad_row(path, data, separator, len(names))
    check_size(rows.size, path.name)
    return {name: rows[:, i] for i, name in enumerate(names)}


def _data_lines(data: bytes, separator: str) -> Iterator[str]:
    """Return the lines behind the first one; where cells end at other signs, a comma is a decimal point."""
    lines = text_lines(data)
    lines.readline()
    for line in lines:  # spreadsheets write decimal commas in many countries
        yield line if separator == "," else line.replace(",", ".")


def _rows_of(data: bytes, separator: str, width: int) -> Iterator[str]:
    """Return the lines behind the first one; ValueError before one that has not `width` cells."""
    for line in _data_lines(data, separator):
        if line.strip() and line.count(separator) != width - 1:
            raise ValueError(line[:80])
        yield line


def _bad_row(path: Path, data: bytes, separator: str, width: int) -> InvalidInput:
    """Return the error about the first row that is not `width` numbers; row 1 is the first of the data."""
    for i, line in enumerate(_data_lines(data, separator)):
        cells = line.split(separator)
        if line.strip() and (len(cells) != width or not all(_is_number(cell) for cell in cells)):
            template = _("{file}: row {row} is not {width} numbers: {text}")
            text = line.strip()[:80]
            return InvalidInput("imu_row", template, file=path.name, row=i + 1, width=width, text=text)
    return InvalidInput("imu_empty", _("{file}: no rows of numbers"), file=path.name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
