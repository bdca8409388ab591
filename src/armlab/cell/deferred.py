"""What is left to do of a command that may take longer than a tick, and what is computed beside the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from armlab.cell.preview import Preview


class Deferred(NamedTuple):
    """A command that takes long: any thread may `compute` it from frozen values; the session's thread does `apply`."""

    compute: Callable[[], Any]
    apply: Callable[[Any], None]


class Ahead(NamedTuple):
    """What is run ahead for the page while an arm plays it: the work of a job, and who gets what it finds."""

    arm: str
    work: Callable[[], Preview]
    hear: Callable[[Preview], None]
