"""The server as a process: it says when it is ready, takes another port when it must, and ends quietly."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from refusals import refused

import armlab.server.serve as serving
from armlab.errors import ServerFailure
from armlab.server.page import STATIC, is_built
from armlab.server.serve import address, bind, has_display, is_local, own_address, serve

PATIENCE_S = 120
SCRIPT = """
import sys
from pathlib import Path
from armlab.server.serve import serve, is_local, own_address
serve(port=int(sys.argv[1]), page=Path(sys.argv[2]), announce=lambda text: print(text, flush=True))
"""


class Running:
    """A server process and the lines that it announces."""

    def __init__(self, *command: str) -> None:
        environment = {key: value for key, value in os.environ.items() if "DISPLAY" not in key}
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def line_with(self, words: str) -> str:
        """Return the first line that holds `words`; fail if the server ends or stays silent."""
        while True:
            line = self._lines.get(timeout=PATIENCE_S)
            if words in line:
                return line
            assert line, "the server ended"

    def link(self) -> str:
        """Return the address with its token as soon as it is announced."""
        words = self.line_with("is ready").split()
        return next(word for word in words if word.startswith("http://"))

    def end(self) -> tuple[int, str]:
        """End the server as Ctrl-C does; return its exit code and what it said on standard error."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")


def place(link: str) -> str:
    """Return the address without the token."""
    return link.partition("?")[0]


@contextmanager
def running(port: int, page: Path) -> Iterator[Running]:
    with started("-c", SCRIPT, str(port), str(page)) as server:
        yield server


@contextmanager
def started(*command: str) -> Iterator[Running]:
    server = Running(*command)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a single process")
def test_the_announced_address_answers_at_once_and_ctrl_c_ends_it_quietly(page: Path) -> None:
    with running(0, page) as server:
        link = server.link()
        assert httpx.get(f"{place(link)}api/version", timeout=PATIENCE_S).status_code == 200
        assert "a page" in httpx.get(link, timeout=PATIENCE_S, follow_redirects=True).text
        assert server.end() == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a single process")
def test_ctrl_c_ends_it_quietly_while_a_browser_keeps_its_connection(page: Path) -> None:
    with running(0, page) as server, httpx.Client(timeout=PATIENCE_S) as browser:
        browser.get(f"{place(server.link())}api/version")
        assert server.end() == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a single process")
@pytest.mark.skipif(not is_built(STATIC), reason="the page is not built")
def test_the_command_starts_the_same_server_and_ends_as_quietly() -> None:
    with started("-m", "armlab", "serve", "--port", "0", "--no-browser") as server:
        assert "armlab" in httpx.get(place(server.link()), timeout=PATIENCE_S).text
        assert server.end() == (0, "")


def test_a_busy_port_is_named_and_the_next_free_one_taken(busy_port: int, page: Path) -> None:
    with running(busy_port, page) as server:
        assert server.line_with("busy").startswith(f"port {busy_port} is busy; using ")
        url = place(server.link())
        assert f":{busy_port}/" not in url
        assert httpx.get(f"{url}api/version", timeout=PATIENCE_S).status_code == 200


def test_the_next_port_is_bound_right_away(busy_port: int) -> None:
    said: list[str] = []
    with bind("127.0.0.1", busy_port, said.append) as listener:
        taken = listener.getsockname()[1]
    assert said == [f"port {busy_port} is busy; using {taken}"]


def test_small_messages_are_sent_at_once() -> None:
    async def is_sent_at_once() -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            taken = writer.get_extra_info("socket")
            answer.set_result(bool(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        listener = bind("127.0.0.1", 0, print)
        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return await answer

    assert asyncio.run(is_sent_at_once()), "a state would wait 40 ms for the answer to the one before it"


def test_a_free_port_is_taken_without_a_word() -> None:
    said: list[str] = []
    with bind("127.0.0.1", 0, said.append):
        assert said == []


def test_a_host_that_nobody_knows_is_a_sentence() -> None:
    with refused("unknown_host", ServerFailure, host="no host"):
        bind("no host", 8090, print)


def test_an_address_of_another_machine_is_a_sentence() -> None:
    with refused("cannot_listen", ServerFailure, host="203.0.113.1", port=8090):
        bind("203.0.113.1", 8090, print)


def test_without_a_page_the_server_does_not_start(tmp_path: Path) -> None:
    with refused("no_page", ServerFailure):
        serve(announce=print, page=tmp_path)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8090/"),
        ("::1", "http://[::1]:8090/"),
        ("robots.lab", "http://robots.lab:8090/"),
    ],
)
def test_the_announced_address_can_be_opened_on_this_machine(host: str, url: str) -> None:
    assert address(host, 8090) == url


def test_a_browser_is_opened_only_where_there_is_a_screen() -> None:
    assert not has_display("linux", {})
    assert not has_display("linux", {"DISPLAY": ""})
    assert has_display("linux", {"DISPLAY": ":0"})
    assert has_display("linux", {"WAYLAND_DISPLAY": "wayland-0"})
    assert has_display("darwin", {})


def test_a_server_on_all_addresses_prints_one_that_others_can_reach() -> None:
    shown = address("0.0.0.0", 8090)
    assert shown == f"http://{own_address(socket.AF_INET)}:8090/"
    assert "0.0.0.0" not in shown


@pytest.mark.parametrize(
    ("host", "is_so"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False), ("10.0.0.7", False)],
)
def test_whether_others_can_reach_the_server_is_known(host: str, is_so: bool) -> None:
    assert is_local(host) == is_so


def test_a_server_for_others_says_in_one_sentence_that_http_is_not_encrypted(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "get_ready", interrupt)
    said: list[str] = []
    serve(port=0, page=page, announce=said.append, open_browser=False)
    assert not any("encrypted" in line for line in said)
    monkeypatch.setattr(serving, "is_local", lambda _host: False)
    serve(port=0, page=page, announce=said.append, open_browser=False)
    (sentence,) = [line for line in said if "HTTP is not encrypted" in line]
    assert "others in your network can reach this server" in sentence
