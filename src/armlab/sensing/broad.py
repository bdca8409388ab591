"""The files of the BROAD data set (Laidig, Caruso, Cereatti, Seel 2021): MAT and HDF5 with the same names inside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.table import check_rows

NEEDED = ("imu_gyr", "imu_acc", "sampling_rate")


def read_broad(path: Path) -> ImuRecord:
    """Return a trial of BROAD: rate, force and field of its sensor, and the orientation and position of the cameras.

    Raises:
        InvalidInput: if the file cannot be read, or has other things in it.
    """
    inside = _mat(path) if path.suffix.lower() == ".mat" else _hdf5(path)
    for name in NEEDED:
        if name not in inside:
            raise InvalidInput("broad_missing", _("{file}: '{name}' is not in it"), file=path.name, name=name)
    try:
        rate = float(np.ravel(inside["sampling_rate"])[0])
        gyro, acc = _rows(inside["imu_gyr"], 3), _rows(inside["imu_acc"], 3)
        given = {name: _rows(inside[name], width) for name, width in _TRUTH if name in inside}
        moving = _rows(inside["movement"], 1).ravel() > 0.5 if "movement" in inside else None
    except (ValueError, TypeError, IndexError):
        raise InvalidInput("broad_not_numbers", _("{file}: not tables of numbers"), file=path.name) from None
    for values in (gyro, acc):
        check_rows(np.atleast_2d(values), path.name)
    mag = given.get("imu_mag")
    if mag is not None and not np.isfinite(mag).all():
        mag = None
    if not 0.0 < rate < np.inf:
        raise InvalidInput("rate_not_positive", _("rate must be > 0, got {rate:g} Hz"), rate=rate)
    t = np.arange(len(gyro)) / rate
    return ImuRecord(t, gyro, acc, mag, given.get("opt_quat"), given.get("opt_pos"), movement=moving, name=path.name)


_TRUTH = (("imu_mag", 3), ("opt_quat", 4), ("opt_pos", 3))


def _rows(value: Any, width: int) -> Floats:
    rows = np.asarray(value, dtype=np.float64)
    return np.ascontiguousarray(rows if rows.ndim == 2 and rows.shape[1] == width else rows.T)


def _mat(path: Path) -> Mapping[str, Any]:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        return dict(loadmat(path))
    except NotImplementedError:  # since version 7.3 a MAT file is an HDF5 file, with all tables transposed
        return _hdf5(path)
    except FileNotFoundError:
        raise InvalidInput("file_missing", _("{path}: no such file"), path=str(path)) from None
    except (OSError, ValueError, TypeError, IndexError, KeyError, MatReadError) as error:
        raise InvalidInput(
            "not_mat", _("{file}: not a MAT file ({reason})"), file=path.name, reason=str(error)[:80]
        ) from None


def _hdf5(path: Path) -> Mapping[str, Any]:
    import h5py

    try:
        with h5py.File(path) as file:
            inside = {name: np.array(value) for name, value in file.items() if hasattr(value, "shape")}
            return {**file.attrs, **inside}
    except OSError as error:
        raise InvalidInput(
            "not_hdf5", _("{file}: not an HDF5 file ({reason})"), file=path.name, reason=str(error)[:80]
        ) from None
