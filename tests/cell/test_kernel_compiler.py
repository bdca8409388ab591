"""Processes that compile end with whoever started them, and what is compiled first is what a session needs."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from armlab.cell import kernel_compiler, warmup
from armlab.kernels import code_cache

PATIENCE_S = 120.0
SCRIPT = """
import os, signal, sys, threading
from armlab.cell import kernel_compiler, warmup

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background is started without it

def begin():
    stream = os.open(sys.argv[1], os.O_WRONLY)  # open as long as this process lives
    os.write(stream, b"x")

def busy():
    begin()
    while True:
        pass

warmup.GROUPS.clear()
warmup.GROUPS.update(one=busy, two=busy)
if __name__ == "__main__":
    if sys.argv[2] == "pool":
        kernel_compiler.compile_groups(["one", "two"])
    else:
        kernel_compiler.compile_in_background(["one"])
        begin()
        threading.Event().wait()
"""


ENDED = """
import os, signal
from armlab.cell import kernel_compiler, warmup

warmup.GROUPS.clear()
if __name__ == "__main__":
    kernel_compiler.compile_in_background(["one", "two"])
    kernel_compiler.end_background()
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
"""


def _read(stream: int, count: int) -> bytes:
    """Return up to `count` bytes; nothing at the end, when the last writer has ended."""
    ready, _, _ = select.select([stream], [], [], PATIENCE_S)
    assert ready, "the workers are still running"
    return os.read(stream, count)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_process_whose_workers_were_ended_is_ended_by_a_signal_without_a_word(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ENDED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes and signals are POSIX")
@pytest.mark.parametrize("how", ["pool", "background"])
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_compilation_and_its_workers(tmp_path: Path, how: str, signum: signal.Signals) -> None:
    script, pipe = tmp_path / "script.py", tmp_path / "pipe"
    script.write_text(SCRIPT)
    os.mkfifo(pipe)
    stream = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with subprocess.Popen([sys.executable, str(script), str(pipe), how], stderr=subprocess.DEVNULL) as process:
        try:
            started = b""
            while len(started) < 2:
                started += _read(stream, 2)
            process.send_signal(signum)
            assert process.wait(PATIENCE_S) != 0
        finally:
            process.kill()
    assert _read(stream, 1) == b""
    os.close(stream)


WAITING = """
import sys
from pathlib import Path
from armlab.cell import kernel_compiler, warmup
from armlab.jobs import BOARD, COMPILE

code, pipe = Path(sys.argv[1]), sys.argv[2]

def compile_when_told():
    with open(pipe) as stream:
        stream.read()
    code.write_bytes(b"machine code")

warmup.GROUPS.clear()
warmup.GROUPS.update(one=compile_when_told)

def tell():
    print("waits", code.exists(), flush=True)
    with open(pipe, "w") as stream:
        stream.write("go")

if __name__ == "__main__":
    kernel_compiler.compile_in_background(["one"])
    kernel_compiler.on_wait.set(tell)
    kernel_compiler.wait_for(code)
    print("ready", code.exists(), flush=True)
    kernel_compiler.wait_for(code)
    while BOARD.is_busy(COMPILE):
        pass
    kernel_compiler.wait_for(Path(sys.argv[1] + "-that-nobody-writes"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are POSIX")
def test_who_needs_a_kernel_that_is_being_compiled_waits_for_it_and_says_so_once(tmp_path: Path) -> None:
    script, pipe, code = tmp_path / "script.py", tmp_path / "pipe", tmp_path / "code"
    script.write_text(WAITING)
    os.mkfifo(pipe)
    environment = os.environ | {"ARMLAB_CACHE": str(tmp_path)}
    command = [sys.executable, str(script), str(code), str(pipe)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S, env=environment)
    assert done.stdout.splitlines() == ["waits False", "ready True"]


def test_a_kernel_is_awaited_by_the_name_under_which_it_is_kept(tmp_path: Path) -> None:
    code = """
import numpy as np
from armlab.kernels import cholesky, code_cache
awaited = []
code_cache.wait_first(lambda file: awaited.append((file, file.exists())))
for _ in range(2):
    cholesky.solve_into(np.ones((1, 1, 1)), np.ones((1, 1)))
((file, was_there),) = awaited
print(was_there, file.exists())
"""
    environment = os.environ | {"ARMLAB_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "False True"


def test_groups_that_were_compiled_are_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warmup, "GROUPS", {"one": lambda: None, "two": lambda: None})
    assert kernel_compiler.missing_groups() == ("one", "two")
    kernel_compiler._compile("two")
    assert kernel_compiler.missing_groups() == ("one",)


def test_without_a_cache_folder_every_group_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "cache_folder", lambda: None)
    assert kernel_compiler.missing_groups() == tuple(warmup.GROUPS)


def test_a_new_session_calls_no_kernel_that_is_compiled_later() -> None:
    code = """
import gc
from numba.core.dispatcher import Dispatcher
from armlab.cell import warmup
from armlab.server.sessions import warm_up_sessions
kernels = lambda: {d for d in gc.get_objects() if isinstance(d, Dispatcher) and d.nopython_signatures}
warmup.warm_up(warmup.FIRST)
before = kernels()
warm_up_sessions()
print([d.py_func.__qualname__ for d in kernels() - before])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
