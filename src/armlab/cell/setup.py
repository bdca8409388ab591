"""What is built from a project: the arm among its bodies, a simulation of them, and the hands that move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.cell.arm import build_arm
from armlab.cell.companion import Companion
from armlab.cell.dragging import Dragger
from armlab.cell.events import Event, Holding, Layout, OtherLayout
from armlab.cell.jogging import Jogger
from armlab.cell.mover import Mover
from armlab.cell.overload import OverloadWatch
from armlab.cell.project import FIRST_ARM, Project, Structure
from armlab.cell.project_bodies import build_bodies
from armlab.cell.proximity import ProximityMonitor
from armlab.errors import ArmlabError, InvalidInput
from armlab.geometry.pose import inverse
from armlab.model.jaws import held_width, jaws_of
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.motion.limits import Limits, limits_of
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState
from armlab.units import MM_PER_M

TIMESTEP = 1.0 / 480.0
"""s: eight steps for every picture; the drives are chosen for it."""
TIED_TIMESTEP = TIMESTEP / 4.0
"""s, of links tied by constraints: what a step opens in a joint goes with its square, and is 16 times smaller so."""


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """The selected arm among bodies and other arms; a change of the project makes another."""

    robot: Robot
    scene: Scene
    simulation: Simulation
    limits: Limits
    mover: Mover
    jogger: Jogger
    dragger: Dragger
    proximity: ProximityMonitor
    overload: OverloadWatch
    scales: Floats
    """From the joints' units (° or mm) to SI, (n,)."""
    name: str = FIRST_ARM
    """What the selected arm is called in scene and simulation."""
    others: tuple[Companion, ...] = ()
    """The other arms, in the order of the project."""

    def joints(self, values: tuple[float, ...]) -> Floats:
        """Return typed joint values (n,) in SI.

        Raises:
            InvalidInput: if there are not as many as joints.
        """
        return from_joint_units(self.robot, values)

    def layout(self) -> Layout:
        """Return what the numbers of a state belong to."""
        return Layout(
            joints=tuple(joint.name for joint in self.robot.joints),
            links=self.robot.frame_names,
            bodies=tuple(body.name for body in self.scene.bodies),
            others=tuple(
                OtherLayout(
                    name=other.name,
                    joints=tuple(joint.name for joint in other.robot.joints),
                    links=other.robot.frame_names,
                )
                for other in self.others
            ),
        )

    def holding(self) -> Holding:
        """Return what the tool holds, and how far its jaws have closed on that."""
        state = self.simulation.state(self.name)
        if not state.held:
            return Holding(body=None)
        name, jaws = state.held[0], jaws_of(self.robot.tool)
        if jaws is None:
            return Holding(body=name)
        body = next(body for body in self.scene.bodies if body.name == name)
        T_world_flange = state.frames[-1] @ inverse(self.robot.tool.T_flange_tool)
        width = held_width(jaws, body.shapes, inverse(T_world_flange) @ state.bodies[name])
        return Holding(body=name, jaw=round(jaws.travel_to(width) * MM_PER_M, 2))

    def look_around(self, states: Mapping[str, SimState], seconds: float) -> list[Event]:
        """Let time pass; return what there is to tell of contacts and overloads. `states` are those of all arms."""
        commands = {self.name: self.mover.state.q} | {other.name: other.mover.state.q for other in self.others}
        return [*self.proximity.look(states, seconds), *self.overload.look(states, commands, seconds)]

    def go_on_from(self, before: Setup) -> None:
        """Let the other arms go on with what they did in another setup."""
        known = {other.name: other for other in before.others}
        for other in self.others:
            other.take_over(known[other.name])

    def halt(self) -> None:
        """Let arms and bodies stand still where they are, and forget what the arms were told."""
        self.simulation.halt()
        self.jogger.end()
        self.dragger.end()
        self.mover.place(np.clip(self.simulation.state(self.name).q, self.limits.lower, self.limits.upper))
        for other in self.others:
            other.look(self.simulation)
            other.halt()


def timestep_of(structure: Structure) -> float:
    """Return the steps (s) in which a structure is simulated."""
    return TIED_TIMESTEP if structure == "joints" else TIMESTEP


def build_scene(
    project: Project, selected: str, q: Floats | None = None, others: Mapping[str, Floats] | None = None
) -> Scene:
    """Return the selected arm at `q` (n,) or at home, then the other arms, among the bodies of the project."""
    starts = {selected: q, **(others or {})}
    arms = sorted(project.arms, key=lambda arm: arm.name != selected)
    placed = tuple(_standing(arm.name, build_arm(arm.arm), starts.get(arm.name)) for arm in arms)
    return Scene("setup", placed, build_bodies(project.bodies))


def _standing(name: str, robot: Robot, q: Floats | None) -> PlacedRobot:
    start = robot.home if q is None or len(q) != robot.dof else q
    return PlacedRobot(name, robot, np.clip(start, robot.lower, robot.upper))


def build_setup(
    project: Project,
    selected: str,
    q: Floats | None = None,
    places: Mapping[str, Floats] | None = None,
    others: Mapping[str, Floats] | None = None,
) -> Setup:
    """Return a setup with the arm at `q` (n,) or at home, and bodies at other places than the project's if given.

    `others` are joint values of the arms that are not selected, by name; left out, an arm is at home.

    Raises:
        ArmlabError: if it cannot be built; the sentence says why.
    """
    scene = build_scene(project, selected, q, others)
    first, *rest = scene.robots
    robot, start = first.robot, first.q
    timestep = timestep_of(project.structure)
    moved = replace(scene, bodies=tuple(_placed(body, places or {}) for body in scene.bodies))
    try:
        simulation = Simulation(moved, project.structure, timestep=timestep)
        scene = moved
    except InvalidInput:
        if not places:
            raise
        simulation = Simulation(scene, project.structure, timestep=timestep)
    limits = limits_of(robot)
    scales = joint_scales(robot.joints)
    return Setup(
        robot,
        scene,
        simulation,
        limits,
        mover=Mover(limits, start),
        jogger=Jogger(limits),
        dragger=Dragger(robot),
        proximity=ProximityMonitor(scene),
        overload=OverloadWatch(scene),
        scales=scales,
        name=first.name,
        others=tuple(Companion.at(placed.name, placed.robot, placed.q, simulation) for placed in rest),
    )


def rebuild_setup(
    project: Project, selected: str, state: SimState, first: int = 0, others: Mapping[str, SimState] | None = None
) -> Setup:
    """Return a setup as it was in `state`, what was held included; where that cannot be built, as much of it as can.

    Then the arms are at home, and then the bodies are where the project puts them, too; `first`, 0 to 2, begins there.
    `others` are the states of the arms that are not selected, by name.

    Raises:
        ArmlabError: if not even the project can be built.
    """
    states = {selected: state, **(others or {})}
    joints = {name: one.q for name, one in states.items() if np.isfinite(one.q).all()}
    places = {name: T for name, T in state.bodies.items() if np.isfinite(T).all()}
    starts: tuple[tuple[Mapping[str, Floats], Mapping[str, Floats]], ...] = ((joints, places), ({}, places))
    for at, bodies in starts[first:]:
        try:
            setup = build_setup(project, selected, at.get(selected), bodies, at)
        except ArmlabError:
            continue
        now = setup.simulation.state().bodies
        for arm in at:
            for name in states[arm].held:
                if name in bodies and np.allclose(now[name], bodies[name]):
                    setup.simulation.attach(name, arm)
        return setup
    return build_setup(project, selected)


def selected_setup(setup: Setup, arm: Companion, others: tuple[Companion, ...]) -> Setup:
    """Return a setup of the same simulation with another arm selected; nothing in it moves by that."""
    robots = setup.scene.robots
    order = [arm.name, *(other.name for other in others)]
    return replace(
        setup,
        robot=arm.robot,
        scene=replace(setup.scene, robots=tuple(sorted(robots, key=lambda placed: order.index(placed.name)))),
        limits=arm.limits,
        mover=arm.mover,
        jogger=Jogger(arm.limits),
        dragger=Dragger(arm.robot),
        scales=arm.scales,
        name=arm.name,
        others=others,
    )


def _placed(body: Body, places: Mapping[str, Floats]) -> Body:
    return body.at(places[body.name]) if body.name in places else body
