"""Hostile input of every kind: from a number comes a file or a program, which is read, refused, or a defect."""

from __future__ import annotations

import random
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from fuzz import test_gcode, test_krl, test_scenarios, test_scripts
from fuzz.damage import damaged
from fuzz.readers import READERS

from armlab.errors import ArmlabError

Example = Callable[[int], ArmlabError | None]
"""Makes input number n and uses it; returns why it was refused. Any other error is a defect."""
MOST_SECONDS = 5.0
"""Of processor time, for one input."""
MOST_MEMORY = 4 << 30
"""Bytes of address space, for all that a process does."""
LONGEST_MESSAGE = 3000


LANGUAGES: dict[str, tuple[Callable[[random.Random], object], ...]] = {
    "gcode": (test_gcode.sequence, test_gcode.any_dialect, test_gcode.mutant),
    "krl": (test_krl.one,),
    "python": (test_scripts.ended,),
    "scenario": (test_scenarios.ended,),
}


assert not set(LANGUAGES) & set(READERS), "a name is of a file or of a language"


class Endless(AssertionError):
    """One input takes longer than any may."""


def reader_example(kind: str, folder: Path) -> Example:
    """Return what damages a file of this kind and reads it; the whole file can be read."""
    whole_file, name, use, ways = READERS[kind]
    path, whole = folder / name, whole_file(folder)
    path.write_bytes(whole)
    use(path)

    def example(number: int) -> ArmlabError | None:
        path.write_bytes(damaged(whole, number, ways))
        refusal = None
        try:
            use(path)
        except ArmlabError as error:
            refusal = error
        assert refusal is None or (refusal.code and len(str(refusal)) < LONGEST_MESSAGE)
        return refusal

    return example


@contextmanager
def bounded_time(seconds: float = MOST_SECONDS) -> Iterator[None]:
    """End what takes longer."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise Endless(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def bounded_memory() -> None:
    """Let this process ask for no more than that: an input that does ends with a MemoryError, which is a defect."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))


def language_example(language: str) -> Example:
    """Return what makes a program of this language and interprets it."""
    make = LANGUAGES[language]

    def example(number: int) -> ArmlabError | None:
        rng = random.Random(number)
        rng.choice(make)(rng)
        return None

    return example
