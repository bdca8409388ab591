"""When an arm touches something along a motion: what a probing move asks."""

from __future__ import annotations

from armlab.collision import Checker
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.executor import Contact


def contact_in(scene: Scene, robot: str | None = None) -> Contact:
    """Return a function that finds contacts of an arm of the scene: see Contact."""
    checker = Checker(scene)

    def first_contact(_robot: Robot, trajectory: Trajectory, away: bool) -> float | None:
        if not away:
            first = checker.sweep(trajectory, robot=robot).first_contact
            return None if first is None else first.time
        if checker.is_free(trajectory.start, robot=robot):
            return 0.0
        last = checker.sweep(trajectory.reversed(), robot=robot).first_contact
        return 0.0 if last is None else (None if last.time == 0.0 else trajectory.duration - last.time)

    return first_contact
