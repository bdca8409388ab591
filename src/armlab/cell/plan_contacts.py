"""What a planned motion would touch, with every body where it is at the moment."""

from __future__ import annotations

from dataclasses import replace

from armlab.collision import Checker
from armlab.collision.motion_findings import motion_contacts
from armlab.geometry import pose
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.motion.trajectory import Trajectory
from armlab.sim.state import SimState

RESTS = 0.002
"""m: a held body this near to something as the motion begins lies on it, and that is no contact to report."""


def plan_contacts(scene: Scene, state: SimState, trajectory: Trajectory) -> tuple[Finding, ...]:
    """Return an error for the first contact along a motion of the scene's only arm: the pair, the time, the place."""
    checker = Checker(replace(scene, bodies=tuple(body.at(state.bodies[body.name]) for body in scene.bodies)))
    if state.held:
        checker = _holding(checker, state, trajectory)
    return motion_contacts(checker, trajectory)


def _holding(checker: Checker, state: SimState, trajectory: Trajectory) -> Checker:
    """Return the checker with the held body on the tool; what that body lies on at the start does not count."""
    held = state.held[0]
    robot = checker.scene.robots[0].robot
    T_tool_body = pose.inverse(robot.fk(state.q)) @ state.bodies[held]
    near = checker.with_held(held, T_tool_body).distances(trajectory.start, within=RESTS)
    allowed = [(pair.first, pair.second) for pair in near if held in {pair.first, pair.second}]
    return Checker(checker.scene, allowed=allowed).with_held(held, T_tool_body)
