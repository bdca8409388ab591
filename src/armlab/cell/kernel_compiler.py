"""Kernels are compiled in processes of their own, which end with the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from multiprocessing.queues import Queue
from pathlib import Path

from armlab.cell import warmup
from armlab.kernels import code_cache

Progress = Callable[[int, int], object]
LOOK_AGAIN_S = 0.05

on_wait: ContextVar[Callable[[], object]] = ContextVar("on_wait", default=lambda: None)
"""Whom to tell when this thread or request has to wait for a kernel that is being compiled."""

_processes = multiprocessing.get_context("spawn")  # a fork would take along sockets and locks of the server


def compile_groups(names: Sequence[str], progress: Progress = lambda _done, _total: None) -> None:
    """Compile the groups `names` of armlab.cell.warmup on all cores; `progress(done, total)` hears of each.

    An interrupt, or whatever else ends this process, ends the compilation at once.
    """
    workers = min(os.cpu_count() or 1, len(names))
    with _processes.Pool(workers, _end_with_parent) as pool:  # leaving it terminates the workers
        for done, _ in enumerate(pool.imap_unordered(_compile, names), start=1):
            progress(done, len(names))


def compile_in_background(names: Sequence[str]) -> None:
    """Start processes of low priority that compile the groups `names` in that order; they end with this one.

    Meanwhile whoever calls a kernel that is not ready waits until it is.
    """
    count = min(os.cpu_count() or 1, len(names))
    waiting: Queue[str | None] = _processes.Queue()
    for name in (*names, *[None] * count):
        waiting.put(name)
    for _ in range(count):
        process = _processes.Process(target=_compile_quietly, args=(waiting,), daemon=True)
        process.start()
        _in_background[process] = waiting
    code_cache.wait_first(wait_for)


_in_background: dict[BaseProcess, Queue[str | None]] = {}
"""The processes that were started, and what they take their work from: it would end with its last reference here."""


def end_background() -> None:
    """End the processes in the background; what they have not compiled yet is compiled by whoever needs it."""
    for process in _in_background:
        process.kill()
        process.join()
    for waiting in {id(queue): queue for queue in _in_background.values()}.values():
        waiting.close()
        waiting.join_thread()
    _in_background.clear()  # a signal that ends this process later finds no semaphores to complain about


def wait_for(file: Path) -> None:
    """Wait until a process in the background has written the machine code to `file`, or all of them have ended."""
    is_told = False
    while not file.exists() and (running := [process for process in _in_background if process.is_alive()]):
        if not is_told:
            on_wait.get()()
            is_told = True
        connection.wait([process.sentinel for process in running], LOOK_AGAIN_S)


def missing_groups() -> tuple[str, ...]:
    """Return the groups whose machine code was not kept yet, in the order in which they should be compiled."""
    return tuple(name for name in warmup.GROUPS if (mark := _mark(name)) is None or not mark.is_file())


def _compile(name: str) -> None:
    warmup.GROUPS[name]()
    if (mark := _mark(name)) is not None:
        with suppress(OSError):  # a full disk: the group is compiled again next time
            mark.touch()


def _compile_quietly(waiting: Queue[str | None]) -> None:
    _end_with_parent()
    if hasattr(os, "nice"):
        os.nice(10)
    while (name := waiting.get()) is not None:
        _compile(name)


def _end_with_parent() -> None:
    """Leave Ctrl-C to the parent, and end when it has ended, however that came."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # the main thread is inside the compiler and would not hear of it


def _mark(name: str) -> Path | None:
    """Return the file that says that a group was compiled from the kernels as they are now."""
    folder = code_cache.cache_folder()
    return None if folder is None else folder / f"ready-{_digest()}-{name.replace(' ', '-')}"


@lru_cache(maxsize=1)
def _digest() -> str:
    return code_cache.closure_digest(Path(warmup.__file__))
