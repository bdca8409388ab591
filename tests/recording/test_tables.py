"""Tables that were exported come back as the same recording; others are refused with the row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armlab import catalog
from armlab.errors import InvalidInput
from armlab.recording import QUANTITIES, SIGNALS, Recording, export_recording, read_recording


def recording() -> Recording:
    robot = catalog.load("scara")  # one of its joints slides
    rng = np.random.default_rng(0)
    joints = rng.normal(size=(20, len(QUANTITIES), robot.dof))
    joints[:, 2], joints[3, 3, 1] = np.nan, np.nan
    signals = np.full((20, len(SIGNALS)), np.nan)
    signals[:, 3:] = rng.normal(size=(20, 6))
    return Recording.of(robot, np.arange(20) * 0.01, joints, signals=signals)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_exported_comes_back(tmp_path: Path, suffix: str) -> None:
    written = recording()
    export_recording(written, tmp_path / f"run.{suffix}")
    back = read_recording(tmp_path / f"run.{suffix}")
    assert back.names == written.names
    assert back.listed("units") == written.listed("units")
    np.testing.assert_allclose(back.t, written.t)
    np.testing.assert_allclose(back.joints, written.joints, atol=1e-12)
    assert back.signals is not None
    assert written.signals is not None
    np.testing.assert_allclose(back.signals, written.signals, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "code", "row"),
    [
        ("q_A1_deg\n1\n", "table_without", None),
        ("time_s,tau_A1_Nm\n1,2\n", "table_without", None),
        ("time_s,q_A1_deg\n0,1\n1,x\n", "table_row", 2),
        ("time_s,q_A1_deg\n0,1\n1\n", "table_row", 2),
        ("time_s,q_A1_deg\n0,1\n,2\n", "table_time", 2),
        ("", "table_without", None),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, text: str, code: str, row: int | None) -> None:
    (tmp_path / "run.csv").write_text(text)
    with pytest.raises(InvalidInput) as caught:
        read_recording(tmp_path / "run.csv")
    assert caught.value.code == code
    assert caught.value.parameters.get("row") == row


def test_a_parquet_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_text("time_s")
    with pytest.raises(InvalidInput) as caught:
        read_recording(tmp_path / "run.parquet")
    assert caught.value.code == "table_parquet"
