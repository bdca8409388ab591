"""Other programs see what is known of an arm, by clients that are not ours; who is slow loses frames, and no more."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from link.lockstep import LockStep
from prometheus_client.parser import text_string_to_metric_families

from armlab.bridges.metrics import MetricsPublisher, metrics_text
from armlab.bridges.publisher import Publisher, publisher_of
from armlab.bridges.rosbridge import RosbridgePublisher
from armlab.cli.main import run
from armlab.errors import InvalidInput, LinkRefused
from armlab.link.status import LinkStatus, link_status

MOST = 20_000


@pytest.fixture
def status(tmp_path: Path) -> LinkStatus:
    step = LockStep(tmp_path).connected()
    return link_status(step.link, step.now)


@contextmanager
def running(publisher: Publisher, status: LinkStatus) -> Iterator[None]:
    """Publish in real time, for clients that wait."""
    over = threading.Event()

    def publish() -> None:
        while not over.wait(0.01):
            publisher.publish(status)
            publisher.tick()

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        publisher.stop()


def test_the_parser_of_prometheus_reads_the_metrics(status: LinkStatus) -> None:
    families = {one.name: one for one in text_string_to_metric_families(metrics_text(status))}
    assert [one.labels["state"] for one in families["armlab_state"].samples if one.value == 1.0] == ["monitor"]
    position = {one.labels["joint"]: one for one in families["armlab_joint_position"].samples}
    assert position["shoulder"].value == pytest.approx(math.radians(60.0), abs=0.01)
    assert position["shoulder"].labels["source"] == "measured"
    counted = {one.labels["what"]: one.value for one in families["armlab_link"].samples}
    assert counted["samples"] == status.counts["samples"]


def test_metrics_are_served_over_http(status: LinkStatus) -> None:
    publisher = MetricsPublisher(0)
    with running(publisher, status):
        with urllib.request.urlopen(publisher.address, timeout=60) as answer:
            assert answer.read().decode() == metrics_text(status)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(publisher.address.replace("metrics", "secrets"), timeout=60)


def test_roslibpy_receives_joint_states(status: LinkStatus) -> None:
    code = """
import sys, threading, roslibpy
ros = roslibpy.Ros("127.0.0.1", int(sys.argv[1])); ros.run(timeout=60)
got, come = [], threading.Event()
topic = roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState")
topic.subscribe(lambda message: (got.append(message), come.set()))
come.wait(60)
print(list(got[0]["name"]), got[0]["position"][1], ros.get_topics(), flush=True)
ros.terminate()
"""
    publisher = RosbridgePublisher(0)
    with running(publisher, status):
        port = publisher.address.rpartition(":")[2]
        command = [sys.executable, "-W", "ignore", "-c", code, port]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200).stdout
    names = [joint.name for joint in status.joints]
    assert said.startswith(f"{names} 1.04")
    assert "['/joint_states']" in said


def until(publisher: Publisher, is_so: Callable[[], bool]) -> None:
    for _tick in range(MOST):
        publisher.tick()
        if is_so():
            return
    raise AssertionError(publisher)


def test_a_datagram_is_one_json_object(status: LinkStatus) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        there.settimeout(60)
        publisher = publisher_of(f"udp://127.0.0.1:{there.getsockname()[1]}")
        publisher.publish(status)
        publisher.publish(status)
        publisher.tick()
        heard = json.loads(there.recv(65536))
        publisher.stop()
    assert publisher.dropped == 1
    assert heard["state"] == "monitor"
    assert [joint["name"] for joint in heard["joints"]] == [joint.name for joint in status.joints]


def test_a_client_that_never_reads_takes_no_memory_and_holds_up_nobody(status: LinkStatus) -> None:
    publisher = RosbridgePublisher(0)
    port = int(publisher.address.rpartition(":")[2])
    key = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    deaf = socket.create_connection(("127.0.0.1", port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nSec-WebSocket-Version: 13\r\n" + key + b"\r\n")
    until(publisher, lambda: bool(publisher._peers) and publisher._peers[0].protocol.state.name == "OPEN")
    text = json.dumps({"op": "subscribe", "topic": "/joint_states"}).encode()
    deaf.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    until(publisher, lambda: publisher._peers[0].is_subscribed)

    def publish_until_full() -> bool:
        publisher.publish(status)
        return publisher.dropped > 100

    until(publisher, publish_until_full)
    assert len(publisher._peers[0].client.waiting) < 10_000
    deaf.close()
    publisher.stop()


@pytest.mark.parametrize("garbage", [b"\x00" * 10, b"GET / HTTP/1.1\r\n\r\n", b"x" * 100_000])
def test_garbage_ends_a_connection_and_nothing_else(status: LinkStatus, garbage: bytes) -> None:
    for kind in (RosbridgePublisher, MetricsPublisher):
        publisher = kind(0)
        number = int(publisher.address.removesuffix("/metrics").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", number)) as client:
            client.setblocking(False)
            left = [garbage]

            def send(client: socket.socket = client, left: list[bytes] = left) -> bool:
                try:
                    left[0] = left[0][client.send(left[0]) :]
                except BlockingIOError:
                    return False
                except ConnectionError:  # it was closed before all of it had come
                    return True
                return not left[0]

            until(publisher, send)
        for _tick in range(50):
            publisher.publish(status)
            publisher.tick()
        publisher.stop()
        assert publisher.dropped == 0


@pytest.mark.parametrize("to", ["", "metrics", "metrics:x", "metrics:70000", "udp://:5", "mqtt://here", "rosbridge:-1"])
def test_what_is_no_bridge_is_refused(to: str) -> None:
    with pytest.raises(InvalidInput, match="expected metrics:PORT"):
        publisher_of(to)


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(LinkRefused, match="cannot be opened"):
        publisher_of(f"metrics:{taken.getsockname()[1]}")


def test_the_command_publishes_an_arm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = tmp_path / "arm.toml"
    link.write_text('schema = 1\narm = "braccio"\ndriver = "simulated"\n', encoding="utf-8")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        there.settimeout(60)
        to = f"udp://127.0.0.1:{there.getsockname()[1]}"
        assert run(["bridge", str(link), "--to", to, "--to", "metrics:0", "--seconds", "0.5"]) == 0
        states = [json.loads(there.recv(65536))["state"] for _datagram in range(8)]
    assert states[-1] == "monitor"
    assert to in capsys.readouterr().out
