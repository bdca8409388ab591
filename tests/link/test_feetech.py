"""A bus of Feetech servos is driven by our driver and read by the maker's own package."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from link.lockstep import WHO

from armlab.catalog import load
from armlab.link.drivers.choose import driver_of
from armlab.link.drivers.feetech import FeetechDriver, FeetechFramer, packet, signed, unsigned
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.link.link_file import LinkFile, read_link
from armlab.link.link_plant import LinkPlant
from armlab.link.peers.feetech_bus import FeetechBus
from armlab.link.peers.servos import EmulatedServos
from armlab.link.peers.wire import PeerWire
from armlab.link.program_run import connect_plant, run_on_arm
from armlab.model.scene import Scene
from armlab.program.instructions import MoveJ

TICK = 0.01
TEXT = """schema = 1
arm = "planar2"
driver = "feetech"
port = "tcp://127.0.0.1:1"
[follow]
lag = 0.04
dead_time = 0.03
[joints]
"""


def link_file(folder: Path) -> LinkFile:
    path = folder / "arm.toml"
    names = [joint.name for joint in load("planar2").joints]
    rows = (f"{name} = {{ channel = {i + 1}, wire = [0, 4095], joint = [-180, 180] }}" for i, name in enumerate(names))
    path.write_text(TEXT + "\n".join(rows), encoding="utf-8")
    return read_link(path)


def bus_of(file: LinkFile) -> FeetechBus:
    assert file.wires is not None
    return FeetechBus(EmulatedServos(file.robot), file.wires)


def test_a_program_runs_on_bus_servos_and_switching_on_moves_nothing(tmp_path: Path) -> None:
    file = link_file(tmp_path)
    assert isinstance(driver_of(file), FeetechDriver)
    assert file.wires is not None
    bus, now = bus_of(file), [10.0]
    wire = PeerWire(bus)

    def passed(seconds: float) -> float:
        for _tick in range(round(seconds / TICK)):
            now[0] += TICK
            wire.advance(TICK)
        return now[0]

    link = ArmLink(file, FeetechDriver(wire, file.wires))
    plant = LinkPlant(link, passed)
    start = connect_plant(plant)
    before = bus.servos.q.copy()
    assert link.arm(WHO, plant.now) is None
    plant.holder = WHO
    plant.step(0.4)
    assert np.abs(bus.servos.q - before).max() < np.radians(0.2)
    link.guard.lease.release(WHO)
    goal = start + np.array([0.4, -0.3])
    done = run_on_arm(plant, Scene.of(file.robot), lambda: iter([MoveJ((goal,))]), override=1.0)
    assert done.is_whole, done.findings
    assert bus.servos.q == pytest.approx(goal, abs=0.01)
    assert link.counts["damaged"] == 0
    assert link.state is LinkState.ARMED
    for _tick in range(10):
        passed(TICK)
    stands = bus.servos.q.copy()
    passed(0.5)
    assert bus.servos.q == pytest.approx(stands, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_packets_are_found_among_garbage_however_they_are_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = [bytes(rng.integers(0, 256, int(rng.integers(0, 20))).tolist()) for _packet in range(40)]
    stream = b"".join(packet(k % 6, 0, body) + (b"\x01\x02\x03" if k % 3 else b"") for k, body in enumerate(bodies))
    framer, got, at = FeetechFramer(), [], 0
    while at < len(stream):
        step = int(rng.integers(1, 9))
        got += framer.feed(stream[at : at + step])
        at += step
    assert [body[2:] for body in got] == bodies
    for _piece in range(200):
        framer.feed(rng.bytes(1000))
    assert len(framer._buffer) < 1000
    assert framer.damaged > 0


@pytest.mark.parametrize("value", [0, 1, -1, 4095, -4095, 32767, -32767])
def test_signs_are_in_the_highest_bit(value: int) -> None:
    assert signed(int.from_bytes(unsigned(value), "little")) == value


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo terminals")
def test_the_makers_package_reads_and_writes_the_emulated_bus(tmp_path: Path) -> None:
    code = """
import sys, scservo_sdk as sdk
port = sdk.PortHandler(sys.argv[1]); port.openPort(); handler = sdk.PacketHandler(0)
def until_right(act):
    for _try in range(1000):
        answer = act()
        if answer[-2] == sdk.COMM_SUCCESS:
            return answer
    raise SystemExit(answer)
print(until_right(lambda: handler.ping(port, 1))[0])
print(until_right(lambda: handler.read2ByteTxRx(port, 2, 56))[0])
until_right(lambda: handler.write2ByteTxRx(port, 1, 42, 1500))
print(until_right(lambda: handler.read2ByteTxRx(port, 1, 42))[0])
"""
    file = link_file(tmp_path)
    assert file.wires is not None
    bus, over = bus_of(file), threading.Event()
    ours, theirs = os.openpty()
    os.set_blocking(ours, False)

    def serve() -> None:
        last = time.monotonic()
        while not over.wait(0.0005):
            with suppress(BlockingIOError):
                bus.receive(os.read(ours, 4096))
            now = time.monotonic()
            data, last = bus.advance(min(max(now - last, 1e-4), 0.1)), now
            if data:
                os.write(ours, data)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        command = [sys.executable, "-W", "ignore", "-c", code, os.ttyname(theirs)]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200).stdout.split()
    finally:
        over.set()
        thread.join()
        os.close(ours)
        os.close(theirs)
    wire = file.wires.to_wire(file.robot.home)
    assert [int(text) for text in said] == [777, round(float(wire[1])), 1500]
