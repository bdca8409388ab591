"""What is built from a project: the arm among its bodies, a simulation of them, and the hands that move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.motion.limits import Limits, limits_of
from armlab.runtime.arm import build_arm
from armlab.runtime.dragging import Dragger
from armlab.runtime.jogging import Jogger
from armlab.runtime.mover import Mover
from armlab.runtime.project import Project
from armlab.runtime.project_bodies import build_bodies
from armlab.runtime.proximity import ProximityMonitor
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState

TIMESTEP = 1.0 / 480.0
"""s: eight steps for every picture; the drives are chosen for it."""
TIED_TIMESTEP = TIMESTEP / 4.0
"""s, of links tied by constraints: what a step opens in a joint goes with its square, and is 16 times smaller so."""
ARM = "arm"
"""What the arm is called in its scene."""


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """One arm among its bodies; a change of the project makes another."""

    robot: Robot
    scene: Scene
    simulation: Simulation
    limits: Limits
    mover: Mover
    jogger: Jogger
    dragger: Dragger
    proximity: ProximityMonitor
    scales: Floats
    """From the joints' units (° or mm) to SI, (n,)."""

    def joints(self, values: tuple[float, ...]) -> Floats:
        """Return typed joint values (n,) in SI.

        Raises:
            InvalidInput: if there are not as many as joints.
        """
        return from_joint_units(self.robot, values)

    def halt(self) -> None:
        """Let arm and bodies stand still where they are, and forget what the arm was told."""
        self.simulation.halt()
        self.jogger.end()
        self.dragger.end()
        self.mover.place(np.clip(self.simulation.state().q, self.limits.lower, self.limits.upper))


def build_scene(project: Project, q: Floats | None = None) -> Scene:
    """Return the arm at `q` (n,) or at home, among the bodies where the project puts them."""
    robot = build_arm(project.arm)
    start = robot.home if q is None or len(q) != robot.dof else q
    placed = PlacedRobot(ARM, robot, np.clip(start, robot.lower, robot.upper))
    return Scene("setup", (placed,), build_bodies(project.bodies))


def build_setup(project: Project, q: Floats | None = None, places: Mapping[str, Floats] | None = None) -> Setup:
    """Return a setup with the arm at `q` (n,) or at home, and bodies at other places than the project's if given.

    Raises:
        ArmlabError: if it cannot be built; the sentence says why.
    """
    scene = build_scene(project, q)
    (placed,) = scene.robots
    robot, start = placed.robot, placed.q
    timestep = TIED_TIMESTEP if project.structure == "joints" else TIMESTEP
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
        scales=scales,
    )


def rebuild_setup(project: Project, state: SimState, first: int = 0) -> Setup:
    """Return a setup as it was in `state`, what was held included; where that cannot be built, as much of it as can.

    Then the arm is at home, and then the bodies are where the project puts them, too; `first`, 0 to 2, begins there.

    Raises:
        ArmlabError: if not even the project can be built.
    """
    q = state.q if np.isfinite(state.q).all() else None
    places = {name: T for name, T in state.bodies.items() if np.isfinite(T).all()}
    starts: tuple[tuple[Floats | None, Mapping[str, Floats]], ...] = ((q, places), (None, places))
    for start, bodies in starts[first:]:
        try:
            setup = build_setup(project, start, bodies)
        except ArmlabError:
            continue
        now = setup.simulation.state().bodies
        for name in state.held if start is not None else ():
            if name in bodies and np.allclose(now[name], bodies[name]):
                setup.simulation.attach(name)
        return setup
    return build_setup(project)


def _placed(body: Body, places: Mapping[str, Floats]) -> Body:
    return body.at(places[body.name]) if body.name in places else body
