"""Files of inertial sensors: what is written is read, other people's files too, and bad rows are named."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from armlab.errors import InvalidInput
from armlab.recording.definitions import IMU
from armlab.sensing.bags import _messages, _template
from armlab.sensing.evaluate import evaluate
from armlab.sensing.files import read_imu, write_imu
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.navigate import Estimate
from armlab.sensing.noise import still_record
from armlab.sensing.presets import preset


def record() -> ImuRecord:
    rng = np.random.default_rng(4)
    q = rng.normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    acc = rng.normal(size=(50, 3)) + np.array([0, 0, 9.81])
    rows = [rng.normal(size=(50, 3)) for _ in range(4)]
    return ImuRecord(np.arange(50) / 100.0, rows[0], acc, 30.0 * rows[1], q, rows[2], rows[3], "made")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mcap"])
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    made = record()
    read = read_imu(write_imu(made, tmp_path / f"imu{suffix}"))
    assert read.findings == ()
    for what in ("t", "gyro", "acc", "mag", "orientation", "position"):
        np.testing.assert_allclose(getattr(read.record, what), getattr(made, what), rtol=0, atol=1e-9, err_msg=what)


def test_ros_tools_read_the_messages(tmp_path: Path) -> None:
    rosbags = pytest.importorskip("rosbags.typesys", reason="rosbags is not installed")
    mcap_reader = pytest.importorskip("mcap.reader", reason="mcap is not installed")
    made = record()
    path = write_imu(made, tmp_path / "imu.mcap")
    store = rosbags.get_typestore(rosbags.Stores.ROS2_HUMBLE)
    with path.open("rb") as stream:
        found = [
            store.deserialize_cdr(message.data, schema.name)
            for schema, _channel, message in mcap_reader.make_reader(stream).iter_messages(topics=["/imu"])
        ]
    assert len(found) == len(made)
    assert found[7].angular_velocity.y == made.gyro[7, 1]
    assert found[7].linear_acceleration.z == made.acc[7, 2]
    assert found[7].header.frame_id == "made"


def test_a_rosbag_in_sqlite_is_read(tmp_path: Path) -> None:
    made, path = record(), tmp_path / "bag.db3"
    rows, template = _messages(made)[IMU], _template("imu", 37)
    with sqlite3.connect(path) as bag:
        bag.execute("CREATE TABLE topics (id INTEGER, name TEXT, type TEXT, serialization_format TEXT)")
        bag.execute("CREATE TABLE messages (id INTEGER, topic_id INTEGER, timestamp INTEGER, data BLOB)")
        bag.execute("INSERT INTO topics VALUES (1, '/imu/data', 'sensor_msgs/msg/Imu', 'cdr')")
        for i, row in enumerate(rows):
            time = round(made.t[i] * 1e9) + 5_000_000_000
            bag.execute("INSERT INTO messages VALUES (?, 1, ?, ?)", (i, time, template.filled(time, [row.tobytes()])))
    bag.close()
    read = read_imu(path).record
    np.testing.assert_array_equal(read.acc, made.acc)
    np.testing.assert_allclose(read.t, made.t, atol=1e-9)
    assert read.orientation is None


@pytest.mark.parametrize(("turn", "is_known"), [(0.0, False), (0.01, True)])
def test_an_orientation_that_never_changes_is_none(tmp_path: Path, turn: float, is_known: bool) -> None:
    """Drivers that know no orientation often send that of a sensor that is not turned, and no covariance of −1."""
    made, path = replace(record(), orientation=None, position=None, mag=None), tmp_path / "bag.mcap"
    rows = _messages(made)[IMU].copy()
    half = 0.5 * turn * np.arange(len(rows))
    rows[:, 2], rows[:, 3], rows[:, 4] = np.sin(half), np.cos(half), 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("armlab.sensing.bags._messages", lambda _record: {IMU: rows})
        write_imu(made, path)
    assert (read_imu(path).record.orientation is not None) == is_known


def test_the_units_of_a_header_are_heeded(tmp_path: Path) -> None:
    path = tmp_path / "phone.csv"
    path.write_text(
        "Timestamp (ms);Gyro X (deg/s);Gyro Y (deg/s);Gyro Z (deg/s);ax [g];ay [g];az [g]\n"
        "0;180;0;0;0;0;1\n10;0;0;0;0;0;1\n"
    )
    read = read_imu(path)
    np.testing.assert_allclose(read.record.t, [0.0, 0.01])
    np.testing.assert_allclose(read.record.gyro[0, 0], np.pi)
    np.testing.assert_allclose(read.record.acc[:, 2], 9.80665)
    assert read.findings == ()


def test_units_that_are_not_said_and_not_plausible_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "imu.csv"
    path.write_text("t,gx,gy,gz,ax,ay,az\n0,90,0,0,0,0,1\n0.01,0,0,0,0,0,1\n0.02,0,0,0,0,0,1\n1,0,0,0,0,0,1\n")
    assert {finding.code for finding in read_imu(path).findings} == {
        "imu_units_assumed",
        "imu_force_unit",
        "imu_rate_unit",
        "imu_gap",
    }
    said = read_imu(path, gyro_unit="deg/s", acc_unit="g")
    (gap,) = said.findings
    assert (gap.code, gap.message.parameters["row"]) == ("imu_gap", 3)  # row 1 is the first of the data
    assert gap.message.parameters["gap"] == pytest.approx(0.98)


@pytest.mark.parametrize(
    ("text", "code", "row"),
    [
        ("t,gx,gy,gz,ax,ay,az\n0,1,1,1,1,1,1\n1,1,nan,1,1,1,1\n", "imu_row_not_finite", 2),
        ("t,gx,gy,gz,ax,ay,az\n0,1,1,1,1,1,1\n1,1,x,1,1,1,1\n", "imu_row", 2),
        ("t,gx,gy,gz,ax,ay,az\n0,1,1,1,1,1,1\n0,1,1,1,1,1,1\n", "imu_time_backwards", 2),
        ("gx,gy,gz,ax,ay,az\n0,1,1,1,1,1\n1,1,1,1,1,1\n", "imu_column_missing", None),
        ("t,gx,gy,gz\n0,1,1,1\n1,1,1,1\n", "imu_column_missing", None),
        ("t,gx_furlong,gy,gz,ax,ay,az\n0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n", "imu_unit", None),
        ("t,gx,gy,gz,ax,ay,az\n", "imu_empty", None),
        ("0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n", "imu_no_header", None),
    ],
)
def test_bad_tables_are_refused_with_the_row(tmp_path: Path, text: str, code: str, row: int | None) -> None:
    path = tmp_path / "imu.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput) as refused:
        read_imu(path)
    assert refused.value.code == code
    assert refused.value.parameters.get("row") == row


def test_files_that_are_not_what_they_seem_are_refused(tmp_path: Path) -> None:
    for name in ("imu.parquet", "imu.mcap", "imu.db3", "imu.mat", "imu.hdf5"):
        path = tmp_path / name
        path.write_bytes(b"nothing of that kind, but long enough to be read as a header of some sort")
        with pytest.raises(InvalidInput):
            read_imu(path)
        path.write_bytes(b"short")
        with pytest.raises(InvalidInput):
            read_imu(path)
        with pytest.raises(InvalidInput) as missing:
            read_imu(tmp_path / f"missing-{name}")
        assert missing.value.code == "file_missing"
    with pytest.raises(InvalidInput):
        write_imu(record(), tmp_path / "imu.xls")


def save_mat_7_3(path: Path, inside: dict[str, object]) -> None:
    """Write as MATLAB's `save -v7.3` does: HDF5 behind a head of 512 bytes, with all tables transposed."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in inside.items():
            file[name] = np.atleast_2d(np.asarray(value)).T
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


@pytest.mark.parametrize("kind", [".mat", ".mat 7.3", ".hdf5"])
def test_a_trial_of_broad_is_read(tmp_path: Path, kind: str) -> None:
    still = still_record(preset("bmi088"), 2.0, 100.0, seed=1)
    m = len(still)
    quaternions = np.tile([1.0, 0, 0, 0], (m, 1))
    quaternions[5] = np.nan
    inside = {
        "imu_gyr": still.gyro,
        "imu_acc": still.acc,
        "imu_mag": np.ones((m, 3)),
        "opt_quat": quaternions,
        "opt_pos": np.zeros((m, 3)),
        "movement": (np.arange(m) >= m // 2).astype(float),
        "sampling_rate": 100.0,
    }
    path = tmp_path / f"trial{kind.split(maxsplit=1)[0]}"
    if kind == ".mat":
        from scipy.io import savemat

        savemat(path, inside)
    elif kind == ".mat 7.3":
        save_mat_7_3(path, inside)
    else:
        import h5py

        with h5py.File(path, "w") as file:
            for name, value in inside.items():
                file[name] = value
    read = read_imu(path).record
    np.testing.assert_array_equal(read.gyro, still.gyro)
    assert read.orientation is not None
    assert np.isnan(read.orientation[5]).all()
    assert read.rate == pytest.approx(100.0)
    assert read.movement is not None
    assert read.movement.sum() == m - m // 2


def test_errors_count_where_a_recording_says_that_it_moves() -> None:
    """As BROAD's authors do: root mean squares over the marked samples only."""
    still = still_record(preset("ideal"), 1.0, 100.0, seed=0)
    m = len(still)
    truth = np.tile([1.0, 0.0, 0.0, 0.0], (m, 1))
    tilted = truth.copy()
    tilted[m // 2 :] = [np.cos(0.05), np.sin(0.05), 0.0, 0.0]
    marked = replace(still, orientation=truth, movement=np.arange(m) >= m // 2)
    error = evaluate(Estimate("strapdown", still.t, tilted), marked)
    assert error.inclination == pytest.approx(0.1)
    assert error.heading == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("t [µs];ω_x [°/s];ω_y [°/s];ω_z [°/s];a_x [m/s²];a_y [m/s²];a_z [m/s²]", "10000;90;0;0;0;0;9,81"),
        ("seconds_elapsed,gyroscope_x,gyroscope_y,gyroscope_z,accelerometer_x,accelerometer_y,accelerometer_z",
         f"0.01,{np.pi / 2},0,0,0,0,9.81"),
    ],
)  # fmt: skip
def test_headers_of_other_programs_and_decimal_commas_are_read(tmp_path: Path, header: str, row: str) -> None:
    path = tmp_path / "imu.csv"
    first = row.split(";" if ";" in row else ",", 1)[1]
    path.write_text(f"{header}\n0{';' if ';' in row else ','}{first}\n{row}\n", encoding="utf-8")
    read = read_imu(path)
    np.testing.assert_allclose(read.record.t, [0.0, 0.01])
    np.testing.assert_allclose(read.record.gyro[1], [np.pi / 2, 0, 0])
    np.testing.assert_allclose(read.record.acc[1], [0, 0, 9.81])
    assert [finding.code for finding in read.findings] == ([] if "[" in header else ["imu_units_assumed"])


def test_axes_in_different_units_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "imu.csv"
    path.write_text("t,gx_deg_s,gy_rad_s,gz_rad_s,ax_m_s2,ay_m_s2,az_m_s2\n0,180,0,0,0,0,9.81\n0.01,180,0,0,0,0,9.81\n")
    read = read_imu(path)
    assert read.record.gyro[0, 0] == pytest.approx(np.pi)
    assert [finding.code for finding in read.findings] == ["imu_units_mixed"]


def test_a_folder_of_rosbag2_is_read(tmp_path: Path) -> None:
    made = record()
    write_imu(made, tmp_path / "bag_0.mcap")
    np.testing.assert_array_equal(read_imu(tmp_path).record.acc, made.acc)
