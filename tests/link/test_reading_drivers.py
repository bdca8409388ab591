"""Industrial arms are read as they are, and by their makers' or others' own clients, too."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from link.lockstep import WHO
from link.test_server import Loopback

from armlab.catalog import load
from armlab.link.drivers.kvp import KvpFramer
from armlab.link.drivers.rtde import RtdeFramer, packet
from armlab.link.framing import Framer, LineFramer
from armlab.link.guard import LinkState
from armlab.link.peers.kvp_server import KvpServer
from armlab.link.peers.peer import Peer
from armlab.link.peers.rtde_server import RtdeServer
from armlab.link.peers.server import PeerServer
from armlab.link.peers.servos import EmulatedServos


@contextmanager
def served(peer: Peer, port: int = 0, host: str = "127.0.0.1") -> Iterator[int]:
    """Serve an arm in real time, for clients that are not ours."""
    server, over = PeerServer(peer, port, host), threading.Event()

    def serve() -> None:
        while not over.wait(0.001):
            server.tick(time.monotonic())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.port
    finally:
        over.set()
        thread.join()
        server.close()


@pytest.mark.parametrize(("name", "driver"), [("kr6", "kvp"), ("ur5e", "rtde")])
def test_an_arm_is_read_and_never_moved(tmp_path: Path, name: str, driver: str) -> None:
    both = Loopback(tmp_path, name)
    assert both.arm.driver == driver
    link = both.link()
    both.until(LinkState.MONITOR, link)
    servos = both.arm.peer.servos
    for target in (servos.robot.home + 0.2, servos.robot.home - 0.1):
        servos.aim(target)
        for _tick in range(600):
            both.until(link.state, link)
        assert link.sample is not None
        assert link.sample.q == pytest.approx(target, abs=2e-3)
    refused = link.arm(WHO, both.now)
    assert refused is not None
    assert refused.code == "arm_only_read"
    assert link.counts["damaged"] == 0
    link.disconnect(both.now)
    both.server.close()


def test_a_protective_stop_of_the_controller_is_a_latched_fault(tmp_path: Path) -> None:
    both = Loopback(tmp_path, "ur5e")
    link = both.link()
    both.until(LinkState.MONITOR, link)
    assert isinstance(both.arm.peer, RtdeServer)
    both.arm.peer.safety_mode = 3
    both.until(LinkState.FAULT, link)
    assert link.guard.reasons[-1].code == "device_fault"
    link.disconnect(both.now)
    both.server.close()


@pytest.mark.parametrize("framer", [KvpFramer, RtdeFramer, LineFramer])
def test_random_bytes_raise_nothing_and_take_no_memory(framer: type[Framer]) -> None:
    rng, one = np.random.default_rng(11), framer()
    for _piece in range(200):
        one.feed(rng.bytes(1000))
    assert one.damaged > 0
    assert len(getattr(one, "_buffer", b"")) <= 8192


def test_packets_arrive_whole_however_they_are_cut() -> None:
    framer, stream = RtdeFramer(), b"".join(packet(85, bytes(range(k))) for k in range(1, 60))
    got = [body for k in range(0, len(stream), 7) for body in framer.feed(stream[k : k + 7])]
    assert [body[1:] for body in got] == [bytes(range(k)) for k in range(1, 60)]


def test_py_openshowvar_reads_the_emulated_kuka() -> None:
    code = (
        "import sys; from py_openshowvar import openshowvar as Client; c = Client('127.0.0.1', int(sys.argv[1]));"
        "print(c.can_connect, c.read('$AXIS_ACT', debug=False), c.read('$NO_SUCH', debug=False))"
    )
    robot = load("kuka-kr6-r700")
    with served(KvpServer(EmulatedServos(robot))) as port:
        said = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, str(port)], capture_output=True, text=True, check=True
        )
    assert said.stdout.startswith("True")
    assert f"A2 {np.degrees(robot.home[1]):.6f}" in said.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="ur-rtde has wheels for Linux only")
def test_ur_rtde_reads_the_emulated_universal_robot() -> None:
    code = (
        "import sys; from rtde_receive import RTDEReceiveInterface as Client;"
        "c = Client(sys.argv[1], 125.0, ['timestamp', 'actual_q']); print(c.getActualQ(), flush=True)"
    )
    robot, host = load("ur5e"), "127.8.3.4"  # the port is fixed; another address of this machine may have it free
    with served(RtdeServer(EmulatedServos(robot)), 30004, host):
        command = [sys.executable, "-c", code, host]
        said = subprocess.run(command, capture_output=True, text=True, check=False)  # it may abort when it ends
    assert [float(text) for text in said.stdout.strip().strip("[]").split(",")] == pytest.approx(robot.home, abs=1e-9)
