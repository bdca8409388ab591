"""Where arm and bodies stand: what a project's file holds besides the project, so that it opens as it was saved."""

from __future__ import annotations

from armlab.geometry import pose
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.runtime.project import Project, Stance
from armlab.runtime.setup import Setup, build_setup
from armlab.sim.state import SimState
from armlab.units import DEG_PER_RAD, MM_PER_M

DIGITS = 6


def stance_of(robot: Robot, state: SimState, movable: frozenset[str]) -> Stance:
    """Return where the arm and the `movable` bodies stand, in mm and degrees."""
    frames = {}
    for name, T in state.bodies.items():
        if name in movable:
            x, y, z = (T[:3, 3] * MM_PER_M).round(DIGITS).tolist()
            a, b, c = (pose.as_abc(T) * DEG_PER_RAD).round(DIGITS).tolist()
            frames[name] = (x, y, z, a, b, c)
    q = tuple((state.q / joint_scales(robot.joints)).round(DIGITS).tolist())
    return Stance(q=q, bodies=frames, held=state.held[0] if state.held else None)


def build_at(project: Project, stance: Stance) -> Setup:
    """Return a setup as it stood; joint values of another arm and bodies that are not there count for nothing.

    Raises:
        ArmlabError: if it cannot be built.
    """
    setup = build_setup(project)
    fits = len(stance.q) == setup.robot.dof
    names = {body.name for body in setup.scene.bodies if not body.is_fixed}
    places = {name: pose.from_mm_deg(frame) for name, frame in stance.bodies.items() if name in names}
    setup = build_setup(project, setup.joints(stance.q) if fits else None, places)
    if fits and stance.held in places:
        setup.simulation.attach(stance.held)
    return setup
