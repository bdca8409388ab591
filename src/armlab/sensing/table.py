"""Columns of a table become a record: quantities, axes and units are found by the names of the columns."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.sensing.imu_record import ImuRecord

_DEG = math.pi / 180.0
_TIME = re.compile(r"(?:time_?stamp|time|t|stamp|seconds?|sec|elapsed)(?:_elapsed|_time)?(?:_(s|sec|ms|us|ns))?")
_LETTERS = str.maketrans({"µ": "u", "μ": "u", "ω": "omega", "°": "deg", "²": "2"})
_NAMES = {
    "gyro": r"(?:imu_)?(?:gyroscope|gyro|gyr|angular_velocity|omega|g|w)",
    "acc": r"(?:imu_)?(?:accelerometer|accel|acc|linear_acceleration|specific_force|a)",
    "mag": r"(?:imu_)?(?:magnetometer|magnetic_field|mag|m)",
    "orientation": r"(?:true_|opt_)?(?:orientation|quaternion|quat|q)",
    "position": r"(?:true_|opt_)?(?:position|pos|p)",
    "velocity": r"(?:true_|opt_)?(?:velocity|vel|v)",
}
_UNITS: Mapping[str, Mapping[str, float]] = {
    "time": {"": 1.0, "s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "gyro": {"": 1.0, "rad_s": 1.0, "rads": 1.0, "deg_s": _DEG, "dps": _DEG, "degs": _DEG},
    "acc": {"": 1.0, "m_s2": 1.0, "m_s_2": 1.0, "ms2": 1.0, "m_s": 1.0, "g": 9.80665, "mg": 9.80665e-3},
    "mag": {"": 1.0, "ut": 1.0, "nt": 1e-3, "t": 1e6, "gauss": 100.0, "mgauss": 0.1, "a_u": 1.0},
    "orientation": {"": 1.0},
    "position": {"": 1.0, "m": 1.0, "mm": 1e-3},
    "velocity": {"": 1.0, "m_s": 1.0, "mm_s": 1e-3},
}
_AXES = {"orientation": "wxyz"}
_PATTERNS = {what: re.compile(rf"{name}_?([{_AXES.get(what, 'xyz')}])(?:_(.+))?") for what, name in _NAMES.items()}


def record_of_columns(
    columns: Mapping[str, Floats], file: str, gyro_unit: str = "", acc_unit: str = ""
) -> tuple[ImuRecord, list[Finding]]:
    """Return columns (m,) by name as a record, and warnings where units differ between axes or are not said.

    Raises:
        InvalidInput: if time, rate or force is missing, a unit is not known, or a row is not finite or out of order.
    """
    said = {"gyro": _plain(gyro_unit), "acc": _plain(acc_unit)}
    found: dict[str, dict[str, Floats]] = {}
    units: dict[str, dict[str, float]] = {}
    assumed: list[str] = []
    t = None
    for name, values in columns.items():
        plain = _plain(name)
        if t is None and (match := _TIME.fullmatch(plain)):
            t = values * _scale("time", match[1] or "", name, file)
            continue
        for what, pattern in _PATTERNS.items():
            if match := pattern.fullmatch(plain):
                unit = said.get(what, "") or match[2] or ""
                scale = _scale(what, unit, name, file)
                assumed += [name] * (what in said and not unit)
                found.setdefault(what, {}).setdefault(match[1], values * scale)
                units.setdefault(what, {}).setdefault(name, scale)
                break
    if t is None:
        raise _missing("time_s", columns, file)
    parts = {what: _together(found.get(what, {}), _AXES.get(what, "xyz")) for what in _PATTERNS}
    gyro, acc = parts["gyro"], parts["acc"]
    if gyro is None:
        raise _missing("gyro_x_rad_s", columns, file)
    if acc is None:
        raise _missing("acc_x_m_s2", columns, file)
    check_rows(np.column_stack([t, gyro, acc]), file)
    record = ImuRecord(t, gyro, acc, parts["mag"], parts["orientation"], parts["position"], parts["velocity"], file)
    mixed = [_mixed(file, list(names)) for names in units.values() if len(set(names.values())) > 1]
    return record, [*mixed, *([_assumed(file, assumed)] if assumed else [])]


def check_rows(rows: Floats, file: str) -> None:
    """Raise InvalidInput that names the first row with a value that is not finite; row 1 is the first of the data."""
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        template = _("{file}: row {row}: a value is missing or not finite")
        raise InvalidInput("imu_row_not_finite", template, file=file, row=int(bad[0]) + 1)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower().translate(_LETTERS)).strip("_")


def _scale(what: str, unit: str, column: str, file: str) -> float:
    known = _UNITS[what]
    if unit not in known:
        raise InvalidInput(
            "imu_unit",
            _("{file}: column '{column}': unit '{unit}' is not one of {known}"),
            file=file,
            column=column,
            unit=unit,
            known=[name for name in known if name],
        )
    return known[unit]


def _missing(wanted: str, columns: Mapping[str, Floats], file: str) -> InvalidInput:
    template = _("{file}: no column such as '{wanted}'; its columns: {columns}")
    return InvalidInput("imu_column_missing", template, file=file, wanted=wanted, columns=list(columns)[:20])


def _mixed(file: str, columns: list[str]) -> Finding:
    template = _("{file}: the columns {columns} have different units")
    return Finding("warning", Message("imu_units_mixed", template, file=file, columns=columns))


def _assumed(file: str, columns: list[str]) -> Finding:
    template = _("{file}: no unit in the columns {columns}: rad/s and m/s² are assumed")
    return Finding("note", Message("imu_units_assumed", template, file=file, columns=columns))


def _together(axes: Mapping[str, Floats], names: str) -> Floats | None:
    if any(name not in axes for name in names):
        return None
    return np.column_stack([axes[name] for name in names])
