"""An emulated arm behind a real TCP port; its time and the link's are those of the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from link.lockstep import WHO, link_file

from armlab.errors import LinkRefused
from armlab.link.drivers.choose import driver_of
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.link.link_file import LinkFile, read_link
from armlab.link.peers.arms import EmulatedArm, emulated_arm
from armlab.link.peers.server import PeerServer

MOST = 3000
"""Ticks until something must have happened; bytes take their time from one socket to the other."""


class Loopback:
    """A served arm, and links to it."""

    def __init__(self, folder: Path, name: str = "braccio") -> None:
        self.arm: EmulatedArm = emulated_arm(name, has_feedback=True)
        self.server = PeerServer(self.arm.peer)
        link_file(folder, self.arm)
        path = folder / "arm.toml"
        path.write_text(self.arm.link_text(f"tcp://127.0.0.1:{self.server.port}"), encoding="utf-8")
        self.file: LinkFile = read_link(path)
        self.now = 50.0

    def link(self) -> ArmLink:
        link = ArmLink(self.file, driver_of(self.file))
        link.connect()
        return link

    def until(self, state: LinkState, *links: ArmLink) -> None:
        for _tick in range(MOST):
            self.now += 0.005
            self.server.tick(self.now)
            for link in links:
                link.tick(self.now)
            if links[0].state is state:
                return
        raise AssertionError(links[0].state, list(links[0].guard.reasons))


def test_an_arm_is_reached_over_tcp_and_lost_when_its_process_ends(tmp_path: Path) -> None:
    both = Loopback(tmp_path)
    link = both.link()
    both.until(LinkState.MONITOR, link)
    for _tick in range(100):
        both.until(link.state, link)
    assert link.arm(WHO, both.now) is None
    both.until(LinkState.ARMED, link)
    both.server.close()
    for _tick in range(MOST):
        both.now += 0.005
        link.tick(both.now)
        if link.state is LinkState.LOST:
            break
    assert link.state is LinkState.LOST
    link.disconnect(both.now)


def test_a_second_program_at_the_same_arm_is_sent_away(tmp_path: Path) -> None:
    both = Loopback(tmp_path)
    first, second = both.link(), both.link()
    both.until(LinkState.MONITOR, first)
    both.until(LinkState.LOST, second, first)
    assert first.state is LinkState.MONITOR
    for link in (first, second):
        link.disconnect(both.now)
    both.server.close()


def test_a_port_that_is_taken_is_one_sentence() -> None:
    arm = emulated_arm("braccio")
    server = PeerServer(arm.peer)
    with pytest.raises(LinkRefused, match="cannot be opened"):
        PeerServer(arm.peer, server.port)
    server.close()
