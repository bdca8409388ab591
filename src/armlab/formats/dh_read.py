"""Denavit–Hartenberg tables as people keep them: CSV, TOML or JSON, columns found by name, units told or guessed."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from armlab.appearance.generated import with_body
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import csv_rows, read_bounded
from armlab.formats.description import DescribedKind, Repairs
from armlab.formats.expression import Value, evaluate
from armlab.formats.repair import GivenLimits, repaired_limits
from armlab.formats.xml_attributes import printable
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.dh import DhConvention, DhRow, DhTable, robot_from_dh
from armlab.model.parts import JointKind
from armlab.model.robot import MAX_JOINTS, Robot
from armlab.validation import parsed_json, parsed_toml

MAX_BYTES = 200_000
_COLUMNS = {
    "theta": ("theta", "θ", "th", "thetai", "theta_i", "offset", "theta_offset"),
    "d": ("d", "di", "d_i"),
    "a": ("a", "ai", "a_i", "r", "ri"),
    "alpha": ("alpha", "α", "al", "alphai", "alpha_i", "twist"),
    "kind": ("kind", "type", "joint_type", "sigma"),
    "joint": ("joint", "name", "link", "i", "no", "#"),
    "lower": ("lower", "min", "qmin", "q_min", "lower_limit"),
    "upper": ("upper", "max", "qmax", "q_max", "upper_limit"),
    "velocity": ("velocity", "speed", "qdmax", "max_velocity"),
}
_KINDS: dict[str, JointKind] = {
    "": "revolute", "r": "revolute", "revolute": "revolute", "rotation": "revolute", "0": "revolute",
    "p": "prismatic", "prismatic": "prismatic", "linear": "prismatic", "translation": "prismatic", "1": "prismatic",
}  # fmt: skip
_LENGTHS = {"m": 1.0, "mm": 0.001, "cm": 0.01, "in": 0.0254, "inch": 0.0254}
_ANGLES = {
    "rad": 1.0,
    "deg": math.pi / 180.0,
    "°": math.pi / 180.0,
    "degree": math.pi / 180.0,
    "degrees": math.pi / 180.0,
}
LONGEST_NUMBER = 1000
"""Bits."""
LARGEST = 1e6
"""Of a number in the table's own unit; more is a mistake."""
_VARIABLE = re.compile(r"(q|θ|theta|th|d|t|x)_?\{?\d*\}?\*?")


class DhFile(NamedTuple):
    """An arm read from a table, and what was guessed."""

    robot: Robot
    repairs: Repairs


class _Cells(NamedTuple):
    """One row of the file: texts by the names of columns."""

    line: int
    texts: dict[str, str]


class _Sheet(NamedTuple):
    convention: str | None
    units: dict[str, str]
    rows: list[_Cells]
    base: Any = None
    tool: Any = None


def read_dh(path: Path, *, convention: DhConvention | None = None) -> DhFile:
    """Return the arm of a table in a .csv, .toml or .json file.

    Raises:
        InvalidInput: if it cannot be read, or has no columns theta, d, a and alpha.
    """
    repairs = Repairs(path.name)
    try:
        sheet = _sheet(path, read_bounded(path, MAX_BYTES))
        return DhFile(_arm(path, sheet, convention, repairs), repairs)
    except InvalidInput as error:
        raise error.within(path.name) from None


def _sheet(path: Path, data: bytes) -> _Sheet:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("not_text_file", _("not a text file")) from None
    if path.suffix.lower() == ".csv":
        return _csv_sheet(text)
    table = parsed_toml(text) if path.suffix.lower() == ".toml" else parsed_json(data)
    if isinstance(table, list):
        table = {"joints": table}
    known = table if isinstance(table, dict) else {}
    rows = next((known[key] for key in ("joints", "joint", "rows", "dh", "links") if key in known), None)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput("dh_no_rows", _("no list of rows: give joints = [{{theta, d, a, alpha}}, …]"))
    units = {key: _text(table[key]) for key in ("length", "angle") if key in table}
    cells = [_Cells(i + 1, _named(row)) for i, row in enumerate(rows)]
    told = table.get("convention")
    return _Sheet(None if told is None else _text(told), units, cells, table.get("base"), table.get("tool"))


def _text(value: object) -> str:
    """Return a value of a table as text; Python refuses to write whole numbers of thousands of digits."""
    return "inf" if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER else str(value)


def _named(row: dict[str, Any]) -> dict[str, str]:
    return {found: _text(value) for key, value in row.items() if (found := _column(str(key))[0]) is not None}


def _csv_sheet(text: str) -> _Sheet:
    lines = text.splitlines()
    notes = " ".join(line for line in lines if line.lstrip().startswith("#")).lower()
    body = [(i + 1, line) for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if len(body) < 2:
        raise InvalidInput("dh_no_rows", _("no list of rows: give joints = [{{theta, d, a, alpha}}, …]"))
    delimiter = max(",;\t", key=body[0][1].count)
    parsed = list(csv_rows((line for _i, line in body), delimiter))
    header = [_column(cell) for cell in parsed[0]]
    units = {
        "length" if name in {"d", "a"} else "angle": unit
        for name, unit in header
        if unit and name in {"d", "a", "theta", "alpha"}
    }
    rows = [
        _Cells(body[i][0], {name: cell.strip() for (name, _unit), cell in zip(header, cells, strict=False) if name})
        for i, cells in enumerate(parsed)
        if i
    ]
    return _Sheet(next((word for word in ("modified", "standard") if word in notes), None), units, rows)


def _column(cell: str) -> tuple[str | None, str]:
    """Return which column a heading names, and the unit that stands in it."""
    found = re.fullmatch(r"\s*([^\[(,]+?)\s*(?:[\[(,]\s*([\w°]+)\s*[\])]?)?\s*", cell)
    if found is None:
        return None, ""
    word = found.group(1).strip().lower().replace(" ", "_")
    name = next((key for key, words in _COLUMNS.items() if word in words), None)
    return name, (found.group(2) or "").lower()


def _arm(path: Path, sheet: _Sheet, convention: DhConvention | None, repairs: Repairs) -> Robot:
    if not 1 <= len(sheet.rows) <= MAX_JOINTS:
        raise InvalidInput(
            "dh_table_length", _("{count} rows; 1 to {most} are allowed"), count=len(sheet.rows), most=MAX_JOINTS
        )
    missing = [key for key in ("theta", "d", "a", "alpha") if not any(key in row.texts for row in sheet.rows)]
    if len(missing) > 2:
        raise InvalidInput("dh_columns", _("columns {columns} are missing"), columns=missing)
    if missing:
        template = _("columns {columns} are missing; they are taken as zero")
        repairs.add("warning", None, "dh_columns_missing", template, columns=missing)
    chosen = _convention(sheet, convention, repairs)
    values = [[_number(row, key) for key in ("theta", "d", "a", "alpha")] for row in sheet.rows]
    length, angle = _units(np.array(values), sheet.units, repairs)
    rows, limits = [], []
    for i, (row, (theta, d, a, alpha)) in enumerate(zip(sheet.rows, values, strict=True)):
        kind = _kind(row)
        name = row.texts.get("joint", "").strip() or f"A{i + 1}"
        rows.append(
            DhRow(f"A{name}" if name.isdigit() else name, kind, theta * angle, d * length, a * length, alpha * angle)
        )
        limits.append(_limits(row, kind, rows[-1].joint, length if kind == "prismatic" else angle, repairs))
    table = DhTable(chosen, tuple(rows), _frame(sheet.base, "base"), _frame(sheet.tool, "tool"))
    stem = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "robot"
    robot = robot_from_dh(
        table,
        name=stem,
        lower=[limit.lower for limit in limits],
        upper=[limit.upper for limit in limits],
        velocity=[limit.velocity for limit in limits] if all(limit.velocity < math.inf for limit in limits) else None,
        source=path.name,
    )
    arm = with_body(robot)
    template = _("the table has no shapes and no masses; both are made from its lengths, {mass:.3g} kg in all")
    mass = sum(link.inertia.mass for link in arm.links)
    repairs.add("note", None, "body_generated", template, mass=mass)
    return arm


def _frame(given: Any, key: str) -> Floats:
    """Return a frame given by xyz (mm) and rpy (degrees)."""
    if given is None:
        return np.eye(4)
    try:
        xyz, rpy = ([float(value) for value in given.get(part, (0.0, 0.0, 0.0))] for part in ("xyz", "rpy"))
        T = pose.from_xyz_rpy_mm_deg(xyz, rpy)
        is_usable = max(map(abs, (*xyz, *rpy))) <= LARGEST
    except (AttributeError, TypeError, ValueError, OverflowError, InvalidInput):
        is_usable = False
    if not is_usable:
        raise InvalidInput(
            "dh_frame",
            _("{key}: give xyz (mm) and rpy (degrees), three numbers each within ±{largest:g}"),
            key=key,
            largest=LARGEST,
        )
    return T


def _convention(sheet: _Sheet, asked: DhConvention | None, repairs: Repairs) -> DhConvention:
    told = asked or sheet.convention
    if told is None:
        repairs.add(
            "warning", None, "dh_convention_guessed", _("the convention is not given; standard (distal) is assumed")
        )
        return "standard"
    if told not in {"standard", "modified"}:
        raise InvalidInput(
            "dh_convention",
            _("DH convention '{convention}' is not one of {known}"),
            convention=printable(told),
            known=["standard", "modified"],
        )
    return cast("DhConvention", told)


def _number(row: _Cells, key: str) -> float:
    """Return a cell as a number; the joint's own variable in it counts as zero."""
    text = row.texts.get(key, "").strip().replace("−", "-").replace("π", "pi").replace("°", "")
    if not text or _VARIABLE.fullmatch(text):
        return 0.0
    if re.fullmatch(r"[-+]?\d+,\d+", text):
        text = text.replace(",", ".")
    try:
        value = float(evaluate(text.replace("^", "**"), _zero))
    except (InvalidInput, TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise InvalidInput(
            "dh_number",
            _("line {line}: {column} '{text}' is not a number within ±{largest:g}"),
            line=row.line,
            column=key,
            text=printable(text),
            largest=LARGEST,
        )
    return value


def _zero(name: str) -> Value:
    if _VARIABLE.fullmatch(name):
        return 0.0
    raise KeyError(name)


def _kind(row: _Cells) -> JointKind:
    text = row.texts.get("kind", "").strip().lower()
    if text not in _KINDS:
        raise InvalidInput(
            "dh_kind",
            _("line {line}: kind '{text}' is neither revolute nor prismatic"),
            line=row.line,
            text=printable(text),
        )
    is_slide = (
        not text and _VARIABLE.search(row.texts.get("d", "")) and not _VARIABLE.search(row.texts.get("theta", ""))
    )
    return "prismatic" if is_slide else _KINDS[text]


def _units(values: Any, told: dict[str, str], repairs: Repairs) -> tuple[float, float]:
    """Return metres per length and radians per angle: as told, or guessed by their size, and said."""
    lengths, angles = np.abs(values[:, 1:3]), np.abs(values[:, [0, 3]])
    length = _LENGTHS.get(told.get("length", ""))
    if length is None:
        length = 0.001 if float(lengths.max()) > 10.0 else 1.0
        repairs.add(
            "note", None, "dh_length_unit", _("lengths are taken as {unit}"), unit="mm" if length == 0.001 else "m"
        )
    angle = _ANGLES.get(told.get("angle", ""))
    if angle is None:
        is_rad = float(angles.max()) < 6.3 and bool((np.abs(angles - np.round(angles)) > 1e-6).any())
        angle = 1.0 if is_rad or float(angles.max()) == 0.0 else math.pi / 180.0
        repairs.add("note", None, "dh_angle_unit", _("angles are taken as {unit}"), unit="rad" if angle == 1.0 else "°")
    return length, angle


def _limits(row: _Cells, kind: JointKind, joint: str, scale: float, repairs: Repairs) -> GivenLimits:
    given: DescribedKind = kind
    if "lower" not in row.texts and "upper" not in row.texts:
        return repaired_limits(None, given, joint, row.line, repairs)
    lower, upper, velocity = (_number(row, key) * scale for key in ("lower", "upper", "velocity"))
    return repaired_limits(GivenLimits(lower, upper, velocity, 0.0), given, joint, row.line, repairs)
