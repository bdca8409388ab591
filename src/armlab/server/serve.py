"""Starting the server: find a port, compile, listen, say so, and end quietly on Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path

import uvicorn

from armlab.errors import ServerFailure
from armlab.kernels.warmup import warm_up
from armlab.server.access import Access, kept_key
from armlab.server.app import create_app
from armlab.server.live import MAX_COMMAND
from armlab.server.page import NOT_BUILT, STATIC, is_built
from armlab.server.sessions import warm_up_sessions

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8090
PORTS_TRIED = 20
GRACE_S = 3

Announce = Callable[[str], None]


def serve(
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    announce: Announce,
    open_browser: bool = True,
    page: Path = STATIC,
) -> None:
    """Serve the page until Ctrl-C; `announce` gets the sentences for the person who started it.

    A busy port is passed over for the next free one. The address is announced when the server really answers.

    Raises:
        ServerFailure: if there is no page, no such host or no free port.
    """
    if not is_built(page):
        raise ServerFailure(NOT_BUILT)
    with contextlib.suppress(KeyboardInterrupt), bind(host, port, announce) as listener:
        taken = listener.getsockname()[1]
        url = address(host, taken)
        access = Access(kept_key(), lambda token: announce(f"a link for another browser: {link(url, token)}"))
        announce("armlab is getting ready …")
        warm_up()
        warm_up_sessions()
        gc.freeze()  # what is here now stays: looking through it for garbage would hold up every session

        def ready() -> None:
            entrance = link(url, access.token)
            announce(f"armlab is ready: {entrance} (Ctrl-C ends it)")
            if open_browser and has_display(sys.platform, os.environ):
                threading.Thread(target=webbrowser.open, args=(entrance,), daemon=True).start()

        config = uvicorn.Config(
            create_app(hosts=(host,), page=page, access=access),
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MAX_COMMAND,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        _TellingServer(config, ready).run(sockets=[listener])


def bind(host: str, port: int, announce: Announce) -> socket.socket:
    """Return a socket bound to `port`, or where it is busy, to the next free one; port 0 means any.

    Raises:
        ServerFailure: if the host is unknown, the port is not allowed, or twenty in a row are busy.
    """
    family, place = _resolve(host)
    last = min(port + PORTS_TRIED, 65536) if port else 1
    for candidate in range(port, last):
        # named as TCP, so that asyncio sends small messages at once and does not wait for the answer to the last
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":  # elsewhere this would let two servers share a port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((place, candidate))
            listener.listen(128)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise ServerFailure(f"cannot listen on {host}, port {candidate}: {error.strerror}") from None
        else:
            if candidate != port:
                announce(f"port {port} is busy; taking {candidate}")
            return listener
    raise ServerFailure(f"ports {port} to {last - 1} are all busy; choose another one", port=port)


def address(host: str, port: int) -> str:
    """Return the URL to open on this machine."""
    if host in {"0.0.0.0", "::", ""}:
        host = DEFAULT_HOST if host != "::" else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def link(url: str, token: str) -> str:
    """Return the address that lets one browser in, once."""
    return f"{url}?token={token}"


def has_display(platform: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a browser would have a screen to open on."""
    if platform.startswith(("linux", "freebsd")):
        return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return True


class _TellingServer(uvicorn.Server):
    """A uvicorn server that tells when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then tell."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def _resolve(host: str) -> tuple[socket.AddressFamily, str]:
    """Return the address family of `host` and the address to bind."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise ServerFailure(f"no address is known for the host '{host}'", host=host) from None
    family, _, _, _, place = found[0]
    return family, str(place[0])
