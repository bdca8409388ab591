"""Between the network and the routes: who may ask, how much, and what a browser may do with the answer."""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from armlab.messages import Message, _
from armlab.server.failures import failure

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::")
HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]*))(?::[0-9]*)?")
"""A name or an address, and a port (RFC 9110, 7.2): nothing before it, nothing behind it."""
MAX_BODY_BYTES = 1_000_000
BODY_S = 20.0
"""How long a request's body may take to arrive."""
UPLOAD_PATH = re.compile(r"/api/(imports|sessions/[^/]+/real/recording)$")
"""Below /api/ only: nobody gets there without the cookie, and all other paths are open to strangers."""
MAX_UPLOAD_BYTES = 100_000_000
UPLOAD_S = 120.0
STREAMED_PATH = re.compile(r"/api/(assets/[^/]+|sessions/[^/]+/project)$")
"""Files that may be so large that their routes write them down as they come, and bound them."""
MAX_STREAMED_BYTES = 500_000_000

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
    )
)
OWN_HEAD = "/api/assets/"
NO_FRAME = "frame-ancestors 'none'"
LOCAL_FRAME = "frame-ancestors http://localhost:* http://127.0.0.1:*"
"""A notebook of this machine may show the page in a frame. That gives pages of other local servers no more than they
have: cookies know no ports, so that the browser sends them ours anyway."""

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SecurityHeaders:
    """Adds the security headers to every answer; notebooks of this machine frame the page of a local server only."""

    def __init__(self, app: ASGIApp, *, is_local: bool) -> None:
        self._app = app
        frames = LOCAL_FRAME if is_local else NO_FRAME
        self._headers = {"Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; {frames}", **SECURITY_HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_with_headers(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
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
        message = Message("wrong_host", _("this server does not answer for the host '{host}'"), host=host)
        await failure(403, message)(scope, receive, send)


class HeadRequests:
    """Answers HEAD below /api/ as GET, without the body; large files answer for themselves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_head = scope["type"] == "http" and scope["method"] == "HEAD"
        if not is_head or not scope["path"].startswith("/api/") or path_of(scope).startswith(OWN_HEAD):
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: AsgiMessage) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self._app({**scope, "method": "GET"}, receive, send_without_body)


class BodyLimit:
    """Refuses a request whose body is too long, whatever its Content-Length claims, or takes too long to come.

    Arms that somebody brings come with their meshes, and recordings are long: for them more is allowed.
    """

    def __init__(self, app: ASGIApp, limit: int = MAX_BODY_BYTES, patience: float = BODY_S) -> None:
        self._app = app
        self._limit = limit
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and UPLOAD_PATH.match(path_of(scope)) and self._limit < MAX_UPLOAD_BYTES:
            await BodyLimit(self._app, MAX_UPLOAD_BYTES, UPLOAD_S)(scope, receive, send)
            return
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if headers and STREAMED_PATH.match(path_of(scope)):
            await self._app(scope, receive, send)
            return
        if "content-length" not in headers and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        try:
            is_too_long = self._claims_too_much(headers)
            body = None if is_too_long else await asyncio.wait_for(self._read(receive), self._patience)
        except TimeoutError:
            text = _("the request's body did not arrive within {seconds:g} s")
            await failure(408, Message("too_slow", text, seconds=self._patience))(scope, receive, send)
            return
        if body is None:
            text = _("the request's body is longer than {limit} bytes")
            await failure(413, Message("too_long", text, limit=self._limit))(scope, receive, send)
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


def path_of(scope: Scope) -> str:
    """Return the path below the place where a proxy may have put us."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path.removeprefix(root) if root and path.startswith(root) else path


def host_name(header: str) -> str:
    """Return the name in a Host header, in lower case, without port and brackets; a header of another form as it is."""
    host = header.strip().lower()
    found = HOST.fullmatch(host)
    return host if found is None else found["v6"] or found["name"]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives `body` first, and then what comes after it."""
    given = False

    async def receive_again() -> AsgiMessage:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
