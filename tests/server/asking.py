"""A way to ask an application without a network, and the page that the tests serve."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import httpx
from fastapi import FastAPI

from armlab.server.access import COOKIE, Access

PAGE = "<!doctype html><title>a page</title>"


class Asker:
    """Asks an application in this process, one request at a time; as somebody who opened the link, or not."""

    def __init__(self, app: FastAPI, *, is_known: bool = True) -> None:
        self.app = app
        access: Access = app.state.access
        self.cookie = {"cookie": f"{COOKIE}={access.exchange(access.token)}"} if is_known else {}

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Return the answer to GET `path`; underscores in header names become hyphens."""
        return self.send("GET", path, headers={key.replace("_", "-"): value for key, value in headers.items()})

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str] | None = None,
        content: bytes | AsyncIterator[bytes] | None = None,
    ) -> httpx.Response:
        """Return the answer to any request."""

        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8090") as client:
                return await client.request(method, path, headers={**self.cookie, **(headers or {})}, content=content)

        # in a thread of its own: the browser tests leave an event loop running in the main one
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(lambda: asyncio.run(ask())).result()
