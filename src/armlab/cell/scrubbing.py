"""Where the bodies of a program are at any time of it, so that its player can be put there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from armlab.arrays import Floats
from armlab.cell.player import Act
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.program.holding import HeldBodies
from armlab.program.instructions import Pick


class Moment(NamedTuple):
    """Where bodies are, T_world_body by name, and which one is held."""

    places: dict[str, Floats]
    held: str | None


def moment_after(scene: Scene, robot: Robot, acts: Iterable[Act], q: Floats) -> Moment:
    """Return where the bodies of `scene` are behind some picks and places, with the arm at `q` (n,), without physics.

    Raises:
        ArmlabError: if a pick finds nothing to take.
    """
    holding = HeldBodies(scene)
    for act in acts:
        T_world_tool = robot.fk(act.q)
        if isinstance(act.instruction, Pick):
            holding.pick(act.instruction.body, T_world_tool)
        else:
            holding.place(T_world_tool)
    places = {body.name: body.T_world_body for body in holding.scene.bodies}
    if holding.grip is not None:
        name, T_tool_body = holding.grip
        places[name] = robot.fk(q) @ T_tool_body
    return Moment(places, holding.held)
