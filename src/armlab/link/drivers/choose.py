"""From a link file to the driver that it names."""

from __future__ import annotations

from typing import assert_never

from armlab.errors import InvalidInput
from armlab.link.driver import Driver
from armlab.link.drivers.feetech import FeetechDriver
from armlab.link.drivers.grbl import AXES, GrblDriver
from armlab.link.drivers.kvp import KvpDriver
from armlab.link.drivers.lines import LinesDriver
from armlab.link.drivers.rtde import RtdeDriver
from armlab.link.drivers.simulated import SimulatedDriver
from armlab.link.link_file import LinkFile
from armlab.link.transport import transport_of
from armlab.messages import _


def driver_of(file: LinkFile) -> Driver:
    """Return the driver of a link file, not opened.

    Raises:
        InvalidInput: if its port cannot be one, or the arm cannot have such a controller.
    """
    match file.table.driver:
        case "simulated":
            return SimulatedDriver(file.robot)
        case "lines":
            assert file.wires is not None  # a link file without them is refused
            return LinesDriver(transport_of(file.table.port), file.wires, file.feedback)
        case "feetech":
            assert file.wires is not None
            return FeetechDriver(transport_of(file.table.port), file.wires)
        case "grbl":
            assert file.wires is not None
            if max(file.wires.channels) >= len(AXES):
                text = _("grbl: channels are 0 … 5 (X Y Z A B C), got {channel}")
                raise InvalidInput("grbl_channel", text, channel=max(file.wires.channels))
            return GrblDriver(transport_of(file.table.port), file.wires)
        case "kvp":
            return KvpDriver(transport_of(file.table.port), file.robot)
        case "rtde":
            if file.robot.dof != 6:
                text = _("RTDE: Universal Robots have 6 joints, {arm} has {count}")
                raise InvalidInput("rtde_joints", text, arm=file.robot.name, count=file.robot.dof)
            return RtdeDriver(transport_of(file.table.port))
        case _:
            assert_never(file.table.driver)
