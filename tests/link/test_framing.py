"""Whatever comes over a wire, framers give whole frames or count damage, however the bytes are cut into pieces."""

from __future__ import annotations

import binascii
import os

import numpy as np
import pytest
from link.lockstep import LockStep

from armlab.link.framing import CheckedLineFramer, LineFramer, checked_line, crc16_ccitt

BYTES = int(os.environ.get("ARMLAB_LINK_BYTES", "200000"))
FRAMES = [b"T,1,20,0,0,14720", b"A,3,0", b"K,0", b"B,armlab-braccio 1,EMU1,5,250"]


@pytest.mark.parametrize("body", FRAMES)
def test_the_crc_is_that_of_the_standard_library(body: bytes) -> None:
    assert crc16_ccitt(body) == binascii.crc_hqx(body, 0xFFFF)


@pytest.mark.parametrize("seed", range(3))
def test_frames_arrive_whole_however_they_are_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stream = b"".join(checked_line(frame) for frame in FRAMES) * 20
    cuts = np.sort(rng.integers(0, len(stream), 60)).tolist()
    framer = CheckedLineFramer()
    got = [frame for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True) for frame in framer.feed(stream[a:b])]
    assert got == FRAMES * 20
    assert framer.damaged == 0


@pytest.mark.parametrize("seed", range(3))
def test_one_changed_byte_costs_no_more_than_two_frames_and_never_gives_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    stream = b"".join(checked_line(frame) for frame in FRAMES) * 5
    for _trial in range(200):
        at = int(rng.integers(len(stream)))
        changed = bytes([stream[at] ^ int(rng.integers(1, 256))])
        framer = CheckedLineFramer()
        got = framer.feed(stream[:at] + changed + stream[at + 1 :] + b"\n")
        assert set(got) <= set(FRAMES)
        assert len(got) >= len(FRAMES) * 5 - 2
        assert framer.damaged >= 1


def test_a_line_without_an_end_takes_no_memory() -> None:
    framer = LineFramer(longest=100)
    for _piece in range(1000):
        assert framer.feed(b"x" * 997) == []
    assert len(framer._buffer) <= 997
    assert framer.feed(b"\nfine\n") == [b"fine"]
    assert framer.damaged == 1


def test_random_bytes_are_damage_and_move_nothing(tmp_path: LockStep) -> None:
    rng = np.random.default_rng(5)
    step = LockStep(tmp_path).connected().armed()  # type: ignore[arg-type]  # pytest's folder
    before = step.board.servos.q.copy()
    for _part in range(BYTES // 1000):
        step.board.receive(rng.bytes(1000))
        assert step.board._framer.feed(b"\n") == []
    step.board.advance(0.01)
    assert step.board.executed == 0
    assert float(np.abs(step.board.servos.q - before).max()) < 1e-3
    assert step.board._framer.damaged > 100
