"""Byte streams to arms: serial ports, TCP, UDP and pseudo terminals. Nothing waits, and nothing queues up.

A write that the other end does not take at once is an error: what waits in a buffer would be motion from the past.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from armlab.errors import InvalidInput, LinkRefused, NotSupported
from armlab.messages import _

CONNECT_S = 2.0
"""s that a TCP connection may take."""
MOST_AT_ONCE = 65536
BAUD = 115200
FASTEST_BAUD = 4_000_000
SCHEMES = ("serial", "tcp", "udp", "pty")


class Transport(Protocol):
    """A stream of bytes that can be closed and opened again."""

    def open(self) -> None:
        """Open it.

        Raises:
            LinkRefused: if it cannot be opened.
        """

    def read(self) -> bytes:
        """Return what has arrived, which may be nothing.

        Raises:
            LinkRefused: if the other end is gone.
        """

    def write(self, data: bytes) -> None:
        """Send all of `data` now.

        Raises:
            LinkRefused: if the other end is gone or does not read.
        """

    def close(self) -> None:
        """Close it; a second call does nothing."""


def transport_of(port: str) -> Transport:
    """Return the transport of a port such as `serial:///dev/ttyACM0?baud=115200`, `tcp://host:port` or `pty:///path`.

    Raises:
        InvalidInput: if it is none of these.
    """
    try:
        parts = urlsplit(port)
        number = parts.port
    except ValueError:
        raise _not_a_port(port) from None
    query = parse_qs(parts.query)
    if parts.scheme in {"tcp", "udp"} and parts.hostname and number:
        return SocketTransport(port, parts.scheme, parts.hostname, number)
    if parts.scheme == "pty" and parts.path and sys.platform != "win32":
        return PtyTransport(port, parts.path)
    baud = query.get("baud", [str(BAUD)])[-1]
    name = parts.path if parts.path not in {"", "/"} else parts.netloc  # serial://COM3
    if parts.scheme == "serial" and name and baud.isdecimal() and 0 < int(baud) <= FASTEST_BAUD:
        return SerialTransport(port, name, int(baud))
    raise _not_a_port(port)


def _not_a_port(port: str) -> InvalidInput:
    text = _(
        "port: expected serial:///dev/NAME?baud=115200, tcp://HOST:PORT, udp://HOST:PORT or pty:///NAME, got {port}"
    )
    return InvalidInput("not_a_port", text, port=port[:100])


def _gone(port: str, reason: str | None) -> LinkRefused:
    return LinkRefused("port_lost", _("{port}: the connection has ended ({reason})"), port=port, reason=reason or "")


def _cannot_open(port: str, reason: str | None) -> LinkRefused:
    return LinkRefused("port_not_opened", _("{port}: cannot be opened ({reason})"), port=port, reason=reason or "")


def _does_not_read(port: str) -> LinkRefused:
    return LinkRefused("peer_does_not_read", _("{port}: the other end does not read"), port=port)


class SocketTransport:
    """TCP or UDP."""

    def __init__(self, port: str, scheme: str, host: str, number: int) -> None:
        self._port, self._scheme, self._address = port, scheme, (host, number)
        self._socket: socket.socket | None = None

    def open(self) -> None:
        """Connect."""
        self.close()
        try:
            if self._scheme == "udp":
                self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                self._socket.connect(self._address)
            else:
                self._socket = socket.create_connection(self._address, CONNECT_S)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            self._socket.setblocking(False)
        except OSError as error:
            self.close()
            raise _cannot_open(self._port, error.strerror or str(error)) from None

    def read(self) -> bytes:
        """Return what has arrived."""
        if self._socket is None:
            raise _gone(self._port, "")
        try:
            data = self._socket.recv(MOST_AT_ONCE)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise _gone(self._port, error.strerror) from None
        if not data and self._scheme == "tcp":
            raise _gone(self._port, "EOF")
        return data

    def write(self, data: bytes) -> None:
        """Send all of it, or fail."""
        if self._socket is None:
            raise _gone(self._port, "")
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise _gone(self._port, error.strerror) from None
        if sent < len(data):
            raise _does_not_read(self._port)

    def close(self) -> None:
        """Close the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class PtyTransport:
    """The other end of a pseudo terminal, as an emulated arm opens one."""

    def __init__(self, port: str, path: str) -> None:
        self._port, self._path = port, path
        self._file: int | None = None

    def open(self) -> None:
        """Open it in raw mode, for this process alone."""
        self.close()
        import fcntl
        import termios
        import tty

        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            tty.setraw(self._file)
            fcntl.ioctl(self._file, termios.TIOCEXCL)
        except (OSError, termios.error) as error:
            self.close()
            raise _cannot_open(self._port, str(error)) from None

    def read(self) -> bytes:
        """Return what has arrived."""
        if self._file is None:
            raise _gone(self._port, "")
        try:
            return os.read(self._file, MOST_AT_ONCE) if select.select([self._file], [], [], 0.0)[0] else b""
        except BlockingIOError:
            return b""
        except OSError as error:
            raise _gone(self._port, error.strerror) from None

    def write(self, data: bytes) -> None:
        """Send all of it, or fail."""
        if self._file is None:
            raise _gone(self._port, "")
        try:
            sent = os.write(self._file, data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise _gone(self._port, error.strerror) from None
        if sent < len(data):
            raise _does_not_read(self._port)

    def close(self) -> None:
        """Close it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def serial_package() -> Any:
    """Return the package that serial ports need.

    Raises:
        NotSupported: if it is not installed.
    """
    try:
        import_module("serial.tools.list_ports")
        return import_module("serial")
    except ImportError:
        text = _("serial ports need the package pyserial; install it: {command}")
        raise NotSupported("serial_missing", text, command="pip install armlab[serial]") from None


class SerialTransport:
    """A serial port, for this process alone."""

    def __init__(self, port: str, name: str, baud: int) -> None:
        self._port, self._name, self._baud = port, name, baud
        self._serial: Any = None

    def open(self) -> None:
        """Open it exclusively; a pulled cable is noticed by what reading raises."""
        package = serial_package()
        self.close()
        exclusive = {} if sys.platform == "win32" else {"exclusive": True}
        try:
            self._serial = package.Serial(self._name, self._baud, timeout=0, write_timeout=0, **exclusive)
        except (OSError, ValueError) as error:
            raise _cannot_open(self._port, str(error)) from None

    def read(self) -> bytes:
        """Return what has arrived."""
        if self._serial is None:
            raise _gone(self._port, "")
        try:
            return bytes(self._serial.read(MOST_AT_ONCE))
        except OSError as error:  # SerialException is one, and in_waiting raises a bare one
            raise _gone(self._port, str(error)) from None

    def write(self, data: bytes) -> None:
        """Send all of it, or fail."""
        if self._serial is None:
            raise _gone(self._port, "")
        try:
            sent = self._serial.write(data)
        except OSError as error:
            raise _gone(self._port, str(error)) from None
        if sent is not None and sent < len(data):
            raise _does_not_read(self._port)

    def close(self) -> None:
        """Close it."""
        if self._serial is not None:
            with suppress(OSError):  # with the cable out there is nothing left to close
                self._serial.close()
            self._serial = None
