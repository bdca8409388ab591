"""What a program moves: arms, bodies, grippers and signals behind one door, whether simulated, recorded or real.

A plant is commanded and read by the names of its arms. It makes no promise about what an arm does with a command: what
became of it is an `Outcome`, what came of it an `ArmState`, and each number of that says where it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import NotSupported
from armlab.messages import _
from armlab.model.finding import Finding

if TYPE_CHECKING:
    from armlab.sim.probe import SimProbe
    from armlab.sim.state import Energy

Quality = Literal["simulated", "measured", "estimated", "commanded"]
"""Where a number comes from: a simulation, a sensor, a computation from other sensors, or only what was commanded."""
Signal: TypeAlias = bool | float
"""The value of an input or output: a digital or an analog one."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of a command.

    `accepted`; `clipped` to what the arm may do; `refused`, with nothing changed; or `not_followed`: it was sent, but
    the arm does not answer, or lags too far behind.
    """

    kind: Literal["accepted", "clipped", "refused", "not_followed"]
    finding: Finding | None = None
    """Why; None where it was accepted."""
    clipped: Floats | None = None
    """(2, n): by how much positions (rad or m) and speeds (rad/s or m/s) of each joint were cut off at most."""

    @property
    def is_accepted(self) -> bool:
        """Whether the arm does exactly what it was told."""
        return self.kind == "accepted"


ACCEPTED = Outcome("accepted")


class Qualities(NamedTuple):
    """Where the numbers of a state come from, for each joint."""

    q: tuple[Quality, ...]
    qd: tuple[Quality, ...]
    tau: tuple[Quality, ...]
    """Empty where no torques are known."""

    @classmethod
    def all_of(cls, quality: Quality, n: int, *, with_tau: bool = True) -> Qualities:
        """Return the same quality for everything of `n` joints."""
        each = (quality,) * n
        return cls(each, each, each if with_tau else ())


@dataclass(frozen=True, slots=True, eq=False)
class ArmState:
    """One arm of a plant as it was known last."""

    stamp: float
    """When that was, on the plant's clock (s); `plant.time - stamp` is its age."""
    q: Floats
    """(n,) rad or m."""
    qd: Floats
    """(n,) rad/s or m/s."""
    qdd: Floats
    """(n,); zeros where nothing tells."""
    tau: Floats | None
    """What the drives give, (n,) N m or N; None where nothing tells."""
    frames: Floats
    """Every link's frame and last the tool's, in the world, (n + 2, 4, 4)."""
    quality: Qualities
    bodies: Mapping[str, Floats] = field(default_factory=dict)
    """Where the bodies of the scene are, T_world_body by name."""
    held: tuple[str, ...] = ()
    """The bodies that this arm holds."""
    width: float | None = None
    """How far apart the fingers are (m); None where no fingers move."""
    gap: float = 0.0
    """The largest gap of a joint or a closing pin (m), an error of simulated constraints."""
    energy: Energy | None = None
    """None where it is not known."""


class ArmSamples(NamedTuple):
    """What an arm did in the last `step` of its plant, m samples, the oldest first."""

    t: Floats
    """(m,) s on the plant's clock."""
    q: Floats
    """(m, n)."""
    qd: Floats
    """(m, n)."""
    tau: Floats | None
    """(m, n); None where nothing tells."""
    gap: Floats
    """(m,) m, see `ArmState`."""


class Plant(Protocol):
    """Arms by name that are commanded, stepped and read; reading changes nothing."""

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of the arms."""

    @property
    def time(self) -> float:
        """The plant's clock (s): it starts at 0 and only `step` moves it on, and `restore` back."""

    @property
    def period(self) -> float:
        """How long one row of a command lasts (s)."""

    def command(self, arm: str, q: ArrayLike, qd: ArrayLike | None = None) -> Outcome:
        """Tell an arm where to be.

        With `qd`: be at `q`, moving so, one `period` after the other: (n,) after the next one and from then on, or rows
        (m, n) for the next m; the last one then stands. Without: go to `q` (n,) as fast as joints and drives allow.
        A command replaces what is left of the one before.

        Raises:
            UnknownName: if there is no such arm. Values that cannot be used are refused by the outcome.
        """

    def step(self, seconds: float) -> None:
        """Let time pass: a whole number of periods, the nearest to `seconds`; a real plant waits for nothing.

        Raises:
            SimulationDiverged: if a simulation leaves all bounds; its state is then that of the last good step.
        """

    def state(self, arm: str) -> ArmState:
        """Return where an arm is as far as that is known."""

    def samples(self, arm: str) -> ArmSamples:
        """Return what an arm did in the last `step`, one row per period or as often as it was heard of.

        They are gathered from the first call on, which returns none.
        """

    @property
    def bodies(self) -> Mapping[str, Floats]:
        """Where the bodies are, T_world_body by name."""

    def grip(self, arm: str, body: str | None = None) -> None:
        """Take hold of a body; fingers that move close on whatever is between them, and need no name.

        Raises:
            ArmlabError: if that cannot be; nothing is held then.
        """

    def release(self, arm: str) -> tuple[str, ...]:
        """Let go of all that an arm holds, or open its fingers; return the names of the bodies."""

    @property
    def inputs(self) -> Mapping[str, Signal]:
        """The inputs that are known, by the names that programs use."""

    @property
    def outputs(self) -> Mapping[str, Signal]:
        """The outputs that were set."""

    def set_output(self, name: str, value: Signal) -> None:
        """Switch an output."""

    def halt(self) -> None:
        """Take the speed from everything: arms stay where they are, and forget what they were told."""

    def snapshot(self) -> object:
        """Return all that is needed to go on from here.

        Raises:
            NotSupported: if this plant cannot go back.
        """

    def restore(self, snapshot: object) -> None:
        """Go back to a snapshot of this plant.

        Raises:
            InvalidInput: if it is of another plant.
            NotSupported: if this plant cannot go back.
        """

    def measure(self) -> SimProbe:
        """Return what virtual sensors read: motions, wrenches and distances anywhere in the scene.

        Raises:
            NotSupported: if nothing is simulated.
        """


def cannot_go_back(plant: str) -> NotSupported:
    """Return the error about a plant whose time does not turn back."""
    return NotSupported("plant_without_snapshots", _("{plant}: it cannot go back to an earlier state"), plant=plant)


def not_simulated(plant: str) -> NotSupported:
    """Return the error about virtual sensors in a plant that is not a simulation."""
    return NotSupported(
        "plant_not_simulated", _("{plant}: virtual sensors need a simulation; nothing is simulated here"), plant=plant
    )
