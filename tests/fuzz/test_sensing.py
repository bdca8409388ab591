"""Files of inertial sensors, cut and scrambled: read or refused, never anything else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from armlab.errors import ArmlabError
from armlab.sensing.files import read_imu, write_imu
from armlab.sensing.imu_record import ImuRecord

COUNT = int(os.environ.get("ARMLAB_FUZZ", "1")) * 12


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mcap"])
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(20)
    rows = rng.normal(size=(3, 40, 3))
    whole = write_imu(ImuRecord(np.arange(40) / 50.0, *rows), tmp_path / f"whole{suffix}").read_bytes()
    path, outcomes = tmp_path / f"damaged{suffix}", set()
    for _example in range(COUNT):
        data = bytearray(whole[: rng.integers(1, len(whole) + 1)])
        for place in rng.integers(0, len(data), rng.integers(0, 20)):
            data[place] = rng.integers(256)
        path.write_bytes(bytes(data))
        try:
            outcomes.add(len(read_imu(path).record) > 1)
        except ArmlabError as error:
            outcomes.add(bool(error.code))
    assert outcomes == {True}
