"""Between the network and the routes: who may ask, how much, and what a browser may do with the answer."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armlab.server.failures import failure

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::")
MAX_BODY_BYTES = 1_000_000

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class HostGuard:
    """Answers only requests for names that are ours.

    A page of a stranger can make its own name point at this machine (DNS rebinding) and then read answers as
    its own; the Host header still says the stranger's name. An address in digits cannot be rebound, so any of
    them is good for a server that listens on all of them.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in (*LOCAL_HOSTS, *hosts))
        self._any_address = not self._hosts.isdisjoint(EVERY_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        host = host_name(Headers(scope=scope).get("host", ""))
        if host in self._hosts or (self._any_address and _is_address(host)):
            await self._app(scope, receive, send)
            return
        message = f"this server does not answer for the host '{host}'"
        await failure(403, "wrong_host", message, {"host": host})(scope, receive, send)


class BodyLimit:
    """Refuses a request whose body is too long, whatever its Content-Length claims."""

    def __init__(self, app: ASGIApp, limit: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if "content-length" not in headers and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        body = None if self._claims_too_much(headers) else await self._read(receive)
        if body is None:
            message = f"the request's body is longer than the {self._limit} bytes allowed"
            await failure(413, "too_long", message, {"limit": self._limit})(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    def _claims_too_much(self, headers: Headers) -> bool:
        claim = headers.get("content-length", "0")
        return not claim.isdecimal() or int(claim) > self._limit

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the whole body, or None as soon as it is too long."""
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._limit:
                return None
            if message["type"] != "http.request" or not message.get("more_body", False):
                return bytes(body)


def host_name(header: str) -> str:
    """Return the name in a Host header, in lower case, without port and brackets."""
    host = header.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives `body` first, and then what comes after it."""
    given = False

    async def receive_again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
