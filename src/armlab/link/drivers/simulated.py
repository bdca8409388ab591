"""`simulated`: an emulated arm in the same process, with a wire between; time passes for it as `poll` is told."""

from __future__ import annotations

from collections.abc import Sequence

from armlab.link.driver import Heard
from armlab.link.drivers.lines import LinesDriver
from armlab.link.peers.lines_board import LinesBoard
from armlab.link.peers.servos import EmulatedServos, PeerFault
from armlab.link.peers.wire import PeerWire
from armlab.link.wiring import JointWire, WireMap
from armlab.model.robot import Robot

LONGEST_GAP = 0.2
"""s: more than this between two polls passes for nobody."""
PULSES, COUNTS = (544.0, 2400.0), (100.0, 900.0)


def default_wires(robot: Robot) -> tuple[WireMap, WireMap]:
    """Return a wiring for pulses and one for feedback: the whole range of each joint, one channel after the other."""
    spans = list(zip(robot.lower.tolist(), robot.upper.tolist(), strict=True))
    pulses = WireMap([JointWire(i, PULSES, span) for i, span in enumerate(spans)])
    return pulses, WireMap([JointWire(i, COUNTS, span) for i, span in enumerate(spans)])


class SimulatedDriver(LinesDriver):
    """A board with our firmware and feedback in each joint, emulated."""

    def __init__(self, robot: Robot, *, faults: tuple[PeerFault, ...] = (), seed: int = 0) -> None:
        wires, feedback = default_wires(robot)
        self.servos = EmulatedServos(robot, faults=faults, seed=seed)
        self._wire = PeerWire(LinesBoard(self.servos, wires, feedback))
        self._polled: float | None = None
        super().__init__(self._wire, wires, feedback)

    def poll(self, now: float) -> Sequence[Heard]:
        """Let the arm's time pass, and return what has arrived."""
        if self._polled is not None and now > self._polled:
            self._wire.advance(min(now - self._polled, LONGEST_GAP))
        self._polled = now
        return super().poll(now)
