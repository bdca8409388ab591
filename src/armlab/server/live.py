"""The socket of one page: commands come in as JSON, events go out as JSON, states as bytes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from armlab.catalog.files import problem_texts
from armlab.errors import ArmlabError
from armlab.runtime.commands import COMMAND
from armlab.runtime.events import Failed
from armlab.runtime.outbox import Outbox
from armlab.runtime.wire import SUBPROTOCOL
from armlab.runtime.worker import Worker
from armlab.server.sessions import Sessions

MAX_COMMAND = 1_000_000
STALE, UNKNOWN_SESSION, OVERFULL = 4001, 4004, 1013
LAST_WORDS_S = 1.0
"""How long a page that does not read may take to hear that it is cut off."""

router = APIRouter()


@router.websocket("/api/live")
async def live(socket: WebSocket, session: str = "") -> None:
    """Join a session."""
    if SUBPROTOCOL not in socket.scope.get("subprotocols", []):
        await socket.accept()
        await socket.close(STALE, "this page is of another version; reload it")
        return
    await socket.accept(subprotocol=SUBPROTOCOL)
    sessions: Sessions = socket.app.state.sessions
    try:
        worker = sessions.find(session)
    except ArmlabError:
        await socket.close(UNKNOWN_SESSION, "there is no such session any more")
        return
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the server is going down
            loop.call_soon_threadsafe(news.set)

    outbox = Outbox(wake)
    worker.join(outbox)
    try:
        await _exchange(socket, worker, outbox, news)
    finally:
        worker.leave(outbox)
    if outbox.is_overfull:
        with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
            await asyncio.wait_for(socket.close(OVERFULL, "this page does not read; come again"), LAST_WORDS_S)


async def _exchange(socket: WebSocket, worker: Worker, outbox: Outbox, news: asyncio.Event) -> None:
    """Send and receive until the page goes, or has to go."""
    async with anyio.create_task_group() as group:

        async def run(work: Coroutine[None, None, None]) -> None:
            await work
            group.cancel_scope.cancel()  # whoever ends first ends the others

        for work in (_send(socket, outbox, news), _receive(socket, worker, outbox), _until_overfull(outbox)):
            group.start_soon(run, work)


async def _send(socket: WebSocket, outbox: Outbox, news: asyncio.Event) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page is gone already
        while True:
            await news.wait()
            news.clear()
            events, state = outbox.take()
            for event in events:
                await socket.send_text(event.model_dump_json(by_alias=True))
            if state is not None:
                await socket.send_bytes(state)


async def _until_overfull(outbox: Outbox) -> None:
    """Wait for the page to fall too far behind: sending to it then hangs, so somebody else has to see it."""
    while not outbox.is_overfull:
        await asyncio.sleep(LAST_WORDS_S)


async def _receive(socket: WebSocket, worker: Worker, outbox: Outbox) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message: dict[str, Any] = dict(await socket.receive())
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None or len(text) > MAX_COMMAND:
                outbox.put_event(Failed(command="", code="invalid_input", message="a command is JSON text"))
                continue
            _take(text, worker, outbox)


def _take(text: str, worker: Worker, outbox: Outbox) -> None:
    try:
        worker.post(COMMAND.validate_json(text), outbox)
    except ValidationError as error:
        key, problem = problem_texts(error)
        message = f"{key}: {problem}" if key else problem
        outbox.put_event(Failed(command=key.partition(".")[0], code="invalid_input", message=message))
    except ArmlabError as error:
        outbox.put_event(Failed(command="", code=error.code, message=error.message))
