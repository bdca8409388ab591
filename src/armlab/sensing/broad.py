"""The files of the BROAD data set (Laidig, Caruso, Cereatti, Seel 2021): MAT and HDF5 with the same names inside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.files import read_bounded
from armlab.messages import _
from armlab.sensing.hdf5_tables import hdf5_tables
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mat_tables import is_mat5, mat5_tables
from armlab.sensing.table import check_rows

MOST_BYTES = 500_000_000
VERSION_7_3 = {b"\x00\x02", b"\x02\x00"}
NEEDED = ("imu_gyr", "imu_acc", "sampling_rate")


def read_broad(path: Path) -> ImuRecord:
    """Return a trial of BROAD: rate, force and field of its sensor, and the orientation and position of the cameras.

    Raises:
        InvalidInput: if the file cannot be read, or has other things in it.
    """
    inside = _tables(path)
    for name in NEEDED:
        if name not in inside:
            raise InvalidInput("broad_missing", _("{file}: '{name}' is not in it"), file=path.name, name=name)
    try:
        rate = float(np.ravel(inside["sampling_rate"])[0])
        gyro, acc = _rows(inside["imu_gyr"], 3), _rows(inside["imu_acc"], 3)
        given = {name: _rows(inside[name], width) for name, width in _TRUTH if name in inside}
        moving = _rows(inside["movement"], 1).ravel() > 0.5 if "movement" in inside else None
    except (ValueError, IndexError):
        raise InvalidInput("broad_not_numbers", _("{file}: not tables of numbers"), file=path.name) from None
    for values in (gyro, acc):
        check_rows(values, path.name)
    mag = given.get("imu_mag")
    if mag is not None and not np.isfinite(mag).all():
        mag = None
    if not 0.0 < rate < np.inf:
        raise InvalidInput("rate_not_positive", _("rate must be > 0, got {rate:g} Hz"), rate=rate)
    t = np.arange(len(gyro)) / rate
    return ImuRecord(t, gyro, acc, mag, given.get("opt_quat"), given.get("opt_pos"), movement=moving, name=path.name)


_TRUTH = (("imu_mag", 3), ("opt_quat", 4), ("opt_pos", 3))


def _rows(value: Floats, width: int) -> Floats:
    """Return a table as (m, width), whichever way round it is stored."""
    rows = np.atleast_2d(value)
    rows = rows if rows.ndim == 2 and rows.shape[1] == width else rows.T
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError("shape")
    return np.ascontiguousarray(rows)


def _tables(path: Path) -> Mapping[str, Floats]:
    names = (*NEEDED, "movement", *(name for name, _width in _TRUTH))
    if path.suffix.lower() == ".mat":
        data = read_bounded(path, MOST_BYTES)
        if is_mat5(data):
            try:
                return mat5_tables(data, names)
            except InvalidInput as error:
                raise error.within(path.name) from None
        if data[124:126] not in VERSION_7_3:
            template = _("{file}: not a MAT file of version 5 or later; MATLAB writes one with save -v7")
            raise InvalidInput("mat_version", template, file=path.name)
    return hdf5_tables(path, names)  # a MAT file of version 7.3 is an HDF5 file, with all tables transposed
