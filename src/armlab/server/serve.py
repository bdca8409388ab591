"""Starting the server: find a port, compile, listen, say so, and end quietly on Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import gc
import ipaddress
import os
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path

import uvicorn

from armlab.cache import user_data
from armlab.cell.kernel_compiler import compile_groups, compile_in_background, end_background, missing_groups
from armlab.cell.warmup import FIRST, GROUPS, warm_up
from armlab.errors import ServerFailure
from armlab.kernels.code_cache import cache_folder
from armlab.messages import _, tr
from armlab.recording.folder import RecordingFolder
from armlab.server.access import Access, kept_key
from armlab.server.app import create_app
from armlab.server.half_open import HalfOpenConnections
from armlab.server.import_work import remove_left_folders
from armlab.server.live import MAX_COMMAND
from armlab.server.page import NOT_BUILT, STATIC, is_built
from armlab.server.sessions import warm_up_sessions

DEFAULT_HOST = "127.0.0.1"
ANY_ADDRESS = ("0.0.0.0", "::", "")
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
        access = Access(
            kept_key(), lambda token: announce(tr("a link for another browser: {link}", link=link(url, token)))
        )
        if not is_local(host):
            announce(
                tr(
                    "warning: others in your network can reach this server, and HTTP is not encrypted: whoever reads "
                    "the traffic can use it too; only give the link to whom you trust"
                )
            )
        announce(tr("armlab is getting ready …"))
        remove_left_folders()
        get_ready()
        gc.collect()  # what warming up has left must not be frozen: nothing would ever free it
        gc.freeze()  # what is here now stays: looking through it for garbage would hold up every session

        def ready() -> None:
            entrance = link(url, access.token)
            announce(tr("armlab is ready: {link} (Ctrl-C ends it)", link=entrance))
            if open_browser and has_display(sys.platform, os.environ):
                threading.Thread(target=webbrowser.open, args=(entrance,), daemon=True).start()

        config = uvicorn.Config(
            create_app(hosts=(host,), page=page, access=access, recordings=recordings_folder()),
            log_config=None,
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MAX_COMMAND,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        try:
            _AnnouncingServer(config, ready).run(sockets=[listener])
        finally:
            gc.unfreeze()


def recordings_folder() -> RecordingFolder | None:
    """Return the user's folder of recordings, or None for a user without a home."""
    folder = user_data()
    return None if folder is None else RecordingFolder(folder / "recordings")


def get_ready() -> None:
    """Compile what a new session needs to be shown and jogged; leave the other kernels to processes beside this one."""
    if cache_folder() is None:  # what another process compiles would be lost
        warm_up(FIRST)
        warm_up_sessions()
        return
    missing = missing_groups()
    if needed := [name for name in missing if name in FIRST]:
        compile_groups(needed)
    if later := [name for name in missing if name not in FIRST]:
        compile_in_background(later)
    warm_up(name for name in GROUPS if name in FIRST or name not in missing)
    warm_up_sessions()


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
                text = _("cannot listen on {host}, port {port}: {reason}")
                reason = error.strerror or str(error)
                raise ServerFailure("cannot_listen", text, host=host, port=candidate, reason=reason) from None
        else:
            if candidate != port:
                announce(tr("port {port} is busy; using {other}", port=port, other=candidate))
            return listener
    text = _("ports {port} to {last} are all busy; choose another one")
    raise ServerFailure("no_free_port", text, port=port, last=last - 1)


def address(host: str, port: int) -> str:
    """Return the URL to open; for a server that listens on all addresses, with one that others can reach."""
    if host in ANY_ADDRESS:
        host = own_address(socket.AF_INET6 if host == "::" else socket.AF_INET)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_local(host: str) -> bool:
    """Tell whether a server on `host` can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def own_address(family: socket.AddressFamily) -> str:
    """Return this machine's address in its network, or the loopback address where it has none; nothing is sent."""
    is_v6 = family == socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("2001:db8::1" if is_v6 else "192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "::1" if is_v6 else DEFAULT_HOST


def link(url: str, token: str) -> str:
    """Return the address that lets one browser in, once."""
    return f"{url}?token={token}"


def has_display(platform: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a browser would have a screen to open on."""
    if platform.startswith(("linux", "freebsd")):
        return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return True


class _AnnouncingServer(uvicorn.Server):
    """A uvicorn server that tells when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._half_open = HalfOpenConnections()

    async def on_tick(self, counter: int) -> bool:
        """Look after connections ten times a second, as uvicorn does, and close those that never ask."""
        self._half_open.sweep(self.server_state.connections, time.monotonic())
        return bool(await super().on_tick(counter))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and end the processes beside this one: after a signal nothing else would."""
        await super().shutdown(sockets)
        end_background()

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
        raise ServerFailure("unknown_host", _("no address is known for the host '{host}'"), host=host) from None
    family, *_rest, place = found[0]
    return family, str(place[0])
