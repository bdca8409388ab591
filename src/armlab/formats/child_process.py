"""Reading a file from outside in a process of its own: it has little time and memory, and its failures end with it.

The page and the command line read arms here. The child runs `python -m` of this module: it reads its limits and the
call from standard input, and writes the result, or the error of ours, to standard output.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from armlab.errors import ArmlabError, InvalidInput
from armlab.messages import _, reader
from armlab.threads import thread_count

SECONDS = 60.0
MEMORY = 4_000_000_000
"""Bytes of address space; what is really used is a small part of it."""
INTERRUPTED = 130
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """How long reading may take (s) and how much memory it may have (bytes)."""

    seconds: float = SECONDS
    memory: int = MEMORY


class _Bounds(NamedTuple):
    language: str
    memory: int
    seconds: int
    """Of computing, on all cores."""


def call_bounded(
    function: Callable[Parameters, Result],
    limits: ImportLimits,
    folder: Path | None,
    /,
    *arguments: Parameters.args,
    **named: Parameters.kwargs,
) -> Result:
    """Return what a function of a module returns in a child process.

    With a `folder` the child works there, keeps its temporary files there, and nobody hears what it says.

    Raises:
        InvalidInput: if it takes too long or too much memory, or the child ends without an answer.
        ArmlabError: if the function raises it.
    """
    bounds = _Bounds(reader.get(), limits.memory, thread_count() * (int(limits.seconds) + 1))
    own = {} if folder is None else dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "armlab.formats.child_process"],
            input=pickle.dumps(tuple(bounds)) + pickle.dumps((function, arguments, named)),
            stdout=subprocess.PIPE,
            stderr=None if folder is None else subprocess.DEVNULL,
            timeout=limits.seconds,
            env={**os.environ, **_ONE_THREAD, **own},
            cwd=folder,
            check=False,
        )
    except subprocess.TimeoutExpired:
        text = _("reading the arm took longer than the {seconds:g} s allowed")
        raise InvalidInput("import_time", text, seconds=limits.seconds) from None
    if done.returncode != 0:
        raise InvalidInput("import_ended", _("the arm could not be read: it needs too much time or memory"))
    # the child runs as the same user and runs no code of the file: its answer is as good as one of this process
    result = pickle.loads(done.stdout)
    if isinstance(result, ArmlabError):
        raise result
    return result  # type: ignore[no-any-return]


def _limit_process(memory: int, seconds: int) -> None:
    """Bound this process, where the system can; who started it bounds its time in any case."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for which, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
            resource.setrlimit(which, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(memory: int) -> Any:
    """Return what the call on standard input gives, or the error of ours that it raises."""
    try:
        function, arguments, named = pickle.load(sys.stdin.buffer)
        return function(*arguments, **named)
    except ArmlabError as error:
        return error
    except MemoryError:
        text = _("the arm needs more memory than the {most:.0f} MB allowed")
        return InvalidInput("import_memory", text, most=memory / 1e6)


def main() -> None:
    """Answer one call."""
    bounds = _Bounds(*pickle.load(sys.stdin.buffer))
    _limit_process(bounds.memory, bounds.seconds)
    reader.set(bounds.language)
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what somebody prints is no part of the answer
    try:
        pickle.dump(_answer(bounds.memory), out)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
