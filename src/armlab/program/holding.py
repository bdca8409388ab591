"""What a tool holds and where the bodies are, without physics: what is held moves with the tool."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined
from armlab.messages import Message, _
from armlab.model.scene import Scene
from armlab.program.reach import body_at_tool


class HeldBodies:
    """A scene in which a tool takes bodies and lets them go."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        """With every body where it was put down last."""
        self.grip: tuple[str, Floats] | None = None
        """The body that is held, and T_tool_body."""

    @property
    def held(self) -> str | None:
        """The name of the body that is held."""
        return None if self.grip is None else self.grip[0]

    @property
    def load(self) -> Inertia:
        """The mass of what is held, its centre and its inertia in the tool's frame."""
        if self.grip is None:
            return Inertia()
        name, T_tool_body = self.grip
        return combined([(self.scene.body(name).inertia, T_tool_body)])

    def pick(self, body: str | None, T_world_tool: Floats) -> None:
        """Take a body, or the nearest.

        Raises:
            InvalidInput, UnknownName: if something is held already, or there is nothing to take.
        """
        if self.grip is not None:
            raise InvalidInput(holds_already(self.grip[0]))
        taken = body_at_tool(self.scene, body, T_world_tool)
        self.grip = taken.name, pose.inverse(T_world_tool) @ taken.T_world_body

    def place(self, T_world_tool: Floats) -> str | None:
        """Let go of what is held where the tool is; return its name, None where nothing is held."""
        if self.grip is None:
            return None
        (name, T_tool_body), self.grip = self.grip, None
        self.scene = self.scene.with_body(self.scene.body(name).at(T_world_tool @ T_tool_body))
        return name


def holds_already(body: str) -> Message:
    """Return why nothing more can be picked."""
    return Message("pick_holding", _("pick: the tool holds '{body}' already"), body=body)
