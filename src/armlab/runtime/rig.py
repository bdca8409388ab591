"""What is built from a project: the arm among its bodies, a simulation of them, and the hands that move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.motion.limits import Limits, limits_of
from armlab.runtime.arm import build_arm
from armlab.runtime.bench import build_bodies
from armlab.runtime.dragging import Dragger
from armlab.runtime.jogging import Jogger
from armlab.runtime.mover import Mover
from armlab.runtime.project import Project
from armlab.runtime.touching import Toucher
from armlab.sim.simulation import Simulation
from armlab.units import joint_scale

TIMESTEP = 1.0 / 480.0
"""s: eight steps for every picture; the drives are chosen for it."""
ARM = "arm"
"""What the arm is called in its scene."""


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """One arm on a bench; a change of the project makes another."""

    robot: Robot
    scene: Scene
    simulation: Simulation
    limits: Limits
    mover: Mover
    jogger: Jogger
    dragger: Dragger
    toucher: Toucher
    scales: Floats
    """From the joints' units (° or mm) to SI, (n,)."""

    def joints(self, values: tuple[float, ...]) -> Floats:
        """Return typed joint values (n,) in SI.

        Raises:
            InvalidInput: if there are not as many as joints.
        """
        if len(values) != self.robot.dof:
            given = f"{self.robot.dof} joints, but {len(values)} values are given"
            raise InvalidInput(f"{self.robot.name} has {given}")
        return np.array(values) * self.scales


def build_scene(project: Project, q: Floats | None = None) -> Scene:
    """Return the arm at `q` (n,) or at home, among the bodies where the project puts them."""
    robot = build_arm(project.arm)
    start = robot.home if q is None or len(q) != robot.dof else q
    placed = PlacedRobot(ARM, robot, np.clip(start, robot.lower, robot.upper))
    return Scene("bench", (placed,), build_bodies(project.bodies))


def build_rig(project: Project, q: Floats | None = None, places: Mapping[str, Floats] | None = None) -> Rig:
    """Return a rig with the arm at `q` (n,) or at home, and bodies at other places than the project's if given.

    Raises:
        ArmlabError: if it cannot be built; the sentence says why.
    """
    scene = build_scene(project, q)
    (placed,) = scene.robots
    robot, start = placed.robot, placed.q
    moved = replace(scene, bodies=tuple(_placed(body, places or {}) for body in scene.bodies))
    try:
        simulation = Simulation(moved, project.structure, timestep=TIMESTEP)
        scene = moved
    except InvalidInput:
        if not places:
            raise
        simulation = Simulation(scene, project.structure, timestep=TIMESTEP)
    limits = limits_of(robot)
    scales = np.array([joint_scale(joint.kind) for joint in robot.joints])
    return Rig(
        robot,
        scene,
        simulation,
        limits,
        mover=Mover(limits, start),
        jogger=Jogger(limits),
        dragger=Dragger(robot),
        toucher=Toucher(scene),
        scales=scales,
    )


def _placed(body: Body, places: Mapping[str, Floats]) -> Body:
    return body.at(places[body.name]) if body.name in places else body
