from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

from armlab.kernels import jit


def test_the_cache_folder_is_named_after_all_kernel_files() -> None:
    folder = jit.cache_folder()
    assert folder is not None
    assert folder.name.startswith("kernels-")
    assert len(folder.name) == len("kernels-") + 16


def test_other_users_of_numba_keep_their_own_cache_folder() -> None:
    before = numba.config.CACHE_DIR

    @jit.kernel
    def twice(x: float) -> float:
        return 2.0 * x

    assert twice(3.0) == 6.0
    assert before == numba.config.CACHE_DIR


def test_a_damaged_cache_means_compiling_again(tmp_path: Path) -> None:
    code = "import armlab, numpy as np; print(armlab.load('planar2').fk(np.zeros(2))[0, 3])"
    environment = {**os.environ, "ARMLAB_CACHE": str(tmp_path)}
    for damage in (None, b"", b"\x80\x04cut off"):
        for file in tmp_path.rglob("*.nb[ic]"):
            if damage is not None:
                file.write_bytes(damage)
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "0.5"
    assert list(tmp_path.rglob("*.nbi"))


@pytest.mark.skipif(sys.platform == "win32", reason="owners of folders are told apart on POSIX only")
def test_a_temporary_folder_that_others_can_write_to_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"armlab-{os.getuid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    assert jit._own_temporary() is None
    folder.chmod(0o700)
    assert jit._own_temporary() == folder


def test_kernels_work_where_no_folder_can_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    code = "import armlab.kernels.jit as j; print(j.cache_folder()); import armlab.kernels.chain"
    environment = {**os.environ, "ARMLAB_CACHE": str(blocked), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert f"{tmp_path}" in done.stdout
