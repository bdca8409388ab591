"""What is left to do of a command that may take longer than a tick."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Deferred(NamedTuple):
    """A command that takes long: any thread may `compute` it from frozen values; the session's thread does `apply`."""

    compute: Callable[[], Any]
    apply: Callable[[Any], None]
