"""Damaged recordings: whatever bytes a file has, it is read as far as it goes, or refused in words of our own."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from fuzz.damage import BYTES, Damage
from mcap.records import DataEnd, Header, Message

from armlab.errors import ArmlabError
from armlab.messages import Message as Text
from armlab.model.finding import Finding
from armlab.recording import Recorder, Recording, export_csv, export_parquet, read_recording, recover
from armlab.recording.mcap_read import McapMessage, McapScan
from armlab.recording.mcap_write import MAGIC, _bytes_of

FILES = 15 * int(os.environ.get("ARMLAB_FUZZ", "1"))


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A recording with every kind of message, as it is written: in chunks with checksums."""
    path = tmp_path_factory.mktemp("whole") / "a.mcap"
    rng = np.random.default_rng(5)
    with Recorder(path, ("one", "two"), frames=("link",), source={"seed": 5}) as recorder:
        for k in range(20):
            q = rng.normal(size=2)
            recorder.write(
                0.1 * k,
                q,
                q,
                q,
                qdd=q,
                command_q=q,
                command_qd=q,
                command_qdd=q,
                command_tau=q,
                frames=np.eye(4)[None],
                diagnostics=[Finding("note", Text("odd", "odd"), {"step": k})] if k % 5 == 0 else (),
            )
    return path.read_bytes()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory, packed: bytes) -> bytes:
    """The same without chunks and checksums: damage reaches the readers of messages."""
    path = tmp_path_factory.mktemp("bare") / "a.mcap"
    path.write_bytes(packed)
    out = MAGIC + _bytes_of(Header("ros2", "test"))
    for record in McapScan(path).records():
        if isinstance(record, McapMessage):
            channel, time, data = record
            out += _bytes_of(Message(channel_id=channel, log_time=time, publish_time=time, sequence=0, data=data))
        else:
            out += _bytes_of(record)
    path.write_bytes(out + _bytes_of(DataEnd(0)))
    assert len(read_recording(path).t) == 20
    return path.read_bytes()


@pytest.mark.parametrize("form", ["packed", "bare"])
@pytest.mark.parametrize("damage", BYTES)
def test_a_damaged_file_is_read_as_far_as_it_goes_or_refused(
    form: str,
    damage: Damage,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    whole: bytes = request.getfixturevalue(form)
    rng = np.random.default_rng(len(damage.__name__))
    path, out = tmp_path / "odd.mcap", tmp_path / "out.mcap"
    for _ in range(FILES):
        data = bytearray(whole)
        damage(rng, data)
        path.write_bytes(data)
        try:
            recording = read_recording(path)
            recover(path, out)
        except ArmlabError:
            continue
        assert_consistent(recording)
        np.testing.assert_array_equal(read_recording(out).joints, recording.joints)
        out.unlink()
        if len(recording.names):
            export_csv(recording, tmp_path / "out.csv")
            export_parquet(recording, tmp_path / "out.parquet")


def assert_consistent(recording: Recording) -> None:
    """Check that all columns are of one length, and that names are unique."""
    assert recording.joints.shape == (len(recording.t), 8, len(recording.names))
    assert len(set(recording.names)) == len(recording.names)


def test_metadata_that_is_nested_without_end_is_no_list_of_names(tmp_path: Path) -> None:
    path = tmp_path / "deep.mcap"
    with Recorder(path, ("one",), source={"deep": "[" * 100_000}) as recorder:
        recorder.write(0.0, [0.0])
    assert read_recording(path).listed("deep") == []
