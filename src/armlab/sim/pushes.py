"""What pushes the bodies of a scene, and when: applied before each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.model.scene import Body
from armlab.sim.hooks import StepHooks
from armlab.sim.physics import Physics

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation


class BodyPushes:
    """The scheduled pushes of a scene's bodies; what holds between two steps is decided by the state before them."""

    def __init__(self, core: Physics, bodies: tuple[Body, ...]) -> None:
        self._core = core
        self._pushed = [(b, body.pushes) for b, body in enumerate(bodies) if body.pushes]

    def __bool__(self) -> bool:
        return bool(self._pushed)

    def add_to(self, simulation: Simulation, hooks: StepHooks) -> None:
        """Push from now on; before other hooks, so that a sensor reads what holds from its time on."""
        self.apply(simulation)
        hooks.add(1, self.apply)

    def apply(self, simulation: Simulation) -> None:
        """Push each body with the sum of what holds now: start ≤ t < end, and the body turns slower than the limit."""
        now = simulation.time + 1e-9 * simulation.timestep
        for b, pushes in self._pushed:
            rate = self._core.turn_rate(b)
            held = [p for p in pushes if p.start <= now < p.end and rate < p.until_rate]
            self._core.push(b, np.sum([np.concatenate([p.force, p.torque]) for p in held], axis=0) + np.zeros(6))
