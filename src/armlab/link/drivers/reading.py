"""What drivers share that only read: they refuse to move an arm."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.errors import LinkRefused
from armlab.link.driver import Capabilities, Setpoint, Source, StopKind
from armlab.link.transport import Transport
from armlab.messages import _


def reading_capabilities(
    n: int, *, rate: float, velocity: Source = "none", torque: Source = "none", temperature: Source = "none"
) -> Capabilities:
    """Return the capabilities of a driver that measures positions and commands nothing."""
    measured: Source = "measured"
    return Capabilities(
        position=(measured,) * n,
        velocity=(velocity,) * n,
        torque=(torque,) * n,
        temperature=(temperature,) * n,
        setpoint="none",
        rate=rate,
        own_watchdog=None,
        stops=frozenset(),
    )


class ReadingDriver:
    """A driver that only reads; what is above it never calls what would move the arm."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def enable(self, sequence: int, q: Floats) -> None:  # noqa: ARG002
        """Refuse."""
        raise self._only_read()

    def send(self, setpoint: Setpoint) -> None:  # noqa: ARG002
        """Refuse."""
        raise self._only_read()

    def _only_read(self) -> LinkRefused:
        return LinkRefused("driver_only_reads", _("this driver only reads"))

    def keep_alive(self, sequence: int) -> None:
        """Do nothing: the arm does not wait for us."""

    def stop(self, kind: StopKind = "hold") -> None:
        """Do nothing: whoever moves the arm stops it."""

    def close(self) -> None:
        """Close the port."""
        self._transport.close()
