"""What a real arm weighs while its tool holds bodies of a scene: their mass bends it, too."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.model.scene import Body, Scene
from armlab.program.holding import HeldBodies
from armlab.program.instructions import Instruction, Pick, Place


def holding(real: RealArm, body: Body, T_flange_body: Floats) -> RealArm:
    """Return the same arm with a body at its flange: it carries its own load and the body's declared mass."""
    return real.with_load(body.inertia, T_flange_body)


class LoadTracker:
    """Follows what the tool of an arm picks and places; `real` is the arm with what it holds now."""

    def __init__(self, real: RealArm, scene: Scene | None) -> None:
        self._bare = self.real = real
        self._held = None if scene is None else HeldBodies(scene)

    def take(self, instruction: Instruction, q: Floats) -> None:
        """Note what an instruction picks or places, with the nominal arm at `q`; what cannot be, counts nothing."""
        if self._held is None or not isinstance(instruction, Pick | Place):
            return
        T_world_tool = self._bare.nominal.fk(q)
        if isinstance(instruction, Place):
            self._held.place(T_world_tool)
            self.real = self._bare
            return
        try:
            self._held.pick(instruction.body, T_world_tool)
        except (InvalidInput, UnknownName):
            return  # who runs the program says so
        assert self._held.grip is not None
        name, T_tool_body = self._held.grip
        T_flange_body = pose.as_one_pose(self._bare.nominal.tool.T_flange_tool @ T_tool_body, name)
        self.real = holding(self._bare, self._held.scene.body(name), T_flange_body)
