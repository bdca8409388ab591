from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest

import armlab
from armlab import cache
from armlab.arrays import Floats
from armlab.kernels import code_cache, jit
from armlab.kernels.search import lm, lm_step


def test_the_name_of_kept_code_changes_with_every_module_that_a_kernel_imports() -> None:
    file = Path(lm.__file__)
    _, imported = code_cache.source(file)
    names = {path.stem for path in imported}
    assert "lm_step" in names  # directly
    before = code_cache.closure_digest(file)
    text, others = code_cache.source(Path(lm_step.__file__).resolve())
    with pytest.MonkeyPatch.context() as patch:
        changed = {Path(lm_step.__file__).resolve(): (text + b"EDITED = 1", others)}
        read = code_cache.source
        patch.setattr(code_cache, "source", lambda path: changed.get(path) or read(path))
        assert code_cache.closure_digest(file) != before
    assert code_cache.closure_digest(file) == before


def test_comments_of_a_kernel_do_not_compile_it_again(tmp_path: Path) -> None:
    plain, commented = tmp_path / "plain.py", tmp_path / "commented.py"
    plain.write_text("def f(x):\n    return x  # the same\n")
    commented.write_text("# formula (3)\ndef f(x):\n    # of the paper\n    return x  # the same\n")
    assert code_cache.source(plain)[0] == code_cache.source(commented)[0]


def test_other_users_of_numba_keep_their_own_cache_folder() -> None:
    before = numba.config.CACHE_DIR

    @jit.kernel
    def twice(x: float) -> float:
        return 2.0 * x

    assert twice(3.0) == 6.0
    assert before == numba.config.CACHE_DIR


def _with_a_flipped_bit(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]


def test_a_damaged_cache_means_compiling_again(tmp_path: Path) -> None:
    code = "import armlab, numpy as np; print(armlab.load('planar2').fk(np.zeros(2))[0, 3])"
    environment = {**os.environ, "ARMLAB_CACHE": str(tmp_path)}
    for damage in (lambda data: data, lambda _: b"", lambda data: data[:-1], _with_a_flipped_bit):
        for file in tmp_path.rglob("*.nbc"):
            file.write_bytes(damage(file.read_bytes()))
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "0.5"
    assert list(tmp_path.rglob("*.nbc"))


@pytest.mark.skipif(sys.platform == "win32", reason="owners of folders are told apart on POSIX only")
def test_a_temporary_folder_that_others_can_write_to_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"armlab-{os.getuid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    assert cache.private_temporary() is None
    folder.chmod(0o700)
    assert cache.private_temporary() == folder


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
def test_a_full_disk_keeps_kernels_in_memory_and_says_so_once(tmp_path: Path) -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); import armlab, numpy as np; "
        "robot = armlab.load('planar2'); print(robot.fk(np.zeros(2))[0, 3], robot.jacobian(np.zeros(2))[1, 0])"
    )
    environment = {**os.environ, "ARMLAB_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.5", "0.5"]
    assert len(done.stderr.splitlines()) == 1
    assert "not kept" in done.stderr
    assert list(tmp_path.rglob("*.nbc")) == []


def test_interpreted_kernels_give_the_same_numbers_without_numba() -> None:
    names = ("kuka-kr6-r700", "ur5e", "scara", "franka-panda")
    code = (
        "import json, sys; from armlab.kernels.jit import interpret; interpret(); import armlab; "
        f"robots = [armlab.load(name) for name in {names}]; "
        "q = [0.9 * robot.lower + 0.1 * robot.upper for robot in robots]; "
        "rows = [(r.fk(v).tolist(), r.frames(v).tolist(), r.jacobian(v).tolist()) for r, v in zip(robots, q)]; "
        "print(json.dumps(rows)); "
        "assert 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name, told in zip(names, json.loads(done.stdout), strict=True):
        robot = armlab.load(name)
        q = 0.9 * robot.lower + 0.1 * robot.upper
        for ours, expected in zip(told, (robot.fk(q), robot.frames(q), robot.jacobian(q)), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=0.0, atol=2e-15)


def test_a_direct_call_is_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    @jit.short_kernel
    def total(x: Floats) -> float:
        return float(x[0] + x[1])

    direct = jit.DirectCall(total, np.zeros(2))
    assert direct.call(np.array([1.0, 2.0])) == 3.0
    assert direct.call(np.array([4.0, 5.0])) == 9.0
    untold = jit.DirectCall(total)
    assert untold.call(np.array([1.0, 2.0])) == 3.0
    assert untold.call(np.array([4.0, 5.0])) == 9.0
    monkeypatch.setattr(jit, "_interprets", True)
    plain = jit.DirectCall(jit.kernel(max), 1, 2)
    assert plain.call(3, 4) == 4


def test_kernels_work_where_no_folder_can_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder")
    code = "import armlab.kernels.code_cache as j; print(j.cache_folder()); import armlab.kernels.chain"
    environment = {**os.environ, "ARMLAB_CACHE": str(blocked), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert f"{tmp_path}" in done.stdout


def test_calls_with_different_constants_share_one_machine_code() -> None:
    @jit.kernel
    def times(x: float, factor: int) -> float:
        return x * factor

    @jit.kernel
    def total(x: float) -> float:
        return times(x, 2) + times(x, 3)

    assert total(1.5) == 7.5
    assert len(times.overloads) == 1  # type: ignore[attr-defined]


def test_machine_code_that_names_a_module_that_is_gone_is_compiled_again(tmp_path: Path) -> None:
    kept = code_cache._MachineCode(str(tmp_path), "kernel")
    body = b"carmlab.moved_away\nState\n."  # a pickle of armlab.moved_away.State
    kept.path("key").write_bytes(hashlib.sha256(body).digest() + body)
    assert kept.load("key") is None
