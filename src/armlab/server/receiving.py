"""Large bodies of requests: written down as they come, bounded in bytes and time."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from fastapi import Request
from starlette.requests import ClientDisconnect

from armlab.errors import InvalidInput
from armlab.messages import _

PATIENCE_S = 300.0


async def receive_into(request: Request, write: Callable[[bytes], object], most: int) -> None:
    """Hand the body of a request to `write`, part by part.

    Raises:
        InvalidInput: if it is longer than `most` bytes, breaks off, or takes too long.
    """
    size = 0
    try:
        with anyio.fail_after(PATIENCE_S):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    text = _("the request's body is longer than {limit} bytes")
                    raise InvalidInput("too_long", text, limit=most)
                write(part)
    except TimeoutError:
        text = _("the request's body did not arrive within {seconds:g} s")
        raise InvalidInput("too_slow", text, seconds=PATIENCE_S) from None
    except ClientDisconnect:
        raise InvalidInput("body_cut_off", _("the request's body did not arrive whole")) from None
