"""How work says how far it is, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ParamSpec, Protocol, TypeVar

from armlab.messages import Message

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Listener(Protocol):
    """Whom work tells: the job in this process, or the one in the process that started this one."""

    def tell(self, share: float, step: Message | None, part: object) -> None:
        """Hear how much is done, 0 to 1, and what is done next; raises where nobody waits for the work any more.

        `part` is what is known of the result so far, or None.
        """

    def at_home(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a function of a module in the process that started this one."""


class _Nobody:
    def tell(self, share: float, step: Message | None, part: object) -> None:
        """Outside of jobs nobody listens."""

    def at_home(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        return function(*arguments)


_NOBODY: Listener = _Nobody()
listener: ContextVar[Listener] = ContextVar("listener", default=_NOBODY)


def tell(share: float, step: Message | None = None, part: object = None) -> None:
    """Say how much of the job is done (0 to 1), and what is done next; outside of a job, nobody hears it.

    `part` is what is known of the result so far, as whoever waits for it may show it.
    """
    listener.get().tell(share, step, part)


def at_home(function: Callable[Parameters, Result], /, *arguments: Parameters.args, **_: Parameters.kwargs) -> Result:
    """Return what a function of a module gives in the process that started this one."""
    result: Result = listener.get().at_home(function, arguments)
    return result
