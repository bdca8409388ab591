"""Work that takes seconds, beside a session: its time goes on, and pages ask how far the work is."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from armlab.errors import ArmlabError, UnknownName
from armlab.messages import Message, _

JobState = Literal["running", "done", "failed"]
Tell = Callable[[float, Message], None]
"""Say how much is done (0 to 1), and what is done next; raises where nobody waits for it any more."""
INTERNAL = Message("internal", _("internal error; see the server log"))
WAITING = Message("job_waits", _("waiting"))
_log = logging.getLogger(__name__)


class JobReplaced(Exception):
    """Ends a job that nobody waits for any more."""


class Job:
    """One piece of work: how far it is, and what came of it."""

    def __init__(self, number: int, of: object, work: Callable[[Tell], object]) -> None:
        self.number = number
        self.of = of
        """What it is about: where that has changed, the result is of something else."""
        self.state: JobState = "running"
        self.share = 0.0
        self.step = WAITING
        self.result: Any = None
        self.failure: Message | None = None
        self.is_replaced = False
        self._work: Callable[[Tell], object] | None = work

    def give_up(self) -> None:
        """Let it end at its next step; one that waits forgets its work at once, for that may hold a large file."""
        self.is_replaced, self._work = True, None

    def run(self) -> object:
        """Do the work, and return what comes of it."""
        work, self._work = self._work, None
        if work is None:
            raise JobReplaced
        return work(self.tell)

    def tell(self, share: float, step: Message) -> None:
        """Note how far the work is."""
        if self.is_replaced:
            raise JobReplaced
        self.share, self.step = share, step


class JobBoard:
    """The last job of each kind; another of the same kind takes its place. One runs at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._count = 0
        self._pool: ThreadPoolExecutor | None = None
        self._is_closed = False

    def start(self, kind: str, of: object, work: Callable[[Tell], object]) -> Job:
        """Start a job; the older one of its kind ends at its next step.

        Raises:
            UnknownName: if the session has ended.
        """
        with self._lock:
            if self._is_closed:
                raise UnknownName("session", self._name, ())
            self._count += 1
            job = Job(self._count, of, work)
            if (old := self._jobs.get(kind)) is not None:
                old.give_up()
            self._jobs[kind] = job
            if self._pool is None:
                self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"job-{self._name}")
            self._pool.submit(contextvars.copy_context().run, _run, job)
        return job

    def last(self, kind: str, of: object) -> Job | None:
        """Return the last job of a kind, if it is about `of`."""
        job = self._jobs.get(kind)
        return job if job is not None and job.of == of else None

    def close(self) -> None:
        """End all jobs at their next steps."""
        with self._lock:
            self._is_closed = True
            for job in self._jobs.values():
                job.give_up()
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)


def _run(job: Job) -> None:
    """Do the work at the border of its thread: what fails is told."""
    try:
        job.result = job.run()
    except JobReplaced:
        job.state = "failed"
    except ArmlabError as error:
        job.failure, job.state = error.message, "failed"
    except Exception:
        _log.exception("a job failed")
        job.failure, job.state = INTERNAL, "failed"
    else:
        job.share, job.state = 1.0, "done"
