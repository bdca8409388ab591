"""Every error that armlab raises on purpose, in one tree.

ArmlabError
├── InvalidInput      a value that cannot be used as it is (also a ValueError)
│   ├── CatalogError    a robot, tool or scene file that cannot be used: which file, which key
│   └── LimitViolation  joint values or a motion outside the limits: which joint
├── UnknownName       a name that is not known; near names are offered (also a LookupError)
├── Unreachable       a target that the arm cannot reach, with the reason
├── PlanningFailed    a motion that cannot be planned: which finding forbids it, and where
├── SimulationDiverged  a simulation whose numbers grew beyond all bounds: which step, which joint
├── LinkRefused       a real arm that is not there, is another one, or does not do what it is told
├── NotSupported      a request that makes sense but that armlab does not do
└── ServerFailure     the server cannot start

The class says what the reader can do; `code` says what happened and is stable; `message` is a template with
parameters (see armlab.messages): who, what was given, what is allowed. `str(error)` is English.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from armlab.messages import LONGEST_PARAMETER, Message, _, term

NEAR_NAMES = 3
KNOWN_NAMES_SHOWN = 12


class ArmlabError(Exception):
    """The base of all errors raised on purpose: `InvalidInput("mass", _("mass must be > 0, got {mass:g} kg"), mass=m)`.

    Parameters that the template does not show are facts for programs.
    """

    def __init__(self, code: str | Message, template: str = "", /, **parameters: Any) -> None:
        if isinstance(code, Message):
            message = code.and_facts(**parameters) if parameters else code
        else:
            assert template, f"error '{code}' has no template"
            message = Message(code, template, **parameters)
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return str(self.message)

    @property
    def code(self) -> str:
        """What happened; stable, made for programs."""
        return self.message.code

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The facts of the message."""
        return self.message.parameters

    def within(self, where: str | Message) -> Self:
        """Return the same error behind the place that it is about: `arm.toml: joints.2: …`."""
        return _rebuilt(type(self), self.message.within(where))

    def __reduce__(self) -> tuple[Any, ...]:
        """Let errors cross the border of a process, whatever their constructors take."""
        return _rebuilt, (type(self), self.message)


_Error = TypeVar("_Error", bound="ArmlabError")


def _rebuilt(kind: type[_Error], message: Message) -> _Error:
    error = kind.__new__(kind)
    ArmlabError.__init__(error, message)
    return error


class InvalidInput(ArmlabError, ValueError):
    """A value that cannot be used: wrong shape, not a number, not a rotation, an unreadable file."""


class CatalogError(InvalidInput):
    """A robot or tool file that cannot be used; `path` and `key` say where."""

    def __init__(self, path: Path | str, key: str, problem: Message) -> None:
        placed = problem.within(f"{path}: {key}" if key else str(path))
        super().__init__(placed.and_facts(path=str(path), key=key))


NameKind = Literal[
    "body",
    "calibration_model",
    "collision_object",
    "command",
    "configuration",
    "construction",
    "contact_mode",
    "experiment",
    "fault",
    "filter",
    "grasp",
    "interpolation",
    "joint",
    "language",
    "link",
    "paper",
    "preset",
    "program",
    "recording",
    "robot",
    "scenario",
    "scene",
    "scene_body",
    "scene_robot",
    "dialect",
    "scheme",
    "session",
    "simulated_body",
    "simulated_robot",
    "structure",
    "timing",
    "tolerance",
    "tool",
]
"""What a name can be the name of; the code of the error is `unknown_` and this."""

_UNKNOWN: Mapping[NameKind, str] = {
    "body": _("no body named '{name}'; {hint}"),
    "calibration_model": _("no calibration model named '{name}'; {hint}"),
    "collision_object": _("no link, tool or body named '{name}'; {hint}"),
    "command": _("no command named '{name}'; {hint}"),
    "configuration": _("{owner}: no configuration named '{name}'; {hint}"),
    "construction": _("no sensor construction named '{name}'; {hint}"),
    "contact_mode": _("no contact mode named '{name}'; {hint}"),
    "experiment": _("no experiment named '{name}'; {hint}"),
    "fault": _("no fault named '{name}'; {hint}"),
    "filter": _("no filter named '{name}'; {hint}"),
    "grasp": _("no kind of grasp named '{name}'; {hint}"),
    "interpolation": _("no kind of interpolation named '{name}'; {hint}"),
    "joint": _("{owner}: no joint named '{name}'; {hint}"),
    "language": _("no language named '{name}'; {hint}"),
    "link": _("{owner}: no link named '{name}'; {hint}"),
    "paper": _("no paper named '{name}'; {hint}"),
    "preset": _("no sensor preset named '{name}'; {hint}"),
    "program": _("no program, scenario or file named '{name}'; {hint}"),
    "recording": _("no recording named '{name}'; {hint}"),
    "robot": _("no robot named '{name}'; {hint}"),
    "scenario": _("no scenario named '{name}'; {hint}"),
    "scene": _("no scene named '{name}'; {hint}"),
    "scene_body": _("scene '{owner}': no body named '{name}'; {hint}"),
    "scene_robot": _("scene '{owner}': no robot named '{name}'; {hint}"),
    "dialect": _("no dialect named '{name}'; {hint}"),
    "scheme": _("no scheme named '{name}'; {hint}"),
    "session": _("no session named '{name}'; {hint}"),
    "simulated_body": _("simulation: no body named '{name}'; {hint}"),
    "simulated_robot": _("simulation: no robot named '{name}'; {hint}"),
    "structure": _("no structure named '{name}'; {hint}"),
    "timing": _("no timing named '{name}'; {hint}"),
    "tolerance": _("no class of tolerances named '{name}'; {hint}"),
    "tool": _("no tool named '{name}'; {hint}"),
}


class UnknownName(ArmlabError, LookupError):
    """A name that nothing has; the message offers the nearest ones.

    `owner` is whose name it would be: the robot of a configuration or joint, the file of a link, the scene of a body.
    """

    def __init__(self, kind: NameKind, name: str, known: Iterable[str], *, owner: str = "") -> None:
        names, typed = sorted(set(known)), str(name)[:LONGEST_PARAMETER].lower()
        containing = [other for other in names if typed and typed in other]
        similar = difflib.get_close_matches(typed, names, n=NEAR_NAMES, cutoff=0.5)
        near = list(dict.fromkeys([*containing, *similar]))[:NEAR_NAMES]
        shown = names if len(names) <= KNOWN_NAMES_SHOWN else [*names[:KNOWN_NAMES_SHOWN], "…"]
        if near:
            hint = term(_("did you mean {near}?"), near=near)
        elif names:
            hint = term(_("known: {known}"), known=shown)
        else:
            hint = term(_("none is known"))
        facts = {"owner": owner} if owner else {}
        super().__init__(f"unknown_{kind}", _UNKNOWN[kind], name=name, hint=hint, near=near, known=shown, **facts)


class LimitViolation(InvalidInput):
    """Joint values or a motion outside the limits."""


class Unreachable(ArmlabError):
    """A target that the arm cannot reach; the message gives the reason."""


class PlanningFailed(ArmlabError):
    """A motion that cannot be planned; the parameters say where on the path, and what would help."""


class SimulationDiverged(ArmlabError):
    """A simulation whose numbers grew beyond all bounds; the last good state can be restored."""


class LinkRefused(ArmlabError):
    """A real arm that is not there, is not the one expected, or does not do what it is told."""


class NotSupported(ArmlabError):
    """A request that makes sense but that armlab does not do."""


class ServerFailure(ArmlabError):
    """The server cannot start: no free port, no page built."""
