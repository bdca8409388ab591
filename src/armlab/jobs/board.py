"""Who is next: each lane has its places, and who has fewest jobs running in it goes first."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from armlab.errors import ArmlabError, InvalidInput
from armlab.jobs.job import Job, JobCancelled, Ticket
from armlab.jobs.lane import Lane
from armlab.jobs.process import run_in_process
from armlab.jobs.progress import listener
from armlab.messages import n_

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_log = logging.getLogger(__name__)


class JobBoard:
    """All jobs of a process: those that wait, those that run, and the last one of each owner and key."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._count = 0
        self._waiting: dict[Lane, list[Job[Any]]] = {}
        self._running: dict[Lane, dict[int, Job[Any]]] = {}
        self._last: dict[tuple[str, str], Job[Any]] = {}

    def submit(
        self,
        ticket: Ticket,
        function: Callable[Parameters, Result],
        /,
        *arguments: Parameters.args,
        **named: Parameters.kwargs,
    ) -> Job[Result]:
        """Let a function be called in a thread or process of the ticket's lane; a process needs one of a module.

        Raises:
            InvalidInput: if its owner has too many jobs already.
        """
        lane = ticket.lane
        with self._lock:
            waiting, running = self._waiting.setdefault(lane, []), self._running.setdefault(lane, {})
            own = sum(job.ticket.owner == ticket.owner for job in (*waiting, *running.values()))
            if own >= lane.most_of_owner:
                text = n_("{count} computation waits already", "{count} computations wait already; try again later")
                raise InvalidInput("too_many_jobs", text, count=own)
            self._count += 1
            job = Job(self._count, ticket, partial(function, *arguments, **named), contextvars.copy_context())
            if ticket.key:
                if (old := self._last.get((ticket.owner, ticket.key))) is not None:
                    self._give_up(old)
                self._last[ticket.owner, ticket.key] = job
            waiting.append(job)
            if len(running) < lane.at_once:
                first = self._next(lane)
                threading.Thread(target=self._work, args=(lane, first), name=f"job-{lane.name}", daemon=True).start()
        return job

    def last(self, owner: str, key: str, of: object) -> Job[Any] | None:
        """Return the last job of an owner and a key, if it is about `of`."""
        job = self._last.get((owner, key))
        if job is None or job.of != of:
            return None
        job.asked_at = time.monotonic()
        return job

    def cancel_all(self, owner: str | None = None) -> None:
        """End all jobs of an owner, who has gone; without one, all jobs: the process ends."""
        with self._lock:
            waiting = [job for jobs in self._waiting.values() for job in jobs]
            running = [job for jobs in self._running.values() for job in jobs.values()]
            for job in (*waiting, *running):
                if owner is None or job.ticket.owner == owner:
                    self._give_up(job)
            for place in [place for place in self._last if owner is None or place[0] == owner]:
                del self._last[place]

    def cancel(self, job: Job[Any]) -> None:
        """End a job that nobody waits for any more."""
        with self._lock:
            self._give_up(job)

    def is_busy(self, lane: Lane) -> bool:
        """Tell whether anything waits or runs in a lane."""
        return bool(self._waiting.get(lane) or self._running.get(lane))

    def _give_up(self, job: Job[Any]) -> None:
        job.cancel()
        waiting = self._waiting.get(job.ticket.lane, [])
        if job in waiting:
            waiting.remove(job)
            job.fail(JobCancelled())

    def _next(self, lane: Lane) -> Job[Any]:
        """Take the job out of the queue whose owner has fewest running, the oldest of those."""
        running = Counter(job.ticket.owner for job in self._running[lane].values())
        first = min(self._waiting[lane], key=lambda job: (running[job.ticket.owner], job.number))
        self._waiting[lane].remove(first)
        self._running[lane][first.number] = first
        return first

    def _work(self, lane: Lane, job: Job[Any]) -> None:
        """Do jobs of a lane, one after the other, as long as any waits."""
        while True:
            job.context.run(_run, job)
            with self._lock:
                del self._running[lane][job.number]
                if not self._waiting[lane]:
                    return
                job = self._next(lane)


def _run(job: Job[Any]) -> None:
    """Do one job at the border of its thread: whatever goes wrong is told to who waits for it."""
    listener.set(job)
    try:
        work = job.take_work()
        result = run_in_process(job, work) if job.ticket.lane.is_process else work()
    except Exception as error:
        if not isinstance(error, ArmlabError):
            _log.exception("a job failed")
        job.fail(error)
    else:
        job.finish(result)


BOARD = JobBoard()
"""The jobs of this process."""
submit = BOARD.submit
