"""One call in a process of its own, with bounded time and memory; its failures end with it.

On Linux the processes are forked from one that has no threads and has imported what `preload` names, so that they
start in some ms and share its memory. Where a fork is not safe, one that has imported the same waits in reserve.
"""

from __future__ import annotations

import copyreg
import errno
import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from multiprocessing import connection, forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from armlab.errors import ArmlabError, InvalidInput
from armlab.jobs.job import Job, JobBroken
from armlab.jobs.lane import Lane
from armlab.jobs.progress import listener
from armlab.messages import Message, _, reader

Result = TypeVar("Result")
FORKS = sys.platform == "linux"
LOOK_S = 0.2
OUT_OF_TIME = 124
"""The exit status of a process that has used up its time, as that of timeout(1)."""
NICE = 10
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def _proxy(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda proxy: (_proxy, (dict(proxy),)))  # frozen values hold such


class _Worker(NamedTuple):
    process: BaseProcess
    pipe: Connection


class _Call(NamedTuple):
    work: partial[Any]
    language: str
    cpu_s: float | None
    memory: int | None


_preloaded: list[str] = []
_reserve: list[_Worker] = []
_starting = threading.Lock()


def preload(modules: Sequence[str]) -> None:
    """Let processes of warm lanes begin with these modules; call it before the first of them starts."""
    _preloaded[:] = modules
    multiprocessing.set_forkserver_preload(["__main__", *modules])


def run_in_process(job: Job[Result], work: partial[Result]) -> Result:
    """Return what `work` gives in a process of its own; what it tells, the job hears.

    Raises:
        ArmlabError: if it raises one, needs too much time or memory, or is ended.
        JobBroken: if it raises anything else.
    """
    lane = job.ticket.lane
    call = pickle.dumps(_Call(work, reader.get(), lane.cpu_s, lane.memory))
    worker = take_worker(is_warm=lane.is_warm)
    job.killed_by(worker.process.kill)
    try:
        with suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send_bytes(call)
        while True:
            try:
                kind, content = worker.pipe.recv()
            except (EOFError, ConnectionResetError):
                worker.process.join()
                raise _ended(worker.process.exitcode, lane) from None
            match kind:
                case "result":
                    result: Result = content
                    return result
                case "error":
                    raise content
                case "broken":
                    raise JobBroken(content)
                case "tell":
                    job.tell(*content)
                case _:
                    worker.pipe.send(job.at_home(*content))
    finally:
        worker.pipe.close()
        worker.process.kill()  # its answer is here, or nobody waits for it
        worker.process.join()


def take_worker(*, is_warm: bool) -> _Worker:
    """Return a process that waits for a call."""
    if not is_warm:
        return _started("spawn", ())
    with _starting:
        if FORKS:
            with _environment(_ONE_THREAD):
                forkserver.ensure_running()
            return _started("forkserver", ())
        worker = _reserve.pop() if _reserve else _started("spawn", _preloaded)
        _reserve.append(_started("spawn", _preloaded))
        return worker


def _started(method: str, modules: Sequence[str]) -> _Worker:
    processes = multiprocessing.get_context(method)
    ours, theirs = processes.Pipe()
    process = processes.Process(target=_serve, args=(theirs, tuple(modules)), daemon=True)  # type: ignore[attr-defined]
    process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _ended(status: int | None, lane: Lane) -> ArmlabError:
    """Return why a process ended without an answer."""
    if status == OUT_OF_TIME or (hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU):
        text = _("this takes more than the {seconds:g} s of computing that are allowed")
        return InvalidInput("job_time", text, seconds=lane.cpu_s)
    return InvalidInput("job_ended", _("this was ended: it needs too much memory, or somebody ended its process"))


# -- in the process -------------------------------------------------------------------------------------------------


class _Home:
    """What the work tells goes to the process that started this one."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def tell(self, share: float, step: Message | None, part: object) -> None:
        self._pipe.send(("tell", (share, step, part)))

    def at_home(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self._pipe.send(("home", (function, arguments)))
        return self._pipe.recv()


def _serve(pipe: Connection, modules: Sequence[str]) -> None:
    """Wait for one call, answer it, and end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    if hasattr(os, "nice"):
        os.nice(NICE)
    for name in modules:
        import_module(name)
    try:
        data = pipe.recv_bytes()
    except EOFError:
        return
    home = _Home(pipe)
    listener.set(home)
    try:
        call: _Call = pickle.loads(data)
        threading.Thread(target=_watch, args=(call.cpu_s,), daemon=True).start()
        _bound(call)
        reader.set(call.language)
        answer = pickle.dumps(("result", call.work()))
    except ArmlabError as error:
        answer = pickle.dumps(("error", error))
    except Exception as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            text = _("this needs more memory than the {most:.0f} MB that are allowed")
            answer = pickle.dumps(("error", InvalidInput("job_memory", text, most=(call.memory or 0) / 1e6)))
        else:
            answer = pickle.dumps(("broken", traceback.format_exc()))
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.send_bytes(answer)


def _watch(cpu_s: float | None) -> None:
    """End this process when its time is used up, or with its parent, however that ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    end = math.inf if cpu_s is None else time.process_time() + cpu_s
    while not connection.wait([parent.sentinel], min(LOOK_S, max(0.001, end - time.process_time()))):
        if time.process_time() > end:
            os._exit(OUT_OF_TIME)
    os._exit(1)  # the main thread may be inside of a kernel and would not hear of it


def _bound(call: _Call) -> None:
    """Bound time and memory, where the system can: also for kernels, which leave the watching thread no turn."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if call.cpu_s is not None:
            seconds = int(time.process_time() + call.cpu_s) + 2
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if call.memory is not None:
            with open("/proc/self/statm") as stream:  # noqa: PTH123 - a file of the kernel's, not of anybody's
                pages = int(stream.read().split()[0])
            most = pages * resource.getpagesize() + call.memory
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
