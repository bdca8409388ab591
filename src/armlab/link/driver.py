"""The protocol of drivers: what an arm can do, what comes from it, and what is sent to it.

A driver is synchronous and never waits: `poll` returns what has arrived, `send` writes and returns. Values are those of
the model, in rad and m; what the wire carries is the driver's own affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from armlab.arrays import Floats

Source = Literal["none", "commanded", "measured", "estimated"]
"""Where a quantity of a joint comes from."""
SetpointKind = Literal["none", "stream", "queue"]
"""What a driver takes: nothing, set-points of which each replaces the one before, or motions one after the other."""
StopKind = Literal["hold", "power_off"]

LONGEST_UNWATCHED = 0.5
"""s: the longest move that a board without a watchdog is given, because nothing can end it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a driver can do, known before it is opened; sources are given per joint."""

    position: tuple[Source, ...]
    velocity: tuple[Source, ...]
    torque: tuple[Source, ...]
    temperature: tuple[Source, ...]
    setpoint: SetpointKind
    rate: float
    """Hz: how often set-points are taken, and samples are expected."""
    own_watchdog: float | None
    """s after which the board holds by itself when it hears nothing; None: it never does."""
    stops: frozenset[StopKind]
    has_clock: bool = False
    """Whether samples have times of the device."""
    answers: bool = False
    """Whether the board answers each command by its sequence number."""
    resets_on_open: bool = False
    """Whether the board starts anew when its port is opened, as an Arduino Uno does."""
    needs_rest: bool = False
    """Whether nobody knows where the arm is before the first pulse, so that its resting pose must be stated."""


class Identity(NamedTuple):
    """Who answers at the other end."""

    firmware: str
    serial: str = ""


class Sample(NamedTuple):
    """What was heard of the arm; rows are (n,), None where nothing tells."""

    received: float
    """When it arrived, on our monotonic clock (s)."""
    q: Floats
    qd: Floats | None = None
    tau: Floats | None = None
    temperature: Floats | None = None
    device_time: float | None = None
    """s on the clock of the device."""
    sequence: int | None = None
    """A number that the device counts up by 1; None where it does not."""
    commanded: Floats | None = None
    """Where the board is told to be at this moment."""
    imu: Floats | None = None
    """(6,): rates (rad/s) and specific forces (m/s²) of an inertial sensor on the arm."""
    is_enabled: bool = True
    """Whether the drives are on."""
    is_tripped: bool = False
    """Whether the board's own watchdog has stopped it."""


class Answer(NamedTuple):
    """The answer of a board to the command with that sequence number; `reason` is empty if it was accepted."""

    sequence: int
    reason: str = ""


class Damaged(NamedTuple):
    """Packets that arrived damaged."""

    packets: int = 1


class DeviceFault(NamedTuple):
    """Something that the device itself reports as an error; it must be acknowledged by a person."""

    text: str


Heard: TypeAlias = Identity | Sample | Answer | Damaged | DeviceFault


class Setpoint(NamedTuple):
    """Where to be: at `q` (n,) in `seconds`, moving with `qd` then."""

    sequence: int
    q: Floats
    qd: Floats
    seconds: float


class Driver(Protocol):
    """One kind of arm."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""

    def open(self) -> None:
        """Open the port and ask who is there; the answer comes by `poll`.

        Raises:
            LinkRefused: if the port cannot be opened.
        """

    def poll(self, now: float) -> Sequence[Heard]:
        """Return what has arrived.

        Raises:
            LinkRefused: if the connection has ended.
        """

    def enable(self, sequence: int, q: Floats) -> None:
        """Switch the drives on, with the arm to be held at `q` (n,).

        Raises:
            LinkRefused: if the connection has ended.
        """

    def send(self, setpoint: Setpoint) -> None:
        """Send a set-point.

        Raises:
            LinkRefused: if the connection has ended, or the other end does not read.
        """

    def keep_alive(self, sequence: int) -> None:
        """Tell the board that we are still there."""

    def stop(self, kind: StopKind = "hold") -> None:
        """Hold or switch off; may be called at any time and more than once, and raises nothing."""

    def close(self) -> None:
        """Close the port; a second call does nothing."""
