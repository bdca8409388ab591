"""Files that are made to harm: bombs, links to other files, numbers without end."""

from __future__ import annotations

import sqlite3
import struct
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.io import savemat

from armlab.arrays import MAX_VALUES
from armlab.cli.main import run
from armlab.errors import InvalidInput
from armlab.recording import read_recording, tables
from armlab.sensing import hdf5_tables, mat_tables
from armlab.sensing.files import read_imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import navigate

ROWS = "".join(f"{0.01 * k},0,0,0,0,0,9.81\n" for k in range(40))
HEADER = "t,gx,gy,gz,ax,ay,az\n"


def refused(path: Path) -> str:
    """Return the code with which a file of a sensor is refused."""
    with pytest.raises(InvalidInput) as error:
        read_imu(path)
    return error.value.code


def test_line_ends_of_any_system_make_the_same_table(tmp_path: Path) -> None:
    path, recording = tmp_path / "imu.csv", tmp_path / "rec.csv"
    for end in ("\n", "\r\n", "\r"):
        path.write_bytes((HEADER + ROWS).replace("\n", end).encode())
        assert len(read_imu(path).record) == 40
        recording.write_bytes(f"time_s,q_A1_deg{end}0,1{end}1,2{end}".encode())
        np.testing.assert_allclose(np.degrees(read_recording(recording).q[:, 0]), [1.0, 2.0])


def test_a_cell_that_does_not_end_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rec.csv"
    path.write_text('time_s,q_A1_deg\n0,1\n1,"' + "2" * 140_000 + "\n")
    with pytest.raises(InvalidInput) as error:
        read_recording(path)
    assert (error.value.code, error.value.parameters["line"]) == ("table_cell_too_long", 3)
    path = tmp_path / "imu.csv"
    path.write_text("x" * 140_000 + "\n" + ROWS)
    assert refused(path) == "table_cell_too_long"


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("0.41,1e308,0,0,0,0,9.81", "imu_value_too_large"),
        ("0.41,0,0,0,0,0,-1e200", "imu_value_too_large"),
        ("1e300,0,0,0,0,0,9.81", "imu_value_too_large"),
        ("0.39000000000000007,0,0,0,0,0,9.81", "imu_time_backwards"),
    ],
)
def test_numbers_that_no_sensor_reads_are_refused(tmp_path: Path, row: str, code: str) -> None:
    path = tmp_path / "imu.csv"
    path.write_text(f"{HEADER}{ROWS}{row}\n")
    assert refused(path) == code
    assert run(["allan", str(path)]) == 2
    assert run(["navigate", str(path)]) == 2


def test_steps_of_1e_300_seconds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "imu.csv"
    path.write_text(HEADER + "".join(f"{k}e-300,0,0,0,0,0,9.81\n" for k in range(40)))
    assert refused(path) == "imu_time_backwards"


@pytest.mark.parametrize("do_compression", [True, False])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16, np.uint8])
def test_tables_of_mat_files_are_those_that_scipy_writes(tmp_path: Path, do_compression: bool, kind: type) -> None:
    wanted = {"a": np.arange(30).reshape(10, 3).astype(kind), "b": np.array(7.0), "long_name_of_a_table": np.ones(3)}
    other = {"text": "words", "cells": np.array([[1, "two"]], dtype=object), "complex": np.array([1j])}
    savemat(tmp_path / "a.mat", wanted | other, do_compression=do_compression, oned_as="column")
    data = (tmp_path / "a.mat").read_bytes()
    found = mat_tables.mat5_tables(data, wanted)
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name].ravel(), value.ravel())
    for name in other:
        with pytest.raises(InvalidInput):
            mat_tables.mat5_tables(data, {name})


def compressed_matrix(name: bytes, shape: tuple[int, int], zeros: int) -> bytes:
    """A MAT file with one compressed matrix that says this shape and unpacks to so many zero bytes."""
    body = struct.pack("<IIII", 6, 8, 6, 0) + struct.pack("<IIii", 5, 8, *shape)
    body += struct.pack("<II", 1, len(name)) + name.ljust(-(-len(name) // 8) * 8, b"\0") + struct.pack("<II", 9, zeros)
    packer = zlib.compressobj(9)
    packed = packer.compress(struct.pack("<II", 14, len(body) + zeros) + body)
    block = bytes(2**22)
    for _block in range(zeros // len(block)):
        packed += packer.compress(block)
    packed += packer.flush()
    return b"MATLAB 5.0".ljust(124) + b"\x00\x01IM" + struct.pack("<II", 15, len(packed)) + packed


def test_a_bomb_in_a_mat_file_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.mat"
    path.write_bytes(compressed_matrix(b"imu_gyr", (2**26, 3), 2**24))
    assert len(path.read_bytes()) < 100_000
    unpacked: list[int] = []
    original = mat_tables._unpacked

    def counted(body: memoryview, most: int) -> bytes:
        unpacked.append(most)
        return original(body, most)

    monkeypatch.setattr(mat_tables, "_unpacked", counted)
    assert refused(path) == "not_mat"
    assert max(unpacked) <= 8 * MAX_VALUES + 8
    monkeypatch.setattr(mat_tables, "MAX_VALUES", 1000)
    path.write_bytes(compressed_matrix(b"imu_gyr", (2**20, 8), 2**24))
    assert refused(path) == "not_mat"
    assert unpacked[-1] == 8008


def hdf5_with(path: Path, **gyro: object) -> Path:
    with h5py.File(path, "w") as file:
        file["imu_acc"], file["sampling_rate"] = np.ones((4, 3)), 100.0
        file.create_dataset("imu_gyr", **gyro)
    return path


def test_pieces_of_hdf5_that_unpack_to_more_than_they_say_are_not_unpacked(tmp_path: Path) -> None:
    path = hdf5_with(tmp_path / "a.h5", shape=(4, 3), chunks=(4, 3), dtype="f8", compression="gzip")
    with h5py.File(path, "r+") as file:
        file["imu_gyr"].id.write_direct_chunk((0, 0), zlib.compress(bytes(2**27), 9))
    assert refused(path) == "not_hdf5"
    with h5py.File(path, "r+") as file:
        file["imu_gyr"].id.write_direct_chunk((0, 0), zlib.compress(np.zeros((4, 3)).tobytes(), 9))
    assert len(read_imu(path).record) == 4


@pytest.mark.parametrize(
    "gyro",
    [
        {"shape": (10**9, 3), "dtype": "f8", "chunks": (1000, 3), "compression": "gzip"},
        {"shape": (4, 3), "dtype": "f8", "chunks": (10**8, 3), "maxshape": (None, 3), "compression": "gzip"},
        {"shape": (4, 3), "dtype": "f8", "chunks": (4, 3), "compression": "lzf"},
        {"shape": (4, 3), "dtype": h5py.string_dtype()},
    ],
)
def test_tables_of_hdf5_that_are_too_large_or_not_numbers_are_refused(tmp_path: Path, gyro: dict[str, object]) -> None:
    assert refused(hdf5_with(tmp_path / "a.h5", **gyro)) == "not_hdf5"


def test_hdf5_does_not_lead_to_other_files(tmp_path: Path) -> None:
    secret = tmp_path / "other.h5"
    with h5py.File(secret, "w") as file:
        file["imu_gyr"] = np.ones((4, 3))
    raw = tmp_path / "raw.bin"
    raw.write_bytes(np.ones((4, 3)).tobytes())
    path = tmp_path / "a.h5"
    layout = h5py.VirtualLayout(shape=(4, 3), dtype="f8")
    layout[:] = h5py.VirtualSource(str(secret), "imu_gyr", shape=(4, 3))
    for kind in range(3):
        with h5py.File(path, "w") as file:
            file["imu_acc"], file["sampling_rate"] = np.ones((4, 3)), 100.0
            if kind == 0:
                file["imu_gyr"] = h5py.ExternalLink(str(secret), "imu_gyr")
            elif kind == 1:
                file.create_dataset("imu_gyr", shape=(4, 3), dtype="f8", external=[(str(raw), 0, 96)])
            else:
                file.create_virtual_dataset("imu_gyr", layout)
        assert refused(path) == "not_hdf5"


def test_more_pieces_than_are_looked_at_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = hdf5_with(tmp_path / "a.h5", data=np.ones((40, 3)), chunks=(1, 3), compression="gzip")
    assert len(hdf5_tables.hdf5_tables(path, ["imu_gyr"])["imu_gyr"]) == 40
    monkeypatch.setattr(hdf5_tables, "MOST_PIECES", 39)
    with pytest.raises(InvalidInput):
        hdf5_tables.hdf5_tables(path, ["imu_gyr"])


@pytest.mark.parametrize("column", [pa.array(["a"] * 3), pa.array([[1.0] * 5] * 3), pa.array([b"x"] * 3)])
def test_columns_of_parquet_that_are_not_numbers_are_not_read(tmp_path: Path, column: pa.Array) -> None:
    path = tmp_path / "imu.parquet"
    pq.write_table(pa.table({"time_s": [0.0, 1.0, 2.0], "q_A1_deg": column}), path)
    assert refused(path) == "table_parquet"
    with pytest.raises(InvalidInput):
        read_recording(path)


def test_a_parquet_bomb_is_refused_by_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros are a few bytes in run lengths: the rows that the file says are looked at before any is unpacked."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**6, dtype=np.int8)), pa.array([0.0]))
    path = tmp_path / "imu.parquet"
    pq.write_table(pa.table({"time_s": column}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(tables, "MAX_VALUES", 10**6 - 1)
    monkeypatch.setattr(pq.ParquetFile, "read", None)
    assert refused(path) == "table_too_large"


TABLES = "CREATE TABLE topics(id, name, type); CREATE TABLE messages(topic_id, timestamp, data);"
IMU_TOPIC = "INSERT INTO topics VALUES (1, '/imu', 'sensor_msgs/msg/Imu');"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1, i, 'x' FROM n"


BYTES_TOPIC = IMU_TOPIC.replace("'/imu'", "X'80'")
TOPICS = f"CREATE TABLE topics(id, name, type); {IMU_TOPIC} CREATE VIEW messages(topic_id, timestamp, data) AS "


@pytest.mark.parametrize(
    "script",
    [
        f"{TABLES}{IMU_TOPIC}INSERT INTO messages VALUES (1, X'0B532B80', X'00');",
        f"{TABLES}{IMU_TOPIC}INSERT INTO messages VALUES (1, 1, 1000000000000);",
        f"{TABLES}{BYTES_TOPIC}INSERT INTO messages VALUES (1, 1, X'00');",
        f"{TOPICS}{ENDLESS};",
        f"{TOPICS}SELECT 1, 1, zeroblob(900000000);",
    ],
    ids=["a time of bytes", "data that are a number", "a topic of bytes", "an endless query", "a large value"],
)
def test_bags_with_wrong_or_endless_values_are_refused(tmp_path: Path, script: str) -> None:
    path = tmp_path / "odd.db3"
    with closing(sqlite3.connect(path)) as bag:
        bag.executescript(script)
    assert refused(path) == "not_a_bag"


def test_a_bag_whose_schema_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.db3"
    with closing(sqlite3.connect(path)) as bag:
        bag.executescript(TABLES)
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE topics(id", b"CREATE TABLE topics\x99id"))
    assert refused(path) == "not_a_bag"


def test_a_row_that_is_far_too_wide_is_refused_before_there_is_room_for_a_table(tmp_path: Path) -> None:
    path = tmp_path / "imu.csv"
    path.write_text(HEADER + "0," * 60_000 + "0\n" + ROWS)
    tracemalloc.start()
    try:
        assert refused(path) == "imu_row"
        assert tracemalloc.get_traced_memory()[1] < 20_000_000  # bytes: the table would have 20 GB
    finally:
        tracemalloc.stop()


def test_readings_that_no_sensor_gives_end_in_words_or_in_finite_numbers() -> None:
    ends = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        gyro, acc = 0.1 * rng.normal(size=(30, 3)), np.array([0.0, 0.0, 9.81]) + rng.normal(size=(30, 3))
        values = rng.choice([gyro, acc])
        values[rng.integers(30, size=5), rng.integers(3, size=5)] = rng.choice([1e3, 1e6, 1e9, -1e9], 5)
        steps = rng.choice([1e-2, 1e-2, 1e3, 1e9], 30) if seed % 2 else np.full(30, 1e-2)
        try:
            estimate = navigate(ImuRecord(np.cumsum(steps), gyro, acc), "eskf")
        except InvalidInput as error:
            ends.add(error.code)
        else:
            assert np.isfinite(estimate.orientation).all()
            ends.add("unknown" if estimate.position_deviation is None else "known")
            assert np.isfinite(estimate.position_deviation or 0.0)
    assert ends == {"known", "unknown", "filter_not_finite"}
