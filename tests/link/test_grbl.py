"""A SCARA of steppers on grbl is driven by jog commands; what it was told last it does, and no more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from link.lockstep import WHO, link_file

from armlab.link.drivers.grbl import GrblDriver
from armlab.link.guard import LinkState
from armlab.link.link import ArmLink
from armlab.link.link_plant import LinkPlant
from armlab.link.peers.arms import emulated_arm
from armlab.link.peers.grbl_board import GrblBoard
from armlab.link.peers.wire import PeerWire
from armlab.link.program_run import connect_plant, run_on_arm
from armlab.model.scene import Scene
from armlab.program.instructions import MoveJ

TICK = 0.01


class Bench:
    """A SCARA, its link, and their time."""

    def __init__(self, folder: Path) -> None:
        self.arm = emulated_arm("scara")
        assert isinstance(self.arm.peer, GrblBoard)
        self.board = self.arm.peer
        self.wire = PeerWire(self.board)
        self.file = link_file(folder, self.arm)
        assert self.file.wires is not None
        self.link = ArmLink(self.file, GrblDriver(self.wire, self.file.wires))
        self.now = 10.0

    def passed(self, seconds: float) -> float:
        for _tick in range(round(seconds / TICK)):
            self.now += TICK
            self.wire.advance(TICK)
        return self.now


def test_a_program_runs_on_a_scara_with_grbl(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    plant = LinkPlant(bench.link, bench.passed)
    start = connect_plant(plant)
    assert start == pytest.approx(bench.file.robot.home, abs=1e-4)
    goal = start + np.array([0.3, -0.2, 0.0, 0.1])[: len(start)]
    done = run_on_arm(plant, Scene.of(bench.file.robot), lambda: iter([MoveJ((goal,))]), override=1.0)
    assert done.is_whole, done.findings
    assert bench.board.servos.q == pytest.approx(goal, abs=2e-3)
    assert plant.state("scara").quality.q == ("commanded",) * bench.file.robot.dof
    assert bench.link.counts["damaged"] == bench.link.counts["refused"] == 0


def test_when_the_link_is_gone_the_motion_under_way_ends_within_half_a_second(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    plant = LinkPlant(bench.link, bench.passed)
    q = connect_plant(plant)
    plant.step(0.2)
    assert bench.link.arm(WHO, plant.now) is None
    plant.holder = WHO
    plant.step(0.2)
    speed = np.zeros(len(q))
    speed[0] = 0.5
    for _period in range(20):
        q = q + speed * plant.period
        assert plant.command("scara", q, speed).is_accepted
        plant.step(plant.period)
    assert bench.link.state is LinkState.MOVING
    bench.passed(0.5)
    stands = bench.board._at.copy()
    bench.passed(1.0)
    assert np.array_equal(stands, bench.board._at)
    too_long = bench.link.want(q, speed, 0.6, WHO, plant.now)
    assert too_long is not None
    assert too_long.code == "move_unwatched"


def test_a_stop_cancels_what_grbl_has_been_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    plant = LinkPlant(bench.link, bench.passed)
    connect_plant(plant)
    bench.board.receive(b"$J=G90G21X40.0F600\n")
    bench.passed(0.1)
    assert bench.board._blocks
    plant.step(0.2)
    assert bench.link.arm(WHO, plant.now) is None
    bench.link.stop(plant.now)
    bench.passed(0.02)
    assert not bench.board._blocks


def test_an_alarm_of_grbl_is_a_latched_fault(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    plant = LinkPlant(bench.link, bench.passed)
    connect_plant(plant)
    bench.board._out.append(b"ALARM:1\r\n")
    plant.step(0.2)
    assert bench.link.state is LinkState.FAULT
    assert bench.link.guard.reasons[-1].message.parameters["text"] == "ALARM:1"


def test_random_bytes_are_damage_and_raise_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    connect_plant(LinkPlant(bench.link, bench.passed))
    rng = np.random.default_rng(4)
    heard: list[object] = []
    for piece in range(300):
        bench.wire._arrived += rng.bytes(100) + b"\n"
        heard += bench.link.driver.poll(100.0 + piece)
    assert len(heard) > 200
    for _piece in range(300):
        bench.board.receive(rng.bytes(100))
        bench.passed(TICK)
    assert bench.board.executed == 0
