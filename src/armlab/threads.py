"""Large batches on all cores: kernels that release Python's lock run over slices of the rows at the same time.

Besides armlab.jobs and the sessions of armlab.cell this is the only place with threads. They are made on first use,
run nothing but kernels, and keep no state: the answer does not depend on how many there are.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from armlab.errors import InvalidInput
from armlab.messages import _

Item = TypeVar("Item")
Result = TypeVar("Result")

MINIMUM = 10_000
"""Rows below which a cheap kernel stays on the calling thread: starting a second one would take longer."""

MAX_THREADS = 256
SLICES_PER_THREAD = 4  # a core that is busy with something else leaves some of its slices to the others
ALIGNMENT = 64  # kernels work on blocks of so many rows: a cut between blocks leaves every result bit for bit the same

_chosen: int | None = None
_inside = threading.local()


def set_threads(count: int) -> None:
    """Let large batches use `count` threads; the default is the number of cores, 1 keeps all on the calling thread.

    Raises:
        InvalidInput: if `count` is not an integer from 1 to 256.
    """
    global _chosen  # noqa: PLW0603 - the machine has one set of cores
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MAX_THREADS:
        raise InvalidInput(
            "thread_count_outside",
            _("threads: {given} given; allowed: 1 to {most}"),
            given=repr(count),
            most=MAX_THREADS,
        )
    _chosen = count


def thread_count() -> int:
    """Return how many threads a large batch uses."""
    return _cores() if _chosen is None else _chosen


def map_slices(function: Callable[[slice], Result], rows: int, *, minimum: int = MINIMUM) -> list[Result]:
    """Return `function(rows i…j)` for consecutive slices that together are all `rows`, in order.

    Fewer rows than `minimum`, one thread, and calls from inside of `function` give one slice on the calling thread.
    `function` must release Python's lock in what takes long, and write only to its own rows. When a slice raises, its
    error is passed on after no other slice is running any more.
    """
    return _mapped(function, _slices(rows, minimum))


def map_items(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return `function(item)` for each of the items, in order: for a few that take long, each on a thread of its own.

    The same rules hold as for `map_slices`: what takes long must release Python's lock.
    """
    if thread_count() == 1 or getattr(_inside, "slice", False):
        return [function(item) for item in items]
    return _mapped(function, items)


def _mapped(function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    if len(items) <= 1:
        return [function(item) for item in items]
    results: dict[int, Result] = {}
    waiting = deque(enumerate(items))

    def work() -> None:
        _inside.slice = True
        try:
            while (taken := _taken(waiting)) is not None:
                results[taken[0]] = function(taken[1])
        finally:
            _inside.slice = False

    threads = thread_count()
    helpers = [_pool(os.getpid(), threads).submit(work) for _ in range(min(threads, len(items)) - 1)]
    try:
        work()
    finally:
        waiting.clear()  # after an error or an interrupt nobody starts another one
        running = [helper for helper in helpers if not helper.cancel()]
        wait(running)
    for helper in running:
        helper.result()
    return [results[i] for i in range(len(items))]


def _taken(waiting: deque[tuple[int, Item]]) -> tuple[int, Item] | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _slices(rows: int, minimum: int) -> list[slice]:
    threads = thread_count()
    if threads == 1 or rows < max(minimum, 2) or getattr(_inside, "slice", False):
        return [slice(0, rows)]
    count = min(threads * SLICES_PER_THREAD, max(threads, 2 * rows // max(minimum, 1)))
    length = -(-rows // count)
    length = -(-length // ALIGNMENT) * ALIGNMENT
    return [slice(first, min(first + length, rows)) for first in range(0, rows, length)]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep matrix products and decompositions on one thread, in a `with` block or a decorated function.

    Those of small matrices gain nothing from more, and where other programs keep the cores busy, threads that wait for
    each other a thousand times make them a hundred times slower.
    """
    with _blas().limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _blas() -> Any:
    import scipy.linalg  # noqa: F401 - loads the library whose threads are meant
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Return the threads beside the calling one; a process that was forked has none of its parent's."""
    del process
    return ThreadPoolExecutor(max_workers=threads - 1, thread_name_prefix="armlab-batch")


@lru_cache(maxsize=1)
def _cores() -> int:
    """Return how many cores this process may use."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(allowed or 1, MAX_THREADS)
