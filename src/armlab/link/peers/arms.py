"""The arms that can be emulated, each with the protocol that it speaks, and link files for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.catalog import load
from armlab.errors import UnknownName
from armlab.link.drivers.simulated import COUNTS
from armlab.link.peers.grbl_board import GrblBoard
from armlab.link.peers.kvp_server import KvpServer
from armlab.link.peers.lines_board import LinesBoard
from armlab.link.peers.peer import Peer
from armlab.link.peers.rtde_server import RtdeServer
from armlab.link.peers.servos import EmulatedServos, PeerFault
from armlab.link.wiring import JointWire, WireMap
from armlab.model.robot import Robot
from armlab.units import joint_scale

ARMS: dict[str, str] = {"braccio": "braccio", "kr6": "kuka-kr6-r700", "scara": "scara", "ur5e": "ur5e"}
"""What is emulated, and its arm in the catalog."""
PULSES = (544.0, 2400.0)
BRACCIO_PINS = (11, 10, 9, 6, 5)


@dataclass(frozen=True, slots=True, eq=False)
class EmulatedArm:
    """A peer, and the text of a link file for it."""

    robot: Robot
    peer: Peer
    driver: str
    link: str

    def link_text(self, port: str) -> str:
        """Return a link file to the peer at a port."""
        head = f'schema = 1\narm = "{self.robot.name}"\ndriver = "{self.driver}"\nport = "{port}"\n'
        return head + self.link


def emulated_arm(name: str, faults: tuple[str, ...] = (), *, has_feedback: bool = False, seed: int = 0) -> EmulatedArm:
    """Return an arm of `ARMS`, with faults such as `stuck:elbow@10`; Braccios have feedback only if that is said.

    Raises:
        InvalidInput: if a fault cannot be understood.
        UnknownName: if there is no such arm, or no such joint.
    """
    if name not in ARMS:
        raise UnknownName("robot", name, ARMS)
    robot = load(ARMS[name])
    servos = EmulatedServos(robot, faults=tuple(PeerFault.parse(text, robot) for text in faults), seed=seed)
    if name == "kr6":
        return EmulatedArm(robot, KvpServer(servos), "kvp", "")
    if name == "scara":
        return _scara(robot, servos)
    if name == "ur5e":
        return EmulatedArm(robot, RtdeServer(servos), "rtde", "")
    return _braccio(robot, servos, has_feedback=has_feedback)


def _braccio(robot: Robot, servos: EmulatedServos, *, has_feedback: bool) -> EmulatedArm:
    pulses, counts = braccio_wires()
    board = LinesBoard(servos, pulses, counts if has_feedback else None)
    scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
    rest = ", ".join(f"{value:g}" for value in np.round(robot.home / scales, 3).tolist())
    text = f"rest = [{rest}]\n" + braccio_tables(has_feedback=has_feedback)
    return EmulatedArm(robot, board, "lines", text)


def _scara(robot: Robot, servos: EmulatedServos) -> EmulatedArm:
    """Steps are set so that grbl's units are degrees and millimetres."""
    scales = [joint_scale(joint.kind) for joint in robot.joints]
    wires = WireMap([JointWire(i, (0.0, 100.0), (0.0, 100.0 * scale)) for i, scale in enumerate(scales)])
    rows = "".join(
        f"{joint.name} = {{ channel = {i}, wire = [0, 100], joint = [0, 100] }}\n"
        for i, joint in enumerate(robot.joints)
    )
    return EmulatedArm(robot, GrblBoard(servos, wires), "grbl", f"\n[joints]\n{rows}")


def braccio_tables(*, has_feedback: bool = False) -> str:
    """Return the tables of a link file for a Braccio."""
    identity = f'\n[identity]\nfirmware = "{LinesBoard.firmware}"\n'
    feedback = f", feedback = [{COUNTS[0]:g}, {COUNTS[1]:g}]" if has_feedback else ""
    names = ("base", "shoulder", "elbow", "wrist_vertical", "wrist_rotation")
    rows = "".join(
        f"{name} = {{ channel = {pin}, wire = [{PULSES[0]:g}, {PULSES[1]:g}], joint = [0, 180]{feedback} }}\n"
        for name, pin in zip(names, BRACCIO_PINS, strict=True)
    )
    return f"{identity}\n[follow]\nlag = 0.04\ndead_time = 0.02\n\n[joints]\n{rows}"


def braccio_wires() -> tuple[WireMap, WireMap]:
    """Return the pulses of a Braccio, and its feedback where potentiometers are brought out."""
    half_turn = (0.0, float(np.pi))
    wires = [WireMap([JointWire(pin, wire, half_turn) for pin in BRACCIO_PINS]) for wire in (PULSES, COUNTS)]
    return wires[0], wires[1]
