"""What is built from a project: the arms among the bodies, a simulation of them, and what watches it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arm import build_arm
from armlab.cell.arm_runtime import ArmRuntime
from armlab.cell.events import Event, Layout, OtherLayout
from armlab.cell.overload import OverloadWatch
from armlab.cell.project import Project, Structure
from armlab.cell.project_bodies import build_bodies
from armlab.cell.proximity import ProximityMonitor
from armlab.errors import ArmlabError, InvalidInput
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState

TIMESTEP = 1.0 / 480.0
"""s: eight steps for every picture; the drives are chosen for it."""
TIED_TIMESTEP = TIMESTEP / 4.0
"""s, of links tied by constraints: what a step opens in a joint goes with its square, and is 16 times smaller so."""


@dataclass(frozen=True, slots=True, eq=False)
class Workcell:
    """The arms by name among the bodies; a change of the project makes another."""

    scene: Scene
    simulation: Simulation
    arms: dict[str, ArmRuntime]
    """In the order of the project."""
    proximity: ProximityMonitor
    overload: OverloadWatch

    def layout(self, selected: str) -> Layout:
        """Return what the numbers of a state belong to."""
        arms = {
            arm.name: OtherLayout(
                name=arm.name, joints=tuple(joint.name for joint in arm.robot.joints), links=arm.robot.frame_names
            )
            for arm in self.arms.values()
        }
        first = arms.pop(selected)
        bodies = tuple(body.name for body in self.scene.bodies)
        return Layout(joints=first.joints, links=first.links, bodies=bodies, others=tuple(arms.values()))

    def states(self) -> dict[str, SimState]:
        """Return the newest state of every arm, by name."""
        return {name: arm.state for name, arm in self.arms.items()}

    def commands(self) -> dict[str, Floats]:
        """Return where every arm is told to be (n,), by name."""
        return {name: arm.mover.state.q for name, arm in self.arms.items()}

    def scene_of(self, name: str) -> Scene:
        """Return the scene with the arm of that name first: programs and plans are of the first arm."""
        if self.scene.robots[0].name == name:
            return self.scene
        robots = sorted(self.scene.robots, key=lambda placed: placed.name != name)
        return replace(self.scene, robots=tuple(robots))

    def scene_now(self, name: str) -> Scene:
        """Return the same with the other arms where they stand now."""
        scene = self.scene_of(name)
        first, *others = scene.robots
        now = (replace(one, q=np.clip(self.arms[one.name].state.q, one.robot.lower, one.robot.upper)) for one in others)
        return replace(scene, robots=(first, *now))

    def read(self) -> None:
        """Look at the simulation: everything that is told comes from this look."""
        for arm in self.arms.values():
            arm.read(self.simulation)

    def look_around(self, seconds: float) -> list[Event]:
        """Let time pass; return what there is to tell of contacts and overloads."""
        states = self.states()
        return [*self.proximity.look(states, seconds), *self.overload.look(states, self.commands(), seconds)]

    def are_idle(self, besides: str) -> bool:
        """Tell whether all arms but one stand, play nothing and hold nothing."""
        return all(arm.is_idle for arm in self.arms.values() if arm.name != besides)

    def halt(self) -> None:
        """Let arms and bodies stand still where they are, and forget what the arms were told."""
        self.simulation.halt()
        self.read()
        for arm in self.arms.values():
            arm.halt()


def timestep_of(structure: Structure) -> float:
    """Return the steps (s) in which a structure is simulated."""
    return TIED_TIMESTEP if structure == "joints" else TIMESTEP


def build_scene(project: Project, joints: Mapping[str, Floats] | None = None) -> Scene:
    """Return the arms at `joints` (n,) by their names, or at home, among the bodies of the project."""
    at = joints or {}
    placed = tuple(_standing(arm.name, build_arm(arm.arm), at.get(arm.name)) for arm in project.arms)
    return Scene("cell", placed, build_bodies(project.bodies))


def _standing(name: str, robot: Robot, q: Floats | None) -> PlacedRobot:
    start = robot.home if q is None or len(q) != robot.dof else q
    return PlacedRobot(name, robot, np.clip(start, robot.lower, robot.upper))


def build_world(
    project: Project, joints: Mapping[str, Floats] | None = None, places: Mapping[str, Floats] | None = None
) -> Workcell:
    """Return a world with arms at `joints` (n,) by name, or at home, and bodies at other `places` than the project's.

    Raises:
        ArmlabError: if it cannot be built; the sentence says why.
    """
    scene = build_scene(project, joints)
    timestep = timestep_of(project.structure)
    moved = replace(scene, bodies=tuple(_placed(body, places or {}) for body in scene.bodies))
    try:
        simulation = Simulation(moved, project.structure, timestep=timestep)
        scene = moved
    except InvalidInput:
        if not places:
            raise
        simulation = Simulation(scene, project.structure, timestep=timestep)
    arms = {one.name: ArmRuntime.at(one.name, one.robot, one.q, simulation) for one in scene.robots}
    return Workcell(scene, simulation, arms, ProximityMonitor(scene), OverloadWatch(scene))


def rebuild_world(project: Project, states: Mapping[str, SimState], first: int = 0) -> Workcell:
    """Return a world as it was in `states`, what was held included; where that cannot be built, as much as can.

    Then the arms are at home, and then the bodies are where the project puts them, too; `first`, 0 to 2, begins there.

    Raises:
        ArmlabError: if not even the project can be built.
    """
    joints = {name: state.q for name, state in states.items() if np.isfinite(state.q).all()}
    bodies = next(iter(states.values())).bodies
    places = {name: T for name, T in bodies.items() if np.isfinite(T).all()}
    starts: tuple[tuple[Mapping[str, Floats], Mapping[str, Floats]], ...] = ((joints, places), ({}, places))
    for at, wanted in starts[first:]:
        try:
            world = build_world(project, at, wanted)
        except ArmlabError:
            continue
        now = world.simulation.state(project.arms[0].name).bodies
        for arm in at:
            for name in states[arm].held:
                if name in wanted and np.allclose(now[name], wanted[name]):
                    world.simulation.attach(name, arm)
        return world
    return build_world(project)


def _placed(body: Body, places: Mapping[str, Floats]) -> Body:
    return body.at(places[body.name]) if body.name in places else body
