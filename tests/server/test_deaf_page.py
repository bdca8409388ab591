"""A page that never reads is cut off, and until then costs nothing."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.types import Message
from starlette.websockets import WebSocket

from armlab.cell.commands import COMMAND
from armlab.cell.outbox import MAX_EVENTS
from armlab.cell.project import ArmChoice, Project
from armlab.cell.wire import SUBPROTOCOL
from armlab.server.app import create_app
from armlab.server.live import OVERFULL, live

SMALL = Project.of_arm(ArmChoice(name="planar2"), structure="hierarchy")


async def _listen_deaf() -> list[Message]:
    """Join a session with a line on which nothing gets through; make the session talk; return what was said last."""
    app = create_app()
    worker = app.state.sessions.create(SMALL)
    said: list[Message] = []

    async def receive() -> Message:
        if not said:
            return {"type": "websocket.connect"}
        await asyncio.Event().wait()
        raise AssertionError

    is_told = asyncio.Event()

    async def send(message: Message) -> None:
        said.append(message)
        if message["type"] == "websocket.send":
            is_told.set()
            await asyncio.Event().wait()

    scope: dict[str, Any] = {"type": "websocket", "app": app, "subprotocols": [SUBPROTOCOL], "headers": []}
    page = asyncio.create_task(live(WebSocket(scope, receive, send), worker.name))
    await asyncio.wait_for(is_told.wait(), 60.0)
    for _ in range(MAX_EVENTS + 10):
        worker.post(COMMAND.validate_python({"type": "undo"}))
    await asyncio.wait_for(page, 60.0)
    await asyncio.to_thread(worker.replace, worker.session.project, "a command that comes after the page has left")
    assert not worker.pages
    app.state.sessions.end_all()
    return said


def test_a_page_that_never_reads_is_told_to_come_again() -> None:
    with ThreadPoolExecutor(1) as thread:  # the browser tests may have a loop running in this one
        said = thread.submit(lambda: asyncio.run(_listen_deaf())).result()
    assert [message["type"] for message in said] == ["websocket.accept", "websocket.send", "websocket.close"]
    assert said[-1]["code"] == OVERFULL
