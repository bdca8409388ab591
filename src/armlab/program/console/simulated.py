"""A simulation of a scene that follows what is entered at a console: motions, picks and places."""

from __future__ import annotations

import math

import numpy as np

from armlab.errors import InvalidInput, UnknownName
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.executor import Event, Piece
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.tracking import placed
from armlab.program.probing import contact_in
from armlab.program.run import act
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure


class SimulatedPlant:
    """One arm of a scene, in physics or ("hierarchy") without."""

    def __init__(self, scene: Scene, robot: str, structure: Structure = "articulation") -> None:
        self._scene, self._robot = scene, robot
        self.simulation = Simulation(scene, structure)
        self.contact = contact_in(scene, robot)
        self.tracking_max = 0.0
        """The largest difference between where a joint was and where it should have been."""
        self._steps = 0

    @property
    def held(self) -> str | None:
        """The body in the gripper."""
        held = self.simulation.state(self._robot).held
        return held[0] if held else None

    def take(self, item: Piece | Event) -> list[Finding]:
        """Follow a piece of motion, or act; return what cannot be done."""
        if isinstance(item, Piece):
            self._follow(item)
            return []
        try:
            act(self.simulation, item.instruction, self._scene, self._robot, "exact")
        except (InvalidInput, UnknownName) as error:
            return [placed(Finding("error", error.message), Numbered(item.index, item.instruction), item.time)]
        return []

    def _follow(self, piece: Piece) -> None:
        dt = self.simulation.timestep
        last = math.floor(piece.end / dt + 1e-9)
        times = np.arange(self._steps + 1, last + 1) * dt - piece.start
        if not len(times):
            return
        self._steps = last
        played = self.simulation.play(piece.trajectory, robot=self._robot, times=np.clip(times, 0.0, None))
        self.tracking_max = max(self.tracking_max, float(np.abs(played.error).max()))
