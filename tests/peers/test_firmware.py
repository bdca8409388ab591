"""Our firmware, compiled and run on an emulated Uno; all times are the firmware's, all pulses what leaves its pins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from link.lockstep import WHO, link_file
from peers.uno import EmulatedUno, build, missing

from armlab.link.drivers.lines import LinesDriver
from armlab.link.firmware.files import firmware_text, write_firmware
from armlab.link.framing import checked_line
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.link.link_file import read_link
from armlab.link.peers.arms import BRACCIO_PINS, emulated_arm
from armlab.link.peers.lines_board import LinesBoard
from armlab.link.peers.wire import PeerWire

emulated = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")
TICK = 0.01
DEGREE = 103.1
"""Tenths of a microsecond."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(tmp_path_factory.mktemp("uno"), firmware_text("armlab_braccio.ino"))


@pytest.fixture
def uno(built: tuple[Path, Path]) -> Iterator[EmulatedUno]:
    board = EmulatedUno(*built)
    board.advance(0.1)  # what comes while it starts is lost
    yield board
    board.close()


def widths(uno: EmulatedUno, pin: int, since: float = 0.0) -> np.ndarray:
    return np.array([width for time, one, width in uno.pulses if one == pin and time > since])


def commands(*bodies: str) -> bytes:
    return b"".join(checked_line(body.encode()) for body in bodies)


def test_the_firmware_comes_with_a_link_file_for_it(tmp_path: Path) -> None:
    paths = write_firmware("braccio", tmp_path)
    assert [path.name for path in paths] == ["armlab_braccio.ino", "README.md", "braccio.toml"]
    file = read_link(paths[-1])
    assert file.wires is not None
    assert file.wires.channels == BRACCIO_PINS
    sketch = paths[0].read_text(encoding="utf-8")
    assert file.table.identity.firmware in sketch
    assert f"{{{', '.join(map(str, BRACCIO_PINS))}}}" in sketch


@emulated
def test_pulses_are_as_long_as_they_are_told_to_be(uno: EmulatedUno) -> None:
    told = dict(zip(BRACCIO_PINS, (5440, 10080, 14720, 19360, 24000), strict=True))
    assert not uno.pulses
    uno.receive(commands(f"E,1,{','.join(map(str, told.values()))}"))
    uno.advance(0.2)
    for pin, width in told.items():
        assert np.median(widths(uno, pin)) == pytest.approx(width, abs=15)


@emulated
def test_a_link_arms_and_moves_the_board_and_the_board_holds_when_the_link_is_gone(
    uno: EmulatedUno, tmp_path: Path
) -> None:
    file = link_file(tmp_path, emulated_arm("braccio"))
    assert file.wires is not None
    wire = PeerWire(uno)  # type: ignore[arg-type]  # it has pulses instead of servos
    link, now = ArmLink(file, LinesDriver(wire, file.wires)), 10.0
    link.connect()
    for tick in range(150):
        now += TICK
        wire.advance(TICK)
        if link.state is LinkState.MONITOR and tick == 40:
            assert link.arm(WHO, now) is None
        if tick > 60 and link.commanded is not None:
            link.want(link.commanded + np.array([0.0, 0.01, 0, 0, 0]), np.zeros(5), 2 * TICK, WHO, now)
        link.tick(now)
    assert link.state is LinkState.MOVING, list(link.guard.reasons)
    assert link.counts["damaged"] == link.counts["missed"] == link.counts["refused"] == 0
    shoulder = widths(uno, 10)
    assert shoulder[-1] - shoulder[0] > 10 * DEGREE
    assert np.abs(np.diff(shoulder)).max() <= 2 * DEGREE + 120  # a frame is two steps; the UART's interrupt
    gone, sent = uno.time, link.commanded
    for _tick in range(60):
        uno.advance(TICK)
    after = [(time, width) for time, pin, width in uno.pulses if pin == 10 and time > gone + 0.3]
    assert len(after) > 10
    still = [width for _time, width in after]  # a pulse now and then is longer by what the UART's interrupt takes
    assert abs(np.median(still[:5]) - np.median(still[-5:])) < 15
    assert sent is not None
    uno.receive(commands("S,900,20,14720,14720,14720,14720,14720"))
    answers = uno.advance(0.05)
    assert checked_line(b"A,900,2") in answers


@emulated
def test_garbage_moves_nothing(uno: EmulatedUno) -> None:
    uno.receive(commands("E,1,14720,14720,14720,14720,14720"))
    uno.advance(0.1)
    rng = np.random.default_rng(3)
    for _line in range(100):
        uno.receive(rng.bytes(int(rng.integers(1, 60))) + b"\n" + commands("K,1"))
        uno.advance(0.02)
    assert abs(np.median(widths(uno, 11)[-20:]) - 14720) < 15
    uno.receive(commands("S,2,20,15720,14720,14720,14720,14720"))
    assert checked_line(b"A,2,0") in uno.advance(0.05)


@emulated
def test_a_set_point_changes_the_pulses_within_45_ms(uno: EmulatedUno) -> None:
    uno.receive(commands("E,1,14720,14720,14720,14720,14720"))
    uno.advance(0.1)
    late = []
    for k in range(30):
        before = float(np.median(widths(uno, 5)[-3:]))
        uno.advance(0.02 + 0.0007 * k)
        target = 14720 + 300 * (k % 2 + 1)
        uno.receive(commands(f"S,{k + 2},1,14720,14720,14720,14720,{target}"))
        begin = uno.time
        while abs(widths(uno, 5)[-1] - before) < 80:
            uno.advance(0.001)
            assert uno.time < begin + 0.2
        late.append(uno.time - begin)
        uno.advance(0.1)
    assert np.percentile(late, 99) <= 0.045


@emulated
def test_the_board_that_we_emulate_answers_and_moves_as_the_firmware_does(uno: EmulatedUno) -> None:
    arm = emulated_arm("braccio")
    board = arm.peer
    assert isinstance(board, LinesBoard)
    scripts = ["E,1,14720,14720,14720,14720,14720", "S,2,200,16000,14720,14000,14720,14720", "S,2,20,1,1,1,1,1"]
    scripts += [
        "S,3,20,99999,14720,14720,14720,14720",
        "H,7",
        "S,1,20,14720,14720,14720,14720,14720",
        "O,8",
        "S,9,20,1,2,3",
    ]
    rng = np.random.default_rng(8)
    answers: list[list[bytes]] = [[], []]
    for script in scripts:
        steps = int(rng.integers(5, 15))
        peers: tuple[EmulatedUno | LinesBoard, ...] = (uno, board)
        for k, peer in enumerate(peers):
            peer.receive(commands(script))
            heard = b"".join(peer.advance(0.01) for _step in range(steps))
            answers[k] += [line for line in heard.split(b"\n") if line.startswith(b"A,")]
        if script.startswith(("E", "S,2,200", "H")):
            real = [float(np.median(widths(uno, pin)[-2:])) for pin in BRACCIO_PINS]
            assert real == pytest.approx(board._pulses.tolist(), abs=2.5 * DEGREE)
    assert answers[0] == answers[1]
    assert len(answers[0]) == len(scripts)
