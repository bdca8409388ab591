"""Every error that armlab raises on purpose, in one tree.

ArmlabError
├── InvalidInput      a value that cannot be used as it is (also a ValueError)
│   └── CatalogError  a robot file that cannot be used: which file, which key
├── UnknownName       a name that is not known; near names are offered (also a LookupError)
├── LimitViolation    a joint value outside its limits
├── Unreachable       a target that the arm cannot reach, with the reason
├── PlanningFailed    a motion that cannot be planned: which finding forbids it, and where
├── SimulationDiverged  a simulation that has left the world of finite numbers: which step, which joint
├── NotSupported      a thing that is right but that armlab does not do
└── ServerFailure     the server cannot start

A message is one sentence: who, what was given, what is allowed. `code` is stable and made for programs,
`details` holds the same facts as plain values.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

NEAR_NAMES = 3
KNOWN_NAMES_SHOWN = 12


class ArmlabError(Exception):
    """The base of all errors raised on purpose; `details` holds the facts of the message as values."""

    code: ClassVar[str] = "armlab"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def __reduce__(self) -> tuple[Any, ...]:
        """Let errors cross the border of a process, whatever their constructors take."""
        return _rebuilt, (type(self), self.message, self.details)


def _rebuilt(kind: type[ArmlabError], message: str, details: dict[str, Any]) -> ArmlabError:
    error = kind.__new__(kind)
    ArmlabError.__init__(error, message, **details)
    return error


class InvalidInput(ArmlabError, ValueError):
    """A value that cannot be used: wrong shape, not a number, not a rotation, an unreadable file."""

    code = "invalid_input"


class CatalogError(InvalidInput):
    """A robot or tool file that cannot be used; `path` and `key` say where."""

    code = "catalog"

    def __init__(self, path: Path | str, key: str, problem: str) -> None:
        where = f"{path}: {key}" if key else str(path)
        super().__init__(f"{where}: {problem}", path=str(path), key=key)


class UnknownName(ArmlabError, LookupError):
    """A name that nothing has; the message offers the nearest ones."""

    code = "unknown_name"

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names, typed = sorted(known), str(name).lower()
        containing = [other for other in names if typed and typed in other]
        similar = difflib.get_close_matches(typed, names, n=NEAR_NAMES, cutoff=0.5)
        near = list(dict.fromkeys([*containing, *similar]))[:NEAR_NAMES]
        if near:
            hint = f"near: {', '.join(near)}"
        elif not names:
            hint = "none is known"
        else:
            more = ", …" if len(names) > KNOWN_NAMES_SHOWN else ""
            hint = f"known: {', '.join(names[:KNOWN_NAMES_SHOWN])}{more}"
        super().__init__(f"no {what} named '{name}'; {hint}", name=name, near=near)


class LimitViolation(ArmlabError):
    """A joint value outside its limits."""

    code = "limit"


class Unreachable(ArmlabError):
    """A target that the arm cannot reach; the message gives the reason."""

    code = "unreachable"


class PlanningFailed(ArmlabError):
    """A motion that cannot be planned; `details` say where on the path, and what would help."""

    code = "planning"


class SimulationDiverged(ArmlabError):
    """A simulation whose numbers grew beyond all bounds; the last good state can be restored."""

    code = "diverged"


class NotSupported(ArmlabError):
    """A request that makes sense but that armlab does not do."""

    code = "not_supported"


class ServerFailure(ArmlabError):
    """The server cannot start: no free port, no page built."""

    code = "server"
