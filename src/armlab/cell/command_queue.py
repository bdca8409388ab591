"""The commands that wait for a session: in order, but a stop goes first, and what it stops is never started."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import NamedTuple

from armlab.cell import commands as c
from armlab.cell.outbox import Outbox

MOTIONS = (
    c.JogJoints,
    c.JogTool,
    c.MoveJoints,
    c.MoveTool,
    c.Play,
    c.ConsoleLine,
    c.ResumePlayer,
    c.Seek,
    c.SingleStep,
    c.RunToLine,
    c.SwitchInput,
)


class Asked(NamedTuple):
    """A command, and who wants to know how it went."""

    command: c.Command
    sender: Outbox | None = None
    done: Future[None] | None = None
    at_any_revision: bool = False
    """Whether it is an edit of the server's own, made whatever the project is by then."""

    @property
    def is_motion(self) -> bool:
        """Whether a stop makes it void."""
        return isinstance(self.command, MOTIONS)

    def is_stopped_by(self, arm: str | None) -> bool:
        """Tell whether a stop makes it void: of all arms, or of the one that it names."""
        return self.is_motion and (arm is None or getattr(self.command, "arm", None) == arm)


class CommandQueue:
    """Commands in the order in which they are to be done; not safe for threads by itself."""

    def __init__(self) -> None:
        self._waiting: deque[Asked] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, asked: Asked) -> None:
        """Add a command.

        A stop overtakes all others, and makes waiting motions void; that of one arm, only what names it. Of poses that
        the tool is dragged through, only the newest waits.
        """
        if isinstance(asked.command, c.StopMotion):
            arm = asked.command.arm
            self._waiting = deque([asked, *(other for other in self._waiting if not other.is_stopped_by(arm))])
            return
        if isinstance(asked.command, c.MoveTool) and self._waiting:
            last = self._waiting[-1]
            if (
                isinstance(last.command, c.MoveTool)
                and last.command.arm == asked.command.arm
                and last.sender is asked.sender
            ):
                self._waiting.pop()
        self._waiting.append(asked)

    def has(self, *, only_stop: bool) -> bool:
        """Tell whether `take` would return a command."""
        return bool(self._waiting) and (not only_stop or isinstance(self._waiting[0].command, c.StopMotion))

    def take(self, *, only_stop: bool) -> Asked | None:
        """Return the next command, or None; `only_stop`: nothing but a stop may be done now."""
        return self._waiting.popleft() if self.has(only_stop=only_stop) else None
