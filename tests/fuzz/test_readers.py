"""Damaged tables of sensors, recordings and measurements: read or refused in words of our own, never a crash.

What is read is also used: filters, Allan deviation and identification must refuse what they cannot compute with.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from fuzz.damage import BYTES, TEXT, damaged

import armlab
from armlab.calibration.identification.identify import identify
from armlab.calibration.identification.samples import joint_samples
from armlab.calibration.iso9283.recorded import read_attained
from armlab.calibration.iso9283.recorded_paths import read_paths
from armlab.calibration.measurement_file import measurement_table, read_measurements
from armlab.calibration.measurements import Poses
from armlab.errors import ArmlabError
from armlab.formats.dh_read import read_dh
from armlab.recording import Recording, export_recording, read_recording
from armlab.reports.sensing import allan_report
from armlab.sensing.bags import _DOUBLES, TOPICS, _messages, _template
from armlab.sensing.evaluate import evaluate
from armlab.sensing.files import read_imu, write_imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import FILTERS, navigate

COUNT = int(os.environ.get("ARMLAB_FUZZ", "1")) * 40
ROBOT = armlab.load("scara")


def imu_record() -> ImuRecord:
    rng = np.random.default_rng(3)
    gyro, mag, place, speed = 0.1 * rng.normal(size=(4, 30, 3))
    turn = rng.normal(size=(30, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return ImuRecord(np.arange(30) / 100.0, gyro, gyro + np.array([0.0, 0.0, 9.81]), mag, turn, place, speed)


def imu_file(folder: Path, suffix: str) -> bytes:
    return write_imu(imu_record(), folder / f"whole{suffix}").read_bytes()


def broad_tables() -> dict[str, object]:
    record = imu_record()
    return {
        "imu_gyr": record.gyro,
        "imu_acc": record.acc,
        "imu_mag": record.mag,
        "opt_quat": record.orientation,
        "opt_pos": record.position,
        "movement": np.ones(30),
        "sampling_rate": 100.0,
    }


def mat5_file(folder: Path) -> bytes:
    from scipy.io import savemat

    savemat(folder / "whole.mat", broad_tables())
    return (folder / "whole.mat").read_bytes()


def mat73_file(folder: Path) -> bytes:
    import h5py

    with h5py.File(folder / "whole.h5", "w", userblock_size=512) as file:
        for name, value in broad_tables().items():
            file.create_dataset(name, data=np.atleast_2d(np.asarray(value)).T, compression="gzip", shuffle=True)
    data = bytearray((folder / "whole.h5").read_bytes())
    data[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return bytes(data)


def bag_file(folder: Path) -> bytes:
    record = imu_record()
    with closing(sqlite3.connect(folder / "whole.db3")) as bag:
        bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT)")
        bag.execute("CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB)")
        for number, (kind, rows) in enumerate(_messages(record).items(), 1):
            bag.execute("INSERT INTO topics VALUES (?, ?, ?)", (number, TOPICS[kind], kind))
            template = _template("imu", _DOUBLES[kind])
            for time, row in zip((record.t * 1e9).astype(int).tolist(), rows, strict=True):
                data = template.filled(time, [row.tobytes()])
                bag.execute("INSERT INTO messages VALUES (?, ?, ?)", (number, time, data))
        bag.commit()
    return (folder / "whole.db3").read_bytes()


def recording_file(folder: Path, suffix: str) -> bytes:
    """A motion of the SCARA with torques, 60 samples."""
    t = 0.01 * np.arange(60.0)
    w = 4.0 * np.arange(1.0, ROBOT.dof + 1.0)
    middle, half = (ROBOT.lower + ROBOT.upper) / 2.0, np.minimum((ROBOT.upper - ROBOT.lower) / 4.0, 0.5)
    wave, slope = half * np.sin(np.outer(t, w)), half * w * np.cos(np.outer(t, w))
    tau = np.random.default_rng(1).normal(size=(60, ROBOT.dof))
    rows = [middle + wave, slope, -(w**2) * wave, tau] * 2
    recording = Recording.of(ROBOT, t, np.stack(rows, axis=1), signals=np.ones((60, 9)))
    export_recording(recording, folder / f"motion{suffix}", ROBOT)
    return (folder / f"motion{suffix}").read_bytes()


def use_imu(path: Path) -> None:
    record = read_imu(path).record
    for name in FILTERS:
        estimate = navigate(record, name)
        if record.orientation is not None:
            evaluate(estimate, record)
    allan_report(record)


def use_recording(path: Path) -> None:
    identify(ROBOT, joint_samples(ROBOT, read_recording(path)))


def measurements(_folder: Path) -> bytes:
    q = np.random.default_rng(2).uniform(ROBOT.lower, ROBOT.upper, (8, ROBOT.dof))
    return measurement_table(Poses(q, ROBOT.fk(q)), ROBOT).encode()


def attained(_folder: Path) -> bytes:
    rows = [f"{point},{10 * point},0.5,{cycle},1,2,3" for cycle in range(3) for point in range(1, 6)]
    return "\n".join(["point,x,y,z,a,b,c", *rows, ""]).encode()


def paths(_folder: Path) -> bytes:
    names = ("line", "large circle", "corners")
    rows = [f"{name},{cycle},{10 * k},0.5,3" for name in names for cycle in (1, 2, 3) for k in range(3)]
    return "\n".join(["path,cycle,x,y,z", *rows, ""]).encode()


DH = b"# modified\njoint,theta [deg],d [mm],a [mm],alpha [deg]\nA1,0,400,25,-90\nA2,0,0,560,0\nA3,-90,0,25,90\n"
READERS: dict[str, tuple[Callable[[Path], bytes], Callable[[Path], object], str]] = {
    "imu csv": (lambda folder: imu_file(folder, ".csv"), use_imu, ".csv"),
    "imu parquet": (lambda folder: imu_file(folder, ".parquet"), use_imu, ".parquet"),
    "imu mcap": (lambda folder: imu_file(folder, ".mcap"), use_imu, ".mcap"),
    "imu db3": (bag_file, use_imu, ".db3"),
    "imu mat 5": (mat5_file, use_imu, ".mat"),
    "imu mat 7.3": (mat73_file, use_imu, ".mat"),
    "recording csv": (lambda folder: recording_file(folder, ".csv"), use_recording, ".csv"),
    "recording parquet": (lambda folder: recording_file(folder, ".parquet"), use_recording, ".parquet"),
    "measurements": (measurements, lambda path: read_measurements(path, ROBOT), ".csv"),
    "attained poses": (attained, read_attained, ".csv"),
    "paths": (paths, read_paths, ".csv"),
    "dh": (lambda _folder: DH, read_dh, ".csv"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, name: str) -> None:
    make, use, suffix = READERS[name]
    whole = make(tmp_path)
    path = tmp_path / f"damaged{suffix}"
    path.write_bytes(whole)
    use(path)
    for data in damaged(whole, COUNT, len(name), TEXT if suffix == ".csv" else BYTES):
        path.write_bytes(data)
        with suppress(ArmlabError):
            use(path)
