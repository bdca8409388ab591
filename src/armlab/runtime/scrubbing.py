"""Where the bodies of a scenario are at any time of it, so that its player can be put there."""

from __future__ import annotations

from typing import NamedTuple

from armlab.arrays import Floats
from armlab.model import pose
from armlab.model.scene import Scene
from armlab.program.instructions import Pick, Place
from armlab.program.schedule import Schedule
from armlab.program.walk import body_at_tool


class Moment(NamedTuple):
    """Where bodies are, T_world_body by name, and which one is held."""

    places: dict[str, Floats]
    held: str | None


def moment_at(scene: Scene, schedule: Schedule, time: float) -> Moment:
    """Return where the bodies of `scene` are at a time (s) of a schedule, without physics.

    Raises:
        ArmlabError: if a pick before that time finds nothing to take.
    """
    robot, held = schedule.robot, None
    for leg in schedule.legs:
        if leg.start >= time:
            break
        T_world_tool = robot.fk(leg.trajectory.start)
        if isinstance(leg.instruction, Pick):
            body = body_at_tool(scene, leg.instruction.body, T_world_tool)
            held = body.name, pose.inverse(T_world_tool) @ body.T_world_body
        elif isinstance(leg.instruction, Place) and held is not None:
            scene, held = scene.with_body(scene.body(held[0]).at(T_world_tool @ held[1])), None
    places = {body.name: body.T_world_body for body in scene.bodies}
    if held is not None:
        places[held[0]] = robot.fk(schedule.trajectory.at(time).q) @ held[1]
    return Moment(places, None if held is None else held[0])


def events_before(schedule: Schedule, time: float) -> int:
    """Return how many picks and places begin before a time (s)."""
    return sum(isinstance(leg.instruction, Pick | Place) and leg.start < time for leg in schedule.legs)
