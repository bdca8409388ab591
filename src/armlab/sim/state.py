"""What a simulation hands out: states, snapshots and runs; frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.recording.recording import Recording

Structure = Literal["articulation", "hierarchy", "joints"]
Mode = Literal["q", "qd", "tau"]


class Energy(NamedTuple):
    """Energy of all that moves (J); the potential counts from the world's origin."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


class SimContact(NamedTuple):
    """Two things that touch: where (m, world), the normal from the first to the second, and how hard."""

    first: str
    second: str
    point: Floats
    normal: Floats
    depth: float
    """m; negative where a gap is left."""
    force: float
    """N along the normal."""


@dataclass(frozen=True, slots=True, eq=False)
class SimState:
    """One arm, and the things round it, at one time."""

    time: float
    step: int
    q: Floats
    """Where the links are, (n,)."""
    qd: Floats
    qdd: Floats
    tau: Floats
    """What the drives give, their gravity compensation included, (n,); a hierarchy knows no forces: zeros."""
    motor_q: Floats
    """Where the motors are; other than `q` by the gears' play."""
    frames: Floats
    """Every link's frame and last the tool's, in world coordinates, (n + 2, 4, 4)."""
    joint_gaps: Floats
    """The joint gaps (m), (n,): how far the two sides of each joint are apart, an error of the constraints that tie
    links in the structure `joints`; zero where joints are coordinates."""
    closure_gaps: Floats
    """The same for each pin that closes a chain (m)."""
    contacts: tuple[SimContact, ...]
    energy: Energy | None
    """None where there are no masses: in a hierarchy."""
    bodies: Mapping[str, Floats]
    """Where the bodies of the scene are, T_world_body by name."""
    held: tuple[str, ...] = ()
    """The bodies that are attached to this arm."""
    width: float | None = None
    """How far apart the fingers are (m); None where no fingers move."""

    @property
    def gap(self) -> float:
        """The largest gap of a joint or a closing pin (m)."""
        return float(max(self.joint_gaps.max(initial=0.0), self.closure_gaps.max(initial=0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class SimSnapshot:
    """All that a simulation needs to go on from here, bit by bit as it would have."""

    step: int
    numbers: Floats
    settings: Any = field(default=None, repr=False)
    owner: object = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SimRun:
    """What happened while a trajectory was played: one sample per step, from the state after the first step on."""

    robot: str
    structure: Structure
    recording: Recording
    """Times from the start of the run; what the joints did, and were told to do."""
    gap: Floats
    """The largest joint gap, (m,) m."""

    @property
    def time(self) -> Floats:
        """(m,) s from the start of the run."""
        return self.recording.t

    @property
    def q(self) -> Floats:
        """Where the joints were, (m, n)."""
        return self.recording.q

    @property
    def qd(self) -> Floats:
        """How fast they moved, (m, n)."""
        return self.recording.qd

    @property
    def tau(self) -> Floats:
        """What the motors gave, (m, n)."""
        return self.recording.tau

    @property
    def commanded(self) -> Floats:
        """Where the joints should have been, (m, n)."""
        return self.recording.command_q

    @property
    def error(self) -> Floats:
        """Actual minus commanded, (m, n)."""
        return np.asarray(self.q - self.commanded)

    @property
    def rms(self) -> float:
        """The root of the mean square of all errors (rad or m)."""
        return float(np.sqrt(np.mean(self.error**2)))
