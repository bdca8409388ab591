"""Who may use the server: whoever opened the link that it printed, and keeps the cookie that came of it."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from armlab.cache import user_cache
from armlab.messages import Message, _
from armlab.server.failures import failure
from armlab.server.guard import path_of

COOKIE = "armlab"
OPEN_PATHS = ("/api/version",)
A_MONTH_S = 30 * 24 * 3600
KEY_BYTES = 32
LONGEST_ORIGIN = 80


class Access:
    """The key that cookies hold, and the token of the next link; each token opens one browser, once.

    The key outlives the server, so that a page that is still open connects again after a restart.
    """

    def __init__(self, key: str, on_new_token: Callable[[str], None] = lambda _token: None) -> None:
        self._key = key
        self._on_new_token = on_new_token
        self.token = secrets.token_urlsafe(18)

    def exchange(self, token: str) -> str | None:
        """Return the cookie's value for a right token, and make another token; None for a wrong one."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = secrets.token_urlsafe(18)
        self._on_new_token(self.token)
        return self._key

    def is_open_to(self, cookies: str) -> bool:
        """Tell whether a Cookie header holds the key."""
        key = self._key.encode()
        return any(hmac.compare_digest(value.encode(), key) for value in cookie_values(cookies))


def cookie_values(header: str) -> list[str]:
    """Return the values of our cookie in a Cookie header, whatever else is in it.

    Cookies of other programs on the same host come along, with characters that the standard forbids: each part
    between semicolons is read by itself.
    """
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return [value.strip().strip('"') for name, _sign, value in pairs if name.strip() == COOKIE]


def kept_key() -> str:
    """Return this user's key; it is made on first use and kept where only they can read it."""
    folder = user_cache()
    if folder is None:
        return secrets.token_urlsafe(KEY_BYTES)
    path = folder / "access-key"
    try:
        found = path.read_text(encoding="ascii").strip()
        if len(found) >= KEY_BYTES and not path.stat().st_mode & 0o077:
            return found
    except (OSError, UnicodeDecodeError):
        pass
    return _new_key(path)


def _new_key(path: Path) -> str:
    key = secrets.token_urlsafe(KEY_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(key)
    except OSError:
        return key  # nothing can be kept here: the key lasts as long as this server
    return key


class AccessGuard:
    """Lets nobody below /api/ without the cookie, and nobody write from the page of a stranger."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), path_of(scope)
        tokens = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        if scope["type"] == "http" and path == "/" and tokens:
            await self._enter(tokens[0], scope, receive, send)
        elif not path.startswith("/api/") or path in OPEN_PATHS:
            await self._app(scope, receive, send)
        elif not self._access.is_open_to(headers.get("cookie", "")):
            message = Message("no_access", _("open the link that armlab printed when it started"))
            await failure(401, message)(scope, receive, send)
        elif _must_be_ours(scope) and not _is_ours(headers):
            origin = headers.get("origin", "")[:LONGEST_ORIGIN]
            message = Message("wrong_origin", _("requests from '{origin}' are not answered"), origin=origin)
            await failure(403, message)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _enter(self, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        value = self._access.exchange(token)
        response = RedirectResponse("./", status_code=303)
        if value is not None:
            response.set_cookie(COOKIE, value, max_age=A_MONTH_S, httponly=True, samesite="strict")
        await response(scope, receive, send)


def _must_be_ours(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in {"GET", "HEAD", "OPTIONS"}


def _is_ours(headers: Headers) -> bool:
    """Tell whether a request comes from a page of ours; a program sends no Origin, a browser always does."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:  # no address: "http://["
        return False
