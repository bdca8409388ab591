"""Where arms and bodies stand: what a project's file holds besides the project, so that it opens as it was saved."""

from __future__ import annotations

from collections.abc import Mapping

from armlab.cell.project import ArmPosition, Project, SavedPositions
from armlab.cell.world import Workcell, build_scene, build_world
from armlab.geometry import pose
from armlab.model.joint_units import from_joint_units, joint_scales
from armlab.model.scene import Scene
from armlab.sim.state import SimState
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6


def positions_of(scene: Scene, states: Mapping[str, SimState]) -> SavedPositions:
    """Return where the arms and the movable bodies of a scene stand, in mm and degrees."""
    frames = {}
    bodies = next(iter(states.values())).bodies
    for body in scene.bodies:
        if not body.is_fixed:
            T = bodies[body.name]
            x, y, z = (T[:3, 3] * MM_PER_M).round(DIGITS).tolist()
            a, b, c = (pose.as_abc(T) * DEG_PER_RAD).round(DIGITS).tolist()
            frames[body.name] = (x, y, z, a, b, c)
    arms = {}
    for name, state in states.items():
        q = (state.q / joint_scales(scene.robot(name).robot.joints)).round(DIGITS).tolist()
        arms[name] = ArmPosition(q=tuple(q), held=state.held[0] if state.held else None)
    return SavedPositions(arms=arms, bodies=frames)


def build_at(project: Project, positions: SavedPositions) -> Workcell:
    """Return a world as it stood; joint values of another arm and bodies that are not there count for nothing.

    Raises:
        ArmlabError: if it cannot be built.
    """
    scene = build_scene(project)
    robots = {placed.name: placed.robot for placed in scene.robots}
    stood = positions.arms.items()
    fitting = {name: arm for name, arm in stood if name in robots and len(arm.q) == robots[name].dof}
    joints = {name: from_joint_units(robots[name], arm.q) for name, arm in fitting.items()}
    names = {body.name for body in scene.bodies if not body.is_fixed}
    places = {name: pose.from_mm_deg(frame) for name, frame in positions.bodies.items() if name in names}
    world = build_world(project, joints, places)
    for name, arm in fitting.items():
        if arm.held in places:
            world.simulation.attach(arm.held, name)
    return world
