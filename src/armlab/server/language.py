"""The language of whoever asks: what the server says is rendered in it."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from armlab.messages import ENGLISH, LANGUAGES, language_of, reader

MAX_HEADER = 200


class ReaderLanguage:
    """Puts the language of the Accept-Language header into `messages.reader` for the time of one request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        before = reader.set(accepted_language(Headers(scope=scope).get("accept-language", "")))
        try:
            await self._app(scope, receive, send)
        finally:
            reader.reset(before)


def accepted_language(header: str) -> str:
    """Return the language of ours that an Accept-Language header prefers; English if it names none of them."""
    best, best_weight = ENGLISH, 0.0
    for part in header[:MAX_HEADER].split(","):
        tag, _, weight = part.strip().partition(";q=")
        language, value = language_of(tag), _weight(weight)
        is_known = tag.partition("-")[0].lower() in LANGUAGES
        if is_known and value > best_weight:
            best, best_weight = language, value
    return best


def _weight(text: str) -> float:
    try:
        value = float(text) if text else 1.0
    except ValueError:
        return 0.0
    return value if 0.0 <= value <= 1.0 else 0.0
