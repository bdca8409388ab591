"""Sockets and pseudo terminals: ports that are not there, ends that go or do not read, two who want the same."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable

import pytest

from armlab.errors import LinkRefused
from armlab.link.transport import transport_of


def often(act: Callable[[], object]) -> None:
    for _time in range(1_000_000):
        act()


def test_a_port_that_is_not_there_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
    for port in (f"tcp://127.0.0.1:{number}", "pty:///dev/pts/none", "serial:///dev/no-such-port"):
        with pytest.raises(LinkRefused, match="cannot be opened"):
            transport_of(port).open()


def test_an_end_that_is_gone_or_does_not_read_is_noticed_and_nothing_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        transport = transport_of(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        transport.open()
        client, _address = server.accept()
        client.sendall(b"hello")
        got = b""
        while len(got) < 5:
            got += transport.read()
        assert got == b"hello"
        with pytest.raises(LinkRefused) as refused:
            often(lambda: transport.write(b"x" * 1000))
        assert refused.value.code == "peer_does_not_read"
        client.close()
        with pytest.raises(LinkRefused) as ended:
            often(transport.read)
        assert ended.value.code == "port_lost"
        transport.close()
        transport.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo terminals")
def test_a_terminal_is_opened_by_one_only() -> None:
    ours, theirs = os.openpty()
    try:
        port = f"pty://{os.ttyname(theirs)}"
        first = transport_of(port)
        first.open()
        if os.geteuid() != 0:  # the superuser opens what is taken, too
            with pytest.raises(LinkRefused):
                transport_of(port).open()
        os.write(ours, b"T,1\n")
        got = b""
        while len(got) < 4:
            got += first.read()
        assert got == b"T,1\n"
        first.close()
    finally:
        os.close(ours)
        os.close(theirs)
