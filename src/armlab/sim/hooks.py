"""Calls after steps of a simulation: one door for sensors and loggers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armlab.errors import InvalidInput
from armlab.messages import _

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation

RATE_TOLERANCE = 1e-6
"""How far (as a share) a period may be from a whole number of steps."""


class StepHooks:
    """Functions that are called after every so many steps, in the order in which they were added."""

    def __init__(self) -> None:
        self._hooks: list[tuple[int, Callable[[Simulation], object]]] = []

    def __bool__(self) -> bool:
        return bool(self._hooks)

    def add(self, every: int, call: Callable[[Simulation], object]) -> Callable[[], None]:
        """Add a function that is called after the steps whose number `every` divides; return how to remove it."""
        hook = (every, call)
        self._hooks.append(hook)

        def remove() -> None:
            self._hooks = [other for other in self._hooks if other is not hook]

        return remove

    def steps_to_next(self, step: int, most: int) -> int:
        """Return after how many steps, at most `most`, a function is due."""
        return min([most, *(every - step % every for every, _call in self._hooks)])

    def call(self, simulation: Simulation, step: int) -> None:
        """Call the functions that are due after step number `step`."""
        for every, call in list(self._hooks):
            if step % every == 0:
                call(simulation)


def steps_per_period(rate: float, timestep: float) -> int:
    """Return how many steps of `timestep` (s) there are in a period of `rate` (Hz).

    Raises:
        InvalidInput: if the rate is not positive, above the simulation's, or its period is not a whole number of steps.
    """
    if not 0.0 < rate < float("inf"):
        raise InvalidInput("rate_not_positive", _("rate must be > 0, got {rate:g} Hz"), rate=float(rate))
    steps = 1.0 / (rate * timestep)
    whole = max(1, round(steps))
    if abs(steps - whole) > RATE_TOLERANCE * whole:
        fastest = 1.0 / timestep
        raise InvalidInput(
            "rate_not_possible",
            _(
                "rate: {rate:g} Hz is not possible with steps of {step:g} ms; "
                "use {fastest:g} Hz divided by a whole number"
            ),
            rate=float(rate),
            step=timestep * 1e3,
            fastest=fastest,
            possible=[fastest / whole],
        )
    return whole
