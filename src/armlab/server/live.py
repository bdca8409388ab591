"""The socket of one page: commands come in as JSON, events go out as JSON, states as bytes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from armlab.cell.commands import COMMAND, SetLanguage, ShowDocument, Watch
from armlab.cell.events import Failed
from armlab.cell.outbox import Outbox
from armlab.cell.wire import SUBPROTOCOL
from armlab.cell.worker import Worker
from armlab.errors import ArmlabError
from armlab.messages import Message, _, language_of, reader
from armlab.server.sessions import Sessions
from armlab.validation import refusal

MAX_COMMAND = 1_000_000
STALE, UNKNOWN_SESSION, OVERFULL = 4001, 4004, 1013
NOT_TEXT = Message("command_too_long", _("a command must be JSON text of at most {limit} bytes"), limit=MAX_COMMAND)
LAST_WORDS_S = 1.0
"""How long a page that does not read may take to hear that it is cut off."""

router = APIRouter()


@router.websocket("/api/live")
async def live(socket: WebSocket, session: str = "", language: str = "") -> None:
    """Join a session; events are told in `language` until a `set_language` says otherwise."""
    offered = socket.scope.get("subprotocols", [])
    if SUBPROTOCOL not in offered:
        # a browser hears the code of a close only on a socket that speaks what it offered
        await socket.accept(subprotocol=offered[0] if offered else None)
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

    outbox = Outbox(wake, language_of(language))
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
            reader.set(outbox.language)  # this task's own
            for event in events:
                await socket.send_text(event.model_dump_json(by_alias=True))
            for samples in outbox.take_samples():
                await socket.send_bytes(samples)
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
                outbox.put_event(Failed(command="", message=NOT_TEXT))
                continue
            _take(text, worker, outbox)


def _take(text: str, worker: Worker, outbox: Outbox) -> None:
    try:
        command = COMMAND.validate_json(text)
        if isinstance(command, SetLanguage):
            outbox.language = command.language
            worker.tell_again(outbox)
        elif isinstance(command, ShowDocument):
            worker.show_document(outbox)
        elif isinstance(command, Watch):
            worker.watch(outbox, on=command.on)
        else:
            worker.post(command, outbox)
    except ValidationError as error:
        refused = refusal(error)
        name = str(refused.parameters["key"]).partition(".")[0]
        outbox.put_event(Failed(command=name, message=refused.message))
    except ArmlabError as error:
        outbox.put_event(Failed(command="", message=error.message))
