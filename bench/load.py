"""`python -m bench.load`: twenty people at one server, on this machine, for ten seconds; and one who never reads.

Half of the sessions are jogged, half are dragged by the tool. Told are the share of real time that sessions missed, how
old states are when they arrive, how long a drag takes to be answered, and the server's memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import connect

from armlab.cell.wire import EXTRAS, HEADER, HEADER_FIELDS, SUBPROTOCOL

SESSIONS, SECONDS = 20, 10.0
JOG_HZ, DRAG_HZ = 20.0, 8.0
SETTLE_S = 2.0
HOME = (0.0, -90.0, 90.0, 0.0, 30.0, 0.0)
SERVER = """
import sys
from pathlib import Path
from armlab.server.serve import serve
serve(port=0, page=Path(sys.argv[1]), open_browser=False, announce=lambda text: print(text, flush=True))
"""


@dataclass
class Page:
    """One person's page: what it saw and how long things took (s)."""

    arrivals: list[tuple[float, float]] = field(default_factory=list)
    asked: dict[int, float] = field(default_factory=dict)
    trips: list[float] = field(default_factory=list)
    lag: float = 0.0
    bytes_read: int = 0

    def hear(self, message: str | bytes) -> None:
        """Take what came over the socket."""
        now = time.perf_counter()
        if isinstance(message, bytes):
            at = HEADER.unpack_from(message)[HEADER_FIELDS.index("time")]
            self.arrivals.append((now, at))
            self.lag = struct.unpack_from("<f", message, len(message) - 4 * (len(EXTRAS) - EXTRAS.index("lag")))[0]
            self.bytes_read += len(message)
        elif '"dragged"' in message:
            sent = self.asked.pop(json.loads(message)["sequence"], None)
            if sent is not None:
                self.trips.append(now - sent)

    def ages(self) -> np.ndarray[Any, Any]:
        """Return how late each state was against the one that was least late (s)."""
        rows = np.array(self.arrivals)
        late = rows[:, 0] - rows[:, 1]
        return late - late.min()

    def missed(self) -> float:
        """Return the share of real time that the session did not live through: how much later states are at the end.

        Both ends are medians over a second, so that one late message is not counted as lost time.
        """
        rows = np.array(self.arrivals)
        late, at = rows[:, 0] - rows[:, 1], rows[:, 0]
        begin, end = late[at < at[0] + 1.0], late[at > at[-1] - 1.0]
        return max(0.0, float(np.median(end) - np.median(begin)) / (at[-1] - at[0] - 1.0))


@contextlib.contextmanager
def running_server() -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start a server; yield its process, its address and the cookie that it lets in."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "index.html").write_text("<!doctype html><title>load</title>")
        process = subprocess.Popen([sys.executable, "-c", SERVER, folder], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "is ready" in line)
            link = next(word for word in line.split() if word.startswith("http://"))
            cookie = httpx.get(link).cookies["armlab"]
            yield process, link.partition("?")[0], f"armlab={cookie}"
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


async def work(url: str, cookie: str, number: int, seconds: float, everybody: asyncio.Barrier) -> Page:
    """Be one page for some seconds, from when all are there."""
    page = Page()
    headers = {"cookie": cookie}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60.0) as client:
        name = (await client.post("api/sessions", json={})).json()["session"]
    address = f"{url.replace('http', 'ws', 1)}api/live?session={name}"
    async with connect(address, subprotocols=[SUBPROTOCOL], additional_headers=headers) as live:  # type: ignore[list-item]
        await live.send(json.dumps({"type": "move_joints", "revision": 1, "targets": dict(enumerate(HOME))}))
        reading = asyncio.create_task(_read(live, page))
        await everybody.wait()
        await asyncio.sleep(SETTLE_S)
        page.arrivals.clear()
        await (_drag if number % 2 else _jog)(live, page, time.perf_counter() + seconds)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    return page


async def _read(live: Any, page: Page) -> None:
    async for message in live:
        page.hear(message)


async def _jog(live: Any, _page: Page, until: float) -> None:
    """Hold a key, of a joint or of the tool, and change direction now and then."""
    beat = 0
    while time.perf_counter() < until:
        way = 1.0 if beat // 30 % 2 else -1.0
        if beat // 60 % 2:
            command: dict[str, Any] = {"type": "jog_tool", "shares": [0, 0, 0.4 * way, 0, 0, 0], "frame": "base"}
        else:
            command = {"type": "jog_joints", "shares": [0.5 * way, 0, 0, 0, 0, 0]}
        await live.send(json.dumps({**command, "sequence": beat}))
        beat += 1
        await asyncio.sleep(1.0 / JOG_HZ)


async def _drag(live: Any, page: Page, until: float) -> None:
    """Drag the tool round a small circle."""
    sequence = 0
    while time.perf_counter() < until:
        angle = sequence * 0.2
        pose = [480.0, 60.0 * np.cos(angle), 500.0 + 60.0 * np.sin(angle), 0.0, 120.0, 0.0]
        page.asked[sequence] = time.perf_counter()
        await live.send(json.dumps({"type": "move_tool", "pose": pose, "sequence": sequence}))
        sequence += 1
        await asyncio.sleep(1.0 / DRAG_HZ)


def deaf_page(url: str, cookie: str, name: str) -> socket.socket:
    """Return a socket that has joined a session and will never read."""
    host, _, port = url.removeprefix("http://").strip("/").rpartition(":")
    line = socket.create_connection((host, int(port)))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wish = (
        f"GET /api/live?session={name} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\nCookie: {cookie}\r\n\r\n"
    )
    line.sendall(wish.encode())
    return line


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process (MB); nothing known: not a number."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return float("nan")
    return float(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024.0


def processor_s(pid: int) -> float:
    """Return how long a process has had a processor (s)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lines(sessions: int = SESSIONS, seconds: float = SECONDS) -> Iterator[str]:
    """Yield what was measured, a sentence each."""
    with running_server() as (process, url, cookie):
        before, started = processor_s(process.pid), time.perf_counter()
        pages = asyncio.run(_crowd(url, cookie, sessions, seconds))
        used = (processor_s(process.pid) - before) / (time.perf_counter() - started)
        ages = np.concatenate([page.ages() for page in pages]) * 1e3
        trips = np.concatenate([page.trips for page in pages if page.trips]) * 1e3
        rate = sum(len(page.arrivals) for page in pages) / sessions / seconds
        load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        yield f"sessions                {sessions}, {seconds:g} s each, {load}"
        yield f"real time missed        {max(page.missed() for page in pages):.2%} at worst"
        yield f"lag, as sessions tell   {max(page.lag for page in pages):.3f} s at worst"
        yield f"states                  {rate:.1f} a second for each page"
        yield f"age of states           median {np.median(ages):.1f} ms, p95 {np.percentile(ages, 95):.1f} ms"
        yield f"drag, round trip        median {np.median(trips):.1f} ms, p95 {np.percentile(trips, 95):.1f} ms"
        yield f"server's processors     {used:.2f}"
        yield from _deaf_lines(process.pid, url, cookie, seconds)


async def _crowd(url: str, cookie: str, sessions: int, seconds: float) -> list[Page]:
    everybody = asyncio.Barrier(sessions)
    return list(await asyncio.gather(*(work(url, cookie, i, seconds, everybody) for i in range(sessions))))


def _deaf_lines(pid: int, url: str, cookie: str, seconds: float) -> Iterator[str]:
    name = httpx.post(f"{url}api/sessions", headers={"cookie": cookie}, timeout=60.0).json()["session"]
    with deaf_page(url, cookie, name):
        time.sleep(1.0)
        first = memory_mb(pid)
        time.sleep(seconds)
        yield f"memory, a page is deaf  {first:.1f} MB, after {seconds:g} s {memory_mb(pid):.1f} MB"


def main() -> None:
    """Print the report."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    for line in lines(sessions):
        print(line, flush=True)


if __name__ == "__main__":
    main()
