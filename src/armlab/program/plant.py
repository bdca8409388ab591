"""What a program drives: a simulation, or a real arm."""

from __future__ import annotations

from typing import Protocol

from numpy.typing import ArrayLike

from armlab.sim.state import SimState


class Plant(Protocol):
    """An arm that is told where to be, one step of time after the other; `armlab.Simulation` is one."""

    @property
    def timestep(self) -> float:
        """How long a step is (s)."""

    def command(self, q: ArrayLike | None = None, qd: ArrayLike | None = None, *, robot: str | None = None) -> None:
        """Tell an arm where to be after the next step (n,), and how fast to move then (n,)."""

    def step(self, n: int = 1) -> None:
        """Let `n` steps of time pass."""

    def state(self, robot: str | None = None) -> SimState:
        """Return where an arm is, and the things round it."""
