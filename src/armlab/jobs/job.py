"""One piece of work: how far it is, what comes of it, and how it is ended."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from armlab.errors import ArmlabError, InvalidInput
from armlab.jobs.lane import Lane
from armlab.messages import Message, _

JobState = Literal["running", "done", "failed"]
Result = TypeVar("Result")
INTERNAL = Message("internal", _("internal error; see the server log"))
WAITING = Message("job_waits", _("waiting"))


class Ticket(NamedTuple):
    """Where a job queues, whose it is, and what it is about."""

    lane: Lane
    owner: str = ""
    """The session, or whoever else has a share of the machine."""
    key: str = ""
    """A newer job of this owner and key takes the place of an older one."""
    of: object = None
    """What it is about: where that has changed, the result is of something else."""
    patience_s: float = math.inf
    """It is ended when nobody has asked the board for it during this time."""


class JobCancelled(InvalidInput):
    """Nobody waits for the job any more."""

    def __init__(self) -> None:
        super().__init__("job_cancelled", _("this was cancelled"))


class JobBroken(RuntimeError):
    """The work met an error that is a mistake of ours; the text is its traceback."""


class Job(Generic[Result]):
    """What `submit` gives; any thread may look at it."""

    def __init__(self, number: int, ticket: Ticket, work: partial[Result], context: Context) -> None:
        self.number, self.ticket, self.context = number, ticket, context
        self.share, self.step = 0.0, WAITING
        self.part: object = None
        """What is known of the result so far, where its work tells that."""
        self.future: Future[Result] = Future()
        self.is_cancelled = False
        self.asked_at = time.monotonic()
        self._work: partial[Result] | None = work
        self._kill: Callable[[], None] | None = None
        self._news: list[Callable[[], None]] = []

    @property
    def of(self) -> object:
        """What it is about."""
        return self.ticket.of

    @property
    def state(self) -> JobState:
        """Whether it waits or runs, has a result, or has none."""
        if not self.future.done():
            return "running"
        return "done" if self.future.exception() is None else "failed"

    @property
    def failure(self) -> Message | None:
        """Why there is no result; None while it runs, when it is done and when nobody wants it any more."""
        error = self.future.exception() if self.future.done() else None
        if error is None or isinstance(error, JobCancelled):
            return None
        return error.message if isinstance(error, ArmlabError) else INTERNAL

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the result.

        Raises:
            ArmlabError: what the work raises, or why it was ended.
            JobBroken: if it met a mistake of ours.
        """
        return self.future.result(timeout)

    def listen(self, hear: Callable[[], None]) -> None:
        """Call `hear` in some thread whenever there is progress, and at the end."""
        self._news.append(hear)
        self.future.add_done_callback(lambda _future: hear())

    def cancel(self) -> None:
        """End it: a process at once, a thread at its next step; what waits forgets its work, which may be large."""
        self.is_cancelled, self._work = True, None
        if self._kill is not None:
            self._kill()

    # -- for who runs it -----------------------------------------------------------------------------------------

    def take_work(self) -> partial[Result]:
        """Return what to do; it is kept no longer."""
        work, self._work = self._work, None
        if work is None:
            raise JobCancelled
        return work

    def killed_by(self, kill: Callable[[], None]) -> None:
        """Let `cancel` call `kill` while the work runs."""
        self._kill = kill
        if self.is_cancelled:
            kill()

    def tell(self, share: float, step: Message | None, part: object = None) -> None:
        """Note how far the work is.

        Raises:
            JobCancelled: if nobody waits for it any more.
        """
        if time.monotonic() - self.asked_at > self.ticket.patience_s:
            self.cancel()
        if self.is_cancelled:
            raise JobCancelled
        self.share, self.step = share, step or self.step
        self.part = self.part if part is None else part
        for hear in self._news:
            hear()

    def at_home(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a function here: this is the process that has started the job."""
        return function(*arguments)

    def finish(self, result: Result) -> None:
        """Note what came of it."""
        self.share, self._kill = 1.0, None
        self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Note why nothing comes of it."""
        self._kill = None
        self.future.set_exception(JobCancelled() if self.is_cancelled else error)
