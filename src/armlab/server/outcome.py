"""Waiting for a job on behalf of a client: who leaves ends it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TypeVar

from fastapi import Request

from armlab.jobs import BOARD, Job

Result = TypeVar("Result")


async def outcome(request: Request, job: Job[Result]) -> Result:
    """Return what a job gives.

    Raises:
        ArmlabError: what it raises, and `JobCancelled` when the client has left.
    """
    async for _share in shares(request, job):
        pass
    return job.result()


async def shares(request: Request, job: Job[Result]) -> AsyncIterator[float]:
    """Yield how much of a job is done, up to its end; when the client leaves or hears no more, the job is ended."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the server is going down
            loop.call_soon_threadsafe(news.set)

    job.listen(wake)
    leaving = asyncio.ensure_future(_left(request))
    leaving.add_done_callback(lambda _task: BOARD.cancel(job))
    try:
        while not job.future.done():
            await news.wait()
            news.clear()
            yield job.share
    finally:
        leaving.cancel()


async def _left(request: Request) -> None:
    """Wait until the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
