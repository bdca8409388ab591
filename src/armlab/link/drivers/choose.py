"""From a link file to the driver that it names."""

from __future__ import annotations

from armlab.errors import NotSupported
from armlab.link.driver import Driver
from armlab.link.drivers.lines import LinesDriver
from armlab.link.drivers.simulated import SimulatedDriver
from armlab.link.link_file import LinkFile
from armlab.link.transport import transport_of
from armlab.messages import _


def driver_of(file: LinkFile) -> Driver:
    """Return the driver of a link file, not opened.

    Raises:
        InvalidInput: if its port cannot be one.
        NotSupported: if there is no such driver.
    """
    name = file.table.driver
    if name == "simulated":
        return SimulatedDriver(file.robot)
    transport = transport_of(file.table.port)
    if name == "lines":
        assert file.wires is not None  # a link file without them is refused
        return LinesDriver(transport, file.wires, file.feedback)
    raise NotSupported("driver_missing", _("no driver named {driver}"), driver=name)
