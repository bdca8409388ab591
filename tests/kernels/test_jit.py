from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba

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


def test_kernels_work_where_no_folder_can_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    code = "import armlab.kernels.jit as j; print(j.cache_folder()); import armlab.kernels.chain"
    environment = {**os.environ, "ARMLAB_CACHE": str(blocked), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert f"{tmp_path}" in done.stdout
