"""What jobs do in the tests: functions of a module, as processes need them."""

from __future__ import annotations

import os
import signal

from armlab.errors import UnknownName
from armlab.jobs import at_home, tell
from armlab.messages import Message, reader

STEP = Message("job_waits", "a step")


def add(a: int, b: int) -> int:
    return a + b


def process_id() -> int:
    return os.getpid()


def add_twice(a: int, b: int) -> int:
    tell(0.5, STEP)
    return 2 * add(a, b)


def ask_home() -> tuple[int, int]:
    return os.getpid(), at_home(process_id)


def language() -> str:
    return reader.get()


def refuse() -> None:
    raise UnknownName("robot", "ur5", ["ur5e", "scara"])


def break_down() -> None:
    raise ZeroDivisionError("a mistake of ours")


def compute_for_ever() -> None:
    tell(0.1)
    while True:
        pass


def fill_memory() -> int:
    return len(bytes(3_000_000_000))


def end_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def settings() -> tuple[int, int]:
    """Return the process's priority and its number of threads."""
    return os.nice(0), len(os.listdir("/proc/self/task"))  # noqa: PTH208
