"""Recordings on disk: a killed server loses none, and the next one gives them away."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from server.visiting import TestClient
from websockets.sync.client import connect

from armlab.cell.wire import HEADER, SUBPROTOCOL
from armlab.recording import RecordingFolder, read_recording
from armlab.server.access import COOKIE, Access
from armlab.server.app import create_app

KEY = "a-key-for-tests"
PATIENCE_S = 120
SERVER = """
import asyncio, sys, uvicorn
from pathlib import Path
from armlab.recording import RecordingFolder
from armlab.server.access import Access
from armlab.server.app import create_app

app = create_app(page=Path(sys.argv[2]), access=Access(sys.argv[1]), recordings=RecordingFolder(Path(sys.argv[3])))
server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, ws="websockets-sansio"))

async def run():
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving

asyncio.run(run())
"""
PLANAR = {"project": {"schema": 1, "arm": {"name": "planar3"}}}


@pytest.fixture
def client(page: Path, tmp_path: Path) -> Iterator[TestClient]:
    """Return a server that was started after the other one was killed."""
    app = create_app(page=page, access=Access(KEY), recordings=RecordingFolder(tmp_path / "recordings"))
    with TestClient(app, base_url="http://localhost") as made:
        made.cookies.set(COOKIE, KEY)
        yield made


def record_until(socket: Any, seconds: float) -> dict[str, Any]:
    """Start a recording; return what is told of it, and go on until it is some seconds long."""
    socket.send(json.dumps({"type": "record", "on": True}))
    report: dict[str, Any] | None = None
    while True:
        message = socket.recv(PATIENCE_S)
        if isinstance(message, str):
            event = json.loads(message)
            report = event if event["type"] == "recording" and event["is_running"] else report
        elif report is not None and HEADER.unpack_from(message)[5] > report["started"] + seconds:
            return report


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_server_loses_at_most_half_a_second(page: Path, tmp_path: Path, client: TestClient) -> None:
    folder = tmp_path / "recordings"
    command = [sys.executable, "-c", SERVER, KEY, str(page), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        place, cookie = f"127.0.0.1:{process.stdout.readline().strip()}", {"cookie": f"{COOKIE}={KEY}"}
        made = httpx.post(f"http://{place}/api/sessions", json=PLANAR, headers=cookie, timeout=PATIENCE_S)
        address = f"ws://{place}/api/live?session={made.json()['session']}"
        with connect(address, additional_headers=cookie, subprotocols=[SUBPROTOCOL]) as socket:  # type: ignore[list-item]
            report = record_until(socket, 1.5)
            os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not read_recording(report["path"]).is_whole
    (row,) = client.get("/api/recordings").json()
    assert (row["name"], row["robot"]) == (Path(report["path"]).name, "planar3")
    assert row["duration"] > 0.9
    whole = read_recording(report["path"])
    assert whole.is_whole
    stem = row["name"].removesuffix(".mcap")
    table = list(csv.DictReader(client.get(f"/api/recordings/{stem}.csv").text.splitlines()))
    assert len(table) == len(whole.t)
    span = float(table[-1]["time_s"]) - float(table[0]["time_s"])
    assert span == pytest.approx(row["duration"])
    assert {"q_theta1_deg", "command_q_theta3_deg", "tool_x_mm", "joint_gap_mm", "kinetic_energy_J"} <= set(table[0])
    (tmp_path / "again.mcap").write_bytes(client.get(f"/api/recordings/{stem}.mcap").content)
    assert read_recording(tmp_path / "again.mcap").is_whole
    assert client.get(f"/api/recordings/{stem}.parquet").content[:4] == b"PAR1"


@pytest.mark.parametrize("name", ["none", "..%2f..%2fsecret", "2020-01-01_00-00-00_x"])
def test_a_recording_that_is_not_there_is_told(client: TestClient, name: str) -> None:
    assert client.get("/api/recordings").json() == []
    assert client.get(f"/api/recordings/{name}.csv").status_code == 404
    assert client.get(f"/api/recordings/{name}.exe").status_code in {404, 422}


def test_a_stranger_gets_no_recordings(client: TestClient) -> None:
    client.cookies.clear()
    assert client.get("/api/recordings").status_code == 401
