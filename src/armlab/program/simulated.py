"""A simulated arm that follows what an execution yields: motions, picks and places."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, UnknownName
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.executor.pieces import Event, Numbered, Piece
from armlab.program.executor.tracking import placed
from armlab.program.holding import holds_already
from armlab.program.instructions import Instruction, Pick, Place
from armlab.program.probing import contact_in
from armlab.program.reach import body_at_tool
from armlab.sim.given import Grasp
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure


class Simulate(Protocol):
    """Makes the simulation that a program drives: `Simulation` itself, or one whose arm differs from its drawing."""

    def __call__(self, scene: Scene, structure: Structure, *, timestep: float, grasp: Grasp) -> Simulation:
        """Return a simulation of the scene."""


class SimulatedArm:
    """One arm of a scene, in physics or ("hierarchy") without; pieces need not last whole numbers of steps."""

    def __init__(
        self,
        scene: Scene,
        robot: str,
        structure: Structure = "articulation",
        *,
        timestep: float = 0.001,
        grasp: Grasp = "exact",
        simulate: Simulate = Simulation,
    ) -> None:
        self.scene, self.name = scene, robot
        self.simulation = simulate(scene, structure, timestep=timestep, grasp=grasp)
        self.contact = contact_in(scene, robot)
        self.steps = 0
        """How many were made."""
        self.played: SimRun | None = None
        """What happened in the last piece; None where that was shorter than a step."""
        self.tracking_max = 0.0
        """The largest difference between where a joint was and where it should have been."""
        self._grasp = grasp

    @property
    def held(self) -> str | None:
        """The body in the gripper."""
        held = self.simulation.state(self.name).held
        return held[0] if held else None

    def take(self, item: Piece | Event) -> list[Finding]:
        """Follow a piece of motion, or act; return what cannot be done."""
        if isinstance(item, Piece):
            self._follow(item)
            return []
        try:
            self._act(item.instruction)
        except (InvalidInput, UnknownName) as error:
            return [placed(Finding("error", error.message), Numbered(item.index, item.instruction), item.time)]
        return []

    def _follow(self, piece: Piece) -> None:
        dt, self.played = self.simulation.timestep, None
        last = math.floor(piece.end / dt + 1e-9)
        times = np.arange(self.steps + 1, last + 1) * dt - piece.start
        if not len(times):
            return
        self.steps = last
        self.played = self.simulation.play(piece.trajectory, robot=self.name, times=np.clip(times, 0.0, None))
        self.tracking_max = max(self.tracking_max, float(np.abs(self.played.error).max()))

    def _act(self, instruction: Instruction) -> None:
        """Close or open the tool where an instruction says so."""
        simulation, is_exact = self.simulation, self._grasp == "exact"
        match instruction:
            case Pick(body=name) if is_exact:
                state = simulation.state(self.name)
                if state.held:
                    raise InvalidInput(holds_already(state.held[0]))
                body = body_at_tool(_as_now(self.scene, state.bodies), name, state.frames[-1])
                simulation.attach(body.name, self.name)
            case Place() if is_exact:
                simulation.release(self.name)
            case Pick():
                simulation.grip(robot=self.name)
            case Place():
                simulation.open(self.name)
            case _:
                pass  # only these act on the tool


def _as_now(scene: Scene, places: Mapping[str, Floats]) -> Scene:
    """Return the scene with its bodies where the simulation has them."""
    return replace(scene, bodies=tuple(body.at(places[body.name]) for body in scene.bodies))
