"""Measurements as CSV: joints in degrees (sliding ones in mm), then x, y, z in mm and, for full poses, a, b, c in °."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.measurements import Poses, Positions
from armlab.errors import InvalidInput
from armlab.files import csv_rows, read_bounded, write_whole
from armlab.geometry import pose
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.units import M_PER_MM, RAD_PER_DEG, joint_scale

MAX_BYTES = 20_000_000
MAX_ROWS = 100_000
LARGEST = 1e6
MOST_BROKEN = 20
"""Letters that are none in UTF-8: a name in another encoding has a few, a picture has many."""
XYZ, ABC = ("x", "y", "z"), ("a", "b", "c")


def read_measurements(
    path: Path | str, robot: Robot, *, noise: float | None = None, rotation_noise: float | None = None
) -> Poses | Positions:
    """Return the measurements of a CSV file; its first line names the columns: q1 … qn or the joints' names, x, y, z ….

    Raises:
        InvalidInput: if a column is missing, or a value is not a number; the message names line and column.
    """
    text = read_bounded(Path(path), MAX_BYTES).decode("utf-8-sig", errors="replace")
    return measurements_of_text(text, robot, name=str(path), noise=noise, rotation_noise=rotation_noise)


def measurements_of_text(
    text: str, robot: Robot, *, name: str, noise: float | None = None, rotation_noise: float | None = None
) -> Poses | Positions:
    """Return the measurements of a file's text; `name` is what messages call the file.

    Raises:
        InvalidInput: if a column is missing, or a value is not a number; the message names line and column.
    """
    try:
        q, places = _read(text, robot)
    except InvalidInput as error:
        raise error.within(name) from None
    xyz = places[:, :3] * M_PER_MM
    if places.shape[1] == 3:
        return Positions(q, xyz, noise)
    return Poses(q, pose.from_xyz_abc(xyz, places[:, 3:] * RAD_PER_DEG), noise, rotation_noise)


def write_measurements(measured: Poses, robot: Robot, path: Path) -> None:
    """Write poses as a file that `read_measurements` reads, whole or not at all."""
    write_whole(path, measurement_table(measured, robot).encode())


def measurement_table(measured: Poses, robot: Robot) -> str:
    """Return poses as the text of such a file."""
    q = measured.q / np.array([joint_scale(joint.kind) for joint in robot.joints])
    table = np.column_stack([q, measured.T[:, :3, 3] / M_PER_MM, pose.as_abc(measured.T) / RAD_PER_DEG])
    names = [*(f"q{i}" for i in range(1, robot.dof + 1)), *XYZ, *ABC]
    lines = [",".join(names), *(",".join(f"{value:.6f}" for value in row) for row in table)]
    return "\n".join(lines) + "\n"


def _read(text: str, robot: Robot) -> tuple[Floats, Floats]:
    if "\0" in text or text.count("\ufffd") > MOST_BROKEN:
        raise InvalidInput("not_text_file", _("not a text file"))
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise InvalidInput("measurements_empty", _("no measurements: the file is empty"))
    separator = max(",;\t", key=lines[0][1].count)
    names = [name.strip() for name in cells_of(lines[0][1], lines[0][0], separator)]
    columns = _columns(names, robot)
    if len(lines) - 1 > MAX_ROWS:
        raise InvalidInput(
            "too_many_rows", _("{count} rows; at most {most} are allowed"), count=len(lines), most=MAX_ROWS
        )
    rows = []
    for number, line in lines[1:]:
        values = numbers_of_line(cells_of(line, number, separator), number, names)
        rows.append([values[k] for k in columns])
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))
    scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
    return table[:, : robot.dof] * scales, table[:, robot.dof :]


def cells_of(text: str, line: int, separator: str = ",") -> list[str]:
    """Return the cells of one line of a table.

    Raises:
        InvalidInput: if one is too long.
    """
    return next(csv_rows([text], separator, first=line), [])


def numbers_of_line(cells: Sequence[str], line: int, names: Sequence[str]) -> list[float]:
    """Return the numbers of one line of a table whose columns have these names.

    Raises:
        InvalidInput: if there are more or fewer, or one is not a number.
    """
    if len(cells) != len(names):
        raise InvalidInput(
            "row_length",
            _("line {line}: {count} values, but the first line names {expected} columns"),
            line=line,
            count=len(cells),
            expected=len(names),
        )
    return [_number(cell, line, name) for cell, name in zip(cells, names, strict=True)]


def _columns(names: Sequence[str], robot: Robot) -> list[int]:
    """Return which column holds each joint in the robot's order, then x, y, z and perhaps a, b, c."""
    lower = [name.lower() for name in names]
    own = [joint.name.lower() for joint in robot.joints]
    counted = [f"q{i}" for i in range(1, robot.dof + 1)]
    joints = next((which for which in (counted, own) if all(name in lower for name in which)), None)
    known = {*XYZ, *ABC, *(counted if joints is None else joints)}
    extra = [name for name in names if name.lower() not in known]
    if joints is None or any(axis not in lower for axis in XYZ) or len(set(lower)) < len(lower) or extra:
        raise InvalidInput(
            "measurement_columns",
            _("the first line names the columns {given}; expected {expected}, and for full poses a, b, c"),
            given=list(names)[:20],
            expected=[*counted, *XYZ],
        )
    turned = [axis for axis in ABC if axis in lower]
    if turned and len(turned) < 3:
        raise InvalidInput(
            "measurement_columns",
            _("the first line names the columns {given}; expected {expected}, and for full poses a, b, c"),
            given=list(names)[:20],
            expected=[*counted, *XYZ, *ABC],
        )
    return [lower.index(name) for name in (*joints, *XYZ, *turned)]


def _number(text: str, line: int, column: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST:
        raise InvalidInput(
            Message(
                "measurement_value",
                _("line {line}, column {column}: {given} is not a number; mend the line or leave it out"),
                line=line,
                column=column,
                given=text.strip()[:40] or "''",
            )
        )
    return value
