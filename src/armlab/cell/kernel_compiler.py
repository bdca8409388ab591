"""Kernels are compiled in processes of their own, one per core, which end with the one that started them."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path

from armlab.cell import warmup
from armlab.jobs import BOARD, COMPILE, Job, Ticket, at_home, submit, tell
from armlab.kernels import code_cache

Progress = Callable[[int, int], object]
LOOK_AGAIN_S = 0.05
MOST_LOOKS = 100
OWNER = "kernels"

on_wait: ContextVar[Callable[[], object]] = ContextVar("on_wait", default=lambda: None)
"""Whom to tell when this thread or request has to wait for a kernel that is being compiled."""

_waiting: deque[str] = deque()
"""The groups that no process has begun with."""


def compile_groups(names: Sequence[str], progress: Progress = lambda _done, _total: None) -> None:
    """Compile the groups `names` of armlab.cell.warmup on all cores; `progress(done, total)` hears of each.

    An interrupt, or whatever else ends this process, ends the compilation at once.
    """
    changed, jobs = threading.Event(), _start(names)
    for job in jobs:
        job.listen(changed.set)
    while running := sum(not job.future.done() for job in jobs):
        progress(len(names) - len(_waiting) - running, len(names))
        changed.wait()
        changed.clear()
    for job in jobs:
        job.result()
    progress(len(names), len(names))


def compile_in_background(names: Sequence[str]) -> None:
    """Start processes of low priority that compile the groups `names` in that order; they end with this one.

    Meanwhile whoever calls a kernel that is not ready waits until it is.
    """
    _start(names)
    code_cache.wait_first(wait_for)


def end_background() -> None:
    """End the processes in the background; what they have not compiled yet is compiled by whoever needs it.

    One that is just starting is waited for: without the process that starts it, it would complain.
    """
    _waiting.clear()
    BOARD.cancel_all(OWNER)
    for _ in range(MOST_LOOKS):
        if not BOARD.is_busy(COMPILE):
            return
        time.sleep(LOOK_AGAIN_S)


def wait_for(file: Path) -> None:
    """Wait until a process in the background has written the machine code to `file`, or all of them have ended."""
    is_told = False
    while not file.exists() and BOARD.is_busy(COMPILE):
        if not is_told:
            on_wait.get()()
            is_told = True
        time.sleep(LOOK_AGAIN_S)


def next_group() -> str | None:
    """Return what a process is to compile next; None: nothing is left."""
    return _waiting.popleft() if _waiting else None


def compile_waiting() -> None:
    """Compile what waits in the process that has started this one, group by group."""
    while (name := at_home(next_group)) is not None:
        tell(0.0)
        _compile(name)


def _start(names: Sequence[str]) -> list[Job[None]]:
    _waiting.extend(names)
    return [submit(Ticket(COMPILE, OWNER), compile_waiting) for _ in range(min(COMPILE.at_once, len(names)))]


def missing_groups() -> tuple[str, ...]:
    """Return the groups whose machine code was not kept yet, in the order in which they should be compiled."""
    return tuple(name for name in warmup.GROUPS if (mark := _mark(name)) is None or not mark.is_file())


def _compile(name: str) -> None:
    warmup.GROUPS[name]()
    if (mark := _mark(name)) is not None:
        with suppress(OSError):  # a full disk: the group is compiled again next time
            mark.touch()


def _mark(name: str) -> Path | None:
    """Return the file that says that a group was compiled from the kernels as they are now."""
    folder = code_cache.cache_folder()
    return None if folder is None else folder / f"ready-{_digest()}-{name.replace(' ', '-')}"


@lru_cache(maxsize=1)
def _digest() -> str:
    return code_cache.closure_digest(Path(warmup.__file__))
