"""Where the bodies of a program are at any time of it, so that its player can be put there."""

from __future__ import annotations

from typing import NamedTuple

from armlab.arrays import Floats
from armlab.model.scene import Scene
from armlab.program.holding import HeldBodies
from armlab.program.instructions import Pick
from armlab.program.schedule import Schedule


class Moment(NamedTuple):
    """Where bodies are, T_world_body by name, and which one is held."""

    places: dict[str, Floats]
    held: str | None


def moment_at(scene: Scene, schedule: Schedule, time: float) -> Moment:
    """Return where the bodies of `scene` are at a time (s) of a schedule, without physics.

    Raises:
        ArmlabError: if a pick before that time finds nothing to take.
    """
    holding, robot, motion = HeldBodies(scene), schedule.robot, schedule.trajectory
    for act in schedule.acts[: acts_before(schedule, time)]:
        T_world_tool = robot.fk(motion.at(act.time).q)
        if isinstance(act.instruction, Pick):
            holding.pick(act.instruction.body, T_world_tool)
        else:
            holding.place(T_world_tool)
    places = {body.name: body.T_world_body for body in holding.scene.bodies}
    if holding.grip is not None:
        name, T_tool_body = holding.grip
        places[name] = robot.fk(motion.at(time).q) @ T_tool_body
    return Moment(places, holding.held)


def acts_before(schedule: Schedule, time: float) -> int:
    """Return how many picks and places begin before a time (s)."""
    return sum(act.time < time for act in schedule.acts)
